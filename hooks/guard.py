"""PreToolUse: say so where a tool is about to go against what is known to be wanted here."""

import gc
import os
import sys
import time

gc.disable()  # a short life: looking for what could be freed costs a millisecond
BEGAN = time.perf_counter()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(ROOT if os.path.isdir(os.path.join(ROOT, "mempalace")) else os.path.dirname(ROOT))


def main():  # type: () -> int
    """Print a warning or a decision, or nothing; always return 0. Only what was said or failed is recorded."""
    from mempalace.visit import Visit

    given = sys.stdin.buffer.read() if sys.stdin else b""
    visit = Visit("guard", given, os.environ, now=time.time(), began=BEGAN)
    try:
        from mempalace.layers.deeds import deeds

        made = deeds(visit)
        if made:
            from mempalace.layers.guard import answer  # the store costs milliseconds that few commands need

            os.write(1, answer(visit, made).encode())  # sys.stdout would fail again where the reader has gone
    except Exception as error:  # whatever it is, the tool runs
        visit.failed(error)
    if visit.noted:
        visit.record()
    return 0


if __name__ == "__main__":
    os._exit(main())  # three milliseconds of tidying up that nobody needs
