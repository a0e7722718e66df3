"""The index: derived from the palace, caught up from it, rebuilt from it at any time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import tantivy

from mempalace.search import damage, state
from mempalace.search.analyzer import Analyzer, identifiers
from mempalace.search.fields import KINDS, schema, spot
from mempalace.search.state import State
from mempalace.store import filing, reading
from mempalace.store.connection import Store

HEAP = 48_000_000  # bytes the writer gathers before it writes a segment


def catch_up(store: Store, analyzer: Analyzer, *, rebuild: bool = False) -> int:
    """Bring the index up to the store and return how many documents it took.

    An index of another analyzer or other fields, or one that is damaged, is built anew.
    """
    held = state.read(store.palace)
    target = filing.generation(store)
    if not rebuild and held is not None and state.usable(held):
        if held.generation >= target:
            return 0
        with suppress(damage.Damaged), damage.told():
            return _fill(store, analyzer, tantivy.Index.open(state.folder(store.palace)), held, target)
    return _fill(store, analyzer, _empty(state.folder(store.palace)), None, target)


def _empty(here: str) -> tantivy.Index:
    """Return a new index in the place of whatever is there."""
    shutil.rmtree(here, ignore_errors=True)
    with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
        os.unlink(here)  # something that is no folder
    os.makedirs(here, mode=0o700)
    return tantivy.Index(schema(), path=here)


def _fill(store: Store, analyzer: Analyzer, index: tantivy.Index, held: State | None, target: int) -> int:
    writer = index.writer(heap_size=HEAP, num_threads=1)
    filling = _Filling(store, analyzer, writer, fresh=held is None)
    filling.fill(held.generation if held else 0)
    writer.commit()
    writer.wait_merging_threads()
    drawers, terms = (held.drawers, held.terms) if held else (0, 0)
    told = State(state.ANALYZER, state.SCHEMA, target, drawers + filling.drawers, terms + filling.terms)
    state.write(store.palace, told)
    return filling.count


def documents(palace: str) -> int:
    """Return how many documents the index holds."""
    return int(tantivy.Index.open(state.folder(palace)).searcher().num_docs)


def holding(palace: str, ids: Sequence[str]) -> int:
    """Return how many of the ids the index still holds."""
    searcher = tantivy.Index.open(state.folder(palace)).searcher()
    return sum(bool(searcher.doc_freq("id", id) and _alive(searcher, id)) for id in ids)


def _alive(searcher: Any, id: str) -> bool:
    """Tell whether a document is there, and not merely its term in a segment not yet merged."""
    asked = tantivy.Query.term_query(schema(), "id", id, index_option="basic")
    return bool(searcher.search(asked, limit=1).hits)


class _Filling:
    """One run of filling the index from the store."""

    def __init__(self, store: Store, analyzer: Analyzer, writer: Any, *, fresh: bool) -> None:
        self.store = store
        self.analyzer = analyzer
        self.writer = writer
        self.fresh = fresh
        self.count = 0
        self.drawers = 0
        self.terms = 0

    def fill(self, since: int) -> None:
        """Take out what is gone, put in what changed after a generation."""
        if not self.fresh:
            for id in reading.gone(self.store, since):
                self.writer.delete_documents_by_term("id", id)
            for source in reading.gone_sources(self.store, since):
                self.writer.delete_documents_by_term("source", str(source))
        for source in reading.changed_sources(self.store, since):
            self._source(source, since)

    def _source(self, source: int, since: int) -> None:
        if not source:
            self._notes(since)
            return
        drawers = reading.drawers_of(self.store, source)
        bodies = [self.analyzer.terms(drawer.text) for drawer in drawers]
        changed = reading.changed_drawers(self.store, source, since)
        for place, (drawer, body) in enumerate(zip(drawers, bodies, strict=True)):
            if drawer.n in changed:
                self.drawers += 1
                self.terms += len(body)
                kind = "aside" if drawer.aside else drawer.kind
                texts = {"room": drawer.room, "kind": kind, "body": " ".join(body), "exact": _exact(drawer.text)}
                texts["spot"] = spot(source, place)
                self._put(
                    drawer.id,
                    texts,
                    wing=drawer.wing,
                    s=source,
                    n=drawer.n,
                    at=drawer.happened_at,
                    p=place,
                    k=KINDS.index(kind),
                )
        actions = reading.actions_of(self.store, source)
        done = [self._done(action) for action in actions]
        for action, terms in zip(actions, done, strict=True):
            if action.generation > since:
                said = f"{action.target}\n{action.error}"
                texts = {"kind": "action", "deed": " ".join(terms), "exact": _exact(said)}
                self._put(f"a{action.n}", texts, wing=action.wing, s=source, n=action.n, at=action.happened_at)
        wing, at, title = reading.title_of(self.store, source)
        said_here = [term for drawer, body in zip(drawers, bodies, strict=True) if not drawer.aside for term in body]
        work = [term for terms in done for term in terms]
        texts = {"kind": "session", "session": " ".join(self.analyzer.terms(title) + said_here), "work": " ".join(work)}
        self._put(f"s{source}", texts, wing=wing, s=source, n=source, at=at)

    def _notes(self, since: int) -> None:
        """Put in what stands without a source: no neighbours, no session."""
        for drawer in reading.changed_notes(self.store, since):
            body = self.analyzer.terms(drawer.text)
            self.drawers += 1
            self.terms += len(body)
            texts = {"room": drawer.room, "kind": drawer.kind, "body": " ".join(body), "exact": _exact(drawer.text)}
            self._put(
                drawer.id,
                texts,
                wing=drawer.wing,
                s=0,
                n=drawer.n,
                at=drawer.happened_at,
                p=-1,
                k=KINDS.index(drawer.kind),
            )

    def _done(self, action: reading.ActionDoc) -> list[str]:
        return [action.tool.lower(), *self.analyzer.terms(f"{action.target}\n{action.error}", code="en")]

    def _put(self, id: str, texts: dict[str, str], *, wing: int, **numbers: int) -> None:
        if not self.fresh:
            self.writer.delete_documents_by_term("id", id)
        document = tantivy.Document(id=id, wing=str(wing), source=str(numbers["s"]), **texts)
        for name, value in numbers.items():
            document.add_integer(name, value)
        self.writer.add_document(document)
        self.count += 1


def _exact(text: str) -> str:
    return " ".join(identifiers(text))
