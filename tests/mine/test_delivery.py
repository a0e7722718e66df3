"""Delivery receipts: what the client says that it passed on, beside what the hooks handed over."""

import json
from pathlib import Path

import pytest
from transcripts import BEGAN, Session, mine

from mempalace import trajectory
from mempalace.mine import delivery

WAKE_UP = "[mempalace] Notes recalled from earlier sessions in lighthouse: the lamp was mended.\n[/mempalace]"
RECALL = "[mempalace] Recalled from earlier sessions here: the key hangs behind the lantern.\n[/mempalace]"
LONG = "[mempalace] Notes recalled: " + "the lamp was mended. " * 600
PREVIEW = (
    "<persisted-output>\nOutput too large (12.7KB). Full output saved to: /somewhere/hook.txt\n\n"
    f"Preview (first 2KB):\n{LONG[:2000]}\n...\n</persisted-output>"
)
COMMAND = "python3 -I -S ${CLAUDE_PLUGIN_ROOT}/hooks/wake_up.py"


def ran(palace, hook="wake-up", text=WAKE_UP, *, at=BEGAN, session="s1", **more):
    """Leave the line of a hook's run."""
    trajectory.record(str(palace), {"at": at, "hook": hook, "session": session, "characters": len(text), **more})


class Client:
    """A transcript in which the client records what its hooks did."""

    def __init__(self):
        self.session = Session()
        self.session.user("Please mend the lamp of the lighthouse.")

    def attach(self, kind, event="SessionStart", **fields):
        """Add a record about a hook."""
        attachment = {"type": kind, "hookEvent": event, "hookName": event, **fields}
        self.session._spoken("attachment", {}, {"attachment": attachment, "message": None})
        return self

    def passed(self, *texts, event="SessionStart"):
        """Record that texts reached the model."""
        return self.attach("hook_additional_context", event, content=list(texts))

    def mined(self, palace, tmp_path):
        """Mine the transcript and return what was noted."""
        mine(palace, self.session.write(tmp_path / "log" / "s1.jsonl"))
        return receipts(palace)


def receipts(palace):
    return [
        (line["of"], line["delivered"], line["characters"], line.get("failed", ""))
        for line in trajectory.events(str(palace))
        if line["hook"] == "delivery" and "of" in line
    ]


def unheard(palace):
    """Return the sessions of which it is noted that no hook of ours ran."""
    return [line["session"] for line in trajectory.events(str(palace)) if line.get("did") == delivery.UNHEARD]


def test_what_was_passed_on_whole_is_noted_beside_what_was_handed_over(palace, tmp_path):
    ran(palace)
    ran(palace, "recall", RECALL)
    told = Client().passed("Somebody else's words.", WAKE_UP).passed(RECALL, event="UserPromptSubmit")
    sizes = len(WAKE_UP), len(RECALL)
    assert told.mined(palace, tmp_path) == [("wake-up", sizes[0], sizes[0], ""), ("recall", sizes[1], sizes[1], "")]


def test_noting_twice_is_noting_once(palace, tmp_path):
    ran(palace)
    client = Client().passed(WAKE_UP)
    first = client.mined(palace, tmp_path)
    client.session.user("And the key?")
    assert client.mined(palace, tmp_path) == first
    with open(tmp_path / "log" / "s1.jsonl", "r+b") as file:
        file.write(b" ")  # another opening: it is read from the start
    mine(palace, tmp_path / "log")
    assert receipts(palace) == first


def test_every_hook_that_hands_words_over_is_known_by_how_the_client_records_it():
    hooks = json.loads((Path(__file__).parents[2] / "hooks" / "hooks.json").read_text())["hooks"]
    for event in set(hooks) & set(delivery.HOOKS):
        for handler in (one for group in hooks[event] for one in group["hooks"]):
            command = handler.get("statusMessage") or " ".join([handler["command"], *handler["args"]])
            record = {"type": "hook_cancelled", "hookEvent": event, "command": command}
            found = [one.hook for one in delivery.handed(record, key="k", at=1)]
            assert found == ([] if "file_away" in handler["args"][-1] else [delivery.HOOKS[event]]), command


