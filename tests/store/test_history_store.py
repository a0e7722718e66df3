"""Histories and calibrations as they are kept."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.store import calibrations, filing, history, ledger
from mempalace.store.calibrations import ENVELOPE, PREDICT, Calibration, Refused
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.history import Commit, Together

ROW = Calibration(PREDICT, 0.6, 0.1, 0.95, 0.2, 40, 1_767_600_000, 1000)
FIELDS = {name: value for name, value in ROW._asdict().items() if name != "signal"}


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Return a store for many examples, each with a repository of its own."""
    with open_writer(str(tmp_path_factory.mktemp("palace"))) as opened:
        yield opened


def commit(n, *paths, at=0):
    return Commit(f"{n:040x}", at or n, paths)


def filed(store, *commits, root="/work/lighthouse"):
    """File commits and return the repository's number."""
    ledger.begin(store)
    n = history.ensure(store, root, 1).n
    history.file_commits(store, n, commits)
    filing.commit(store)
    return n


def test_a_file_is_found_together_with_those_of_its_commits(store):
    n = filed(store, commit(1, "lamp", "lens"), commit(2, "lamp", "lens", "wick"), commit(3, "lens", "wick"))
    assert history.together(store, n, "lamp") == [Together("lens", 2, 3), Together("wick", 1, 2)]
    assert history.changes_of(store, n, "lamp") == 2
    assert history.counting(store, n) == 3


def test_commits_of_one_file_and_of_more_than_fifty_do_not_count(store):
    wide = [f"f{n}" for n in range(51)]
    n = filed(store, commit(1, "f1"), commit(2, *wide), commit(3, *wide[:50]), commit(4))
    assert history.counting(store, n) == 1
    assert history.changes_of(store, n, "f1") == 1
    assert history.changes_of(store, n, "f50") == 0
    assert history.changes_of(store, n, "f99") is None
    assert history.together(store, n, "f50") == []
    assert len(history.together(store, n, "f1")) == 49


def test_a_commit_is_filed_once(store):
    n = filed(store, commit(1, "lamp", "lens"))
    ledger.begin(store)
    assert history.file_commits(store, n, [commit(1, "lamp", "lens"), commit(2, "lamp", "wick")]) == [f"{2:040x}"]
    filing.commit(store)
    assert history.changes_of(store, n, "lamp") == 2


def test_two_repositories_are_kept_apart(store):
    one = filed(store, commit(1, "lamp", "lens"))
    other = filed(store, commit(1, "lamp", "wick"), root="/work/garden")
    assert history.together(store, one, "lamp") == [Together("lens", 1, 1)]
    assert history.together(store, other, "lamp") == [Together("wick", 1, 1)]


def test_commits_are_told_in_the_order_of_their_times_whatever_order_they_were_filed_in(store):
    n = filed(store, commit(1, "b", "a", at=30), commit(2, "c", "d", at=10), commit(3, "e", "f", at=30))
    assert history.in_time(store, n) == [("c", "d"), ("a", "b"), ("e", "f")]


paths = st.lists(st.sampled_from("abcdef"), min_size=0, max_size=5, unique=True)


@given(st.lists(paths, max_size=12), st.sets(st.integers(0, 11)))
@settings(max_examples=60, deadline=None)
def test_what_is_taken_out_leaves_what_was_never_there(shared, touched, gone):
    commits = [commit(n + 1, *paths) for n, paths in enumerate(touched)]
    gone = {n for n in gone if n < len(commits)}
    count = len(shared.db.execute("SELECT n FROM repositories").fetchall())
    n = filed(shared, *commits, root=f"/work/{count}")
    ledger.begin(shared)
    history.take_out(shared, n, [commits[m].hash for m in sorted(gone)])
    filing.commit(shared)
    left = [set(one.paths) for m, one in enumerate(commits) if m not in gone]
    assert history.filed(shared, n) == {one.hash for m, one in enumerate(commits) if m not in gone}
    counting = [one for one in left if len(one) >= 2]
    assert history.counting(shared, n) == len(counting)
    for path in "abcdef":
        known = any(path in one for one in left)
        assert history.changes_of(shared, n, path) == (sum(path in one for one in counting) if known else None)
        both = {other: sum({path, other} <= one for one in counting) for other in "abcdef" if other != path}
        expected = [
            Together(other, times, sum(other in one for one in counting)) for other, times in both.items() if times
        ]
        assert history.together(shared, n, path) == expected


