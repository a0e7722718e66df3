"""The choices that were made: what was sent and what came back, literally, and the record of each."""

from __future__ import annotations

import json
import zlib
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from mempalace.errors import NotFound
from mempalace.identity import drawer_id
from mempalace.store.connection import Store

SINCE = 2  # the schema's version that brought turns
SHORTEST_ID = 4  # hex digits
DIGITS = 16  # of an id
TURN = """SELECT turns.id, at, ifnull(wings.name, ''), kind, task, model, flagged, record, sent, raw, %s
 FROM turns LEFT JOIN wings ON wings.n = turns.wing """


class Turn(NamedTuple):
    """One choice.

    at: when it was made.  wing: "" for none.  sent, raw: the bytes as they were.  record: what else
    is known of it, as plain values.  flagged: it goes against a belief that should not be overridden.
    candidates: the beliefs it could have rested on, as plain values, best first; a list of turns is
    read without them.
    """

    id: str
    at: int
    wing: str
    kind: str
    task: str
    model: str
    flagged: bool
    record: Dict[str, Any]
    sent: bytes
    raw: bytes
    candidates: List[Dict[str, Any]]


def add(
    store: Store, *, at: int, wing: int, kind: str, task: str, model: str, sent: bytes, raw: bytes,
    record: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]], flagged: bool,
) -> str:  # fmt: skip
    """Keep a choice and return its id.

    It is a write of its own and begins no generation: nothing that is searched or told has changed.
    """
    packed = zlib.compress(json.dumps(candidates).encode())
    told = json.dumps(record)
    store.db.execute("BEGIN IMMEDIATE")
    try:
        nth = store.db.execute("SELECT ifnull(max(n), 0) + 1 FROM turns").fetchone()[0]
        key = "\x1f".join((str(at), sent.hex(), raw.hex()))
        id = drawer_id(source=key, ordinal=nth, text="turn")[:DIGITS]
        store.db.execute(
            """INSERT INTO turns (id, at, wing, kind, task, model, flagged, record, sent, raw, candidates)
               VALUES (?,?,?,?,?,?,?,?,?,?,?)""",
            (id, at, wing, _text(kind), _text(task), _text(model), int(flagged), told, sent, raw, packed),
        )
        store.db.execute("COMMIT")
    except BaseException:
        if store.db.in_transaction:
            store.db.execute("ROLLBACK")
        raise
    return id


def turn(store: Store, id: str) -> Turn:
    """Return the turn whose id begins so; raises NotFound where none or several do."""
    wanted = id.lower().strip().strip("[]")
    wanted = wanted[2:] if wanted.startswith("t:") else wanted
    if len(wanted) < SHORTEST_ID or not all(char in "0123456789abcdef" for char in wanted):
        raise NotFound("%r is no turn's id: give at least %d of its hex digits" % (id, SHORTEST_ID))
    found: List[Turn] = []
    if store.version >= SINCE:
        where = "WHERE turns.id >= ? AND turns.id < ? ORDER BY turns.id LIMIT 3"
        found = [_turn(row) for row in store.db.execute(TURN % "candidates" + where, (wanted, wanted + "g"))]
    if not found:
        raise NotFound("no turn %s in this palace: see mempalace turns" % wanted)
    if len(found) > 1:
        raise NotFound("%s is short for several turns: %s" % (wanted, ", ".join(one.id for one in found)))
    return found[0]


def turns(store: Store, *, flagged: bool = False, limit: int) -> List[Turn]:
    """Return the last turns, newest first, of one second the one kept last; flagged: of those alone."""
    if store.version < SINCE:
        return []
    where = "WHERE flagged >= ? ORDER BY at DESC, turns.n DESC LIMIT ?"
    return [_turn(row) for row in store.db.execute(TURN % "NULL" + where, (int(flagged), limit))]


def count(store: Store, *, flagged: bool = False) -> int:
    """Return how many turns there are, or how many flagged ones."""
    if store.version < SINCE:
        return 0
    return int(store.db.execute("SELECT count(*) FROM turns WHERE flagged >= ?", (int(flagged),)).fetchone()[0])


def forget_holding(store: Store, text: str) -> int:
    """Delete, within a write, the turns that hold a text anywhere, and return how many there were."""
    if store.version < SINCE or not text:
        return 0
    forms = {form.encode("utf-8", "replace") for form in (text, *_escaped(text))}
    rows = store.db.execute("SELECT n, CAST(task AS BLOB), CAST(record AS BLOB), sent, raw, candidates FROM turns")
    held = [
        (n,)
        for n, *parts, packed in rows
        if any(form in part for form in forms for part in (*parts, zlib.decompress(packed)))
    ]
    store.db.executemany("DELETE FROM turns WHERE n = ?", held)
    return len(held)


def _escaped(text: str) -> Tuple[str, str]:
    """Return the text as it stands within JSON, in both ways of writing what is not ASCII."""
    return json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def _turn(row: Tuple[Any, ...]) -> Turn:
    id, at, wing, kind, task, model, flagged, record, sent, raw, packed = row
    candidates = json.loads(zlib.decompress(packed)) if packed else []
    return Turn(id, at, wing, kind, task, model, bool(flagged), json.loads(record), bytes(sent), bytes(raw), candidates)


def _text(text: str) -> str:
    """Return the text as a column can hold it; the bytes beside it are what is literal."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
