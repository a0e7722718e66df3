"""opencode's own database, read where it lies and never written: SQL lives in this package alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple


class Part(NamedTuple):
    """One part of a message, with its message's and its session's JSON (undecoded)."""

    session: str
    message: str
    info: str
    data: str


class Session(NamedTuple):
    """A session's row."""

    id: str
    parent: str
    directory: str
    title: str


def sessions(path: str) -> list[Session]:
    """Return every session of an opencode database, oldest first; raises sqlite3.Error."""
    with closing(_connect(path)) as connection:
        rows = connection.execute(
            "SELECT id, coalesce(parent_id, ''), coalesce(directory, ''), coalesce(title, '')"
            " FROM session ORDER BY time_created, id"
        )
        return [Session(*map(_text, row)) for row in rows]


def parts(path: str, session: str) -> Iterator[Part]:
    """Yield a session's parts in order; raises sqlite3.Error."""
    with closing(_connect(path)) as connection:
        rows = connection.execute(
            "SELECT message.session_id, message.id, message.data, part.data FROM message"
            " JOIN part ON part.message_id = message.id WHERE message.session_id = ?"
            " ORDER BY message.time_created, message.id, part.id",
            (session,),
        )
        for row in rows:
            yield Part(*map(_text, row))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection
