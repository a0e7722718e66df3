"""Observations of things that change: the last 256 of each."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from mempalace.errors import PalaceError
from mempalace.store.connection import Store
from mempalace.store.ledger import BATCH, SINCE, checked_time

RING = 256  # observations that are kept of each subject, the newest


class Shake(NamedTuple):
    """One observation. size: of the change; edges: what it touched beside; neither is below 0."""

    at: int
    size: float
    edges: float


def add(store: Store, subject: str, wing: int, shakes: Iterable[Shake]) -> int:
    """Record observations of one subject, inside a write; return how many of it are kept now.

    One in the second of another is dropped, as is what is older than the newest 256. Raises
    PalaceError for a time that is not in seconds, or a size below 0.
    """
    given = list(shakes)
    for one in given:
        checked_time(one.at)
        if not (0 <= one.size < float("inf") and 0 <= one.edges < float("inf")):
            raise PalaceError("%r is no change: its size and edges are numbers from 0 up" % (one,))
    store.db.executemany(
        "INSERT OR IGNORE INTO shakes (subject, wing, at, size, edges) VALUES (?, ?, ?, ?, ?)",
        [(subject, wing, int(one.at), one.size, one.edges) for one in given],
    )
    store.db.execute(
        """DELETE FROM shakes WHERE subject = ? AND wing = ? AND at < (
           SELECT at FROM shakes WHERE subject = ? AND wing = ? ORDER BY at DESC LIMIT 1 OFFSET ?)""",
        (subject, wing, subject, wing, RING - 1),
    )
    held = store.db.execute("SELECT count(*) FROM shakes WHERE subject = ? AND wing = ?", (subject, wing))
    return int(held.fetchone()[0])


def of(store: Store, subjects: Iterable[str], wing: Optional[int]) -> Dict[str, List[Shake]]:
    """Return the observations of those subjects that have any, oldest first; files are those of `wing`."""
    if store.version < SINCE:
        return {}
    found: Dict[str, List[Shake]] = {}
    wanted = sorted(set(subjects))
    for start in range(0, len(wanted), BATCH):
        part = wanted[start : start + BATCH]
        query = "SELECT subject, at, size, edges FROM shakes WHERE subject IN (%s) AND wing IN (0, ?) ORDER BY 1, 2"
        for subject, *rest in store.db.execute(query % ",".join("?" * len(part)), (*part, wing or 0)):
            found.setdefault(subject, []).append(Shake(*rest))
    return found


def every(store: Store) -> Dict[Tuple[str, int], List[Shake]]:
    """Return all observations by (subject, wing), in that order, each oldest first."""
    if store.version < SINCE:
        return {}
    found: Dict[Tuple[str, int], List[Shake]] = {}
    for subject, wing, *rest in store.db.execute("SELECT subject, wing, at, size, edges FROM shakes ORDER BY 1, 2, 3"):
        found.setdefault((subject, wing), []).append(Shake(*rest))
    return found
