"""The former: observations in, beliefs out. Within a write that `filing.begin` began."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mempalace.beliefs.matching import Relatives, founded, option
from mempalace.beliefs.observation import Observation
from mempalace.beliefs.ruling import Settled, settle
from mempalace.model import Belief
from mempalace.store import beliefs as stored
from mempalace.store import believing
from mempalace.store.beliefs import OUTRANKED
from mempalace.store.believing import CLEARS, CORRECTS, WITHDRAWS, Event, Family
from mempalace.store.connection import Store
from mempalace.store.witness import Traces


class Formed(NamedTuple):
    """What became of observations.

    created: beliefs made.  attached: observations that went to a belief that was there.  known:
    observations counted before.  undated: observations without a time, which are not used.
    superseded: (what held, what holds).  withdrawn: what holds no more, with nothing in its
    place.  restored: what stands again.
    """

    created: tuple[str, ...] = ()
    attached: int = 0
    known: int = 0
    undated: int = 0
    superseded: tuple[tuple[str, str], ...] = ()
    withdrawn: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def form(store: Store, observations: Iterable[Observation], *, now: int, generation: int) -> Formed:
    """Attach each observation to its belief, or make that, and settle what follows; return what changed.

    One (kind, subject) of one scope is a slot. An observation supports the belief of its option
    and counts against those of the same slot that it rules out; a narrower scope, or another kind,
    is never touched by it. An observation counts once by its key. What results depends on the set
    of observations alone, not on the order or the number of calls they came in (but for the
    wording of one spelled in two ways, which is the first one's). Nothing later than `now` is
    thought to have happened later.
    """
    given = [one._replace(at=min(one.at, now)) for one in observations]
    dated = [one for one in given if one.at > 0]
    known = believing.known(store, [one.key for one in dated])
    fresh = [one for one in dated if one.key not in known]
    made: list[str] = []
    attached = 0
    relatives: dict[Family, Relatives] = {}
    names = {0: ""}
    for one in fresh:
        family = Family(one.wing, one.glob, one.kind)
        if family not in relatives:
            relatives[family] = Relatives(stored.family(store, *family))
        belief = relatives[family].of(one)
        if belief is None:
            if one.wing not in names:
                names[one.wing] = believing.wing_name(store, one.wing)
            belief = founded(one, names[one.wing])
            believing.create(store, family, belief, generation=generation)
            relatives[family].add(belief)
            made.append(belief.id)
        else:
            attached += 1
        believing.observe(store, _event(one, belief.id))
    changes = resettle(store, relatives, generation=generation)
    return changes._replace(
        created=tuple(made), attached=attached, known=len(dated) - len(fresh), undated=len(given) - len(dated)
    )


def drop(store: Store, gone: Traces) -> list[Family]:
    """Delete evidence, and return the families that are then to be settled again."""
    ids = {*believing.holding(store, "drawer", gone.drawers), *believing.holding(store, "key", gone.keys)}
    believing.drop(store, "drawer", gone.drawers)
    believing.drop(store, "key", gone.keys)
    return believing.families(store, sorted(ids))


def together(one: Formed, other: Formed) -> Formed:
    """Return what two changes, one after the other, come to."""
    return Formed(
        one.created + other.created, one.attached + other.attached, one.known + other.known,
        one.undated + other.undated, one.superseded + other.superseded, one.withdrawn + other.withdrawn,
        one.restored + other.restored,
    )  # fmt: skip


def resettle(store: Store, families: Iterable[Family], *, generation: int) -> Formed:
    """Write what follows from the evidence of families as it is now; a belief without any goes."""
    superseded: list[tuple[str, str]] = []
    withdrawn: list[str] = []
    restored: list[str] = []
    for family in sorted(set(families)):
        events = believing.events(store, family)
        witnessed = {event.belief for event in events}
        every = stored.family(store, *family)
        believing.remove(store, [one.id for one in every if one.id not in witnessed])
        every = [one for one in every if one.id in witnessed]
        by_id = {one.id: one for one in every}
        held = believing.copies(store, family)
        for id, settled in settle(every, events).items():
            before = by_id[id]
            believing.oppose(store, id, held.get(id, set()), settled.against)
            if _written(store, before, settled, generation):
                fall = settled.fall
                if fall is None:
                    restored += [id] if before.retired_at else []
                elif fall.heir:
                    news = fall.why != OUTRANKED or not before.retired_at
                    superseded += [(id, fall.heir)] if news and fall.heir != before.superseded_by else []
                elif not before.retired_at:
                    withdrawn.append(id)
    return Formed(superseded=tuple(superseded), withdrawn=tuple(withdrawn), restored=tuple(restored))


def _written(store: Store, before: Belief, settled: Settled, generation: int) -> bool:
    """Write how a belief stands, where that differs from what is written; tell whether it did."""
    fall = settled.fall
    now = (
        settled.claim, settled.origin, settled.created_at, settled.changed_at,
        *((fall.at, fall.heir, fall.why) if fall else (0, "", "")),
    )  # fmt: skip
    was = (
        before.claim, before.origin, before.created_at, before.changed_at, before.retired_at, before.superseded_by,
        before.why,
    )  # fmt: skip
    if now == was:
        return False
    claim, origin, created_at, changed_at, retired_at, superseded_by, why = now
    believing.set_standing(
        store, before.id, claim=claim, origin=origin, created_at=created_at, changed_at=changed_at,
        retired_at=retired_at, superseded_by=superseded_by, why=why, generation=generation,
    )  # fmt: skip
    return True


def _event(one: Observation, id: str) -> Event:
    effect = CORRECTS if one.corrects else ""
    if one.withdraws:
        effect = CLEARS if not option(one) and (one.subject or one.kind) else WITHDRAWS
    # What is taken back without a word of what it is about is taken back wherever its kind has it.
    instead_of = one.instead_of if not one.withdraws else "" if one.subject else option(one)
    return Event(
        id, one.key, one.weight, one.origin, one.at, one.said, one.drawer, one.claim, effect, instead_of,
    )  # fmt: skip
