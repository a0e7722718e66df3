"""Looking things up: one drawer, its neighbours, a wing's rooms, the palace's counts."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.errors import NotFound
from mempalace.model import Drawer, Source
from mempalace.store.connection import Store
from mempalace.store.schema import KINDS

SHORTEST_ID = 4  # hex digits

DRAWER = """SELECT drawers.id, wings.name, room, kind, text, sources.id, line, happened_at, filed_at, importance,
 salience, aside, pinned FROM drawers JOIN wings ON wings.n = drawers.wing LEFT JOIN sources ON sources.n = source"""
SOURCE = """SELECT sources.id, wings.name, harness, path, title, branch, cwd, started_at, ended_at, opening, outcome
 FROM sources JOIN wings ON wings.n = wing"""


class Place(NamedTuple):
    """A drawer with where it stands. path: its transcript; line in it is the drawer's own."""

    drawer: Drawer
    source: Optional[Source]
    path: str
    n: int


def drawer(store: Store, id: str) -> Place:
    """Return the drawer whose id begins so; raises NotFound where none or several do."""
    wanted = id.lower().strip().strip("[]")
    wanted = wanted[2:] if wanted.startswith("d:") else wanted
    if len(wanted) < SHORTEST_ID or not all(char in "0123456789abcdef" for char in wanted):
        raise NotFound("%r is no drawer's id: give at least %d of its hex digits" % (id, SHORTEST_ID))
    rows = store.db.execute(
        "SELECT n, id, source, path FROM drawers WHERE id >= ? AND id < ? ORDER BY id LIMIT 3",
        (wanted, wanted + "g"),
    ).fetchall()
    if not rows:
        raise NotFound("no drawer %s: it was never filed here, or it was forgotten" % wanted)
    if len(rows) > 1:
        raise NotFound("%s is short for several drawers: %s" % (wanted, ", ".join(row[1] for row in rows)))
    n, _full, source, path = rows[0]
    found = Drawer(*_named(store.db.execute(DRAWER + " WHERE drawers.n = ?", (n,)).fetchone()))
    origin = source_row(store, source)
    return Place(found, origin, path or (origin.path if origin else ""), n)


def source_row(store: Store, n: int) -> Optional[Source]:
    """Return the source in that row, or None."""
    row = store.db.execute(SOURCE + " WHERE sources.n = ?", (n,)).fetchone()
    return Source(*row) if row else None


def source(store: Store, key: str) -> Tuple[int, Source]:
    """Return (row, source) by `s:ROW` or by its id; raises NotFound."""
    wanted = key.strip().strip("[]")
    if wanted.startswith("s:") and wanted[2:].isdigit():
        found = source_row(store, int(wanted[2:]))
        if found:
            return int(wanted[2:]), found
    row = store.db.execute("SELECT n FROM sources WHERE id = ?", (wanted,)).fetchone()
    if row is None:
        raise NotFound("no session %s in this palace" % key)
    return row[0], _must(source_row(store, row[0]))


def around(store: Store, place: Place, count: int) -> Tuple[List[Drawer], List[Drawer]]:
    """Return up to `count` drawers before and after, of the same source, in order."""
    if place.source is None:
        return [], []
    query = DRAWER + " WHERE sources.id = ? AND drawers.n %s ? ORDER BY drawers.n %s LIMIT ?"
    before = store.db.execute(query % ("<", "DESC"), (place.source.id, place.n, count)).fetchall()
    after = store.db.execute(query % (">", "ASC"), (place.source.id, place.n, count)).fetchall()
    return [Drawer(*_named(row)) for row in reversed(before)], [Drawer(*_named(row)) for row in after]


def said_in(store: Store, n: int) -> List[Drawer]:
    """Return everything filed of a source, in order."""
    rows = store.db.execute(DRAWER + " WHERE drawers.source = ? ORDER BY drawers.n", (n,))
    return [Drawer(*_named(row)) for row in rows]


def rooms(store: Store, wing: Optional[int]) -> List[Tuple[str, str, int]]:
    """Return (wing, room, drawers) of one wing or of all, most drawers first."""
    return store.db.execute(
        """SELECT name, room, count(*) FROM drawers JOIN wings ON wings.n = wing WHERE wing = ifnull(?, wing)
           GROUP BY wing, room ORDER BY name, 3 DESC, room""",
        (wing,),
    ).fetchall()


