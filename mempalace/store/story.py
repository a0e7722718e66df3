"""What the wake-up reads, and the stored story it reads first."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from mempalace.model import EDITS
from mempalace.store.connection import Store
from mempalace.store.schema import KINDS
from mempalace.store.wings import Wing


class Candidate(NamedTuple):
    """A drawer that may be told. source: its session's row, 0 for none.  message: its message's number."""

    id: str
    room: str
    kind: str
    text: str
    source: int
    happened_at: int
    importance: float
    salience: int
    pinned: bool
    message: int = 0


class Recent(NamedTuple):
    """A session as its one line tells it."""

    n: int
    ended_at: int
    branch: str
    title: str
    opening: str
    outcome: str


class Story(NamedTuple):
    """A stored story, everything best first. lines: (drawer id, room, happened_at, line)."""

    generation: int
    considered: int
    lines: Tuple[Tuple[str, str, int, str], ...]
    files: Tuple[str, ...] = ()
    topics: Tuple[str, ...] = ()


class Worked(NamedTuple):
    """A file that an agent edited, its path from where the session ran."""

    path: str


BELIEFS = 2  # the schema's version that brought them
LOOSE = 500  # of the newest notes that are considered
FIELDS = "id, room, kind, text, source, happened_at, importance, salience, pinned, message"


def read(store: Store, wing: Wing) -> Optional[Story]:
    """Return the wing's stored story, or None; it is behind where its generation is not the wing's."""
    row = store.db.execute("SELECT generation, considered, told FROM stories WHERE wing = ?", (wing.n,)).fetchone()
    if row is None:
        return None
    told = json.loads(row[2])
    lines = tuple(tuple(line) for line in told["lines"])
    return Story(row[0], row[1], lines, tuple(told["files"]), tuple(told["topics"]))


def write(store: Store, wing: Wing, story: Story) -> None:
    """Store the wing's story in place of the one before."""
    told = {"lines": story.lines, "files": story.files, "topics": story.topics}
    store.db.execute(
        "INSERT OR REPLACE INTO stories VALUES (?,?,?,?)",
        (
            wing.n,
            story.generation,
            story.considered,
            json.dumps(told, ensure_ascii=False, separators=(",", ":")),
        ),
    )


def forget_all(store: Store) -> None:
    """Drop every stored story, so that each is chosen anew."""
    store.db.execute("DELETE FROM stories")


def behind(store: Store) -> List[Wing]:
    """Return the wings whose stored story is missing or behind."""
    rows = store.db.execute(
        """SELECT n, name, drawers, wings.generation FROM wings LEFT JOIN stories ON wing = n
           WHERE stories.generation IS NULL OR stories.generation <> wings.generation ORDER BY n"""
    )
    return [Wing(*row) for row in rows]


def newest(store: Store, wing: Wing, limit: int) -> List[Candidate]:
    """Return the wing's newest drawers of the main thread, newest first."""
    return _candidates(
        store,
        "SELECT %s FROM drawers WHERE wing = ? AND aside = 0 ORDER BY happened_at DESC, id LIMIT ?" % FIELDS,
        (wing.n, limit),
    )


def pinned(store: Store, wing: Wing) -> List[Candidate]:
    """Return the wing's pinned drawers, newest first.

    By their own index, named: left to choose, the planner reads the whole wing in order.
    """
    query = (
        "SELECT %s FROM drawers INDEXED BY drawers_pinned WHERE wing = ? AND pinned ORDER BY happened_at DESC, id"
        % FIELDS
    )
    return _candidates(store, query, (wing.n,))


def sessions(store: Store, wing: Wing, limit: int) -> List[List[Candidate]]:
    """Return the drawers of the wing's last sessions, newest session first, in their order.

    What stands in the wing by itself (notes, drawers moved here) comes first, as one group.
    """
    rows = store.db.execute(
        "SELECT n FROM sources WHERE wing = ? ORDER BY ended_at DESC, id LIMIT ?", (wing.n, limit)
    ).fetchall()
    loose = _candidates(
        store,
        "SELECT %s FROM drawers INDEXED BY drawers_loose WHERE wing = ? AND loose ORDER BY happened_at DESC, id LIMIT ?"
        % FIELDS,
        (wing.n, LOOSE),
    )
    query = "SELECT %s FROM drawers WHERE source = ? AND wing = ? AND aside = 0 AND NOT loose ORDER BY happened_at, n"
    found = [_candidates(store, query % FIELDS, (row[0], wing.n)) for row in rows]
    return [drawers for drawers in [loose, *found] if drawers]


def worked_on(store: Store, wing: Wing, limit: int) -> List[List[Worked]]:
    """Return the files edited in each of the wing's last sessions, newest session first."""
    rows = store.db.execute(
        """SELECT source, tool, target, cwd FROM actions JOIN sources ON sources.n = source
           WHERE aside = 0 AND source IN (SELECT n FROM sources WHERE wing = ? ORDER BY ended_at DESC, id LIMIT ?)""",
        (wing.n, limit),
    )
    by_source: Dict[int, List[Worked]] = {}
    for source, tool, target, cwd in rows:
        if target and "\n" not in target and any(sign in tool.lower() for sign in EDITS):
            within = cwd and target.startswith(cwd.rstrip("/") + "/")
            by_source.setdefault(source, []).append(Worked(target[len(cwd.rstrip("/")) + 1 :] if within else target))
    order = store.db.execute("SELECT n FROM sources WHERE wing = ? ORDER BY ended_at DESC, id LIMIT ?", (wing.n, limit))
    return [by_source.get(row[0], []) for row in order]


def recent(store: Store, wing: Wing, limit: int) -> List[Recent]:
    """Return the wing's last sessions that have something to tell, newest first."""
    rows = store.db.execute(
        """SELECT n, ended_at, branch, title, opening, outcome FROM sources
           WHERE wing = ? AND harness <> 'plain' AND (title <> '' OR opening <> '' OR outcome <> '')
           ORDER BY ended_at DESC, id LIMIT ?""",
        (wing.n, limit),
    )
    return [Recent(*row) for row in rows]


def total(store: Store) -> int:
    """Return how many drawers the whole palace holds."""
    return int(store.db.execute("SELECT ifnull(sum(drawers), 0) FROM wings").fetchone()[0])


def _candidates(store: Store, query: str, values: Tuple[Any, ...]) -> List[Candidate]:
    return [
        Candidate(row[0], row[1], KINDS[row[2]], row[3], row[4], row[5], row[6], row[7], bool(row[8]), row[9])
        for row in store.db.execute(query, values)
    ]


def has_rules(store: Store) -> bool:
    """Tell whether any belief is pinned, or took the place of another: a wake-up may have rules to tell."""
    if store.version < BELIEFS:
        return False
    asked = "SELECT 1 FROM beliefs WHERE pinned OR superseded_by <> '' LIMIT 1"
    return store.db.execute(asked).fetchone() is not None
