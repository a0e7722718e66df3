"""`mempalace status`, `wings`, `rooms`: what the palace holds."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from mempalace import trajectory
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.harmless import plain
from mempalace.layers.wake_up import day
from mempalace.mine import turnstile
from mempalace.paths import shown
from mempalace.search import state
from mempalace.store import looking, reading
from mempalace.store import wings as all_of
from mempalace.store.connection import open_reader

RECENT = 200  # of the last hook runs, whose failures are counted


@click.command()
@palace_option
@json_option
def status(palace: str, as_json: bool) -> None:
    """Say what the palace holds, how its index and its hooks are doing."""
    with open_reader(palace) as store:
        told = looking.counts(store)
        held = state.read(palace)
        told["index"] = "missing" if held is None else "behind" if reading.behind(store, held.generation) else "current"
    told["palace"] = palace
    told["waiting"] = len(turnstile.pending(palace))
    told["hooks"] = hooks(palace)
    if as_json:
        say_json(told)
        return
    say(f"palace   {shown(palace)}, {told['bytes'] / 1e6:.1f} MB")
    say(
        f"holds    {told['drawers']} drawers of {told['sources']} sessions in {told['wings']} wings; "
        f"{told['actions']} actions"
    )
    for name, count in told["harnesses"].items():
        say(f"         {name}: {count}")
    say(f"newest   {day(told['newest_at'])}")
    say(f"index    {told['index']}")
    if told["waiting"]:
        say(f"waiting  {told['waiting']} requests to mine")
    for name, runs in told["hooks"].items():
        failed = f", {runs['failed']} failed, last: {runs['last_failure']}" if runs["failed"] else ""
        say(f"hook     {name}: {runs['runs']} runs, median {runs['median_ms']} ms{failed}")


def hooks(palace: str) -> dict[str, dict[str, Any]]:
    """Return, per hook, its last runs: how many, how many failed, the median time."""
    by_hook: dict[str, list[dict[str, Any]]] = {}
    for event in trajectory.events(palace):
        if isinstance(event.get("hook"), str):
            by_hook.setdefault(event["hook"], []).append(event)
    found = {}
    for name, events in sorted(by_hook.items()):
        last = events[-RECENT:]
        times = sorted(float(event.get("took_ms") or 0) for event in last)
        failures = [str(event["failed"]) for event in last if event.get("failed")]
        found[name] = {
            "runs": len(last), "failed": len(failures), "median_ms": times[len(times) // 2],
            "last_failure": failures[-1] if failures else "",
        }  # fmt: skip
    return found


@click.command()
@palace_option
@json_option
def wings(palace: str, as_json: bool) -> None:
    """List the wings, most drawers first."""
    with open_reader(palace) as store:
        rows = [(w.name, w.drawers, all_of.root_of(store, w)) for w in all_of.all_wings(store)]
    if as_json:
        say_json({"wings": [{"wing": name, "drawers": count, "folder": root} for name, count, root in rows]})
        return
    _table(("wing", "drawers", "folder"), [(name, str(count), shown(root)) for name, count, root in rows])


@click.command()
@palace_option
@click.option("--wing", metavar="NAME", default="", help="Only this wing's.")
@json_option
def rooms(palace: str, wing: str, as_json: bool) -> None:
    """List the rooms of each wing, most drawers first."""
    with open_reader(palace) as store:
        found = looking.rooms(store, all_of.named(store, wing).n if wing else None)
    if as_json:
        say_json({"rooms": [{"wing": name, "room": room, "drawers": count} for name, room, count in found]})
        return
    _table(("wing", "room", "drawers"), [(name, room, str(count)) for name, room, count in found])


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print rows as a table on a terminal, as tab-separated lines into a pipe."""
    console = Console()
    if not console.is_terminal:
        for row in rows:
            say("\t".join(row))
        return
    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(plain, row))
    console.print(table)