def counts(store: Store) -> Dict[str, Any]:
    """Return how much the palace holds: drawers, sources, actions, wings, and its size on disk."""
    one = store.db.execute
    pages = one("PRAGMA page_count").fetchone()[0] * one("PRAGMA page_size").fetchone()[0]
    harnesses = dict(one("SELECT harness, count(*) FROM sources GROUP BY harness ORDER BY 2 DESC, 1").fetchall())
    newest = one("SELECT ifnull(max(ended_at), 0) FROM sources").fetchone()[0]
    return {
        "drawers": one("SELECT count(*) FROM drawers").fetchone()[0],
        "sources": one("SELECT count(*) FROM sources").fetchone()[0],
        "actions": one("SELECT count(*) FROM actions").fetchone()[0],
        "wings": one("SELECT count(*) FROM wings").fetchone()[0],
        "files": one("SELECT count(*) FROM files").fetchone()[0],
        "harnesses": harnesses,
        "newest_at": newest,
        "bytes": pages,
    }


def last_filed_at(store: Store) -> int:
    """Return when the last drawer was filed, 0 where none was."""
    row = store.db.execute("SELECT filed_at FROM drawers ORDER BY n DESC LIMIT 1").fetchone()
    return int(row[0]) if row else 0


def text_bytes(store: Store) -> int:
    """Return how many bytes of text all drawers hold; reads every one of them."""
    return int(store.db.execute("SELECT ifnull(sum(length(CAST(text AS BLOB))), 0) FROM drawers").fetchone()[0])


def _named(row: Any) -> Any:
    fields = list(row)
    fields[3] = KINDS[fields[3]]
    fields[5] = fields[5] or ""
    fields[11], fields[12] = bool(fields[11]), bool(fields[12])
    return fields


def _must(found: Optional[Source]) -> Source:
    assert found is not None
    return found


def by_rows(store: Store, rows: Sequence[int]) -> Dict[int, Tuple[Drawer, Optional[Source]]]:
    """Return (drawer, source) of each of the rows that is there."""
    found: Dict[int, Tuple[Drawer, Optional[Source]]] = {}
    sources: Dict[int, Optional[Source]] = {}
    for n in rows:
        row = store.db.execute(DRAWER.replace("SELECT", "SELECT source,", 1) + " WHERE drawers.n = ?", (n,)).fetchone()
        if row is None:
            continue
        if row[0] not in sources:
            sources[row[0]] = source_row(store, row[0])
        found[n] = (Drawer(*_named(row[1:])), sources[row[0]])
    return found


def newest_rows(store: Store, wing: Optional[int], limit: int) -> List[int]:
    """Return the rows of the newest prompts, reports and notes of a wing, or of all, newest first."""
    where = "wing = ? AND" if wing else "? IS NULL AND"
    rows = store.db.execute(
        "SELECT n FROM drawers WHERE %s kind <> 2 AND aside = 0 ORDER BY happened_at DESC, id LIMIT ?" % where,
        (wing, limit),
    )
    return [row[0] for row in rows]


def short_id(store: Store, id: str, least: int = 8) -> str:
    """Return the shortest beginning of an id, of `least` digits or more, that no other drawer shares."""
    for length in range(least, len(id), 2):
        rows = store.db.execute(
            "SELECT 1 FROM drawers WHERE id >= ? AND id < ? LIMIT 2", (id[:length], id[:length] + "g")
        ).fetchall()
        if len(rows) < 2:
            return id[:length]
    return id


def salient_rows(store: Store, wing: Optional[int], room: str, limit: int) -> List[int]:
    """Return the rows of what matters most: pinned, important, salient, then newest."""
    rows = store.db.execute(
        """SELECT n FROM drawers WHERE (? IS NULL OR wing = ?) AND (? = '' OR room = ?) AND kind <> 2 AND aside = 0
           AND salience >= 0 ORDER BY pinned DESC, importance DESC, salience DESC, happened_at DESC, id LIMIT ?""",
        (wing, wing, room, room, limit),
    )
    return [row[0] for row in rows]
