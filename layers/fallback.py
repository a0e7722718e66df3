"""Choosing without a stored story: by the hook when it is missing or behind, or on request."""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Mapping, Sequence, Tuple

from mempalace import lexicon as lexicons
from mempalace.layers import coverage, topics
from mempalace.layers.l1_story import NEWEST, SESSIONS, Choice, by_tiers, choose
from mempalace.layers.lines import lines_of_all, tier
from mempalace.outcomes import Lexicon, compile_lexicon
from mempalace.settings import read as read_settings
from mempalace.store import story as stored
from mempalace.store.connection import Store
from mempalace.store.story import Candidate
from mempalace.store.wings import Wing

READ = 32  # drawers whose lines the hook looks at when it has to choose itself
PER_SOURCE = 4  # of one source, among those


def choose_now(
    store: Store, wing: Wing, env: Mapping[str, str], palace: str, *, fresh: bool
) -> "tuple[stored.Story, str]":
    """Return a story chosen now and how: all of the choice if `fresh`, else the newest by tiers."""
    lexicon = full_lexicon(palace, env)
    if fresh:
        return chosen(store, wing, lexicon), "fresh"
    drawers = [*stored.pinned(store, wing), *stored.newest(store, wing, NEWEST)]
    lines = lines_of_all(worth_reading(drawers), lexicon)
    choice = Choice(tuple(by_tiers(lines)), len(drawers), "tiers") if lines else choose([drawers], lexicon)
    return as_story(choice, wing), "newest by tiers"


def worth_reading(drawers: Sequence[Candidate]) -> List[Candidate]:
    """Return the drawers whose lines are looked at when time is short: best tier first, then newest.

    By the salience stored with each, so that 2,000 are ranked in the time it takes to read forty;
    a few of each source, unless there are hardly any sources.
    """
    told = {drawer.id: drawer for drawer in drawers if drawer.pinned or drawer.kind != "narration"}
    ranked = sorted(told.values(), key=_worth)
    most = PER_SOURCE if len({drawer.source for drawer in ranked}) > 2 else READ
    kept: List[Candidate] = []
    sources: Dict[int, int] = {}
    for drawer in ranked:
        if len(kept) == READ:
            break
        if drawer.pinned or not drawer.source or sources.get(drawer.source, 0) < most:
            sources[drawer.source] = sources.get(drawer.source, 0) + 1
            kept.append(drawer)
    return kept


def _worth(drawer: Candidate) -> Tuple[bool, float, int, str]:
    weight = coverage.WEIGHTS[tier(drawer.salience, drawer.kind)] * coverage.importance_factor(drawer.importance)
    return not drawer.pinned, -weight if drawer.salience >= 0 else 0.0, -drawer.happened_at, drawer.id


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
