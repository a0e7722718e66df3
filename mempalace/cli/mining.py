"""`mempalace mine`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import click

from mempalace.cli import loaded
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.mine import finding, formats, turnstile
from mempalace.mine.finding import Found
from mempalace.mine.report import Report, counted
from mempalace.paths import shown
from mempalace.search import state
from mempalace.store import filing
from mempalace.store.connection import open_reader

MANY = 20  # lines of a kind that are printed before the rest is only counted


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@palace_option
@click.option("--wing", metavar="NAME", default="", help="File everything under this wing.")
@click.option(
    "--harness", metavar="NAME", default="", help="Read every file as this harness's, whatever it looks like."
)
@click.option(
    "--everything",
    is_flag=True,
    help="In folders, also files that git ignores and foreign ones (node_modules, vendor...).",
)
@click.option("--dry-run", is_flag=True, help="Say what would be mined; write nothing.")
@click.option("--quiet", "-q", is_flag=True, help="Print problems only.")
@click.option("--nice", is_flag=True, help="Give way to everything else this machine does.")
@json_option
def mine(
    paths: tuple[str, ...], palace: str, wing: str, harness: str, everything: bool, dry_run: bool, quiet: bool,
    nice: bool, as_json: bool,
) -> None:  # fmt: skip
    """Mine transcripts into the palace.

    PATH is a transcript, an export, a notes file, or a folder of them. Without one, every
    harness's store on this machine is mined.
    """
    if nice and hasattr(os, "nice"):
        os.nice(10)
    if harness:
        formats.named(harness)
    places = [os.path.abspath(os.path.expanduser(path)) for path in paths]
    if not places:
        places = _announced(quiet or as_json)
    if dry_run:
        _dry(finding.files(places, everything=everything), harness, as_json)
        return
    request = {"places": places, "wing": wing, "harness": harness, "everything": everything}
    idle = _nothing_new(palace, request)
    if idle is not None:
        _tell(idle, palace, quiet, as_json)
        return
    reports: list[Report] = []
    run = loaded("digging").run
    here = turnstile.pass_through(
        palace, request, lambda asked: reports.append(run(palace, asked, progress=not (quiet or as_json)))
    )
    if not here:
        _say({"queued": True}, "another miner is at work in this palace: it will take this over", as_json)
        return
    for report in reports:
        _tell(report, palace, quiet, as_json)


def _nothing_new(palace: str, request: turnstile.Request) -> Report | None:
    """Return the report of a run that has nothing to do, None where there is something.

    Told by a look alone: no file differs from what was read of it, and nobody waits. Loading
    all that mining needs would cost ten times as much as this.
    """
    if turnstile.pending(palace) or request["wing"]:
        return None
    try:
        with open_reader(palace) as store:
            known = filing.file_states(store)
            held = state.read(palace)
            if held is None or held.generation < filing.generation(store) or not state.usable(held):
                return None
    except PalaceError:
        return None
    report = Report()
    for file in finding.files(request["places"], everything=bool(request["everything"])):
        was = known.get(file.path)
        if not file.why and (was is None or (was.size, was.mtime_ns) != (file.size, file.mtime_ns)):
            return None
        report.files += 1
        report.unchanged += not file.why
        if file.why:
            report.problems.append((file.path, file.why))
    return report


def _announced(silent: bool) -> list[str]:
    """Return every harness's store on this machine, having said which there are."""
    stores = finding.stores(os.path.expanduser("~"))
    if not stores:
        known = ", ".join(harness.name for harness in formats.FORMATS if harness.stores("~"))
        raise PalaceError(f"no transcripts found in your home folder (looked for {known}): name a PATH to mine")
    if not silent:
        for name, places in stores.items():
            say(f"{name}: {', '.join(map(shown, places))}", err=True)
    return [place for places in stores.values() for place in places]


def _dry(found: Iterable[Found], harness: str, as_json: bool) -> None:
    rows = list(_recognised(found, harness))
    if as_json:
        say_json({"files": [{"path": path, "harness": name, "why": why} for path, name, why in rows]})
        return
    for path, name, why in rows:
        say(f"{name or '-':12} {shown(path)}{f': {why}' if why else ''}")
    say(f"{sum(bool(name) for _, name, _ in rows)} of {len(rows)} files would be mined")


def _recognised(found: Iterable[Found], harness: str) -> Iterator[tuple[str, str, str]]:
    for file in found:
        why, name = file.why, harness
        if not why and not harness:
            try:
                with open(file.path, "rb") as handle:
                    known = formats.of_file(file.path, handle.read(formats.HEAD))
                name = known.name if known else ""
                why = "" if known else "no known format"
            except OSError as error:
                why = (error.strerror or str(error)).lower()
        yield file.path, "" if why else name, why


def _say(value: dict[str, Any], line: str, as_json: bool) -> None:
    if as_json:
        say_json(value)
    else:
        say(line)


def _tell(report: Report, palace: str, quiet: bool, as_json: bool) -> None:
    if as_json:
        say_json(counted(report))
        return
    lines = [f"{shown(path)}: {why}" for path, why in report.problems]
    lines += [f"{shown(path)}:{line}: {why}" for path, line, why in report.malformed]
    for line in lines[:MANY]:
        say(line, err=True)
    if len(lines) > MANY:
        say(f"... and {len(lines) - MANY} more (all of them: --json)", err=True)
    if not quiet:
        say(summary(report, palace))


def summary(report: Report, palace: str) -> str:
    """Return the one line that says what a run did."""
    parts = [f"{report.read} of {report.files} files read", f"{report.unchanged} unchanged"]
    if report.unknown:
        parts.append(f"{report.unknown} of no known format")
    parts += [f"{report.drawers} drawers", f"{report.actions} actions"]
    for count, word in (
        (report.repeated, "repeated"),
        (report.redacted, "secrets redacted"),
        (report.forgotten, "kept forgotten"),
        (report.cited, "memories cited"),
        (report.never_given, "cited that were never given"),
    ):
        if count:
            parts.append(f"{count} {word}")
    if report.skipped:
        parts.append(f"{report.skipped.total()} records without prose")
    return f"mined into {shown(palace)}: " + ", ".join(parts)
