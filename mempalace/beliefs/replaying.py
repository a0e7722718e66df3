"""What is otherwise when a choice is made once more: the answer, and the memory it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mempalace.beliefs.answer import Answer
from mempalace.beliefs.memory import Entry

CARRIED = ("claim", "option", "polarity", "confidence", "pinned", "applies")  # what of a belief a choice rests on


class Difference(NamedTuple):
    """A field of the answer that is otherwise than it was recorded."""

    field: str
    was: Any
    now: Any


class Move(NamedTuple):
    """A belief that stands otherwise than it did; was, now: its rank, 0 where it was or is not there.

    changed: what of it is otherwise, by field: (was, now).
    """

    id: str
    claim: str
    was: int
    now: int
    changed: dict[str, tuple[Any, Any]]


def differences(recorded: Answer | None, now: Answer | None) -> list[Difference]:
    """Return the fields in which two answers differ, the pick first; of one that is not there, all are None."""
    pick = ["option_id", "option_display"]
    fields = [*pick, *(name for name in Answer._fields if name not in pick)]
    pairs = [(name, getattr(recorded, name, None), getattr(now, name, None)) for name in fields]
    return [Difference(*pair) for pair in pairs if pair[1] != pair[2]]


def moves(before: Sequence[Entry], after: Sequence[Entry]) -> list[Move]:
    """Return the beliefs that came, went, moved or changed: in today's order, then the gone by their old rank."""
    old, new = {entry["id"]: entry for entry in before}, {entry["id"]: entry for entry in after}
    found = []
    for id, entry in {**new, **{id: entry for id, entry in old.items() if id not in new}}.items():
        was, now = old.get(id), new.get(id)
        changed = {name: (was[name], now[name]) for name in CARRIED if was[name] != now[name]} if was and now else {}
        ranks = (was["rank"] if was else 0, now["rank"] if now else 0)
        if changed or ranks[0] != ranks[1]:
            found.append(Move(id, entry["claim"], *ranks, changed))
    return found
