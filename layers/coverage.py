"""Coverage: the lines that together say most about what a project is alive with."""

from __future__ import annotations

import heapq
import math
from functools import lru_cache
from typing import AbstractSet, Dict, FrozenSet, Iterable, List, Mapping, Sequence, Set, Tuple

from mempalace.layers.lines import OTHER, OUTCOME_CLEAN, OUTCOME_NOISY, PINNED, PROMPT, Line
from mempalace.words import same, stem, word_set

HALVING = 5  # sessions after which a term weighs half
WEIGHTS = {PINNED: 4.0, OUTCOME_CLEAN: 1.6, OUTCOME_NOISY: 1.3, PROMPT: 1.2, OTHER: 1.0}
OVERHEAD = 60  # characters a line costs beside its own: citation, date, a reader's attention
REPLY = 0.5  # of a line that answers something the reader does not see
PER_SOURCE = 2  # lines of one session at most


def live_terms(sessions: Sequence[Mapping[str, int]], stops: AbstractSet[str]) -> Dict[str, float]:
    """Return the weight of each live term; `sessions` are word counts, newest first.

    Live are the words of at least two sessions and at most half of them, stop words aside. Each weighs the sum
    over its sessions of 2^(-age / 5), age counted in sessions, times ln((n + 1) / (df + 1/2)).
    """
    n = len(sessions)
    spread: Dict[str, int] = {}
    fresh: Dict[str, float] = {}
    for age, counts in enumerate(sessions):
        share = 2.0 ** (-age / HALVING)
        for term in counts:
            spread[term] = spread.get(term, 0) + 1
            fresh[term] = fresh.get(term, 0.0) + share
    return {
        term: fresh[term] * math.log((n + 1) / (df + 0.5))
        for term, df in spread.items()
        if 2 <= df <= n / 2 and not term.isdigit() and len(term) > 1 and term not in stops
    }


def stems(words: AbstractSet[str]) -> FrozenSet[str]:
    """Return the stems of stop words."""
    return frozenset(map(stem, words))


def importance_factor(importance: float) -> float:
    """Return 2^(importance - 3) within [1/4, 4]: commensurate, so that no bonus decides alone."""
    return float(min(4.0, max(0.25, 2.0 ** (importance - 3.0))))


def cover(lines: Iterable[Line], weights: Mapping[str, float], most: int) -> List[Tuple[Line, float]]:
    """Return at most `most` lines with their scores, in the order they were chosen.

    Greedy by new live weight per length, pinned lines first, then outcome lines and prompts;
    other report lines only when none of those adds anything. At most two lines of a source,
    and no line that says the same as one taken. Ties: newer, then id, then text.
    """
    taken: List[Tuple[Line, float]] = []
    covered: Set[str] = set()
    sources: Dict[int, int] = {}
    stages: List[List[Line]] = [[], [], []]
    for line in lines:
        stages[0 if line.tier == PINNED else 2 if line.tier == OTHER else 1].append(line)
    for stage in stages:
        _greedy(stage, weights, covered, sources, taken, most)
    return taken


def _greedy(
    stage: Sequence[Line],
    weights: Mapping[str, float],
    covered: Set[str],
    sources: Dict[int, int],
    taken: List[Tuple[Line, float]],
    most: int,
) -> None:
    """Take lines until nothing adds weight. Gains only ever fall, so a heap of stale gains will do."""
    heap = [(-_gain(line, weights, covered), order(line), at) for at, line in enumerate(stage)]
    heapq.heapify(heap)
    while heap and len(taken) < most:
        __, tie, at = heapq.heappop(heap)
        line = stage[at]
        gain = _gain(line, weights, covered)
        if gain <= 0 and line.tier != PINNED:
            continue
        if heap and -gain > heap[0][0]:
            heapq.heappush(heap, (-gain, tie, at))
            continue
        if line.tier != PINNED and line.drawer.source and sources.get(line.drawer.source, 0) >= PER_SOURCE:
            continue
        if any(duplicates(line, other) for other, _ in taken):
            continue
        taken.append((line, gain))
        covered |= line.terms
        sources[line.drawer.source] = sources.get(line.drawer.source, 0) + 1


def _gain(line: Line, weights: Mapping[str, float], covered: AbstractSet[str]) -> float:
    # Summed exactly: the order of a set, and with it a rounding, would differ from run to run.
    new = math.fsum(weights.get(term, 0.0) for term in line.terms if term not in covered)
    factor = WEIGHTS[line.tier] * importance_factor(line.drawer.importance) * (REPLY if line.reply else 1.0)
    return factor * new / (len(line.text) + OVERHEAD)


def order(line: Line) -> Tuple[int, str, str]:
    """Return the key that breaks ties: newer first, then id, then text."""
    return -line.drawer.happened_at, line.drawer.id, line.text


def duplicates(line: Line, other: Line) -> bool:
    """Tell whether two lines, or the whole bodies of their drawers, say the same."""
    if same(line.word_set, other.word_set):
        return True
    if line.drawer.id == other.drawer.id:
        return False
    return same(body(line.drawer.text), body(other.drawer.text))


@lru_cache(maxsize=4096)
def body(text: str) -> FrozenSet[str]:
    """Return the word set of a whole drawer; asked again for every pair of lines that is compared."""
    return word_set(text)
