"""The precision-coverage curve: its points, its text, its picture."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.trust.conformal import measured
from mempalace.trust.curve import MOST, points, svg, text

CASES = [(0.9, True), (0.9, True), (0.5, True), (0.5, False), (0.1, False)]
TEXT = """\
the surest  from  precision
     40.0%  0.900  100.0%  ########################################  above tau
     80.0%  0.500   75.0%  ##############################
    100.0%  0.100   60.0%  ########################"""
SPACE = "{http://www.w3.org/2000/svg}"


def test_each_confidence_is_one_point_the_surest_first():
    assert points(CASES) == [(0.9, 0.4, 1.0), (0.5, 0.8, 0.75), (0.1, 1.0, 0.6)]


def test_what_is_not_finite_never_acts_but_counts_in_the_coverage():
    assert points([(math.nan, True), (0.5, True), (math.inf, True), (0.2, False)]) == [
        (0.5, 0.25, 1.0),
        (0.2, 0.5, 0.5),
    ]


cases = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4, 0.8]), st.booleans()), max_size=40)


@given(cases, st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_the_curve_agrees_with_the_measurement_at_every_threshold(found, tau):
    precision, coverage, n = measured(found, tau)
    acting = [point for point in points(found) if point.confidence > tau]
    if n:
        assert acting[-1].precision == pytest.approx(precision)
        assert acting[-1].coverage == pytest.approx(coverage)
    else:
        assert acting == []


def test_the_curve_in_lines():
    assert "\n".join(text(points(CASES), tau=0.5)) == TEXT
    assert text([]) == []


def drawn(found, **options):
    return svg(points(found), title="a < b & c", **options)


def test_the_picture_is_well_formed_and_says_in_words_what_it_shows():
    root = ET.fromstring(drawn(CASES, tau=0.5, goal=0.9))
    assert root.tag == SPACE + "svg"
    assert root.get("role") == "img"
    title, told = root.find(SPACE + "title"), root.find(SPACE + "desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {told.get('id')}"
    assert title.text == "a < b & c"
    assert told.text == (
        "Precision is 100% at the surest 40.0% of the predictions and 60% over all of them. "
        "Above the threshold lie 40.0% with a precision of 100%. 90% is asked for."
    )
    words = [text.text for text in root.iter(SPACE + "text")]
    assert {"0%", "100%", "precision", "asked for: 90%"} <= set(words)
    assert any("coverage" in word for word in words)
    assert "acting above 0.500: 40.0% of the cases, 100% of them right" in words


def test_the_picture_fetches_nothing():
    picture = drawn(CASES, tau=0.5, goal=0.9).replace("http://www.w3.org/2000/svg", "")
    assert not any(word in picture for word in ("http", "href", "url(", "<script", "@import"))


@given(cases)
@settings(max_examples=30, deadline=None)
def test_the_same_curve_is_the_same_bytes_in_any_order_of_its_cases(found):
    assert drawn(found, tau=0.2) == drawn(sorted(found), tau=0.2) == drawn(found[::-1], tau=0.2)


def test_a_curve_of_no_cases_and_one_of_very_many_can_be_drawn():
    assert "no cases" in drawn([])
    many = svg(points([(n / 5000, n % 3 == 0) for n in range(5000)]), title="many")
    line = ET.fromstring(many).find(SPACE + "polyline").get("points")
    assert len(line.split()) == MOST
