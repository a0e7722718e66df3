"""Every Python that has a part: this one, the hooks', the recorded one, the plugin's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

from mempalace import __version__, environment, plugin, runtime
from mempalace.layers.findings import ENVIRONMENT, OK, WARN, Finding, Place
from mempalace.paths import shown

OLDEST = (3, 9)  # of Python, for the hooks
PATIENCE = 20  # seconds for another interpreter to say its version
AGAIN = 'run "mempalace mine" once'


def interpreters(place: Place) -> Iterator[Finding]:
    """Yield what is found of each of them."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(ENVIRONMENT, OK, f"mempalace {__version__} on Python {version}")
    yield _bare(place)
    yield _recorded(place)
    for home in _homes(place.env):
        yield from _own({**place.env, "CLAUDE_PLUGIN_DATA": home})


def _bare(place: Place) -> Finding:
    """Look for the python3 that starts the hooks: of any version since 3.9, with SQLite."""
    python = shutil.which("python3", path=place.env.get("PATH", os.defpath))
    if not python:
        return Finding(ENVIRONMENT, WARN, "there is no python3 on the PATH to run the hooks", "install Python")
    said = _said([python, "-I", "-S", "-c", "import sqlite3, sys; print(*sys.version_info[:2])"])
    version = tuple(int(word) for word in said.split() if word.isdigit())
    if version < OLDEST:
        why = f"is Python {said}" if version else "cannot run, or has no SQLite"
        return Finding(ENVIRONMENT, WARN, f"python3 on the PATH {why}", "the hooks need 3.9 or later")
    return Finding(ENVIRONMENT, OK, f"python3 for the hooks is {shown(python)}, {'.'.join(map(str, version))}")


def _recorded(place: Place) -> Finding:
    """Look at the interpreter that hooks and miner go on in: the one that mined last, or what stands in for it."""
    python = runtime.recorded(place.palace)
    if python and not os.access(python, os.X_OK):
        return Finding(ENVIRONMENT, WARN, f"the recorded interpreter {shown(python)} is gone", AGAIN)
    python = python or runtime.interpreter(place.palace, place.cwd, place.env)
    if not python:
        return Finding(ENVIRONMENT, WARN, "the hooks find no mempalace to go on in", AGAIN)
    if python == sys.executable:
        return Finding(ENVIRONMENT, OK, f"the hooks go on in this Python, {shown(python)}")
    said = _said([python, "-E", "-P", "-m", "mempalace", "--version"]).rpartition(" ")[2]
    if not said:
        return Finding(ENVIRONMENT, WARN, f"the interpreter of the hooks, {shown(python)}, has no mempalace", AGAIN)
    if said != __version__:
        return Finding(ENVIRONMENT, WARN, f"the hooks go on in mempalace {said}, {shown(python)}", AGAIN)
    return Finding(ENVIRONMENT, OK, f"the hooks go on in {shown(python)}")


def _said(words: list[str]) -> str:
    """Return the last line a program prints, "" for one that fails."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return ""
    return "" if done.returncode else done.stdout.strip().rpartition("\n")[2]


def _homes(env: Mapping[str, str]) -> list[str]:
    """Return the plugin's data folders: the one that is given to a hook, or where the client keeps them."""
    if environment.data(env):
        return [environment.data(env)]
    kept = os.path.join(os.path.dirname(plugin.client_settings(env)), "plugins", "data")
    try:
        names = sorted(name for name in os.listdir(kept) if name.startswith(plugin.PLUGIN + "-"))
    except OSError:
        return []
    return [os.path.join(kept, name) for name in names]


def _own(env: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the plugin's own environment in one data folder."""
    own, why = environment.own(env), environment.failure(env)
    if why:
        remedy = 'it is tried again after an hour; or run "uv tool install mempalace"'
        yield Finding(ENVIRONMENT, WARN, f"the plugin's environment could not be made ({why})", remedy)
    if own and environment.current(env, own.root):
        yield Finding(ENVIRONMENT, OK, f"the plugin's own environment is current, {shown(own.python)}")
    elif own:
        remedy = "the next session makes it anew"
        yield Finding(ENVIRONMENT, WARN, "the plugin's own environment is of another version of it", remedy)
    elif not why:
        yield Finding(ENVIRONMENT, WARN, "the plugin's own environment is not made yet", "start a session")
