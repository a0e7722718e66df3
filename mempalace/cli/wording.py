"""Values as a reader is shown them: on one line, within a width, safe for a terminal."""

from __future__ import annotations

from typing import Any

from mempalace.harmless import plain
from mempalace.search.query import readable

WIDE = 90  # characters of a claim or a value on a line


def shown(text: str) -> str:
    """Return a text as a terminal may be given it: no half characters, nothing that drives it."""
    return plain(readable(text))


def cut(text: str, room: int = WIDE) -> str:
    """Return a text on one line of at most `room` characters."""
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 3] + "..."


def short(value: Any) -> str:
    """Return a plain value in words, on one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return cut("; ".join(map(str, value)))
    return "none" if value is None else cut(str(value))


def whole(value: Any) -> Any:
    """Return a plain value in which every text is one that UTF-8 can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {whole(name): whole(one) for name, one in value.items()}
    return [whole(one) for one in value] if isinstance(value, (list, tuple)) else value
