"""How far a belief is believed: the mean of a Beta posterior over its evidence. Standard library only."""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from typing import Tuple

HALF_LIFE = 90 * 86400  # seconds in which evidence fades by half toward the prior
SHARE = 0.9  # of the posterior that an interval holds, the rest in two equal tails
HALVINGS = 30  # of [0, 1] until an interval's end is found, to 1e-9
TERMS = 500  # of the continued fraction, at most; it takes about the root of the evidence's weight
TINY = 1e-300


def confidence(support: float, against: float) -> float:
    """Return the mean of Beta(1 + support, 1 + against), in (0, 1).

    >>> confidence(8, 0)
    0.9
    """
    return (1 + support) / (2 + support + against)


def interval(support: float, against: float) -> Tuple[float, float]:
    """Return the central 90 % interval of Beta(1 + support, 1 + against), its ends in (0, 1).

    Its distribution function (DLMF 8.17) is inverted by bisection.

    >>> [round(end, 3) for end in interval(0, 0)]
    [0.05, 0.95]
    """
    tail = (1 - SHARE) / 2
    return _quantile(tail, 1 + support, 1 + against), _quantile(1 - tail, 1 + support, 1 + against)


def faded(weight: float, *, at: int, now: int) -> float:
    """Return what evidence given at `at` still weighs; what lies in the future has not faded."""
    return float(weight * 0.5 ** (max(0, now - at) / HALF_LIFE))


def _quantile(share: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(x: float, a: float, b: float) -> float:
    """Return the share of Beta(a, b) below x: the regularised incomplete beta function, DLMF 8.17.22."""
    if x > (a + 1) / (a + b + 2):  # there the fraction converges fast for the other tail
        return 1 - _below(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction's value, by Lentz's method (Press et al., Numerical Recipes, 5.2 and 6.4)."""
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _off_zero(1 + term * d)
            c = _off_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return value


def _off_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
