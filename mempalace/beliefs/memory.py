"""The beliefs that a choice has in view: ranked, cut at a limit, each with what it was ranked by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mempalace.beliefs import slots
from mempalace.beliefs.answer import Option
from mempalace.beliefs.ranking import NO_KIND, OTHER_KIND, RIGHT_KIND, Ranked, rank
from mempalace.errors import PalaceError
from mempalace.model import Belief

KINDS = {RIGHT_KIND: "right", NO_KIND: "none", OTHER_KIND: "other"}
DIGITS = 3  # of a confidence and a weight, so that they read alike wherever they are shown

# A belief as plain values: id, rank, claim, kind, subject, option, polarity, scope {wing, glob}, confidence,
# pinned, applies (it speaks of the very slot), shown, score (the terms it was ranked by).
Entry = dict[str, Any]


class Memory(NamedTuple):
    """All candidates of a choice, best first, of which the first `limit` are shown."""

    entries: tuple[Entry, ...]
    limit: int

    @property
    def total(self) -> int:
        """How many candidates there are."""
        return len(self.entries)

    @property
    def shown(self) -> int:
        """How many of them are shown."""
        return min(self.limit, self.total)


def memory(beliefs: Iterable[Belief], *, kind: str, subject: str, path: str, limit: int) -> Memory:
    """Return the beliefs that hold at a path, ranked for a choice of that kind and subject."""
    ranked = rank(beliefs, kind=kind, subject=subject, path=path)
    return Memory(tuple(_entry(one, kind, subject, limit) for one in ranked), limit)


def subject_of(beliefs: Iterable[Belief], *, kind: str, options: Sequence[Option]) -> str:
    """Return the one subject of a kind whose beliefs name any of the options, "" for none or several.

    So a choice between npm and pnpm is known to be about node without being told.
    """
    names = named(options)
    right = [one for one in beliefs if one.kind == kind and slots.plain(one.option) in names]
    subjects = {slots.subject_words(one.subject): one.subject for one in right}
    return next(iter(subjects.values())) if len(subjects) == 1 else ""


def named(options: Sequence[Option]) -> dict[str, str]:
    """Return the options' ids by what a belief may call them: an id goes before words shown, the first before others.

    Raises PalaceError where two ids would be one to a belief.
    """
    ids = {slots.plain(option.id): option.id for option in options}
    if len(ids) < len(options):
        raise PalaceError("two options have the same id: give each an id of its own")
    return {**{slots.plain(option.display): option.id for option in reversed(options)}, **ids}


def _entry(one: Ranked, kind: str, subject: str, limit: int) -> Entry:
    belief = one.belief
    return {
        "id": belief.id,
        "rank": one.rank,
        "claim": belief.claim,
        "kind": belief.kind,
        "subject": belief.subject,
        "option": belief.option,
        "polarity": belief.polarity,
        "scope": {"wing": belief.wing, "glob": belief.glob},
        "confidence": round(one.confidence, DIGITS),
        "pinned": one.pinned,
        "applies": slots.same_slot(belief.kind, belief.subject, kind, subject),
        "shown": one.rank <= limit,
        "score": {
            "kind": KINDS[one.kind],
            "linked": one.linked,
            "local": one.local,
            "pinned": one.pinned,
            "confidence": round(one.confidence, DIGITS),
            "weight": round(one.weight, DIGITS),
        },
    }
