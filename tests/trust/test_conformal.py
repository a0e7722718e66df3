"""The threshold above which a confidence may be acted on: its formula, its promise, its limits."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mempalace.errors import PalaceError
from mempalace.store.calibrations import Calibration
from mempalace.trust.conformal import (
    ABSTAIN,
    ACT,
    OLDEST,
    REVERIFY,
    calibrated,
    measured,
    stale,
    threshold,
    unarmed,
    verdict,
)

NOW = 1_767_600_000
ARMED = Calibration("predict", 0.6, 0.1, 0.95, 0.2, 40, NOW, 1000)
confidences = st.floats(0, 1)
alphas = st.floats(0.001, 0.5)


def judged(confidence, row=ARMED, *, now=NOW, generation=1000):
    return verdict(confidence, row, now=now, generation=generation)


@pytest.mark.parametrize(
    ("misses", "alpha", "tau"),
    [
        pytest.param([n / 20 for n in range(1, 20)], 0.1, 0.9, id="nineteen misses"),
        pytest.param([n / 20 for n in range(19, 0, -1)], 0.1, 0.9, id="in any order"),
        pytest.param([n / 20 for n in range(1, 20)], 0.05, 0.95, id="the last of them"),
        pytest.param([n / 20 for n in range(1, 20)], 0.04, None, id="a rank beyond the last"),
        pytest.param([0.5] * 9, 0.1, 0.5, id="just enough, all alike"),
        pytest.param([0.5] * 8, 0.1, None, id="one too few"),
        pytest.param([], 0.5, None, id="none"),
        pytest.param([0.3], 0.5, 0.3, id="one, at a half"),
        pytest.param([0.3, math.nan, math.inf, -math.inf], 0.5, 0.3, id="what is not finite does not count"),
        pytest.param([1.0] * 9, 0.1, 1.0, id="sure and wrong"),
        # (29 + 1) x (1 - 0.3) is 21 in decimals, but not in floats' every order of reckoning.
        pytest.param([float(n) for n in range(1, 30)], 0.3, 21.0, id="a rank that is whole in decimals"),
        pytest.param([float(n) for n in range(1, 100)], 0.07, 93.0, id="another"),
    ],
)
def test_the_threshold_is_the_rank_th_miss(misses, alpha, tau):
    assert threshold(misses, alpha) == tau


@pytest.mark.parametrize("alpha", [0, -0.1, 0.51, 1, math.nan, math.inf])
def test_an_alpha_that_is_none_is_refused(alpha):
    with pytest.raises(PalaceError, match=r"alpha is .*: give one above 0 and at most 0\.5"):
        threshold([0.5] * 50, alpha)


@given(st.lists(confidences, max_size=60), alphas)
@example([0.0, 0.0], 1 / 3)  # a third in floats is a little less than one
@settings(max_examples=200, deadline=None)
def test_of_the_misses_that_set_it_at_most_alpha_lie_above_the_threshold(misses, alpha):
    tau = threshold(misses, alpha)
    if tau is None:
        assert alpha * (len(misses) + 1) < 1 + 1e-9
    else:
        assert tau in misses
        assert sum(miss > tau for miss in misses) <= alpha * (len(misses) + 1) - 1 + 1e-9


@given(st.lists(confidences, max_size=60), alphas, alphas)
@settings(max_examples=200, deadline=None)
def test_who_lets_more_misses_through_has_no_higher_threshold(misses, one, other):
    strict, lax = (threshold(misses, alpha) for alpha in sorted((one, other)))
    assert strict is None or (lax is not None and lax <= strict)


@given(st.lists(confidences, min_size=1, max_size=60), alphas, confidences)
@settings(max_examples=200, deadline=None)
def test_nothing_acts_at_the_confidence_of_the_miss_that_set_the_threshold(misses, alpha, confidence):
    tau = threshold(misses, alpha)
    row = ARMED._replace(tau=tau, alpha=alpha, precision=1.0)
    if tau is None:
        assert judged(confidence, row) == ABSTAIN
    else:
        assert judged(tau, row) == REVERIFY
        assert (judged(confidence, row) == ACT) == (confidence > tau)


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [
        pytest.param(0.61, ACT, id="above"),
        pytest.param(0.6, REVERIFY, id="at it: ties are misses too"),
        pytest.param(0.3, REVERIFY, id="at half of it"),
        pytest.param(0.29, ABSTAIN, id="below half of it"),
        pytest.param(math.nan, ABSTAIN, id="not a number"),
        pytest.param(math.inf, ABSTAIN, id="beyond all numbers"),
        pytest.param(-math.inf, ABSTAIN, id="below all numbers"),
    ],
)
def test_a_confidence_is_judged_by_the_threshold(confidence, expected):
    assert judged(confidence) == expected


@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_without_a_calibration_or_a_threshold_everything_abstains(confidence):
    assert judged(confidence, None) == ABSTAIN
    assert judged(confidence, ARMED._replace(tau=None)) == ABSTAIN


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({}, "", id="armed"),
        pytest.param({"precision": 0.9, "n": 30}, "", id="just so"),
        pytest.param({"tau": None}, "too few misses to set a threshold at alpha 0.1", id="no threshold"),
        pytest.param(
            {"n": 29}, "only 29 of the cases measured lay above the threshold, 30 are needed", id="measured on few"
        ),
        pytest.param(
            {"n": 0, "precision": None},
            "only 0 of the cases measured lay above the threshold, 30 are needed",
            id="measured on none",
        ),
        pytest.param(
            {"precision": 0.899}, "of what lay above the threshold 89.9% held, 90% is asked for", id="not precise"
        ),
    ],
)
def test_a_calibration_is_armed_only_by_what_was_measured(fields, why):
    row = ARMED._replace(**fields)
    assert unarmed(row) == why
    assert (judged(1.0, row) == ACT) == (not why)


@pytest.mark.parametrize(
    ("later", "generation", "why"),
    [
        pytest.param(0, 1000, "", id="fresh"),
        pytest.param(OLDEST, 1199, "", id="at both limits"),
        pytest.param(OLDEST + 1, 1000, "calibrated 90 days ago", id="old"),
        pytest.param(-OLDEST - 1, 1000, "calibrated 90 days ago", id="from a clock far ahead"),
        pytest.param(0, 1200, "calibrated on 1000 cases of evidence, now there are 1200", id="a fifth more evidence"),
        pytest.param(0, 10, "", id="less evidence"),
    ],
)
def test_a_stale_calibration_lets_nothing_act(later, generation, why):
    assert stale(ARMED, now=NOW + later, generation=generation) == why
    assert judged(0.9, now=NOW + later, generation=generation) == (REVERIFY if why else ACT)
    assert judged(0.1, now=NOW + later, generation=generation) == ABSTAIN


def test_precision_is_measured_over_what_acts_and_over_nothing_else():
    cases = [(0.9, True), (0.8, False), (0.7, True), (0.6, True), (0.1, False), (math.nan, False), (math.inf, False)]
    assert measured(cases, 0.6) == (pytest.approx(2 / 3), pytest.approx(3 / 7), 3)
    assert measured(cases, None) == (None, 0.0, 0)
    assert measured([], 0.6) == (None, 0.0, 0)


def test_the_threshold_is_set_by_some_cases_and_measured_on_later_ones():
    setting = [(n / 20, False) for n in range(1, 20)] + [(0.99, True)] * 10
    later = [(0.95, True)] * 38 + [(0.95, False)] * 2 + [(0.9, False)] * 10
    row = calibrated("predict", setting, later, alpha=0.1, now=NOW, generation=7)
    assert row == Calibration("predict", 0.9, 0.1, 0.95, 0.8, 40, NOW, 7)
    assert unarmed(row) == ""


def test_drift_is_seen_by_the_measurement():
    setting = [(n / 20, False) for n in range(1, 20)] + [(0.99, True)] * 10
    later = [(0.95, False)] * 30 + [(0.95, True)] * 30
    row = calibrated("predict", setting, later, alpha=0.1, now=NOW, generation=7)
    assert row.precision == 0.5
    assert judged(0.99, row, generation=7) == REVERIFY
