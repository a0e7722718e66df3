"""Every harness writes its times its own way; here they become Unix seconds."""

from __future__ import annotations

from datetime import UTC, datetime

LATEST = 253_402_300_799  # Unix seconds; the last second of the year 9999
UNITS = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3))
"""From the first number on, a bare number can only be in parts of a second, so many to a second."""


def seconds(value: object) -> int:
    """Return a timestamp as Unix seconds, 0 if it is none.

    ISO 8601 (a missing zone means UTC), epoch seconds to nanoseconds, numbers as strings.

    >>> seconds("2026-01-02T03:04:05.678Z")
    1767323045
    >>> seconds("2026-01-02 04:04:05+01:00"), seconds(1767323045678), seconds("1767323045.6")
    (1767323045, 1767323045, 1767323045)
    >>> seconds("yesterday"), seconds(None), seconds(-1), seconds(float("nan"))
    (0, 0, 0, 0)
    """
    if isinstance(value, str):
        return _written(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _epoch(value)
    return 0


def _written(value: str) -> int:
    try:
        if value[4:5] == "-":
            return _stamp(datetime.fromisoformat(value))
        return _epoch(float(value[:64]))
    except ValueError:
        return _odd(value.strip()[:64])


def _odd(value: str) -> int:
    """Return the seconds of a date with its zone apart or in letters, or with a broken tail."""
    for mended in (value.replace(" UTC", "Z").replace(" Z", "Z"), value[:19], value[:10]):
        try:
            return _stamp(datetime.fromisoformat(mended)) if mended[4:5] == "-" else 0
        except ValueError:
            continue
    return 0


def _stamp(when: datetime) -> int:
    return max(0, int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()))


def _epoch(value: float) -> int:
    if not 0 < value < 10**22:  # also turns away nan, inf and integers no float can hold
        return 0
    value = next((value / unit for least, unit in UNITS if value >= least), value)
    return int(value) if value <= LATEST else 0
