"""Where the palace lives, and what lies in it. Standard library only: the hooks read it."""

from __future__ import annotations

import os
import sys
from typing import List, Mapping

DATABASE = "palace.db"
INDEX = "index"
TRAJECTORY = "trajectory.jsonl"
IDENTITY = "identity.md"
CONFIG = "config.toml"
LOCK = "miner.lock"
REQUESTS = "requests"
RUNTIME = "runtime.json"
SIGNS = (DATABASE, TRAJECTORY, RUNTIME, "setup.json")  # one of them makes a folder a palace
NOTES = (IDENTITY, CONFIG, "config.cache.json", "config.lock", "kinds.json", LOCK)
FOLDERS = (INDEX, REQUESTS, "sessions", "turns")


def palace_dir(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return the palace's folder: $MEMPALACE_HOME, else the platform's data folder.

    The same places as platformdirs' `user_data_path("mempalace", appauthor=False)`, which the
    hooks cannot import; a test compares the two.
    """
    if env.get("MEMPALACE_HOME"):
        return os.path.abspath(os.path.expanduser(env["MEMPALACE_HOME"]))
    home = os.path.expanduser("~")
    if platform == "win32":
        base = env.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.path.join(base, "mempalace")


def places_of(palace: str) -> List[str]:
    """Return what in a palace's folder is the palace's, in alphabetical order; nothing of a folder that is none.

    A file is known by the beginning of its name: drafts, copies and SQLite's own lie beside what they belong to.
    """
    try:
        names = os.listdir(palace)
    except OSError:
        return []
    if not any(name.startswith(SIGNS) for name in names):
        return []
    ours = [name for name in names if name in FOLDERS or name.startswith(SIGNS + NOTES)]
    return [os.path.join(palace, name) for name in sorted(ours)]


def make_private(folder: str) -> None:
    """Make the folder and its parents where missing, each for this user alone (as the XDG specification has it)."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(os.path.abspath(folder))
    if not os.path.exists(above):
        make_private(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def private(path: str, flags: int) -> int:
    """Open a file that, if it is made, is for this user alone: the `opener` of `open`."""
    return os.open(path, flags, 0o600)


def shown(path: str) -> str:
    """Return the path as a person writes it, with ~ for the home folder."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if home != "/" and path.startswith(home + os.sep) else path
