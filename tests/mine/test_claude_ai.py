import io
import json

import pytest

from mempalace.mine.claude_ai import HARNESS
from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.transcript import Transcript

WHEN = "2026-01-02T03:04:05.678901Z"
AT = 1767323045


def message(sender, *content, text="", **more):
    return {
        "uuid": f"u-{sender}",
        "sender": sender,
        "text": text,
        "content": list(content),
        "created_at": WHEN,
        **more,
    }


def conversation(*messages, **more):
    return {"uuid": "c-1", "name": "Red", "chat_messages": list(messages), **more}


def read(value):
    raw = value if isinstance(value, str) else json.dumps(value)
    return list(HARNESS.read(Transcript("conversations.json", io.BytesIO(raw.encode()))))


def words(text):
    return {"type": "text", "text": text}


def test_a_conversation_is_a_session_and_its_messages_are_prose():
    talk = conversation(message("human", words("What is red?")), message("assistant", words("A colour.")))
    assert read([talk]) == [
        About("c-1", title="Red"),
        Said("human", "What is red?", "u-human", AT),
        Said("agent", "A colour.", "u-assistant", AT),
    ]


def test_the_oldest_exports_have_text_alone():
    assert read([conversation(message("human", text="What is red?"))])[1].text == "What is red?"


def test_text_that_repeats_its_blocks_is_told_once():
    events = read([conversation(message("human", words("Once"), text="Once"))])
    assert [event.text for event in events if isinstance(event, Said)] == ["Once"]


def test_each_conversation_of_an_export_is_a_session():
    events = read([conversation(), conversation(uuid="c-2", name="")])
    assert events == [About("c-1", title="Red"), About("c-2")]


def test_attachments_thoughts_and_tools_are_no_prose():
    talk = message(
        "assistant",
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "id": "t", "name": "web_search", "input": {"query": "red"}},
        {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": [words("no net")]},
        words("Red."),
        attachments=[{"file_name": "a.txt", "extracted_content": "pasted"}],
    )
    assert read([conversation(talk)])[1:] == [
        Skipped("thinking"),
        Did("web_search", "red", "t", AT),
        Outcome("t", False, "no net"),
        Said("agent", "Red.", "u-assistant", AT),
    ]


@pytest.mark.parametrize(
    "raw",
    ["{", "[]", "[1]", '[{"chat_messages":[1,{"sender":"robot"},{"sender":"human","content":7}]}]', "null"],
)
def test_broken_exports_are_told_and_never_fatal(raw):
    assert all(isinstance(event, About | Malformed | Skipped) for event in read(raw))


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(json.dumps([conversation()]).encode(), True, id="an export"),
        pytest.param(json.dumps([conversation()], indent=1).encode(), True, id="on many lines"),
        pytest.param(b'[{"title":"x","mapping":{"a":{"children":[]}}}]', False, id="chatgpt"),
    ],
)
def test_an_export_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
