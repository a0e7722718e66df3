"""The mining a hook leaves behind: which files, and whether it is time. Standard library only."""

from __future__ import annotations

import os
import sys
from typing import List, Mapping, Optional

from mempalace import environment, runtime
from mempalace.paths import make_private, private
from mempalace.visit import Visit

RETRY = 3600  # seconds before an installation that failed is tried again
PAUSE = 120  # seconds between two minings after a turn of one session


def file_away(visit: Visit, root: str) -> None:
    """Start a miner for what the event is about, in a process of its own; note what was done.

    root: the plugin's folder, from which its own environment is made where there is none.
    """
    places = what(visit)
    if not places:
        visit.note(did="nothing: the event names no transcript")
        return
    if visit.name == "Stop" and not due(visit):
        visit.note(did="nothing: mined less than two minutes ago")
        return
    words = runtime.command(visit.palace, visit.cwd, visit.env)
    outdated = environment.own(visit.env) is not None and not environment.current(visit.env, root)
    settling = _settling(visit, root) if words is None or outdated else None
    if settling:
        words = settling
        visit.note(did="installing")
    elif words is None:
        visit.note(failed="mempalace is not installed: run `pip install mempalace`")
        return
    else:
        words = [*words, "mine", "--quiet", "--nice", "--palace", visit.palace, *places]
        visit.note(did="mining", places=places)
    runtime.detached(words, visit.env)


def what(visit: Visit) -> List[str]:
    """Return what to mine: at a session's start all of its project's transcripts, else its own."""
    transcript = visit.text("transcript_path")
    if not transcript:
        return []
    if visit.name == "SessionStart":
        folder = os.path.dirname(transcript)
        return [folder] if os.path.isdir(folder) else []
    own_folder = os.path.splitext(transcript)[0]  # where newer versions keep sub-agents
    return [transcript, own_folder] if os.path.isdir(own_folder) else [transcript]


def due(visit: Visit) -> bool:
    """Tell whether a session's last mining after a turn is long enough ago, and if so mark this one."""
    folder = os.path.join(visit.palace, "turns")
    name = "".join(char for char in visit.session if char.isalnum() or char == "-")[:64] or "unknown"
    mark = os.path.join(folder, name)
    try:
        if abs(visit.now - os.stat(mark).st_mtime) < PAUSE:  # a clock set back must not stop it for long
            return False
    except OSError:
        pass
    try:
        make_private(folder)
        with open(mark, "w", encoding="utf-8", opener=private):
            pass
        os.utime(mark, (visit.now, visit.now))
    except OSError:
        pass  # a palace that cannot be written to is the miner's to report
    return True


def _settling(visit: Visit, root: str) -> Optional[List[str]]:
    """Return the words that make the plugin's own environment and then mine, None where that cannot be."""
    python = "" if _failed_lately(visit) else settler(visit.env)
    if not python:
        return None
    return [python, "-I", os.path.join(root, "hooks", "settle.py"), visit.palace, *what(visit)]


def settler(env: Mapping[str, str]) -> str:
    """Return the Python that can make the plugin's own environment, "" where none can or may."""
    if not environment.data(env) or env.get("MEMPALACE_NO_INSTALL"):
        return ""
    return modern_python(env) or (sys.executable if program("uv", env) else "")


def _failed_lately(visit: Visit) -> bool:
    try:
        failed = os.stat(os.path.join(environment.data(visit.env), environment.FAILED)).st_mtime
    except OSError:
        return False
    return visit.now - failed < RETRY


def modern_python(env: Mapping[str, str]) -> str:
    """Return the newest Python of 3.11 or later on PATH, "" for none."""
    names = ("python3.%d" % minor for minor in (14, 13, 12, 11))
    return next(filter(None, (program(name, env) for name in names)), "")


def program(name: str, env: Mapping[str, str]) -> str:
    """Return the first program of that name on PATH, "" for none."""
    for folder in env.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return path
    return ""
