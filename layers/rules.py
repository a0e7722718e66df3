"""The standing rules of a wake-up: what was pinned, for this project and for all; and what changed of late."""

from __future__ import annotations

import time
from typing import FrozenSet, List, Tuple

from mempalace.harmless import framed
from mempalace.layers.budget import fitting
from mempalace.model import AVOID, Belief
from mempalace.store import beliefs
from mempalace.store.connection import Store
from mempalace.store.wings import Wing

HEADING = "## Standing rules"
CHANGES = "## Changed of late"
SHORT = 160  # characters of a claim


def rules(store: Store, wing: "Wing | None", room: int) -> Tuple[List[str], List[str]]:
    """Return the rules' part of a wake-up within `room` characters, and the ids of the beliefs in it.

    Pinned beliefs of the wing come before the global ones, then by confidence, evidence and id. Those
    that do not fit are counted. Nothing here depends on the day: what is pinned does not fade.
    """
    found = beliefs.pinned(store, wing.n if wing else None)
    found.sort(key=lambda one: (not one.wing, -one.confidence, -one.support, one.id))
    return _part(HEADING, found, [_rule(one) for one in found], room)


def changes(store: Store, wing: Wing, room: int, *, since: int, told: FrozenSet[str]) -> Tuple[List[str], List[str]]:
    """Return what took the place of an earlier rule since a time and was not told yet, newest first; and its ids."""
    found = [(old, new) for old, new in beliefs.superseded(store, wing.n, since=since) if new.id not in told]
    lines = ["%s; no longer: %s" % (_rule(new), _short(worded(old))) for old, new in found]
    return _part(CHANGES, [new for _, new in found], lines, room)


def _part(heading: str, found: List[Belief], lines: List[str], room: int) -> Tuple[List[str], List[str]]:
    left = "- and %d more: mempalace belief list"
    fit = fitting(lines, room - len(heading) - 2)
    if len(fit) < len(lines):
        fit = fitting(lines, room - len(heading) - 2 - len(left) - 2)
    if not fit:
        return [], []
    more = [left % (len(lines) - len(fit))] if len(fit) < len(lines) else []
    return ["", heading, *fit, *more], [one.id for one in found[: len(fit)]]


def _rule(one: Belief) -> str:
    where = "" if one.wing else " (everywhere)"
    where = " (in %s)" % framed(one.glob) if one.glob else where
    doubt = "; what was seen since speaks against it" if one.disputed else ""
    date = time.strftime("%Y-%m-%d", time.gmtime(one.created_at)) if one.created_at else "undated"
    return "- %s%s [b:%s] %s%s" % (_short(worded(one)), where, one.id[:8], date, doubt)


def worded(one: Belief) -> str:
    """Return a belief in words: its claim, or what is to be chosen or avoided."""
    said = one.claim or ("avoid %s" if one.polarity == AVOID else "use %s") % one.option
    return framed(" ".join(said.split()))


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 3].rsplit(" ", 1)[0] + "..."
