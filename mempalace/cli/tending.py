"""The commands of `mempalace belief` that change what is believed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from mempalace.cli.changing import turn
from mempalace.cli.claims import described, line, short
from mempalace.cli.options import F, json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.layers import tending
from mempalace.layers.believing import subject_of
from mempalace.layers.rules import worded
from mempalace.model import AVOID, PREFER, Belief
from mempalace.store import beliefs
from mempalace.store.connection import Store, open_reader, open_writer


def fields(command: F) -> F:
    """Add the options that say what a belief is about; one that is not given is None."""
    for name, metavar, told in (
        ("--glob", "GLOB", "Where in the project it holds."),
        ("--subject", "WORDS", "What of that kind one option fills, such as python  [default: by the option]."),
        ("--option", "NAME", "What is to be chosen there."),
        ("--kind", "KIND", "The sort of choice it settles, such as package-manager."),
    ):
        command = click.option(name, metavar=metavar, help=told)(command)
    return command


@click.command()
@click.argument("claim", nargs=-1, metavar="[CLAIM]...")
@palace_option
@fields
@click.option("--avoid", is_flag=True, help="The option is to be avoided.")
@click.option("--global", "everywhere", is_flag=True, help="In every project.")
@click.option("--pin", is_flag=True, help="Freeze its confidence; nothing that is observed supersedes it.")
@click.option("--wing", metavar="NAME", default="", help="The wing  [default: the folder's project].")
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
@json_option
def add(
    claim: tuple[str, ...], palace: str, kind: str | None, option: str | None, subject: str | None, glob: str | None,
    avoid: bool, everywhere: bool, pin: bool, wing: str, cwd: str, as_json: bool,
) -> None:  # fmt: skip
    """State a belief: CLAIM in words, or a KIND and the OPTION to choose there."""
    if everywhere and wing:
        raise click.UsageError("--global and --wing exclude each other")
    if subject is None:
        subject = subject_of(palace, kind or "", option or "")
    told = tending.Told(
        " ".join(claim), kind or "", option or "", subject, AVOID if avoid else PREFER, wing, glob or ""
    )
    now = int(time.time())
    with turn(palace), open_writer(palace) as store:
        place = "" if everywhere or wing else cwd or os.getcwd()
        one, formed = tending.tell(store, told, cwd=place, pinned=pin, now=now)
        old = [beliefs.belief(store, before, now=now) for before, _ in formed.superseded]
    _say([one, *old], as_json, {"belief": described(one), "superseded": [described(gone) for gone in old]})


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@json_option
def pin(id: str, palace: str, as_json: bool) -> None:
    """Freeze a belief's confidence as it is now; nothing that is observed supersedes it."""
    with changeable(palace) as store:
        one = tending.pin(store, id, now=int(time.time()))
    _say([one], as_json)


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@json_option
def unpin(id: str, palace: str, as_json: bool) -> None:
    """Let a belief's confidence follow its evidence again."""
    with changeable(palace) as store:
        one = tending.unpin(store, id, now=int(time.time()))
    _say([one], as_json)


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@json_option
def retire(id: str, palace: str, as_json: bool) -> None:
    """Take a belief back; its history is kept."""
    with changeable(palace) as store:
        one = tending.retire(store, id, now=int(time.time()))
    _say([one], as_json)


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@click.option("--claim", metavar="TEXT", help="What it says.")
@fields
@click.option("--avoid/--prefer", default=None, help="Whether its option is to be avoided.")
@click.option("--wing", metavar="NAME", help="The wing where it holds.")
@click.option("--global", "everywhere", is_flag=True, help="In every project.")
@json_option
def edit(
    id: str, palace: str, claim: str | None, kind: str | None, option: str | None, subject: str | None,
    glob: str | None, avoid: bool | None, wing: str | None, everywhere: bool, as_json: bool,
) -> None:  # fmt: skip
    """Say a belief otherwise; it keeps its evidence, and what it said before is kept as superseded."""
    polarity = None if avoid is None else AVOID if avoid else PREFER
    given = {
        "claim": claim, "kind": kind, "option": option, "subject": subject, "polarity": polarity,
        "wing": "" if everywhere else wing, "glob": glob,
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    with changeable(palace) as store:
        old, new = tending.edit(store, id, now=int(time.time()), **changes)
    told = {"belief": described(new), "superseded": [described(old)] if old.id != new.id else []}
    _say([new, old] if old.id != new.id else [new], as_json, told)


@contextmanager
def changeable(palace: str) -> Iterator[Store]:
    """Give the palace for a change, with the miner's lock held; none is made for it."""
    with open_reader(palace):
        pass
    with turn(palace), open_writer(palace) as store:
        yield store


def _say(told: list[Belief], as_json: bool, value: object = None) -> None:
    """Say what holds, and what it took the place of."""
    if as_json:
        say_json(value or {"belief": described(told[0])})
        return
    say(line(told[0]))
    for old in told[1:]:
        say(f"  no longer: {short(old)} {worded(old)}")
