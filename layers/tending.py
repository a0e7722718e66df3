"""Beliefs changed on request: told, pinned, taken back, said otherwise. Each is one write, kept like any evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mempalace.beliefs import former
from mempalace.beliefs.former import Formed
from mempalace.beliefs.observation import STATED, Observation
from mempalace.errors import PalaceError
from mempalace.model import AVOID, PREFER, USER, Belief
from mempalace.projects import project_of
from mempalace.store import beliefs, believing, filing, wings
from mempalace.store.believing import WITHDRAWS, Event
from mempalace.store.connection import Store


class Told(NamedTuple):
    """A belief as somebody tells it. wing: "" for every project."""

    claim: str
    kind: str = ""
    option: str = ""
    subject: str = ""
    polarity: str = PREFER
    wing: str = ""
    glob: str = ""


def tell(
    store: Store, told: Told, *, cwd: str = "", pinned: bool = False, origin: str = USER, now: int
) -> tuple[Belief, Formed]:
    """State a belief, and return it with what changed; what was told twice is stated twice.

    cwd: a folder whose project's wing is meant where none is named.
    """
    _worded(told)
    seen: list[Formed] = []

    def write(generation: int) -> str:
        place = told.wing or (wings.ensure(store, project_of(cwd)).name if cwd else "")
        id, formed = _state(store, told._replace(wing=place), _key(generation), origin, now, generation)
        seen.append(formed)
        if pinned:
            _pin(store, id, now, generation)
        return id

    return _written(store, write, now), seen[0]


def pin(store: Store, id: str, *, now: int) -> Belief:
    """Pin a standing belief at its confidence of now, and return it."""
    one = _standing(store, id, now)
    return _written(store, lambda generation: _pin(store, one.id, now, generation), now)


def unpin(store: Store, id: str, *, now: int) -> Belief:
    """Let a belief's confidence follow its evidence again, and return it: a later word may have retired it."""
    one = beliefs.belief(store, id, now=now)
    if not one.pinned:
        raise PalaceError(f"belief {one.id[:8]} is not pinned")
    return _written(store, lambda generation: _unpin(store, one.id, generation), now)


def retire(store: Store, id: str, *, origin: str = USER, now: int) -> Belief:
    """Take a belief back, pinned or not, and return it; its history is kept."""
    one = _standing(store, id, now)

    def write(generation: int) -> str:
        event = Event(one.id, _key(generation), STATED, origin, now, "taken back on request", effect=WITHDRAWS)
        believing.observe(store, event)
        return _unpin(store, one.id, generation)

    return _written(store, write, now)


def edit(store: Store, id: str, *, now: int, **changes: str) -> tuple[Belief, Belief]:
    """Say a standing belief otherwise, and return (what held, what holds).

    changes: fields of `Told`. Where they make it another belief (its id is its content's address),
    that inherits its evidence and its pin, and the old one is superseded by it. Raises PalaceError
    where nothing would change.
    """
    old = _standing(store, id, now)
    was = Told(old.claim, old.kind, old.option, old.subject, old.polarity, old.wing, old.glob)
    if "claim" not in changes and changes.keys() & {"option", "polarity"}:
        changes["claim"] = ""  # the old words say the old choice
    told = was._replace(**changes)
    if told == was:
        raise PalaceError(f"nothing to change in belief {old.id[:8]}: give what is to be different")
    _worded(told)

    def write(generation: int) -> str:
        key = _key(generation)
        new, _ = _state(store, told, key, USER, now, generation)
        if new == old.id:
            return new
        believing.hand_down(store, old.id, new)
        believing.observe(store, Event(old.id, key, STATED, USER, now, "said otherwise on request", effect=WITHDRAWS))
        if old.pinned:
            believing.pin(store, new, old.confidence, generation=generation)
        believing.pin(store, old.id, None, generation=generation)
        former.resettle(store, believing.families(store, [old.id, new]), generation=generation)
        return new

    new = _written(store, write, now)
    return beliefs.belief(store, old.id, now=now), new


def _key(generation: int) -> str:
    """Return what a request is known by: of two in one second, the later write's sorts later."""
    return f"told:{generation:016x}"


def _worded(told: Told) -> None:
    if not told.claim.strip() and not told.option.strip():
        raise PalaceError("a belief needs a claim, or an option that it prefers")
    if told.polarity not in (PREFER, AVOID):
        raise PalaceError(f"a belief prefers or avoids, it cannot {told.polarity!r}")


def _state(store: Store, told: Told, key: str, origin: str, now: int, generation: int) -> tuple[str, Formed]:
    """Form a belief of a statement, and return its id."""
    wing = wings.create(store, told.wing).n if told.wing else 0
    claim = told.claim.strip() or f"{'avoid' if told.polarity == AVOID else 'use'} {told.option.strip()}"
    one = Observation(
        told.kind, told.subject, told.option, wing, claim, origin, STATED, now, key, claim,
        polarity=told.polarity, glob=told.glob,
    )  # fmt: skip
    formed = former.form(store, [one], now=now, generation=generation)
    return believing.holding(store, "key", [key], agreeing=True)[0], formed


def _pin(store: Store, id: str, now: int, generation: int) -> str:
    believing.pin(store, id, beliefs.belief(store, id, now=now).confidence, generation=generation)
    former.resettle(store, believing.families(store, [id]), generation=generation)
    return id


def _unpin(store: Store, id: str, generation: int) -> str:
    believing.pin(store, id, None, generation=generation)
    former.resettle(store, believing.families(store, [id]), generation=generation)
    return id


def _standing(store: Store, id: str, now: int) -> Belief:
    one = beliefs.belief(store, id, now=now)
    if one.retired_at:
        raise PalaceError(f"belief {one.id[:8]} stands no more: say it again with mempalace belief add")
    return one


def _written(store: Store, write: Callable[[int], str], now: int) -> Belief:
    """Do a write, all of it or nothing, and return the belief whose id it gives, as it is then."""
    generation = filing.begin(store)
    try:
        id = write(generation)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    return beliefs.belief(store, id, now=now)
