"""What beliefs are formed from: what was said and done since they were, and which evidence came of it."""

from __future__ import annotations

from typing import Dict, Iterator, NamedTuple, Sequence, Set, Tuple

from mempalace.store.connection import Store
from mempalace.store.schema import KINDS

DONE = "believed"  # the key in `meta` under which the generation stands that beliefs were formed from


class Heard(NamedTuple):
    """A passage of the human's, or a note. key: what it is known by, however its text is cut."""

    id: str
    wing: int
    kind: str
    text: str
    at: int
    key: str


class Deed(NamedTuple):
    """An action that did not fail. cwd: the session's folder.  key: what the session is known by."""

    tool: str
    target: str
    wing: int
    cwd: str
    at: int
    key: str


class Traces(NamedTuple):
    """Evidence, by the drawers it was read from and by its own keys."""

    drawers: Tuple[str, ...]
    keys: Tuple[str, ...]


def message_key(message: int, part: int) -> str:
    """Return what the evidence read from a part of a message is known by, at its start."""
    return "m%016x.%d" % (message, part)


def session_key(source: int) -> str:
    """Return what the evidence read from a session's actions is known by, at its start."""
    return "s%016x" % source


def believed(store: Store) -> int:
    """Return the generation that beliefs were formed from last, 0 for never."""
    row = store.db.execute("SELECT value FROM meta WHERE key = ?", (DONE,)).fetchone()
    return int(row[0]) if row else 0


def mark(store: Store, generation: int) -> None:
    """Record the generation that beliefs were formed from."""
    store.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (DONE, generation))


def heard(store: Store, since: int) -> Iterator[Heard]:
    """Yield what the human said in the main thread, and the notes, changed since a generation.

    Of the notes only those that gave no evidence yet: whose word they are was known when they were
    filed.  at: when it was said, else when its session ended, else when it was filed.
    """
    rows = store.db.execute(
        """SELECT drawers.id, drawers.wing, kind, text,
           ifnull(nullif(happened_at, 0), ifnull(nullif(ended_at, 0), filed_at)), message, part
           FROM drawers LEFT JOIN sources ON sources.n = source
           WHERE drawers.generation > ? AND NOT aside AND (kind = ? OR (kind = ? AND NOT EXISTS (
             SELECT 1 FROM evidence WHERE drawer = drawers.id AND drawer <> ''))) ORDER BY drawers.n""",
        (since, KINDS.index("prompt"), KINDS.index("note")),
    )
    for id, wing, kind, text, at, message, part in rows:
        yield Heard(id, wing, KINDS[kind], text, at, message_key(message, part))


CHANGED = """SELECT n FROM sources WHERE generation > ?1
 UNION SELECT source FROM actions WHERE generation > ?1"""


def done(store: Store, since: int) -> Iterator[Deed]:
    """Yield all that agents did without failing in the sessions changed since a generation, oldest first.

    An action without a time of its own has that of its session's end; without either it is left out.
    """
    rows = store.db.execute(
        """SELECT tool, target, wing, cwd, ifnull(nullif(happened_at, 0), ended_at) AS at, source
           FROM actions JOIN sources ON sources.n = source
           WHERE source IN (%s) AND ifnull(ok, 1) AND at > 0 ORDER BY at, actions.n"""
        % CHANGED,
        (since,),
    )
    for tool, target, wing, cwd, at, source in rows:
        yield Deed(tool, target, wing, cwd, at, session_key(source))


def roots(store: Store) -> Dict[int, Tuple[Tuple[str, bool], ...]]:
    """Return each wing's folders, the longest first, and whether each is a pool of working trees."""
    found: Dict[int, Tuple[Tuple[str, bool], ...]] = {}
    for wing, root, pooled in store.db.execute("SELECT wing, root, pooled FROM roots ORDER BY length(root) DESC, root"):
        found[wing] = (*found.get(wing, ()), (root, bool(pooled)))
    return found


def stale(store: Store, since: int) -> Traces:
    """Return the evidence of drawers and sessions that have changed or gone since a generation; a note's stays."""
    one = store.db.execute
    drawers = one(
        """SELECT DISTINCT drawer FROM drawers CROSS JOIN evidence ON drawer = drawers.id AND drawer <> ''
           WHERE drawers.generation > ?1 AND kind <> ?2 UNION
           SELECT DISTINCT drawer FROM tombstones CROSS JOIN evidence ON drawer = tombstones.key AND drawer <> ''
           WHERE tombstones.generation > ?1 AND tombstones.kind IN ('drawer', 'replaced')""",
        (since, KINDS.index("note")),
    ).fetchall()
    sources = [row[0] for row in one(CHANGED, (since,))]
    return Traces(tuple(sorted(row[0] for row in drawers)), _keys(store, sources))


def left_by(
    store: Store, rows: Sequence[int], sources: Sequence[int], deeds: Sequence[int], text: str, wing: int
) -> Traces:  # fmt: skip
    """Return the evidence of drawers, of sources' actions, of the sessions of actions; that holds a text; of a wing.

    rows, sources, deeds: rows. What a session's other actions gave is read again when it is next believed.
    """
    one = store.db.execute
    drawers = [one("SELECT id FROM drawers WHERE n = ?", (n,)).fetchone() for n in rows]
    sessions = [one("SELECT source FROM actions WHERE n = ?", (n,)).fetchone() for n in deeds]
    keys = set(_keys(store, [*sources, *(row[0] for row in sessions if row)]))
    keys.update(
        row[0] for row in one("SELECT key FROM evidence JOIN beliefs ON n = belief WHERE wing AND wing = ?", (wing,))
    )
    wanted = text.casefold()
    if wanted:
        told = one("SELECT key, said, claim FROM evidence")
        keys.update(key for key, said, claim in told if wanted in said.casefold() or wanted in claim.casefold())
    return Traces(tuple(row[0] for row in drawers if row), tuple(sorted(keys)))


def _keys(store: Store, sources: Sequence[int]) -> Tuple[str, ...]:
    """Return the keys of the evidence read from the actions of sources."""
    found: Set[str] = set()
    for n in sources:
        rows = store.db.execute(
            "SELECT key FROM evidence WHERE key >= ? AND key < ?", (session_key(n), session_key(n + 1))
        )
        found.update(row[0] for row in rows)
    return tuple(sorted(found))
