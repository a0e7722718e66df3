"""Measured thresholds: one row a signal and wing; one that cannot be trusted is set aside and named."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, NamedTuple, Optional, Union

from mempalace.store.connection import Store

SINCE = 4  # the schema's version that brought calibrations
VERSION = 1  # of a row's fields
PREDICT, ENVELOPE = "predict", "envelope"  # the signals


class Calibration(NamedTuple):
    """A signal's threshold, as it was set and then measured on later cases.

    tau: None where no threshold can be had.  precision: of the cases that acted, None where none did;
    n: how many those were; coverage: their share of all cases measured.  generation: how much evidence
    there was (commits of a history, events of a ledger), for telling when there is much more.
    """

    signal: str
    tau: Optional[float]
    alpha: float
    precision: Optional[float]
    coverage: float
    n: int
    calibrated_at: int
    generation: int


class Refused(NamedTuple):
    """A row that is not used, and why. wing: its row, 0 for every wing."""

    signal: str
    wing: int
    why: str


def keep(store: Store, row: Calibration, *, wing: int) -> None:
    """Keep a calibration in place of the signal's last one in that wing."""
    fields = {name: value for name, value in row._asdict().items() if name != "signal"}
    store.db.execute(
        "INSERT OR REPLACE INTO calibrations VALUES (?, ?, ?, ?, ?, ?, '')",
        (row.signal, wing, VERSION, json.dumps(fields, allow_nan=False), row.calibrated_at, row.generation),
    )


def read(store: Store, signal: str, wing: int) -> "Union[Calibration, Refused, None]":
    """Return a signal's calibration in a wing, why the one that is there is refused, or None."""
    if store.version < SINCE:
        return None
    row = store.db.execute(
        "SELECT version, row, quarantined FROM calibrations WHERE signal = ? AND wing = ?", (signal, wing)
    ).fetchone()
    return _read(signal, wing, *row) if row else None


def refused(store: Store) -> List[Refused]:
    """Return every row that is not used and why, by signal and wing, marked as such or not yet."""
    if store.version < SINCE:
        return []
    rows = store.db.execute("SELECT signal, wing, version, row, quarantined FROM calibrations ORDER BY signal, wing")
    return [found for found in (_read(*row) for row in rows.fetchall()) if isinstance(found, Refused)]


def quarantine(store: Store) -> List[Refused]:
    """Mark every row that cannot be used with the reason, and return all those; they stay to be looked at."""
    found = refused(store)
    store.db.executemany(
        "UPDATE calibrations SET quarantined = ? WHERE signal = ? AND wing = ? AND quarantined = ''",
        [(one.why, one.signal, one.wing) for one in found],
    )
    return found


def _read(signal: str, wing: int, version: object, text: object, quarantined: str) -> Union[Calibration, Refused]:
    if quarantined:
        return Refused(signal, wing, quarantined)
    if version != VERSION:
        return Refused(signal, wing, "its version is %r, this mempalace knows %d" % (version, VERSION))
    try:
        fields = json.loads(text) if isinstance(text, str) else None
    except ValueError as error:
        return Refused(signal, wing, "it is no JSON: %s" % error)
    why = _wrong(fields)
    return Refused(signal, wing, why) if why or fields is None else Calibration(signal, **fields)


def _wrong(fields: Any) -> str:
    """Return what is wrong with a row's fields, "" for nothing."""
    if not isinstance(fields, dict):
        return "it is no JSON object"
    names = Calibration._fields[1:]
    odd = sorted(set(fields) - set(names)) or sorted(set(names) - set(fields))
    if odd:
        return "%s field %r" % ("unknown" if odd[0] in fields else "missing", odd[0])
    bad = [name for name in names if not _fits(name, fields)]
    return "field %r is %r" % (bad[0], fields[bad[0]]) if bad else ""


def _fits(name: str, fields: Dict[str, Any]) -> bool:
    value = fields[name]
    if value is None:
        return name == "tau" or (name == "precision" and fields["n"] == 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return False
    if name in ("n", "calibrated_at", "generation"):
        return isinstance(value, int)
    return bool(0 < value <= 0.5 if name == "alpha" else value <= 1)
