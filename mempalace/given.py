"""Which drawers a session was given, so that none is given twice. Standard library only."""

from __future__ import annotations

import os
from typing import FrozenSet, Iterable

from mempalace.paths import make_private, private

FOLDER = "sessions"
ENDING = ".given"
STORY = ".told"  # the wake-up as it was told
KEPT = 60 * 86400  # seconds after its last use
LONGEST = 1_000_000  # bytes that are read


def path(palace: str, session: str, ending: str = ENDING) -> str:
    """Return the session's file, whatever its id holds."""
    name = "".join(char for char in session if char.isalnum() or char in "-_")[:80] or "unknown"
    return os.path.join(palace, FOLDER, name + ending)


def story(palace: str, session: str) -> str:
    """Return the wake-up that the session was told last, "" for none."""
    try:
        with open(path(palace, session, STORY), encoding="utf-8", errors="replace", newline="") as file:
            return file.read(LONGEST)
    except OSError:
        return ""


def keep_story(palace: str, session: str, text: str) -> None:
    """Keep the wake-up a session was told, so that it can be told the same again when it is resumed."""
    if not session:
        return
    try:
        make_private(os.path.join(palace, FOLDER))
        with open(path(palace, session, STORY), "w", encoding="utf-8", newline="", opener=private) as file:
            file.write(text)
    except OSError:
        return


def drop_stories(palace: str) -> None:
    """Remove every kept wake-up: what was forgotten may stand in one."""
    try:
        with os.scandir(os.path.join(palace, FOLDER)) as entries:
            found = [entry.path for entry in entries if entry.name.endswith(STORY)]
    except OSError:
        return
    for one in found:
        os.unlink(one)


def of(palace: str, session: str) -> FrozenSet[str]:
    """Return the ids that a session was given so far."""
    try:
        with open(path(palace, session), encoding="utf-8", errors="replace") as file:
            return frozenset(file.read(LONGEST).split())
    except OSError:
        return frozenset()


def prune(palace: str, *, now: float) -> int:
    """Remove the marks of sessions that ended long ago and return how many there were."""
    count = 0
    for folder in (os.path.join(palace, FOLDER), os.path.join(palace, "turns")):
        try:
            with os.scandir(folder) as entries:
                old = [entry.path for entry in entries if now - entry.stat().st_mtime > KEPT]
        except OSError:
            continue
        for path_ in old:
            try:
                os.unlink(path_)
                count += 1
            except OSError:
                continue
    return count


def add(palace: str, session: str, ids: Iterable[str]) -> None:
    """Remember ids as given; a palace that cannot be written to forgets them, no more."""
    told = "".join(id + "\n" for id in ids)
    if not session or not told:
        return
    try:
        make_private(os.path.join(palace, FOLDER))
        handle = os.open(path(palace, session), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        return
    try:
        os.write(handle, told.encode())
    finally:
        os.close(handle)
