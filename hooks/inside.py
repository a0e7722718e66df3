"""The second half of recall.py and command.py, run where mempalace is installed with all it needs."""

import gc
import os
import sys
import time

gc.disable()  # a short life: looking for what could be freed costs three milliseconds
BEGAN = time.perf_counter()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT if os.path.isdir(os.path.join(ROOT, "mempalace")) else os.path.dirname(ROOT))


def main() -> int:
    """Print what the prompt or the command is given, or nothing; always return 0."""
    from mempalace.visit import Visit

    visit = Visit(sys.argv[1], sys.stdin.buffer.read(), os.environ, now=time.time(), began=BEGAN)
    try:
        if visit.hook == "command":
            from mempalace.cli.slash import answer
        else:
            from mempalace.layers.prompt_recall import answer
        os.write(1, answer(visit).encode())  # sys.stdout would fail again at exit where the reader has gone
    except Exception as error:  # whatever it is, the prompt goes through
        visit.failed(error)
    visit.record()
    return 0


if __name__ == "__main__":
    os._exit(main())  # tidying up takes five milliseconds that nobody needs
