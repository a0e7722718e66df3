"""Memory that misled, or that keeps changing, stands further down: bounded, and shown."""

from __future__ import annotations

from collections.abc import Sequence

from mempalace.search.weighing import Found
from mempalace.store import ledger, shakes, signs
from mempalace.store.connection import Store
from mempalace.trust.ledger import read
from mempalace.trust.rerank import factors
from mempalace.trust.tremor import tremor

BELOW = 10  # hits beyond those asked for that are found too: one of them may take a demoted one's place


def needed(store: Store) -> int:
    """Return how many hits more than asked for are to be found: none in a palace without an outcome."""
    return BELOW if signs.tested(store) else 0


def demoted(store: Store, found: Sequence[Found], *, now: int) -> list[Found]:
    """Return the hits, best first, by their score times what their trust and their tremor leave of it.

    What they take off is among the parts of the score. A hit of which too little is known keeps
    its score; ties: the later row first.
    """
    ids = signs.ids(store, [hit.n for hit in found])
    subjects = {n: ledger.subject_of(ledger.DRAWER, id) for n, id in ids.items()}
    counts = ledger.of(store, subjects.values(), None)
    stand = {subject: one for subject, row in counts.items() if (one := read(row, now)).known}
    if not stand:
        return list(found)
    moved = shakes.of(store, stand, None)
    told = []
    for hit in found:
        subject = subjects.get(hit.n, "")
        standing = stand.get(subject)
        shaken = tremor(moved.get(subject, ()), now=now)
        by = factors(standing.trust if standing else None, shaken.magnitude if shaken else None)
        told.append(_times(hit, *by))
    return sorted(told, key=lambda hit: (-hit.score, -hit.n))


def _times(hit: Found, by_trust: float, by_tremor: float) -> Found:
    if by_trust == by_tremor == 1.0:
        return hit
    left = hit.score * by_trust
    parts = {**hit.parts, "trust": left - hit.score, "tremor": left * by_tremor - left}
    return hit._replace(score=left * by_tremor, parts=parts)
