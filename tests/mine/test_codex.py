import io
import json

import pytest

from mempalace.mine.codex import HARNESS
from mempalace.mine.events import About, Did, Malformed, Outcome, Said, Skipped
from mempalace.mine.transcript import Transcript

WHEN = "2026-01-02T03:04:05.678Z"
AT = 1767323045


def line(kind, payload):
    return json.dumps({"timestamp": WHEN, "type": kind, "payload": payload})


def asked(*texts, **more):
    content = [{"type": "input_text", "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": "user", "content": content, **more})


def answered(text, **more):
    content = [{"type": "output_text", "text": text}]
    return line("response_item", {"type": "message", "role": "assistant", "content": content, **more})


def event(kind, **more):
    return line("event_msg", {"type": kind, **more})


def item(kind, **more):
    return event("item_completed", item={"type": kind, **more})


def call(name, key, **arguments):
    record = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": key}
    return line("response_item", record)


def output(key, text):
    return line("response_item", {"type": "function_call_output", "call_id": key, "output": text})


def read(*lines, offset=0, number=0):
    raw = "".join(f"{text}\n" for text in lines).encode("utf-8", "surrogatepass")
    return list(HARNESS.read(Transcript("rollout.jsonl", io.BytesIO(raw), offset=offset, line=number)))


def said(events):
    return [(event.role, event.text) for event in events if isinstance(event, Said)]


META = line("session_meta", {"id": "s-1", "cwd": "/work/app", "git": {"branch": "main"}, "instructions": "Be nice"})


def test_the_session_is_told_by_its_first_line():
    assert read(META) == [About("s-1", "/work/app", "main")]


def test_a_message_and_its_event_are_one_and_keep_the_models_id():
    events = read(
        asked("Fix it"),
        event("user_message", message="Fix it"),
        event("agent_message", message="Done."),
        answered("Done.", id="msg_1"),
    )
    assert said(events) == [("human", "Fix it"), ("agent", "Done.")]
    assert [event.key for event in events if isinstance(event, Said)] == ["", "msg_1"]
    assert {event.at for event in events if isinstance(event, Said)} == {AT}


def test_saying_the_same_twice_is_saying_it_twice():
    turn = [asked("yes"), event("user_message", message="yes")]
    assert said(read(*turn, *turn)) == [("human", "yes"), ("human", "yes")]


def test_completed_items_are_read_where_nothing_else_tells():
    events = read(
        item("UserMessage", id="u-1", content=[{"type": "text", "text": "Plan it"}]),
        item("AgentMessage", id="a-1", content=[{"type": "Text", "text": "Planned."}]),
        item("Plan", id="p-1", text="1. think"),
        item("Reasoning", id="r-1", summary_text=["hm"]),
        item("CommandExecution", id="c-1", command=["bash", "-lc", "make"], exit_code=2, stderr="no rule"),
    )
    assert said(events) == [("human", "Plan it"), ("agent", "Planned."), ("agent", "1. think")]
    assert Skipped("Reasoning") in events
    assert events[-2][:3] == ("shell", "make", "c-1")
    assert events[-1] == Outcome("c-1", False, "no rule")


def test_a_completed_item_and_its_message_are_one():
    copies = [
        item("AgentMessage", id="x", content=[{"type": "Text", "text": "Hi"}]),
        answered("Hi", id="msg_2"),
    ]
    assert said(read(*copies)) == said(read(*copies[::-1])) == [("agent", "Hi")]


