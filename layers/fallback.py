"""Choosing without a stored story: by the hook when it is missing or behind, or on request."""

from __future__ import annotations

from typing import FrozenSet, List, Mapping, Tuple

from mempalace.layers.l1_story import NEWEST, SESSIONS, Choice, by_tiers, choose, with_pins
from mempalace.layers.lines import lines_of

from mempalace import lexicon as lexicons
from mempalace.layers import topics
from mempalace.outcomes import Lexicon, compile_lexicon
from mempalace.settings import read as read_settings
from mempalace.store import story as stored
from mempalace.store.connection import Store
from mempalace.store.wings import Wing


def choose_now(
    store: Store, wing: Wing, env: Mapping[str, str], palace: str, *, fresh: bool
) -> "tuple[stored.Story, str]":
    """Return a story chosen now and how: all of the choice if `fresh`, else the newest by tiers."""
    lexicon = full_lexicon(palace, env)
    if fresh:
        return chosen(store, wing, lexicon), "fresh"
    drawers = stored.newest(store, wing, NEWEST)
    told = with_pins([drawers], stored.pinned(store, wing))
    lines = [line for part in told for drawer in part for line in lines_of(drawer, lexicon)]
    choice = Choice(tuple(by_tiers(lines)), len(lines), "tiers") if lines else choose([drawers], lexicon)
    return as_story(choice, wing), "newest by tiers"


def chosen(store: Store, wing: Wing, lexicon: Lexicon) -> stored.Story:
    """Return the story chosen over the wing's last sessions."""
    choice = choose(stored.sessions(store, wing, SESSIONS), lexicon, stop_words(), stored.pinned(store, wing))
    files = topics.places(stored.worked_on(store, wing, SESSIONS))
    return as_story(choice, wing)._replace(files=tuple(files))


def stop_words() -> FrozenSet[str]:
    """Return the stop words of every language that ships."""
    return frozenset(word for code in lexicons.languages() for word in lexicons.load(code)["stop"])


def as_story(choice: Choice, wing: Wing) -> stored.Story:
    """Return a choice as it is stored, made from the wing's present generation."""
    lines: List[Tuple[str, str, int, str]] = [
        (line.drawer.id, line.drawer.room, line.drawer.happened_at, line.text) for line, _ in choice.lines
    ]
    return stored.Story(wing.generation, choice.considered, tuple(lines), (), choice.topics)


def full_lexicon(palace: str, env: Mapping[str, str]) -> Lexicon:
    """Return the lexicons of all languages with the user's own outcome words."""
    words = read_settings(palace, env).outcome_words
    return compile_lexicon([lexicons.load(code) for code in lexicons.languages()], words)
