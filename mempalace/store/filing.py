"""Writing: drawers, actions, sources and how far each file has been read."""

from __future__ import annotations

from typing import Iterable, List, NamedTuple, Optional, Sequence

from mempalace.store.connection import Store
from mempalace.store.schema import KINDS


class Row(NamedTuple):
    """A drawer about to be filed: `message` and `part` say which cut of which message."""

    id: str
    wing: int
    source: int
    room: str
    kind: str
    aside: bool
    message: int
    part: int
    line: int
    happened_at: int
    text: str
    salience: int
    importance: float = 3.0
    path: str = ""


class Deed(NamedTuple):
    """An action about to be filed."""

    key: int
    source: int
    tool: str
    target: str
    ok: Optional[bool]
    error: str
    aside: bool
    line: int
    happened_at: int


class Part(NamedTuple):
    """A drawer of a message that is filed already."""

    id: str
    kind: str
    source: int
    line: int
    text: str


class FileState(NamedTuple):
    """How far a transcript has been read. print: a hash of what lies before `offset`."""

    path: str
    size: int
    mtime_ns: int
    offset: int = 0
    line: int = 0
    print: bytes = b""
    harness: str = ""
    session: str = ""
    cwd: str = ""
    note: str = ""
    wing: str = ""


def begin(store: Store) -> int:
    """Begin a write and return its generation: what it writes carries this number."""
    store.db.execute("BEGIN IMMEDIATE")
    store.db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    return generation(store)


def under_way(store: Store) -> bool:
    """Tell whether a write has begun; SQLite itself may have taken it back, as on a full disk."""
    return store.db.in_transaction


def commit(store: Store) -> None:
    """Make what was written since `begin` durable, all of it at once."""
    store.db.execute("COMMIT")


def rollback(store: Store) -> None:
    """Forget what was written since `begin`."""
    if store.db.in_transaction:
        store.db.execute("ROLLBACK")


class all_or_nothing:
    """Within a write: what fails half-way inside is taken back, and no more than that."""

    def __init__(self, store: Store) -> None:
        self.db = store.db

    def __enter__(self) -> None:
        self.db.execute("SAVEPOINT part")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self.db.in_transaction:  # SQLite has taken all of it back
            return
        if error is not None:
            self.db.execute("ROLLBACK TO part")
        self.db.execute("RELEASE part")


def generation(store: Store) -> int:
    """Return the generation of the last write."""
    return int(store.db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def file_states(store: Store) -> "dict[str, FileState]":
    """Return what is known of every file read so far, by path."""
    rows = store.db.execute(
        "SELECT path, size, mtime_ns, offset, line, print, harness, session, cwd, note, wing FROM files"
    )
    return {row[0]: FileState(*row) for row in rows}


def remember_file(store: Store, state: FileState) -> None:
    """Record how far a file has been read."""
    store.db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?,?,?,?)", state)


def ensure_source(
    store: Store, *, id: str, wing: int, harness: str, path: str, generation: int
) -> "tuple[int, int, str]":
    """Return (row, wing, path) of a source, made where missing; one filed already keeps its own."""
    store.db.execute(
        "INSERT OR IGNORE INTO sources (id, wing, harness, path, generation) VALUES (?,?,?,?,?)",
        (id, wing, harness, path, generation),
    )
    row = store.db.execute("SELECT n, wing, path FROM sources WHERE id = ?", (id,)).fetchone()
    return int(row[0]), int(row[1]), str(row[2])


def describe_source(
    store: Store,
    n: int,
    *,
    generation: int,
    title: str,
    branch: str,
    cwd: str,
    opening: str,
    outcome: str,
    first: int,
    last: int,
) -> None:
    """Add to what is known of a source: empty values say nothing, times widen its span."""
    store.db.execute(
        """UPDATE sources SET generation = ?, title = ifnull(nullif(?, ''), title),
           branch = ifnull(nullif(?, ''), branch), cwd = ifnull(nullif(cwd, ''), ?),
           opening = ifnull(nullif(opening, ''), ?), outcome = ifnull(nullif(?, ''), outcome),
           started_at = CASE WHEN ? = 0 THEN started_at WHEN started_at = 0 THEN ? ELSE min(started_at, ?) END,
           ended_at = max(ended_at, ?) WHERE n = ?""",
        (generation, title, branch, cwd, opening, outcome, first, first, first, last, n),
    )


