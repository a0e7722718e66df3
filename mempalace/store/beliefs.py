"""Reading beliefs: what stands in a wing, and how far each is believed now."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from mempalace.confidence import confidence, faded
from mempalace.errors import NotFound
from mempalace.model import Belief
from mempalace.store.connection import Store

SINCE = 2  # the schema's version that brought beliefs
SHORTEST_ID = 4  # hex digits
FIELDS = """beliefs.n, beliefs.id, claim, kind, subject, option, polarity, ifnull(wings.name, ''), glob, origin,
 pinned, frozen, created_at, changed_at, retired_at, superseded_by, why"""
FROM = " FROM beliefs LEFT JOIN wings ON wings.n = beliefs.wing "


class Evidence(NamedTuple):
    """One observation. said: its words, as they were.  drawer: the passage it was read from, "" for none."""

    key: str
    agrees: bool
    weight: float
    origin: str
    at: int
    said: str
    drawer: str


def standing(store: Store, wing: Optional[int], *, now: int, kinds: Optional[Tuple[str, ...]] = None) -> List[Belief]:
    """Return the beliefs that stand in a wing, and the global ones, by id.

    wing: None for the global ones alone.  kinds: of these kinds only.  A palace of an older
    schema has none.
    """
    if store.version < SINCE:
        return []
    where = "WHERE retired_at = 0 AND beliefs.wing IN (0, ?)"
    given: Tuple[object, ...] = (wing or 0,)
    if kinds is not None:
        where += " AND kind IN (%s)" % ",".join("?" * len(kinds))
        given += kinds
    return _read(store, where, given, now)


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
        """SELECT key, agrees, weight, evidence.origin, at, said, drawer FROM evidence
           JOIN beliefs ON beliefs.n = belief WHERE beliefs.id = ? ORDER BY at, key""",
        (id,),
    )
    return [Evidence(key, bool(agrees), *rest) for key, agrees, *rest in rows]


def _read(store: Store, where: str, given: Tuple[object, ...], now: int) -> List[Belief]:
    rows = store.db.execute("SELECT " + FIELDS + FROM + where + " ORDER BY beliefs.id", given).fetchall()
    weighed = _weights(store, [row[0] for row in rows], now)
    return [_belief(row, *weighed.get(row[0], (0.0, 0.0))) for row in rows]


def _weights(store: Store, numbers: List[int], now: int) -> Dict[int, Tuple[float, float]]:
    """Return (support, against) by belief, as they count now."""
    sums: Dict[int, Tuple[float, float]] = {}
    for start in range(0, len(numbers), 500):
        part = numbers[start : start + 500]
        rows = store.db.execute(
            "SELECT belief, agrees, weight, at FROM evidence WHERE belief IN (%s) ORDER BY belief, at, key"
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
