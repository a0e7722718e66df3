"""How far a belief is believed: the mean of a Beta posterior over its evidence. Standard library only."""

from __future__ import annotations

HALF_LIFE = 90 * 86400  # seconds in which evidence fades by half toward the prior


def confidence(support: float, against: float) -> float:
    """Return the mean of Beta(1 + support, 1 + against), in (0, 1).

    >>> confidence(8, 0)
    0.9
    """
    return (1 + support) / (2 + support + against)


def faded(weight: float, *, at: int, now: int) -> float:
    """Return what evidence given at `at` still weighs; what lies in the future has not faded."""
    return float(weight * 0.5 ** (max(0, now - at) / HALF_LIFE))
