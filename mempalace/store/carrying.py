"""Carrying a palace elsewhere: all that is filed as records without row numbers, and taking such records in.

Derived things stay behind: the index, stories, the ledger's counts, how far each file was read, and
what was read from git.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple

from mempalace.store.connection import Store

LASTING = ("drawer", "source", "deed", "title")  # tombstones that hold wherever the palace is
NAMED = {"wing": ("wings", "name"), "source": ("sources", "id"), "belief": ("beliefs", "id")}
LARGEST = 2**63  # SQLite's integers are smaller
TYPES = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}


class Table(NamedTuple):
    """A table as it is carried: by which order, which columns name a row elsewhere, which stay behind."""

    name: str
    order: str
    named: Tuple[str, ...] = ()
    left: Tuple[str, ...] = ("n", "generation")
    since: int = 1
    where: str = ""


TABLES: Dict[str, Table] = {  # in an order in which each record finds those that it names
    "wing": Table("wings", "name", left=("n", "drawers", "generation")),
    "root": Table("roots", "root", ("wing",)),
    "mark": Table("marks", "mark, root"),
    "tombstone": Table("tombstones", "kind, key", where="WHERE kind IN %s" % (LASTING,)),
    "source": Table("sources", "n", ("wing",), left=("generation",)),
    "drawer": Table("drawers", "n", ("wing", "source")),
    "action": Table("actions", "n", ("source",)),
    "citation": Table("citations", "session, id"),
    "belief": Table("beliefs", "id", ("wing",), since=2),
    "evidence": Table("evidence", "belief, key", ("belief",), since=2),
    "turn": Table("turns", "id", ("wing",), since=2),
    "outcome": Table("outcomes", "key", ("wing",), since=3),
    "shake": Table("shakes", "subject, wing, at", ("wing",), since=3),
}


class Column(NamedTuple):
    """A column: its name, the types its values may have, whether it may hold nothing, whether it may be left out."""

    name: str
    types: Tuple[type, ...]
    empty: bool
    optional: bool


def columns(store: Store, kind: str) -> List[Column]:
    """Return the columns of a kind of record, in the table's order; those that name a row hold that row's name."""
    table = TABLES[kind]
    found = []
    for _, name, type_, filled, default, key in store.db.execute("PRAGMA table_info(%s)" % table.name):
        if name not in table.left:
            types = (str,) if name in table.named else TYPES.get(type_, (str,))
            empty = not filled and not key
            found.append(Column(name, types, empty, empty or default is not None))
    return found


def dated(store: Store, kind: str) -> bool:
    """Tell whether rows of that kind carry the generation that wrote them."""
    return any(row[1] == "generation" for row in store.db.execute("PRAGMA table_info(%s)" % TABLES[kind].name))


def records(store: Store) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yield (kind, record) for all that is filed, as it is at this moment; the same palace gives the same records."""
    store.db.execute("BEGIN")
    try:
        for kind, table in TABLES.items():
            if store.version >= table.since:
                names = [column.name for column in columns(store, kind)]
                for row in store.db.execute(_query(table, names)):
                    yield kind, dict(zip(names, row))  # noqa: B905
    finally:
        store.db.execute("COMMIT")


def _query(table: Table, names: List[str]) -> str:
    taken = ", ".join(
        "ifnull((SELECT %s FROM %s WHERE n = t.%s), '') AS %s" % (*reversed(NAMED[name]), name, name)
        if name in table.named else "t.%s" % name
        for name in names
    )  # fmt: skip
    return "SELECT %s FROM %s AS t %s ORDER BY %s" % (taken, table.name, table.where, table.order)


def checked(known: List[Column], record: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the values of a record as its columns take them; raises ValueError, in words, for what is none."""
    values: Dict[str, Any] = {}
    for column in known:
        if column.name not in record:
            if column.optional:
                continue
            raise ValueError("%s is missing" % column.name)
        value = record[column.name]
        if isinstance(value, bool) or not (isinstance(value, column.types) or (value is None and column.empty)):
            raise ValueError("%s cannot be %s" % (column.name, type(value).__name__))
        if isinstance(value, int) and not -LARGEST <= value < LARGEST:
            raise ValueError("%s is too large" % column.name)
        values[column.name] = value
    return values
