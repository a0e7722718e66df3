"""Wings: which project's drawers are whose."""

from __future__ import annotations

import os
from typing import List, NamedTuple, Optional

from mempalace.errors import NotFound
from mempalace.projects import Project
from mempalace.store.connection import Store


class Wing(NamedTuple):
    """A wing as the palace knows it; generation: when its drawers last changed."""

    n: int
    name: str
    drawers: int
    generation: int


def all_wings(store: Store) -> List[Wing]:
    """Return every wing, most drawers first, then by name."""
    rows = store.db.execute("SELECT n, name, drawers, generation FROM wings ORDER BY drawers DESC, name")
    return [Wing(*row) for row in rows]


def by_name(store: Store, name: str) -> Optional[Wing]:
    """Return the wing of that name, or None."""
    row = store.db.execute("SELECT n, name, drawers, generation FROM wings WHERE name = ?", (name,)).fetchone()
    return Wing(*row) if row else None


def named(store: Store, name: str) -> Wing:
    """Return the wing of that name; raises NotFound with the names nearest to it."""
    wing = by_name(store, name)
    if wing is None:
        known = ", ".join(w.name for w in all_wings(store)[:8]) or "none yet"
        raise NotFound("no wing called %r: the wings are %s" % (name, known))
    return wing


def of_project(store: Store, project: Project) -> Optional[Wing]:
    """Return the project's wing, or None: by its folder, else by what recognises a moved one.

    A mark counts only where the folder it was seen in is gone: two clones are two wings.
    """
    n = _by_root(store, project.root)
    if n is None:
        n = _by_marks(store, project)
    if n is None and project.pooled:
        n = _by_pool(store, project, pooled=None)
    elif n is None:
        n = _by_pool(store, project, pooled=1)
    if n is None:
        return None
    return Wing(*store.db.execute("SELECT n, name, drawers, generation FROM wings WHERE n = ?", (n,)).fetchone())


def ensure(store: Store, project: Project) -> Wing:
    """Return the project's wing, made where it has none; remembers the folder as its own."""
    wing = of_project(store, project)
    if wing is None:
        wing = create(store, _free_name(store, project))
    store.db.execute(
        "INSERT OR IGNORE INTO roots (root, wing, name, pooled) VALUES (?, ?, ?, ?)",
        (project.root, wing.n, project.name, int(project.pooled)),
    )
    store.db.executemany("INSERT OR IGNORE INTO marks VALUES (?, ?)", [(mark, project.root) for mark in project.marks])
    return wing


def create(store: Store, name: str) -> Wing:
    """Return the wing of that name, made where missing."""
    store.db.execute("INSERT OR IGNORE INTO wings (name) VALUES (?)", (name,))
    wing = by_name(store, name)
    assert wing is not None
    return wing


def root_of(store: Store, wing: Wing) -> str:
    """Return a folder of the wing, preferably its main repository's; "" for a named wing."""
    row = store.db.execute("SELECT root FROM roots WHERE wing = ? ORDER BY pooled, root LIMIT 1", (wing.n,)).fetchone()
    return row[0] if row else ""


def _by_root(store: Store, root: str) -> Optional[int]:
    row = store.db.execute("SELECT wing FROM roots WHERE root = ?", (root,)).fetchone()
    return row[0] if row else None


def _by_marks(store: Store, project: Project) -> Optional[int]:
    for mark in project.marks:
        rows = store.db.execute(
            "SELECT roots.root, roots.wing FROM marks JOIN roots USING (root) WHERE mark = ? ORDER BY roots.root",
            (mark,),
        )
        for root, wing in rows:
            if not os.path.exists(root):
                return int(wing)
    return None


def _by_pool(store: Store, project: Project, *, pooled: Optional[int]) -> Optional[int]:
    """Return the one wing a worktree pool of this name shares, if there is exactly one."""
    rows = store.db.execute(
        "SELECT DISTINCT wing FROM roots WHERE name = ? AND pooled = ifnull(?, pooled)",
        (project.name, pooled),
    ).fetchall()
    return rows[0][0] if len(rows) == 1 else None


def _free_name(store: Store, project: Project) -> str:
    """Return the project's name, lengthened by its parent folders until no wing has it."""
    parts = [part for part in project.root.replace("\\", "/").split("/") if part]
    for length in range(1, len(parts) + 1):
        name = "/".join(parts[-length:]) if length > 1 else project.name
        if by_name(store, name) is None:
            return name
    name, n = project.root or "/", 2
    while by_name(store, name) is not None:
        name, n = "%s (%d)" % (project.root or "/", n), n + 1
    return name
