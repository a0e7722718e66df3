"""L2: what do we know about this topic? A wing's or a room's drawers that matter most, without a question."""

from __future__ import annotations

from mempalace.layers.l3_search import Answer, told, weighed
from mempalace.search.weighing import Found
from mempalace.store import looking, wings
from mempalace.store.connection import Store

LIMIT = 10


def recall(store: Store, *, wing: str = "", room: str = "", limit: int = LIMIT, now: int) -> Answer:
    """Return a wing's or a room's drawers, most salient first, then newest; never narration."""
    found = wings.named(store, wing) if wing else None
    rows = looking.salient_rows(store, found.n if found else None, room, limit)
    return weighed(store, Answer(tuple(told(store, [Found(n, 0, 0.0, {}) for n in rows])), "salience", ""), now=now)
