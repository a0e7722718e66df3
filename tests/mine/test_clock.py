import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace.mine.clock import LATEST, seconds

MOMENT = 1767323045  # 2026-01-02T03:04:05Z


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("2026-01-02T03:04:05.678Z", MOMENT, id="what most harnesses write"),
        pytest.param("2026-01-02T03:04:05Z", MOMENT, id="no fraction"),
        pytest.param("2026-01-02T03:04:05.123456789Z", MOMENT, id="nanoseconds"),
        pytest.param("2026-01-02T04:34:05+01:30", MOMENT, id="an offset"),
        pytest.param("2026-01-02T03:04:05", MOMENT, id="no zone is UTC"),
        pytest.param("2026-01-02 03:04:05Z", MOMENT, id="a space for the T"),
        pytest.param("2026-01-02 03:04:05 UTC", MOMENT, id="zone in letters"),
        pytest.param(" 2026-01-02 03:04:05\n", MOMENT, id="spaces around"),
        pytest.param("2026-01-02T03:04:05 nonsense", MOMENT, id="a broken tail"),
        pytest.param("2026-01-02", MOMENT - 3 * 3600 - 4 * 60 - 5, id="a bare date is its midnight"),
        pytest.param(MOMENT, MOMENT, id="epoch seconds"),
        pytest.param(MOMENT + 0.9, MOMENT, id="epoch with a fraction"),
        pytest.param(MOMENT * 1000 + 999, MOMENT, id="milliseconds"),
        pytest.param(MOMENT * 10**6, MOMENT, id="microseconds"),
        pytest.param(MOMENT * 10**9, MOMENT, id="as nanoseconds"),
        pytest.param("1712101231234", 1712101231, id="milliseconds in a string that looks like a date"),
        pytest.param("20260102", 20260102, id="eight digits are seconds"),
        pytest.param("2026-13-45T99:99:99Z", 0, id="no such day"),
        pytest.param("1901-01-01T00:00:00Z", 0, id="before the epoch"),
        pytest.param("0001-01-01T00:00:00+23:00", 0, id="before the calendar"),
        pytest.param("", 0, id="empty"),
        pytest.param("nan", 0, id="not a number in words"),
        pytest.param(float("inf"), 0, id="infinite"),
        pytest.param(10**400, 0, id="an integer no float can hold"),
        pytest.param(True, 0, id="a truth value"),
        pytest.param(["2026-01-02"], 0, id="a list"),
    ],
)
def test_seconds(value, expected):
    assert seconds(value) == expected


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.datetimes().map(str)))
def test_a_time_is_never_negative_and_never_after_the_year_9999(value):
    assert 0 <= seconds(value) <= LATEST
