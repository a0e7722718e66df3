"""What an agent cites of what it was given."""

from __future__ import annotations

import pytest

from mempalace import given
from mempalace.mine.cited import Given, cited


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("As [d:3fa2c1d0] says, it leaked.", ["3fa2c1d0"], id="in brackets"),
        pytest.param("d:3fa2c1d0, then d:3fa2c1d0 again", ["3fa2c1d0"], id="each once"),
        pytest.param("ad:3fa2c1d0 and d:3fa2", [], id="neither inside a word nor shortened"),
    ],
)
def test_the_ids_a_text_cites(text, expected):
    assert cited(text) == expected


def test_a_citation_is_told_from_an_invention(tmp_path):
    full = "3fa2c1d0" + "0" * 16
    given.add(str(tmp_path), "session", [full])
    known = Given(str(tmp_path))
    assert known.full("session", "3fa2c1d0") == full
    assert known.full("session", "deadbeef") == ""
    assert known.full("another", "3fa2c1d0") == ""


def test_marks_of_old_sessions_are_pruned(tmp_path):
    given.add(str(tmp_path), "session", ["a" * 24])
    assert given.prune(str(tmp_path), now=2_000_000_000_000) == 1
    assert given.of(str(tmp_path), "session") == frozenset()
