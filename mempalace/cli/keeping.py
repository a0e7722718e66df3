"""`mempalace doctor`, `backup`, `restore`: keeping the palace sound."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time

import click

from mempalace import __version__
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import painted, say, say_json
from mempalace.harmless import plain
from mempalace.layers import upkeep
from mempalace.layers.examination import examination
from mempalace.layers.findings import BAD, OK, WARN, Finding, Place
from mempalace.mine import turnstile
from mempalace.paths import shown
from mempalace.store import backup as copies
from mempalace.store.connection import open_reader, open_writer

WAIT = 60  # seconds for a miner at work
COLOURS = {OK: "green", WARN: "yellow", BAD: "red"}


@click.command()
@palace_option
@click.option("--rebuild", is_flag=True, help="Build the index anew from the palace, and choose the stories anew.")
@json_option
def doctor(palace: str, rebuild: bool, as_json: bool) -> None:
    """Look it all over: environment, hooks, settings, palace, index. Deletes nothing; exit status 1 for what is bad."""
    if rebuild:
        with open_reader(palace):
            pass  # no palace is made just to rebuild it
        with turnstile.turn(palace, WAIT), open_writer(palace) as store:
            count = upkeep.rebuild(store, os.environ)
        say(f"rebuilt: {count} documents in the index", err=as_json)
    findings = examination(Place(palace, os.environ, _here(), int(time.time())))
    if as_json:
        say_json({"version": __version__, "findings": [finding._asdict() for finding in findings]})
    else:
        _tell(findings)
    if any(finding.state == BAD for finding in findings):
        raise SystemExit(1)


def _tell(findings: list[Finding]) -> None:
    """Print the findings, each section under its name."""
    section = ""
    for finding in findings:
        if finding.section != section:
            section = finding.section
            say(section)
        state = painted(f"{finding.state:4}", fg=COLOURS[finding.state])
        first, *more = [*_lines(plain(finding.what)), *_lines(plain(finding.remedy), "-> ")]
        say("  ", state, f"  {first}")
        for line in more:
            say(f"        {line}")


def _lines(text: str, sign: str = "") -> list[str]:
    """Return a text as lines: as many as a terminal needs, one for anything else that reads."""
    width = shutil.get_terminal_size().columns - 9 if sys.stdout.isatty() else 0
    if not text or width < 40:
        return [sign + text] if text else []
    return textwrap.wrap(
        text, width, initial_indent=sign, subsequent_indent=" " * len(sign), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@palace_option
def backup(file: str, palace: str) -> None:
    """Copy the palace into FILE, whole and consistent, while others may use it."""
    size = copies.backup(palace, file)
    say(f"{shown(os.path.abspath(file))}: {size / 1e6:.1f} MB")


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@palace_option
@click.option("--yes", is_flag=True, help="Overwrite a palace that is there without asking.")
def restore(file: str, palace: str, yes: bool) -> None:
    """Put the palace in FILE in place of the one that is there, and build its index anew."""
    if os.path.exists(os.path.join(palace, "palace.db")) and not yes:
        click.confirm(f"overwrite the palace at {shown(palace)}?", abort=True)
    with turnstile.turn(palace, WAIT):
        copies.restore(file, palace)
        with open_writer(palace) as store:
            upkeep.rebuild(store, os.environ)
    say(f"restored {shown(palace)} from {shown(os.path.abspath(file))}")
