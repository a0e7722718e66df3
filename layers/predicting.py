"""What else will change with a file, how far that may be acted on, and how that was measured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from mempalace.errors import NotFound, PalaceError
from mempalace.layers import commits
from mempalace.layers.history import Caught, catch_up, written
from mempalace.projects import project_of
from mempalace.store import calibrations, history, wings
from mempalace.store.calibrations import PREDICT, Calibration, Refused
from mempalace.store.connection import Store
from mempalace.store.wings import Wing
from mempalace.trust import cochange, conformal, curve
from mempalace.trust.cochange import Likely

NEXT = "mempalace calibrate predict"  # what mends every verdict that is held back
PATIENCE = 600.0  # seconds for a first reading that somebody asked for


class Predicted(NamedTuple):
    """What may change with a file. changes: how many of the commits that count touched it.

    likely: each file with its verdict, strongest first.  note: what keeps the verdicts back or is to be
    known of the history, "" for nothing.  calibration: what they rest on, None for nothing.
    """

    wing: str
    path: str
    changes: int
    commits: int
    likely: tuple[tuple[Likely, str], ...]
    note: str
    calibration: Calibration | None


class Measured(NamedTuple):
    """A calibration and how it came to be. unarmed: why nothing may act by it, "" where it is armed.

    parts: commits to learn from, to set tau by, to measure on.  cases: predictions measured.  points: the curve
    over them.  note: of the history, and of a row that was refused before.
    """

    wing: str
    row: Calibration
    unarmed: str
    parts: tuple[int, ...]
    cases: int
    points: tuple[curve.Point, ...]
    note: str


def predict(store: Store, env: Mapping[str, str], path: str, *, cwd: str, now: int) -> Predicted:
    """Return which files change together with one, strongest first; those that are gone are left out.

    Catches up with the history first. Raises NotFound for a file that is neither there nor in the
    history, PalaceError outside of a repository.
    """
    whole = os.path.abspath(os.path.join(cwd, path))
    top = _top(os.path.dirname(whole))
    wing, caught = _caught(store, env, top, now)
    kept = history.repository(store, project_of(top).root)
    inside = _inside(store, kept, path, whole, top)
    if kept is None or not inside:
        if not os.path.exists(whole):
            raise NotFound(f"{path}: there is no such file, nor was there one in the history of {top}")
        told = [f"{path} is in no commit yet: nothing is known of what changes with it", caught.told]
        return Predicted(wing.name, path, 0, 0, (), "; ".join(filter(None, told)), None)
    count, own = history.counting(store, kept.n), history.changes_of(store, kept.n, inside) or 0
    found = cochange.ranked(own, history.together(store, kept.n, inside))
    there = islice((one for one in found if os.path.lexists(os.path.join(top, one.path))), cochange.LIMIT)
    row = _kept(store, wing)
    good = row if isinstance(row, Calibration) else None
    judged = tuple((one, cochange.verdict(one, good, now=now, generation=count)) for one in there)
    note = "; ".join(filter(None, [caught.told, _held_back(row, now, count)]))
    return Predicted(wing.name, inside, own, count, judged, note, good)


def calibrate(store: Store, env: Mapping[str, str], *, cwd: str, alpha: float, now: int) -> Measured:
    """Measure how far predictions may be acted on in the project of a folder, keep the row and return it.

    Commits in time order, in three parts: the first is learned from, the second sets the threshold,
    the third measures it. Only commits that count (of 2 to 50 files) are asked about: in one of a
    single file no prediction can be right.  Raises PalaceError for an alpha that is none.
    """
    conformal.checked(alpha)
    top = _top(os.path.abspath(cwd))
    wing, caught = _caught(store, env, top, now)
    kept = history.repository(store, project_of(top).root)
    told = history.in_time(store, kept.n) if kept else []
    first, second, third = cochange.thirds(told)
    known = cochange.History(first)
    earlier, later = (cochange.cases(known.predict, part) for part in (second, third))
    setting = cochange.considered(earlier, alpha)
    row = conformal.calibrated(PREDICT, setting, later, alpha=alpha, now=now, generation=len(told))
    before = _kept(store, wing)
    with written(store):
        calibrations.keep(store, row, wing=wing.n)
    replaced = f"the row before was refused ({before.why}) and is replaced" if isinstance(before, Refused) else ""
    parts = (len(first), len(second), len(third))
    note = "; ".join(filter(None, [caught.told, replaced]))
    points = tuple(curve.points(later))
    return Measured(wing.name, row, conformal.unarmed(row), parts, len(later), points, note)


def _kept(store: Store, wing: Wing) -> Calibration | Refused | None:
    """Return the calibration of predictions in a wing; one that is refused is marked as such."""
    row = calibrations.read(store, PREDICT, wing.n)
    if isinstance(row, Refused):
        with written(store):
            calibrations.quarantine(store)
    return row


def _caught(store: Store, env: Mapping[str, str], top: str, now: int) -> tuple[Wing, Caught]:
    """Catch up with the history of the project that a folder belongs to; return its wing and what came of it."""
    project = project_of(top)
    if commits.stand(project.root, env) is None:
        raise PalaceError(f"{project.root} is no git repository: there is no history to predict from")
    wing = wings.of_project(store, project)
    if wing is None:
        with written(store):
            wing = wings.ensure(store, project)
    return wing, catch_up(store, env, wing.n, project.root, now=now, seconds=PATIENCE)


def _held_back(row: Calibration | Refused | None, now: int, count: int) -> str:
    """Return why nothing may act, with the remedy, "" where something may."""
    if row is None:
        return f"not calibrated: run {NEXT}"
    if isinstance(row, Refused):
        return f"the calibration is refused, {row.why}: run {NEXT}"
    stale = conformal.stale(row, now=now, generation=count)
    if stale:
        return f"{stale}: run {NEXT}"
    why = conformal.unarmed(row)
    return f"nothing may act: {why}" if why else ""


def _inside(store: Store, kept: history.Repository | None, given: str, whole: str, top: str) -> str:
    """Return a file as the history calls it, "" where it knows none: by its place, else as it was written."""
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    for path in (os.path.relpath(real, top), os.path.normpath(given)):
        name = commits.path_of(os.fsencode(path.replace(os.sep, "/")))
        if kept and history.changes_of(store, kept.n, name) is not None:
            return name
    return ""


def _top(folder: str) -> str:
    """Return the working folder of the repository that a folder lies in, whether or not it exists any more."""
    here = os.path.realpath(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return os.path.realpath(folder)
        here = parent
    return here
