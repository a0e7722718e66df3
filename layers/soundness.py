"""Is everything fit for use? The store, the index, the hooks, the calibrations: ok, warn or blocked, with a remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mempalace import runtime, trajectory
from mempalace.errors import NoPalace, PalaceError
from mempalace.layers.binding import MINE, REBUILD, waiting
from mempalace.paths import shown
from mempalace.search import state
from mempalace.search.engine import Engine
from mempalace.settings import read as read_settings
from mempalace.store import backup, calibrations, reading, signs, wings
from mempalace.store.calibrations import ENVELOPE, Calibration, Refused
from mempalace.store.connection import Store, open_reader
from mempalace.store.schema import VERSION
from mempalace.trust.conformal import stale, unarmed

OK, WARN, BLOCKED = "ok", "warn", "blocked"  # from best to worst
STORE, INDEX, HOOKS, CALIBRATION = "store", "index", "hooks", "calibration"
RUNS = 200  # of the hooks, the last
RESTORE = 'restore a backup with "mempalace restore FILE"'
LEARN = 'tell how memories held with "mempalace learn ID correct|wrong|partial"'


class Finding(NamedTuple):
    """What was found of one part. state: ok, warn or blocked (it cannot do its work).  remedy: "" for nothing."""

    part: str
    state: str
    what: str
    remedy: str = ""


def worst(findings: list[Finding]) -> str:
    """Return the worst state among findings."""
    order = (OK, WARN, BLOCKED)
    return max((one.state for one in findings), key=order.index, default=OK)


def soundness(palace: str, env: Mapping[str, str], *, now: int) -> list[Finding]:
    """Return what was found of each part, in their order; changes nothing. Raises NoPalace where there is none."""
    found: list[Finding] = []
    try:
        with open_reader(palace) as store:
            found += _store(store)
            found += _index(store)
            found += _hooks(palace, env)
            found += _calibrations(store, now)
    except NoPalace:
        raise
    except PalaceError as error:
        found = [Finding(STORE, BLOCKED, str(error), RESTORE + " where it is damaged"), *_hooks(palace, env)]
    return found


def _store(store: Store) -> Iterator[Finding]:
    problems = backup.examine(store)
    if problems:
        yield Finding(STORE, BLOCKED, f"palace.db is damaged ({problems[0]})", RESTORE)
    elif store.version < VERSION:
        yield Finding(STORE, WARN, f"palace.db is of schema {store.version}, not yet of {VERSION}", MINE)
    else:
        yield Finding(STORE, OK, f"palace.db at {shown(store.palace)} is sound")
    if not os.access(store.palace, os.W_OK):
        yield Finding(STORE, WARN, "the palace cannot be written to: nothing new is filed", "give yourself the right")
    if waiting(store.palace):
        yield Finding(STORE, WARN, "requests to mine are waiting", MINE)


def _index(store: Store) -> Iterator[Finding]:
    held = state.read(store.palace)
    if held is None:
        yield Finding(INDEX, BLOCKED, "the index is missing or unreadable", REBUILD)
    elif not state.usable(held):
        yield Finding(INDEX, BLOCKED, "the index was built by another version", REBUILD)
    else:
        try:
            Engine(store.palace)
        except PalaceError as error:
            yield Finding(INDEX, BLOCKED, str(error).split(":")[0], REBUILD)
            return
        if reading.behind(store, held.generation):
            yield Finding(INDEX, WARN, "the index is behind the palace", MINE)
        else:
            yield Finding(INDEX, OK, "the index is current")


def _hooks(palace: str, env: Mapping[str, str]) -> Iterator[Finding]:
    settings = read_settings(palace, env)
    if settings.wrong:
        yield Finding(HOOKS, WARN, f"a setting cannot be used ({settings.wrong})", "its default holds; correct it")
    if settings.off:
        yield Finding(HOOKS, WARN, "the hooks are off", "unset MEMPALACE_OFF, or the setting off")
    python = runtime.recorded(palace)
    if python and not os.access(python, os.X_OK):
        yield Finding(HOOKS, WARN, f"the recorded interpreter {shown(python)} is gone", MINE)
    runs = list(trajectory.events(palace))[-RUNS:]
    failed = [run for run in runs if run.get("failed")]
    if not runs:
        yield Finding(HOOKS, WARN, "no hook has run yet", "install the plugin, or start a session where it is")
    elif failed:
        grade = BLOCKED if len(failed) == len(runs) else WARN
        yield Finding(
            HOOKS, grade, f"{len(failed)} of the last {len(runs)} runs failed", f"last: {failed[-1]['failed']}"
        )
    else:
        yield Finding(HOOKS, OK, f"the last {len(runs)} runs went well")


def _calibrations(store: Store, now: int) -> Iterator[Finding]:
    names = {wing.n: wing.name for wing in wings.all_wings(store)}
    told = signs.calibrated(store)
    for signal, wing in told:
        where = f"{signal} in {names[wing]}" if wing in names else signal
        found = calibrations.read(store, signal, wing)
        generation = signs.outcomes(store) if signal == ENVELOPE else 0
        if isinstance(found, Refused):
            yield Finding(CALIBRATION, WARN, f"{where} is set aside: {found.why}", _again(signal))
        elif found:
            yield _calibration(found, where, now, generation or found.generation)
    if (ENVELOPE, 0) not in told:
        if signs.outcomes(store):
            yield Finding(CALIBRATION, WARN, "envelope is not calibrated: no verdict is act", _again(ENVELOPE))
        else:
            yield Finding(CALIBRATION, OK, "no outcome is known yet, so no verdict is act", LEARN)


def _calibration(row: Calibration, where: str, now: int, generation: int) -> Finding:
    late, why = stale(row, now=now, generation=generation), unarmed(row)
    if late:
        return Finding(CALIBRATION, WARN, f"{where} is out of date: {late}", _again(row.signal))
    if why:
        return Finding(CALIBRATION, WARN, f"{where} arms nothing: {why}", LEARN if row.signal == ENVELOPE else "")
    return Finding(CALIBRATION, OK, f"{where} is calibrated and armed")


def _again(signal: str) -> str:
    return f'run "mempalace calibrate {signal}"'
