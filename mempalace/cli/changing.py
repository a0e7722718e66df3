"""`mempalace remember`, `forget`, `refile`."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.layers import changes
from mempalace.mine import turnstile
from mempalace.model import USER
from mempalace.paths import shown
from mempalace.store.connection import open_reader, open_writer

SHOWN = 10  # drawers that a dry run lists
WAIT = 60  # seconds for a miner at work


@click.command()
@click.argument("text", nargs=-1, required=True, metavar="TEXT...")
@palace_option
@click.option("--wing", metavar="NAME", default="", help="The wing  [default: the folder's project].")
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
@click.option("--room", metavar="NAME", default="", help="The room  [default: by the words of the text].")
@click.option("--importance", type=click.FloatRange(0, 6), default=4.0, show_default=True, help="3 is ordinary.")
@click.option("--pin", is_flag=True, help="Tell it first at every wake-up.")
@click.option("--kind", metavar="KIND", default="", help="The sort of choice it settles, such as package-manager.")
@click.option("--option", metavar="NAME", default="", help="What is to be chosen there.")
@json_option
def remember(
    text: tuple[str, ...], palace: str, wing: str, cwd: str, room: str, importance: float, pin: bool, kind: str,
    option: str, as_json: bool,
) -> None:  # fmt: skip
    """File TEXT as a note of its own; secrets in it are redacted.

    A rule that TEXT states, or what --kind and --option say, becomes a belief.
    """
    with turn(palace), open_writer(palace) as store:
        told = changes.remember(
            store, os.environ, " ".join(text), cwd=cwd or os.getcwd(), wing=wing, room=room, importance=importance,
            pinned=pin, kind=kind, option=option, origin=USER, now=int(time.time()),
        )  # fmt: skip
    if as_json:
        say_json(told._asdict())
        return
    hidden = f", {told.redacted} secrets redacted" if told.redacted else ""
    say(f"remembered {' '.join(f'[d:{id[:8]}]' for id in told.ids)} in {told.wing} / {told.room}{hidden}")


@click.command()
@click.argument("id", required=False, default="", metavar="[ID]")
@palace_option
@click.option("--source", metavar="ID", default="", help="A whole session, by s:N or its id.")
@click.option("--wing", metavar="NAME", default="", help="A whole wing.")
@click.option("--match", metavar="TEXT", default="", help="Every drawer whose text holds TEXT.")
@click.option("--dry-run", is_flag=True, help="Say what would be forgotten; change nothing.")
@json_option
def forget(id: str, palace: str, source: str, wing: str, match: str, dry_run: bool, as_json: bool) -> None:
    """Delete a drawer, a session, a wing or whatever holds a text; it stays gone when mined again."""
    if dry_run:
        with open_reader(palace) as store:
            what = changes.target(store, id=id, source=source, wing=wing, match=match)
            lines = changes.described(store, what, SHOWN)
        if as_json:
            say_json({"drawers": len(what.rows), "sources": len(what.sources)})
            return
        say("\n".join([*lines, f"{len(what.rows)} drawers of {len(what.sources)} whole sessions would be forgotten"]))
        return
    with open_reader(palace):
        pass  # no palace is made just to forget in it
    with turn(palace), open_writer(palace) as store:
        what = changes.target(store, id=id, source=source, wing=wing, match=match)
        receipt = changes.forget(store, os.environ, what, now=int(time.time()))
    if as_json:
        say_json(receipt._asdict())
        return
    say(
        f"forgot {receipt.drawers} drawers, {receipt.actions} actions, {receipt.sources} sessions; still found: "
        f"{receipt.in_store} in the store, {receipt.in_index} in the index, {receipt.in_trajectory} in the trajectory"
    )


@click.command()
@click.argument("id", required=False, default="", metavar="[ID]")
@palace_option
@click.option("--source", metavar="ID", default="", help="A whole session, by s:N or its id.")
@click.option("--wing", metavar="NAME", required=True, help="Where it belongs; made where missing.")
@json_option
def refile(id: str, palace: str, source: str, wing: str, as_json: bool) -> None:
    """Move a drawer, or a whole session, to another wing."""
    with open_reader(palace):
        pass
    with turn(palace), open_writer(palace) as store:
        count = changes.refile(
            store, os.environ, changes.target(store, id=id, source=source), wing, now=int(time.time())
        )
    if as_json:
        say_json({"moved": count, "wing": wing})
    else:
        say(f"moved {count} drawers to {wing}")


def turn(palace: str) -> ExitStack:
    """Hold the miner's lock, to be used in a `with`; raises PalaceError where nothing can be written."""
    held = ExitStack()
    try:
        held.enter_context(turnstile.turn(palace, WAIT))
    except OSError as error:
        raise PalaceError(f"cannot write to {shown(palace)}: {(error.strerror or str(error)).lower()}") from error
    return held
