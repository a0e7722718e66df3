import json
import sqlite3
from contextlib import closing

import pytest

from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.opencode import HARNESS
from mempalace.mine.transcript import Transcript

CREATED = 1767323045678
AT = 1767323045
SESSION = {"id": "ses_1", "title": "Red buttons", "directory": "/work/app", "time": {"created": CREATED}}
TOOL = {
    "type": "tool",
    "tool": "bash",
    "callID": "c",
    "state": {
        "status": "completed",
        "input": {"command": "make"},
        "output": "no rule",
        "metadata": {"exit": 2},
    },
}


def message(role, **more):
    return {"id": f"msg_{role}", "role": role, "time": {"created": CREATED}, **more}


def read(path):
    with open(path, "rb") as handle:
        return list(HARNESS.read(Transcript(str(path), handle)))


def put(path, record):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    return path


def export(tmp_path, *messages, **more):
    messages = [{"info": info, "parts": parts} for info, parts in messages]
    return put(tmp_path / "export.json", {"info": {**SESSION, **more}, "messages": messages})


TALK = [
    About("ses_1", "/work/app", title="Red buttons"),
    Said("human", "Make it red", "msg_user", AT),
    Said("agent", "Red.", "msg_assistant", AT),
    Did("bash", "make", "c", AT),
    Outcome("c", False, "no rule"),
]


def test_a_session_file_is_read_with_the_messages_and_parts_beside_it(tmp_path):
    path = put(tmp_path / "storage/session/p/ses_1.json", SESSION)
    put(tmp_path / "storage/message/ses_1/msg_assistant.json", message("assistant"))
    put(tmp_path / "storage/message/ses_1/msg_user.json", message("user", time={"created": CREATED}))
    put(tmp_path / "storage/part/msg_user/prt_1.json", {"type": "text", "text": "Make it red"})
    put(tmp_path / "storage/part/msg_assistant/prt_2.json", {"type": "text", "text": "Red."})
    put(tmp_path / "storage/part/msg_assistant/prt_3.json", TOOL)
    events = read(path)
    assert sorted(events, key=TALK.index) == TALK  # these ids are not in the order of time


def test_the_oldest_layout_keeps_everything_below_session(tmp_path):
    path = put(tmp_path / "storage/session/info/ses_1.json", SESSION)
    put(tmp_path / "storage/session/message/ses_1/msg_user.json", message("user"))
    put(tmp_path / "storage/session/part/ses_1/msg_user/prt_1.json", {"type": "text", "text": "Make it red"})
    assert read(path) == TALK[:2]


def test_a_broken_part_is_told_and_the_rest_is_read(tmp_path):
    path = put(tmp_path / "storage/session/p/ses_1.json", SESSION)
    put(tmp_path / "storage/message/ses_1/msg_0.json", "{broken")
    put(tmp_path / "storage/message/ses_1/msg_user.json", message("user"))
    put(tmp_path / "storage/part/msg_user/prt_0.json", "[")
    put(tmp_path / "storage/part/msg_user/prt_1.json", {"type": "text", "text": "Make it red"})
    assert [type(event) for event in read(path)] == [About, Malformed, Malformed, Said]


def test_an_export_is_one_json_object(tmp_path):
    talk = [
        (message("user"), [{"type": "text", "text": "Make it red"}]),
        (message("assistant"), [{"type": "text", "text": "Red."}, TOOL]),
    ]
    assert read(export(tmp_path, *talk)) == TALK


def database(path, schema=True):
    with closing(sqlite3.connect(path)) as connection:
        if schema:
            connection.executescript(
                "CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,"
                " time_created INT);"
                "CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT);"
                "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INT, data TEXT);"
            )
            rows = [("prt_1", "msg_user", {"type": "text", "text": "Make it red"})]
            rows += [
                ("prt_2", "msg_assistant", {"type": "text", "text": "Red."}),
                ("prt_3", "msg_assistant", TOOL),
            ]
            connection.execute("INSERT INTO session VALUES ('ses_1', 'p', NULL, '/work/app', 'Red buttons', 1)")
            for number, role in enumerate(("user", "assistant")):
                data = json.dumps({"role": role, "time": {"created": CREATED}})
                connection.execute("INSERT INTO message VALUES (?, 'ses_1', ?, ?)", (f"msg_{role}", number, data))
            for part, of, data in rows:
                connection.execute("INSERT INTO part VALUES (?, ?, 'ses_1', 1, ?)", (part, of, json.dumps(data)))
        else:
            connection.execute("CREATE TABLE other (x)")
        connection.commit()
    return path


def test_a_database_is_read_where_it_lies(tmp_path):
    path = database(tmp_path / "opencode.db")
    before = path.read_bytes()
    assert HARNESS.recognises(str(path), before[:65536])
    assert read(path) == TALK
    assert path.read_bytes() == before


def test_a_database_of_another_kind_is_told(tmp_path):
    (found,) = read(database(tmp_path / "opencode.db", schema=False))
    assert isinstance(found, Malformed)


def test_a_database_that_is_cut_off_is_told(tmp_path):
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"\0" * 50)
    (found,) = read(path)
    assert isinstance(found, Malformed)


@pytest.mark.parametrize(
    ("info", "part"),
    [
        pytest.param({}, {"type": "text", "text": "file content", "synthetic": True}, id="put in by the harness"),
        pytest.param({}, {"type": "text", "text": "x", "ignored": True}, id="ignored"),
        pytest.param({}, {"type": "reasoning", "text": "hm"}, id="a thought"),
        pytest.param({}, {"type": "file", "source": {"text": "y"}}, id="a file"),
        pytest.param({"summary": True}, {"type": "text", "text": "so far"}, id="a compaction's summary"),
        pytest.param({"role": "system"}, {"type": "text", "text": "rules"}, id="a system prompt"),
        pytest.param({}, {"type": "text", "text": 7}, id="odd text"),
        pytest.param({}, 7, id="an odd part"),
    ],
)
def test_what_nobody_said(tmp_path, info, part):
    events = read(export(tmp_path, ({**message("assistant"), **info}, [part])))
    assert [type(event) for event in events] == [About, Skipped]


def test_a_sub_agents_session_is_filed_under_its_parent_and_marked(tmp_path):
    talk = (message("assistant"), [{"type": "text", "text": "Found."}])
    about, said = read(export(tmp_path, talk, id="ses_2", parentID="ses_1"))
    assert about == About("ses_1", "/work/app")
    assert said.aside


@pytest.mark.parametrize("raw", ["{", "[]", "7", '{"id": "ses_1"}', '{"id":"ses_1","messages":[1,{"parts":[2]}]}'])
def test_broken_sessions_are_told_and_never_fatal(tmp_path, raw):
    path = put(tmp_path / "ses_1.json", raw)
    assert all(isinstance(event, About | Malformed | Skipped) for event in read(path))


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(json.dumps(SESSION, indent=2).encode(), True, id="a session"),
        pytest.param(json.dumps({"info": SESSION}).encode(), True, id="an export"),
        pytest.param(json.dumps(message("user")).encode(), False, id="a message"),
        pytest.param(b"SQLite format 3\0 other tables", False, id="another database"),
    ],
)
def test_a_session_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
