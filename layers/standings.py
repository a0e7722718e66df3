"""How the things that evidence is about stand: how far each is trusted, how much each trembles."""

from __future__ import annotations

from typing import Any, NamedTuple

from mempalace.layers import subjects
from mempalace.layers.subjects import Subject
from mempalace.store import ledger, shakes, wings
from mempalace.store.connection import Store
from mempalace.store.ledger import Counts, Outcome
from mempalace.trust import ledger as trusting
from mempalace.trust import tremor as trembling
from mempalace.trust.ledger import Report, Standing, read
from mempalace.trust.tremor import Tremor


class Account(NamedTuple):
    """One thing with all that happened when it was relied on, oldest first."""

    subject: Subject
    counts: Counts | None
    standing: Standing
    events: tuple[Outcome, ...]


class Shaken(NamedTuple):
    """One thing that changes, with its level among all that do. wing: its name, "" where it has none of its own."""

    subject: str
    wing: str
    level: str
    tremor: Tremor


def account(store: Store, id: str, *, cwd: str, now: int) -> Account:
    """Return how one drawer, belief or file stands, and why. Raises NotFound for what is not there."""
    one = subjects.named(store, id, cwd=cwd, now=now)
    counts = ledger.of(store, [one.subject], one.wing).get(one.subject)
    return Account(one, counts, read(counts, now), tuple(ledger.events(store, one.subject, one.wing)))


def report(store: Store, *, scope: str = "", sort: str = "risk", top_k: int = 0, now: int) -> Report:
    """Return how all things in a scope stand, as `trust.ledger.report` does."""
    return trusting.report(ledger.rows(store), now=now, scope=scope, sort=sort, top_k=top_k)


def shaken(store: Store, window: str, *, top_k: int = 0, now: int) -> list[Shaken]:
    """Return what trembles within a window (7, 30, 90 days or all), by force, at most `top_k` (0: all).

    Raises PalaceError for another window. Ties: by subject, then wing.
    """
    days = trembling.window(window)
    told = {key: trembling.tremor(seen, days=days, now=now) for key, seen in shakes.every(store).items()}
    found = {key: one for key, one in told.items() if one is not None}
    levels = trembling.levels(found)
    names = names_of_wings(store)
    order = sorted(found, key=lambda key: (-found[key].force, key))
    kept = order[:top_k] if top_k > 0 else order
    return [Shaken(key[0], names.get(key[1], ""), levels[key], found[key]) for key in kept]


def names_of_wings(store: Store) -> dict[int, str]:
    """Return the wings' names by their rows."""
    return {wing.n: wing.name for wing in wings.all_wings(store)}


def as_dict(counts: Counts | None, standing: Standing) -> dict[str, Any]:
    """Return a standing as plain values: no number at all where there is too little evidence for one."""
    told: dict[str, Any] = {"band": standing.band, "trust": None, "risk": None, "counts": None}
    if counts is not None and standing.known:
        told.update(trust=round(standing.trust, 4), risk=round(standing.risk, 4))
        told["counts"] = {
            "wrong": counts.defects, "correct": counts.false_alarms, "partial": counts.partials,
            "events": counts.events, "first_at": counts.first_at, "last_at": counts.last_at,
            "last_wrong_at": counts.last_defect_at or None,
        }  # fmt: skip
    return told
