"""Co-change: which files change in the same commits."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from mempalace.store.calibrations import Calibration
from mempalace.store.history import Together
from mempalace.trust import conformal
from mempalace.trust.conformal import Case

T = TypeVar("T")
COCHANGE = "co-change"
LIMIT = 10
DAMPING = 2  # commits beside those that were seen: what happened once or twice is no strong sign


class Likely(NamedTuple):
    """A file that may change too. both: the commits they shared; changes: how many the file had.

    sign: what it is told by.
    """

    path: str
    strength: float
    both: int
    changes: int
    sign: str = COCHANGE


def strength(both: int, changes: int, others: int) -> float:
    """Return how firmly two files change together, in [0, 1): shared commits over all of either's, damped.

    >>> round(strength(3, 6, 3), 3), round(strength(10, 10, 10), 3)
    (0.375, 0.833)
    """
    return both / (max(changes + others - both, both) + DAMPING)


def ranked(changes: int, found: Iterable[Together]) -> list[Likely]:
    """Return the files most firmly tied to one of so many changes, strongest first, then by path."""
    likely = [Likely(one.path, strength(one.both, changes, one.changes), one.both, one.changes) for one in found]
    return sorted(likely, key=lambda one: (-one.strength, one.path))


def verdict(one: Likely, row: Calibration | None, *, now: int, generation: int) -> str:
    """Return act, reverify or abstain for a prediction; one by another sign abstains: nobody measured that."""
    return conformal.verdict(one.strength, row if one.sign == COCHANGE else None, now=now, generation=generation)


class History:
    """Commits to predict from, held in memory: for calibration, which asks about many files."""

    def __init__(self, commits: Sequence[Sequence[str]]) -> None:
        """Take the paths of each commit."""
        self.commits = commits
        self.touching: dict[str, list[int]] = {}
        for n, paths in enumerate(commits):
            for path in paths:
                self.touching.setdefault(path, []).append(n)
        self.known: dict[str, list[Likely]] = {}

    def predict(self, path: str) -> list[Likely]:
        """Return the ten files most likely to change with this one, itself excluded."""
        if path not in self.known:
            own = self.touching.get(path, [])
            shared = Counter(other for n in own for other in self.commits[n] if other != path)
            found = [Together(other, both, len(self.touching[other])) for other, both in shared.items()]
            self.known[path] = ranked(len(own), found)[:LIMIT]
        return self.known[path]


def cases(predict: Callable[[str], Sequence[Likely]], commits: Iterable[Sequence[str]]) -> list[Case]:
    """Return (strength, hit) of every prediction for every file of every commit, in their order.

    A hit is a file of that commit.
    """
    found: list[Case] = []
    for paths in commits:
        together = frozenset(paths)
        for path in paths:
            found += [(one.strength, one.path in together) for one in predict(path)]
    return found


def considered(found: Sequence[Case], alpha: float) -> Sequence[Case]:
    """Return the cases whose misses set the threshold: those from some confidence on, all where that is of no use.

    Ten files are named for every file, however weak their ties: in a long history nine in ten are
    misses that nobody would have believed, and a threshold among those holds back nothing. So the
    weakest are left out, no more of them than it takes for at most half of alpha to be wrong above the
    threshold on these same cases; the other half is for what changes until later cases measure it.
    """
    misses = sorted(confidence for confidence, hit in found if not hit)
    hits = sorted(confidence for confidence, hit in found if hit)
    for start, least in enumerate(misses):
        if start and misses[start - 1] == least:
            continue
        rank = conformal.rank_of(len(misses) - start, alpha)
        if start + rank > len(misses):
            break
        tau = misses[start + rank - 1]
        right, wrong = (len(side) - bisect_right(side, tau) for side in (hits, misses))
        if right + wrong >= conformal.FEWEST and wrong <= alpha / 2 * (right + wrong):
            return [case for case in found if case[0] >= least]
    return found


def thirds(events: Sequence[T]) -> tuple[Sequence[T], Sequence[T], Sequence[T]]:
    """Return events in three parts of equal length, in their order; the last takes what is left over."""
    size = len(events) // 3
    return events[:size], events[size : 2 * size], events[2 * size :]