def has_source(store: Store, id: str) -> bool:
    """Tell whether anything of that source was filed."""
    return store.db.execute("SELECT 1 FROM sources WHERE id = ?", (id,)).fetchone() is not None


def filed_message(store: Store, message: int) -> List[Part]:
    """Return the drawers a message was filed as, in the order of its parts."""
    rows = store.db.execute(
        "SELECT id, kind, source, line, text FROM drawers WHERE message = ? ORDER BY part", (message,)
    )
    return [Part(id, KINDS[kind], source, line, text) for id, kind, source, line, text in rows]


def file_drawers(store: Store, rows: Sequence[Row], *, now: int, generation: int) -> None:
    """File the drawers of whole messages, in place of what was filed of those messages."""
    store.db.executemany(
        """INSERT OR REPLACE INTO drawers (id, wing, source, room, kind, aside, message, part, line, happened_at,
           filed_at, importance, salience, generation, path, text) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
        [
            (
                row.id, row.wing, row.source, row.room, KINDS.index(row.kind), int(row.aside), row.message,
                row.part, row.line, row.happened_at, now, row.importance, row.salience, generation, row.path,
                row.text,
            )
            for row in rows
        ],
    )  # fmt: skip


def unfile_message(store: Store, message: int, *, generation: int, now: int) -> None:
    """Take a message's drawers out, so that its fuller form can be filed."""
    store.db.execute(
        "INSERT OR REPLACE INTO tombstones SELECT 'replaced', id, ?, ? FROM drawers WHERE message = ?",
        (now, generation, message),
    )
    store.db.execute("DELETE FROM drawers WHERE message = ?", (message,))


def set_kind(store: Store, message: int, kind: str, *, generation: int) -> None:
    """Record that a message has turned out to be of another kind."""
    store.db.execute(
        "UPDATE drawers SET kind = ?, generation = ? WHERE message = ?",
        (KINDS.index(kind), generation, message),
    )


def file_actions(store: Store, deeds: Iterable[Deed], *, generation: int) -> int:
    """File actions and return how many were new; a known one only learns how it ended."""
    new = 0
    for deed in deeds:
        row = store.db.execute("SELECT ok FROM actions WHERE key = ?", (deed.key,)).fetchone()
        if row is None:
            new += 1
            store.db.execute(
                """INSERT INTO actions (key, source, tool, target, ok, error, aside, line, happened_at, generation)
                   VALUES (?,?,?,?,?,?,?,?,?,?)""",
                (*deed, generation),
            )
        elif row[0] is None and deed.ok is not None:
            store.db.execute(
                "UPDATE actions SET ok = ?, error = ?, generation = ? WHERE key = ?",
                (deed.ok, deed.error, generation, deed.key),
            )
    return new


def note_citation(store: Store, *, session: str, id: str, given: bool, at: int) -> bool:
    """Record that a session's agent cited an id; tell whether that is news."""
    row = (session, id, int(given), at)
    return store.db.execute("INSERT OR IGNORE INTO citations VALUES (?, ?, ?, ?)", row).rowcount > 0


def touch(store: Store, wings: Iterable[int], *, generation: int) -> None:
    """Record that wings have changed, so that their stored stories are behind."""
    store.db.executemany("UPDATE wings SET generation = ? WHERE n = ?", [(generation, wing) for wing in wings])


def tombstoned(store: Store, kind: str) -> "frozenset[str]":
    """Return the keys of one kind that were forgotten: drawer, source or wing."""
    rows = store.db.execute("SELECT key FROM tombstones WHERE kind = ?", (kind,))
    return frozenset(row[0] for row in rows)
