"""Faster and faster: speed, acceleration, magnitude, and what is too little to tell."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.errors import PalaceError
from mempalace.store.shakes import RING, Shake
from mempalace.trust.tremor import MOST, Tremor, kept, levels, tremor, window

DAY = 86_400
NOW = 1_780_000_000
SIZES = (0.1, 1, 5, 20, 80)


def growing(step=2 * DAY, sizes=SIZES, edges=1.0, until=NOW):
    """Return changes of growing size, one each `step` seconds, the last at `until`."""
    first = until - step * (len(sizes) - 1)
    return [Shake(first + step * n, size, edges) for n, size in enumerate(sizes)]


def test_the_worked_example():
    told = tremor(growing(), now=NOW)
    assert told == pytest.approx((14.7208, 6.5833, 3.5, 5, 14.7208), abs=5e-5)


def test_a_millisecond_for_a_second_would_show_nothing_and_a_day_for_it_too_much():
    """Time is counted in days: the same steps in other units are other tremors."""
    thousandfold = [Shake(one.at * 1000, one.size, one.edges) for one in growing()]
    assert tremor(thousandfold, now=NOW * 1000).magnitude == pytest.approx(14.7208e-6, rel=1e-4)
    assert tremor(growing(step=2), now=NOW).magnitude == MOST


@pytest.mark.parametrize("count", range(3))
def test_fewer_than_three_are_not_reported(count):
    assert tremor(growing()[:count], now=NOW) is None


def test_three_have_an_acceleration_and_no_trend():
    assert tremor(growing(sizes=(1, 2, 6)), now=NOW) == pytest.approx((3**0.5, 1, 0, 3, 3**0.5))


def test_what_slows_down_is_told_from_what_speeds_up():
    assert tremor(growing(sizes=SIZES[::-1]), now=NOW).acceleration < 0


def test_the_order_they_come_in_does_not_matter():
    assert tremor(reversed(growing()), now=NOW) == tremor(growing(), now=NOW)


def test_what_follows_within_a_second_of_the_last_kept_is_dropped():
    seen = [Shake(at, 1, 1) for at in (0.0, 0.6, 1.2, 1.9, 2.3)]
    assert [one.at for one in kept(seen)] == [0.0, 1.2, 2.3]


def test_the_ring_holds_exactly_256():
    seen = [Shake(at, 1, 1) for at in range(1, 400)]
    assert kept(seen) == seen[-256:]
    assert RING == 256


@pytest.mark.parametrize(
    ("name", "used"),
    [
        pytest.param("7", 3, id="a week"),
        pytest.param("30", 10, id="a month"),
        pytest.param("90", 30, id="a quarter"),
        pytest.param("all", 40, id="everything"),
    ],
)
def test_a_window_holds_what_is_younger(name, used):
    seen = growing(step=3 * DAY, sizes=(1,) * 40, until=NOW - DAY)
    assert tremor(seen, days=window(name), now=NOW).observations == used


@pytest.mark.parametrize("name", ["", "1", "30d", "year", "-7", "7.0"])
def test_any_other_window_is_refused(name):
    with pytest.raises(PalaceError, match="7, 30, 90, all"):
        window(name)


def test_levels_come_from_what_else_trembles():
    things = {n: Tremor(min(MOST, n * 50.0), 1, 0, 3, n * 50.0) for n in range(20)}
    told = levels(things)
    assert [told[n] for n in (0, 9, 10, 15, 16, 18, 19)] == [
        "calm", "calm", "stirring", "stirring", "shaking", "shaking", "quaking",
    ]  # fmt: skip


EQUAL = Tremor(3.0, 1, 0, 3, 3.0)


def test_equals_stand_on_one_level_and_few_on_none():
    assert set(levels(dict.fromkeys(range(50), EQUAL)).values()) == {"calm"}
    assert set(levels(dict.fromkeys(range(7), EQUAL)).values()) == {"unranked"}
    assert levels({}) == {}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.builds(Shake, st.integers(1, 10**9), st.floats(0, 1e6), st.floats(0, 1e4)), max_size=40))
def test_no_observations_are_too_strange(seen):
    told = tremor(seen, now=10**9)
    assert told is None or (0 <= told.magnitude <= MOST and told.observations >= 3)
