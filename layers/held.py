"""What is held about a topic: the beliefs that bear on a prompt. They frame how the passages after them are read."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import NamedTuple

from mempalace import kinds
from mempalace.beliefs.ranking import rank
from mempalace.layers.rules import worded
from mempalace.model import Belief
from mempalace.search.analyzer import Analyzer
from mempalace.store import beliefs
from mempalace.store.connection import Store

MOST = 3  # beliefs in a block
SURE = 0.8  # from where one counts, unless it is pinned
# A claim bears on a prompt by this many words of its own, and this share of them.
SHARED, SHARE = 2, 0.5


def held(
    store: Store, wing: int | None, text: str, analyzer: Analyzer, *, now: int, told: Collection[str] = ()
) -> list[Belief]:
    """Return at most three sure or pinned beliefs that bear on a text, those of a kind it names first.

    A belief bears on it by an option of its slot being named, or by sharing words with its claim.
    told: ids as the session's marks keep them (b:ID), of beliefs that were given already.
    """
    standing = [one for one in beliefs.standing(store, wing, now=now) if one.pinned or one.confidence >= SURE]
    standing = [one for one in standing if f"b:{one.id}" not in told]
    if not standing:
        return []
    named = {(choice.kind, choice.subject) for _, _, choice in kinds.load(store.palace).mentioned(text)}
    said = frozenset(analyzer.terms(text))
    bearing = [
        one
        for one in standing
        if (one.kind, one.subject) in named or _shares(frozenset(analyzer.terms(one.claim)), said)
    ]
    kind = next((one.kind for one in bearing if (one.kind, one.subject) in named), "")
    first = [one.belief for one in rank(bearing, kind=kind, task=text)]
    return [*first, *(one for one in bearing if one not in first)][:MOST]


def _shares(own: frozenset[str], said: frozenset[str]) -> bool:
    shared = len(own & said)
    return shared >= SHARED and shared >= SHARE * len(own)


def line(one: Belief) -> str:
    """Return a belief as a block tells it: its id, how sure, since when, and its words."""
    since = time.strftime("%Y-%m-%d", time.gmtime(one.created_at)) if one.created_at else "undated"
    where = f" in {one.glob}" if one.glob else "" if one.wing else " everywhere"
    sure = f"pinned, {one.confidence:.2f}" if one.pinned else f"{one.confidence:.2f}"
    return f"- [b:{one.id[:8]}] belief{where}, {sure}, {since}: {worded(one)}"


class Standing(NamedTuple):
    """Why a belief is told or not: the gate, and a sentence."""

    gate: str
    said: str


def why(one: Belief, told: Collection[str]) -> Standing:
    """Return where a belief counts, or what keeps it out; told: ids of those in its project's wake-up."""
    if one.retired_at:
        by = f" by [b:{one.superseded_by[:8]}]" if one.superseded_by else ""
        return Standing("retired", f"It stands no more: {one.why or 'retired'}{by}.")
    if one.id in told:
        return Standing("told", "It is pinned, and told at every session's start under Standing rules.")
    if one.pinned:
        return Standing(
            "budget", "It is pinned, but the rules' part of the wake-up is full: retire one, or raise budget."
        )
    if one.confidence >= SURE:
        said = "It is given at prompts that bear on it, and the guard keeps to it; a pin has it told at every start."
        return Standing("prompts", said)
    return Standing(
        "unsure", f"It is believed with {one.confidence:.2f} and counts from {SURE}: more evidence, or a pin."
    )
