import io
import json

import pytest

from mempalace.mine.cursor_cli import HARNESS, folder_of
from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.transcript import Transcript

PLACE = "/nowhere/.cursor/projects/no-such-folder/agent-transcripts/s-1/s-1.jsonl"


def record(role, *content):
    return {"role": role, "message": {"content": list(content)}}


def text(words):
    return {"type": "text", "text": words}


def read(*records, path=PLACE):
    raw = "".join(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)
    return list(HARNESS.read(Transcript(path, io.BytesIO(raw.encode()))))


def test_a_query_is_taken_out_of_what_the_editor_wraps_around_it():
    words = "<attached_files>\na.py\n</attached_files>\n<user_query>\nFix it\n</user_query>"
    assert read(record("user", text(words))) == [About("s-1"), Said("human", "Fix it", line=1)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param("Just words", ["Just words"], id="no wrapping"),
        pytest.param("<system_reminder>\nx\n</system_reminder>", [], id="nothing but a reminder"),
        pytest.param("<user_query>\nnever closed", ["never closed"], id="an open query"),
        pytest.param("  \n", [], id="blank"),
    ],
)
def test_what_the_human_typed(words, told):
    assert [event.text for event in read(record("user", text(words))) if isinstance(event, Said)] == told


def test_the_mark_of_a_hidden_thought_is_no_prose():
    events = read(record("assistant", text("[REDACTED]"), text("Done.\n\n[REDACTED]")))
    assert events[1:] == [Skipped("text"), Said("agent", "Done.", line=1)]


def test_tool_calls_and_their_ends():
    events = read(
        record("assistant", {"type": "tool_use", "name": "Shell", "id": "c", "input": {"command": "make"}}),
        record("user", {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": "no rule"}),
        record("assistant", {"type": "thinking", "thinking": "hm"}),
    )
    assert events[1] == Did("Shell", "make", "c", line=1)
    assert events[2:] == [Outcome("c", False, "no rule"), Skipped("thinking")]


def test_a_sub_agent_is_filed_under_its_parent_and_marked():
    path = PLACE.replace("s-1.jsonl", "subagents/child.jsonl")
    about, said = read(record("assistant", text("Found.")), path=path)
    assert about == About("s-1")
    assert said.aside


def test_the_folder_is_found_again_from_its_flattened_name(tmp_path):
    folder = tmp_path / "my-app_2"
    folder.mkdir()
    slug = "-".join(part.replace("_", "-") for part in folder.parts[1:])
    assert folder_of(slug) == str(folder)
    assert folder_of("no-such-folder-anywhere") == ""


def test_old_transcripts_are_text():
    old = (
        "user:\n<user_query>\nFix it\n</user_query>\n\nassistant:\n[Thinking] hm\n"
        "[Tool call] Shell\n  command: make\n"
        "\n[Tool result] Shell\nfailed\n\nassistant:\nDone.\n\nuser:\n<system_reminder>x</system_reminder>\n"
    )
    assert HARNESS.recognises("x.txt", old.encode())
    events = read(old, path="/x/agent-transcripts/s.txt")
    assert [event for event in events if not isinstance(event, Skipped)] == [
        About("s", ""),
        Said("human", "Fix it"),
        Did("Shell", "make"),
        Said("agent", "Done."),
    ]


def test_bad_lines_are_told_and_the_rest_is_read():
    events = read("{bad\n", {"type": "turn_ended"}, {"role": "user"}, record("user", 7, None, {"type": 3}))
    assert [type(event) for event in events] == [
        About,
        Malformed,
        Skipped,
        Skipped,
        Skipped,
        Skipped,
        Skipped,
    ]


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        pytest.param(record("user", text("x")), True, id="a transcript"),
        pytest.param({**record("user", text("x")), "uuid": "1", "sessionId": "2"}, False, id="claude code"),
        pytest.param({"type": "message", "role": "user", "content": []}, False, id="codex"),
        pytest.param({"role": "system", "message": {"content": []}}, False, id="another role"),
    ],
)
def test_a_transcript_is_recognised_by_content(line, ours):
    assert HARNESS.recognises("anything", json.dumps(line).encode() + b"\n") is ours
