"""What the commands print: the one door to the terminal, through which nothing goes that could drive it."""

from __future__ import annotations

import json
from typing import Any

import click

from mempalace.harmless import escaped, plain


class Painted(str):
    """A text with colours of our own in it."""


def painted(text: str, **style: Any) -> Painted:
    """Return a text made plain, in a style of click's."""
    return Painted(click.style(plain(text), **style))


def say(*pieces: str, err: bool = False) -> None:
    """Print a line of pieces: what is not painted is made plain."""
    click.echo("".join(one if isinstance(one, Painted) else plain(one) for one in pieces), err=err)


def say_json(value: Any) -> None:
    """Print a value as one JSON document."""
    click.echo(escaped(json.dumps(value, ensure_ascii=False, indent=1)))
