"""Words the palace never saw: taken apart, put together, or read as the nearest it knows."""

from __future__ import annotations

import re
from typing import Any

from mempalace.search.query import Query, Term

SHORTEST = 4  # letters of a word that is repaired, and of each part of one taken apart
LIKE = 80.0  # per cent of likeness at which a typo is read as a known word
LOOKED_AT = 20_000  # known words with the same first letters that are compared
LINKS = ("", "s", "es", "n", "en")  # what joins the parts of a German or Dutch compound
PAIRS = 12  # neighbouring words that are looked for as one
WHOLE = 8  # letters of a word that may be known by its beginning, and
BEGINNING = 0.6  # the least share of it that the beginning must be
COMPOUNDS = 3  # known words that begin with an unknown one and are read as its compounds
FIELDS = ("body", "session", "deed")  # where a word can be known from
HASH = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}")
SHORT = 7  # digits of a hash cut short


def repaired(query: Query, searcher: Any) -> Query:
    """Return the question with the words that no drawer holds given stems that some do.

    Of stems that a word may have in another language only those remain that the palace knows.
    """
    terms = [_repaired(term, searcher) for term in query.terms]
    for at in range(min(len(terms) - 1, PAIRS)):
        whole = _together(query.terms[at], query.terms[at + 1], searcher)
        if whole:
            terms[at : at + 2] = (term._replace(stems=(*term.stems, *whole)) for term in terms[at : at + 2])
    return query._replace(terms=tuple(terms))


def _repaired(term: Term, searcher: Any) -> Term:
    known = tuple(stem for stem in term.stems if any(searcher.doc_freq(field, stem) for field in FIELDS))
    if any(searcher.doc_freq("body", stem) for stem in known):
        return term._replace(stems=known)
    first = known or term.stems[:1]
    if HASH.fullmatch(term.word):
        return term._replace(stems=(*first, *_hash(term.word, searcher)))
    if len(term.word) < SHORTEST or not term.word.isalpha():
        return term._replace(stems=first)
    for find in (_parts, _compounds, _nearest, _beginning):
        found = find(term.stems[0], searcher)
        if found:
            return term._replace(stems=(*first, *found))
    return term._replace(stems=first)


def _together(one: Term, two: Term, searcher: Any) -> tuple[str, ...]:
    """Return the known compounds of two neighbouring words, in either order, as stems."""
    if not (_may_join(one.word) and _may_join(two.word)):
        return ()
    joined = {
        a.word + link + stem: None for a, b in ((one, two), (two, one)) for link in LINKS for stem in b.stems
    }  # a dictionary keeps the order
    return tuple(whole for whole in joined if searcher.doc_freq("body", whole))


def _may_join(word: str) -> bool:
    return len(word) >= SHORTEST and word.isalpha()


def _hash(word: str, searcher: Any) -> tuple[str, ...]:
    """Return a commit's hash as it is known: longer than it was asked, or shorter."""
    longer = tuple(term for term, _ in searcher.terms_with_prefix("body", word, limit=2))
    shorter = (word[:length] for length in range(len(word) - 1, SHORT - 1, -1))
    return longer or next(((term,) for term in shorter if searcher.doc_freq("body", term)), ())


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


def _compounds(stem: str, searcher: Any) -> tuple[str, ...]:
    """Return the known words that an unknown one begins, the commonest first."""
    return tuple(word for word, _ in searcher.terms_with_prefix("body", stem, limit=COMPOUNDS))


def _nearest(stem: str, searcher: Any) -> tuple[str, ...]:
    """Return the known words most like it, with the same first two letters, or none."""
    from rapidfuzz import fuzz, process  # seven milliseconds, and most questions hold no unknown word

    known = [word for word, _ in searcher.terms_with_prefix("body", stem[:2], limit=LOOKED_AT)]
    near = [word for word in known if abs(len(word) - len(stem)) <= 2]
    best = process.extract(stem, near, scorer=fuzz.ratio, score_cutoff=LIKE, limit=2)
    return tuple(word for word, _, _ in best)


def _beginning(stem: str, searcher: Any) -> tuple[str, ...]:
    """Return the longest known word that begins a long unknown one: its ending was written otherwise."""
    if len(stem) < WHOLE:
        return ()
    least = max(SHORTEST + 1, round(BEGINNING * len(stem)))
    shorter = (stem[:length] for length in range(len(stem) - 1, least - 1, -1))
    return next(((word,) for word in shorter if searcher.doc_freq("body", word)), ())
