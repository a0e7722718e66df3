"""Whatever a file holds, a reader says what it is; it never raises."""

import io
import json
import re
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.transcript import Transcript

NAMES = ["codex", "copilot_cli", "gemini_cli", "cursor_cli", "opencode"]
NAMES += ["chatgpt", "claude_ai", "specstory", "aider", "plain"]
READERS = [import_module(f"mempalace.mine.{name}").HARNESS for name in NAMES]
KINDS = (About, Did, Malformed, Outcome, Said, Skipped)
WORDS = re.findall(
    r"\S+",
    """type payload message role user assistant content text id timestamp session_meta response_item
event_msg function_call function_call_output custom_tool_call local_shell_call call_id arguments
output action command name item_completed item AgentMessage UserMessage CommandExecution
exec_command_end mcp_tool_call_end invocation result source subagent thread_spawn cwd git branch
instructions session items data toolCallId success error toolName session.start user.message
assistant.message tool.execution_start tool.execution_complete parentId context sessionId
projectHash messages kind toolCalls args status gemini $set $rewindTo displayContent
functionResponse info parts part tool state input metadata exit summary parentID time created
directory title synthetic callID mapping current_node parent children author create_time
content_type multimodal_text recipient chat_messages sender human tool_use tool_result tool_use_id
is_error uuid input_text output_text""",
)
SCRAPS = re.findall(
    r"\S+",
    """_**User**_ _**Assistant**_ _**Agent_(x)**_ --- ``` ```bash ```diff <tool-use </tool-use> <think>
</think> <details> <summary> </summary> </details> <!--_Generated_by_SpecStory_-->
#_aider_chat_started_at_ ####_ >_ # ## <user_query> </user_query> user: assistant: [Tool_call]
<environment_context> </environment_context> {" [{" "}] "mapping":{ "chat_messages":[ "children"
\ud83d \x00 \u2028 \r""",
)

words = st.sampled_from(WORDS)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), words)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=6)),
    max_leaves=25,
)
scraps = st.lists(st.one_of(st.sampled_from(SCRAPS), st.text(max_size=5)), max_size=40)


def check(reader, raw, path="/nowhere/chats/x.md", **start):
    assert isinstance(reader.recognises(path, raw[:65536]), bool)
    for event in reader.read(Transcript(path, io.BytesIO(raw), **start)):
        assert isinstance(event, KINDS)
        if isinstance(event, Said):
            assert event.role in ("human", "agent")
            assert isinstance(event.key, str)
            assert event.text.strip()
        if isinstance(event, Said | Did):
            assert isinstance(event.at, int)
            assert isinstance(event.line, int)
            assert event.aside in (True, False)
        strings = [value for value in event if not isinstance(value, int)]
        assert all(isinstance(value, str) for value in strings)


@pytest.mark.parametrize("reader", READERS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(value=values)
def test_any_json_value(reader, value):
    check(reader, json.dumps(value).encode())


@pytest.mark.parametrize("reader", READERS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(records=st.lists(st.dictionaries(words, values, max_size=8), max_size=6), cut=st.integers(0, 60))
def test_any_json_lines_and_a_torn_end(reader, records, cut):
    raw = "\n".join(json.dumps(record) for record in records).encode()
    check(reader, raw)
    check(reader, raw[: len(raw) - cut])


@pytest.mark.parametrize("reader", READERS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(pieces=scraps, glue=st.sampled_from(["\n", "\n\n", " ", "  \n"]))
def test_any_scraps_of_markdown(reader, pieces, glue):
    text = glue.join(pieces).replace("_chat", " chat").replace("#_", "# ").replace(">_", "> ")
    check(reader, text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("reader", READERS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(raw=st.binary(max_size=300))
def test_any_bytes(reader, raw):
    check(reader, raw)


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader.grows], ids=lambda reader: reader.name)
@settings(max_examples=40, deadline=None)
@given(records=st.lists(st.dictionaries(words, values, max_size=8), min_size=1, max_size=6), data=st.data())
def test_reading_on_from_any_line(reader, records, data):
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    number = data.draw(st.integers(0, len(lines)))
    check(reader, b"".join(lines), offset=sum(map(len, lines[:number])), line=number)


DEEP = b'{"payload":' * 100_000
TALK = {
    "codex": b'{"timestamp":"","type":"session_meta","payload":{"id":"1"}}\n',
    "copilot_cli": b'{"type":"session.start","data":{},"id":"1","timestamp":"","parentId":null}\n',
    "gemini_cli": b'{"sessionId":"1","projectHash":"2","messages":[]}',
    "cursor_cli": b'{"role":"user","message":{"content":[]}}\n',
    "opencode": b'{"id":"ses_1","title":""}',
    "chatgpt": b'[{"mapping":{"a":{"children":[]}}}]',
    "claude_ai": b'[{"uuid":"1","chat_messages":[]}]',
    "specstory": b"<!-- Generated by SpecStory -->\n",
    "aider": b"\n# aider chat started at 2026-01-02 03:04:05\n",
    "plain": b"# Notes\n",
}
LOST = [
    pytest.param(DEEP, id="deep JSON"),
    pytest.param(b"<tool-use>\n" * 20_000, id="blocks never closed"),
    pytest.param(b"```\n---\n\n" * 20_000, id="fences and rules"),
    pytest.param(b"<user_query>" * 20_000, id="queries never closed"),
    pytest.param(b"#" + b" \t" * 50_000 + b"x", id="a heading of blanks"),
    pytest.param(b"\0" * 10_291, id="NUL bytes"),
    pytest.param(b'{"a":"' + b"x" * 1_000_000, id="a torn long line"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("raw", LOST)
def test_hostile_files_are_read_in_no_time(name, raw):
    reader = READERS[NAMES.index(name)]
    check(reader, TALK[name] + raw)
    check(reader, raw)


@pytest.mark.parametrize("name", NAMES)
def test_each_format_is_recognised_by_one_reader_alone(name):
    head = TALK[name]
    path = "x.md" if name == "plain" else "x.jsonl"
    assert [reader.name for reader in READERS if reader.recognises(path, head)] == [name.replace("_", "-")]


@pytest.mark.parametrize("reader", READERS, ids=NAMES)
def test_claude_codes_transcripts_are_left_to_another_reader(reader):
    head = b'{"type":"user","sessionId":"1","uuid":"2","message":{"role":"user","content":"hi"}}\n'
    assert not reader.recognises("x.jsonl", head)
