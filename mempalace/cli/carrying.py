"""`mempalace export` and `import`: the palace as lines of JSON, out of here and into another."""

from __future__ import annotations

import os
import sys
import time

import click

from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.layers import carrying
from mempalace.mine import turnstile
from mempalace.paths import shown
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.intake import FORGOTTEN, KNOWN, NEW, OTHER

WAIT = 60  # seconds for a miner at work
MANY = 20  # bad lines that are printed; all are counted


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@palace_option
def export(file: str, palace: str) -> None:
    """Write everything that is filed into FILE as lines of JSON; "-" is the standard output.

    The same palace gives the same bytes. Left out is what is made again from the rest or from
    git: the index, the stories, commits, how far each transcript was read.
    """
    with open_reader(palace) as store:
        if file == "-":
            carrying.export(store, sys.stdout.buffer)
            return
        count = carrying.write(store, file)
    say(f"{shown(os.path.abspath(file))}: {count} lines, {os.path.getsize(file) / 1e6:.1f} MB")


@click.command("import")
@click.argument("file", metavar="FILE", type=click.Path())
@palace_option
@json_option
def import_(file: str, palace: str, as_json: bool) -> None:
    """Merge what "mempalace export" wrote into the palace; "-" is the standard input.

    What is here stays as it is, what is here already comes once, and what either side has
    forgotten is forgotten. A line that cannot be used is named; the others are taken.
    """
    try:
        source = sys.stdin.buffer if file == "-" else open(file, "rb")  # noqa: SIM115
    except OSError as error:
        raise PalaceError(f"cannot read {shown(file)}: {(error.strerror or str(error)).lower()}") from error
    with source:
        carrying.header(source)  # before a palace is made for what is none
        with turnstile.turn(palace, WAIT), open_writer(palace) as store:
            taken = carrying.take(store, source, os.environ, now=int(time.time()))
    counts = {fate: taken.of(fate) for fate in (NEW, KNOWN, FORGOTTEN, OTHER)}
    kinds = {kind: count for (kind, fate), count in sorted(taken.counts.items()) if fate == NEW}
    if as_json:
        bad = [{"line": line, "why": why} for line, why in taken.named]
        say_json({**counts, "by_kind": kinds, "erased": taken.erased, "bad": taken.bad, "named": bad})
        return
    for line, why in taken.named[:MANY]:
        say(f"line {line}: {why}", err=True)
    if taken.bad > MANY:
        say(f"{taken.bad} lines could not be used in all", err=True)
    say(f"imported into {shown(palace)}: {summary(counts, kinds, taken)}")


def summary(counts: dict[str, int], kinds: dict[str, int], taken: carrying.Taken) -> str:
    """Return the one line that says what an import did."""
    made = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    parts = [f"{counts[NEW]} new" + (f" ({made})" if made else ""), f"{counts[KNOWN]} known"]
    for count, word in (
        (counts[FORGOTTEN], "kept forgotten"),
        (counts[OTHER], "here in another form"),
        (taken.erased, "forgotten here too"),
        (taken.bad, "bad lines"),
    ):
        if count:
            parts.append(f"{count} {word}")
    return "; ".join(parts)
