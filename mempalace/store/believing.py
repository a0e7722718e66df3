"""Writing beliefs: what was observed, and what follows from it. Within a write that `filing.begin` began."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from mempalace.model import Belief
from mempalace.store.connection import Store

# What an observation does beside supporting its belief (CORRECTS), or instead of that.
CORRECTS, WITHDRAWS, CLEARS = "corrects", "withdraws", "clears"
BATCH = 500  # rows named in one statement


class Event(NamedTuple):
    """One observation as it is kept.

    effect: "" where it supports its belief, CORRECTS where it also takes back whatever else fills
    the slot, CLEARS where it does that alone, WITHDRAWS where it takes its belief back.  heir: the
    belief that the same observation supports instead, "" for none.
    """

    belief: str
    key: str
    weight: float
    origin: str
    at: int
    said: str
    drawer: str = ""
    claim: str = ""
    effect: str = ""
    instead_of: str = ""
    heir: str = ""

    @property
    def supports(self) -> bool:
        """Whether it speaks for its belief."""
        return self.effect in ("", CORRECTS)


class Family(NamedTuple):
    """The beliefs that may speak for or against one another: of one scope and one kind."""

    wing: int
    glob: str
    kind: str


def create(store: Store, family: Family, one: Belief, *, generation: int) -> None:
    """Make a belief's row, without evidence yet; one that is there stays as it is."""
    store.db.execute(
        """INSERT OR IGNORE INTO beliefs (id, wing, glob, kind, subject, option, polarity, claim, origin, created_at,
           changed_at, generation) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)""",
        (
            one.id, family.wing, family.glob, family.kind, one.subject, one.option, one.polarity, one.claim, one.origin,
            one.created_at, one.changed_at, generation,
        ),
    )  # fmt: skip


def observe(store: Store, event: Event) -> bool:
    """Record an observation; tell whether it is news: one that is known by its key counts once.

    A copy of it that a rival left in its place gives way.
    """
    values = (
        event.belief, event.key, int(event.supports), event.weight, event.origin, event.at, event.said, event.drawer,
        event.claim, event.effect, event.instead_of,
    )  # fmt: skip
    done = store.db.execute(
        """INSERT INTO evidence (belief, key, agrees, weight, origin, at, said, drawer, claim, effect, instead_of)
           SELECT n, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM beliefs WHERE id = ?1
           ON CONFLICT DO UPDATE SET agrees = excluded.agrees, effect = excluded.effect, claim = excluded.claim,
           instead_of = excluded.instead_of WHERE agrees = 0 AND effect = ''""",
        values,
    )
    return done.rowcount > 0


def known(store: Store, keys: Sequence[str]) -> Set[str]:
    """Return those of the keys under which something was observed before."""
    found: Set[str] = set()
    for part in _parts(keys):
        query = "SELECT DISTINCT key FROM evidence WHERE key IN (%s)" % _marks(part)
        found.update(row[0] for row in store.db.execute(query, part))
    return found


def wing_name(store: Store, n: int) -> str:
    """Return the name of the wing in that row, "" for row 0, which stands for all."""
    row = store.db.execute("SELECT name FROM wings WHERE n = ?", (n,)).fetchone()
    return row[0] if row else ""


def families(store: Store, ids: Sequence[str]) -> List[Family]:
    """Return the families of beliefs, each once, in order."""
    found: Set[Family] = set()
    for part in _parts(ids):
        query = "SELECT DISTINCT wing, glob, kind FROM beliefs WHERE id IN (%s)" % _marks(part)
        found.update(Family(*row) for row in store.db.execute(query, part))
    return sorted(found)


def events(store: Store, family: Family) -> List[Event]:
    """Return what was observed of a family's beliefs, oldest first, then by key."""
    rows = store.db.execute(
        """SELECT beliefs.id, key, weight, evidence.origin, at, said, drawer, evidence.claim, effect, instead_of,
           CASE WHEN agrees THEN '' ELSE ifnull((SELECT heirs.id FROM evidence AS same JOIN beliefs AS heirs
             ON heirs.n = same.belief WHERE same.key = evidence.key AND same.agrees ORDER BY heirs.id LIMIT 1), '') END
           FROM beliefs JOIN evidence ON belief = beliefs.n
           WHERE wing = ? AND glob = ? AND kind = ? AND (agrees OR effect <> '') ORDER BY at, key, beliefs.id""",
        family,
    )
    return [Event(*row) for row in rows]


