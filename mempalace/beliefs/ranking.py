"""The ranking of beliefs for one choice, and the plain lookup. Pure, standard library only."""

from __future__ import annotations

from typing import FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

from mempalace.beliefs import slots
from mempalace.model import PREFER, Belief
from mempalace.places import covers, narrowness

OTHER_KIND, NO_KIND, RIGHT_KIND = 0, 1, 2


class Ranked(NamedTuple):
    """A belief with the terms it was ranked by, in their order of weight.

    rank: from 1.  kind: RIGHT_KIND, NO_KIND or OTHER_KIND.  linked: it is of the subject asked
    for; counts within the right kind alone.  local: 0 for a default; a local exception's place,
    narrower is greater.  weight: of all its evidence, as it counts now.
    """

    belief: Belief
    rank: int
    kind: int
    linked: bool
    local: int
    pinned: bool
    confidence: float
    weight: float


def rank(beliefs: Iterable[Belief], *, kind: str, path: str = "", subject: str = "", task: str = "") -> List[Ranked]:
    """Return the beliefs that hold at a path, best first, with all terms of their order.

    beliefs: those that stand in the wing and the global ones.  kind, subject, task: of the choice at
    hand, the task in words.  path: where it is made, relative to the project; with "" no belief of
    a glob holds.  The order: right kind before no kind before other kind; within the right kind,
    what is linked, by being of the subject or by its subject or option being named in the task;
    local exception before default; pinned; confidence; weight; id. No term ever adds to another.
    None that holds there is left out.
    """
    here = [one for one in beliefs if not one.retired_at and covers(one.glob, path)]
    odd = {one.id: _place(one) for one, _ in exceptions(here)}
    named = frozenset(slots.subject_words(task)) if task else frozenset()
    ranked = []
    for one in here:
        tier = NO_KIND if not one.kind else RIGHT_KIND if one.kind == kind else OTHER_KIND
        linked = tier == RIGHT_KIND and _linked(one, subject, named)
        weight = one.support + one.against
        ranked.append(Ranked(one, 0, tier, linked, odd.get(one.id, 0), one.pinned, one.confidence, weight))
    ranked.sort(key=lambda one: (-one.kind, not one.linked, -one.local, *_strength(one.belief)))
    return [one._replace(rank=place) for place, one in enumerate(ranked, 1)]


def lookup(beliefs: Iterable[Belief], kind: str, subject: str = "", path: str = "") -> Optional[Belief]:
    """Return the belief that says what to choose for a kind (and its subject) at a path, or None.

    The narrowest scope decides, then pinned, confidence, weight, id. What is only to be avoided
    is no choice. Without a subject, the one that the kind's beliefs have is meant; where they have
    several, only those without one answer.
    """
    found = [
        one for one in beliefs
        if one.kind == kind and one.polarity == PREFER and not one.retired_at and covers(one.glob, path)
    ]  # fmt: skip
    subjects = {slots.subject_words(one.subject) for one in found}
    if subject or len(subjects) > 1:
        found = [one for one in found if slots.same_slot(kind, one.subject, kind, subject)]
    return min(found, key=lambda one: (-_place(one), *_strength(one)), default=None)


def exceptions(beliefs: Iterable[Belief]) -> List[Tuple[Belief, Belief]]:
    """Return (local exception, the wider belief it differs from), by the exception's id.

    What says the same as the wider scope is no exception.
    """
    standing = [one for one in beliefs if not one.retired_at]
    pairs = [(one, _wider(one, standing)) for one in standing]
    return sorted(((one, wider) for one, wider in pairs if wider is not None), key=lambda pair: pair[0].id)


def _wider(one: Belief, others: List[Belief]) -> Optional[Belief]:
    """Return the belief of the next wider scope that rules this one out, None where that scope has none.

    The next wider scope is the narrowest of those around it that speak of the same slot; what is
    strongest there is what it holds.
    """
    own = slots.stance(one)
    around = [
        other for other in others
        if _place(other) < _place(one) and _within(one, other) and slots.stance(other)[:2] == own[:2]
    ]  # fmt: skip
    if own.subject is None or not around:
        return None
    nearest = max(_place(other) for other in around)
    held = min((other for other in around if _place(other) == nearest), key=_strength)
    return held if slots.rivals(own, slots.stance(held)) else None


def _within(one: Belief, other: Belief) -> bool:
    """Tell whether a scope lies within another: of the same wing or of a global one, and beneath its glob."""
    if other.wing not in ("", one.wing):
        return False
    return not other.glob or covers(other.glob, one.glob)


def _place(one: Belief) -> int:
    """Return how narrow a belief's scope is: 0 global, 1 a wing, then by its glob's length."""
    return int(bool(one.wing)) + (1 + narrowness(one.glob) if one.glob else 0)


def _linked(one: Belief, subject: str, named: FrozenSet[str]) -> bool:
    """Tell whether a belief of the right kind is about the subject, or named by the words of a task."""
    words = slots.subject_words(one.subject)
    if subject and words == slots.subject_words(subject):
        return True
    return any(told and named.issuperset(told) for told in (words, slots.subject_words(one.option)))


def _strength(one: Belief) -> Tuple[bool, float, float, str]:
    """Return what orders beliefs of one scope, strongest first."""
    return not one.pinned, -one.confidence, -(one.support + one.against), one.id
