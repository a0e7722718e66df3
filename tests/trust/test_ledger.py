"""What counts of outcomes come to: trust, risk, tier; and nothing where there is too little of them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.errors import PalaceError
from mempalace.store.ledger import Counts
from mempalace.trust.ledger import NOTHING, adjust_prior, read, report, within

NOW = 1_780_000_000
HOUR = 3600


def row(defects=0, false_alarms=0, partials=0, *, age=0, subject="drawer::a", wing=0, last=NOW):
    """Return counts of whole events, the last defect `age` hours old."""
    total = defects + false_alarms + partials
    defect_at = NOW - age * HOUR if defects else 0
    return Counts(subject, wing, defects, false_alarms, partials, total, total, 1, last, defect_at)


@pytest.mark.parametrize(
    ("counts", "age", "trust", "risk", "tier"),
    [
        pytest.param((1, 0, 0), 0, 0.05, 3.0, "high", id="one fresh defect"),
        pytest.param((1, 0, 0), 720, 0.35, 2.3, "high", id="a month old"),
        pytest.param((1, 0, 0), 4320, 0.6890625, 1.621875, "medium", id="half a year old"),
        pytest.param((1, 1, 0), 0, 0.5, 2.0, "medium", id="as often right as wrong"),
        pytest.param((2, 1, 1), 360, 0.602513, 1.794975, "medium", id="partials count as events"),
        pytest.param((1, 3, 0), 0, 0.75, 1.5, "low", id="mostly right"),
        pytest.param((3, 0, 0), 10**7, 0.7, 1.6, "low", id="an old defect still counts 30 percent"),
    ],
)
def test_a_row_stands_as_its_counts_say(counts, age, trust, risk, tier):
    told = read(row(*counts, age=age), NOW)
    assert (told.trust, told.risk) == pytest.approx((trust, risk), abs=5e-7)
    assert (told.tier, told.band, told.known) == (tier, tier, True)


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param(None, id="no history"),
        pytest.param(row(), id="nothing counted"),
        pytest.param(row(0, 2), id="two events, both right"),
        pytest.param(row(0, 0, 2), id="two events, both partial"),
    ],
)
def test_too_little_evidence_is_no_standing(counts):
    assert read(counts, NOW) == NOTHING
    assert (NOTHING.band, NOTHING.tier, NOTHING.risk, NOTHING.known) == ("insufficient_evidence", "unknown", 1.0, False)


def test_three_events_without_a_defect_are_enough():
    assert read(row(0, 3), NOW)[:4] == (1.0, 1.0, "low", "low")


def test_events_are_counted_and_not_their_weights():
    light = row(0, 3)._replace(false_alarms=0.75, total=0.75)
    assert read(light, NOW).known
    assert not read(light._replace(events=2), NOW).known


def test_a_defect_in_the_future_has_not_faded_and_earns_nothing():
    assert read(row(1, 1, age=-5000), NOW) == read(row(1, 1), NOW)


FRESH = [read(row(1), NOW)] * 3


@pytest.mark.parametrize(
    ("base", "standings", "defect", "expected"),
    [
        pytest.param(0.6, FRESH, False, 0.03, id="all is well, says what just failed"),
        pytest.param(0.6, FRESH, True, 0.95, id="a defect, where it just failed: no more than this"),
        pytest.param(0.6, [], True, 0.6, id="no ids change nothing"),
        pytest.param(0.97, [], False, 0.97, id="not even the bounds"),
        pytest.param(0.6, [NOTHING], True, 0.6, id="no history, no more risk"),
        pytest.param(-1.0, FRESH, False, 0.0, id="never below nothing"),
    ],
)
def test_a_prior_is_adjusted_by_the_mean_factor(base, standings, defect, expected):
    assert adjust_prior(base, standings, defect=defect) == pytest.approx(expected)


ROWS = [
    row(1, 3, subject="file::lens/a.py", wing=1),
    row(1, 0, subject="drawer::b", age=720),
    row(0, 4, subject="drawer::c", last=NOW - 9),
    row(0, 4, subject="drawer::d", last=NOW - 3),
    row(2, 0, subject="belief::e"),
]


def order(**how):
    return [counts.subject.split("::")[1] for counts, _ in report(ROWS, now=NOW, **how).rows]


def test_the_worst_come_first_and_what_never_failed_last_by_recency():
    assert order() == ["e", "b", "lens/a.py", "d", "c"]
    assert order(sort="trust") == ["e", "b", "lens/a.py", "d", "c"]
    assert order(sort="recency") == ["e", "lens/a.py", "b", "d", "c"]


def test_the_mean_is_over_all_matches_whatever_is_shown():
    whole, part = report(ROWS, now=NOW), report(ROWS, now=NOW, top_k=2)
    assert part.rows == whole.rows[:2]
    assert (part.matches, part.known) == (5, 5)
    assert part.mean == whole.mean == pytest.approx((0.75 + 0.35 + 1 + 1 + 0.05) / 5)


def test_nothing_known_has_no_mean():
    assert report([row(0, 1)], now=NOW).mean is None
    assert report([], now=NOW) == ((), 0, 0, None)


def test_a_sort_that_is_none_is_refused_with_the_ones_that_are():
    with pytest.raises(PalaceError, match="trust, risk, recency"):
        report(ROWS, now=NOW, sort="name")


@pytest.mark.parametrize(
    ("subject", "scope", "inside"),
    [
        pytest.param("file::src/lamp.py", "", True, id="everything"),
        pytest.param("file::src/lamp.py", "file", True, id="a kind"),
        pytest.param("file::src/lamp.py", "src", True, id="a folder"),
        pytest.param("file::src/lamp.py", "src/", True, id="a folder with its slash"),
        pytest.param("file::src/lamp.py", "file::src/lamp.py", True, id="a subject"),
        pytest.param("file::src/lamp.py", "src/lamp.py", True, id="a file"),
        pytest.param("file::src/lamp.py", "sr", False, id="never a part of a name"),
        pytest.param("file::srclamp.py", "src", False, id="nor a longer one"),
        pytest.param("drawer::src", "src", False, id="nor another kind's"),
    ],
)
def test_a_scope_holds_whole_names(subject, scope, inside):
    assert within(subject, scope) is inside


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.integers(0, 40)] * 3), st.integers(0, 10**6), st.randoms())
def test_every_standing_is_in_bounds_and_every_order_total(counts, age, chance):
    told = read(row(*counts, age=age), NOW)
    assert 0.05 <= told.trust <= 1
    assert 1 <= told.risk <= 3
    mixed = [*ROWS, row(*counts, age=age, subject="drawer::z")]
    chance.shuffle(mixed)
    assert report(mixed, now=NOW).rows == report(sorted(mixed), now=NOW).rows
    assert math.isfinite(told.trust)
