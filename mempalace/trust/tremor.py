"""Is a thing changing faster and faster? Speed and acceleration of its changes, in days.

In seconds real use would give 1e-10, and nothing would ever show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from mempalace.errors import PalaceError
from mempalace.store.shakes import RING, Shake

DAY = 86400.0
WINDOWS = {"7": 7, "30": 30, "90": 90, "all": None}  # days
NEAREST = 1.0  # seconds; what follows sooner than that on the last kept is dropped
FEWEST = 3  # observations, below which there is no acceleration to tell of
MOST = 100.0
# The share of all that tremble which stirs less: a level says where in its palace a thing stands.
LEVELS = ((0.95, "quaking"), (0.8, "shaking"), (0.5, "stirring"), (0.0, "calm"))
ENOUGH = 8  # subjects in the palace, below which shares of them say nothing
UNRANKED = "unranked"

Key = TypeVar("Key")


class Tremor(NamedTuple):
    """How a thing changes.

    magnitude: in [0, 100].  acceleration: the mean, in sizes per day per day, below 0 where it
    calms down.  trend: the slope of the acceleration, per day.  observations: how many were used.
    force: the magnitude before it was cut at 100, to tell apart what is beyond.
    """

    magnitude: float
    acceleration: float
    trend: float
    observations: int
    force: float


def window(name: str) -> int | None:
    """Return a window's days, None for all of time. Raises PalaceError for one that is none."""
    if name not in WINDOWS:
        raise PalaceError(f"no window {name!r}: the windows are {', '.join(WINDOWS)} (days)")
    return WINDOWS[name]


def tremor(shakes: Iterable[Shake], *, days: int | None = None, now: float) -> Tremor | None:
    """Return how a thing changes by its observations of the last days (None: all); None for fewer than three.

    v = size / dt and a = (v - the v before) / dt, each dt since the observation before, in days;
    magnitude = min(100, |mean a| x sqrt(sum of edges)); trend = least-squares slope of a over time.
    """
    used = [one for one in kept(shakes) if days is None or now - one.at <= days * DAY]
    if len(used) < FEWEST:
        return None
    steps = [(later.at - earlier.at) / DAY for earlier, later in pairwise(used)]
    speed = [one.size / step for one, step in zip(used[1:], steps, strict=True)]
    gained = [later - earlier for earlier, later in pairwise(speed)]
    acceleration = [gain / step for gain, step in zip(gained, steps[1:], strict=True)]
    mean = math.fsum(acceleration) / len(acceleration)
    force = abs(mean) * math.sqrt(math.fsum(one.edges for one in used))
    trend = slope([one.at / DAY for one in used[2:]], acceleration)
    return Tremor(min(MOST, force), mean, trend, len(used), force)


def kept(shakes: Iterable[Shake]) -> list[Shake]:
    """Return the newest 256 observations, oldest first, without those less than a second after the last kept."""
    found: list[Shake] = []
    for one in sorted(shakes):
        if not found or one.at - found[-1].at >= NEAREST:
            found.append(one)
    return found[-RING:]


def slope(at: Sequence[float], values: Sequence[float]) -> float:
    """Return the least-squares slope of values over their times, 0 for fewer than two."""
    if len(at) < 2:
        return 0.0
    middle, mean = math.fsum(at) / len(at), math.fsum(values) / len(values)
    spread = math.fsum((one - middle) ** 2 for one in at)
    return math.fsum((one - middle) * (value - mean) for one, value in zip(at, values, strict=True)) / spread


def levels(tremors: Mapping[Key, Tremor]) -> dict[Key, str]:
    """Return each thing's level among all that tremble in its palace.

    calm, stirring from the median on, shaking from 80%, quaking from 95%: the share of things of
    less force. Equals stand on one level. Fewer than eight things are unranked.
    """
    if len(tremors) < ENOUGH:
        return dict.fromkeys(tremors, UNRANKED)
    below: dict[float, int] = {}
    for place, force in enumerate(sorted(one.force for one in tremors.values())):
        below.setdefault(force, place)
    shares = {key: below[one.force] / len(tremors) for key, one in tremors.items()}
    return {key: next(name for least, name in LEVELS if share >= least) for key, share in shares.items()}
