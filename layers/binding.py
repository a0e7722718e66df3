"""What an answer is bound to: an index that is current, transcripts that are there and wholly read."""

from __future__ import annotations

import os
from collections.abc import Iterable

from mempalace.paths import REQUESTS
from mempalace.store.signs import Footing
from mempalace.trust.envelope import BEHIND, BINDING, CURRENT, DEGRADED, Factor

MINE, REBUILD = 'run "mempalace mine"', 'run "mempalace doctor --rebuild"'
ELSEWHERE = "check it against the project: its transcript cannot be read again"


def binding(palace: str, footings: Iterable[Footing], *, asked: bool, behind: bool) -> Factor:
    """Return the factor: current 1.0, more to be mined 0.4, degraded 0.15, by the worst there is.

    asked: whether the index was asked; the newest are no answer.  behind: whether the index lacks
    what was filed last.  A note stands on itself.
    """
    if not asked:
        return _factor(DEGRADED, "the index could not be asked: these are the newest, not the nearest", REBUILD)
    states = [_state(footing) for footing in footings if footing.path]
    if DEGRADED in states:
        return _factor(DEGRADED, "a transcript is gone that this was read from", ELSEWHERE)
    if behind:
        return _factor(BEHIND, "the index is behind the palace", MINE)
    if BEHIND in states:
        return _factor(BEHIND, "a transcript has grown since it was read", MINE)
    if waiting(palace):
        return _factor(BEHIND, "transcripts wait to be mined", MINE)
    return _factor(CURRENT, "", "")


def _factor(value: float, why: str, step: str) -> Factor:
    return Factor(BINDING, value, why=why, next=step)


def _state(footing: Footing) -> float:
    try:
        found = os.stat(footing.path)
    except (OSError, ValueError):
        return DEGRADED
    # A database is read with its log, whose later time was kept: only a time after that one tells.
    grown = footing.size >= 0 and (found.st_size != footing.size or found.st_mtime_ns > footing.mtime_ns)
    return BEHIND if grown else CURRENT


def waiting(palace: str) -> bool:
    """Tell whether a request to mine is waiting. Looked up here: the miner's turnstile costs an import of its lock."""
    try:
        with os.scandir(os.path.join(palace, REQUESTS)) as entries:
            return any(entry.name.endswith(".json") for entry in entries)
    except OSError:
        return False
