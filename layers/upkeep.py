"""What every change to the palace is followed by: beliefs formed, stories chosen anew, the index caught up."""

from __future__ import annotations

from collections.abc import Mapping

from mempalace import lexicon as lexicons
from mempalace.layers.believing import believe
from mempalace.layers.fallback import chosen, full_lexicon
from mempalace.layers.history import catch_up_wings
from mempalace.layers.learning import learn_from_sessions
from mempalace.search import index
from mempalace.search.analyzer import Analyzer
from mempalace.store import story as stored
from mempalace.store.connection import Store

HISTORY = 20  # seconds that one mining may read the history of repositories


def after_mining(store: Store, env: Mapping[str, str], *, now: int) -> int:
    """Read on in the history of the repositories whose wings changed, then `refresh`; return what it returns."""
    catch_up_wings(store, env, [wing.n for wing in stored.behind(store)], now=now, seconds=HISTORY)
    return refresh(store, env, now=now)


def refresh(store: Store, env: Mapping[str, str], *, now: int, rebuild: bool = False) -> int:
    """Form beliefs and learn from what is new, then bring stories and index up to date.

    Returns how many stories were chosen.
    """
    believe(store, env, now=now)  # first: what it writes, the index is to know of
    learn_from_sessions(store, now)
    return _catch_up(store, env, rebuild=rebuild)


def rebuild(store: Store, env: Mapping[str, str]) -> int:
    """Choose every story anew and build the index anew; return its documents. Deletes nothing else."""
    stored.forget_all(store)
    _catch_up(store, env, rebuild=True)
    return index.documents(store.palace)


def _catch_up(store: Store, env: Mapping[str, str], *, rebuild: bool) -> int:
    wings = stored.behind(store)
    if wings:
        lexicon = full_lexicon(store.palace, env)
        for wing in wings:
            stored.write(store, wing, chosen(store, wing, lexicon))
    index.catch_up(store, analyzer(), rebuild=rebuild)
    return len(wings)


def analyzer() -> Analyzer:
    """Return the one analyzer, over every language that ships."""
    return Analyzer(lexicons.load(code) for code in lexicons.languages())
