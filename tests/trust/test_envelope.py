"""The fold of what is known about an answer into one verdict."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.store.calibrations import ENVELOPE, Calibration
from mempalace.trust.envelope import (
    BANDS,
    BEHIND,
    BINDING,
    CURRENT,
    DEGRADED,
    FRESHNESS,
    RECALIBRATE,
    STALE,
    SUPERSESSION,
    TRUST,
    UNARMED,
    UNCALIBRATED,
    VERDICTS,
    Factor,
    as_dict,
    at_least,
    fold,
)
from mempalace.trust.rerank import factors as factors_of_rerank

NOW = 1_780_000_000
DAY = 86_400
ROW = Calibration(ENVELOPE, 0.8, 0.1, 0.95, 0.5, 40, NOW, 100)
QUICK = settings(max_examples=150, deadline=None)


def two(binding, band):
    return [Factor(TRUST, BANDS[band]), Factor(BINDING, binding)]


def judged(factors, row=ROW, now=NOW, generation=100):
    return fold(factors, row, now=now, generation=generation)


@pytest.mark.parametrize(
    ("binding", "band", "score"),
    [
        pytest.param(CURRENT, "low", 0.9, id="all is current, what it says held"),
        pytest.param(CURRENT, "medium", 0.75, id="all is current, it held as often as not"),
        pytest.param(CURRENT, "high", 0.6, id="all is current, it misled"),
        pytest.param(BEHIND, "low", 0.6, id="not all is mined, what it says held"),
        pytest.param(BEHIND, "medium", 0.45, id="not all is mined, it held as often as not"),
        pytest.param(BEHIND, "high", 0.30, id="not all is mined, it misled"),
        pytest.param(DEGRADED, "low", 0.475, id="degraded"),
    ],
)
def test_two_factors_are_averaged(binding, band, score):
    assert judged(two(binding, band)).score == pytest.approx(score)


def test_what_is_not_known_counts_neither_way():
    known = [Factor(TRUST, 0.8), Factor(BINDING, 0.4)]
    unknown = [Factor(FRESHNESS, 0.0, known=False), Factor(SUPERSESSION, 1.0, known=False)]
    assert judged([*known, *unknown]).score == judged(known).score == pytest.approx(0.6)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_weight_that_is_none_is_skipped(weight):
    kept = [Factor(TRUST, 0.8), Factor(BINDING, 1.0)]
    assert judged([*kept, Factor(FRESHNESS, 0.0, weight)]).score == pytest.approx(0.9)
    told = judged([Factor(TRUST, 1.0, weight), Factor(BINDING, 1.0)])
    assert told.verdict == "reverify", "a trust factor that is skipped is not known"


@pytest.mark.parametrize(
    "factors",
    [
        pytest.param([], id="nothing at all"),
        pytest.param([Factor(TRUST, 0.8, known=False), Factor(BINDING, 1.0, known=False)], id="nothing known"),
        pytest.param([Factor(TRUST, 0.8, 0.0)], id="nothing of weight"),
        pytest.param([Factor(TRUST, math.nan), Factor(BINDING, 1.0)], id="a value that is no number"),
        pytest.param([Factor(TRUST, 0.8), Factor(BINDING, math.inf)], id="an infinite value"),
    ],
)
@pytest.mark.parametrize("row", [None, ROW], ids=["uncalibrated", "calibrated"])
def test_what_cannot_be_folded_is_unprovable(factors, row):
    told = judged(factors, row)
    assert (told.verdict, told.score, told.calibrated) == ("unprovable", 0.0, False)


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        pytest.param(two(CURRENT, "low"), "act", id="above tau"),
        pytest.param([Factor(TRUST, 0.8), Factor(BINDING, 0.8)], "reverify", id="at tau stands a miss"),
        pytest.param(two(CURRENT, "medium"), "reverify", id="below tau"),
        pytest.param([Factor(TRUST, 0.4), Factor(BINDING, 0.4)], "reverify", id="at half of tau"),
        pytest.param(two(BEHIND, "high"), "abstain", id="below half of tau"),
        pytest.param([Factor(BINDING, CURRENT)], "reverify", id="no outcome known, however current"),
        pytest.param([Factor(BINDING, BEHIND)], "abstain", id="no outcome known is no better than a bad one"),
        pytest.param([*two(CURRENT, "low"), Factor(FRESHNESS, 0.0)], "reverify", id="one red factor forces nothing"),
    ],
)
def test_a_verdict_follows_from_tau(factors, verdict):
    told = judged(factors)
    assert (told.verdict, told.calibrated) == (verdict, True)


@pytest.mark.parametrize("factors", [two(CURRENT, "low"), two(DEGRADED, "high"), [Factor(BINDING, DEGRADED)]], ids=str)
def test_without_a_row_nothing_acts_and_nothing_abstains(factors):
    told = judged(factors, None)
    assert (told.verdict, told.calibrated) == ("reverify", False)
    assert told.reasons == (UNCALIBRATED,)
    assert told.next == RECALIBRATE


@pytest.mark.parametrize(
    ("row", "how", "reason"),
    [
        pytest.param(ROW, {"now": NOW + 91 * DAY}, STALE, id="ninety days later"),
        pytest.param(ROW, {"generation": 120}, STALE, id="a fifth more evidence"),
        pytest.param(ROW._replace(precision=0.89), {}, UNARMED, id="too many misses above tau"),
        pytest.param(ROW._replace(n=29), {}, UNARMED, id="measured on too few"),
        pytest.param(ROW._replace(tau=None), {}, UNARMED, id="no threshold could be set"),
    ],
)
def test_a_row_that_is_not_armed_and_fresh_is_capped(row, how, reason):
    told = judged(two(CURRENT, "low"), row, **how)
    assert (told.verdict, told.calibrated, told.next) == ("reverify", False, RECALIBRATE)
    assert told.reasons[-1] == reason


def test_a_stale_row_still_knows_what_is_too_weak():
    assert judged(two(BEHIND, "high"), now=NOW + 91 * DAY).verdict == "abstain"


def test_the_reasons_begin_with_the_gravest_and_the_step_is_its():
    told = judged(
        [
            Factor(TRUST, 0.8, why="it held"),
            Factor(SUPERSESSION, known=False, why="nothing is known of claims", next="ask"),
            Factor(FRESHNESS, 0.0, why="pump.py has changed", next="check pump.py"),
            Factor(BINDING, BEHIND, why="not all is mined", next="mine"),
        ]
    )
    assert told.reasons == ("pump.py has changed", "not all is mined", "it held", "nothing is known of claims")
    assert told.next == "check pump.py"


def test_where_all_is_well_there_is_no_next_step():
    assert judged(two(CURRENT, "low")).next == ""


def test_plain_values_hold_no_number_where_no_outcome_is_known():
    cold = as_dict(judged([Factor(TRUST, 0.5, known=False), Factor(BINDING, CURRENT)], None))
    assert cold["score"] is None
    assert cold["factors"] == [
        {"name": TRUST, "known": False, "value": None},
        {"name": BINDING, "known": True, "value": None},
    ]
    warm = as_dict(judged(two(CURRENT, "low")))
    assert (warm["verdict"], warm["score"], warm["factors"][0]["value"]) == ("act", 0.9, 0.8)


def test_the_verdicts_are_in_order():
    assert [[at_least(one, other) for other in VERDICTS] for one in VERDICTS] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


unit = st.floats(0, 1)
FACTORS = st.lists(
    st.builds(Factor, st.sampled_from([BINDING, FRESHNESS, SUPERSESSION]), unit, st.just(1.0), st.booleans()),
    max_size=4,
)
ROWS = st.one_of(
    st.none(),
    st.builds(
        lambda tau, precision, n: ROW._replace(tau=tau, precision=precision, n=n), st.none() | unit, unit,
        st.integers(0, 60),
    ),
)  # fmt: skip


@QUICK
@given(FACTORS, st.sampled_from(sorted(BANDS)), ROWS)
def test_less_evidence_never_gets_a_better_verdict(factors, band, row):
    told = judged([*factors, Factor(TRUST, BANDS[band])], row)
    assert at_least(told.verdict, judged(factors, row).verdict)


@QUICK
@given(FACTORS, st.none() | st.sampled_from(sorted(BANDS)), ROWS, st.integers(0, 200 * DAY), st.integers(0, 300))
def test_whatever_is_known_only_an_armed_fresh_row_and_a_known_trust_let_act(factors, band, row, age, generation):
    given_factors = [*factors, *([Factor(TRUST, BANDS[band])] if band else [])]
    told = judged(given_factors, row, NOW + age, generation)
    assert 0 <= told.score <= 1
    if told.verdict == "act":
        assert band
        assert told.calibrated
        assert told.score > row.tau
    if row is None or row.tau is None:
        assert told.verdict in ("reverify", "unprovable")


@QUICK
@given(FACTORS, st.floats(1e-300, 1e300))
def test_a_common_weight_changes_nothing(factors, weight):
    scaled = [factor._replace(weight=weight) for factor in factors]
    assert judged(scaled).score == pytest.approx(judged(factors).score)


@pytest.mark.parametrize(
    ("trust", "magnitude", "factor"),
    [
        pytest.param(None, None, 1.0, id="nothing is known"),
        pytest.param(1.0, 0.0, 1.0, id="it always held"),
        pytest.param(0.05, None, 0.81, id="the least trust there is"),
        pytest.param(0.5, 0.5, 0.855, id="both"),
        pytest.param(None, 100.0, 0.9, id="no tremor takes more than a tenth"),
        pytest.param(-3.0, 7.0, 0.72, id="bounded, whatever comes in"),
    ],
)
def test_the_re_rank_is_bounded(trust, magnitude, factor):
    assert math.prod(factors_of_rerank(trust, magnitude)) == pytest.approx(factor)
