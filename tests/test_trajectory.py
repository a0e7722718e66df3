"""What every hook did, on one line each; never lost, never in the way."""

import json
import multiprocessing
import os
import tempfile

import pytest

from mempalace import trajectory
from mempalace.paths import TRAJECTORY


def recorded(palace):
    return list(trajectory.events(str(palace)))


def test_an_event_recorded_is_an_event_told(palace):
    event = {"at": 7, "hook": "wake-up", "said": 'ü "quoted" \n\u2028 \\'}
    assert trajectory.record(str(palace), event)
    assert recorded(palace) == [event]
    assert (palace / TRAJECTORY).read_bytes().count(b"\n") == 1


def test_events_are_told_oldest_first(palace):
    for n in range(3):
        trajectory.record(str(palace), {"n": n})
    assert [event["n"] for event in recorded(palace)] == [0, 1, 2]


def test_a_lone_surrogate_is_recorded_all_the_same(palace):
    assert trajectory.record(str(palace), {"prompt": "a \ud83d b"})
    assert recorded(palace) == [{"prompt": "a ? b"}]


def test_a_palace_without_a_trajectory_has_no_events(palace):
    assert recorded(palace) == []
    assert not palace.exists()


def test_a_full_trajectory_moves_aside_and_one_older_is_kept(palace, monkeypatch):
    monkeypatch.setattr(trajectory, "LARGEST", 100)
    for n in range(30):
        trajectory.record(str(palace), {"n": n, "filling": "x" * 20})
    told = [event["n"] for event in recorded(palace)]
    assert told == list(range(told[0], 30))
    assert len(told) >= 3
    assert sorted(os.listdir(palace)) in ([TRAJECTORY + ".1"], [TRAJECTORY, TRAJECTORY + ".1"])
    assert all((palace / name).stat().st_size <= 200 for name in os.listdir(palace))


@pytest.mark.parametrize("line", [b"", b"{broken", b"[1]", b"3", b"\xff\xfe", b"{" * 100_000, b"[" * 100_000])
def test_lines_that_cannot_be_read_are_passed_over(palace, line):
    trajectory.record(str(palace), {"n": 1})
    with open(palace / TRAJECTORY, "ab") as file:
        file.write(line + b"\n")
    trajectory.record(str(palace), {"n": 2})
    assert [event["n"] for event in recorded(palace)] == [1, 2]


def test_what_a_palace_cannot_take_goes_to_the_refuge(tmp_path):
    (tmp_path / "file").write_text("")
    palace = str(tmp_path / "file" / "palace")
    assert trajectory.record(palace, {"n": 1})
    assert trajectory.refuge().startswith(tempfile.gettempdir())
    assert list(trajectory.events(palace)) == [{"n": 1}]
    assert os.stat(trajectory.refuge()).st_mode & 0o777 == 0o700


def test_where_nothing_can_be_written_that_is_told_and_nothing_raised(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    assert trajectory.record(str(tmp_path / "file" / "palace"), {"n": 1}) is False
    assert list(trajectory.events(str(tmp_path / "file" / "palace"))) == []


def test_a_trajectory_is_for_this_user_alone(palace):
    trajectory.record(str(palace), {})
    assert (palace / TRAJECTORY).stat().st_mode & 0o777 == 0o600
    assert palace.stat().st_mode & 0o777 == 0o700


def _record_many(palace, who):
    for n in range(200):
        trajectory.record(palace, {"who": who, "n": n, "filling": "x" * 500})


def test_hooks_side_by_side_never_mix_their_lines(palace):
    context = multiprocessing.get_context("spawn")
    hooks = [context.Process(target=_record_many, args=(str(palace), who)) for who in range(3)]
    for hook in hooks:
        hook.start()
    for hook in hooks:
        hook.join()
    lines = (palace / TRAJECTORY).read_text().splitlines()
    told = sorted((event["who"], event["n"]) for event in map(json.loads, lines))
    assert told == [(who, n) for who in range(3) for n in range(200)]