def copies(store: Store, family: Family) -> Dict[str, Set[str]]:
    """Return, by belief, the keys of the rivals' evidence that stands against it."""
    rows = store.db.execute(
        """SELECT beliefs.id, key FROM beliefs JOIN evidence ON belief = beliefs.n
           WHERE wing = ? AND glob = ? AND kind = ? AND NOT agrees AND effect = ''""",
        family,
    )
    found: Dict[str, Set[str]] = {}
    for id, key in rows:
        found.setdefault(id, set()).add(key)
    return found


def oppose(store: Store, id: str, held: Set[str], wanted: Iterable[Event]) -> None:
    """Have exactly the wanted evidence of rivals stand against a belief, which holds copies of those keys now."""
    by_key = {event.key: event for event in wanted}
    (n,) = store.db.execute("SELECT n FROM beliefs WHERE id = ?", (id,)).fetchone()
    store.db.executemany(
        "DELETE FROM evidence WHERE belief = ? AND key = ? AND NOT agrees AND effect = ''",
        [(n, key) for key in sorted(held - set(by_key))],
    )
    store.db.executemany(
        """INSERT OR IGNORE INTO evidence (belief, key, agrees, weight, origin, at, said, drawer)
           VALUES (?,?,0,?,?,?,?,?)""",
        [
            (n, key, event.weight, event.origin, event.at, event.said, event.drawer)
            for key, event in sorted(by_key.items())
            if key not in held
        ],
    )


def set_standing(
    store: Store, id: str, *, claim: str, origin: str, created_at: int, changed_at: int, retired_at: int,
    superseded_by: str, why: str, generation: int,
) -> None:  # fmt: skip
    """Write what follows from a belief's evidence: whether it stands, in whose words, since when."""
    store.db.execute(
        """UPDATE beliefs SET claim = ?, origin = ?, created_at = ?, changed_at = ?, retired_at = ?, superseded_by = ?,
           why = ?, generation = ? WHERE id = ?""",
        (claim, origin, created_at, changed_at, retired_at, superseded_by, why, generation, id),
    )


def remove(store: Store, ids: Iterable[str]) -> None:
    """Take beliefs out with whatever evidence they have."""
    for id in ids:
        store.db.execute("DELETE FROM evidence WHERE belief = (SELECT n FROM beliefs WHERE id = ?)", (id,))
        store.db.execute("DELETE FROM beliefs WHERE id = ?", (id,))


def pin(store: Store, id: str, confidence: "float | None", *, generation: int) -> None:
    """Pin a belief at a confidence, or unpin it where that is None."""
    store.db.execute(
        "UPDATE beliefs SET pinned = ?, frozen = ?, generation = ? WHERE id = ?",
        (int(confidence is not None), confidence, generation, id),
    )


def hand_down(store: Store, old: str, new: str) -> None:
    """Have what supports one belief support another too, which keeps what it has of its own."""
    store.db.execute(
        """INSERT INTO evidence
           SELECT (SELECT n FROM beliefs WHERE id = ?), key, agrees, weight, evidence.origin, at, said, drawer,
           evidence.claim, effect, instead_of FROM evidence JOIN beliefs ON n = belief WHERE id = ? AND agrees
           ON CONFLICT DO UPDATE SET agrees = 1, effect = excluded.effect, claim = excluded.claim WHERE NOT agrees""",
        (new, old),
    )


def holding(store: Store, column: str, values: Sequence[str], *, agreeing: bool = False) -> List[str]:
    """Return the beliefs that hold evidence of any of the values: read from a drawer, or known by a key.

    agreeing: only those that it supports.
    """
    found: Set[str] = set()
    for part in _parts(values):
        query = "SELECT DISTINCT id FROM evidence JOIN beliefs ON n = belief WHERE agrees >= %d AND " % agreeing
        query += _where(column, part)
        found.update(row[0] for row in store.db.execute(query, part))
    return sorted(found)


def drop(store: Store, column: str, values: Sequence[str]) -> None:
    """Delete the evidence that `holding` tells the beliefs of."""
    for part in _parts(values):
        store.db.execute("DELETE FROM evidence WHERE " + _where(column, part), part)


def _where(column: str, values: Sequence[str]) -> str:
    assert column in ("drawer", "key")
    return "%s <> '' AND %s IN (%s)" % (column, column, _marks(values))


def _parts(values: Sequence[str]) -> List[Tuple[str, ...]]:
    return [tuple(values[start : start + BATCH]) for start in range(0, len(values), BATCH)]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
