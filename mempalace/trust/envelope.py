"""The envelope: what is known about an answer, folded into one verdict on how far to rely on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mempalace.store.calibrations import Calibration
from mempalace.trust.conformal import ABSTAIN, ACT, REVERIFY, UNPROVABLE, stale, unarmed

VERDICTS = (UNPROVABLE, ABSTAIN, REVERIFY, ACT)  # from the least that may be relied on to the most
UNCALIBRATED, UNARMED, STALE = "envelope_uncalibrated", "envelope_unarmed", "envelope_stale"
TRUST, BINDING, FRESHNESS, SUPERSESSION = "trust", "binding", "freshness", "supersession"
# How reliable the bands of trust are. A risk that is high says that the memory misled: trust is low.
BANDS = {"low": 0.8, "medium": 0.5, "high": 0.2}
LEAST = min(BANDS.values())
CURRENT, BEHIND, DEGRADED = 1.0, 0.4, 0.15  # of the binding between an answer and what it was made from
RECALIBRATE = 'run "mempalace calibrate envelope"'
IN_WORDS = {
    UNCALIBRATED: "no threshold was ever measured here",
    UNARMED: "what was measured here gives no threshold to act by",
    STALE: "the threshold that was measured is out of date",
}


class Factor(NamedTuple):
    """One thing that bears on how far an answer may be relied on.

    value: its reliability in [0, 1].  known: False where the palace cannot tell, which counts neither
    for nor against.  why: what was seen, in words.  next: what would mend it, "" for nothing.
    """

    name: str
    value: float = 0.0
    weight: float = 1.0
    known: bool = True
    why: str = ""
    next: str = ""


class Envelope(NamedTuple):
    """A verdict and what it rests on.

    verdict: one of VERDICTS.  score: the factors' weighted mean, 0 where there is none.  calibrated:
    whether an armed and fresh threshold stood behind the verdict.  next: the one step that would help most.
    """

    verdict: str
    score: float
    calibrated: bool
    reasons: tuple[str, ...]
    factors: tuple[Factor, ...]
    next: str

    @property
    def proven(self) -> bool:
        """Whether outcomes are known of what was answered; no number is shown otherwise."""
        return any(factor.name == TRUST for factor in counted(self.factors))


def fold(factors: Sequence[Factor], row: Calibration | None = None, *, now: int = 0, generation: int = 0) -> Envelope:
    """Return the verdict on an answer.

    act: strictly above the row's tau, by an armed and fresh row, with a known trust factor.  reverify: at or
    above tau / 2.  abstain: below.  Without a tau there is no threshold to fall short of either: reverify.
    unprovable: no factor is known, or their mean is not finite.

    row: the calibration of the signal, None for none.  generation: how much evidence there is now.
    """
    known = counted(factors)
    score = mean(known)
    wanting = _wanting(row, now=now, generation=generation)
    if score is None:
        return Envelope(UNPROVABLE, 0.0, False, _reasons(factors, wanting), tuple(factors), _next(factors, wanting))
    verdict = _verdict(score, known, row, armed=not wanting)
    return Envelope(verdict, score, not wanting, _reasons(factors, wanting), tuple(factors), _next(factors, wanting))


def counted(factors: Iterable[Factor]) -> list[Factor]:
    """Return the factors that count: known ones, of a weight that is finite and above zero."""
    return [factor for factor in factors if factor.known and 0 < factor.weight < math.inf]


def mean(factors: Sequence[Factor]) -> float | None:
    """Return sum(w v) / sum(w) within [0, 1]; None where there is nothing to sum or the sum is not finite."""
    values = [factor.value for factor in factors]
    if not values or not all(map(math.isfinite, values)):
        return None
    heaviest = max(factor.weight for factor in factors)  # scaled by it: a sum of weights may overflow
    shares = [factor.weight / heaviest for factor in factors]
    total = math.fsum(share * value for share, value in zip(shares, values, strict=True))
    return min(1.0, max(0.0, total / math.fsum(shares)))


def _verdict(score: float, known: Sequence[Factor], row: Calibration | None, *, armed: bool) -> str:
    if row is None or row.tau is None:
        return REVERIFY
    proven = any(factor.name == TRUST for factor in known)
    if not proven:
        # A mean may rise when a factor is left out. Less evidence must not score higher: judged as the worst band.
        score = min(score, mean([*known, Factor(TRUST, LEAST)]) or 0.0)
    if proven and armed and score > row.tau:
        return ACT
    return REVERIFY if score >= row.tau / 2 else ABSTAIN


def _wanting(row: Calibration | None, *, now: int, generation: int) -> str:
    """Return what keeps a calibration from arming a verdict, "" for nothing."""
    if row is None:
        return UNCALIBRATED
    if unarmed(row):
        return UNARMED
    return STALE if stale(row, now=now, generation=generation) else ""


def _reasons(factors: Sequence[Factor], wanting: str) -> tuple[str, ...]:
    """Return what speaks against relying on the answer, or for it, the gravest first, then the calibration's."""
    order = sorted(factors, key=lambda factor: (not factor.known, factor.value, factor.name))
    return (*(factor.why for factor in order if factor.why), *([wanting] if wanting else []))


def _next(factors: Sequence[Factor], wanting: str) -> str:
    """Return one step: the gravest known factor's that has one, else that of an unknown one, else to calibrate."""
    order = sorted(factors, key=lambda factor: (not factor.known, factor.value, factor.name))
    steps = [factor.next for factor in order if factor.next]
    return steps[0] if steps else RECALIBRATE if wanting else ""


def at_least(verdict: str, least: str) -> bool:
    """Tell whether a verdict is as good as `least`, by the order of VERDICTS.

    >>> at_least("reverify", "abstain"), at_least("reverify", "act")
    (True, False)
    """
    return VERDICTS.index(verdict) >= VERDICTS.index(least)


def line(envelope: Envelope) -> str:
    """Return an envelope in a line for people: the verdict, its reasons, the next step; never a number."""
    reasons = "; ".join(IN_WORDS.get(reason, reason) for reason in envelope.reasons)
    step = f" (next: {envelope.next})" if envelope.next else ""
    return envelope.verdict + (f": {reasons}" if reasons else "") + step


def as_dict(envelope: Envelope) -> dict[str, Any]:
    """Return an envelope as plain values; where no outcome is known every number is None."""
    told = envelope.proven
    return {
        "verdict": envelope.verdict,
        "score": round(envelope.score, 4) if told else None,
        "calibrated": envelope.calibrated,
        "reasons": list(envelope.reasons),
        "next": envelope.next,
        "factors": [
            {"name": one.name, "known": one.known, "value": round(one.value, 4) if told and one.known else None}
            for one in envelope.factors
        ],
    }
