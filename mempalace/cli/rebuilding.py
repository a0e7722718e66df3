"""Building the index anew when a search finds it unusable."""

from __future__ import annotations

from mempalace.errors import PalaceError
from mempalace.layers import upkeep
from mempalace.mine import turnstile
from mempalace.search import index, state
from mempalace.store.connection import open_writer

WAIT = 30  # seconds for a miner at work


def rebuild_index(palace: str) -> None:
    """Build the index anew from the palace; raises PalaceError where that cannot be done now."""
    try:
        with turnstile.turn(palace, WAIT), open_writer(palace) as store:
            held = state.read(palace)
            if held is None or not state.usable(held):  # else somebody else was first
                index.catch_up(store, upkeep.analyzer(), rebuild=True)
    except OSError as error:
        raise PalaceError(f"the search index cannot be built now ({error}): try again later") from error