@pytest.mark.parametrize("cut", range(1, 6))
def test_reading_on_after_any_line_files_nothing_twice_and_loses_nothing(cut):
    lines = [
        META,
        asked("Go"),
        event("user_message", message="Go"),
        event("agent_message", message="Gone."),
        answered("Gone.", id="msg_3"),
        answered("And more."),
    ]
    offset = sum(len(text.encode()) + 1 for text in lines[:cut])
    twice = said(read(*lines[:cut])) + said(read(*lines, offset=offset, number=cut))
    assert twice == said(read(*lines))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", id="environment"),
        pytest.param("<user_instructions>\nobey\n</user_instructions>", id="instructions"),
        pytest.param("<permissions instructions>\nask\n</permissions instructions>", id="permissions"),
        pytest.param("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nrun\n</INSTRUCTIONS>", id="agents file"),
        pytest.param("<turn_aborted>\nstopped\n</turn_aborted>", id="aborted turn"),
        pytest.param("<skill>\n<name>x</name>\nbody\n</skill>", id="skill"),
        pytest.param("<user_shell_command>\n<result>..</result>\n</user_shell_command>", id="shell output"),
        pytest.param("<external_notes>a</external_notes>", id="additional context"),
        pytest.param("<hook_prompt hook_run_id='1'>go on</hook_prompt>", id="hook"),
        pytest.param("<image name=[Image #1]>", id="image marker"),
        pytest.param("Warning: apply_patch was requested via exec_command.", id="warning"),
    ],
)
def test_what_codex_says_in_the_users_name_is_no_prose(text):
    assert read(asked(text)) == [Skipped("injected")]
    assert said(read(asked(text, "But this is mine"))) == [("human", "But this is mine")]


def test_what_a_human_quotes_stays():
    text = "What is <environment_context> for? </environment_context> is all I see, then nothing"
    assert said(read(asked(text))) == [("human", text)]


def test_an_editors_context_goes_and_the_request_stays():
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nRename it\n"
    assert said(read(asked(text))) == [("human", "Rename it")]


def test_developers_system_prompts_and_thoughts_are_no_prose():
    message = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "rules"}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    events = read(line("response_item", message), line("response_item", thought), line("compacted", {}))
    assert events == [Skipped("message"), Skipped("reasoning"), Skipped("compacted")]


@pytest.mark.parametrize(
    ("text", "ok", "error"),
    [
        pytest.param("Exit code: 0\nWall time: 0 seconds\nOutput:\nfine", True, "", id="exit code 0"),
        pytest.param("Chunk ID: 1\nProcess exited with code 2\nOutput:\nno rule", False, "no rule", id="exit 2"),
        pytest.param("Process exited with code 1\nOutput:\n", False, "", id="exit 1 without a word"),
        pytest.param("Process exited with code 0\nOutput:\nExit code: 9", True, "", id="output says a code"),
        pytest.param('{"output":"bad","metadata":{"exit_code":1}}', False, "bad", id="json, exit code 1"),
        pytest.param('{"output":"good","metadata":{"exit_code":0}}', True, "", id="json, exit code 0"),
        pytest.param({"content": "denied", "success": False}, False, "denied", id="no success"),
        pytest.param([{"type": "input_text", "text": "pic"}], True, "", id="blocks"),
        pytest.param("aborted by user after 3s", False, "aborted by user after 3s", id="aborted"),
        pytest.param(None, True, "", id="nothing"),
    ],
)
def test_how_a_call_ended(text, ok, error):
    assert read(output("c", text)) == [Outcome("c", ok, error)]


