"""When may a confidence be acted on? Above a threshold that its misses set and later cases confirmed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mempalace.errors import PalaceError
from mempalace.store.calibrations import Calibration

ACT, REVERIFY, ABSTAIN, UNPROVABLE = "act", "reverify", "abstain", "unprovable"
HIGHEST_ALPHA = 0.5
FEWEST = 30  # acted cases of the measurement below which a precision means little
OLDEST = 90 * 86400  # seconds after which a calibration is stale
FIFTH = 5  # a calibration is stale once there is that part more evidence than it was made from
WHOLE = 10**12  # parts in which alpha is counted

Case = tuple[float, bool]  # the confidence something was said with, and whether it was so


def checked(alpha: float) -> float:
    """Return alpha, the share of misses let through; raises PalaceError unless it is in (0, 0.5]."""
    if not 0 < alpha <= HIGHEST_ALPHA:  # not a number is neither
        raise PalaceError(f"alpha is {alpha:g}: give one above 0 and at most {HIGHEST_ALPHA}, such as 0.1")
    return alpha


def threshold(misses: Iterable[float], alpha: float) -> float | None:
    """Return tau: of the misses' confidences, sorted, the one of rank ceil((m + 1)(1 - alpha)).

    None where that rank is above m: too few misses to promise anything, so nothing may act. Misses
    whose confidence is not finite do not count: those abstain whatever tau is.  Split conformal
    prediction: a later miss exchangeable with these exceeds tau with a probability of at most alpha.

    >>> threshold([n / 20 for n in range(1, 20)], 0.1)
    0.9
    """
    known = sorted(value for value in misses if math.isfinite(value))
    rank = rank_of(len(known), alpha)
    return known[rank - 1] if rank <= len(known) else None


def rank_of(misses: int, alpha: float) -> int:
    """Return which of so many misses, sorted, sets the threshold: from 1 on; above them all, none does."""
    # In whole parts, as the decimal was written: a rank must not hang on a float's last bit. Without `fractions`,
    # whose import would cost every prompt two milliseconds.
    return -(-(misses + 1) * round((1 - checked(alpha)) * WHOLE) // WHOLE)


def measured(cases: Sequence[Case], tau: float | None) -> tuple[float | None, float, int]:
    """Return (precision, coverage, n) of acting strictly above tau.

    n: the cases that act; precision: their share that was so, None for none; coverage: their share of all.
    """
    acted = [hit for confidence, hit in cases if tau is not None and tau < confidence < math.inf]
    n = len(acted)
    return (sum(acted) / n if n else None), (n / len(cases) if cases else 0.0), n


def calibrated(
    signal: str, setting: Sequence[Case], later: Sequence[Case], *, alpha: float, now: int, generation: int
) -> Calibration:
    """Return a signal's calibration: tau set by the misses of some cases, measured on later ones.

    Drift breaks the exchangeability that tau's promise rests on, so the measurement decides whether
    the calibration is armed.  generation: how much evidence there is now.
    """
    tau = threshold((confidence for confidence, hit in setting if not hit), alpha)
    return Calibration(signal, tau, alpha, *measured(later, tau), now, generation)


def unarmed(row: Calibration) -> str:
    """Return why nothing may act by this calibration, "" where it is armed."""
    if row.tau is None:
        return f"too few misses to set a threshold at alpha {row.alpha:g}"
    if row.precision is None or row.n < FEWEST:
        return f"only {row.n} of the cases measured lay above the threshold, {FEWEST} are needed"
    if row.precision < 1 - row.alpha:
        return f"of what lay above the threshold {row.precision:.1%} held, {1 - row.alpha:.0%} is asked for"
    return ""


def stale(row: Calibration, *, now: int, generation: int) -> str:
    """Return why a calibration must be made again, "" where it is fresh.

    Older than 90 days (or from a clock as far ahead), or a fifth more evidence than it was made from.
    """
    age = abs(now - row.calibrated_at)
    if age > OLDEST:
        return f"calibrated {age // 86400} days ago"
    if (generation - row.generation) * FIFTH >= row.generation:
        return f"calibrated on {row.generation} cases of evidence, now there are {generation}"
    return ""


def verdict(confidence: float, row: Calibration | None, *, now: int, generation: int) -> str:
    """Return act, reverify or abstain for a confidence.

    act: strictly above tau (at tau stands a miss) by an armed, fresh calibration.  reverify: at or above
    half of tau.  abstain: anything else, what is not finite, everything without a tau.
    """
    if row is None or row.tau is None or not math.isfinite(confidence):
        return ABSTAIN
    if confidence > row.tau and not unarmed(row) and not stale(row, now=now, generation=generation):
        return ACT
    return REVERIFY if confidence >= row.tau / 2 else ABSTAIN
