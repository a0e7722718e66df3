"""The choice of the story, in process: by tiers for the hook, by coverage for the miner.

In CPU time, which is what it takes on an idle machine, however busy this one is.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from palaces import LARGE, palace, wing_of
from table import Row

from mempalace.layers.fallback import choose_now, chosen, full_lexicon, stop_words
from mempalace.layers.l1_story import NEWEST, SESSIONS, by_tiers, choose
from mempalace.layers.lines import lines_of
from mempalace.outcomes import Lexicon
from mempalace.salience import salience
from mempalace.store import story as stored
from mempalace.store.connection import Store, open_reader
from mempalace.store.wings import Wing

pytestmark = pytest.mark.benchmark(timer=time.process_time)
TIERS, COVERAGE = 35.0, 1000.0  # milliseconds
Timed = Callable[[Callable[[], Any]], tuple[Any, float]]
DRAWERS = 10_000  # of which the large wing holds 6,000, in 150 sessions


@pytest.fixture
def wing() -> Wing:
    """Return the large wing of the palace that is chosen from."""
    return wing_of(palace(DRAWERS), LARGE)


@pytest.fixture
def store(wing: Wing) -> Iterator[Store]:
    """Return the palace, open for reading."""
    with open_reader(palace(DRAWERS).folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    """Return every language's outcome words."""
    return full_lexicon("", {})


def test_selection_by_tiers(timed: Timed, note: Any, store: Store, wing: Wing, lexicon: Lexicon) -> None:
    drawers = stored.newest(store, wing, NEWEST)
    assert len(drawers) == NEWEST

    def select() -> Any:
        return by_tiers([line for drawer in drawers for line in lines_of(drawer, lexicon)])

    lines, took = timed(select)
    assert len(lines) >= 15
    note(Row("selection by tiers, 2,000 unscored drawers", took * 1000, "ms", TIERS))


def test_the_whole_fallback(timed: Timed, note: Any, store: Store, wing: Wing) -> None:
    (story, how), took = timed(lambda: choose_now(store, wing, {}, store.palace, fresh=False))
    assert story.lines
    assert how == "newest by tiers"
    note(Row("  with the lexicons compiled and the drawers read", took * 1000, "ms"))


def test_compiling_the_lexicons(timed: Timed, note: Any) -> None:
    lexicon, took = timed(lambda: full_lexicon("", {}))
    assert lexicon
    note(Row("compiling the lexicons of every language", took * 1000, "ms"))


def test_choice_by_coverage(timed: Timed, note: Any, store: Store, wing: Wing, lexicon: Lexicon) -> None:
    sessions, stops = stored.sessions(store, wing, SESSIONS), stop_words()
    assert len(sessions) == SESSIONS
    choice, took = timed(lambda: choose(sessions, lexicon, stops))
    assert choice.how == "coverage"
    assert len(choice.lines) >= 15
    note(Row("choice by coverage, 100 sessions", took * 1000, "ms", COVERAGE))


def test_choosing_a_wings_story(timed: Timed, note: Any, store: Store, wing: Wing, lexicon: Lexicon) -> None:
    story, took = timed(lambda: chosen(store, wing, lexicon))
    assert story.lines
    note(Row("  with its drawers read and its files counted", took * 1000, "ms"))


def test_salience_of_one_text(timed: Timed, note: Any, store: Store, wing: Wing, lexicon: Lexicon) -> None:
    texts = [drawer.text for drawer in stored.newest(store, wing, 500)]
    tiers, took = timed(lambda: list(map(salience, texts, itertools.repeat(lexicon))))
    assert {2, 4} <= set(tiers)
    note(Row("salience of one drawer", took / len(texts) * 1e6, "us"))
