"""What the index is made from: drawers, sources and actions changed since a generation."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Sequence, Tuple

from mempalace.store.connection import Store
from mempalace.store.filing import generation
from mempalace.store.schema import KINDS


class DrawerDoc(NamedTuple):
    """A drawer as the index takes it."""

    n: int
    id: str
    wing: int
    source: int
    room: str
    kind: str
    aside: bool
    happened_at: int
    text: str


class ActionDoc(NamedTuple):
    """An action as the index takes it."""

    n: int
    wing: int
    source: int
    tool: str
    target: str
    error: str
    happened_at: int
    generation: int


DRAWER = "n, id, wing, source, room, kind, aside, happened_at, text"


def changed_sources(store: Store, since: int) -> List[int]:
    """Return the rows of the sources anything of which changed after a generation, in order."""
    rows = store.db.execute(
        """SELECT n FROM sources WHERE generation > ? UNION SELECT DISTINCT source FROM drawers WHERE generation > ?
           UNION SELECT DISTINCT source FROM actions WHERE generation > ? ORDER BY 1""",
        (since, since, since),
    )
    return [row[0] for row in rows]


def drawers_of(store: Store, source: int) -> List[DrawerDoc]:
    """Return a source's drawers in the order they were said."""
    rows = store.db.execute("SELECT %s FROM drawers WHERE source = ? ORDER BY n" % DRAWER, (source,))
    return [
        DrawerDoc(n, id, wing, of, room, KINDS[kind], bool(aside), at, text)
        for n, id, wing, of, room, kind, aside, at, text in rows
    ]


def changed_notes(store: Store, since: int) -> List[DrawerDoc]:
    """Return the drawers without a source that changed after a generation."""
    rows = store.db.execute("SELECT %s FROM drawers WHERE source = 0 AND generation > ? ORDER BY n" % DRAWER, (since,))
    return [
        DrawerDoc(n, id, wing, of, room, KINDS[kind], bool(aside), at, text)
        for n, id, wing, of, room, kind, aside, at, text in rows
    ]


def changed_drawers(store: Store, source: int, since: int) -> "frozenset[int]":
    """Return the rows of a source's drawers that changed after a generation."""
    rows = store.db.execute("SELECT n FROM drawers WHERE source = ? AND generation > ?", (source, since))
    return frozenset(row[0] for row in rows)


def actions_of(store: Store, source: int) -> List[ActionDoc]:
    """Return a source's actions in order."""
    rows = store.db.execute(
        """SELECT actions.n, wing, source, tool, target, error, happened_at, actions.generation FROM actions
           JOIN sources ON sources.n = source WHERE source = ? ORDER BY actions.n""",
        (source,),
    )
    return [ActionDoc(*row) for row in rows]


def title_of(store: Store, source: int) -> Tuple[int, int, str]:
    """Return (wing, ended_at, title) of a source."""
    row = store.db.execute("SELECT wing, ended_at, title FROM sources WHERE n = ?", (source,)).fetchone()
    return (row[0], row[1], row[2]) if row else (0, 0, "")


def gone(store: Store, since: int) -> Iterator[str]:
    """Yield the ids of drawers and actions that were taken out after a generation and are not filed again."""
    rows = store.db.execute(
        """SELECT key FROM tombstones WHERE kind IN ('drawer', 'replaced', 'action') AND generation > ?
           AND NOT EXISTS (SELECT 1 FROM drawers WHERE id = key)""",
        (since,),
    )
    for row in rows:
        yield row[0]


def gone_sources(store: Store, since: int) -> Sequence[int]:
    """Return the rows of sources that were taken out whole after a generation."""
    rows = store.db.execute("SELECT key FROM tombstones WHERE kind = 'row' AND generation > ?", (since,))
    return [int(row[0]) for row in rows]


def behind(store: Store, since: int) -> bool:
    """Tell whether anything that an index takes has changed after a generation; beliefs and evidence are none of it."""
    tables = ("sources", "drawers", "actions", "tombstones")
    asked = "SELECT " + " OR ".join("EXISTS (SELECT 1 FROM %s WHERE generation > ?)" % name for name in tables)
    return generation(store) > since and bool(store.db.execute(asked, (since,) * len(tables)).fetchone()[0])
