"""Citations: what a reader gets of a hit, the same on every face."""

from __future__ import annotations

import time
from typing import NamedTuple

from mempalace.model import Drawer, Source

LONGEST = 240  # code points of a snippet
TITLE = 80  # characters of a title that is taken from a session's first prompt


class Citation(NamedTuple):
    """A pointer shown to a reader.

    id: as the model is told to cite it.  title: its session's.  heading: room, who speaks,
    date.  snippet: the opening of the passage, verbatim, at most 240 code points.
    """

    id: str
    title: str
    heading: str
    snippet: str


def cite(drawer: Drawer, source: Source | None, short: str) -> Citation:
    """Return the citation of a drawer; `short` is the id by which it can be opened."""
    return Citation(f"d:{short}", title(source), heading(drawer), drawer.text[:LONGEST])


def title(source: Source | None) -> str:
    """Return what a session is called: its title, else its first prompt, else its file."""
    if source is None:
        return ""
    name = source.title or source.opening[:TITLE]
    return name or source.path.replace("\\", "/").rsplit("/", 1)[-1]


def heading(drawer: Drawer) -> str:
    """Return where a drawer stands: its room, who speaks, and the day it was said."""
    day = time.strftime("%Y-%m-%d", time.gmtime(drawer.happened_at)) if drawer.happened_at else "undated"
    speaker = "sub-agent" if drawer.aside else drawer.kind
    return f"{drawer.room}, {speaker}, {day}"
