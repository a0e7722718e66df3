"""`mempalace wake-up`."""

from __future__ import annotations

import os

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.layers.wake_up import wake_up as waken


@click.command("wake-up")
@palace_option
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
@click.option("--wing", metavar="NAME", default="", help="The wing by its name, instead of a folder.")
@click.option("--fresh", is_flag=True, help="Choose anew instead of reading the stored story; prints the same.")
@click.option("--explain", is_flag=True, help="Print every line considered, its score terms and its fate.")
@json_option
def wake_up(palace: str, cwd: str, wing: str, fresh: bool, explain: bool, as_json: bool) -> None:
    """Print what an agent reads at the start of a session."""
    cwd = cwd or os.getcwd()
    if explain:
        from mempalace.cli.explaining import explain_wake_up

        explain_wake_up(palace, cwd=cwd, wing=wing, as_json=as_json)
        return
    told = waken(palace, cwd=cwd, wing=wing, env=os.environ, fresh=fresh)
    if as_json:
        say_json(told._asdict())
    else:
        say(told.text)
