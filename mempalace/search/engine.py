"""Asking the index: drawers, their sessions and what was done there, fused into one ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import tantivy

from mempalace.errors import PalaceError
from mempalace.search import damage, fields, state
from mempalace.search.dates import Span
from mempalace.search.query import Query, Term
from mempalace.search.repair import repaired
from mempalace.search.weighing import PHRASE, Drawer, Found, Scale, around, newest_first, scaled, side_by_side, speaker

Occur, Ask = tantivy.Occur, tantivy.Query

POOL, SESSIONS, DEEDS = 150, 100, 60  # candidates taken of drawers, sessions and actions
BESIDE = 20  # best candidates whose neighbours are looked at too
EXACT = 1.0  # of an identifier met whole
# These and the weights in weighing.py are chosen by tests/benchmarks/ on the development sets.
GRAIN = 0.5  # of a session's score, against its drawers' own
WORK = 0.35  # of what was done in a session, against what was said
DOERS = 10  # sessions that are looked at for what was done there alone
DONE = 2.5  # for the one thing done in a session that answers best
TURNS = (1.0, 0.5, 0.25)  # a session's best drawers
DATED = 0.6  # for a drawer of the time the question speaks of


class Filters(NamedTuple):
    """What a drawer must be: of a wing (its row), in a room, of a kind, of a time."""

    wing: int = 0
    room: str = ""
    kind: str = ""
    since: int = 0
    until: int = 0


class Engine:
    """An open index. Raises PalaceError where there is none to ask, saying what mends it."""

    def __init__(self, palace: str) -> None:
        held = state.read(palace)
        if held is None:
            raise PalaceError('the search index is missing: run "mempalace doctor --rebuild"')
        if not state.usable(held):
            raise PalaceError('the search index was built by another version: run "mempalace doctor --rebuild"')
        with damage.told():
            self.index = tantivy.Index.open(state.folder(palace))
            self.searcher = self.index.searcher()
        self.state = held
        self.schema = self.index.schema

    def find(
        self, query: Query, filters: Filters, spans: Sequence[Span], limit: int, *, newest: bool = False
    ) -> list[Found]:
        """Return at most `limit` drawers, best first; ties: the later row first.

        spans: times the question speaks of.  newest: it asks how things are now, so of two that
        answer alike the later one wins.  Raises Damaged where the index cannot be read.
        """
        with damage.told():
            return self._find(query, filters, spans, limit, newest=newest)

    def _find(self, query: Query, filters: Filters, spans: Sequence[Span], limit: int, *, newest: bool) -> list[Found]:
        query = repaired(query, self.searcher)
        pool = self._pool(query, filters, max(POOL, limit))
        self._weigh(pool, query)
        deeds = self._deeds(query, filters)
        pool += self._beside(pool, deeds, filters)
        if not pool:
            return []
        near = around(pool)
        own = {drawer.n: (drawer.own + near.get(drawer.n, 0.0)) * speaker(drawer, query) for drawer in pool}
        top = max(own.values()) or 1.0
        grain = self._grain(query, filters, pool, {n: score / top for n, score in own.items()})
        found = []
        for drawer in pool:
            parts = {
                "words": drawer.own / top,
                "around": near.get(drawer.n, 0.0) / top,
                "session": GRAIN * grain.get(drawer.source, 0.0),
                "done": DONE * deeds.get(drawer.source, 0.0),
                "time": DATED if any(span.start <= drawer.at <= span.end for span in spans) else 0.0,
            }
            parts["speaker"] = own[drawer.n] / top - parts["words"] - parts["around"]
            found.append(Found(drawer.n, drawer.source, sum(parts.values()), parts, drawer.own, drawer.covered))
        found.sort(key=lambda hit: (-hit.score, -hit.n))
        if newest:
            found = newest_first(found, {drawer.n: drawer.at for drawer in pool})
        return found[:limit]

    def _pool(self, query: Query, filters: Filters, limit: int) -> list[Drawer]:
        clauses = [(Occur.Should, self._term(term, "body")) for term in query.terms]
        for phrase in query.phrases:
            asked = Ask.phrase_query(self.schema, "body", list(phrase))
            clauses.append((Occur.Should, Ask.boost_query(asked, PHRASE)))
        for word in query.exact:
            asked = Ask.term_query(self.schema, "exact", word, index_option="freq")
            clauses.append((Occur.Should, Ask.boost_query(asked, 2.0)))
        if not clauses:
            return []
        drawers = (Occur.MustNot, self._raw("kind", "action"))  # these name the same files, and many times
        return self._candidates([(Occur.Must, Ask.boolean_query(clauses)), drawers, *self._filters(filters)], limit)

    def _beside(self, pool: Sequence[Drawer], deeds: dict[int, float], filters: Filters) -> list[Drawer]:
        """Return candidates that share no word with the question themselves.

        The neighbours of the best, and the opening of each session in which the thing was done.
        """
        held = {(drawer.source, drawer.place) for drawer in pool}
        best = sorted(pool, key=lambda drawer: (-drawer.own, -drawer.n))[:BESIDE]
        spots = {(d.source, d.place + step) for d in best for step in (-2, -1, 1, 2)} - held
        here = {drawer.source for drawer in pool}
        spots |= {(source, 0) for source in sorted(deeds, key=lambda s: (-deeds[s], s))[:DOERS] if source not in here}
        asked = [(Occur.Should, self._raw("spot", fields.spot(*spot))) for spot in sorted(spots)]
        if not asked:
            return []
        return self._candidates([(Occur.Must, Ask.boolean_query(asked)), *self._filters(filters)], len(asked))

    def _candidates(self, clauses: list[tuple[Any, Any]], limit: int) -> list[Drawer]:
        addresses = [address for _, address in self._search(clauses, limit)]
        columns = [self.searcher.fast_field_values(name, addresses) for name in ("n", "s", "p", "at", "k")]
        return [
            Drawer(
                int(n),
                int(s),
                int(p),
                int(at),
                fields.KINDS[int(k)],
                f" {self.searcher.doc(address).get_first('body') or ''} ",
            )
            for address, n, s, p, at, k in zip(addresses, *columns, strict=True)
            if p is not None
        ]

    def _weigh(self, pool: Sequence[Drawer], query: Query) -> None:
        """Score the pool by its own words, and add what was met whole."""
        mean = self.state.terms / max(1, self.state.drawers)
        scale = Scale(query, mean, lambda stem: self._rarity("body", stem))
        for drawer in pool:
            scale.weigh(drawer)
        self._exact(pool, query)

    def _exact(self, pool: Sequence[Drawer], query: Query) -> None:
        by_row = {drawer.n: drawer for drawer in pool}
        for word in query.exact:
            asked = Ask.term_query(self.schema, "exact", word, index_option="freq")
            weight = EXACT * self._rarity("exact", word)
            for n, _, _ in self._rows([(Occur.Must, asked), (Occur.MustNot, self._raw("kind", "action"))], POOL):
                if n in by_row:
                    by_row[n].own += weight

    def _grain(self, query: Query, filters: Filters, pool: Sequence[Drawer], own: dict[int, float]) -> dict[int, float]:
        """Return the score of each session in the pool, scaled to 1: its best drawers, and it as a whole."""
        best: dict[int, list[float]] = {}
        for drawer in pool:
            best.setdefault(drawer.source, []).append(own[drawer.n])
        wing = self._filters(Filters(wing=filters.wing))
        said = scaled(self._rows([(Occur.Must, self._all(query, "session")), *wing], SESSIONS))
        done = scaled(self._rows([(Occur.Must, self._all(query, "work")), *wing], SESSIONS))
        whole = {n: said.get(n, 0.0) + WORK * done.get(n, 0.0) for n in best}
        top = max(whole.values(), default=0.0) or 1.0
        score = {
            source: sum(w * s for w, s in zip(TURNS, sorted(scores, reverse=True), strict=False)) / sum(TURNS)
            + whole[source] / top
            for source, scores in best.items()
        }
        highest = max(score.values(), default=0.0) or 1.0
        return {source: value / highest for source, value in score.items()}

    def _deeds(self, query: Query, filters: Filters) -> dict[int, float]:
        """Return, for each source, how well its best action answers, in [0, 1].

        The share of the words asked for that it holds, and of the pairs that stand side by side
        in it as in the question: a commit's subject meets the command that made it.
        """
        found: dict[int, float] = {}
        hits = self._search([(Occur.Must, self._all(query, "deed")), *self._filters(Filters(wing=filters.wing))], DEEDS)
        sources = self.searcher.fast_field_values("s", [address for _, address in hits])
        for (_, address), source in zip(hits, sources, strict=True):
            text = f" {self.searcher.doc(address).get_first('deed') or ''} "
            held = sum(any(f" {stem} " in text for stem in term.stems) for term in query.terms) / len(query.terms)
            strength = ((held + side_by_side(text, query)) / 2) ** 2
            row = int(source or 0)
            found[row] = max(strength, found.get(row, 0.0))
        return found

    def _rarity(self, field: str, term: str) -> float:
        held = self.searcher.doc_freq(field, term)
        return math.log(1 + (max(self.state.drawers, held) - held + 0.5) / (held + 0.5)) if held else 0.0

    def _all(self, query: Query, field: str) -> Any:
        return Ask.boolean_query([(Occur.Should, self._term(term, field)) for term in query.terms])

    def _term(self, term: Term, field: str) -> Any:
        variants = [Ask.term_query(self.schema, field, stem, index_option="freq") for stem in term.stems]
        return variants[0] if len(variants) == 1 else Ask.disjunction_max_query(variants)

    def _raw(self, field: str, value: str) -> Any:
        return Ask.term_query(self.schema, field, value, index_option="basic")

    def _filters(self, filters: Filters) -> list[tuple[Any, Any]]:
        found = []
        for name, value in (("wing", str(filters.wing or "")), ("room", filters.room), ("kind", filters.kind)):
            if value:
                found.append((Occur.Must, self._raw(name, value)))
        if filters.since or filters.until:
            found.append((Occur.Must, self._between(filters.since, filters.until or 2**40)))
        return found

    def _between(self, since: int, until: int) -> Any:
        return Ask.range_query(self.schema, "at", tantivy.FieldType.Integer, since, until)

    def _search(self, clauses: list[tuple[Any, Any]], limit: int) -> list[tuple[float, Any]]:
        hits: list[tuple[float, Any]] = self.searcher.search(Ask.boolean_query(clauses), limit=limit, count=False).hits
        return hits

    def _rows(self, clauses: list[tuple[Any, Any]], limit: int) -> list[tuple[int, int, float]]:
        """Return (row, source, score) of what answers, best first."""
        found = self._search(clauses, limit)
        addresses = [address for _, address in found]
        columns = [self.searcher.fast_field_values(name, addresses) for name in ("n", "s")]
        return [(int(n), int(s), score) for (score, _), n, s in zip(found, *columns, strict=True)]