@pytest.mark.parametrize(
    ("attachment", "why"),
    [
        pytest.param(
            {"kind": "hook_cancelled", "timedOut": True, "timeoutMs": 10000}, "timed out after 10 s", id="late"
        ),
        pytest.param({"kind": "hook_cancelled", "timedOut": True}, "timed out", id="time untold"),
        pytest.param({"kind": "hook_cancelled"}, "cancelled", id="cancelled"),
        pytest.param({"kind": "hook_non_blocking_error", "stderr": "no\n python"}, "failed: no python", id="failed"),
        pytest.param({"kind": "hook_error_during_execution", "content": "spawn"}, "failed: spawn", id="not started"),
        pytest.param({"kind": "hook_blocking_error"}, "failed", id="untold"),
    ],
)
def test_a_run_that_came_to_nothing_is_noted_with_its_cause(palace, tmp_path, attachment, why):
    ran(palace, "file-away", "")
    client = Client().attach(**attachment, command=COMMAND)
    assert client.mined(palace, tmp_path) == [("wake-up", 0, 0, f"wake-up: {why}")]


def test_a_preview_is_told_from_the_whole(palace, tmp_path):
    ran(palace, text=LONG)
    ((hook, delivered, characters, why),) = Client().passed(PREVIEW).mined(palace, tmp_path)
    assert (hook, characters) == ("wake-up", len(LONG))
    assert 1900 < delivered <= 2000
    assert why == f"wake-up: {delivery.TOO_LONG}"


def test_what_the_client_never_records_is_lost(palace, tmp_path):
    ran(palace, at=BEGAN - 60)
    ran(palace, "recall", RECALL)
    told = Client().passed(RECALL, event="UserPromptSubmit").mined(palace, tmp_path)
    assert ("wake-up", 0, len(WAKE_UP), f"wake-up: {delivery.MISSING}") in told
    assert told == Client().passed(RECALL, event="UserPromptSubmit").mined(palace, tmp_path)


def test_the_same_text_again_is_not_lost(palace, tmp_path):
    ran(palace, at=BEGAN - 90)
    ran(palace, at=BEGAN - 60)
    assert len(Client().passed(WAKE_UP).mined(palace, tmp_path)) == 1


@pytest.mark.parametrize(
    "attachment",
    [
        {"kind": "hook_success", "command": COMMAND, "stdout": WAKE_UP},
        {"kind": "hook_cancelled", "command": "python3 /somewhere/else/wake.py"},
        {"kind": "hook_cancelled", "command": COMMAND, "event": "Stop"},
        {"kind": "hook_additional_context", "content": WAKE_UP},
        {"kind": "hook_additional_context", "content": [3, None, {}]},
        {"kind": "hook_additional_context", "content": ["<persisted-output>\nPreview:\nof another"]},
        {"kind": "hook_system_message", "content": 3},
    ],
)
def test_other_peoples_hooks_are_their_own(palace, tmp_path, attachment):
    ran(palace)
    assert Client().attach(**attachment).mined(palace, tmp_path) == []


def test_what_happened_before_the_trajectory_begins_is_not_noted(palace, tmp_path):
    ran(palace, at=BEGAN + 500)
    assert Client().passed(WAKE_UP).mined(palace, tmp_path) == []


@pytest.mark.parametrize(
    ("session", "at", "noted"),
    [
        pytest.param("other", BEGAN - 5, ["s1"], id="hooks ran elsewhere"),
        pytest.param("s1", BEGAN - 5, [], id="they ran here"),
        pytest.param("other", BEGAN + 5, [], id="they were not there yet"),
    ],
)
def test_a_session_in_which_no_hook_of_ours_ran_is_noted_once(palace, tmp_path, session, at, noted):
    ran(palace, "file-away", "", at=at, session=session)
    for _ in range(2):
        client = Client()
        client.session.agent("The lamp is mended.")
        client.mined(palace, tmp_path)
        (tmp_path / "log" / "s1.jsonl").unlink()
        assert unheard(palace) == noted


def test_where_nothing_was_found_nothing_is_made(palace):
    assert delivery.note(str(palace), [], {}) == 0
    assert not palace.exists()


def test_no_word_of_what_was_passed_on_is_kept(palace, tmp_path):
    ran(palace)
    Client().passed(WAKE_UP).mined(palace, tmp_path)
    lines = (palace / "trajectory.jsonl").read_text().splitlines()
    assert set(json.loads(lines[-1])) == {"at", "hook", "event", "session", "of", "delivered", "characters", "key"}
