"""The tools that read. A method's docstring is what the model is told of it."""

from __future__ import annotations

import os
import time
from functools import cached_property
from typing import Any

from mempalace.layers import l2_recall, l3_search
from mempalace.layers.explain import why as reason
from mempalace.layers.l3_search import Answer, Reader, as_dict
from mempalace.layers.wake_up import day
from mempalace.mine import turnstile
from mempalace.model import Drawer, Source
from mempalace.search import cite, state
from mempalace.search.weighing import Found
from mempalace.store import changing, looking, reading, wings
from mempalace.store.connection import Store, open_reader

AROUND, FARTHEST = 2, 20  # neighbours shown on either side; at most
MOST = 100  # hits, and passages of one session
WINGS = 50  # that a status lists


class Asking:
    """What can be asked of a palace. It is opened anew for each question: it may grow meanwhile."""

    def __init__(self, palace: str) -> None:
        self.palace = palace

    @cached_property
    def reader(self) -> Reader:
        """What searching needs beside the palace, made at the first search."""
        return Reader()

    def search(
        self, query: str, wing: str = "", room: str = "", since: str = "", until: str = "", limit: int = 10
    ) -> dict[str, Any]:
        """Find what was said in earlier sessions: citations, best first, and how far to rely on them.

        The envelope's verdict is act (it was measured that such answers hold), reverify (check it first),
        abstain or unprovable (do not rely on it), with reasons and the next step.

        query: plain words; it may hold "phrases in quotes".  wing: one project only.  room: one topic
        only (decisions, problems, outcomes, preferences, plans, notes).  since, until: 2026, 2026-03
        or 2026-03-05.
        """
        with open_reader(self.palace) as store:
            return as_dict(
                l3_search.search(
                    store, self.reader, query, now=int(time.time()), wing=wing, room=room, since=since, until=until,
                    limit=_within(limit, MOST),
                )
            )  # fmt: skip

    def recall(self, wing: str = "", room: str = "", limit: int = 10) -> dict[str, Any]:
        """Recall what matters most in a wing (a project) or a room (a topic), without a question."""
        with open_reader(self.palace) as store:
            return as_dict(
                l2_recall.recall(store, wing=wing, room=room, limit=_within(limit, MOST), now=int(time.time()))
            )

    def show(self, id: str, around: int = AROUND) -> dict[str, Any]:
        """Open a passage by its id (d:1a2b3c4d): all its words, where they stand, what was said around them.

        A session's id (s:12) lists that session's passages.
        """
        with open_reader(self.palace) as store:
            if id.strip("[]").startswith("s:"):
                return _session(store, id)
            place = looking.drawer(store, id)
            before, after = looking.around(store, place, _within(around, FARTHEST, least=0))
            return {
                "sources": [cited(store, place.drawer, place.source)],
                "wing": place.drawer.wing,
                "text": place.drawer.text,
                "transcript": f"{place.path}:{place.drawer.line}" if place.path else "",
                "before": [cited(store, drawer, place.source) for drawer in before],
                "after": [cited(store, drawer, place.source) for drawer in after],
            }

    def why(self, id: str) -> dict[str, Any]:
        """Say where a passage stands in the project's wake-up, or which gate kept it out."""
        with open_reader(self.palace) as store:
            drawer = looking.drawer(store, id).drawer
            told = reason(store, drawer, os.environ)
            return {"id": cited(store, drawer, None)["id"], **told._asdict()}

    def status(self) -> dict[str, Any]:
        """Say what the palace holds, its wings, and whether its index is current."""
        with open_reader(self.palace) as store:
            told = looking.counts(store)
            held = state.read(self.palace)
            told["index"] = (
                "missing" if held is None else "behind" if reading.behind(store, held.generation) else "current"
            )
            told["largest_wings"] = {wing.name: wing.drawers for wing in wings.all_wings(store)[:WINGS]}
        return {**told, "palace": self.palace, "waiting": len(turnstile.pending(self.palace))}


def cited(store: Store, drawer: Drawer, source: Source | None) -> dict[str, Any]:
    """Return a drawer's citation as plain values."""
    return cite.cite(drawer, source, looking.short_id(store, drawer.id))._asdict()


def _session(store: Store, id: str) -> dict[str, Any]:
    n, session = looking.source(store, id)
    rows = changing.rows_of_source(store, n)
    hits = l3_search.told(store, [Found(row, n, 0.0, {}) for row in rows[:MOST]])
    told = as_dict(Answer(tuple(hits), "session", ""))
    if len(rows) > MOST:
        told["note"] = f"{len(rows) - MOST} later passages are left out: search for them"
    days = {"from": day(session.started_at), "to": day(session.ended_at)}
    return {"title": cite.title(session), "wing": session.wing, "transcript": session.path, **days, **told}


def _within(count: int, most: int, *, least: int = 1) -> int:
    return max(least, min(count, most))
