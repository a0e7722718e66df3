"""`mempalace log`: every run a line that can be read, and nothing a terminal would obey."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from mempalace import trajectory
from mempalace.cli import recounting
from mempalace.cli.recounting import done, moment, printable
from mempalace.errors import PalaceError

RUNS = [
    {"at": 1_767_600_000, "hook": "wake-up", "event": "SessionStart", "session": "abcdef0123", "took_ms": 9.4,
     "characters": 1812, "how": "stored", "ids": ["a", "b"], "considered": 40},
    {"at": 1_767_600_060, "hook": "recall", "event": "UserPromptSubmit", "session": "abcdef0123", "took_ms": 3.0,
     "did": "nothing: small talk"},
    {"at": 1_767_600_120, "hook": "file-away", "event": "Stop", "session": "fedcba", "took_ms": 12.0,
     "failed": "OSError: no space"},
    {"at": 1_767_600_001, "hook": "delivery", "event": "SessionStart", "session": "abcdef0123", "of": "wake-up",
     "delivered": 1812, "characters": 1812, "key": "k"},
]  # fmt: skip


def log(*words, status=0):
    result = CliRunner().invoke(recounting.log, [*words])
    assert result.exit_code == status, result.output
    return result.stdout.splitlines()


@pytest.fixture
def _recorded(palace):
    for run in RUNS:
        trajectory.record(str(palace), run)


@pytest.mark.usefixtures("_recorded")
def test_each_run_is_a_line_in_the_order_of_time():
    assert [" ".join(line.split()) for line in log()] == [
        "2026-01-05 08:00:00 wake-up SessionStart abcdef01 9.4 ms stored; 2 of 40 told; 1,812 characters",
        "2026-01-05 08:00:01 delivery SessionStart abcdef01 wake-up: 1,812 of 1,812 characters delivered",
        "2026-01-05 08:01:00 recall UserPromptSubmit abcdef01 3.0 ms nothing: small talk",
        "2026-01-05 08:02:00 file-away Stop fedcba 12.0 ms failed: OSError: no space",
    ]


@pytest.mark.usefixtures("_recorded")
@pytest.mark.parametrize(
    ("words", "hooks"),
    [
        (["--hook", "recall"], ["recall"]),
        (["--session", "abc"], ["wake-up", "delivery", "recall"]),
        (["--failed"], ["file-away"]),
        (["--since", "2026-01-05T08:01"], ["recall", "file-away"]),
        (["--since", "2026-01-05T09:01+01:00"], ["recall", "file-away"]),
        (["--since", "1m"], []),
        (["-n", "1"], ["file-away"]),
        (["-n", "0"], []),
        (["--session", "abc", "--hook", "delivery"], ["delivery"]),
    ],
)
def test_the_filters_leave_what_was_asked_for(words, hooks):
    assert [line.split()[2] for line in log(*words)] == hooks
    assert [json.loads(line)["hook"] for line in log("--json", *words)] == hooks


@pytest.mark.usefixtures("_recorded")
def test_json_is_a_line_a_run_as_it_was_recorded():
    assert [json.loads(line) for line in log("--json")] == sorted(RUNS, key=lambda run: run["at"])


def test_without_a_trajectory_there_is_nothing_to_say(palace):
    assert log() == []
    assert not palace.exists()


@pytest.mark.parametrize("text", ["soon", "2x", "2026-13-01", "", " "])
def test_what_is_no_time_is_said(text):
    with pytest.raises(PalaceError, match="is no time: say 30m"):
        moment(text or "''", 0.0)


def test_a_loss_is_told_with_its_cause():
    run = {"hook": "delivery", "delivered": 0, "characters": 1812, "failed": "wake-up: timed out after 10 s"}
    assert done(run) == "wake-up: timed out after 10 s (0 of 1,812 characters delivered)"


HOSTILE = "\x1b]0;owned\x07 \x9b31m \u202e \u2028 \x7f \ud83d end\r\n"


@pytest.mark.parametrize("field", ["hook", "event", "session", "did", "failed", "how", "of"])
@pytest.mark.parametrize("hook", ["recall", "delivery"])
def test_nothing_that_a_terminal_obeys_reaches_it(palace, field, hook):
    trajectory.record(str(palace), {"at": 5, "hook": hook, field: HOSTILE})
    for words in ([], ["--json"]):
        (line,) = log(*words)
        assert line.isprintable()


@limits(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_every_text_becomes_one_line_that_can_be_printed(text):
    told = printable(text)
    assert len(told.splitlines()) <= 1
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in told)


@limits(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("at hook event session took_ms did how failed ids considered characters of delivered".split()),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.lists(st.integers()),
    )
)
def test_whatever_a_line_holds_it_can_be_told(run):
    assert "\n" not in recounting._told(run, False)
    assert json.loads(recounting._told(run, True)).keys() == run.keys()


def test_following_goes_on_over_a_file_moved_aside_and_half_lines(palace):
    place, waits = str(palace), []
    trajectory.record(place, {"n": "before"})

    def step():
        waits.append(1)
        path = palace / trajectory.TRAJECTORY
        if len(waits) == 1:
            trajectory.record(place, {"n": 1})
        elif len(waits) == 2:
            path.write_bytes(path.read_bytes() + b'{"n":')
        elif len(waits) == 3:
            path.write_bytes(path.read_bytes() + b" 2}\nnonsense\n")
        elif len(waits) == 4:
            trajectory.record(place, {"n": 3})
            path.rename(str(path) + ".1")
            trajectory.record(place, {"n": 4})
        elif len(waits) > 9:
            raise KeyboardInterrupt

    events = trajectory.follow(place, step)
    assert [next(events)["n"] for _ in range(4)] == [1, 2, 3, 4]
    with pytest.raises(KeyboardInterrupt):
        next(events)


def test_following_a_palace_that_is_not_there_yet_waits_for_it(palace):
    def step():
        trajectory.record(str(palace), {"n": 1})

    assert next(trajectory.follow(str(palace), step)) == {"n": 1}


def test_follow_shows_what_comes_and_ends_with_the_users_word(palace, monkeypatch):
    trajectory.record(str(palace), {"at": 1, "hook": "recall", "did": "first"})
    naps = []

    def nap(_):
        if naps:
            raise KeyboardInterrupt
        naps.append(1)
        trajectory.record(str(palace), {"at": 2, "hook": "recall", "did": "second"})

    monkeypatch.setattr(recounting.time, "sleep", nap)
    assert [line.split()[-1] for line in log("--follow")] == ["first", "second"]
