"""The ledger on disk: events once each, counts that are their sums, a ring of observations."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.errors import PalaceError
from mempalace.store import filing, ledger, shakes
from mempalace.store.connection import Store, open_reader, open_writer
from mempalace.store.ledger import Counts, Outcome
from mempalace.store.shakes import Shake
from mempalace.trust.ledger import read

NOW = 1_780_000_000
A, B = "drawer::" + "a" * 24, "drawer::" + "b" * 24
LAMP = "file::lamp.py"


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        yield opened


def event(key, outcome="wrong", *, subject=A, wing=0, weight=1.0, at=NOW, origin="learned", why=""):
    return Outcome(key, subject, wing, outcome, weight, at, origin, why)


def add(store, *events):
    generation = ledger.begin(store)
    new = [ledger.add(store, one, generation=generation) for one in events]
    filing.commit(store)
    return new


def summed(events):
    """Return the counts that events of one subject come to, each key once."""
    once = list({one.key: one for one in reversed(events)}.values())
    weights = Counter()
    for one in once:
        weights[one.outcome] += round(one.weight * 1024) / 1024
    return Counts(
        once[0].subject, once[0].wing, weights["wrong"], weights["correct"], weights["partial"],
        sum(weights.values()), len(once), min(one.at for one in once), max(one.at for one in once),
        max((one.at for one in once if one.outcome == "wrong"), default=0),
    )  # fmt: skip


def test_an_event_counts_once(store):
    assert add(store, event("k"), event("k", "correct"), event("l", "correct")) == [True, False, True]
    assert ledger.of(store, [A], None)[A] == (A, 0, 1.0, 1.0, 0.0, 2.0, 2, NOW, NOW, NOW)


def test_a_late_event_never_moves_the_last_time_back(store):
    add(store, event("new", at=NOW), event("old", at=NOW - 500), event("oldest", "correct", at=NOW - 900))
    told = ledger.of(store, [A], None)[A]
    assert (told.first_at, told.last_at, told.last_defect_at) == (NOW - 900, NOW, NOW)


EVENTS = st.lists(
    st.builds(
        event, st.sampled_from("abcdefghij"), st.sampled_from(ledger.OUTCOMES),
        weight=st.floats(0.01, 4.0), at=st.integers(1, 10**10),
    ),
    min_size=1, max_size=12, unique_by=lambda one: one.key,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(EVENTS, st.randoms())
def test_counts_are_the_sums_of_the_events_in_whatever_order(tmp_path_factory, events, chance):
    told = []
    for _ in range(2):
        with open_writer(str(tmp_path_factory.mktemp("palace"))) as store:
            add(store, *events, *chance.sample(events, len(events) // 2))
            told.append(ledger.of(store, [A], None)[A])
            assert summed(ledger.events(store, A)) == told[-1]
        chance.shuffle(events)
    assert told[0] == told[1] == summed(events)
    assert read(told[0], NOW) == read(told[1], NOW)


def test_each_wing_keeps_account_of_its_own_files(store):
    add(store, event("a", subject=LAMP, wing=1), event("b", "correct", subject=LAMP, wing=2), event("c"))
    assert ledger.of(store, [LAMP, A], 1)[LAMP].defects == 1
    assert ledger.of(store, [LAMP, A], 2)[LAMP].defects == 0
    assert set(ledger.of(store, [LAMP, A], 2)) == {LAMP, A}
    assert set(ledger.of(store, [LAMP, A, "drawer::none"], None)) == {A}


def test_many_subjects_are_read_at_once(store):
    subjects = [f"drawer::{n:024x}" for n in range(1200)]
    add(store, *(event(subject, subject=subject) for subject in subjects))
    assert set(ledger.of(store, subjects, None)) == set(subjects)


def test_rows_come_in_order_and_by_their_beginning(store):
    add(
        store, event("1", subject=LAMP, wing=2), event("2", subject=LAMP, wing=1), event("3", subject=B), event("4"),
        event("5", subject="file::lamp.pyx", wing=1),
    )  # fmt: skip
    assert [(row.subject, row.wing) for row in ledger.rows(store, beginning="file::")] == [
        (LAMP, 1), (LAMP, 2), ("file::lamp.pyx", 1),
    ]  # fmt: skip
    assert [row.subject for row in ledger.rows(store, wing=2)] == [A, B, LAMP]
    assert len(ledger.rows(store)) == 5


def test_what_is_forgotten_is_gone_whole(store):
    add(store, event("1"), event("2"), event("3", subject=B))
    ledger.begin(store)
    shakes.add(store, A, 0, [Shake(NOW, 1, 1)])
    assert ledger.forget(store, [(A, 0), ("drawer::none", 0)]) == 2
    filing.commit(store)
    assert set(ledger.of(store, [A, B], None)) == {B}
    assert ledger.events(store, A) == []
    assert shakes.of(store, [A], None) == {}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        pytest.param({"outcome": "correkt"}, "correct, wrong or partial", id="another word"),
        pytest.param({"weight": 0.0}, "weight", id="no weight"),
        pytest.param({"weight": float("nan")}, "weight", id="no number"),
        pytest.param({"weight": float("inf")}, "weight", id="no end"),
        pytest.param({"at": NOW * 1000}, "milliseconds", id="a time in milliseconds"),
        pytest.param({"at": 0}, "seconds", id="no time"),
    ],
)
def test_what_is_no_event_is_refused_before_anything_changes(store, bad, said):
    ledger.begin(store)
    with pytest.raises(PalaceError, match=said):
        ledger.add(store, event("k")._replace(**bad), generation=1)
    filing.commit(store)
    assert ledger.rows(store) == []


def test_evidence_leaves_the_generation_and_so_the_index_as_they_were(store):
    before = filing.generation(store)
    add(store, event("k"))
    assert filing.generation(store) == before


def test_an_older_palace_has_no_evidence(store):
    older = Store(store.palace, store.db, 2)
    add(store, event("k"))
    assert ledger.of(older, [A], None) == {}
    assert (ledger.rows(older), ledger.events(older, A), ledger.forget(older, [(A, 0)])) == ([], [], 0)
    assert (shakes.of(older, [A], None), shakes.every(older)) == ({}, {})


def test_a_citation_from_before_the_ledger_is_undecided_too(palace):
    """The ledger's own migration looks at what was cited by then."""
    with open_writer(str(palace)) as store:
        for name in ("undecided", "outcomes", "ledger", "shakes"):
            store.db.execute(f"DROP TABLE {name}")
        store.db.execute("DROP TRIGGER cited_in")
        filing.note_citation(store, session="s", id="a" * 24, given=True, at=NOW)
        filing.note_citation(store, session="s", id="b" * 24, given=False, at=NOW)
        for name in ("repositories", "commits", "paths", "touched", "calibrations"):
            store.db.execute(f"DROP TABLE IF EXISTS {name}")
        store.db.execute("PRAGMA user_version=2")
    with open_writer(str(palace)) as store:
        assert store.db.execute("SELECT session, id FROM undecided").fetchall() == [("s", "a" * 24)]
        filing.note_citation(store, session="t", id="c" * 24, given=True, at=NOW)
        assert store.db.execute("SELECT count(*) FROM undecided").fetchone() == (2,)


