"""The history of a repository: its commits, and the files that each of them touched."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.store.connection import Store

SINCE = 4  # the schema's version that brought histories
FEWEST, MOST = 2, 50  # files of a commit that counts for what changes together


class Repository(NamedTuple):
    """A repository as far as it was read. head: "" until it was read whole; border: of a shallow clone."""

    n: int
    root: str
    wing: int
    head: str = ""
    border: str = ""


class Commit(NamedTuple):
    """A commit to be filed. hash: in hexadecimal; paths: all it touched, each once."""

    hash: str
    at: int
    paths: Tuple[str, ...]


class Together(NamedTuple):
    """A file that changed in commits with another. both: in how many; changes: of its own, in all."""

    path: str
    both: int
    changes: int


def repository(store: Store, root: str) -> Optional[Repository]:
    """Return what is kept of the repository in that folder, or None."""
    if store.version < SINCE:
        return None
    row = store.db.execute("SELECT n, root, wing, head, border FROM repositories WHERE root = ?", (root,)).fetchone()
    return Repository(*row) if row else None


def ensure(store: Store, root: str, wing: int) -> Repository:
    """Return the repository in that folder, made where missing; it belongs to that wing from now on."""
    store.db.execute(
        """INSERT INTO repositories (root, wing, head, border, read_at) VALUES (?, ?, '', '', 0)
           ON CONFLICT (root) DO UPDATE SET wing = excluded.wing""",
        (root, wing),
    )
    found = repository(store, root)
    assert found is not None
    return found


def roots(store: Store, wing: int) -> List[str]:
    """Return the folders that belong to a wing, its main repositories' first."""
    rows = store.db.execute("SELECT root FROM roots WHERE wing = ? ORDER BY pooled, root", (wing,))
    return [row[0] for row in rows]


def was_read(store: Store, n: int, *, head: str, border: str, at: int) -> None:
    """Record that all commits up to `head` are filed."""
    store.db.execute("UPDATE repositories SET head = ?, border = ?, read_at = ? WHERE n = ?", (head, border, at, n))


def filed(store: Store, n: int) -> FrozenSet[str]:
    """Return the hashes of all commits filed of a repository."""
    rows = store.db.execute("SELECT hash FROM commits WHERE repository = ?", (n,))
    return frozenset(row[0].hex() for row in rows)


def file_commits(store: Store, n: int, commits: Iterable[Commit]) -> List[str]:
    """File commits, oldest first, and return the hashes of those that were not there yet."""
    changes: "Counter[int]" = Counter()
    new: List[str] = []
    numbers: Dict[str, int] = {}
    for commit in commits:
        done = store.db.execute(
            "INSERT OR IGNORE INTO commits (repository, hash, at, files) VALUES (?, ?, ?, ?)",
            (n, bytes.fromhex(commit.hash), commit.at, len(commit.paths)),
        )
        if done.rowcount < 1:
            continue
        new.append(commit.hash)
        for path in commit.paths:
            if path not in numbers:
                numbers[path] = _number(store, n, path)
        rows = [(numbers[path], done.lastrowid) for path in commit.paths]
        store.db.executemany("INSERT OR IGNORE INTO touched VALUES (?, ?)", rows)
        if FEWEST <= len(commit.paths) <= MOST:
            changes.update(row[0] for row in rows)
    _count(store, changes, 1)
    return new


def take_out(store: Store, n: int, hashes: Sequence[str]) -> None:
    """Take out commits that are in the history no more."""
    if not hashes:
        return
    changes: "Counter[int]" = Counter()
    for hash in hashes:
        row = store.db.execute(
            "SELECT n, files FROM commits WHERE repository = ? AND hash = ?", (n, bytes.fromhex(hash))
        ).fetchone()
        if row is None:
            continue
        if FEWEST <= row[1] <= MOST:
            paths = store.db.execute('SELECT path FROM touched WHERE "commit" = ?', row[:1])
            changes.update(path for (path,) in paths.fetchall())
        store.db.execute('DELETE FROM touched WHERE "commit" = ?', row[:1])
        store.db.execute("DELETE FROM commits WHERE n = ?", row[:1])
    _count(store, changes, -1)
    store.db.execute(
        "DELETE FROM paths WHERE repository = ? AND NOT EXISTS (SELECT 1 FROM touched WHERE path = paths.n)", (n,)
    )


def take_out_untold(store: Store, n: int) -> None:
    """Take out the commits without files: what lay at a shallow clone's border may be told by now."""
    store.db.execute("DELETE FROM commits WHERE repository = ? AND files = 0", (n,))


def counting(store: Store, n: int) -> int:
    """Return how many commits of a repository count for what changes together."""
    query = "SELECT count(*) FROM commits WHERE repository = ? AND files BETWEEN ? AND ?"
    return int(store.db.execute(query, (n, FEWEST, MOST)).fetchone()[0])


def changes_of(store: Store, n: int, path: str) -> Optional[int]:
    """Return how many commits that count touched a file, None for a file the history does not know."""
    row = store.db.execute("SELECT changes FROM paths WHERE repository = ? AND path = ?", (n, path)).fetchone()
    return int(row[0]) if row else None


def together(store: Store, n: int, path: str) -> List[Together]:
    """Return every file that changed with this one in a commit that counts, by path.

    Reads only the commits that touched the file.
    """
    rows = store.db.execute(
        """WITH own AS (SELECT touched.path AS path, "commit" FROM touched
             JOIN paths ON paths.n = touched.path JOIN commits ON commits.n = "commit"
             WHERE paths.repository = ? AND paths.path = ? AND files BETWEEN ? AND ?),
           others AS (SELECT touched.path AS n, count(*) AS both FROM own
             JOIN touched ON touched."commit" = own."commit" AND touched.path <> own.path GROUP BY touched.path)
           SELECT paths.path, both, changes FROM others JOIN paths ON paths.n = others.n ORDER BY paths.path""",
        (n, path, FEWEST, MOST),
    )
    return [Together(*row) for row in rows]


def in_time(store: Store, n: int) -> List[Tuple[str, ...]]:
    """Return the paths of every commit that counts, each sorted, in the commits' order in time."""
    rows = store.db.execute(
        """SELECT commits.n, paths.path FROM commits JOIN touched ON "commit" = commits.n
           JOIN paths ON paths.n = touched.path WHERE commits.repository = ? AND files BETWEEN ? AND ?
           ORDER BY commits.at, commits.n, paths.path""",
        (n, FEWEST, MOST),
    )
    return [tuple(path for _, path in group) for _, group in groupby(rows, key=lambda row: row[0])]


def _number(store: Store, n: int, path: str) -> int:
    store.db.execute("INSERT OR IGNORE INTO paths (repository, path) VALUES (?, ?)", (n, path))
    row = store.db.execute("SELECT n FROM paths WHERE repository = ? AND path = ?", (n, path)).fetchone()
    return int(row[0])


def _count(store: Store, changes: "Counter[int]", sign: int) -> None:
    store.db.executemany(
        "UPDATE paths SET changes = changes + ? WHERE n = ?", [(sign * count, path) for path, count in changes.items()]
    )
