"""Where mempalace is installed with all it needs, and how a hook starts it. Standard library only."""

from __future__ import annotations

import json
import os
from typing import Dict, List, Mapping, Optional, Sequence

from mempalace import environment
from mempalace.paths import RUNTIME, private

WINDOWS = os.name == "nt"
BIN = "Scripts" if WINDOWS else "bin"
PYTHON = "python.exe" if WINDOWS else "python"
PROGRAM = "mempalace.exe" if WINDOWS else "mempalace"


def remember(palace: str, python: str) -> None:
    """Record the interpreter that has mempalace installed; no palace, or no right to write, no record."""
    path = os.path.join(palace, RUNTIME)
    if recorded(palace) == python or not os.path.isdir(palace):
        return
    try:
        draft = "%s.%d" % (path, os.getpid())
        with open(draft, "w", encoding="utf-8", opener=private) as file:
            json.dump({"python": python}, file)
        os.replace(draft, path)
    except OSError:
        return


def recorded(palace: str) -> str:
    """Return the recorded interpreter, "" for none."""
    try:
        with open(os.path.join(palace, RUNTIME), encoding="utf-8") as file:
            python = json.load(file)["python"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return python if isinstance(python, str) else ""


def command(palace: str, cwd: str, env: Mapping[str, str]) -> Optional[List[str]]:
    """Return the words that start mempalace, or None where it is not installed.

    Asked in this order: the interpreter recorded by the last run, the plugin's own
    environment, the program on PATH, the project's `.venv`.
    """
    own = environment.own(env)
    for python in (recorded(palace), own.python if own else ""):
        if python and os.access(python, os.X_OK):
            return [python, "-m", "mempalace"]
    for folder in env.get("PATH", "").split(os.pathsep):
        program = os.path.join(folder, PROGRAM)
        ours = os.path.isdir(os.path.join(folder, os.pardir, ".claude-plugin"))  # it looks for mempalace itself
        if folder and not ours and os.access(program, os.X_OK) and os.path.isfile(program):
            return [program]
    program = os.path.join(cwd, ".venv", BIN, PROGRAM)
    return [program] if os.access(program, os.X_OK) else None


def interpreter(palace: str, cwd: str, env: Mapping[str, str]) -> str:
    """Return the Python that has mempalace installed, "" where there is none."""
    words = command(palace, cwd, env)
    if words is None:
        return ""
    if len(words) > 1:
        return words[0]
    beside = os.path.join(os.path.dirname(os.path.realpath(words[0])), PYTHON)
    if os.access(beside, os.X_OK):
        return beside
    try:
        with open(words[0], "rb") as program:
            first = program.readline(1024)
    except OSError:
        return ""
    python = first[2:].decode("utf-8", "replace").strip() if first.startswith(b"#!") else ""
    return python if os.access(python, os.X_OK) else ""


def become(words: Sequence[str], stdin: bytes, env: Mapping[str, str]) -> None:
    """Replace this process by a program that reads `stdin`; returns only where that cannot be.

    stdin: what fits a pipe's buffer (64 KiB), for nobody reads the pipe while it is filled.
    """
    if WINDOWS:
        import subprocess

        subprocess.run(list(words), input=stdin, env=dict(env), check=False)
        return
    reading, writing = os.pipe()
    os.write(writing, stdin)
    os.close(writing)
    os.dup2(reading, 0)
    os.execve(words[0], list(words), dict(env))


def child_environment(env: Mapping[str, str]) -> Dict[str, str]:
    """Return the environment of a helper: its own hooks are off, and no Python setting leaks in."""
    kept = {name: value for name, value in env.items() if not name.startswith("PYTHON")}
    return {**kept, "MEMPALACE_OFF": "1"}


def detached(words: Sequence[str], env: Mapping[str, str]) -> None:
    """Start a program in a session of its own, with nothing of ours open; do not wait for it.

    An inherited pipe would hang the client, and a child of the client's session would be
    killed with it. Raises OSError where the program cannot be started.
    """
    given = child_environment(env)
    if WINDOWS or not hasattr(os, "posix_spawn"):
        _detached_by_subprocess(words, given)
        return
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        os.posix_spawn(words[0], list(words), given, file_actions=null, setsid=True)
    except NotImplementedError:  # no setsid in this platform's posix_spawn
        _detached_by_subprocess(words, given)


def _detached_by_subprocess(words: Sequence[str], env: Mapping[str, str]) -> None:
    import subprocess

    null = subprocess.DEVNULL
    if WINDOWS:
        flags = 0x00000008 | 0x00000200  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(list(words), env=dict(env), stdin=null, stdout=null, stderr=null, creationflags=flags)
    else:
        subprocess.Popen(list(words), env=dict(env), stdin=null, stdout=null, stderr=null, start_new_session=True)
