"""From when on may an answer be acted on? The envelope's threshold, measured on what became of memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mempalace.layers.weighing import Passage, Scales
from mempalace.search import state
from mempalace.store import calibrations, filing, ledger, reading, signs
from mempalace.store.calibrations import ENVELOPE, Calibration, Refused
from mempalace.store.connection import Store
from mempalace.store.ledger import Counts
from mempalace.trust import conformal, curve
from mempalace.trust.conformal import Case
from mempalace.trust.envelope import UNCALIBRATED


class Measured(NamedTuple):
    """A calibration and how it came to be; row: None where there was nothing to make one of.

    unarmed: why nothing may act by it, "" where it is armed, envelope_uncalibrated without a row.
    labels: drawers with an outcome; cases: those of which enough is known.  parts: cases of the three
    parts.  points: the curve over the last.  note: of a row that was refused before, "" for nothing.
    """

    row: Calibration | None
    unarmed: str
    labels: int
    cases: int
    parts: tuple[int, ...]
    points: tuple[curve.Point, ...]
    note: str


def calibrate_envelope(store: Store, *, alpha: float, now: int) -> Measured:
    """Measure how far answers may be acted on, keep the row and return it; without a label nothing is kept.

    A label is a drawer with an outcome: a hit where more were correct than wrong, else a miss. It is
    scored by the fold that search uses, as the only hit of an answer. In order of their last outcome
    the cases make three parts: nothing is learned from the oldest, the second sets the threshold, the third
    measures it. store: open for writing.  Raises PalaceError for an alpha that is none.
    """
    conformal.checked(alpha)
    labelled = _labelled(store)
    cases = _cases(store, labelled, now)
    if not cases:
        return Measured(None, UNCALIBRATED, len(labelled), 0, (0, 0, 0), (), "")
    size = len(cases) // 3
    first, second, third = cases[:size], cases[size : 2 * size], cases[2 * size :]
    row = conformal.calibrated(ENVELOPE, second, third, alpha=alpha, now=now, generation=signs.outcomes(store))
    before = calibrations.read(store, ENVELOPE, 0)
    _keep(store, row)
    return Measured(
        row, conformal.unarmed(row), len(labelled), len(cases), (len(first), len(second), len(third)),
        tuple(curve.points(third)),
        f"the row before was refused ({before.why}) and is replaced" if isinstance(before, Refused) else "",
    )  # fmt: skip


def _labelled(store: Store) -> list[Counts]:
    """Return the counts of every drawer with an outcome, in the order of their last ones."""
    rows = ledger.rows(store, beginning=ledger.subject_of(ledger.DRAWER, ""))
    return sorted(rows, key=lambda row: (row.last_at, row.subject))


def _cases(store: Store, labelled: Sequence[Counts], now: int) -> list[Case]:
    """Return (score, hit) of each labelled drawer of which enough is known, in their order.

    One of which too little is known can never act, whatever its score: it would measure nothing.
    """
    held = state.read(store.palace)
    behind = held is None or reading.behind(store, held.generation)
    scales = Scales(store, now=now, behind=behind)
    passages = signs.passages(store, [row.subject.partition("::")[2] for row in labelled])
    cases = []
    for row, found in zip(labelled, passages, strict=True):
        if found is None:
            continue
        told = scales.weigh([Passage(*found)])
        if told.proven:
            cases.append((told.score, row.false_alarms > row.defects))
    return cases


def _keep(store: Store, row: Calibration) -> None:
    ledger.begin(store)
    try:
        calibrations.quarantine(store)
        calibrations.keep(store, row, wing=0)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise


def as_dict(measured: Any) -> dict[str, Any]:
    """Return a measurement, of this signal or another, as plain values without its curve."""
    told = {**measured._asdict(), "row": measured.row._asdict() if measured.row else None}
    del told["points"]
    return told
