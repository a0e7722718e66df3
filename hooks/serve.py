"""The plugin's MCP server: go on where mempalace is installed, or be none."""

import os
import sys
import time

BEGAN = time.perf_counter()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(ROOT if os.path.isdir(os.path.join(ROOT, "mempalace")) else os.path.dirname(ROOT))


def main():  # type: () -> int
    """Become the server; where mempalace is not installed, record so. Always return 0."""
    from mempalace.visit import Visit

    visit = Visit("serve", b'{"hook_event_name": "MCP"}', os.environ, now=time.time(), began=BEGAN)
    try:
        from mempalace import runtime

        off = visit.silent()
        python = "" if off else runtime.interpreter(visit.palace, visit.cwd, visit.env)
        words = [python, "-E", "-P", "-m", "mempalace", "mcp"]
        if python and not runtime.WINDOWS:
            os.execve(python, words, dict(os.environ))
        if python:  # there, a process that becomes another leaves its streams
            import subprocess

            return subprocess.call(words)
        if not off:
            visit.note(did="nothing: mempalace is not installed yet")
    except Exception as error:  # whatever it is, the session goes on
        visit.failed(error)
    visit.record()
    return 0


if __name__ == "__main__":
    os._exit(main())
