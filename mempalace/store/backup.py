"""Copies of the palace, made and taken back by SQLite itself; and a look at its health."""

from __future__ import annotations

import os
import sqlite3
from typing import List

from mempalace.errors import PalaceCorrupt, PalaceError
from mempalace.paths import DATABASE, make_private, shown
from mempalace.store.connection import Store, open_reader, open_writer, speaking
from mempalace.store.schema import VERSION


def backup(palace: str, target: str) -> int:
    """Copy the palace into the file `target` while others may write; return its bytes.

    The copy appears whole or not at all. Raises PalaceError for a target that exists.
    """
    if os.path.exists(target):
        raise PalaceError("%s exists: name a file that does not" % shown(target))
    draft = target + ".part"
    with open_reader(palace) as store, speaking(palace):
        problems = examine(store)
        if problems:
            raise PalaceCorrupt("the palace at %s is damaged (%s): it is not copied" % (shown(palace), problems[0]))
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise PalaceError("cannot write %s: %s" % (shown(target), error.strerror)) from error
        os.close(handle)
        copy = sqlite3.connect(draft)
        try:
            store.db.backup(copy)
        finally:
            copy.close()
    os.replace(draft, target)
    return os.path.getsize(target)


def restore(source: str, palace: str) -> None:
    """Put the copy in `source` in the palace's place; the palace that was there is overwritten.

    Raises PalaceError where `source` is no sound palace of a schema that is known here.
    """
    if not os.path.isfile(source):
        raise PalaceError("no file %s to restore from" % shown(source))
    copy = sqlite3.connect(
        "file:%s?mode=ro" % source.replace("%", "%25").replace("?", "%3f").replace("#", "%23"), uri=True
    )
    try:
        version, problems = _examined(copy, source)
        if problems:
            raise PalaceCorrupt("%s is damaged (%s): it is not restored" % (shown(source), problems[0]))
        if not 0 < version <= VERSION:
            raise PalaceError("%s is no palace of a schema known here (%d)" % (shown(source), version))
        make_private(palace)
        _remove_damaged(palace)
        with speaking(palace):
            path = os.path.join(palace, DATABASE)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            target = sqlite3.connect(path, timeout=30)
            try:
                copy.backup(target)
            finally:
                target.close()
    finally:
        copy.close()
    open_writer(palace).db.close()  # brings an older schema up to date


def examine(store: Store) -> List[str]:
    """Return what SQLite finds wrong with the palace's file, nothing for a sound one."""
    with speaking(store.palace):
        told = [str(row[0]) for row in store.db.execute("PRAGMA quick_check(20)")]
    return [] if told == ["ok"] else told


def _examined(db: sqlite3.Connection, path: str) -> "tuple[int, List[str]]":
    try:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        told = [str(row[0]) for row in db.execute("PRAGMA quick_check(20)")]
    except sqlite3.DatabaseError as error:
        raise PalaceCorrupt("%s is no palace: %s" % (shown(path), error)) from error
    return version, [] if told == ["ok"] else told


def _remove_damaged(palace: str) -> None:
    """Move a database that SQLite cannot overwrite out of the way, keeping it."""
    path = os.path.join(palace, DATABASE)
    if not os.path.exists(path):
        return
    try:
        with open_reader(palace) as store:
            sound = not examine(store)
    except PalaceError:
        sound = False
    if not sound:
        for ending in ("", "-wal", "-shm"):
            if os.path.exists(path + ending):
                os.replace(path + ending, path + ".damaged" + ending)
