"""Have the files that a passage speaks of changed since it was said? Git's history tells, else the files' times."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import NamedTuple

from mempalace.store import signs
from mempalace.store.connection import Store
from mempalace.store.signs import Footing

# A path with a folder in it, or a file's name with an ending. Not in a URL: there a "/" or ":" comes before.
PATH = re.compile(r"(?<![\w/.:~@+-])(?:(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*\w|\w[\w-]+\.[A-Za-z]\w{0,7}\b)")
NAMED, EDITED = 8, 3  # files of one passage, named in it or edited just before it: each costs a system call
GRACE = 3600  # seconds after a session's end: its work is committed when it is done
REACH = 4000  # characters of a passage in which files are sought


class Change(NamedTuple):
    """What became of the files spoken of. known: how many could be looked at; changed: those that did, as written."""

    known: int
    changed: tuple[str, ...]


def change(store: Store, passages: Sequence[tuple[str, Footing]]) -> Change:
    """Return what became of the files that passages (text, footing) speak of, each file once.

    A passage speaks of the files it names, and where none of those is known, of those its session
    edited last before it. A file that git knows has changed by a later commit, or by a time
    after the history was read; any other by its time. Undated passages speak of nothing.
    """
    kept = signs.repositories(store)
    seen: dict[str, tuple[str, bool]] = {}
    for text, footing in passages:
        told = _looked(store, kept, named(text), footing)
        if not told and footing.source:
            told = _looked(store, kept, signs.edited_before(store, footing.source, footing.said_at, EDITED), footing)
        for path, (written, changed) in told.items():
            seen[path] = (written, changed or seen.get(path, ("", False))[1])
    return Change(len(seen), tuple(written for written, changed in seen.values() if changed))


def named(text: str) -> list[str]:
    """Return what reads like files in a text, in order, each once.

    >>> named("See src/lamp.py:12 and lamp.toml, not https://example.org/a/b.html")
    ['src/lamp.py', 'lamp.toml']
    """
    return list(dict.fromkeys(PATH.findall(text[:REACH])))[:NAMED]


def _looked(
    store: Store, kept: Sequence[tuple[str, int, int]], files: Sequence[str], footing: Footing
) -> dict[str, tuple[str, bool]]:
    """Return (as written, whether it has changed) of those files that are known, by their paths."""
    since = max(footing.said_at, footing.ended_at)
    found = {}
    for written in files if since else ():
        path = os.path.normpath(os.path.join(footing.cwd, os.path.expanduser(written)))
        changed = _changed(store, kept, path, since + GRACE) if os.path.isabs(path) else None
        if changed is not None:
            found[path] = (written, changed)
    return found


def _changed(store: Store, kept: Sequence[tuple[str, int, int]], path: str, since: int) -> bool | None:
    """Tell whether a file has changed since then; None for one that neither git nor the disk knows."""
    committed = read_at = 0
    for root, repository, at in kept:
        if path.startswith(root + os.sep):
            committed = signs.committed_at(store, repository, path[len(root) + 1 :].replace(os.sep, "/"))
            read_at = at if committed else 0
            break
    if committed > since:
        return True
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return True if committed else None  # it was there, and is gone
    return found.st_mtime > max(since, read_at) if stat.S_ISREG(found.st_mode) else None
