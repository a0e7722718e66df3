"""How far a memory may be trusted: the counts of what happened, read at a moment.

density = defects / total; wd = density x (0.3 + 0.7 x recency), so that an old defect still counts
30%; trust = max(0.05, 1 - wd); risk = min(3, 1 + 2 wd).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mempalace.errors import PalaceError
from mempalace.store.ledger import CORRECT, PARTIAL, WRONG, Counts

HOUR = 3600.0
HALF_LIFE = 720.0  # hours in which a defect's recency halves
OLD_SHARE = 0.3  # of a defect, however old
LEAST_TRUST, MOST_RISK = 0.05, 3.0
LEAST_EVENTS = 3  # without a defect, fewer than these prove nothing
MOST_PRIOR = 0.95
UNKNOWN, INSUFFICIENT = "unknown", "insufficient_evidence"
HIGH, MEDIUM, LOW = "high", "medium", "low"  # tiers of risk, and the bands of the same names
# What one event weighs, and how far it shakes what it is about, by its origin and by its outcome.
# A user's own word counts whole, what only looks like one less. What held has not changed.
LEARNED, CITED, CORRECTED = "learned", "cited", "corrected"
WEIGHTS = {LEARNED: 1.0, CITED: 0.25, CORRECTED: 0.5}
STRENGTHS = {WRONG: 1.0, PARTIAL: 0.5, CORRECT: 0.0}
SORTS = ("trust", "risk", "recency")


class Standing(NamedTuple):
    """How a memory stands.

    tier: of risk (low, medium, high, unknown).  band: the same, or insufficient_evidence.
    known: whether there is evidence enough; where not, trust (0.5) and risk (1.0) are for
    calculating inside, and never shown.
    """

    trust: float
    risk: float
    tier: str
    band: str
    known: bool


NOTHING = Standing(0.5, 1.0, UNKNOWN, INSUFFICIENT, False)


class Report(NamedTuple):
    """Rows of the ledger as they stand. mean: trust over all known matches, None where none is known."""

    rows: tuple[tuple[Counts, Standing], ...]
    matches: int
    known: int
    mean: float | None


def read(row: Counts | None, now: float) -> Standing:
    """Return how the subject of a row stands at `now` (Unix seconds); None or too little is insufficient."""
    if row is None or row.total <= 0 or (row.defects <= 0 and row.events < LEAST_EVENTS):
        return NOTHING
    weighted = row.defects / row.total * (OLD_SHARE + (1 - OLD_SHARE) * recency(row, now))
    trust = max(LEAST_TRUST, 1 - weighted)
    tier = HIGH if trust < 0.4 else MEDIUM if trust < 0.7 else LOW
    return Standing(trust, min(MOST_RISK, 1 + 2 * weighted), tier, tier, True)


def recency(row: Counts, now: float) -> float:
    """Return how recent the last defect is, in [0, 1]: halved every 720 hours, 0 without one."""
    if row.defects <= 0:
        return 0.0
    return float(0.5 ** (max(0.0, now - row.last_defect_at) / HOUR / HALF_LIFE))


def adjust_prior(base: float, standings: Iterable[Standing], *, defect: bool) -> float:
    """Return the prior of a claim about some memories, in [0, 0.95], by how these stand.

    defect: it claims a defect (risk is the factor), else that all is well (trust is). Without
    any memory it is the base, unchanged.
    """
    factors = [one.risk if defect else one.trust for one in standings]
    if not factors:
        return base
    return min(MOST_PRIOR, max(0.0, base * math.fsum(factors) / len(factors)))


def report(rows: Sequence[Counts], *, now: float, scope: str = "", sort: str = "risk", top_k: int = 0) -> Report:
    """Return the rows in `scope` as they stand, worst first, at most `top_k` (0: all).

    scope: a kind (drawer, belief, file), a whole subject, or a folder or file of the repository.
    sort: trust (least first), risk (most first), recency (of the last defect, newest first);
    rows without a defect come last, by recency of their last event. Raises PalaceError for
    another sort. The mean is over all matches of which enough is known, whatever is shown of them.
    """
    if sort not in SORTS:
        raise PalaceError(f"no sort {sort!r}: sort by {', '.join(SORTS)}")
    found = [(row, read(row, now)) for row in rows if within(row.subject, scope)]
    found.sort(key=lambda pair: _place(pair[0], pair[1], sort))
    known = [standing.trust for _, standing in found if standing.known]
    mean = math.fsum(known) / len(known) if known else None
    return Report(tuple(found[:top_k] if top_k > 0 else found), len(found), len(known), mean)


def within(subject: str, scope: str) -> bool:
    """Tell whether a subject lies in a scope; a folder is matched whole, never by a part of its name."""
    if not scope or subject == scope:
        return True
    kind, _, name = subject.partition("::")
    folder = scope.removeprefix("file::").rstrip("/")
    return scope == kind or (kind == "file" and (name == folder or name.startswith(folder + "/")))


def _place(row: Counts, standing: Standing, sort: str) -> tuple[bool, float, int, str, int]:
    by = {"trust": standing.trust, "risk": -standing.risk, "recency": 0.0}[sort] if row.defects > 0 else 0.0
    last = row.last_defect_at if row.defects > 0 else row.last_at
    return (row.defects <= 0, by, -last, row.subject, row.wing)
