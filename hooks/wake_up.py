"""SessionStart: hand the agent the story of its project."""

import os
import sys
import time

BEGAN = time.perf_counter()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)


def main():  # type: () -> int
    """Print the wake-up as hook output, or nothing; always return 0."""
    from mempalace.visit import Visit

    visit = Visit("wake-up", sys.stdin.buffer.read(), os.environ, now=time.time(), began=BEGAN)
    try:
        from mempalace.layers.wake_up import answer

        sys.stdout.write(answer(visit))
        sys.stdout.flush()
    except Exception as error:  # whatever it is, the session goes on
        visit.failed(error)
    visit.record()
    return 0


if __name__ == "__main__":
    sys.exit(main())
