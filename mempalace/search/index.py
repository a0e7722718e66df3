"""The index: derived from the palace, caught up from it, rebuilt from it at any time."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any, NamedTuple

import tantivy

from mempalace.paths import INDEX
from mempalace.search.analyzer import ANALYZER, Analyzer, identifiers
from mempalace.store import filing, reading
from mempalace.store.connection import Store

HEAP = 48_000_000  # bytes the writer gathers before it writes a segment
STATE = "state.json"
SCHEMA = 1  # change it whenever the fields change: the index is rebuilt
NEAR = 1  # drawers before and after whose words a drawer is also found by


class State(NamedTuple):
    """What an index says of itself: which analyzer and fields made it, which generation it holds."""

    analyzer: str
    schema: int
    generation: int


def schema() -> tantivy.Schema:
    """Return the fields. id, wing, kind, room: to filter and delete by. n, at: fast columns.

    body: a drawer's terms.  near: its neighbours'.  exact: identifiers whole.  session: a
    source's terms, its drawers' together.  deed: an action's terms.
    """
    builder = tantivy.SchemaBuilder()
    for name in ("id", "wing", "room", "kind", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("n", indexed=False, fast=True)
    builder.add_integer_field("at", indexed=True, fast=True)
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="position")
    for name in ("near", "exact", "session", "deed"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def folder(palace: str) -> str:
    """Return the index's folder."""
    return os.path.join(palace, INDEX)


def state(palace: str) -> State | None:
    """Return what the index says of itself, None where there is none to be read."""
    try:
        with open(os.path.join(folder(palace), STATE), encoding="utf-8") as file:
            told = json.load(file)
        return State(str(told["analyzer"]), int(told["schema"]), int(told["generation"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def catch_up(store: Store, analyzer: Analyzer, *, rebuild: bool = False) -> int:
    """Bring the index up to the store and return how many documents it took.

    An index of another analyzer or other fields, or one that cannot be opened, is built anew.
    """
    here = folder(store.palace)
    held = state(store.palace)
    fresh = rebuild or held is None or (held.analyzer, held.schema) != (ANALYZER, SCHEMA)
    target = filing.generation(store)
    if not fresh and held is not None and held.generation >= target:
        return 0
    if not fresh:
        try:
            index = tantivy.Index.open(here)
        except ValueError:
            fresh = True
    if fresh:
        shutil.rmtree(here, ignore_errors=True)
        os.makedirs(here, mode=0o700)
        index = tantivy.Index(schema(), path=here)
    since = 0 if fresh or held is None else held.generation
    writer = index.writer(heap_size=HEAP, num_threads=1)
    count = _Filling(store, analyzer, writer, fresh=fresh).fill(since)
    writer.commit()
    writer.wait_merging_threads()
    _declare(here, State(ANALYZER, SCHEMA, target))
    return count


def _declare(here: str, told: State) -> None:
    draft = os.path.join(here, STATE + ".draft")
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(told._asdict(), file)
    os.replace(draft, os.path.join(here, STATE))


class _Filling:
    """One run of filling the index from the store."""

    def __init__(self, store: Store, analyzer: Analyzer, writer: Any, *, fresh: bool) -> None:
        self.store = store
        self.analyzer = analyzer
        self.writer = writer
        self.fresh = fresh
        self.count = 0

    def fill(self, since: int) -> int:
        for id in () if self.fresh else reading.gone(self.store, since):
            self.writer.delete_documents_by_term("id", id)
        for source in () if self.fresh else reading.gone_sources(self.store, since):
            self.writer.delete_documents_by_term("source", str(source))
            self.writer.delete_documents_by_term("id", f"s{source}")
        for source in reading.changed_sources(self.store, since):
            self._source(source, since)
        return self.count

    def _source(self, source: int, since: int) -> None:
        drawers = reading.drawers_of(self.store, source)
        terms = [self.analyzer.terms(drawer.text) for drawer in drawers]
        joined = [" ".join(found) for found in terms]
        changed = reading.changed_drawers(self.store, source, since)
        for at, drawer in enumerate(drawers):
            around = range(max(0, at - NEAR), min(len(drawers), at + NEAR + 1))
            if any(drawers[i].n in changed for i in around):
                near = " ".join(joined[i] for i in around if i != at)
                self._put(drawer.id, drawer.wing, source, drawer.n, drawer.happened_at, {
                    "room": drawer.room, "kind": "aside" if drawer.aside else drawer.kind, "body": joined[at],
                    "near": near, "exact": " ".join(identifiers(drawer.text)),
                })  # fmt: skip
        wing, at, title = reading.title_of(self.store, source)
        if drawers:
            main = [joined[i] for i, drawer in enumerate(drawers) if not drawer.aside]
            text = " ".join([*self.analyzer.terms(title), *main])
            self._put(f"s{source}", wing, source, source, at, {"kind": "session", "session": text})
        for action in reading.actions_of(self.store, source, since):
            said = f"{action.target}\n{action.error}"
            self._put(f"a{action.n}", action.wing, source, action.n, action.happened_at, {
                "kind": "action", "deed": " ".join([action.tool.lower(), *self.analyzer.terms(said)]),
                "exact": " ".join(identifiers(said)),
            })  # fmt: skip

    def _put(self, id: str, wing: int, source: int, n: int, at: int, fields: dict[str, str]) -> None:
        if not self.fresh:
            self.writer.delete_documents_by_term("id", id)
        document = tantivy.Document(id=id, wing=str(wing), source=str(source), **fields)
        document.add_integer("n", n)
        document.add_integer("at", at)
        self.writer.add_document(document)
        self.count += 1