def test_a_calibration_is_kept_in_place_of_the_last_one(store):
    calibrations.keep(store, ROW._replace(tau=None, precision=None, n=0), wing=1)
    calibrations.keep(store, ROW, wing=1)
    assert calibrations.read(store, PREDICT, 1) == ROW
    assert calibrations.read(store, PREDICT, 2) is None
    assert calibrations.read(store, ENVELOPE, 1) is None
    assert calibrations.refused(store) == []


def spoil(store, text, version=calibrations.VERSION):
    """Put something in the place of a kept row."""
    calibrations.keep(store, ROW, wing=1)
    store.db.execute("UPDATE calibrations SET row = ?, version = ?", (text, version))


BROKEN = [
    pytest.param("{", "it is no JSON", id="cut off"),
    pytest.param("[]", "it is no JSON object", id="a list"),
    pytest.param("null", "it is no JSON object", id="nothing"),
    pytest.param(b"\xff\x00", "it is no JSON object", id="bytes"),
    pytest.param(json.dumps({**FIELDS, "armed": True}), "unknown field 'armed'", id="an unknown field"),
    pytest.param(json.dumps({**FIELDS, "signal": "x"}), "unknown field 'signal'", id="a field that is a column"),
    pytest.param(json.dumps({"tau": 0.1}), "missing field 'alpha'", id="missing fields"),
    pytest.param(json.dumps({**FIELDS, "tau": "0.1"}), "field 'tau' is '0.1'", id="a word for a number"),
    pytest.param(json.dumps({**FIELDS, "tau": float("nan")}), "field 'tau' is nan", id="not a number"),
    pytest.param(json.dumps({**FIELDS, "precision": 1.5}), "field 'precision' is 1.5", id="too precise"),
    pytest.param(json.dumps({**FIELDS, "precision": None}), "field 'precision' is None", id="acted, unmeasured"),
    pytest.param(json.dumps({**FIELDS, "alpha": 0}), "field 'alpha' is 0", id="no alpha"),
    pytest.param(json.dumps({**FIELDS, "alpha": 0.6}), "field 'alpha' is 0.6", id="a large alpha"),
    pytest.param(json.dumps({**FIELDS, "n": 3.5}), "field 'n' is 3.5", id="half a case"),
    pytest.param(json.dumps({**FIELDS, "n": "0", "precision": None}), "field 'precision' is None", id="n is no number"),
    pytest.param(json.dumps({**FIELDS, "n": True}), "field 'n' is True", id="a truth for a number"),
    pytest.param(json.dumps({**FIELDS, "calibrated_at": -1}), "field 'calibrated_at' is -1", id="before all time"),
]


@pytest.mark.parametrize(("text", "why"), BROKEN)
def test_a_row_that_cannot_be_trusted_is_refused_and_named(store, text, why):
    spoil(store, text)
    found = calibrations.read(store, PREDICT, 1)
    assert isinstance(found, Refused)
    assert found[:2] == (PREDICT, 1)
    assert found.why.startswith(why)
    assert calibrations.refused(store) == [found]


@pytest.mark.parametrize("version", [0, 2])
def test_a_row_of_another_version_is_refused(store, version):
    spoil(store, json.dumps(FIELDS), version)
    found = calibrations.read(store, PREDICT, 1)
    assert found == Refused(PREDICT, 1, f"its version is {version}, this mempalace knows 1")


def test_a_quarantined_row_stays_and_stays_refused_until_it_is_made_anew(store):
    spoil(store, "{}")
    (bad,) = calibrations.quarantine(store)
    store.db.execute("UPDATE calibrations SET row = ?", (json.dumps(FIELDS),))
    assert calibrations.read(store, PREDICT, 1) == bad
    assert calibrations.quarantine(store) == [bad]
    calibrations.keep(store, ROW, wing=1)
    assert calibrations.read(store, PREDICT, 1) == ROW


def test_a_good_row_is_not_quarantined(store):
    calibrations.keep(store, ROW, wing=1)
    assert calibrations.quarantine(store) == []


def test_an_older_palace_has_neither_history_nor_calibration(palace):
    with open_writer(str(palace)) as store:
        store.db.execute("DROP TABLE repositories")
        store.db.execute("DROP TABLE calibrations")
        store.db.execute("PRAGMA user_version = 3")
    with open_reader(str(palace)) as store:
        assert history.repository(store, "/work/lighthouse") is None
        assert calibrations.read(store, PREDICT, 1) is None
        assert calibrations.refused(store) == []
