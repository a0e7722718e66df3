"""SessionStart: hand the agent the story of its project."""

import gc
import os
import sys
import time

gc.disable()  # a short life: looking for what could be freed costs a millisecond
BEGAN = time.perf_counter()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(ROOT if os.path.isdir(os.path.join(ROOT, "mempalace")) else os.path.dirname(ROOT))


def main():  # type: () -> int
    """Print the wake-up as hook output, or nothing; always return 0."""
    from mempalace.visit import Visit

    given = sys.stdin.buffer.read() if sys.stdin else b""
    visit = Visit("wake-up", given, os.environ, now=time.time(), began=BEGAN)
    try:
        from mempalace.layers.session_start import answer

        os.write(1, answer(visit).encode())  # sys.stdout would fail again at exit where the reader has gone
    except Exception as error:  # whatever it is, the session goes on
        visit.failed(error)
    visit.record()
    return 0


if __name__ == "__main__":
    os._exit(main())  # three milliseconds of tidying up that nobody needs
