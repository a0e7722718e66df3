"""What became of the memories that sessions cited: what the user said next."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

from mempalace.store.connection import Store
from mempalace.store.ledger import SINCE
from mempalace.store.schema import KINDS

SEEN = "citations_seen"  # the key in meta of the generation up to which sessions were looked at
PROMPT = KINDS.index("prompt")
SPOKEN = "source = ? AND aside = 0 AND kind <> %d" % KINDS.index("note")


class Citation(NamedTuple):
    """A citation of a given memory that is still undecided.

    source: the row of its session, 0 where that is gone.  ended_at: when the session last spoke.
    """

    session: str
    id: str
    source: int
    ended_at: int


class Reaction(NamedTuple):
    """One message that cites a memory, and the user's next prompt.

    said: what the agent said last before it, the message itself where `directly`.  reply: None where
    none came yet.  at: when the reply came, or the message where there is none.
    """

    said: str
    reply: Optional[str]
    directly: bool
    at: int


def undecided(store: Store, *, quiet_since: int) -> List[Citation]:
    """Return the undecided citations of sessions that spoke since the last `decided`, or are quiet since then.

    By session, then id. Those of a session that is gone are among them.
    """
    if store.version < SINCE:
        return []
    rows = store.db.execute(
        """SELECT session, undecided.id, ifnull(n, 0), ifnull(ended_at, 0) FROM undecided
           LEFT JOIN sources ON sources.id = session WHERE n IS NULL OR ended_at <= ?
           OR generation > ifnull((SELECT value FROM meta WHERE key = ?), 0) ORDER BY 1, 2""",
        (quiet_since, SEEN),
    )
    return [Citation(*row) for row in rows]


def reactions(store: Store, source: int, mark: str) -> List[Reaction]:
    """Return how the user took each message of a session that holds `mark`, in the order they were said.

    Sub-agents' words do not count: the user never sees them.
    """
    order = "ORDER BY happened_at, line, part, n"
    rows = store.db.execute("SELECT n, kind, message FROM drawers WHERE %s %s" % (SPOKEN, order), (source,)).fetchall()
    holding = "SELECT DISTINCT message FROM drawers WHERE %s AND kind <> ? AND instr(text, ?)" % SPOKEN
    citing = {row[0] for row in store.db.execute(holding, (source, PROMPT, mark))}
    last = {message: at for at, (_, _, message) in enumerate(rows) if message in citing}
    return [_reaction(store, rows, at) for at in sorted(last.values())]


def _reaction(store: Store, rows: List[Tuple[int, int, int]], at: int) -> Reaction:
    for place in range(at + 1, len(rows)):
        if rows[place][1] == PROMPT:
            reply, when = _told(store, rows[place][0])
            return Reaction(_told(store, rows[place - 1][0])[0], reply, place == at + 1, when)
    said, when = _told(store, rows[at][0])
    return Reaction(said, None, False, when)


def _told(store: Store, n: int) -> Tuple[str, int]:
    text, at = store.db.execute("SELECT text, happened_at FROM drawers WHERE n = ?", (n,)).fetchone()
    return text, at


def decide(store: Store, citation: Citation) -> None:
    """Take a citation from the undecided, inside a write."""
    store.db.execute("DELETE FROM undecided WHERE session = ? AND id = ?", (citation.session, citation.id))


def looked(store: Store, generation: int) -> None:
    """Remember, inside a write, that all sessions were looked at as they were then."""
    store.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (SEEN, generation))
