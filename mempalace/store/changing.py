"""Changing what is filed, on request: notes, forgetting, moving to another wing."""

from __future__ import annotations

from typing import Iterable, List, NamedTuple, Sequence, Set, Tuple

from mempalace.store.connection import Store
from mempalace.store.filing import touch
from mempalace.store.schema import KINDS

BATCH = 500  # rows named in one statement


class Gone(NamedTuple):
    """What was forgotten: how much, and of which drawers."""

    drawers: int
    actions: int
    sources: int
    ids: Tuple[str, ...]
    wings: Tuple[int, ...]


def add_note(
    store: Store, *, id: str, wing: int, room: str, text: str, message: int, part: int, salience: int,
    importance: float, pinned: bool, now: int, generation: int,
) -> None:  # fmt: skip
    """File a drawer that stands by itself, without a source."""
    store.db.execute(
        """INSERT OR REPLACE INTO drawers (id, wing, source, room, kind, aside, message, part, line, happened_at,
           filed_at, importance, salience, pinned, loose, generation, text)
           VALUES (?, ?, 0, ?, ?, 0, ?, ?, 0, ?, ?, ?, ?, ?, 1, ?, ?)""",
        (id, wing, room, KINDS.index("note"), message, part, now, now, importance, salience, pinned, generation, text),
    )
    store.db.execute("DELETE FROM tombstones WHERE kind = 'drawer' AND key = ?", (id,))


def rows_of_wing(store: Store, wing: int) -> List[int]:
    """Return the rows of all drawers of a wing."""
    return [row[0] for row in store.db.execute("SELECT n FROM drawers WHERE wing = ? ORDER BY n", (wing,))]


def rows_of_source(store: Store, source: int) -> List[int]:
    """Return the rows of all drawers of a source."""
    return [row[0] for row in store.db.execute("SELECT n FROM drawers WHERE source = ? ORDER BY n", (source,))]


def rows_holding(store: Store, text: str) -> List[int]:
    """Return the rows of all drawers whose text holds `text`, whatever its case."""
    wanted = text.casefold()
    rows = store.db.execute("SELECT n, text FROM drawers ORDER BY n")
    return [n for n, held in rows if wanted in held.casefold()]


def deeds_holding(store: Store, text: str) -> List[int]:
    """Return the rows of all actions whose command or error holds `text`, whatever its case."""
    wanted = text.casefold()
    rows = store.db.execute("SELECT n, target, error FROM actions ORDER BY n")
    return [n for n, target, error in rows if wanted in target.casefold() or wanted in error.casefold()]


def sources_of_wing(store: Store, wing: int) -> List[int]:
    """Return the rows of all sources of a wing."""
    return [row[0] for row in store.db.execute("SELECT n FROM sources WHERE wing = ? ORDER BY n", (wing,))]


def forget(
    store: Store, rows: Sequence[int], sources: Sequence[int], deeds: Sequence[int] = (), text: str = "", *, now: int,
    generation: int,
) -> Gone:  # fmt: skip
    """Delete drawers, actions, and sources whole, leaving tombstones so that mining never files them again.

    What a source's own line quotes of a forgotten drawer (its opening, its outcome), or holds of
    `text`, goes too.
    """
    store.db.execute("PRAGMA secure_delete = ON")
    ids: List[str] = []
    wings: Set[int] = set()
    for n in rows:
        row = store.db.execute("SELECT id, wing, source, text FROM drawers WHERE n = ?", (n,)).fetchone()
        if row is None:
            continue
        ids.append(row[0])
        wings.add(row[1])
        _unquote(store, row[2], row[3], generation)
        store.db.execute("INSERT OR REPLACE INTO tombstones VALUES ('drawer', ?, ?, ?)", (row[0], now, generation))
        store.db.execute("DELETE FROM drawers WHERE n = ?", (n,))
    actions = _forget_deeds(store, deeds, now=now, generation=generation)
    _silence(store, text, now=now, generation=generation)
    for source in sources:
        name = store.db.execute("SELECT id, wing FROM sources WHERE n = ?", (source,)).fetchone()
        wings.add(name[1])
        for kind, key in (("source", name[0]), ("row", str(source))):
            store.db.execute("INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?)", (kind, key, now, generation))
        actions += store.db.execute("DELETE FROM actions WHERE source = ?", (source,)).rowcount
        store.db.execute("DELETE FROM sources WHERE n = ?", (source,))
    for wing in wings:
        store.db.execute("DELETE FROM stories WHERE wing = ?", (wing,))
    touch(store, sorted(wings), generation=generation)
    return Gone(len(ids), actions, len(sources), tuple(ids), tuple(sorted(wings)))


