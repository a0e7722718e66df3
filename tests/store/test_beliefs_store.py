"""The store's part of beliefs: reading them, and writing what was observed."""

import sqlite3

import pytest

from mempalace.errors import NotFound
from mempalace.model import Belief
from mempalace.store import beliefs, believing, filing, wings
from mempalace.store.believing import CLEARS, WITHDRAWS, Event, Family
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.schema import MIGRATIONS

NOW = 1_780_000_000
HALF = 90 * 86_400


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        filing.begin(opened)
        yield opened


def made(store, id, *, wing=0, glob="", kind="deploy", option="", at=NOW):
    one = Belief(
        id, f"claim {id}", kind, "", option or id, "prefer", "", glob, "user", 0.5, 0, 0, False, at, at
    )  # fmt: skip
    believing.create(store, Family(wing, glob, kind), one, generation=1)
    return one


def seen(id, key, *, at=NOW, **more):
    return Event(id, key, 1.0, "tool", at, "words", **more)


def test_what_stands_in_a_wing_is_its_own_and_the_global(store):
    here, there = wings.create(store, "here").n, wings.create(store, "there").n
    for id, wing in (("aaaa", 0), ("bbbb", here), ("cccc", there)):
        made(store, id, wing=wing)
    assert [one.id for one in beliefs.standing(store, here, now=NOW)] == ["aaaa", "bbbb"]
    assert [one.id for one in beliefs.standing(store, None, now=NOW)] == ["aaaa"]
    assert beliefs.standing(store, here, now=NOW, kinds=("style",)) == []
    assert [one.wing for one in beliefs.every(store, now=NOW)] == ["", "here", "there"]


def test_evidence_fades_but_a_pinned_beliefs_does_not(store):
    made(store, "aaaa")
    for n in range(8):
        believing.observe(store, seen("aaaa", f"k{n}", at=NOW - HALF))
    (one,) = beliefs.standing(store, None, now=NOW)
    assert (one.support, one.confidence) == (pytest.approx(4), pytest.approx(5 / 6))
    believing.pin(store, "aaaa", one.confidence, generation=2)
    (one,) = beliefs.standing(store, None, now=NOW + 9 * HALF)
    assert (one.support, one.confidence, one.pinned) == (8, pytest.approx(5 / 6), True)
    assert beliefs.pinned(store, None) == [one]
    believing.pin(store, "aaaa", None, generation=3)
    assert beliefs.pinned(store, None) == []


def test_an_observation_counts_once_and_outdoes_a_rivals_copy(store):
    made(store, "aaaa")
    rival = seen("bbbb", "k1")
    believing.oppose(store, "aaaa", set(), [rival])
    assert [row.agrees for row in beliefs.evidence(store, "aaaa")] == [False]
    assert believing.observe(store, seen("aaaa", "k1"))
    assert not believing.observe(store, seen("aaaa", "k1"))
    assert [row.agrees for row in beliefs.evidence(store, "aaaa")] == [True]
    assert believing.known(store, ["k1", "k2"]) == {"k1"}


def test_exactly_the_wanted_copies_stand_against_a_belief(store):
    made(store, "aaaa")
    believing.observe(store, seen("aaaa", "own"))
    believing.oppose(store, "aaaa", set(), [seen("b", "k1"), seen("b", "k2")])
    assert believing.copies(store, Family(0, "", "deploy")) == {"aaaa": {"k1", "k2"}}
    believing.oppose(store, "aaaa", {"k1", "k2"}, [seen("b", "k2"), seen("b", "k3")])
    assert [row.key for row in beliefs.evidence(store, "aaaa")] == ["k2", "k3", "own"]
    assert [event.key for event in believing.events(store, Family(0, "", "deploy"))] == ["own"]


@pytest.mark.parametrize("effect", [WITHDRAWS, CLEARS])
def test_what_takes_a_belief_back_weighs_nothing(store, effect):
    made(store, "aaaa")
    believing.observe(store, seen("aaaa", "k1"))
    believing.observe(store, seen("aaaa", "k2", effect=effect))
    (one,) = beliefs.standing(store, None, now=NOW)
    assert (one.support, one.against) == (1, 0)
    assert [(row.agrees, row.effect) for row in beliefs.evidence(store, "aaaa")] == [(True, ""), (False, effect)]


