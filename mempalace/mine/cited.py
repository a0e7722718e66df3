"""Which of the memories a session was given its agent cited, and which it cites that it never was given."""

from __future__ import annotations

import re

from mempalace import given

CITED = re.compile(r"\b(d:|b:)([0-9a-f]{8,24})\b")


def cited(text: str) -> list[str]:
    """Return the ids a text cites, as far as written there, each once, in order: drawers bare, beliefs as b:ID."""
    return list(dict.fromkeys(("b:" if sign == "b:" else "") + id for sign, id in CITED.findall(text)))


class Given:
    """What a session was given, read when something is cited for the first time."""

    def __init__(self, palace: str) -> None:
        self.palace = palace
        self._by_session: dict[str, frozenset[str]] = {}

    def full(self, session: str, short: str) -> str:
        """Return the id that was given and begins so, "" where none was."""
        if session not in self._by_session:
            self._by_session[session] = given.of(self.palace, session)
        return next((id for id in sorted(self._by_session[session]) if id.startswith(short)), "")
