"""Beliefs as they are printed: one a line, whole, or for programs."""

from __future__ import annotations

from typing import Any

from mempalace.confidence import interval
from mempalace.layers.rules import worded
from mempalace.layers.wake_up import day
from mempalace.model import AVOID, Belief
from mempalace.store.beliefs import Evidence

SAID = 100  # characters of an observation's words
DISPUTED = "disputed: what was seen since speaks against it"


def short(one: Belief) -> str:
    """Return a belief's citation."""
    return f"[b:{one.id[:8]}]"


def sure(one: Belief) -> str:
    """Return how far a belief is believed: the mean, and the interval of its evidence."""
    low, high = interval(one.support, one.against)
    return f"{one.confidence:.2f}, 90% {low:.2f} to {high:.2f}"


def about(one: Belief) -> str:
    """Return what a belief of a kind is about: kind, subject and option; "" for a claim of no kind."""
    if not one.kind:
        return ""
    option = f": {'not ' if one.polarity == AVOID else ''}{one.option}" if one.option else ""
    return " / ".join(part for part in (one.kind, one.subject) if part) + option


def scope(one: Belief) -> str:
    """Return where a belief holds."""
    return f"{one.wing or 'everywhere'}{f' in {one.glob}' if one.glob else ''}"


def line(one: Belief) -> str:
    """Return a belief in one line: citation, words, what it is about, how sure, where, and what there is to note."""
    told = about(one)
    notes = [f"({told})" if told else "", sure(one), "pinned" if one.pinned else "", scope(one)]
    if one.disputed:
        notes.append(DISPUTED)
    if one.retired_at:
        notes.append(f"{one.why or 'retired'} {day(one.retired_at)}")
    return f"{short(one)} {worded(one)}  " + "; ".join(note for note in notes if note)


def described(one: Belief) -> dict[str, Any]:
    """Return a belief for programs, with its interval."""
    low, high = interval(one.support, one.against)
    return {**one._asdict(), "disputed": one.disputed, "interval": [round(low, 4), round(high, 4)]}


def seen(row: Evidence) -> str:
    """Return one observation in a line: its date, what it does, whose word it is, the words, the drawer."""
    does = "for" if row.agrees else "taken back" if row.effect else "against"
    words = " ".join(row.said.split())
    words = words if len(words) <= SAID else words[: SAID - 3] + "..."
    where = f" [d:{row.drawer[:8]}]" if row.drawer else ""
    weight = f" {row.weight:g}" if not row.effect or row.agrees else ""
    return f"  {day(row.at)}  {does}{weight}, {row.origin}: {words}{where}"
