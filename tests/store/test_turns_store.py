"""Turns are kept as they were, byte for byte, and found by the beginning of their ids."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mempalace.errors import NotFound
from mempalace.store import filing, turns, wings
from mempalace.store.connection import open_reader, open_writer

TURN = {
    "at": 1_767_600_000, "wing": 0, "kind": "deploy", "task": "How?", "model": "rules", "sent": b"{}", "raw": b"{}",
    "record": {}, "candidates": [], "flagged": False,
}  # fmt: skip


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        yield opened


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.binary(max_size=60), st.text(st.characters(), max_size=10))
def test_bytes_and_words_come_back_as_they_went_in(store, sent, raw, text):
    told = {"record": {"said": [text]}, "candidates": [{"claim": text}]}
    id = turns.add(store, **{**TURN, "sent": sent, "raw": raw, "task": text, **told})
    found = turns.turn(store, id)
    assert (found.sent, found.raw) == (sent, raw)
    assert {"record": found.record, "candidates": found.candidates} == told
    assert found.task == text.replace("\0", " ").encode("utf-8", "replace").decode()


def test_a_list_is_read_without_the_candidates(store):
    turns.add(store, **{**TURN, "candidates": [{"claim": "a"}]})
    assert [found.candidates for found in turns.turns(store, limit=9)] == [[]]


def test_the_same_choice_twice_is_two_turns(store):
    one, two = turns.add(store, **TURN), turns.add(store, **TURN)
    assert one != two
    assert [found.id for found in turns.turns(store, limit=9)] == [two, one]


def test_turns_are_listed_newest_first_and_the_flagged_apart(store):
    wing = wings.create(store, "harbour").n
    ids = [turns.add(store, **{**TURN, "at": at, "flagged": at == 2, "wing": wing}) for at in (1, 3, 2)]
    assert [found.id for found in turns.turns(store, limit=9)] == [ids[1], ids[2], ids[0]]
    assert [found.id for found in turns.turns(store, limit=1)] == [ids[1]]
    assert [(found.id, found.wing) for found in turns.turns(store, flagged=True, limit=9)] == [(ids[2], "harbour")]
    assert (turns.count(store), turns.count(store, flagged=True)) == (3, 1)


@pytest.mark.parametrize("form", ["{}", "t:{}", "[t:{}]", " {} "])
def test_a_turn_is_found_by_the_beginning_of_its_id(store, form):
    id = turns.add(store, **TURN)
    assert turns.turn(store, form.format(id[:8])).id == id


@pytest.mark.parametrize("id", ["", "abc", "t:xyzw", "0000000", "rules"])
def test_what_names_no_turn_is_said(store, id):
    turns.add(store, **TURN)
    with pytest.raises(NotFound):
        turns.turn(store, id)


def test_keeping_a_turn_begins_no_generation_and_leaves_no_write_open(store):
    before = filing.generation(store)
    turns.add(store, **TURN)
    assert filing.generation(store) == before
    assert not filing.under_way(store)


def test_a_turn_that_cannot_be_kept_leaves_nothing_behind(store):
    with pytest.raises(TypeError):
        turns.add(store, **{**TURN, "record": {"a": b"bytes"}})
    assert not filing.under_way(store)
    assert turns.count(store) == 0


def test_a_palace_older_than_turns_has_none(palace):
    with open_writer(str(palace)) as made:
        made.db.execute("DROP TABLE turns")
        made.db.execute("PRAGMA user_version=1")
    with open_reader(str(palace)) as old:
        assert turns.turns(old, limit=9) == []
        assert turns.count(old) == 0
        with pytest.raises(NotFound):
            turns.turn(old, "abcd1234")


@pytest.mark.parametrize("words", ["the blue key", 'say "blue"', "line\nend", "Schlüssel 港"])
@pytest.mark.parametrize("place", ["sent", "raw", "task", "record", "candidates"])
def test_turns_that_hold_a_text_can_be_forgotten(store, words, place):
    texts = {
        "sent": json.dumps({"a": words}, ensure_ascii=False).encode(), "raw": words.encode(), "task": words,
        "record": {"claim": words}, "candidates": [{"claim": words}],
    }  # fmt: skip
    turns.add(store, **{**TURN, place: texts[place]})
    kept = turns.add(store, **TURN)
    filing.begin(store)
    assert turns.forget_holding(store, words) == 1
    assert turns.forget_holding(store, "") == 0
    filing.commit(store)
    assert [found.id for found in turns.turns(store, limit=9)] == [kept]
