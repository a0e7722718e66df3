"""Taking carried records in: merged by what each is known by, and nothing that was forgotten comes back."""

from __future__ import annotations

import sqlite3
from typing import Any, Callable, Dict, List, Mapping, Optional, Set

from mempalace.errors import PalaceError
from mempalace.store import carrying, changing, ledger, wings, witness
from mempalace.store.connection import Store
from mempalace.store.schema import KINDS

NEW, KNOWN, FORGOTTEN, OTHER = "new", "known", "forgotten", "in another form"
DIGITS = frozenset("0123456789abcdef")
Values = Dict[str, Any]


class Intake:
    """Takes records in, one after another, within writes that `filing.begin` began.

    wings: the rows of the wings that changed.  beliefs: those that evidence came for.  gone: ids of
    drawers that were here and that a record says are forgotten; left: what beliefs rested on these.
    """

    def __init__(self, store: Store, *, now: int, generation: int) -> None:
        self.store = store
        self.now = now
        self.generation = generation
        self.wings: Set[int] = set()
        self.beliefs: Set[str] = set()
        self.gone: List[str] = []
        self.left: List[witness.Traces] = []
        self._columns = {kind: carrying.columns(store, kind) for kind in carrying.TABLES}
        self._dated = {kind for kind in carrying.TABLES if carrying.dated(store, kind)}
        self._special: Dict[str, Callable[[Values], str]] = {
            "wing": self._wing, "tombstone": self._tombstone, "source": self._source, "drawer": self._drawer,
            "action": self._action, "evidence": self._evidence, "outcome": self._outcome,
        }  # fmt: skip
        self._wings: Dict[str, int] = {"": 0}
        self._sources: Dict[str, Optional[int]] = {"": 0}  # None for one that is forgotten
        self._moved: Dict[str, int] = {}  # sources that stand in another wing here
        self._message: Optional[int] = None
        self._parts: Optional[Dict[int, str]] = None  # None for a message that stands here in another form

    def take(self, kind: str, record: Mapping[str, Any]) -> str:
        """Take one record in and return what became of it; raises ValueError, in words, for one that is none."""
        if kind not in self._columns:
            raise ValueError("nothing is called %.40r here" % kind)
        values = carrying.checked(self._columns[kind], record)
        special = self._special.get(kind)
        try:
            return special(values) if special else self._plain(kind, values)
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, PalaceError) as error:
            raise ValueError(str(error)) from error

    def _plain(self, kind: str, values: Values) -> str:
        """Add a record that is known by its table's own key."""
        table = carrying.TABLES[kind]
        row = dict(values)
        for name in table.named:
            row[name] = self._row(name, values[name])
        if kind in self._dated:
            row["generation"] = self.generation
        names = sorted(row)
        query = "INSERT OR IGNORE INTO %s (%s) VALUES (%s)" % (
            table.name,
            ", ".join(names),
            ", ".join("?" * len(names)),
        )
        done = self.store.db.execute(query, [row[name] for name in names])
        return NEW if done.rowcount > 0 else KNOWN

    def _row(self, name: str, value: str) -> int:
        if name == "wing":
            return self._wing_row(value)
        of_belief = name == "belief"
        found = self._one("SELECT n FROM beliefs WHERE id = ?", value) if of_belief else self._source_row(value)
        if found is None:
            raise ValueError("it names a %s that is not here" % name)
        return int(found)

    def _wing_row(self, name: str) -> int:
        if name not in self._wings:
            self._wings[name] = wings.create(self.store, name).n
        return self._wings[name]

    def _source_row(self, id: str) -> Optional[int]:
        if id not in self._sources:
            found = self._one("SELECT n FROM sources WHERE id = ?", id)
            if found is None and not self._tomb("source", id):
                return None
            self._sources[id] = found
        return self._sources[id]

    def _one(self, query: str, *given: Any) -> Any:
        row = self.store.db.execute(query, given).fetchone()
        return row[0] if row else None

    def _tomb(self, kind: str, key: str) -> bool:
        return self._one("SELECT 1 FROM tombstones WHERE kind = ? AND key = ?", kind, key) is not None

    def _wing(self, values: Values) -> str:
        if not values["name"]:
            raise ValueError("a wing needs a name")
        known = wings.by_name(self.store, values["name"]) is not None
        self._wing_row(values["name"])
        return KNOWN if known else NEW

    def _tombstone(self, values: Values) -> str:
        """Forget here what is forgotten there, and keep it forgotten."""
        kind, key = values["kind"], values["key"]
        if kind not in carrying.LASTING:
            raise ValueError("nothing of the kind %.40r is forgotten for good" % kind)
        if self._tomb(kind, key):
            return KNOWN
        rows: List[int] = []
        sources: List[int] = []
        deeds: List[int] = []
        if kind == "drawer":
            rows = self._rows("SELECT n FROM drawers WHERE id = ?", key)
        elif kind == "source":
            sources = self._rows("SELECT n FROM sources WHERE id = ?", key)
            rows = [n for source in sources for n in changing.rows_of_source(self.store, source)]
        elif kind == "deed":
            deeds = self._rows("SELECT n FROM actions WHERE CAST(key AS TEXT) = ?", key)
        else:
            self._untitle(key)
        if rows or sources or deeds:
            self.left.append(witness.left_by(self.store, rows, sources, deeds, "", 0))
            told = changing.forget(
                self.store, rows, sources, deeds, now=self.now, generation=self.generation
            )  # fmt: skip
            self.gone += told.ids
        self._sources.pop(key, None)
        self.store.db.execute(
            "INSERT OR IGNORE INTO tombstones (kind, key, at, generation) VALUES (?, ?, ?, ?)",
            (kind, key, values["at"], self.generation),
        )
        return NEW

    def _rows(self, query: str, *given: Any) -> List[int]:
        return [row[0] for row in self.store.db.execute(query, given)]

    def _untitle(self, key: str) -> None:
        self.store.db.execute(
            "UPDATE sources SET title = '', generation = ? WHERE id = ? AND title <> ''",
            (self.generation, key[len("title ") :]),
        )

    def _source(self, values: Values) -> str:
        """Add a source, or what is not known yet of one that is here."""
        id = values["id"]
        if not id or not values["wing"]:
            raise ValueError("a source needs an id and a wing")
        if self._tomb("source", id):
            return FORGOTTEN
        if self._tomb("title", "title " + id):
            values = {**values, "title": ""}
        wing = self._wing_row(values["wing"])
        row = self.store.db.execute("SELECT n, wing FROM sources WHERE id = ?", (id,)).fetchone()
        if row:
            if row[1] != wing:
                self._moved[id] = row[1]
            return self._complete(row[0], values)
        taken = (
            "SELECT 1 FROM sources WHERE n = ?1 UNION SELECT 1 FROM tombstones WHERE kind = 'row' AND key = ?1 || ''"
        )
        if values["n"] < 1 or self._one(taken, values["n"]):
            values = {name: value for name, value in values.items() if name != "n"}  # it gets another number
        told = self._plain("source", values)
        self._sources.pop(id, None)
        self.wings.add(wing)
        return told

    def _complete(self, n: int, values: Values) -> str:
        changed = 0
        for name in values.keys() & {"title", "branch", "cwd", "opening", "outcome"}:
            changed += self.store.db.execute(
                "UPDATE sources SET %s = ?, generation = ? WHERE n = ? AND %s = '' AND ? <> ''" % (name, name),
                (values[name], self.generation, n, values[name]),
            ).rowcount
        began, ended = values.get("started_at", 0), values.get("ended_at", 0)
        changed += self.store.db.execute(
            """UPDATE sources SET generation = ?3, ended_at = max(ended_at, ?2),
               started_at = CASE WHEN ?1 = 0 OR started_at BETWEEN 1 AND ?1 THEN started_at ELSE ?1 END
               WHERE n = ?4 AND (?2 > ended_at OR (?1 <> 0 AND NOT started_at BETWEEN 1 AND ?1))""",
            (began, ended, self.generation, n),
        ).rowcount
        return NEW if changed else KNOWN

    def _drawer(self, values: Values) -> str:
        """Add a drawer, unless it is here, is forgotten, or its message stands here in other words."""
        id, source = values["id"], values["source"]
        if not 8 <= len(id) <= 64 or not DIGITS.issuperset(id):
            raise ValueError("%.40r is no drawer's id" % id)
        if not 0 <= values["kind"] < len(KINDS) or not values["wing"]:
            raise ValueError("a drawer needs a wing, and a kind from 0 to %d" % (len(KINDS) - 1))
        if self._tomb("drawer", id) or (source and self._source_row(source) is None and self._tomb("source", source)):
            return FORGOTTEN
        if values["message"] != self._message:
            held = self.store.db.execute("SELECT part, id FROM drawers WHERE message = ?", (values["message"],))
            self._message, self._parts = values["message"], dict(held.fetchall())
        if self._parts is None:
            return OTHER
        here = self._parts.get(values["part"])
        if here is not None and here != id:
            self._parts = None
            return OTHER
        if here == id:
            return KNOWN
        if source in self._moved and not values.get("loose"):
            values = {**values, "wing": self._one("SELECT name FROM wings WHERE n = ?", self._moved[source])}
        told = self._plain("drawer", values)
        if told == NEW:
            self._parts[values["part"]] = id
            self.wings.add(self._wing_row(values["wing"]))
        return told

    def _action(self, values: Values) -> str:
        if self._tomb("deed", str(values["key"])):
            return FORGOTTEN
        if self._source_row(values["source"]) is None and self._tomb("source", values["source"]):
            return FORGOTTEN
        return self._plain("action", values)

    def _evidence(self, values: Values) -> str:
        drawer = values.get("drawer")
        if drawer and self._tomb("drawer", drawer):
            return FORGOTTEN
        told = self._plain("evidence", values)
        if told == NEW:
            self.beliefs.add(values["belief"])
        return told

    def _outcome(self, values: Values) -> str:
        """Add an event with its counts."""
        kind, _, name = values["subject"].partition("::")
        if kind == ledger.DRAWER and self._tomb("drawer", name):
            return FORGOTTEN
        event = ledger.Outcome(**{**values, "wing": self._wing_row(values["wing"])})
        return NEW if ledger.add(self.store, event, generation=self.generation) else KNOWN
