"""`mempalace learn`, `trust`, `tremor`: what happened when memory was relied on, and how it stands."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.layers import learning, standings
from mempalace.layers.subjects import shown
from mempalace.layers.wake_up import day
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.ledger import Counts, Outcome
from mempalace.trust.ledger import SORTS, Standing

TOP = 20  # rows that are shown unasked
COLD = 'no evidence yet: say how a memory held with "mempalace learn ID correct", wrong or partial'


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.argument("outcome", metavar="correct|wrong|partial")
@palace_option
@click.option("--why", metavar="TEXT", default="", help="The reason, in a few words; secrets in it are redacted.")
@json_option
def learn(ids: tuple[str, ...], outcome: str, palace: str, why: str, as_json: bool) -> None:
    """Say whether memory held when it was relied on.

    ID is a drawer (d:ID), a belief (b:ID) or a file of this project; several were relied on
    together.
    """
    with open_reader(palace):
        pass  # no palace is made just to learn in it
    with open_writer(palace) as store:
        done = learning.learn(store, ids, outcome, why=why, cwd=os.getcwd(), now=int(time.time()))
    if as_json:
        told = [{"subject": one.subject.subject, "band": one.standing.band} for one in done]
        say_json({"outcome": outcome, "learned": told})
        return
    for one in done:
        say(f"learned: {one.subject.shown} was {outcome}; {worded(one.standing)}")


@click.command()
@click.argument("id", required=False, default="", metavar="[ID]")
@palace_option
@click.option("--scope", metavar="S", default="", help="Only drawer, belief or file; or one folder or file.")
@click.option("--sort", metavar="BY", default="risk", show_default=True, help=f"{', '.join(SORTS)}.")
@click.option("--top", metavar="N", default=TOP, show_default=True, type=click.IntRange(1), help="How many.")
@json_option
def trust(id: str, palace: str, scope: str, sort: str, top: int, as_json: bool) -> None:
    """Say how far memory is to be trusted: one drawer, belief or file with its history, or all, worst first."""
    now = int(time.time())
    with open_reader(palace) as store:
        if id:
            _account(standings.account(store, id, cwd=os.getcwd(), now=now), as_json)
            return
        found = standings.report(store, scope=scope, sort=sort, top_k=top, now=now)
        names = standings.names_of_wings(store)
    if as_json:
        rows = [_row(counts, standing, names.get(counts.wing, "")) for counts, standing in found.rows]
        mean = None if found.mean is None else round(found.mean, 4)
        say_json({"mean_trust": mean, "rows": rows})
        return
    if not found.rows:
        say(f"nothing is known of {scope}" if scope else COLD)
    for counts, standing in found.rows:
        where = f"  in {names[counts.wing]}" if counts.wing in names else ""
        say(f"{shown(counts.subject)}{where}: {worded(standing)}{_tally(counts) if standing.known else ''}")
    if found.mean is not None:
        say(f"mean trust {found.mean:.2f} over the {found.known} of {found.matches} with enough evidence")


@click.command()
@palace_option
@click.option("--window", metavar="DAYS", default="30", show_default=True, help="7, 30, 90 or all.")
@click.option("--top", metavar="N", default=TOP, show_default=True, type=click.IntRange(1), help="How many.")
@json_option
def tremor(palace: str, window: str, top: int, as_json: bool) -> None:
    """List what changes faster and faster, most first."""
    with open_reader(palace) as store:
        found = standings.shaken(store, window, top_k=top, now=int(time.time()))
    if as_json:
        rows = [
            {"subject": one.subject, "wing": one.wing, "level": one.level, **one.tremor._asdict()} for one in found
        ]  # fmt: skip
        say_json({"window": window, "rows": rows})
        return
    if not found:
        say("nothing was seen to change often enough within this window")
    for one in found:
        gain = one.tremor.acceleration
        way = "speeding up" if gain > 0 else "slowing down" if gain < 0 else "steady"
        where = f"  in {one.wing}" if one.wing else ""
        say(
            f"{one.level}  {one.tremor.magnitude:.2f}  {shown(one.subject)}{where}: {way}, "
            f"{one.tremor.observations} changes"
        )


def worded(standing: Standing) -> str:
    """Return a standing in words, with numbers only where there is enough evidence for them."""
    if not standing.known:
        return "insufficient evidence"
    return f"{standing.band} risk, trust {standing.trust:.2f}"


def _tally(counts: Counts) -> str:
    weights = {"wrong": counts.defects, "correct": counts.false_alarms, "partial": counts.partials}
    told = ", ".join(f"{weight:g} {word}" for word, weight in weights.items() if weight)
    return f" ({told})"


def _row(counts: Counts, standing: Standing, wing: str) -> dict[str, Any]:
    return {"subject": counts.subject, "wing": wing, **standings.as_dict(counts, standing)}


def _account(one: standings.Account, as_json: bool) -> None:
    if as_json:
        events = [_event(event) for event in one.events]
        say_json(
            {"subject": one.subject.subject, **standings.as_dict(one.counts, one.standing), "events": events}
        )  # fmt: skip
        return
    tally = _tally(one.counts) if one.counts and one.standing.known else ""
    say(f"{one.subject.shown}: {worded(one.standing)}{tally}")
    for event in one.events:
        say(f"  {day(event.at)}  {event.outcome} ({event.origin}){': ' + event.why if event.why else ''}")


def _event(event: Outcome) -> dict[str, Any]:
    return {name: getattr(event, name) for name in ("at", "outcome", "origin", "weight", "why")}
