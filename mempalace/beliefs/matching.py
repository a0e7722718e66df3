"""Which belief an observation speaks of."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from mempalace.beliefs import slots
from mempalace.beliefs.observation import Observation
from mempalace.identity import belief_id
from mempalace.model import Belief

ALIKE = 94  # of 100, of the whole wording: a slip of the pen, not another word
SHORT = 12  # characters below which only the same will do
WORD_ALIKE = 85  # of 100, of the words that differ

# What beliefs of one family have to share before their values are compared: subject, polarity, whether by an option.
Key = tuple[tuple[str, ...], str, bool]


class Relatives:
    """The beliefs of a family, found by what they say."""

    def __init__(self, beliefs: Iterable[Belief]) -> None:
        self.by_key: dict[Key, dict[str, Belief]] = {}
        for one in sorted(beliefs, key=lambda one: one.id, reverse=True):
            self.add(one)

    def add(self, one: Belief) -> None:
        """Take a belief in; of two that say the same, the one with the smaller id is found."""
        key = (slots.subject_words(one.subject), one.polarity, bool(one.option))
        self.by_key.setdefault(key, {})[slots.value(one.option, one.claim)] = one

    def of(self, seen: Observation) -> Belief | None:
        """Return the belief of the observation's slot, polarity and value, or None.

        A claim without an option may also differ in spelling.
        """
        key = (slots.subject_words(seen.subject), seen.polarity, bool(option(seen)))
        held = self.by_key.get(key, {})
        wanted = slots.value(option(seen), claim(seen))
        if wanted in held or option(seen) or len(wanted) < SHORT:
            return held.get(wanted)
        alike = process.extract(wanted, held.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None)
        return min((held[value] for value, _, _ in alike if near(value, wanted)), key=lambda one: one.id, default=None)


def founded(seen: Observation, wing: str) -> Belief:
    """Return the belief that an observation founds in a wing of that name; its id is its content's address."""
    id = belief_id(
        wing=wing, glob=seen.glob, kind=seen.kind, subject=" ".join(slots.subject_words(seen.subject)),
        polarity=seen.polarity, option=slots.value(option(seen), claim(seen)),
    )  # fmt: skip
    return Belief(
        id, claim(seen), seen.kind, seen.subject, option(seen), seen.polarity, wing, seen.glob, seen.origin, 0.5, 0.0,
        0.0, False, seen.at, seen.at,
    )  # fmt: skip


def option(seen: Observation) -> str:
    """Return the option an observation speaks of: what is taken back may be named as what no longer holds."""
    return seen.option.strip() or (seen.instead_of.strip() if seen.withdraws else "")


def claim(seen: Observation) -> str:
    """Return an observation's claim, else the words it was read from."""
    return seen.claim or seen.said


def near(one: str, other: str) -> bool:
    """Tell whether two plain wordings differ by spelling alone, not by what they mean.

    Every word must have its counterpart in its place, and words with a digit or a sign in them
    must be the same: "2 spaces" is not "4 spaces", and "x_" is not "y_".
    """
    mine, theirs = one.split(), other.split()
    if min(len(one), len(other)) < SHORT or len(mine) != len(theirs) or fuzz.ratio(one, other) < ALIKE:
        return one == other
    return all(
        a == b or (a.isalpha() and b.isalpha() and min(len(a), len(b)) > 3 and fuzz.ratio(a, b) >= WORD_ALIKE)
        for a, b in zip(mine, theirs, strict=True)
    )
