"""The palace's file, opened for reading or for writing."""

from __future__ import annotations

import os
import sqlite3
import time
from types import TracebackType
from typing import Optional, Type

from mempalace.errors import NoPalace, PalaceCorrupt, PalaceError, PalaceLocked, PalaceTooNew
from mempalace.paths import DATABASE, make_private, shown
from mempalace.store.schema import MIGRATIONS, VERSION

MISSING = 'no palace at %s: run "mempalace mine" first'
MOMENT = 0.05  # seconds: the first to open and the last to close a palace lock it about so long
CORRUPT = ("malformed", "not a database", "corrupt", "disk image", "unsupported file format")


class Store:
    """An open palace. Its functions live beside this module; only they know it is SQLite.

    version: of its schema. One opened for reading may still be older than this mempalace.
    """

    def __init__(self, palace: str, db: sqlite3.Connection, version: int) -> None:
        self.palace = palace
        self.db = db
        self.version = version

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.db.close()
        # A lock or damage met while reading is told like one met while opening.
        speaking(self.palace).__exit__(kind, error, trace)


def open_reader(palace: str, *, wait: float = 5.0) -> Store:
    """Return the palace opened for reading only; waits at most `wait` seconds for a lock, a moment in any case.

    A write never keeps a reader waiting; another's opening or closing of the file does, for a moment.
    Raises NoPalace, PalaceLocked, PalaceCorrupt or PalaceTooNew.
    """
    path = os.path.join(palace, DATABASE)
    wait = max(wait, MOMENT)
    if not os.path.exists(path):
        raise NoPalace(MISSING % shown(palace))
    with speaking(palace):
        try:
            return _checked(palace, _connect(path, "mode=ro", wait), made=True)
        except sqlite3.OperationalError:
            if os.access(palace, os.W_OK) or os.path.exists(path + "-wal"):
                raise
            # A folder we may not write to has no place for the shared-memory file of the
            # WAL; without a WAL the file is complete, so read it as it stands.
            return _checked(palace, _connect(path, "mode=ro&immutable=1", wait), made=True)


def open_writer(palace: str, *, wait: float = 30.0) -> Store:
    """Return the palace opened for writing: made where missing, brought to this schema.

    Raises PalaceLocked, PalaceCorrupt, PalaceTooNew, or PalaceError for a folder that cannot
    be written to.
    """
    path = os.path.join(palace, DATABASE)
    try:
        make_private(palace)
        if not os.path.exists(path):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise PalaceError("cannot write to %s: %s" % (shown(palace), error.strerror)) from error
    with speaking(palace):
        db = _connect(path, "mode=rw", wait)
        store = _checked(palace, db)
        try:
            _log_ahead(db, wait)
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA recursive_triggers=ON")  # else a row replaced is not seen to go
            _migrate(db)
            store.version = VERSION
        except BaseException:
            db.close()
            raise
        return store


def _connect(path: str, mode: str, wait: float) -> sqlite3.Connection:
    # Quoted by hand: urllib.parse alone would cost the wake-up four milliseconds.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.sep != "/":
        quoted = "/" + quoted.replace(os.sep, "/")
    return sqlite3.connect("file:%s?%s" % (quoted, mode), uri=True, timeout=wait, isolation_level=None)


def _checked(palace: str, db: sqlite3.Connection, *, made: bool = False) -> Store:
    """Return the store, of a schema known here; made: one whose making was cut short is none."""
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:
        db.close()
        raise
    if made and version == 0:
        db.close()
        raise NoPalace(MISSING % shown(palace))
    if version > VERSION:
        db.close()
        raise PalaceTooNew(
            "the palace at %s has schema %d, this mempalace knows %d: upgrade mempalace"
            % (shown(palace), version, VERSION)
        )
    return Store(palace, db, version)


def _log_ahead(db: sqlite3.Connection, wait: float) -> None:
    """Switch a new database to WAL; of two that do so at once SQLite fails one without waiting."""
    until = time.monotonic() + wait
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _migrate(db: sqlite3.Connection) -> None:
    """Bring the database to this schema, all of the way or not at all."""
    if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")  # asked again within: another may have done it meanwhile
    for number in range(db.execute("PRAGMA user_version").fetchone()[0], VERSION):
        statement = ""
        for line in MIGRATIONS[number].splitlines(True):
            statement += line
            if sqlite3.complete_statement(statement):
                db.execute(statement)
                statement = ""
        db.execute("PRAGMA user_version=%d" % (number + 1))
    db.execute("COMMIT")


class speaking:
    """Turn what SQLite raises within into errors that name the palace and the remedy.

    A class and not a generator: contextlib alone would cost the wake-up a millisecond.
    """

    def __init__(self, palace: str) -> None:
        self.palace = shown(palace)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if not isinstance(error, sqlite3.DatabaseError):
            return
        said = str(error)
        if "locked" in said or "busy" in said:
            raise PalaceLocked(
                "the palace at %s is locked by another process: try again when it is done" % self.palace
            ) from error
        if any(word in said for word in CORRUPT):
            raise PalaceCorrupt(
                'the palace at %s is damaged (%s): run "mempalace doctor"' % (self.palace, said)
            ) from error
        raise PalaceError("the palace at %s cannot be used: %s" % (self.palace, said)) from error
