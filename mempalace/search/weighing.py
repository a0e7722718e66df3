"""Weighing candidates: pure arithmetic over their words, nothing is asked here.

All weights are chosen by tests/benchmarks/ on the development sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mempalace.search.query import Query

# BM25 over drawers, weighed anew: the index's own b is 0.75, which is hard on long answers.
K1, B = 1.0, 0.4
AROUND = (0.3, 0.15)  # of a neighbour's score, by its distance
TELLING = 8  # rarest words asked for, by which it is judged how much of a question a drawer covers
PHRASE = 6.0  # for quoted words met in a row
SPEAKER = 0.3  # for a drawer that opens with the name of somebody asked about
SIDE_BY_SIDE = 0.2  # for words that stand as they do in the question
# Of a drawer's score, by who speaks; all else 1.
KINDS = {"narration": 0.9, "aside": 0.75}
NEWEST = 0.7  # of its score, for the latest of the best, when the question asks how things are now
CONTENDERS = 10  # the best hits among which the later win then


class Found(NamedTuple):
    """A drawer found. n: its row.  source: its session's.  parts: what its score is made of.

    raw: the BM25 of its own words, not scaled.  covered: the share, by rarity, of the rarest
    words asked for that it holds; words the palace never saw count as asked.
    """

    n: int
    source: int
    score: float
    parts: dict[str, float]
    raw: float = 0.0
    covered: float = 0.0


class Drawer:
    """A candidate under way to its score."""

    __slots__ = ("at", "covered", "kind", "n", "own", "place", "source", "text")

    def __init__(self, n: int, source: int, place: int, at: int, kind: str, text: str) -> None:
        self.n, self.source, self.place, self.at, self.kind, self.text = n, source, place, at, kind, text
        self.own = self.covered = 0.0


class Scale:
    """What a question's words weigh in one palace; weighs drawers by it.

    mean: the mean length of a drawer in terms.  rarity: gives a stem's inverse document
    frequency, 0 for one that no drawer holds.
    """

    def __init__(self, query: Query, mean: float, rarity: Callable[[str], float]) -> None:
        self.query = query
        self.mean = max(1.0, mean)
        self.stems = [[(f" {stem} ", rarity(stem)) for stem in term.stems] for term in query.terms]
        seen = [max(weight for _, weight in stems) for stems in self.stems]
        rarest = max(seen, default=0.0)  # a word the palace never saw weighs like the rarest it knows
        asked = [weight or rarest for weight in seen]
        order = sorted(range(len(asked)), key=lambda i: -asked[i])[:TELLING]
        self.telling = [(asked[i], self.stems[i]) for i in order]
        self.whole = sum(weight for weight, _ in self.telling) or 1.0

    def weigh(self, drawer: Drawer) -> None:
        """Give a drawer the score of its own words, and the share of the question they cover."""
        text = drawer.text
        length = K1 * (1 - B + B * text.count(" ") / self.mean)
        total = sum(
            max(_saturated(text.count(stem), length) * weight for stem, weight in stems) for stems in self.stems
        )
        total += PHRASE * sum(f" {' '.join(phrase)} " in text for phrase in self.query.phrases)
        total *= 1 + SIDE_BY_SIDE * side_by_side(text, self.query)
        drawer.own = total * KINDS.get(drawer.kind, 1.0)
        held = sum(weight for weight, stems in self.telling if any(stem in text for stem, _ in stems))
        drawer.covered = held / self.whole


def _saturated(count: int, length: float) -> float:
    return count * (K1 + 1) / (count + length) if count else 0.0


def scaled(rows: Iterable[tuple[int, int, float]]) -> dict[int, float]:
    """Return each row's score, scaled so that the best is 1."""
    found = {n: score for n, _, score in rows}
    top = max(found.values(), default=0.0) or 1.0
    return {n: score / top for n, score in found.items()}


def side_by_side(text: str, query: Query) -> float:
    """Return the share of the question's neighbouring words that are neighbours in the text too."""
    pairs = list(zip(query.terms, query.terms[1:], strict=False))
    if not pairs:
        return 0.0
    return sum(any(f" {a} {b} " in text for a in x.stems for b in y.stems) for x, y in pairs) / len(pairs)


def around(pool: Sequence[Drawer]) -> dict[int, float]:
    """Return what each drawer gains from its neighbours in the pool."""
    at = {(drawer.source, drawer.place): drawer for drawer in pool}
    gained: dict[int, float] = {}
    for drawer in pool:
        total = 0.0
        for distance, share in enumerate(AROUND, start=1):
            for place in (drawer.place - distance, drawer.place + distance):
                other = at.get((drawer.source, place))
                if other is not None:
                    total += share * other.own
        gained[drawer.n] = total
    return gained


def newest_first(found: list[Found], at: dict[int, int]) -> list[Found]:
    """Return the hits with the later ones among the best lifted, in proportion to their score and time.

    So the latest wins over any that answers at most 1.7 times as well, and no chance hit does.
    """
    best = found[:CONTENDERS]
    times = [at[hit.n] for hit in best if at[hit.n]]
    first, last = (min(times), max(times)) if times else (0, 0)
    if first == last:
        return found
    lifted = []
    for hit in best:
        lift = NEWEST * hit.score * max(0, at[hit.n] - first) / (last - first)
        lifted.append(hit._replace(score=hit.score + lift, parts={**hit.parts, "newest": lift}))
    lifted.sort(key=lambda hit: (-hit.score, -hit.n))
    return lifted + found[CONTENDERS:]


def speaker(drawer: Drawer, query: Query) -> float:
    """Return the factor for a drawer whose first word, the speaker's name, is asked about."""
    first = drawer.text[1 : drawer.text.find(" ", 1)]
    return 1 + SPEAKER if any(first in term.stems for term in query.terms) else 1.0
