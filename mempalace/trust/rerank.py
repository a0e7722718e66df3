"""The bounded re-rank: memory that misled, or that keeps changing, stands further down."""

from __future__ import annotations

MISTRUST, UNREST = 0.2, 0.1  # the most that either takes off a score


def factors(trust: float | None, magnitude: float | None) -> tuple[float, float]:
    """Return what a hit's score is multiplied by for its trust and for its tremor, in [0.8, 1] and [0.9, 1].

    None: not enough is known of it, so nothing is taken off.

    >>> factors(0.5, 0.5)
    (0.9, 0.95)
    """
    distrust = 0.0 if trust is None else min(1.0, max(0.0, 1.0 - trust))
    unrest = 0.0 if magnitude is None else min(1.0, max(0.0, magnitude))
    return 1.0 - MISTRUST * distrust, 1.0 - UNREST * unrest