def _forget_deeds(store: Store, deeds: Sequence[int], *, now: int, generation: int) -> int:
    for n in deeds:
        key, source = store.db.execute("SELECT key, source FROM actions WHERE n = ?", (n,)).fetchone()
        for kind, name in (("deed", str(key)), ("action", "a%d" % n)):
            store.db.execute("INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?)", (kind, name, now, generation))
        store.db.execute("DELETE FROM actions WHERE n = ?", (n,))
        store.db.execute("UPDATE sources SET generation = ? WHERE n = ?", (generation, source))
    return len(deeds)


def _silence(store: Store, text: str, *, now: int, generation: int) -> None:
    """Take out what any source's own line holds of a text; its title stays out when mined again."""
    wanted = text.casefold()
    rows = store.db.execute("SELECT n, id, title, opening, outcome FROM sources").fetchall() if wanted else []
    for n, id, *said in rows:
        kept = ["" if wanted in one.casefold() else one for one in said]
        if kept != said:
            store.db.execute(
                "UPDATE sources SET title = ?, opening = ?, outcome = ?, generation = ? WHERE n = ?",
                (*kept, generation, n),
            )
        if kept[0] != said[0]:
            store.db.execute(
                "INSERT OR REPLACE INTO tombstones VALUES ('title', ?, ?, ?)", ("title " + id, now, generation)
            )


def _unquote(store: Store, source: int, text: str, generation: int) -> None:
    whole = " ".join(text.split())
    row = store.db.execute("SELECT title, opening, outcome FROM sources WHERE n = ?", (source,)).fetchone()
    if row is None:
        return
    kept = ["" if said and (said.rstrip(".") in whole or whole in said) else said for said in row]
    if kept != list(row):
        store.db.execute(
            "UPDATE sources SET title = ?, opening = ?, outcome = ?, generation = ? WHERE n = ?",
            (*kept, generation, source),
        )


def scrub_file(store: Store) -> None:
    """Write the log back into the file and empty it, so that no deleted bytes linger there."""
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def move(store: Store, rows: Iterable[int], sources: Sequence[int], wing: int, *, generation: int) -> int:
    """Move drawers, and sources whole, to another wing; return how many drawers moved."""
    touched: Set[int] = {wing}
    count = 0
    for n in rows:
        row = store.db.execute("SELECT wing FROM drawers WHERE n = ?", (n,)).fetchone()
        if row is None or row[0] == wing:
            continue
        touched.add(row[0])
        count += 1
        store.db.execute(
            "UPDATE drawers SET wing = ?, loose = (loose OR ?), generation = ? WHERE n = ?",
            (wing, not sources, generation, n),
        )
    for source in sources:
        store.db.execute("UPDATE sources SET wing = ?, generation = ? WHERE n = ?", (wing, generation, source))
        store.db.execute("UPDATE actions SET generation = ? WHERE source = ?", (generation, source))
    touch(store, sorted(touched), generation=generation)
    return count


def holding(store: Store, ids: Sequence[str]) -> int:
    """Return how many of the ids the store still holds: the receipt's proof."""
    count = 0
    for start in range(0, len(ids), BATCH):
        part = ids[start : start + BATCH]
        marks = ",".join("?" * len(part))
        count += int(store.db.execute("SELECT count(*) FROM drawers WHERE id IN (%s)" % marks, part).fetchone()[0])
    return count
