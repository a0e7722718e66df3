import io
import json
import os

import pytest

from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.gemini_cli import HARNESS
from mempalace.mine.transcript import Transcript

WHEN = "2026-01-02T03:04:05.678Z"
AT = 1767323045
ID = "0b7e2f4c-1111-4222-8333-0123456789ab"


def message(kind, content, key=ID, **more):
    return {"id": key, "timestamp": WHEN, "type": kind, "content": content, **more}


def session(*messages, **more):
    return {"sessionId": "s-1", "projectHash": "abc", "startTime": WHEN, "messages": list(messages), **more}


def read(raw, path="/nowhere/chats/session-1.json"):
    return list(HARNESS.read(Transcript(path, io.BytesIO(raw.encode("utf-8", "surrogatepass")))))


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


FIRST = {"sessionId": "s-1", "projectHash": "abc", "startTime": WHEN, "kind": "main"}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_session_is_one_json_object_on_one_line_or_many(indent):
    whole = session(message("user", "Hi"), message("gemini", "Hello.", "g" * 36), summary="A greeting")
    assert read(json.dumps(whole, indent=indent)) == [
        About("s-1", title="A greeting"),
        Said("human", "Hi", ID, AT),
        Said("agent", "Hello.", "g" * 36, AT),
    ]


def test_a_session_may_be_a_record_a_line_where_the_last_of_an_id_counts():
    events = read(
        lines(
            FIRST,
            message("user", [{"text": "Hi"}]),
            message("gemini", "Hel", "g" * 36),
            message("gemini", "Hello.", "g" * 36),
            {"$set": {"summary": "A greeting"}},
        )
    )
    assert events == [
        About("s-1", title="A greeting"),
        Said("human", "Hi", ID, AT, 2),
        Said("agent", "Hello.", "g" * 36, AT, 4),
    ]


def test_what_was_rewound_was_not_said():
    events = read(lines(FIRST, message("user", "a", "1" * 36), message("user", "b", "2" * 36), {"$rewindTo": "2" * 36}))
    assert [event.text for event in events if isinstance(event, Said)] == ["a"]


def test_an_id_that_is_no_uuid_is_told_apart_by_its_session():
    assert read(json.dumps(session(message("user", "Hi", "7"))))[1].key == "s-1:7"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("Look", "Look", id="a string"),
        pytest.param([{"text": "Look"}, {"inlineData": {}}], "Look", id="parts"),
        pytest.param(
            [
                {"text": "Look at @a"},
                {"text": "\n--- Content from referenced files ---"},
                {"text": "secret file"},
                {"text": "\n--- End of content ---"},
            ],
            "Look at @a",
            id="a file put beside it",
        ),
        pytest.param("Look\n\n<hook_context>remember</hook_context>", "Look", id="a hook's context"),
        pytest.param("System: Please continue.", None, id="the harness's own nudge"),
        pytest.param({"odd": 1}, None, id="an odd shape"),
    ],
)
def test_what_the_human_typed(content, text):
    events = read(json.dumps(session(message("user", content))))
    assert [event.text for event in events if isinstance(event, Said)] == ([text] if text else [])


def test_what_was_shown_is_what_was_typed():
    events = read(json.dumps(session(message("user", "expanded file", displayContent="Look at @a"))))
    assert events[1].text == "Look at @a"


@pytest.mark.parametrize(
    ("status", "response", "outcome"),
    [
        pytest.param("success", {"output": "ok"}, Outcome("c", True), id="success"),
        pytest.param("error", {"error": "no such file"}, Outcome("c", False, "no such file"), id="error"),
        pytest.param("cancelled", {"error": "stopped"}, Outcome("c", False, "stopped"), id="cancelled"),
        pytest.param(
            "success",
            {"output": "Command: x\nExit Code: 2"},
            Outcome("c", False, "Command: x\nExit Code: 2"),
            id="exit code",
        ),
        pytest.param("executing", {}, None, id="still running"),
    ],
)
def test_a_tool_call_and_how_it_ended(status, response, outcome):
    call = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "status": status,
        "result": [{"functionResponse": {"response": response}}],
    }
    events = read(json.dumps(session(message("gemini", "", toolCalls=[call, "odd"]))))
    assert events[1] == Did("run_shell_command", "make", "c", AT)
    assert events[2:] == ([outcome] if outcome else [])


def test_a_sub_agent_is_filed_under_its_parent_and_marked():
    raw = lines({**FIRST, "kind": "subagent"}, message("gemini", "Found it."))
    events = read(raw, "/home/me/.gemini/tmp/app/chats/parent-1/child.jsonl")
    assert events[0] == About("parent-1")
    assert events[1].aside


def test_the_project_is_known_by_a_file_beside_the_chats(tmp_path):
    (tmp_path / "chats").mkdir()
    (tmp_path / ".project_root").write_text("/work/app\n")
    assert read(json.dumps(session()), str(tmp_path / "chats" / "s.json"))[0].cwd == "/work/app"


def test_a_log_tells_only_what_no_session_file_does(tmp_path):
    os.mkdir(tmp_path / "chats")
    (tmp_path / "chats" / "session-2026-01-02-aaaaaaaa.json").write_text("{}")
    entry = {"messageId": 0, "type": "user", "timestamp": WHEN}
    log = [
        {"sessionId": "aaaaaaaa-1", **entry, "message": "kept elsewhere"},
        {"sessionId": "bbbbbbbb-2", **entry, "message": "only here"},
        {"sessionId": "bbbbbbbb-2", **entry, "message": "/quit"},
        "odd",
    ]
    raw = json.dumps(log)
    assert HARNESS.recognises("logs.json", raw.encode())
    assert read(raw, str(tmp_path / "logs.json")) == [
        Skipped("log"),
        About("bbbbbbbb-2"),
        Said("human", "only here", "bbbbbbbb-2:0", AT),
        Skipped("log"),
        Skipped("log"),
    ]


@pytest.mark.parametrize(
    "raw", ["{", '{"sessionId": 3, "messages": [7, null]}', '{"sessionId":"x"}\n{bad\n', "[", "{}", "", "\n"]
)
def test_broken_sessions_are_told_and_never_fatal(raw):
    assert all(isinstance(event, About | Malformed | Skipped) for event in read(raw))


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(json.dumps(session()).encode(), True, id="a session"),
        pytest.param(json.dumps(session(), indent=2).encode(), True, id="a session on many lines"),
        pytest.param(lines(FIRST).encode(), True, id="a session of records"),
        pytest.param(b'{"type":"user","sessionId":"2","uuid":"1"}', False, id="claude code"),
        pytest.param(b"notes on sessionId and projectHash", False, id="notes"),
    ],
)
def test_a_session_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
