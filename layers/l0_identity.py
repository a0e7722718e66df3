"""L0: who am I working for? The user's own `identity.md`, as it is, within its budget."""

from __future__ import annotations

import os

from mempalace.layers.budget import trimmed
from mempalace.paths import IDENTITY

LARGEST = 65536  # bytes that are read at all


def identity(palace: str, room: int) -> str:
    """Return the user's identity file as text of at most `room` characters, "" where there is none.

    UTF-8, else Latin-1. A text cut to its budget ends by saying so.
    """
    try:
        with open(os.path.join(palace, IDENTITY), "rb") as file:
            raw = file.read(LARGEST)
    except OSError:
        return ""
    text = _decoded(raw).replace("\0", "").replace("\r\n", "\n").strip()
    return trimmed(text, room, note=" [...cut to its budget: shorten %s]" % IDENTITY)[0]


def _decoded(raw: bytes) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= len(raw) - 4 and len(raw) == LARGEST:  # cut inside a character
            return raw[: error.start].decode("utf-8-sig")
        return raw.decode("latin-1")
