"""`mempalace decide`, `turn`, `turns`, `replay`: choices made with beliefs in view, and what became of them."""

from __future__ import annotations

import os
import sys
import time

import click

from mempalace.beliefs.answer import Option
from mempalace.beliefs.models import RULES, model
from mempalace.beliefs.prompting import Task
from mempalace.cli import choices, replays
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.harmless import plain
from mempalace.layers import deciding
from mempalace.projects import project_of
from mempalace.store import turns as kept
from mempalace.store import wings
from mempalace.store.connection import Store, open_reader, open_writer

LISTED = 30  # turns


@click.command()
@click.argument("task", metavar="TASK")
@palace_option
@click.option("--option", "options", multiple=True, required=True, metavar="ID=DISPLAY", help="What may be chosen.")
@click.option("--kind", required=True, metavar="NAME", help="The sort of choice, as a belief's: package-manager...")
@click.option("--subject", metavar="NAME", default="", help="The slot in that kind  [default: known by the options].")
@click.option("--path", metavar="PATH", default="", help="Where in the project, relative to it.")
@click.option("--wing", metavar="NAME", default="", help="The wing  [default: this folder's project].")
@click.option("--model", "name", metavar="MODEL", default=RULES, show_default=True, help="rules or command:PROGRAM.")
@click.option(
    "--limit", metavar="N", default=deciding.LIMIT, show_default=True, type=click.IntRange(0, 10_000),
    help="How many beliefs the model is shown.",
)  # fmt: skip
@json_option
def decide(
    task: str, palace: str, options: tuple[str, ...], kind: str, subject: str, path: str, wing: str, name: str,
    limit: int, as_json: bool,
) -> None:  # fmt: skip
    """Choose one of the options for TASK with what is believed in view, and keep the turn."""
    offered = [_option(text) for text in options]
    asker = model(name)
    with open_reader(palace):
        pass  # no palace is made just to decide in it
    with open_writer(palace) as store:
        choice = Task(task, kind, subject, _wing(store, wing), path)
        made = deciding.decide(store, choice, offered, asker, name=name, limit=limit, now=int(time.time()))
    if as_json:
        say_json(choices.as_dict(made))
    else:
        say("\n".join(choices.made(made)))


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@click.option("--all", "every", is_flag=True, help="List the beliefs that were not shown, too.")
@click.option("--bytes", "which", type=click.Choice(["sent", "raw"]), help="Print only these bytes, as they were.")
@json_option
def turn(id: str, palace: str, every: bool, which: str | None, as_json: bool) -> None:
    """Open a turn: what was picked, what it rests on, and whether memory was cut or not followed."""
    with open_reader(palace) as store:
        found = kept.turn(store, id)
    if which:
        kept_as = found.sent if which == "sent" else found.raw
        # To the byte for a file or a program; on a terminal as one may look at it.
        click.echo(plain(kept_as.decode("utf-8", "replace")) if sys.stdout.isatty() else kept_as, nl=False)
    elif as_json:
        say_json(choices.as_dict(found, every=True))
    else:
        say("\n".join(choices.opened(found, every=every)))


@click.command()
@palace_option
@click.option("--flagged", is_flag=True, help="Only those that go against a strong belief.")
@click.option("--limit", metavar="N", default=LISTED, show_default=True, type=click.IntRange(1), help="How many.")
@json_option
def turns(palace: str, flagged: bool, limit: int, as_json: bool) -> None:
    """List the turns, newest first; a warning sign marks those that override a belief."""
    with open_reader(palace) as store:
        found = kept.turns(store, flagged=flagged, limit=limit)
        total = kept.count(store, flagged=flagged)
    if as_json:
        say_json({"total": total, "turns": [choices.as_dict(one) for one in found]})
        return
    for one in found:
        say(choices.line(one))
    if total > len(found):
        say(f"and {total - len(found)} earlier: --limit {total}", err=True)
    if not total:
        say("no turn goes against a belief" if flagged else "no turns yet", err=True)


@click.command()
@click.argument("id", metavar="TURN")
@palace_option
@click.option("--now", "today", is_flag=True, help="With today's beliefs instead of those that were sent.")
@click.option("--model", "name", metavar="MODEL", default="", help="Another model  [default: the turn's own].")
@json_option
def replay(id: str, palace: str, today: bool, name: str, as_json: bool) -> None:
    """Make a choice once more from the very bytes that were sent, and say what is otherwise; changes nothing."""
    with open_reader(palace) as store:
        found = kept.turn(store, id)
        asker = model(name or found.model)
        if today:
            done = deciding.replay_now(store, found, asker, now=int(time.time()))
        else:
            done = deciding.replay(found, asker)
    if as_json:
        say_json(replays.as_dict(done, model=name or found.model))
    else:
        say("\n".join(replays.lines(done, model=name or found.model, today=today)))


def _option(text: str) -> Option:
    """Return an option from ID=DISPLAY; without the sign, the id is what is shown."""
    id, sign, display = text.partition("=")
    if not id.strip():
        raise PalaceError(f"--option {text!r} has no id: write ID=DISPLAY")
    return Option(id.strip(), display.strip() if sign and display.strip() else id.strip())


def _wing(store: Store, name: str) -> str:
    """Return the wing's name: the one given, which must be there, else this folder's, "" where it has none."""
    if name:
        return wings.named(store, name).name
    found = wings.of_project(store, project_of(os.getcwd()))
    return found.name if found else ""
