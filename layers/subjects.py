"""What evidence can be about, as a user names it: a drawer, a belief, a file of the project."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from mempalace.errors import NotFound, PalaceError
from mempalace.projects import project_of
from mempalace.store import beliefs, ledger, looking, wings
from mempalace.store.connection import Store

NAMED = re.compile(r"\[?(?P<sign>[dbs]):(?P<id>\w+)\]?|(?P<kind>drawer|belief|file)::(?P<name>.+)", re.S)
BARE = re.compile(r"[0-9a-fA-F]{%d,24}" % looking.SHORTEST_ID)


class Subject(NamedTuple):
    """One thing that the ledger keeps account of.

    subject, wing: its row.  id: of the drawer or belief, whole, or the file's path in its repository.
    """

    subject: str
    wing: int
    kind: str
    id: str

    @property
    def shown(self) -> str:
        """The name a reader knows it by."""
        return shown(self.subject)


def shown(subject: str) -> str:
    """Return a subject as it is cited: [d:ID], [b:ID] or the file's path.

    >>> shown("drawer::3fa2c1d07e5b9a8c6d4e2f10")
    '[d:3fa2c1d0]'
    """
    kind, _, name = subject.partition("::")
    return name if kind == ledger.FILE else "[%s:%s]" % (kind[0], name[:8])


def named(store: Store, id: str, *, cwd: str, now: int) -> Subject:
    """Return what `d:ID`, `b:ID`, a bare ID or a file's path means. Raises NotFound, or PalaceError for a session."""
    text = id.strip()
    found = NAMED.fullmatch(text)
    kind = (found["kind"] or {"d": ledger.DRAWER, "b": ledger.BELIEF, "s": ""}[found["sign"]]) if found else ledger.FILE
    name = (found["name"] or found["id"]) if found else text
    if not kind:
        raise PalaceError("%s is a session: name the drawer in it that was relied on" % text)
    if not found and BARE.fullmatch(text) and not os.path.exists(os.path.join(cwd, text)):
        kind = ledger.DRAWER
    if kind == ledger.FILE:
        return _file(store, name, cwd)
    whole = looking.drawer(store, name).drawer.id if kind == ledger.DRAWER else beliefs.belief(store, name, now=now).id
    return Subject(ledger.subject_of(kind, whole), 0, kind, whole)


def _file(store: Store, path: str, cwd: str) -> Subject:
    """Return the file of the wing that `cwd` lies in; one that is neither on disk nor known is a slip of the pen."""
    project = project_of(cwd)
    wing = wings.of_project(store, project)
    if wing is None:
        raise NotFound('nothing is filed for the project at %s: run "mempalace mine" there first' % project.root)
    whole = os.path.join(os.path.realpath(cwd), path)
    inside = os.path.relpath(whole, _top(os.path.dirname(whole), project.root)).replace(os.sep, "/")
    subject = ledger.subject_of(ledger.FILE, inside)
    if inside.startswith("../"):
        raise NotFound("%s lies outside of the project at %s" % (path, project.root))
    if not os.path.isfile(whole) and not ledger.of(store, [subject], wing.n):
        raise NotFound("%s is no file of %s, and no drawer's or belief's id" % (path, wing.name))
    return Subject(subject, wing.n, ledger.FILE, inside)


def _top(folder: str, root: str) -> str:
    """Return the checkout that a folder lies in: a worktree's own top, where that is not the project's root."""
    here = os.path.normpath(folder)
    while here != os.path.dirname(here):
        if os.path.exists(os.path.join(here, ".git")):
            return here
        here = os.path.dirname(here)
    return root
