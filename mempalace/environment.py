"""The plugin's own environment: where it lies, whether it is the one this plugin needs. Standard library only.

It holds what mempalace needs, as locked; the code is the plugin's own folder, pointed to by a .pth file.
"""

from __future__ import annotations

import json
import os
from typing import List, Mapping, NamedTuple, Optional

REQUIREMENTS = os.path.join("requirements", "plugin.txt")
POINTER = "environment.json"  # written last: an environment without it is not finished
LOCK = "environment.lock"
FAILED = "environment.failed"


class Own(NamedTuple):
    """A finished environment. needs: the requirements it was made from.  root: the plugin's folder it runs."""

    python: str
    needs: str
    root: str


def data(env: Mapping[str, str]) -> str:
    """Return the folder the client keeps for the plugin's data, "" outside of a plugin."""
    return env.get("CLAUDE_PLUGIN_DATA", "")


def own(env: Mapping[str, str]) -> Optional[Own]:
    """Return the plugin's own environment, None where there is none that can be run."""
    try:
        with open(os.path.join(data(env), POINTER), encoding="utf-8") as file:
            told = json.load(file)
        found = Own(str(told["python"]), str(told["needs"]), str(told["root"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if data(env) and os.access(found.python, os.X_OK) else None


def current(env: Mapping[str, str], root: str) -> bool:
    """Tell whether the plugin's own environment is the one that the plugin in `root` needs."""
    found = own(env)
    return found is not None and found.root == root and found.needs == needs(root)


def needs(root: str) -> str:
    """Return what the plugin in `root` needs, as 12 hex digits over its locked requirements."""
    import hashlib  # two milliseconds that only a session's start in a plugin pays

    try:
        with open(os.path.join(root, REQUIREMENTS), "rb") as file:
            return hashlib.blake2b(file.read(), digest_size=6).hexdigest()
    except OSError:
        return ""


def failure(env: Mapping[str, str]) -> str:
    """Return why the environment could not be made the last time, "" where it could or was not tried."""
    try:
        with open(os.path.join(data(env), FAILED), encoding="utf-8", errors="replace") as file:
            return (file.read(1000).strip() or "unknown") if data(env) else ""
    except OSError:
        return ""


def parts(home: str) -> List[str]:
    """Return all that settling has put into the plugin's data folder, in alphabetical order."""
    try:
        names = os.listdir(home)
    except OSError:
        return []
    ours = (POINTER, LOCK, FAILED)
    return [os.path.join(home, name) for name in sorted(names) if name in ours or name.startswith("environment-")]
