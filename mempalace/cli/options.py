"""What several commands share: where the palace is, and how to speak."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from mempalace import config
from mempalace.cli.speech import say
from mempalace.paths import palace_dir

THEIR_OWN = ("config", "set", "unset", "off", "on", "doctor")  # commands that say themselves what is wrong with it
F = TypeVar("F", bound=Callable[..., Any])


def _place(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    palace = os.path.abspath(os.path.expanduser(value)) if value else palace_dir(os.environ)
    if ctx.command.name not in THEIR_OWN and not ctx.resilient_parsing:
        for wrong in config.load(palace).wrong:
            say(wrong, err=True)
    return palace


def palace_option(command: F) -> F:
    """Add `--palace DIR`; the command gets the palace's folder, given or the usual one."""
    return click.option(
        "--palace",
        metavar="DIR",
        callback=_place,
        help="The palace's folder  [default: $MEMPALACE_HOME, else the usual].",
    )(command)


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(command)
