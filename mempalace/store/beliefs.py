"""Reading beliefs: what stands in a wing, and how far each is believed now."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from mempalace.confidence import confidence, faded
from mempalace.errors import NotFound
from mempalace.model import USER, Belief
from mempalace.store.connection import Store

SINCE = 2  # the schema's version that brought beliefs
SHORTEST_ID = 4  # hex digits
# Why a belief stands no more: another took its place, it was taken back, or a rule of more weight rules it out.
SUPERSEDED, WITHDRAWN, OUTRANKED = "superseded", "withdrawn", "outranked"
FIELDS = """beliefs.n, beliefs.id, claim, kind, subject, option, polarity, ifnull(wings.name, ''), glob, origin,
 pinned, frozen, created_at, changed_at, retired_at, superseded_by, why"""
FROM = " FROM beliefs LEFT JOIN wings ON wings.n = beliefs.wing "


class Evidence(NamedTuple):
    """One observation. said: its words, as they were.  drawer: the passage it was read from, "" for none.

    effect: "", corrects (it takes back what else filled the slot), withdraws or clears (it takes
    back this belief, or all of the slot; it weighs nothing) or doubts (it did not hold when it
    was relied on).
    """

    key: str
    agrees: bool
    weight: float
    origin: str
    at: int
    said: str
    drawer: str
    effect: str = ""


def standing(
    store: Store,
    wing: Optional[int],
    *,
    now: int,
    kinds: Optional[Tuple[str, ...]] = None,
    subjects: Optional[Tuple[str, ...]] = None,
) -> List[Belief]:
    """Return the beliefs that stand in a wing, and the global ones, by id.

    wing: None for the global ones alone.  kinds, subjects: only of one of these.  A palace of an
    older schema has none.
    """
    if store.version < SINCE:
        return []
    where = "WHERE retired_at = 0 AND beliefs.wing IN (0, ?)"
    given: Tuple[object, ...] = (wing or 0,)
    for field, wanted in (("kind", kinds), ("subject", subjects)):
        if wanted is not None:
            where += " AND %s IN (%s)" % (field, ",".join("?" * len(wanted)))
            given += wanted
    return _read(store, where, given, now)


def pinned(store: Store, wing: Optional[int]) -> List[Belief]:
    """Return the pinned beliefs that stand in a wing, and the global ones, by id; what is pinned does not fade."""
    if store.version < SINCE:
        return []
    return _read(store, "WHERE pinned AND retired_at = 0 AND beliefs.wing IN (0, ?)", (wing or 0,), 0)


def superseded(store: Store, wing: int, *, since: int) -> List[Tuple[Belief, Belief]]:
    """Return (what held, what holds) for beliefs of a wing or global ones retired since then, newest first.

    Only where the new one is a user's word and still stands, and where the old one was superseded:
    what a rule merely outranks, as a habit seen before or since, is no news.
    """
    if store.version < SINCE:
        return []
    # What was first seen after it was superseded never held.
    where = """WHERE retired_at >= ? AND created_at < retired_at AND superseded_by <> '' AND why <> ?
               AND beliefs.wing IN (0, ?)"""
    old = _read(store, where, (max(1, since), OUTRANKED, wing), 0)
    new = {one.id: one for one in standing(store, wing, now=0)} if old else {}
    pairs = [(one, new[one.superseded_by]) for one in old if one.superseded_by in new]
    pairs = [pair for pair in pairs if pair[1].origin == USER]
    return sorted(pairs, key=lambda pair: (-pair[0].retired_at, pair[0].id))


def family(store: Store, wing: int, glob: str, kind: str) -> List[Belief]:
    """Return the beliefs of one scope and kind, retired ones too, by id; unweighed, but for pinned ones."""
    where = " WHERE beliefs.wing = ? AND glob = ? AND kind = ? ORDER BY beliefs.id"
    rows = store.db.execute("SELECT " + FIELDS + FROM + where, (wing, glob, kind)).fetchall()
    return [_belief(row, 0.0, 0.0) for row in rows]


def every(store: Store, *, now: int, retired: bool = True) -> List[Belief]:
    """Return all beliefs of the palace, by id; retired: also those that stand no more."""
    return _read(store, "" if retired else "WHERE retired_at = 0", (), now) if store.version >= SINCE else []


def belief(store: Store, id: str, *, now: int) -> Belief:
    """Return the belief whose id begins so; raises NotFound where none or several do."""
    wanted = id.lower().strip().strip("[]")
    wanted = wanted[2:] if wanted.startswith("b:") else wanted
    if len(wanted) < SHORTEST_ID or not all(char in "0123456789abcdef" for char in wanted):
        raise NotFound("%r is no belief's id: give at least %d of its hex digits" % (id, SHORTEST_ID))
    found = []
    if store.version >= SINCE:
        found = _read(store, "WHERE beliefs.id >= ? AND beliefs.id < ?", (wanted, wanted + "g"), now)
    if not found:
        raise NotFound("no belief %s in this palace: see mempalace belief list" % wanted)
    if len(found) > 1:
        raise NotFound("%s is short for several beliefs: %s" % (wanted, ", ".join(one.id for one in found[:3])))
    return found[0]


def evidence(store: Store, id: str) -> List[Evidence]:
    """Return all evidence of a belief, oldest first, then by key."""
    rows = store.db.execute(
        """SELECT key, agrees, weight, evidence.origin, at, said, drawer, effect FROM evidence
           JOIN beliefs ON beliefs.n = belief WHERE beliefs.id = ? ORDER BY at, key""",
        (id,),
    )
    return [Evidence(key, bool(agrees), *rest) for key, agrees, *rest in rows]


def _read(store: Store, where: str, given: Tuple[object, ...], now: int) -> List[Belief]:
    rows = store.db.execute("SELECT " + FIELDS + FROM + where + " ORDER BY beliefs.id", given).fetchall()
    firm = [row[0] for row in rows if row[10]]
    weighed = _weights(store, [row[0] for row in rows if not row[10]], now)
    weighed.update(_weights(store, firm, 0))  # what is pinned does not fade
    return [_belief(row, *weighed.get(row[0], (0.0, 0.0))) for row in rows]


def _weights(store: Store, numbers: List[int], now: int) -> Dict[int, Tuple[float, float]]:
    """Return (support, against) by belief, as they count now."""
    sums: Dict[int, Tuple[float, float]] = {}
    for start in range(0, len(numbers), 500):
        part = numbers[start : start + 500]
        rows = store.db.execute(
            """SELECT belief, agrees, weight, at FROM evidence
               WHERE belief IN (%s) AND (agrees OR effect IN ('', 'doubts')) ORDER BY belief, at, key"""
            % ",".join("?" * len(part)),
            part,
        )
        for n, agrees, weight, at in rows:
            support, against = sums.get(n, (0.0, 0.0))
            counts = faded(weight, at=at, now=now)
            sums[n] = (support + counts, against) if agrees else (support, against + counts)
    return sums


def _belief(row: Tuple[Any, ...], support: float, against: float) -> Belief:
    _n, id, claim, kind, subject, option, polarity, wing, glob, origin, pinned, frozen, *rest = row
    believed = frozen if pinned and frozen is not None else confidence(support, against)
    return Belief(
        id, claim, kind, subject, option, polarity, wing, glob, origin, believed, support, against,
        bool(pinned), *rest,
    )  # fmt: skip
