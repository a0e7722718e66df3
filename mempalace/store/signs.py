"""What the palace itself can tell of how far a drawer may still be relied on."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.model import EDITS
from mempalace.store import calibrations, ledger
from mempalace.store.connection import Store

SINCE = calibrations.SINCE  # beliefs, outcomes and histories came no later
LOOKED = 600  # actions of a session that are looked at for its edits: a session may hold ten thousand
OF_DRAWERS = " FROM ledger WHERE subject >= 'drawer::' AND subject < 'drawer::g'"
NEWEST = 8  # commits of a file that are looked at for its last one; they are filed oldest first


class Footing(NamedTuple):
    """What a drawer stands on.

    source: the row of its session, 0 for none.  path: its transcript, "" for none.  size,
    mtime_ns: the transcript's when it was read, -1 where that is not known.  cwd: where the
    session worked.  said_at: when it was said;  ended_at: when its session last spoke.
    """

    n: int
    source: int
    path: str
    size: int
    mtime_ns: int
    cwd: str
    said_at: int
    ended_at: int


def footings(store: Store, rows: Sequence[int]) -> Dict[int, Footing]:
    """Return what each of the rows stands on, of those that are there."""
    marks = ",".join("?" * len(rows))
    found = store.db.execute(
        """SELECT drawers.n, ifnull(sources.n, 0), ifnull(nullif(drawers.path, ''), ifnull(sources.path, '')) AS place,
           ifnull(size, -1), ifnull(mtime_ns, -1), ifnull(sources.cwd, ''), happened_at, ifnull(ended_at, 0)
           FROM drawers LEFT JOIN sources ON sources.n = drawers.source LEFT JOIN files ON files.path = place
           WHERE drawers.n IN (%s)"""
        % marks,
        tuple(rows),
    )
    return {row[0]: Footing(*row) for row in found}


def ids(store: Store, rows: Sequence[int]) -> Dict[int, str]:
    """Return the id of the drawer in each of the rows that is there."""
    query = "SELECT n, id FROM drawers WHERE n IN (%s)" % ",".join("?" * len(rows))
    return dict(store.db.execute(query, tuple(rows)).fetchall())


def passages(store: Store, ids: Sequence[str]) -> List[Optional[Tuple[int, str, str]]]:
    """Return (row, id, text) of each of the drawers, None for one that is gone."""
    one = "SELECT n, id, text FROM drawers WHERE id = ?"
    return [store.db.execute(one, (id,)).fetchone() for id in ids]


def claims(store: Store, ids: Sequence[str]) -> List[Tuple[str, str, bool]]:
    """Return (drawer, claim, whether it stands) of every belief that rests on one of the drawers, in that order."""
    if store.version < SINCE:
        return []
    # "drawer <> ''" lets SQLite use the index, which leaves the empty ones out.
    rows = store.db.execute(
        """SELECT drawer, beliefs.claim, retired_at = 0 FROM evidence JOIN beliefs ON beliefs.n = belief
           WHERE drawer <> '' AND drawer IN (%s) AND agrees AND effect NOT IN ('clears', 'withdraws') ORDER BY 1, 2"""
        % ",".join("?" * len(ids)),
        tuple(ids),
    )
    return [(drawer, claim, bool(stands)) for drawer, claim, stands in rows]


def edited_before(store: Store, source: int, at: int, most: int) -> List[str]:
    """Return the files that a session edited before `at`, the last one first, each once, at most `most`."""
    rows = store.db.execute(
        "SELECT tool, target, happened_at FROM actions WHERE source = ? ORDER BY n DESC LIMIT ?", (source, LOOKED)
    )
    found: Dict[str, None] = {}
    for tool, target, when in rows:
        if when <= at and target and "\n" not in target and any(sign in tool.lower() for sign in EDITS):
            found[target] = None
            if len(found) == most:
                break
    return list(found)


def repositories(store: Store) -> List[Tuple[str, int, int]]:
    """Return (folder, row, when its history was read) of every repository that was, the longest folder first."""
    if store.version < SINCE:
        return []
    return store.db.execute(
        "SELECT root, n, read_at FROM repositories WHERE read_at > 0 ORDER BY length(root) DESC, root"
    ).fetchall()


def committed_at(store: Store, repository: int, path: str) -> int:
    """Return when a file was last committed, as far as the history was read; 0 for one it does not know."""
    row = store.db.execute(
        """SELECT max(at) FROM (SELECT commits.at FROM paths JOIN touched ON touched.path = paths.n
           JOIN commits ON commits.n = "commit" WHERE paths.repository = ? AND paths.path = ?
           ORDER BY "commit" DESC LIMIT ?)""",
        (repository, path, NEWEST),
    ).fetchone()
    return row[0] or 0


def calibrated(store: Store) -> List[Tuple[str, int]]:
    """Return (signal, wing) of every calibration that is kept, those that are refused too, in that order."""
    if store.version < SINCE:
        return []
    return store.db.execute("SELECT signal, wing FROM calibrations ORDER BY signal, wing").fetchall()


def outcomes(store: Store) -> int:
    """Return how many outcomes are known of drawers: the evidence an envelope's calibration is made from."""
    row = store.db.execute("SELECT ifnull(sum(events), 0)" + OF_DRAWERS).fetchone() if tested(store) else (0,)
    return int(row[0])


def tested(store: Store) -> bool:
    """Tell whether any outcome of any drawer is known."""
    known = store.version >= ledger.SINCE
    return known and store.db.execute("SELECT 1" + OF_DRAWERS + " LIMIT 1").fetchone() is not None
