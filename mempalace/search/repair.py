"""Words the palace never saw: taken apart, or read as the nearest it knows."""

from __future__ import annotations

from typing import Any

from rapidfuzz import fuzz, process

from mempalace.search.query import Query, Term

SHORTEST = 4  # letters of a word that is repaired, and of each part of one taken apart
LIKE = 80.0  # per cent of likeness at which a typo is read as a known word
LOOKED_AT = 20_000  # known words with the same first letters that are compared
LINKS = ("", "s", "es", "n", "en", "-")  # what joins the parts of a German or Dutch compound


def repaired(query: Query, searcher: Any) -> Query:
    """Return the question with the words that no drawer holds given stems that some do."""
    terms = tuple(_repaired(term, searcher) for term in query.terms)
    return query if terms == query.terms else query._replace(terms=terms)


def _repaired(term: Term, searcher: Any) -> Term:
    if len(term.word) < SHORTEST or not term.word.isalpha():
        return term
    if any(searcher.doc_freq("body", stem) for stem in term.stems):
        return term
    found = _parts(term.stems[0], searcher) or _nearest(term.stems[0], searcher)
    return term._replace(stems=(*term.stems, *found)) if found else term


def _parts(stem: str, searcher: Any) -> tuple[str, ...]:
    """Return the two known words an unknown one is made of, the longest first part that works."""
    for at in range(len(stem) - SHORTEST, SHORTEST - 1, -1):
        if not searcher.doc_freq("body", stem[:at]):
            continue
        for link in LINKS:
            rest = stem[at:].removeprefix(link) if stem[at:].startswith(link) else ""
            if len(rest) >= SHORTEST and searcher.doc_freq("body", rest):
                return stem[:at], rest
    return ()


def _nearest(stem: str, searcher: Any) -> tuple[str, ...]:
    """Return the known word most like it, with the same first two letters, or none."""
    known = [word for word, _ in searcher.terms_with_prefix("body", stem[:2], limit=LOOKED_AT)]
    near = [word for word in known if abs(len(word) - len(stem)) <= 2]
    best = process.extract(stem, near, scorer=fuzz.ratio, score_cutoff=LIKE, limit=2)
    return tuple(word for word, _, _ in best)
