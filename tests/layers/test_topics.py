"""The words to search by: what else a project is about."""

import pytest

from mempalace.layers.topics import FEW, spoken, topics
from mempalace.store.story import Candidate


def said(*texts):
    """Return the words of one session in which these texts were filed."""
    fields = dict.fromkeys(Candidate._fields, "")
    return spoken([Candidate(**{**fields, "text": text}) for text in texts])


def told(*sessions, beside=()):
    """Return the words of sessions, newest first, among as many silent ones as a young project has."""
    return topics([*map(said, sessions), *[said()] * 3, *beside], frozenset(), frozenset())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("we talked about the `sqlite` file", ["sqlite"]),
        ("then the Postgres server started again", ["postgres"]),
        ("call load_tables before anything else", ["load", "tables"]),
        ("it just looks plain today", []),
    ],
)
def test_a_young_project_is_told_by_its_names_alone(text, names):
    assert sorted(told(text)) == names


def test_an_older_project_is_told_by_words_that_were_no_names_too():
    old = ["the drift of the gauges", "a drift again", *[""] * FEW]
    assert "drift" in told(*old)
    assert "drift" not in told(*old[:4])


def test_words_whose_script_or_spelling_shows_no_names_are_told_from_the_first_session():
    assert told("вчера сломался парсер") != []
    assert "パーサ" in told("パーサが壊れた")
