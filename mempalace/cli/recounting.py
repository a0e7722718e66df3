"""`mempalace log`: what the hooks did, a line a run."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import click

from mempalace import trajectory
from mempalace.cli.options import palace_option
from mempalace.cli.speech import say
from mempalace.errors import PalaceError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
PAUSE = 0.5  # seconds between two looks of --follow
MOST = 300  # characters of what was done
Run = dict[str, Any]


@click.command()
@palace_option
@click.option("--hook", metavar="NAME", default="", help="Only this hook's runs: wake-up, recall, delivery...")
@click.option("--session", metavar="ID", default="", help="Only the session whose id begins so.")
@click.option("--failed", is_flag=True, help="Only what failed.")
@click.option("--since", metavar="WHEN", default="", help="From then on: 30m, 2h, 3d, 2026-03-05, 2026-03-05T14:00.")
@click.option("-n", "count", metavar="N", default=40, show_default=True, type=click.IntRange(0), help="How many.")
@click.option("--follow", "-f", is_flag=True, help="Go on with whatever comes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line a run.")
def log(
    palace: str, hook: str, session: str, failed: bool, since: str, count: int, follow: bool, as_json: bool
) -> None:
    """Say what the hooks did: when, which, in which session, what came of it, how long it took.

    A line "delivery" says how many of a hook's characters the client passed on to the model.
    """
    begins = moment(since, time.time()) if since else 0

    def wanted(runs: Iterable[Run]) -> Iterator[Run]:
        for run in runs:
            if (
                (not hook or run.get("hook") == hook)
                and str(run.get("session") or "").startswith(session)
                and (not failed or run.get("failed"))
                and at_of(run) >= begins
            ):
                yield run

    coming = trajectory.follow(palace, lambda: time.sleep(PAUSE))  # from before the others are read: none is missed
    kept = deque(sorted(wanted(trajectory.events(palace)), key=at_of), maxlen=count)
    for run in kept:
        say(_told(run, as_json))
    try:
        for run in wanted(coming) if follow else ():
            if run not in kept:
                say(_told(run, as_json))
    except KeyboardInterrupt:
        return


def at_of(run: Run) -> float:
    """Return when a run was, 0 where its line does not tell."""
    at = run.get("at")
    return at if isinstance(at, (int, float)) and not isinstance(at, bool) else 0


def moment(text: str, now: float) -> float:
    """Return the time that a user means; raises PalaceError for none.

    >>> moment("2h", 10_000.0)
    2800.0
    """
    ago = re.fullmatch(r"(\d{1,9})([smhdw])", text.strip())
    if ago:
        return now - int(ago[1]) * UNITS[ago[2]]
    try:
        meant = datetime.fromisoformat(text.strip())
    except ValueError:
        raise PalaceError(f"{text!r} is no time: say 30m, 2h, 3d, 2026-03-05 or 2026-03-05T14:00 (UTC)") from None
    return (meant if meant.tzinfo else meant.replace(tzinfo=UTC)).timestamp()


def _told(run: Run, as_json: bool) -> str:
    if as_json:
        return json.dumps(run)  # in ASCII: nothing that a terminal obeys
    took = run.get("took_ms")
    cells = (
        _when(at_of(run)), f"{run.get('hook') or '-'!s:9}", f"{run.get('event') or '-'!s:16}",
        f"{str(run.get('session') or '-')[:8]:8}", f"{took:8.1f} ms" if isinstance(took, (int, float)) else " " * 11,
        done(run)[:MOST],
    )  # fmt: skip
    return printable("  ".join(cells))


def _when(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return "-" * 19


def done(run: Run) -> str:
    """Return in words what a run did.

    >>> done({"hook": "delivery", "of": "wake-up", "delivered": 1812, "characters": 1812})
    'wake-up: 1,812 of 1,812 characters delivered'
    """
    parts: list[str] = []
    if run.get("hook") == "delivery" and "delivered" in run:
        told = f"{_number(run.get('delivered'))} of {_number(run.get('characters'))} characters delivered"
        return f"{run.get('failed')} ({told})" if run.get("failed") else f"{run.get('of')}: {told}"
    if run.get("failed"):
        parts.append(f"failed: {run['failed']}")
    parts += [str(run[name]) for name in ("did", "how", "command") if run.get(name)]
    if isinstance(run.get("considered"), int):
        ids = run.get("ids")
        parts.append(f"{len(ids) if isinstance(ids, list) else 0} of {_number(run['considered'])} told")
    if run.get("characters"):
        parts.append(f"{_number(run['characters'])} characters")
    parts += [str(run[name]) for name in ("recency", "settings") if run.get(name)]
    return "; ".join(parts) or "-"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def printable(text: str) -> str:
    r"""Return a text in which nothing is left that a terminal obeys: controls, and marks that turn its direction.

    >>> printable("red \x1b[31m")
    'red \\x1b[31m'
    """
    return "".join(
        char if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else ascii(char)[1:-1]
        for char in text
    )  # fmt: skip