def test_the_heir_of_what_was_taken_back_is_told(store):
    made(store, "aaaa")
    made(store, "bbbb", kind="style")
    believing.observe(store, seen("aaaa", "k1", effect=WITHDRAWS))
    believing.observe(store, seen("bbbb", "k1"))
    assert [event.heir for event in believing.events(store, Family(0, "", "deploy"))] == ["bbbb"]


def test_evidence_is_handed_down_whole(store):
    made(store, "aaaa")
    made(store, "bbbb")
    for key in ("k1", "k2"):
        believing.observe(store, seen("aaaa", key))
    believing.oppose(store, "bbbb", set(), [seen("aaaa", "k1"), seen("aaaa", "k2")])
    believing.hand_down(store, "aaaa", "bbbb")
    assert [(row.key, row.agrees) for row in beliefs.evidence(store, "bbbb")] == [("k1", True), ("k2", True)]
    assert len(beliefs.evidence(store, "aaaa")) == 2


def test_evidence_is_dropped_by_its_drawer_or_its_key(store):
    made(store, "aaaa")
    made(store, "bbbb", kind="style")
    believing.observe(store, seen("aaaa", "k1", drawer="d1"))
    believing.observe(store, seen("aaaa", "k2", drawer=""))
    believing.observe(store, seen("bbbb", "k3", drawer="d1"))
    assert believing.holding(store, "drawer", ["d1", ""]) == ["aaaa", "bbbb"]
    assert believing.holding(store, "key", ["k2"]) == ["aaaa"]
    assert believing.families(store, ["aaaa", "bbbb"]) == [Family(0, "", "deploy"), Family(0, "", "style")]
    believing.drop(store, "drawer", ["d1"])
    believing.drop(store, "key", ["k2"])
    assert beliefs.evidence(store, "aaaa") == beliefs.evidence(store, "bbbb") == []
    believing.remove(store, ["aaaa"])
    assert [one.id for one in beliefs.every(store, now=NOW)] == ["bbbb"]


def test_a_belief_is_found_by_the_beginning_of_its_id(store):
    made(store, "abcd12")
    made(store, "abcd34")
    for id in ("abcd1", "[b:ABCD12]", "b:abcd12"):
        assert beliefs.belief(store, id, now=NOW).id == "abcd12"
    for id, line in (
        ("abcd", "abcd is short for several beliefs: abcd12, abcd34"),
        ("ffff", "no belief ffff in this palace: see mempalace belief list"),
        ("xyz", "'xyz' is no belief's id: give at least 4 of its hex digits"),
    ):
        with pytest.raises(NotFound) as error:
            beliefs.belief(store, id, now=NOW)
        assert str(error.value) == line


def retired(store, id, at, heir, why):
    believing.set_standing(
        store, id, claim=id, origin="user", created_at=NOW, changed_at=NOW, retired_at=at, superseded_by=heir, why=why,
        generation=2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at", "heir", "why", "news"),
    [
        pytest.param(NOW + 5, "bbbb", beliefs.SUPERSEDED, True, id="superseded"),
        pytest.param(NOW + 5, "bbbb", beliefs.OUTRANKED, False, id="only outranked"),
        pytest.param(NOW, "bbbb", beliefs.SUPERSEDED, False, id="never held"),
        pytest.param(NOW + 5, "", beliefs.WITHDRAWN, False, id="nothing in its place"),
        pytest.param(NOW + 5, "cccc", beliefs.SUPERSEDED, False, id="what came after is gone too"),
        pytest.param(NOW - 5, "bbbb", beliefs.SUPERSEDED, False, id="long ago"),
    ],
)
def test_what_was_superseded_of_late_is_news(store, at, heir, why, news):
    made(store, "aaaa")
    made(store, "bbbb")
    retired(store, "aaaa", at, heir, why)
    assert [(old.id, new.id) for old, new in beliefs.superseded(store, 0, since=NOW - 1)] == [("aaaa", "bbbb")] * news


def test_an_older_palace_has_no_beliefs(palace):
    palace.mkdir()
    db = sqlite3.connect(palace / "palace.db")
    db.executescript(MIGRATIONS[0] + "PRAGMA user_version = 1;")
    db.close()
    with open_reader(str(palace)) as store:
        assert beliefs.standing(store, 1, now=NOW) == beliefs.every(store, now=NOW) == []
        assert beliefs.pinned(store, 1) == beliefs.superseded(store, 1, since=0) == []
        with pytest.raises(NotFound):
            beliefs.belief(store, "abcd", now=NOW)