@pytest.mark.parametrize(
    ("record", "tool", "target"),
    [
        pytest.param(
            {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls -l"]}'},
            "shell",
            "ls -l",
            id="shell as a function",
        ),
        pytest.param(
            {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls", "-l"]}},
            "shell",
            "ls -l",
            id="local shell",
        ),
        pytest.param(
            {
                "type": "custom_tool_call",
                "name": "apply_patch",
                "input": "*** Begin Patch\n*** Add File: a.py\n+1",
            },
            "apply_patch",
            "a.py",
            id="patch",
        ),
        pytest.param(
            {"type": "web_search_call", "action": {"type": "search", "query": "cats"}},
            "web_search",
            "cats",
            id="web search",
        ),
        pytest.param({"type": "function_call", "name": 7, "arguments": "{broken"}, "", "{broken", id="odd types"),
    ],
)
def test_what_a_tool_call_acts_on(record, tool, target):
    (found,) = read(line("response_item", {**record, "call_id": "c"}))
    assert found == Did(tool, target, "c", AT, 1, 0)


def test_a_call_told_twice_is_one_call():
    events = read(
        call("exec_command", "c-1", cmd="make"),
        output("c-1", "Exit code: 0\nOutput:\n"),
        event("exec_command_end", call_id="c-1", command=["make"], exit_code=0),
    )
    assert [type(event) for event in events] == [Did, Outcome]


def test_an_mcp_call_known_by_its_event_alone():
    events = read(
        event(
            "mcp_tool_call_end",
            call_id="m",
            invocation={"server": "s", "tool": "fetch", "arguments": {"url": "http://a"}},
            result={"Err": "timed out"},
        )
    )
    assert events == [Did("fetch", "http://a", "m", AT, 1, 0), Outcome("m", False, "timed out")]


def test_a_sub_agents_rollout_is_filed_under_its_parent_also_when_read_on():
    meta = {"id": "child", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "s-1"}}}, "cwd": "/x"}
    first = line("session_meta", meta)
    assert read(first)[0] == About("s-1", "/x")
    assert read(first, answered("Hi"))[-1].aside
    later = read(first, answered("Hi"), answered("Ho"), offset=len(first) + len(answered("Hi")) + 2, number=2)
    assert [(event.text, event.aside) for event in later] == [("Ho", True)]


def test_a_forks_second_session_line_is_its_parents():
    assert read(META, line("session_meta", {"id": "parent"})) == [
        About("s-1", "/work/app", "main"),
        Skipped("session_meta"),
    ]


def test_a_changed_folder_is_told_once():
    turns = [line("turn_context", {"cwd": folder}) for folder in ("/work/app", "/tmp", "/tmp")]
    assert read(META, *turns)[1:] == [Skipped("turn_context"), About(cwd="/tmp"), Skipped("turn_context")]


def test_rollouts_of_2025_stand_bare_on_their_lines():
    events = read(
        '{"id":"old","timestamp":"2025-05-01T00:00:00Z","instructions":null,"git":{"branch":"dev"}}',
        '{"record_type":"state"}',
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}',
        '{"type":"function_call","name":"shell","arguments":"{\\"command\\":[\\"ls\\"]}","call_id":"c"}',
    )
    assert events[0] == About("old", "", "dev")
    assert events[1] == Skipped("state")
    assert said(events) == [("human", "Hello")]
    assert events[-1][:3] == ("shell", "ls", "c")


def test_the_oldest_rollouts_are_one_json_object():
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    whole = json.dumps({"session": {"id": "o", "timestamp": WHEN}, "items": [message, 3]}, indent=2)
    raw = whole.encode()
    assert HARNESS.recognises("rollout.json", raw)
    events = list(HARNESS.read(Transcript("rollout.json", io.BytesIO(raw))))
    assert events[0] == About("o")
    assert said(events) == [("human", "Hi")]
    assert isinstance(events[-1], Malformed)


def test_bad_lines_are_told_and_the_rest_is_read():
    events = read("{nonsense", "[1]", '{"type":7}', answered("\ud83d lone"))
    assert [type(event) for event in events] == [Malformed, Malformed, Skipped, Said]


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(META.encode(), True, id="a rollout"),
        pytest.param(META.encode()[:70], True, id="its first line cut off"),
        pytest.param(b'{"type":"user","uuid":"1","sessionId":"2","message":{}}', False, id="claude code"),
        pytest.param(b'{"type":"user.message","data":{},"id":"1","parentId":null}', False, id="copilot"),
        pytest.param(b'{"role":"user","message":{"content":[]}}', False, id="cursor"),
        pytest.param(b"# notes\n", False, id="markdown"),
        pytest.param(b"", False, id="empty"),
    ],
)
def test_a_rollout_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
