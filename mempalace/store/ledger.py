"""The ledger: what happened when a memory was relied on, and the counts of it."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.errors import PalaceError
from mempalace.store.connection import Store
from mempalace.store.filing import generation as newest

SINCE = 3  # the schema's version that brought the ledger
CORRECT, WRONG, PARTIAL = "correct", "wrong", "partial"
OUTCOMES = (CORRECT, WRONG, PARTIAL)
DRAWER, BELIEF, FILE = "drawer", "belief", "file"
GRAIN = 1024  # weights are kept as whole parts of this, so that sums are exact in any order
HEAVIEST = 100.0  # more than a hundred of a user's own words is a mistake
LATEST = 100_000_000_000  # seconds, in the year 5138; a time beyond it was counted in milliseconds
BATCH = 500  # subjects named in one statement


class Outcome(NamedTuple):
    """One event: what came of relying on `subject` (see `subject_of`).

    key: what the event is known by, so that it counts once.  wing: the row of the wing of a
    file, 0 for a drawer or a belief.  outcome: correct, wrong or partial.  weight: of one event,
    1.0 for a user's own word.  origin: who says so.
    """

    key: str
    subject: str
    wing: int
    outcome: str
    weight: float
    at: int
    origin: str
    why: str = ""


class Counts(NamedTuple):
    """What a subject's events come to.

    defects, false_alarms, partials: the weights of wrong, correct and partial ones; total: all of
    them.  events: how many there were.  last_defect_at: 0 for none.
    """

    subject: str
    wing: int
    defects: float
    false_alarms: float
    partials: float
    total: float
    events: int
    first_at: int
    last_at: int
    last_defect_at: int


COUNTS = "SELECT " + ", ".join(Counts._fields) + " FROM ledger"


def subject_of(kind: str, name: str) -> str:
    """Return what the ledger calls a drawer, a belief (by its whole id) or a file (by its path in the repository).

    >>> subject_of("file", "src/lamp.py")
    'file::src/lamp.py'
    """
    return "%s::%s" % (kind, name)


def begin(store: Store) -> int:
    """Begin a write of evidence alone and return the palace's generation.

    It stays what it was: no index and no story holds evidence, so neither falls behind.
    """
    store.db.execute("BEGIN IMMEDIATE")
    return newest(store)


def add(store: Store, outcome: Outcome, *, generation: int) -> bool:
    """File one event with its counts, inside a write; tell whether it was new.

    The counts are the sums over all events, whatever the order they come in. Raises PalaceError
    for an outcome, a weight or a time that cannot be one.
    """
    checked(outcome)
    weight = max(1, round(outcome.weight * GRAIN)) / GRAIN
    row = outcome._replace(weight=weight, at=int(outcome.at))
    new = store.db.execute(
        """INSERT INTO outcomes (key, subject, wing, outcome, weight, at, origin, why, generation)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING""",
        (*row, generation),
    ).rowcount
    if new < 1:
        return False
    wrong, correct, partial = (weight if row.outcome == word else 0.0 for word in (WRONG, CORRECT, PARTIAL))
    store.db.execute(
        """INSERT INTO ledger (subject, wing, defects, false_alarms, partials, total, events, first_at, last_at,
           last_defect_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
           ON CONFLICT (subject, wing) DO UPDATE SET
           defects = defects + excluded.defects, false_alarms = false_alarms + excluded.false_alarms,
           partials = partials + excluded.partials, total = total + excluded.total, events = events + 1,
           first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
           last_defect_at = max(last_defect_at, excluded.last_defect_at)""",
        (row.subject, row.wing, wrong, correct, partial, weight, row.at, row.at, row.at if wrong else 0),
    )
    return True


def checked(outcome: Outcome) -> None:
    """Raise PalaceError, naming the remedy, for an event that is none."""
    if outcome.outcome not in OUTCOMES:
        raise PalaceError("%r is no outcome: say correct, wrong or partial" % outcome.outcome)
    if not 0 < outcome.weight <= HEAVIEST:
        raise PalaceError("an outcome cannot weigh %r: give a weight above 0, at most %g" % (outcome.weight, HEAVIEST))
    checked_time(outcome.at)


def checked_time(at: float) -> None:
    """Raise PalaceError for what is no time in Unix seconds, such as one in milliseconds."""
    if not 0 < at < LATEST:
        raise PalaceError("%r is no time in seconds since 1970: milliseconds are to be divided by 1000" % at)


def of(store: Store, subjects: Iterable[str], wing: Optional[int]) -> Dict[str, Counts]:
    """Return the counts of those subjects that have any; files are those of `wing`. None in an older palace."""
    if store.version < SINCE:
        return {}
    found: Dict[str, Counts] = {}
    wanted = sorted(set(subjects))
    for start in range(0, len(wanted), BATCH):
        part = wanted[start : start + BATCH]
        query = COUNTS + " WHERE subject IN (%s) AND wing IN (0, ?)" % ",".join("?" * len(part))
        found.update((row[0], Counts(*row)) for row in store.db.execute(query, (*part, wing or 0)))
    return found


def rows(store: Store, *, beginning: str = "", wing: Optional[int] = None) -> List[Counts]:
    """Return the counts of all subjects that begin so, by subject, then wing; wing: files of that one only."""
    if store.version < SINCE:
        return []
    query = COUNTS + " WHERE subject >= ? AND subject < ? AND (? IS NULL OR wing IN (0, ?)) ORDER BY subject, wing"
    return [Counts(*row) for row in store.db.execute(query, (beginning, beginning + "\U0010ffff", wing, wing))]


def events(store: Store, subject: str, wing: int = 0) -> List[Outcome]:
    """Return all events of a subject, oldest first, then by key."""
    if store.version < SINCE:
        return []
    found = store.db.execute(
        "SELECT %s FROM outcomes WHERE subject = ? AND wing = ? ORDER BY at, key" % ", ".join(Outcome._fields),
        (subject, wing),
    )
    return [Outcome(*row) for row in found]


def forget(store: Store, subjects: Sequence[Tuple[str, int]]) -> int:
    """Take all events, counts and shakes of (subject, wing) out, inside a write; return how many events there were."""
    if store.version < SINCE:
        return 0
    gone = 0
    for named in subjects:
        gone += store.db.execute("DELETE FROM outcomes WHERE subject = ? AND wing = ?", named).rowcount
        store.db.execute("DELETE FROM ledger WHERE subject = ? AND wing = ?", named)
        store.db.execute("DELETE FROM shakes WHERE subject = ? AND wing = ?", named)
    return gone


def silence(store: Store, text: str) -> int:
    """Take the reasons that hold a text, whatever its case, out of the events, inside a write; return how many."""
    wanted = text.casefold()
    found = store.db.execute("SELECT n, why FROM outcomes WHERE why <> ''").fetchall() if wanted else []
    holding = [(n,) for n, why in found if wanted in why.casefold()]
    store.db.executemany("UPDATE outcomes SET why = '' WHERE n = ?", holding)
    return len(holding)
