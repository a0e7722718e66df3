"""`mempalace selftest`: one page on what works, and what mends the rest."""

from __future__ import annotations

import os
import time

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import painted, say, say_json
from mempalace.layers.soundness import BLOCKED, OK, WARN, soundness, worst

COLOURS = {OK: "green", WARN: "yellow", BLOCKED: "red"}


@click.command()
@palace_option
@json_option
def selftest(palace: str, as_json: bool) -> None:
    """Look over store, index, hooks and calibration: ok, warn or blocked, each with its remedy.

    Changes nothing. Ends with status 1 where something is blocked.
    """
    findings = soundness(palace, os.environ, now=int(time.time()))
    state = worst(findings)
    if as_json:
        say_json({"state": state, "findings": [one._asdict() for one in findings]})
    else:
        for one in findings:
            grade = painted(f"{one.state:7}", fg=COLOURS[one.state])
            say(grade, f"  {one.part:11}  {one.what}" + (f": {one.remedy}" if one.remedy else ""))
    if state == BLOCKED:
        raise SystemExit(1)
