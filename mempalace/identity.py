"""One recipe for identity: what a drawer, a message and an action are called."""

from __future__ import annotations

import hashlib


def drawer_id(*, source: str, ordinal: int, text: str) -> str:
    """Return a passage's content address: 24 hex digits of BLAKE2b.

    source: the key of the message (or document part) it is cut from; ordinal: which cut.
    """
    key = "\x1f".join((source, str(ordinal), text))
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=12).hexdigest()


def number(key: str) -> int:
    """Return a key's 63-bit number, for columns that only tell keys apart.

    Among a million keys the chance of one collision is 5e-8.
    """
    digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def fallback_key(*, source: str, role: str, text: str, nth: int) -> str:
    """Return the key of a message whose format gives it none: its words, and which of its like."""
    return "\x1f".join((source, role, text, str(nth)))


def belief_id(*, wing: str, glob: str, kind: str, subject: str, polarity: str, option: str) -> str:
    """Return a belief's content address: 24 hex digits; the same claim in the same scope is one belief."""
    return drawer_id(source="\x1f".join((wing, glob, kind, subject, polarity)), ordinal=0, text=option)
