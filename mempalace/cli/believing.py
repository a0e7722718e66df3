"""`mempalace belief` and `beliefs`: what is believed, how far, and on what evidence."""

from __future__ import annotations

import os
import time

import click

from mempalace.beliefs.ranking import Ranked, exceptions, rank
from mempalace.cli import tending
from mempalace.cli.claims import described, line, scope, seen, short, sure
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.layers.rules import worded
from mempalace.layers.wake_up import day
from mempalace.projects import project_of
from mempalace.store import beliefs as stored
from mempalace.store import wings
from mempalace.store.connection import Store, open_reader

KINDS = ("other kind", "no kind", "right kind")  # by the tier of a ranked belief


@click.group()
def belief() -> None:
    """Rules that were stated and choices that were made: how sure each is, and on what evidence."""


for _command in (tending.add, tending.pin, tending.unpin, tending.retire, tending.edit):
    belief.add_command(_command)


@belief.command("list")
@palace_option
@click.option("--wing", metavar="NAME", default="", help="The wing  [default: the folder's project].")
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
@click.option("--kind", metavar="KIND", default="", help="Only of this kind.")
@click.option("--all", "every", is_flag=True, help="Of every wing, and those that stand no more.")
@json_option
def listed(palace: str, wing: str, cwd: str, kind: str, every: bool, as_json: bool) -> None:
    """List what is believed in a wing and everywhere, the surest first."""
    now = int(time.time())
    with open_reader(palace) as store:
        found = stored.every(store, now=now) if every else stored.standing(store, _wing(store, wing, cwd), now=now)
    wider = {one.id: other for one, other in exceptions(found)}
    found = [one for one in found if not kind or one.kind == kind]
    found.sort(key=lambda one: (bool(one.retired_at), not one.pinned, -one.confidence, one.id))
    if as_json:
        say_json({"beliefs": [described(one) for one in found]})
        return
    for one in found:
        say(line(one) + (f"; an exception to {short(wider[one.id])}" if one.id in wider else ""))
    say(f"{len(found)} beliefs")


@belief.command()
@click.argument("id", metavar="ID")
@palace_option
@json_option
def show(id: str, palace: str, as_json: bool) -> None:
    """Show a belief whole: its evidence, and what it took the place of."""
    tell(palace, id, as_json)


def tell(palace: str, id: str, as_json: bool) -> None:
    """Print a belief whole."""
    now = int(time.time())
    with open_reader(palace) as store:
        one = stored.belief(store, id, now=now)
        evidence = stored.evidence(store, one.id)
        every = {other.id: other for other in stored.every(store, now=now)}
    before = [other for other in every.values() if other.superseded_by == one.id]
    before.sort(key=lambda other: (-other.retired_at, other.id))
    if as_json:
        rows = [row._asdict() for row in evidence]
        say_json({"belief": described(one), "evidence": rows, "superseded": [described(other) for other in before]})
        return
    say(line(one))
    if one.superseded_by in every:
        say(f"now holds  {short(every[one.superseded_by])} {worded(every[one.superseded_by])}")
    for other in before:
        say(f"no longer  {short(other)} {worded(other)}, {other.why} {day(other.retired_at)}")
    say(f"evidence   {one.support:.1f} for, {one.against:.1f} against, of {len(evidence)} observations")
    for row in evidence:
        say(seen(row))


@click.command()
@click.option("--for", "task", metavar="TASK", required=True, help="What is to be done, in words.")
@click.option("--kind", metavar="KIND", required=True, help="The sort of choice that is to be made.")
@click.option("--subject", metavar="WORDS", default="", help="What of that kind it is about.")
@click.option("--path", metavar="PATH", default="", help="Where in the project, from its root.")
@palace_option
@click.option("--wing", metavar="NAME", default="", help="The wing  [default: the folder's project].")
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
@json_option
def beliefs(
    task: str, kind: str, subject: str, path: str, palace: str, wing: str, cwd: str, as_json: bool
) -> None:  # fmt: skip
    """Rank what is believed for a task of a kind, all of it, with the terms of the ranking."""
    with open_reader(palace) as store:
        found = stored.standing(store, _wing(store, wing, cwd), now=int(time.time()))
    ranked = rank(found, kind=kind, path=path, subject=subject, task=task)
    if as_json:
        terms = [{**one._asdict(), "belief": described(one.belief), "kind": KINDS[one.kind]} for one in ranked]
        say_json({"beliefs": terms})
        return
    for one in ranked:
        say(_ranked(one))
    if not ranked:
        say("nothing is believed here")


def _ranked(one: Ranked) -> str:
    terms = [
        KINDS[one.kind], "linked" if one.linked else "", "local exception" if one.local else "default",
        "pinned" if one.pinned else "", sure(one.belief), f"weight {one.weight:.1f}", scope(one.belief),
    ]  # fmt: skip
    return f"{one.rank:2}. {short(one.belief)} {worded(one.belief)}  " + "; ".join(term for term in terms if term)


def _wing(store: Store, name: str, cwd: str) -> int | None:
    """Return the row of the wing that is named, else of the folder's project; None where it has none."""
    if name:
        return wings.named(store, name).n
    found = wings.of_project(store, project_of(cwd or os.getcwd()))
    return found.n if found else None
