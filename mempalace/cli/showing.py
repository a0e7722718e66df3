"""`mempalace show` and `why`: one drawer whole, and why it was or was not told."""

from __future__ import annotations

import os
import time

import click

from mempalace import trajectory
from mempalace.cli import believing
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import painted, say, say_json
from mempalace.harmless import plain
from mempalace.layers import held
from mempalace.layers.explain import why as reason
from mempalace.layers.wake_up import day, wake_up
from mempalace.model import Drawer
from mempalace.paths import shown
from mempalace.store import beliefs, looking
from mempalace.store.connection import open_reader

AROUND = 2  # neighbours on either side
GLANCE = 160  # characters of a neighbour


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@click.option("--around", metavar="N", default=AROUND, show_default=True, help="How many neighbours on either side.")
@json_option
def show(id: str, palace: str, around: int, as_json: bool) -> None:
    """Open a drawer by its id, a session by s:N or a belief by b:ID: the words, what is around them, their source."""
    if id.strip("[]").startswith("b:"):
        believing.tell(palace, id, as_json)
        return
    with open_reader(palace) as store:
        if id.strip("[]").startswith("s:"):
            n, session = looking.source(store, id)
            said = looking.said_in(store, n)
            if as_json:
                say_json({"session": session._asdict(), "drawers": [drawer._asdict() for drawer in said]})
                return
            say(f"session  {session.title or session.opening or session.id}")
            say(
                f"from     {shown(session.path)} ({session.harness}), "
                f"{day(session.started_at)} to {day(session.ended_at)}\n"
            )
            for drawer in said:
                _glance(drawer, 10**6)
            return
        place = looking.drawer(store, id)
        before, after = looking.around(store, place, around)
    if as_json:
        say_json(
            {
                "drawer": place.drawer._asdict(),
                "session": place.source._asdict() if place.source else None,
                "path": place.path,
                "before": [drawer._asdict() for drawer in before],
                "after": [drawer._asdict() for drawer in after],
            }
        )
        return
    for drawer in before:
        _glance(drawer, GLANCE)
    _whole(place)
    for drawer in after:
        _glance(drawer, GLANCE)


def _whole(place: looking.Place) -> None:
    drawer = place.drawer
    say(painted(f"== {drawer.id}  {drawer.wing} / {drawer.room}  {drawer.kind}  {day(drawer.happened_at)}", bold=True))
    if place.source and place.source.title:
        say(f"session  {place.source.title}")
    if place.path:
        say(f"from     {shown(place.path)}:{drawer.line}")
    say(f"\n{drawer.text.rstrip()}\n")


def _glance(drawer: Drawer, room: int) -> None:
    text = plain(drawer.text)
    text = " ".join(text.split()) if room == GLANCE else text.rstrip()
    text = text if len(text) <= room else text[: room - 3] + "..."
    say(painted(f"[d:{drawer.id[:8]}] {drawer.kind}: ", dim=True), text)


@click.command()
@click.argument("id", metavar="ID")
@palace_option
@json_option
def why(id: str, palace: str, as_json: bool) -> None:
    """Say where a drawer or a belief stands in the wake-up and in the last recall, or which gate kept it out."""
    if id.strip("[]").startswith("b:"):
        _why_belief(palace, id, as_json)
        return
    with open_reader(palace) as store:
        place = looking.drawer(store, id)
        told = reason(store, place.drawer, os.environ)
    recall = trajectory.last_recall(palace, place.drawer.id)
    if as_json:
        last = {"at": recall[0], "fate": recall[1]} if recall else None
        say_json({"id": place.drawer.id, **told._asdict(), "last_recall": last})
        return
    say(f"{place.drawer.id[:8]}: {told.gate}")
    say(told.said)
    if recall:
        say(f"last prompt it was considered for, {day(recall[0])}: {recall[1]}")


def _why_belief(palace: str, id: str, as_json: bool) -> None:
    with open_reader(palace) as store:
        one = beliefs.belief(store, id, now=int(time.time()))
        told = (
            wake_up(palace, wing=one.wing, env=os.environ).rules
            if one.wing
            else [other.id for other in beliefs.pinned(store, None)]
        )
    stands = held.why(one, told)
    if as_json:
        say_json({"id": one.id, **stands._asdict()})
        return
    say(f"{one.id[:8]}: {stands.gate}")
    say(stands.said)
