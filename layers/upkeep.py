"""What every change to the palace is followed by: stories chosen anew, the index caught up."""

from __future__ import annotations

from collections.abc import Mapping

from mempalace import lexicon as lexicons
from mempalace.layers.fallback import chosen, full_lexicon
from mempalace.search import index
from mempalace.search.analyzer import Analyzer
from mempalace.store import story as stored
from mempalace.store.connection import Store


def refresh(store: Store, env: Mapping[str, str], *, rebuild: bool = False) -> int:
    """Choose the story of every wing whose stored one is behind, catch the index up; return how many."""
    wings = stored.behind(store)
    if wings:
        lexicon = full_lexicon(store.palace, env)
        for wing in wings:
            stored.write(store, wing, chosen(store, wing, lexicon))
    index.catch_up(store, analyzer(), rebuild=rebuild)
    return len(wings)


def rebuild(store: Store, env: Mapping[str, str]) -> int:
    """Choose every story anew and build the index anew; return its documents. Deletes nothing else."""
    stored.forget_all(store)
    refresh(store, env, rebuild=True)
    return index.documents(store.palace)


def analyzer() -> Analyzer:
    """Return the one analyzer, over every language that ships."""
    return Analyzer(lexicons.load(code) for code in lexicons.languages())
