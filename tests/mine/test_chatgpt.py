import io
import json

import pytest

from mempalace.mine.chatgpt import HARNESS
from mempalace.mine.events import About, Did, Malformed, Said, Skipped
from mempalace.mine.transcript import Transcript

AT = 1767323045


def node(parent, role, *parts, kind="text", at=AT + 0.5, **more):
    content = {"content_type": kind, "parts": list(parts)}
    message = {"id": f"{role}-{at}", "author": {"role": role}, "create_time": at, "content": content, **more}
    return {"parent": parent, "children": [], "message": message}


def conversation(nodes, last, **more):
    nodes = {"root": {"parent": None, "children": [], "message": None}, **nodes}
    for name, value in nodes.items():
        if value["parent"]:
            nodes[value["parent"]]["children"].append(name)
    return {"title": "Red", "id": "c-1", "mapping": nodes, "current_node": last, **more}


def read(value):
    raw = value if isinstance(value, str) else json.dumps(value)
    return list(HARNESS.read(Transcript("conversations.json", io.BytesIO(raw.encode()))))


def texts(events):
    return [event.text for event in events if isinstance(event, Said)]


TALK = {
    "q": node("root", "user", "What is red?"),
    "a1": node("q", "assistant", "A colour."),
    "a2": node("q", "assistant", "A band."),
    "q2": node("a1", "user", "Thanks", at=AT + 60),
}


def test_a_conversation_is_the_branch_last_looked_at():
    assert read([conversation(TALK, "q2")]) == [
        About("c-1", title="Red"),
        Said("human", "What is red?", f"user-{AT + 0.5}", AT),
        Said("agent", "A colour.", f"assistant-{AT + 0.5}", AT),
        Said("human", "Thanks", f"user-{AT + 60}", AT + 60),
    ]
    assert texts(read([conversation(TALK, "a2")])) == ["What is red?", "A band."]


@pytest.mark.parametrize("last", [None, "gone", 7, ["q"]])
def test_where_none_was_last_looked_at_the_newest_answers_branch_is_it(last):
    assert texts(read([conversation(TALK, last)])) == ["What is red?", "A colour.", "Thanks"]


def test_each_conversation_of_an_export_is_a_session():
    export = [conversation(TALK, "a2"), conversation(TALK, "a2", id="c-2", conversation_id="c-3")]
    assert [event.session for event in read(export) if isinstance(event, About)] == ["c-1", "c-3"]


def test_a_conversation_alone_is_an_export_too():
    assert texts(read(conversation(TALK, "a2"))) == ["What is red?", "A band."]


@pytest.mark.parametrize(
    ("role", "more"),
    [
        pytest.param("system", {}, id="a system prompt"),
        pytest.param("tool", {"kind": "execution_output"}, id="a tool's output"),
        pytest.param("user", {"kind": "user_editable_context"}, id="custom instructions"),
        pytest.param("assistant", {"kind": "thoughts"}, id="thoughts"),
        pytest.param("user", {"metadata": {"is_visually_hidden_from_conversation": True}}, id="hidden"),
        pytest.param("critic", {}, id="an unknown role"),
    ],
)
def test_what_nobody_said(role, more):
    events = read([conversation({"x": node("root", role, "words", **more)}, "x")])
    assert [type(event) for event in events] == [About, Skipped]


def test_a_call_of_a_tool_is_an_action():
    talk = {"x": node("root", "assistant", "print(1)", recipient="python")}
    assert read([conversation(talk, "x")])[1] == Did("python", "print(1)", f"assistant-{AT + 0.5}", AT)


def test_pictures_leave_their_words():
    talk = {"x": node("root", "user", {"content_type": "image_asset_pointer"}, "What is it?", kind="multimodal_text")}
    assert texts(read([conversation(talk, "x")])) == ["What is it?"]


def test_a_tree_that_bites_its_tail_ends():
    nodes = {"a": node("b", "user", "A"), "b": node("a", "assistant", "B")}
    assert texts(read([{"mapping": nodes, "current_node": "a"}])) == ["B", "A"]


@pytest.mark.parametrize(
    "raw",
    [
        "{",
        "[]",
        "[1,null]",
        '[{"mapping":{"a":7},"current_node":"a"}]',
        '[{"mapping":{"a":{"message":[]}}}]',
        "7",
    ],
)
def test_broken_exports_are_told_and_never_fatal(raw):
    assert all(isinstance(event, About | Malformed | Skipped) for event in read(raw))


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(json.dumps([conversation(TALK, "q2")]).encode(), True, id="an export"),
        pytest.param(b'[{"uuid":"1","chat_messages":[]}]', False, id="claude.ai"),
        pytest.param(rb'{"text":"a \"mapping\": {\"children\": []}"}', False, id="talk about an export"),
    ],
)
def test_an_export_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
