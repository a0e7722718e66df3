"""What every change to the palace is followed by: stories chosen anew, the index caught up."""

from __future__ import annotations

from collections.abc import Mapping

from mempalace.layers.fallback import as_story, chosen, full_lexicon
from mempalace.store import story as stored
from mempalace.store.connection import Store


def refresh(store: Store, env: Mapping[str, str]) -> int:
    """Choose the story of every wing whose stored one is behind; return how many there were."""
    wings = stored.behind(store)
    if wings:
        lexicon = full_lexicon(store.palace, env)
        for wing in wings:
            stored.write(store, wing, as_story(chosen(store, wing, lexicon), wing))
    return len(wings)