def test_the_ring_keeps_the_newest_256_whatever_the_order(store):
    seen = [Shake(NOW + n, n, 1) for n in range(300)]
    filing.begin(store)
    assert shakes.add(store, A, 0, seen[100:]) == 200
    assert shakes.add(store, A, 0, seen[:100]) == 256
    assert shakes.add(store, A, 0, seen) == 256
    filing.commit(store)
    assert shakes.of(store, [A], None)[A] == seen[-256:]


def test_one_in_the_second_of_another_is_dropped(store):
    filing.begin(store)
    assert shakes.add(store, A, 0, [Shake(NOW, 1, 1), Shake(NOW, 9, 9)]) == 1
    filing.commit(store)
    assert shakes.of(store, [A], None)[A] == [Shake(NOW, 1, 1)]


def test_no_subject_gets_anothers_shakes(store):
    filing.begin(store)
    for subject, wing in ((LAMP, 1), (LAMP, 2), ("file::lamp.pyx", 1)):
        shakes.add(store, subject, wing, [Shake(NOW + wing, wing, 1)])
    filing.commit(store)
    assert shakes.of(store, [LAMP], 1) == {LAMP: [Shake(NOW + 1, 1, 1)]}
    assert list(shakes.every(store)) == [(LAMP, 1), (LAMP, 2), ("file::lamp.pyx", 1)]


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(Shake(NOW * 1000, 1, 1), id="a time in milliseconds"),
        pytest.param(Shake(NOW, -1, 1), id="a size below nothing"),
        pytest.param(Shake(NOW, 1, float("inf")), id="edges without end"),
        pytest.param(Shake(NOW, float("nan"), 1), id="a size that is no number"),
    ],
)
def test_what_is_no_observation_is_refused(store, bad):
    with pytest.raises(PalaceError):
        shakes.add(store, A, 0, [Shake(NOW, 1, 1), bad])
    assert shakes.every(store) == {}


def test_a_reader_finds_what_was_written(palace):
    with open_writer(str(palace)) as store:
        add(store, event("k"))
    with open_reader(str(palace)) as store:
        assert ledger.of(store, [A], None)[A].events == 1


def test_a_reason_that_holds_a_forgotten_text_is_taken_out(store):
    add(store, event("1", why="Rumpelstiltskin said so"), event("2", why="the wick was green"))
    ledger.begin(store)
    assert (ledger.silence(store, "rumpelSTILTskin"), ledger.silence(store, "")) == (1, 0)
    filing.commit(store)
    assert [one.why for one in ledger.events(store, A)] == ["", "the wick was green"]
