"""A question read: its words, phrases, filters and times, as a value."""

from __future__ import annotations

import re
from typing import NamedTuple

from mempalace.search.analyzer import SNOWBALL, Analyzer, identifiers, split

LONGEST = 4000  # characters of a question that are read; the rest of a pasted page says no more
NAME = 100  # characters of a filter's value
MOST = 48  # terms of a question
PHRASE = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{2,200})」')
SPELT = frozenset(("ru", "uk", "ar", "hi", "ko"))  # languages that their script gives away
FILTER = re.compile(r"(?<!\S)(wing|room|role|since|until):(\"[^\"]+\"|\S+)", re.I)


class Term(NamedTuple):
    """One word asked for, and the stems it may have in the languages it may be in."""

    word: str
    stems: tuple[str, ...]


class Query(NamedTuple):
    """What was asked.

    terms: each must not, but may, occur.  phrases: term lists that must occur in a row.
    exact: identifiers, whole.  filters: wing, room, role, since, until, as given.
    """

    text: str
    terms: tuple[Term, ...]
    phrases: tuple[tuple[str, ...], ...]
    exact: tuple[str, ...]
    filters: dict[str, str]


def read(text: str, analyzer: Analyzer, *, prose: bool = False) -> Query:
    """Return the question as a value; any text is one, and none raises. prose: it holds no filters."""
    text = readable(text)[:LONGEST]
    filters = {} if prose else {name.lower(): value.strip('"')[:NAME] for name, value in FILTER.findall(text)}
    bare = FILTER.sub(" ", text) if filters else text
    phrases = [next(filter(None, found)) for found in PHRASE.findall(bare)]
    words = split(bare)
    codes = _codes(bare, words, analyzer)
    stops = frozenset().union(*(analyzer.stops.get(code, frozenset()) for code in codes))
    words = [word for word in dict.fromkeys(words) if any(char.isalnum() for char in word)]
    asked = [word for word in words if word not in stops] or words
    terms = [Term(word, tuple(dict.fromkeys(analyzer.stem(word, code) for code in codes))) for word in asked[:MOST]]
    return Query(
        text,
        tuple(terms),
        tuple(tuple(analyzer.terms(phrase)) for phrase in phrases if len(analyzer.terms(phrase)) > 1),
        tuple(dict.fromkeys(identifiers(bare)))[:MOST],
        filters,
    )


def readable(text: str) -> str:
    """Return the text as UTF-8 can hold it: lone surrogates become question marks, NULs blanks."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _codes(text: str, words: list[str], analyzer: Analyzer) -> list[str]:
    """Return the languages a question may be in: what it looks like, what speaks for itself, and English.

    Bare words speak for none: they are asked in every language of their script that has stems.
    """
    code = analyzer.language(text, words)
    held = set(words)
    counts = {c: len(stop & held) for c, stop in analyzer.stops.items() if stop & held}
    if not counts:
        return [code, *(c for c in SNOWBALL if c not in SPELT and c != code)] if code not in SPELT else [code, "en"]
    most = max(counts.values())
    return list(dict.fromkeys((code, *(c for c in sorted(counts) if counts[c] == most), "en")))
