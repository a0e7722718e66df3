"""The nouns, immutable. Times are Unix seconds, UTC; 0 means unknown."""

from __future__ import annotations

from typing import NamedTuple

PROMPT, REPORT, NARRATION, NOTE = "prompt", "report", "narration", "note"
USER, AGENT, TOOL = "user", "agent", "tool"  # whose word a belief rests on
PREFER, AVOID = "prefer", "avoid"
# What the tools that change a file are called, over all harnesses.
EDITS = ("edit", "write", "patch", "replace", "create_file", "insert")


class Drawer(NamedTuple):
    """One verbatim passage, filed under a wing and a room.

    kind: prompt (the human), report (agent text that ends a turn), narration (agent text on
    the way to a tool call) or note (filed on request).  source: the session or file it came
    from, "" for none.  line: 1-based line of the transcript.  aside: a sub-agent's words.
    importance: 3.0 unless someone said otherwise.  salience: the tier, -1 to 4.
    """

    id: str
    wing: str
    room: str
    kind: str
    text: str
    source: str
    line: int
    happened_at: int
    filed_at: int
    importance: float = 3.0
    salience: int = 2
    aside: bool = False
    pinned: bool = False


class Source(NamedTuple):
    """Where drawers came from: one session of one harness, or one document.

    id: the session's identity over all its files.  opening: its first prompt, cut.
    outcome: what its last report says came of it, cut.
    """

    id: str
    wing: str
    harness: str
    path: str
    title: str = ""
    branch: str = ""
    cwd: str = ""
    started_at: int = 0
    ended_at: int = 0
    opening: str = ""
    outcome: str = ""


class Belief(NamedTuple):
    """A standing claim about how a choice is to be made.

    kind: the sort of choice it settles ("package-manager"), "" for none.  subject: the slot in
    that kind which one option fills ("" where the kind itself is the slot).  polarity: prefer or
    avoid the option.  wing: "" for every project.  glob: where in the project, "" for all of it.
    support, against: its evidence's weights as they count now.  disputed: evidence against a
    pinned belief outweighs what supports it.  retired_at: 0 while it stands.
    """

    id: str
    claim: str
    kind: str
    subject: str
    option: str
    polarity: str
    wing: str
    glob: str
    origin: str
    confidence: float
    support: float
    against: float
    pinned: bool
    created_at: int
    changed_at: int
    retired_at: int = 0
    superseded_by: str = ""
    why: str = ""

    @property
    def disputed(self) -> bool:
        """Whether a pinned belief's evidence speaks against it."""
        return self.pinned and self.against > self.support
