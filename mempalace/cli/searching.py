"""`mempalace search` and `recall`."""

from __future__ import annotations

import re
import time

import click

from mempalace.cli import loaded
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import Painted, painted, say, say_json
from mempalace.harmless import framed, plain
from mempalace.layers.l2_recall import recall as recalled
from mempalace.layers.l3_search import LIMIT, Answer, Reader, as_dict
from mempalace.layers.l3_search import search as searched
from mempalace.search import query, state
from mempalace.store.connection import open_reader
from mempalace.trust.envelope import VERDICTS, line


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@palace_option
@click.option("--wing", metavar="NAME", default="", help="Only this wing.")
@click.option("--room", metavar="NAME", default="", help="Only this room: decisions, problems, outcomes...")
@click.option("--role", metavar="NAME", default="", help="Only what this one said: user, agent, sub-agent, note.")
@click.option(
    "--since", metavar="DATE", default="", help="From this day, month or year on (2026-03-05, 2026-03, 2026)."
)
@click.option("--until", metavar="DATE", default="", help="Up to this day, month or year.")
@click.option("--limit", metavar="N", default=LIMIT, show_default=True, type=click.IntRange(1, 300), help="How many.")
@click.option(
    "--min-verdict", "least", type=click.Choice(VERDICTS[:0:-1]), help="Leave out what may be relied on less than so."
)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@json_option
def search(
    words: tuple[str, ...], palace: str, wing: str, room: str, role: str, since: str, until: str, limit: int,
    least: str | None, explain: bool, as_json: bool,
) -> None:  # fmt: skip
    """Find what was said, best first, each with a citation that "mempalace show" opens.

    WORDS may hold "phrases in quotes" and the filters wing: room: role: since: until:.
    """
    _mended(palace)
    text = query.readable(" ".join(words))
    reader = Reader(text)
    with open_reader(palace) as store:
        answer = searched(
            store, reader, text, now=int(time.time()), wing=wing, room=room, role=role, since=since, until=until,
            limit=limit, least=least or "",
        )  # fmt: skip
    if as_json:
        say_json({"query": text, **as_dict(answer, explain=explain)})
        return
    stems = {stem for term in query.read(text, reader.analyzer).terms for stem in (term.word, *term.stems)}
    tell(answer, stems, explain=explain)


@click.command()
@palace_option
@click.option("--wing", metavar="NAME", default="", help="Only this wing.")
@click.option("--room", metavar="NAME", default="", help="Only this room.")
@click.option("--limit", metavar="N", default=LIMIT, show_default=True, type=click.IntRange(1, 300), help="How many.")
@json_option
def recall(palace: str, wing: str, room: str, limit: int, as_json: bool) -> None:
    """Recall what matters most in a wing or a room, without a question."""
    with open_reader(palace) as store:
        answer = recalled(store, wing=wing, room=room, limit=limit, now=int(time.time()))
    if as_json:
        say_json(as_dict(answer))
    else:
        tell(answer, set(), explain=False)


def tell(answer: Answer, stems: set[str], *, explain: bool) -> None:
    """Print an answer's citations, then how far to rely on them; on a terminal the words that matched are marked."""
    if answer.note:
        say(f"note: {answer.note}", err=True)
    if not answer.hits:
        say("nothing found")
    for hit in answer.hits:
        id, *told = hit.citation
        title, heading, snippet = map(framed, told)  # a slash command hands this to a model
        say(painted(f"[{id}]", fg="cyan"), painted(f" {heading}", bold=True), f"  {title}" if title else "")
        if explain:
            parts = ", ".join(f"{name} {value:.3f}" for name, value in hit.parts.items() if value)
            say(f"    score {hit.score:.3f} = {parts}")
        for said in snippet.strip().splitlines():
            say("    ", marked(said, stems))
    if answer.envelope:
        say(painted(line(answer.envelope), dim=True))


def marked(said: str, stems: set[str]) -> Painted:
    """Return what was said with each word that begins as one of the stems marked."""
    said = plain(said)
    long = sorted((re.escape(stem) for stem in stems if len(stem) > 1), key=len, reverse=True)
    if not long:
        return Painted(said)
    word = rf"(?i)(?<!\w)(?:{'|'.join(long)})\w*"
    return Painted(re.sub(word, lambda found: painted(found.group(0), fg="yellow", bold=True), said))


def _mended(palace: str) -> None:
    """Build the index anew where it is missing or another version's, having said so."""
    held = state.read(palace)
    if held is not None and state.usable(held):
        return
    with open_reader(palace):
        pass  # a palace that cannot be read says so itself
    say("the search index is missing or another version's: building it anew", err=True)
    loaded("rebuilding").rebuild_index(palace)
