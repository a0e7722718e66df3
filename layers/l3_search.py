"""L3: what exactly was said, and where? One search for the command line, the hooks and MCP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from mempalace import lexicon as lexicons
from mempalace.errors import PalaceError
from mempalace.layers.demotion import demoted, needed
from mempalace.layers.weighing import Passage, Scales
from mempalace.search import cite, query
from mempalace.search.analyzer import Analyzer
from mempalace.search.dates import DAY, Times, days_in
from mempalace.search.engine import Engine, Filters
from mempalace.search.weighing import Found
from mempalace.store import looking, reading, wings
from mempalace.store.connection import Store
from mempalace.trust.envelope import Envelope, at_least
from mempalace.trust.envelope import as_dict as envelope_as_dict

LIMIT = 10
RELEVANCE, RECENCY = "relevance", "recency"
ROLES = {
    "user": "prompt", "human": "prompt", "prompt": "prompt", "agent": "report", "assistant": "report",
    "report": "report", "narration": "narration", "note": "note", "sub-agent": "aside", "aside": "aside",
}  # fmt: skip
# Languages no word of which is written in ASCII: half of what there is to read.
OTHER_SCRIPTS = frozenset("ar hi ja ko ru th uk zh".split())
DATE = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$")


class Hit(NamedTuple):
    """A drawer found, with its citation and what its score is made of.

    session: its source's id.  raw, covered: as the engine found them, for a gate.
    """

    n: int
    id: str
    session: str
    citation: cite.Citation
    text: str
    score: float
    parts: dict[str, float]
    raw: float = 0.0
    covered: float = 0.0


class Answer(NamedTuple):
    """What a search gave.

    how: relevance, or recency where the index could not be asked.  note: what a reader must
    know of it ("" for nothing): an index behind or missing, and the remedy.  drawers: how many
    were asked.  behind: the index lacks what was filed last.  envelope: how far it may be relied
    on, None where nothing was found or it was not weighed.
    """

    hits: tuple[Hit, ...]
    how: str
    note: str
    drawers: int = 0
    behind: bool = False
    envelope: Envelope | None = None


class Reader:
    """What searching needs beside the palace: made once, used for many questions."""

    def __init__(self, text: str = "") -> None:
        """Read every language, or only those that `text`, the one question it is for, may be in."""
        codes = [code for code in lexicons.languages() if not text or not text.isascii() or code not in OTHER_SCRIPTS]
        data = {code: lexicons.load(code) for code in codes}
        self.analyzer = Analyzer(data.values())
        self.times = Times(data.values())


def search(
    store: Store, reader: Reader, text: str, *, now: int, wing: str = "", room: str = "", role: str = "",
    since: str = "", until: str = "", limit: int = LIMIT, prose: bool = False, least: str = "",
) -> Answer:  # fmt: skip
    """Return what the palace knows about a question, best first, each hit with its citation.

    Filters in the question (wing: room: role: since: until:) hold as those given, unless it is
    `prose`, such as a prompt, in which nobody meant one. An index that is behind answers and
    says so. Hits of a verdict below `least` are left out. Raises PalaceError where there is no
    index to ask.
    """
    asked = query.read(text, reader.analyzer, prose=prose)
    filters = _filters(store, asked.filters, wing=wing, room=room, role=role, since=since, until=until)
    engine = Engine(store.palace)
    more = needed(store)
    found = engine.find(
        asked, filters, reader.times.spans(asked.text, now), limit + more, newest=reader.times.ask_for_now(asked.text)
    )
    if more:
        found = demoted(store, found, now=now)[:limit]
    behind = reading.behind(store, engine.state.generation)
    note = ""
    if behind:
        note = 'the search index is behind the palace; what was said last may be missing: run "mempalace mine"'
    answer = Answer(tuple(told(store, found)), RELEVANCE, note, engine.state.drawers, behind)
    return weighed(store, answer, now=now, least=least)


def weighed(store: Store, answer: Answer, *, now: int, least: str = "") -> Answer:
    """Return the answer with its envelope.

    least: leave out the hits that, each weighed by itself, have no verdict as good as this one;
    the note says how many those were.
    """
    scales = scales_of(store, answer, now=now)
    hits = answer.hits
    if least:
        hits = tuple(hit for hit in hits if at_least(scales.weigh(passages([hit])).verdict, least))
    left_out, note = len(answer.hits) - len(hits), answer.note
    if left_out:
        note = "; ".join(filter(None, (note, f"{left_out} found, but not fit for {least}: left out")))
    envelope = scales.weigh(passages(hits)) if hits else None
    return answer._replace(hits=hits, note=note, envelope=envelope)


def scales_of(store: Store, answer: Answer, *, now: int) -> Scales:
    """Return what weighs the hits of an answer."""
    return Scales(store, now=now, asked=answer.how != RECENCY, behind=answer.behind)


def passages(hits: Sequence[Hit]) -> list[Passage]:
    """Return hits as they are weighed."""
    return [Passage(hit.n, hit.id, hit.text) for hit in hits]


def search_or_recent(store: Store, reader: Reader, text: str, **asked: Any) -> Answer:
    """Return what `search` does, or the newest where the index cannot be asked, saying so.

    asked: `wing` is the name of one that is there.
    """
    try:
        return search(store, reader, text, **asked)
    except PalaceError as error:
        wing = wings.by_name(store, asked.get("wing", ""))
        rows = looking.newest_rows(store, wing.n if wing else None, asked.get("limit", LIMIT))
        found = [Found(n, 0, 0.0, {}) for n in rows]
        recent = Answer(tuple(told(store, found)), RECENCY, f"{error}; these are the newest, not the nearest")
        return weighed(store, recent, now=asked["now"])


def told(store: Store, found: list[Found]) -> list[Hit]:
    """Return the hits of what was found, in its order; rows that are gone from the store are left out."""
    rows = looking.by_rows(store, [hit.n for hit in found])
    hits = []
    for hit in found:
        if hit.n in rows:
            drawer, source = rows[hit.n]
            citation = cite.cite(drawer, source, looking.short_id(store, drawer.id))
            hits.append(
                Hit(
                    hit.n, drawer.id, drawer.source, citation, drawer.text, hit.score, hit.parts, hit.raw, hit.covered
                )
            )  # fmt: skip
    return hits


def _filters(store: Store, asked: Mapping[str, str], **given: str) -> Filters:
    named = {**asked, **{name: query.readable(value) for name, value in given.items() if value}}
    role = named.get("role", "").lower()
    if role and role not in ROLES:
        raise PalaceError(f"no role {role!r}: the roles are {', '.join(ROLES)}")
    return Filters(
        wings.named(store, named["wing"]).n if named.get("wing") else 0,
        named.get("room", ""),
        ROLES.get(role, ""),
        moment(named["since"]) if named.get("since") else 0,
        moment(named["until"], end=True) if named.get("until") else 0,
    )


def moment(text: str, *, end: bool = False) -> int:
    """Return a date (2026, 2026-03 or 2026-03-05) as Unix seconds: its start, or its end.

    Raises PalaceError for anything else.
    """
    found = DATE.match(text.strip())
    if found:
        year, month, day = (int(part or 1) for part in found.groups())
        try:
            first = date(year, month, day)
        except ValueError:
            pass
        else:
            last = _last(first, found) if end else first
            return int(datetime(last.year, last.month, last.day, tzinfo=UTC).timestamp()) + end * (DAY - 1)
    raise PalaceError(f"{text!r} is no date: write 2026, 2026-03 or 2026-03-05")


def _last(first: date, found: re.Match[str]) -> date:
    """Return the last day of the year, month or day that was named."""
    if not found[2]:
        return first.replace(month=12, day=31)
    return first if found[3] else first.replace(day=days_in(first.year, first.month))


def as_dict(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """Return an answer as plain values; one that retrieved nothing carries no `sources`."""
    value: dict[str, Any] = {"how": answer.how}
    if answer.note:
        value["note"] = answer.note
    if answer.hits:
        value["sources"] = [hit.citation._asdict() for hit in answer.hits]
    if answer.envelope:
        value["envelope"] = envelope_as_dict(answer.envelope)
    if explain and answer.hits:
        value["scores"] = [
            {"id": hit.citation.id, "score": round(hit.score, 4), **{k: round(v, 4) for k, v in hit.parts.items()}}
            for hit in answer.hits
        ]
    return value
