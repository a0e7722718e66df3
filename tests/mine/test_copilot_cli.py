import io
import json

import pytest

from mempalace.mine.copilot_cli import HARNESS
from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.transcript import Transcript

WHEN = "2026-01-02T03:04:05.678Z"
AT = 1767323045


def event(kind, data, **more):
    return {"type": kind, "data": data, "id": "e-1", "timestamp": WHEN, "parentId": None, **more}


def read(*records):
    raw = "".join(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)
    return list(HARNESS.read(Transcript("events.jsonl", io.BytesIO(raw.encode()))))


def test_the_session_is_told_where_it_starts():
    context = {"cwd": "/work/app", "branch": "main"}
    assert read(event("session.start", {"sessionId": "s", "context": context})) == [About("s", "/work/app", "main")]


def test_a_changed_folder_is_told():
    assert read(event("session.context_changed", {"cwd": "/tmp", "branch": "dev"})) == [About("", "/tmp", "dev")]


def test_the_human_is_quoted_as_typed_not_as_transformed():
    data = {"content": "Fix it", "transformedContent": "<current_datetime>now</current_datetime>\n\nFix it"}
    assert read(event("user.message", data)) == [Said("human", "Fix it", "e-1", AT, 1)]


def test_a_skills_words_are_not_the_humans():
    assert read(event("user.message", {"content": "Do X", "source": "skill-pdf"})) == [Skipped("user.message")]


def test_the_agent_is_quoted_and_its_requests_are_no_actions_yet():
    data = {
        "messageId": "m-1",
        "content": "I look.",
        "reasoningText": "hm",
        "toolRequests": [{"toolCallId": "c", "name": "bash"}],
    }
    assert read(event("assistant.message", data)) == [Said("agent", "I look.", "m-1", AT, 1)]


def test_an_action_is_what_ran():
    start = {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "make", "description": "build"}}
    assert read(event("tool.execution_start", start)) == [Did("bash", "make", "c", AT, 1)]


@pytest.mark.parametrize(
    ("data", "ok", "error"),
    [
        pytest.param({"success": True, "result": {"content": "fine"}}, True, "", id="success"),
        pytest.param({"success": False, "error": {"message": "denied"}}, False, "denied", id="error"),
        pytest.param(
            {"success": True, "result": {"content": "no rule\n<exited with exit code 2>"}},
            False,
            "no rule\n<exited with exit code 2>",
            id="a shell's exit code",
        ),
        pytest.param(
            {"success": True, "result": {"content": "x\n<exited with exit code 0>"}},
            True,
            "",
            id="exit code 0",
        ),
        pytest.param({"success": True, "result": 7}, True, "", id="an odd result"),
    ],
)
def test_how_an_action_ended(data, ok, error):
    assert read(event("tool.execution_complete", {"toolCallId": "c", **data})) == [Outcome("c", ok, error)]


def test_a_sub_agents_words_and_actions_stand_aside():
    events = read(
        event("assistant.message", {"content": "Found.", "parentToolCallId": "c"}),
        event("tool.execution_start", {"toolCallId": "d", "toolName": "grep"}, agentId="a-1"),
        event("subagent.started", {"agentName": "explore"}),
    )
    assert [getattr(event, "aside", None) for event in events] == [True, True, None]


@pytest.mark.parametrize("kind", ["system.message", "hook.start", "session.shutdown", "new.kind", ""])
def test_everything_else_is_passed_over(kind):
    assert read(event(kind, {"content": "not ours"})) == [Skipped(kind or "event")]


def test_bad_lines_are_told_and_the_rest_is_read():
    events = read("{bad\n", "[]\n", event("user.message", []), event(3, None), event("user.message", {"content": 7}))
    assert [type(found) for found in events] == [Malformed, Malformed, Skipped, Skipped, Skipped]


@pytest.mark.parametrize(
    ("record", "ours"),
    [
        pytest.param(event("session.start", {"sessionId": "s"}), True, id="events"),
        pytest.param({"type": "event_msg", "payload": {}, "timestamp": WHEN}, False, id="codex"),
        pytest.param({"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "2"}, False, id="claude code"),
        pytest.param({"type": "session.start", "id": 1}, False, id="half an envelope"),
    ],
)
def test_events_are_recognised_by_content(record, ours):
    assert HARNESS.recognises("anything", json.dumps(record).encode() + b"\n") is ours
