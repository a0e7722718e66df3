"""What a look at the palace finds: a value of its own, told by whoever looked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

OK, WARN, BAD = "ok", "warn", "bad"
ENVIRONMENT, HOOKS, SETTINGS, PALACE, INDEX = "environment", "hooks", "settings", "palace", "index"
SECTIONS = (ENVIRONMENT, HOOKS, SETTINGS, PALACE, INDEX)


class Finding(NamedTuple):
    """What was found in one section. state: ok, warn (it works, but see to it) or bad (it does not).

    remedy: what to do about it, "" for nothing.
    """

    section: str
    state: str
    what: str
    remedy: str = ""


class Place(NamedTuple):
    """Where it is looked: the palace, the environment, the project's folder, and when, in Unix seconds."""

    palace: str
    env: Mapping[str, str]
    cwd: str
    now: int


def ago(seconds: float) -> str:
    """Return a length of time that is past as a person says it.

    >>> ago(7), ago(7200), ago(86400), ago(-90000)
    ('7 seconds ago', '2 hours ago', '1 day ago', '1 day ahead')
    """
    size, sense = abs(int(seconds)), "ahead" if seconds < 0 else "ago"
    units = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
    unit, length = next((one for one in units if size >= one[1]), units[-1])
    count = size // length
    return f"{count} {unit}{'' if count == 1 else 's'} {sense}"
