"""How far a belief is believed, and how sure that is."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.confidence import HALF_LIFE, confidence, faded, interval

WEIGHTS = st.floats(0, 1e5)


@pytest.mark.parametrize(
    ("support", "against", "expected"),
    [
        pytest.param(0, 0, 0.5, id="nothing is known"),
        pytest.param(8, 0, 0.9, id="eight confirmations"),
        pytest.param(4, 0, 5 / 6, id="stated once"),
        pytest.param(8, 8, 0.5, id="as much against as for"),
    ],
)
def test_confidence(support, against, expected):
    assert confidence(support, against) == pytest.approx(expected)


@given(WEIGHTS, WEIGHTS, st.floats(0.01, 10))
def test_a_confidence_lies_between_and_a_confirmation_never_lowers_it(support, against, more):
    assert 0 < confidence(support, against) < 1
    assert confidence(support + more, against) >= confidence(support, against)
    assert confidence(support, against + more) <= confidence(support, against)


@pytest.mark.parametrize(
    ("age", "left"),
    [
        pytest.param(0, 1.0, id="now"),
        pytest.param(HALF_LIFE, 0.5, id="one half-life"),
        pytest.param(-60, 1.0, id="from the future"),
    ],
)
def test_evidence_fades(age, left):
    assert faded(1.0, at=10**9 - age, now=10**9) == pytest.approx(left)


# Beta(a, 1) and Beta(1, b) have quantiles in closed form.
@pytest.mark.parametrize("weight", [0, 0.3, 1, 8, 50, 4000])
def test_an_interval_is_exact_where_the_exact_one_is_known(weight):
    low, high = interval(weight, 0)
    assert (low, high) == (
        pytest.approx(0.05 ** (1 / (1 + weight)), abs=1e-6), pytest.approx(0.95 ** (1 / (1 + weight)), abs=1e-6),
    )  # fmt: skip
    assert interval(0, weight) == (pytest.approx(1 - high, abs=1e-6), pytest.approx(1 - low, abs=1e-6))


def test_an_interval_agrees_with_counting():
    """Beta(3, 5) below x is the chance of at least 3 hits in 7 tries."""
    low, high = interval(2, 4)
    for end, share in ((low, 0.05), (high, 0.95)):
        hits = sum(math.comb(7, k) * end**k * (1 - end) ** (7 - k) for k in range(3, 8))
        assert hits == pytest.approx(share, abs=1e-6)


def test_much_evidence_narrows_an_interval_to_the_normal_one():
    low, high = interval(1e6, 1e6)
    assert high - low == pytest.approx(2 * 1.6449 * math.sqrt(0.25 / 2e6), rel=1e-3)


@given(WEIGHTS, WEIGHTS)
@settings(max_examples=100, deadline=None)
def test_an_interval_holds_the_median_within_zero_and_one(support, against):
    low, high = interval(support, against)
    assert 0 < low < high < 1
    assert low < confidence(support, against) + 0.05
    assert high > confidence(support, against) - 0.05
