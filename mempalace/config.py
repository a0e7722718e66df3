"""`config.toml` in the palace as a table, and the copy of it that any Python reads at once. Standard library only.

The hooks run on whatever python3 there is. Its TOML reader came with 3.11 and takes milliseconds to
import, so what was read is kept beside the file as JSON, with the file's times, size and number.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any, Dict, List, NamedTuple, Optional

from mempalace.paths import CONFIG, private, shown

CACHE = "config.cache.json"
FORMER = "config.json"  # what config.toml was before it was TOML


class Config(NamedTuple):
    """What the file holds, and what is wrong with it as a whole."""

    given: Dict[str, Any]
    wrong: List[str]


def path(palace: str) -> str:
    """Return the file's path, whether it is there or not."""
    return os.path.join(palace, CONFIG)


def load(palace: str) -> Config:
    """Return the palace's configuration: nothing given where there is no file, or none that can be read."""
    config = _load(palace)
    former = os.path.join(palace, FORMER)
    if os.path.exists(former):
        config.wrong.append("%s is not read: write its keys into %s and remove it" % (shown(former), CONFIG))
    return config


def _load(palace: str) -> Config:
    file = path(palace)
    try:
        found = os.stat(file)
    except OSError:
        gone = ["%s is a link to a file that is gone" % shown(file)] if os.path.islink(file) else []
        return Config({}, gone)
    if not stat.S_ISREG(found.st_mode):
        return Config({}, ["%s is no file" % shown(file)])
    # An edit may keep size and time (cp -p, two writes within one tick): then the file's change or number differs.
    mark = [found.st_mtime_ns, found.st_size, found.st_ctime_ns, found.st_ino]
    kept = _kept(palace)
    if kept and kept.get("of") == mark:
        return Config(kept["given"], list(kept["wrong"]))
    try:
        import tomllib  # not before Python 3.11, and three milliseconds that a sound cache need not pay
    except ImportError:
        said = "%s was changed since it was last read, and this Python cannot: run `mempalace config` once"
        return Config(kept["given"] if kept else {}, [said % shown(file)])
    try:
        with open(file, encoding="utf-8-sig") as text:
            config = Config(tomllib.loads(text.read()), [])
    except (OSError, ValueError, RecursionError) as error:
        # What was switched off stays off: a slip of the pen is no change of mind.
        said = "%s cannot be read (%s): what it said before holds until it is mended"
        config = Config(kept["given"] if kept else {}, [said % (shown(file), error)])
    _keep(palace, {"of": mark, "given": config.given, "wrong": config.wrong})
    return config


def _kept(palace: str) -> Optional[Dict[str, Any]]:
    """Return the copy, None where there is no sound one."""
    try:
        with open(os.path.join(palace, CACHE), encoding="utf-8") as file:
            kept = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    sound = isinstance(kept, dict) and isinstance(kept.get("given"), dict) and isinstance(kept.get("wrong"), list)
    return kept if sound else None


def _keep(palace: str, kept: Dict[str, Any]) -> None:
    """Write the copy; a palace that cannot be written to is read anew each time."""
    target = os.path.join(palace, CACHE)
    draft = "%s.%d" % (target, os.getpid())
    try:
        with open(draft, "w", encoding="utf-8", opener=private) as file:
            json.dump(kept, file, default=str)
        os.replace(draft, target)
    except OSError:
        return
