"""Which files change together, and how firmly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.store.calibrations import Calibration
from mempalace.store.history import Together
from mempalace.trust.cochange import History, cases, considered, ranked, strength, thirds, verdict
from mempalace.trust.conformal import ABSTAIN, ACT, threshold

NOW = 1_767_600_000


@pytest.mark.parametrize(
    ("both", "changes", "others", "expected"),
    [
        pytest.param(1, 1, 1, 0.333, id="once, together"),
        pytest.param(3, 6, 3, 0.375, id="every time of the rarer"),
        pytest.param(2, 6, 2, 0.25, id="twice of six"),
        pytest.param(1, 6, 1, 0.125, id="once of six"),
        pytest.param(10, 10, 10, 0.833, id="always"),
        pytest.param(0, 4, 4, 0.0, id="never"),
        pytest.param(3, 1, 1, 0.6, id="counts that do not fit each other"),
    ],
)
def test_the_strength_of_a_tie(both, changes, others, expected):
    assert strength(both, changes, others) == pytest.approx(expected, abs=5e-4)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=200, deadline=None)
def test_a_strength_is_at_least_nothing_and_below_one_and_looks_the_same_from_both_sides(both, changes, others):
    assert 0 <= strength(both, changes, others) < 1
    assert strength(both, changes, others) == strength(both, others, changes)


def test_the_firmest_ties_come_first_then_by_path():
    found = [Together("lens.py", 1, 1), Together("bulb.py", 3, 3), Together("lamp.py", 1, 1)]
    assert [one.path for one in ranked(3, found)] == ["bulb.py", "lamp.py", "lens.py"]


def test_a_file_is_predicted_from_the_commits_that_touched_it_and_never_itself():
    history = History([("a", "b"), ("a", "b", "c"), ("c", "d")])
    told = history.predict("a")
    assert [(one.path, one.both, one.changes) for one in told] == [("b", 2, 2), ("c", 1, 2)]
    assert history.predict("new.py") == []


def test_at_most_ten_files_are_predicted():
    assert len(History([tuple("abcdefghijklmnop")]).predict("a")) == 10


def test_every_prediction_for_every_file_of_a_commit_is_a_case():
    history = History([("a", "b"), ("a", "b"), ("a", "c")])
    told = cases(history.predict, [("a", "b"), ("c", "new.py")])
    # a: b hits, c misses; b: a hits; c: a misses; new.py: nothing is predicted.
    assert [hit for _, hit in told] == [True, False, True, False]
    assert told[0][0] == pytest.approx(strength(2, 3, 2))


WEAK = [(0.05, False)] * 900 + [(0.05, True)] * 10


def test_the_weakest_ties_are_left_out_where_they_would_set_the_threshold():
    strong = [(0.3 + n / 100, False) for n in range(10)] + [(0.8, True)] * 100
    assert threshold([confidence for confidence, hit in WEAK + strong if not hit], 0.1) == 0.05
    left = considered(WEAK + strong, 0.1)
    assert left == strong
    assert threshold([confidence for confidence, hit in left if not hit], 0.1) == pytest.approx(0.39)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param([], id="nothing"),
        pytest.param(WEAK, id="nothing strong"),
        pytest.param([*WEAK, *[(0.8, True), (0.8, False)] * 100], id="the strong ones no better"),
        pytest.param([*WEAK, *[(0.8, True)] * 10], id="strong ones too few"),
        pytest.param([(n / 20, False) for n in range(10)] + [(0.8, True)] * 100, id="already as it should be"),
    ],
)
def test_all_ties_are_considered_where_leaving_some_out_is_of_no_use(found):
    assert considered(found, 0.1) == found


strengths = st.sampled_from([0.05, 0.1, 0.2, 0.4, 0.8])


@given(st.lists(st.tuples(strengths, st.booleans()), max_size=150), st.sampled_from([0.1, 0.3, 0.5]))
@settings(max_examples=100, deadline=None)
def test_leaving_weak_ties_out_never_lowers_the_threshold(found, alpha):
    plain, tau = (threshold([one for one, hit in some if not hit], alpha) for some in (found, considered(found, alpha)))
    assert plain is None or (tau is not None and tau >= plain)
    assert set(considered(found, alpha)) <= set(found)


@given(st.lists(st.integers(), max_size=40))
@settings(max_examples=50, deadline=None)
def test_three_parts_hold_everything_in_order(events):
    first, second, third = thirds(events)
    assert [*first, *second, *third] == events
    assert len(first) == len(second) <= len(third) <= len(first) + 2


def test_what_is_told_by_another_sign_abstains():
    row = Calibration("predict", 0.1, 0.1, 0.95, 0.2, 40, NOW, 100)
    (one,) = ranked(4, [Together("lens.py", 4, 4)])
    assert verdict(one, row, now=NOW, generation=100) == ACT
    assert verdict(one._replace(sign="imports"), row, now=NOW, generation=100) == ABSTAIN
