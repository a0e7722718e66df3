"""L1: what mattered most here? One pure choice, made by the miner or, when it must, by the hook."""

from __future__ import annotations

from typing import AbstractSet, Dict, List, NamedTuple, Sequence, Tuple

from mempalace.layers import coverage, topics
from mempalace.layers.lines import OUTCOME_CLEAN, OUTCOME_NOISY, PINNED, Line, lines_of_all, raw_line, session_terms
from mempalace.outcomes import Lexicon
from mempalace.store.story import Candidate

SESSIONS = 100  # the last so many sessions of a wing are told
NEWEST = 2000  # drawers the hook looks at when it has to choose itself
FEWEST = 5  # sessions below which no word can be live
MOST = 60  # lines that are ever chosen; a budget of 9,500 characters holds fewer
SHOWN = 20  # lines that the usual budget shows, whose words need not be said again
OUTCOMES = (OUTCOME_CLEAN, OUTCOME_NOISY)
JUNK = 15  # drawers shown unfiltered where every candidate is junk


class Choice(NamedTuple):
    """The chosen lines, best first, with the score each earned; and how many were considered.

    how: coverage, tiers or unfiltered.  topics: words worth a search that no line holds.
    """

    lines: Tuple[Tuple[Line, float], ...]
    considered: int
    how: str
    topics: Tuple[str, ...] = ()


def choose(
    sessions: Sequence[Sequence[Candidate]],
    lexicon: Lexicon,
    stops: AbstractSet[str] = frozenset(),
    pins: Sequence[Candidate] = (),
) -> Choice:
    """Return the lines that tell a wing's story; `sessions` come newest first.

    pins: the wing's pinned drawers, of whatever session; they come first of all.

    By coverage of live terms; by tiers, then newest, where there are too few sessions for a
    word to be live; the newest 15 drawers as they are where every candidate is junk.
    """
    lines = [line for drawers in with_pins(sessions, pins) for line in lines_of_all(drawers, lexicon)]
    considered = len(lines)
    if not lines:
        return _unfiltered([drawer for drawers in sessions for drawer in drawers])
    how, chosen = "coverage", []  # type: str, List[Tuple[Line, float]]
    if len(sessions) >= FEWEST:
        weights = coverage.live_terms([session_terms(drawers) for drawers in sessions], coverage.stems(stops))
        chosen = coverage.cover(lines, weights, MOST)
    if not chosen:
        how, chosen = "tiers", by_tiers(lines)
    elif len(chosen) < SHOWN:  # no weight is left, but there is room for what came of things
        chosen = by_tiers([line for line in lines if line.tier in OUTCOMES], chosen)
    told = frozenset(term for line, _ in chosen[:SHOWN] for term in line.terms)
    others = topics.topics([topics.spoken(drawers) for drawers in sessions], told, stops)
    return Choice(tuple(chosen), considered, how, tuple(others))


def with_pins(sessions: Sequence[Sequence[Candidate]], pins: Sequence[Candidate]) -> List[Sequence[Candidate]]:
    """Return the sessions and after them the pinned drawers that stand in none of them."""
    held = {drawer.id for drawers in sessions for drawer in drawers if drawer.pinned}
    return [*sessions, [pin for pin in pins if pin.id not in held]]


def by_tiers(lines: Sequence[Line], told: Sequence[Tuple[Line, float]] = ()) -> List[Tuple[Line, float]]:
    """Return one line a drawer, best tier first, then newest; at most two of a source at first.

    told: lines chosen before, which come first and count.
    Pinned lines come before all tiers, every one of them. Where fewer than three sources have
    anything to tell, the rest of their lines follow.
    """
    best: Dict[str, Line] = {}
    for line in lines:
        key = line.drawer.id + (line.text if line.tier == PINNED else "")
        held = best.get(key)
        if held is None or _rank(line) < _rank(held):
            best[key] = line
    ordered = sorted(best.values(), key=lambda line: (_rank(line), coverage.order(line)))
    few = len({line.drawer.source for line in ordered}) < 3
    taken = list(told)
    over: List[Line] = []
    sources: Dict[int, int] = {}
    for line, _ in taken:
        sources[line.drawer.source] = sources.get(line.drawer.source, 0) + 1
    for line in ordered:
        source = line.drawer.source
        if source and line.tier != PINNED and sources.get(source, 0) >= coverage.PER_SOURCE:
            over.append(line)
        elif not any(coverage.duplicates(line, other) for other, _ in taken):
            taken.append((line, coverage.WEIGHTS[line.tier]))
            sources[source] = sources.get(source, 0) + 1
        if len(taken) >= MOST:
            return taken
    for line in over if few else ():
        if len(taken) < MOST and not any(coverage.duplicates(line, other) for other, _ in taken):
            taken.append((line, coverage.WEIGHTS[line.tier]))
    return taken


def _rank(line: Line) -> Tuple[bool, float]:
    return line.tier != PINNED, -coverage.WEIGHTS[line.tier] * coverage.importance_factor(line.drawer.importance)


def _unfiltered(drawers: Sequence[Candidate]) -> Choice:
    newest = sorted(drawers, key=lambda drawer: (-drawer.happened_at, drawer.id))[:JUNK]
    lines = [(raw_line(drawer), 0.0) for drawer in newest]
    return Choice(tuple(lines), len(drawers), "unfiltered")
