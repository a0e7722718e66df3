"""The tools that change the palace. A method's docstring is what the model is told of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mempalace.errors import PalaceError
from mempalace.layers import changes
from mempalace.mcp.asking import cited
from mempalace.mine import turnstile
from mempalace.paths import DATABASE
from mempalace.store import looking
from mempalace.store.connection import Store, open_reader, open_writer
from mempalace.store.schema import VERSION

WAIT = 30  # seconds for a miner at work
SHOWN = 10  # drawers that a dry run lists
VERSION_AT = slice(60, 64)  # where SQLite's header keeps the schema's number


class Changing:
    """What can be changed in a palace. None is made for it: a palace begins with mining."""

    def __init__(self, palace: str, cwd: str) -> None:
        self.palace = palace
        self.cwd = cwd

    def remember(
        self, text: str, wing: str = "", room: str = "", importance: float = 4.0, pin: bool = False
    ) -> dict[str, Any]:
        """File a note that later sessions should know, and return its citation; secrets are redacted.

        wing: the project, this one by default.  room: the topic, by the words of the text by default.
        importance: 0 to 6, 3 is ordinary.  pin: tell it first at every session's start.
        """
        with self._turn() as store:
            told = changes.remember(
                store, os.environ, text, cwd=self.cwd, wing=wing, room=room, importance=max(0.0, min(importance, 6.0)),
                pinned=pin, now=int(time.time()),
            )  # fmt: skip
            filed = [cited(store, looking.drawer(store, id).drawer, None) for id in told.ids]
        return {"wing": told.wing, "room": told.room, "redacted": told.redacted, "sources": filed}

    def forget(self, id: str, dry_run: bool = False) -> dict[str, Any]:
        """Delete a passage (d:1a2b3c4d) or a whole session (s:12) for good; the receipt must count zero found.

        dry_run: say what would be deleted, change nothing. Ask the user before you forget anything.
        """
        if dry_run:
            with open_reader(self.palace) as store:
                what = changes.target(store, id=id)
                lines = list(changes.described(store, what, SHOWN))
            return {"drawers": len(what.rows), "sessions": len(what.sources), "first": lines}
        with self._turn() as store:
            return changes.forget(store, os.environ, changes.target(store, id=id), now=int(time.time()))._asdict()

    @contextmanager
    def _turn(self) -> Iterator[Store]:
        """Give the palace for a change, with the miner's lock held."""
        with open_reader(self.palace):
            pass
        with turnstile.turn(self.palace, WAIT), open_writer(self.palace) as store:
            yield store


def changeable(palace: str) -> bool:
    """Tell whether there is a palace of this very schema that may be written to.

    Read off its file's header, for a look must not migrate. A palace whose making is still
    in its log counts as none yet.
    """
    path = os.path.join(palace, DATABASE)
    try:
        with open_reader(palace), open(path, "rb") as file:
            version = int.from_bytes(file.read(VERSION_AT.stop)[VERSION_AT], "big")
    except (PalaceError, OSError):
        return False
    return version == VERSION and os.access(palace, os.W_OK | os.X_OK) and os.access(path, os.W_OK)
