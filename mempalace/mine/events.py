"""What a transcript says, before anything is decided about it.

A harness yields these in the order of its file; `turns.py` gathers them into messages.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

HUMAN, AGENT = "human", "agent"


class Said(NamedTuple):
    """Prose by a human or an agent.

    key: the harness's own identity of the message (a uuid, an API message id), the same
    wherever the record is repeated; "" where the format has none. Records in a row with one
    key are one message.  at: Unix seconds, 0 unknown.  line: 1-based.
    offset: byte offset of the record, for formats read line by line; else 0.
    aside: a sub-agent's words.
    """

    role: str
    text: str
    key: str = ""
    at: int = 0
    line: int = 0
    offset: int = 0
    aside: bool = False


class Did(NamedTuple):
    """A tool call: key pairs it with its `Outcome`; target is the command or file."""

    tool: str
    target: str
    key: str = ""
    at: int = 0
    line: int = 0
    offset: int = 0
    aside: bool = False


class Outcome(NamedTuple):
    """How the tool call `key` ended; error is the opening of its error text."""

    key: str
    ok: bool
    error: str = ""


class About(NamedTuple):
    """A fact about the session; empty fields say nothing. Later facts win, `cwd` excepted."""

    session: str = ""
    cwd: str = ""
    branch: str = ""
    title: str = ""


class Handed(NamedTuple):
    """What the client passed on to the model of one run of a hook of ours.

    hook: as the trajectory calls it.  characters: that were passed on.  key: of the client's own
    record.  why: what kept it from passing on all, "" where nothing did.
    """

    hook: str
    event: str
    characters: int
    key: str
    at: int = 0
    why: str = ""


class Skipped(NamedTuple):
    """A record that holds no prose for us, by its type."""

    type: str


class Malformed(NamedTuple):
    """A record that could not be read, and why."""

    line: int
    why: str


Event: TypeAlias = Said | Did | Outcome | About | Handed | Skipped | Malformed
