"""`mempalace doctor`, `backup`, `restore`: keeping the palace sound."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from mempalace import __version__, runtime, trajectory
from mempalace.cli.options import json_option, palace_option, say_json
from mempalace.errors import NoPalace, PalaceError
from mempalace.layers import upkeep
from mempalace.mine import turnstile
from mempalace.paths import shown
from mempalace.search import state
from mempalace.settings import read as read_settings
from mempalace.store import backup as copies
from mempalace.store import filing
from mempalace.store.connection import open_reader, open_writer

WAIT = 60  # seconds for a miner at work
Finding = tuple[str, str, str]  # ok, warn or bad; what; what to do


@click.command()
@palace_option
@click.option("--rebuild", is_flag=True, help="Build the index anew from the palace, and choose the stories anew.")
@json_option
def doctor(palace: str, rebuild: bool, as_json: bool) -> None:
    """Look the palace over: its file, its index, its hooks, its settings. Never deletes anything."""
    if rebuild:
        with open_reader(palace):
            pass  # no palace is made just to rebuild it
        with turnstile.turn(palace, WAIT), open_writer(palace) as store:
            count = upkeep.rebuild(store, os.environ)
        click.echo(f"rebuilt: {count} documents in the index", err=as_json)
    findings = list(_findings(palace))
    if as_json:
        say_json(
            {
                "version": __version__,
                "findings": [dict(zip(("state", "what", "remedy"), f, strict=True)) for f in findings],
            }
        )
    else:
        for grade, what, remedy in findings:
            colour = {"ok": "green", "warn": "yellow", "bad": "red"}[grade]
            click.echo(click.style(f"{grade:4}", fg=colour) + f"  {what}" + (f": {remedy}" if remedy else ""))
    if any(grade == "bad" for grade, _, _ in findings):
        raise SystemExit(1)


def _findings(palace: str) -> Iterator[Finding]:
    try:
        with open_reader(palace) as store:
            problems = copies.examine(store)
            newest = filing.generation(store)
        if problems:
            yield (
                "bad",
                f"palace.db is damaged ({problems[0]})",
                'restore a backup with "mempalace restore FILE"',
            )
            return
        yield "ok", f"palace.db at {shown(palace)} is sound", ""
        yield _index(palace, newest)
    except NoPalace:
        raise  # what every command says to that
    except PalaceError as error:
        yield "bad", str(error), 'restore a backup with "mempalace restore FILE" where it is damaged'
        return
    settings = read_settings(palace, os.environ)
    if settings.wrong:
        yield "warn", f"a setting cannot be used ({settings.wrong})", "its default holds; correct it"
    if settings.off:
        yield "warn", "the hooks are off", "unset MEMPALACE_OFF or set off to false in config.json"
    python = runtime.recorded(palace)
    if python and not os.access(python, os.X_OK):
        yield "warn", f"the recorded interpreter {shown(python)} is gone", 'run "mempalace mine" once'
    yield from _hooks(palace)
    if turnstile.pending(palace):
        yield "warn", f"{len(turnstile.pending(palace))} requests to mine are waiting", 'run "mempalace mine"'


def _index(palace: str, newest: int) -> Finding:
    held = state.read(palace)
    if held is None:
        return "warn", "the index is missing or unreadable", 'run "mempalace doctor --rebuild"'
    if not state.usable(held):
        return "warn", "the index was built by another version", 'run "mempalace doctor --rebuild"'
    if held.generation < newest:
        return "warn", f"the index is behind ({held.generation} of {newest})", 'run "mempalace mine"'
    return "ok", "the index is current", ""


def _hooks(palace: str) -> Iterator[Finding]:
    events = list(trajectory.events(palace))[-200:]
    failed = [event for event in events if event.get("failed")]
    if failed:
        yield (
            "warn",
            f"{len(failed)} of the last {len(events)} hook runs failed",
            f"the last: {failed[-1]['failed']}",
        )
    elif events:
        yield "ok", f"the last {len(events)} hook runs went well", ""


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@palace_option
def backup(file: str, palace: str) -> None:
    """Copy the palace into FILE, whole and consistent, while others may use it."""
    size = copies.backup(palace, file)
    click.echo(f"{shown(os.path.abspath(file))}: {size / 1e6:.1f} MB")


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
    click.echo(f"restored {shown(palace)} from {shown(os.path.abspath(file))}")
