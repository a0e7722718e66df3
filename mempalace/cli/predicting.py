"""`mempalace predict` and `calibrate`: what else will change, and how far what is said may be acted on."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.layers import calibrating, predicting
from mempalace.store.calibrations import Calibration
from mempalace.store.connection import open_reader, open_writer
from mempalace.trust import conformal, curve

ALPHA = 0.1
NO_OUTCOME = "no drawer has an outcome yet"
cwd_option = click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
alpha_option = click.option(
    "--alpha", type=float, default=ALPHA, show_default=True, help="How often acting may be wrong: above 0, at most 0.5."
)


@click.command()
@click.argument("file", metavar="FILE")
@palace_option
@cwd_option
@json_option
def predict(file: str, palace: str, cwd: str, as_json: bool) -> None:
    """List the files that change together with FILE, each with its strength and a verdict."""
    with open_reader(palace):
        pass  # no palace is made just to predict from
    with open_writer(palace) as store:
        told = predicting.predict(store, os.environ, file, cwd=cwd or os.getcwd(), now=int(time.time()))
    if as_json:
        say_json({
            **told._asdict(), "calibration": told.calibration._asdict() if told.calibration else None,
            "likely": [{**one._asdict(), "verdict": verdict} for one, verdict in told.likely],
        })  # fmt: skip
        return
    if told.commits:
        say(f"{told.path}: touched by {told.changes} of {told.commits} commits of 2 to 50 files in {told.wing}")
    for one, verdict in told.likely:
        say(f"{verdict:9} {one.strength:.3f}  {one.both} of its {one.changes} together  {one.path}")
    if told.commits and not told.likely:
        say("nothing that is still there changed together with it")
    if told.note:
        say(f"note: {told.note}")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def calibrate() -> None:
    """Measure how far verdicts may be relied on, and keep the thresholds."""


@calibrate.command("predict")
@palace_option
@cwd_option
@alpha_option
@click.option("--plot", metavar="FILE.svg", default="", help="Draw the precision-coverage curve.")
@json_option
def calibrate_predict(palace: str, cwd: str, alpha: float, plot: str, as_json: bool) -> None:
    """Measure the predictions on the project's own history, and keep the threshold they may be acted on above."""
    conformal.checked(alpha)
    with open_reader(palace):
        pass
    with open_writer(palace) as store:
        told = predicting.calibrate(store, os.environ, cwd=cwd or os.getcwd(), alpha=alpha, now=int(time.time()))
    if plot:
        _draw(plot, f"{told.wing}: what changes together", told.row, told.points, alpha)
    if as_json:
        say_json(_told(told))
        return
    first, second, third = told.parts
    say(f"predictions in {told.wing}: learned from {first} commits, set on {second}, measured on {third}")
    _tell(told.row, told.unarmed, told.points, told.note)


@calibrate.command("envelope")
@palace_option
@alpha_option
@click.option("--plot", metavar="FILE.svg", default="", help="Draw the precision-coverage curve.")
@json_option
def calibrate_envelope(palace: str, alpha: float, plot: str, as_json: bool) -> None:
    """Measure search's verdicts on what became of memories, and keep the threshold they may be acted on above."""
    conformal.checked(alpha)
    with open_reader(palace):
        pass
    with open_writer(palace) as store:
        told = calibrating.calibrate_envelope(store, alpha=alpha, now=int(time.time()))
    if plot:
        _draw(plot, "how far search's answers held", told.row, told.points, alpha)
    if as_json:
        say_json(_told(told))
        return
    if told.row is None:
        labels = f"of the {told.labels} drawers with an outcome too little is known" if told.labels else NO_OUTCOME
        say(f"nothing to calibrate on: {labels}")
        say('next: say how memories held with "mempalace learn ID correct|wrong|partial"')
        return
    say(f"{told.cases} of {told.labels} drawers with an outcome: set on {told.parts[1]}, measured on {told.parts[2]}")
    _tell(told.row, told.unarmed, told.points, told.note)


def _tell(row: Calibration, unarmed: str, points: Sequence[curve.Point], note: str) -> None:
    """Print a calibration: its figures, whether anything may act by it, its curve."""
    tau = "none" if row.tau is None else f"{row.tau:.3f}"
    precision = "unknown" if row.precision is None else f"{row.precision:.1%}"
    say(f"tau {tau}  precision {precision}  coverage {row.coverage:.1%}  n {row.n}  alpha {row.alpha:g}")
    say(f"unarmed: {unarmed}; nothing will act" if unarmed else f"armed: above {tau} the verdict is act")
    for line in curve.text(points, tau=row.tau):
        say(line)
    if note:
        say(f"note: {note}")


def _told(told: Any) -> dict[str, Any]:
    """Return a measurement as plain values."""
    points = [point._asdict() for point in told.points]
    return {**told._asdict(), "row": told.row._asdict() if told.row else None, "points": points}


def _draw(path: str, title: str, row: Calibration | None, points: Sequence[curve.Point], alpha: float) -> None:
    drawn = curve.svg(points, title=title, tau=row.tau if row else None, goal=1 - alpha)
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(drawn)
    except OSError as error:
        raise PalaceError(f"cannot write to {path}: {error.strerror}") from error
