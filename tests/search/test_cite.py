"""A citation: 240 code points of a passage to the letter, and where it stands."""

import pytest

from mempalace.model import Drawer, Source
from mempalace.search.cite import LONGEST, cite, heading, title

DAY = 1_767_323_045  # 2026-01-02


def drawer(text="The key is blue.", **more):
    held = {
        "id": "a" * 24, "wing": "tower", "room": "decisions", "kind": "report", "source": "s1", "line": 3,
        "happened_at": DAY, "filed_at": DAY, **more,
    }  # fmt: skip
    return Drawer(text=text, **held)


def source(**more):
    return Source(id="s1", wing="tower", harness="claude-code", path="/log/s1.jsonl", **more)


@pytest.mark.parametrize(
    ("text", "snippet"),
    [
        pytest.param("a" * 240, "a" * 240, id="240 unchanged"),
        pytest.param("a" * 241, "a" * 240, id="241 cut"),
        pytest.param("é" * 241, "é" * 240, id="code points, not bytes"),
        pytest.param("e\u0301" * 121, "e\u0301" * 120, id="code points, not what a reader sees"),
        pytest.param("🗝" * 241, "🗝" * 240, id="beyond the first plane"),
        pytest.param("  two\n\tlines  \n", "  two\n\tlines  \n", id="blanks stay"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_snippet_is_the_opening_to_the_letter(text, snippet):
    assert cite(drawer(text), None, "aaaaaaaa").snippet == snippet
    assert len(snippet) <= LONGEST == 240


def test_a_citation_names_the_drawer_as_the_model_is_told_to():
    told = cite(drawer(), source(title="Keys"), "aaaaaaaa")
    assert told == ("d:aaaaaaaa", "Keys", "decisions, report, 2026-01-02", "The key is blue.")


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (None, ""),
        (source(title="Keys", opening="Where are they?"), "Keys"),
        (source(opening="Where are they?"), "Where are they?"),
        (source(opening="x" * 200), "x" * 80),
        (source(), "s1.jsonl"),
        (source()._replace(path="C:\\log\\s1.jsonl"), "s1.jsonl"),
    ],
    ids=["no source", "its title", "its first prompt", "cut", "its file", "a file of Windows"],
)
def test_a_session_has_a_title(known, told):
    assert title(known) == told


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ({}, "decisions, report, 2026-01-02"),
        ({"aside": True}, "decisions, sub-agent, 2026-01-02"),
        ({"happened_at": 0, "kind": "note"}, "decisions, note, undated"),
    ],
    ids=["an agent", "a sub-agent", "no date"],
)
def test_a_heading_says_who_spoke_and_when(held, told):
    assert heading(drawer(**held)) == told
