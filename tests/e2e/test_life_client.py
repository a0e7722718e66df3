"""A session's life in the real client: resumed, compacted, cleared, with a sub-agent, killed, two at once."""

import json
import os
import signal
import threading
import time

import pytest
from model_api import ModelApi, strings, tool
from test_client import CLAUDE, PATIENCE, Machine, mine, outcomes
from transcripts import Session

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

KNOWN = "Decided: the attic's blue key hangs behind the second lantern."
FRAME = "[mempalace] Notes recalled from earlier sessions in attic"


@pytest.fixture
def machine(tmp_path):
    """Return a machine whose palace holds one session of the project."""
    made = Machine(tmp_path)
    session = Session("earlier", cwd=str(made.project))
    session.user("Where does the blue key of the attic hang?")
    session.agent(KNOWN)
    mine(made.palace, session.write(made.home / "log" / "earlier.jsonl"))
    return made


def ran(machine, hook):
    """Return the lines that a hook left in the trajectory."""
    return [line for line in machine.trajectory() if line["hook"] == hook]


def wake_ups(body):
    """Return every text of a request's messages that holds a wake-up."""
    return [text for text in strings(body["messages"]) if FRAME in text]


def until(what, why):
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.05)


def test_a_resumed_session_is_not_told_the_same_twice(machine):
    with ModelApi("It hangs there still.") as api:
        machine.claude(api, "Is the key in its place?")
        machine.filed(4)
        first = wake_ups(api.asked[-1])
        assert len(first) == 1
        machine.claude(api, "And now?", "-c")
        assert [line["event"] for line in ran(machine, "wake-up")] == ["SessionStart"] * 2
        assert set(wake_ups(api.asked[-1])) == set(first)


def test_compacting_says_nothing_to_the_model_and_the_story_is_told_again(machine):
    with ModelApi("The two of us spoke of the key, and it hangs behind the lantern.") as api:
        machine.claude(api, "Is the key in its place?")
        before = len(api.asked)
        events = machine.claude(api, "/compact", "-c")
        assert outcomes(events) <= {("success", 0)}
        assert not [text for body in api.asked[before:] for text in strings(body["messages"]) if "hookSpecific" in text]
        answers = [event for event in events if event.get("hook_event") == "PreCompact"]
        assert {event.get("stdout") or event.get("output") or "" for event in answers} <= {""}
        machine.claude(api, "Go on with the key, please.", "-c")
        assert wake_ups(api.asked[-1])
    assert "PreCompact" in [line["event"] for line in ran(machine, "file-away")]
    assert not [line for line in machine.trajectory() if line.get("failed")]


def test_a_session_that_ends_is_mined_and_its_stop_makes_nobody_go_on(machine):
    with ModelApi("The hinge of the attic's door is replaced, and it turns again.") as api:
        machine.claude(api, "Replace the hinge of the attic's door.")
        asked = [body for body in api.asked if "hinge" in json.dumps(body["messages"])]
        assert len([body for body in asked if body.get("tools")]) == 1
    machine.filed(4)
    assert {line["event"] for line in ran(machine, "file-away")} == {"SessionStart", "Stop", "SessionEnd"}


def test_a_sub_agents_words_are_filed_as_aside(machine):
    def answer(body):
        text = json.dumps(body["messages"])
        if "Count the lanterns of the attic" in text and "Send somebody" not in text:
            return "There are exactly seven lanterns in the attic, all of them lit."
        if "tool_result" in text or not any(one.get("name") in ("Task", "Agent") for one in body.get("tools") or ()):
            return "The count is in: seven."
        name = next(one["name"] for one in body["tools"] if one.get("name") in ("Task", "Agent"))
        return [
            tool(name, description="count", prompt="Count the lanterns of the attic", subagent_type="general-purpose")
        ]

    with ModelApi(answer) as api:
        machine.claude(api, "Send somebody to count them.", "--allowedTools", "Task,Agent")
    machine.filed(4)
    found = json.loads(machine.mempalace("search", "exactly seven lanterns", "--json"))["sources"]
    assert any("sub-agent" in one["heading"] for one in found), found
    assert "exactly seven lanterns" not in machine.mempalace("wake-up")


def test_a_client_that_is_terminated_still_has_its_session_mined(machine):
    held = []

    def answer(body):
        held.append(body)
        time.sleep(3 if "lost" in json.dumps(body["messages"]) and body.get("tools") else 0)
        return "It was found."

    with ModelApi(answer) as api:
        client = machine.started(api, "The ladder of the attic is lost, where could it be?")
        until(lambda: any("ladder" in json.dumps(body["messages"]) for body in held), "the client never asked")
        client.send_signal(signal.SIGTERM)
        client.communicate(timeout=PATIENCE)
        until(lambda: any(line["event"] == "SessionEnd" for line in ran(machine, "file-away")), "no SessionEnd")
        until(lambda: "ladder" in machine.mempalace("search", "ladder lost attic"), "never mined")


def test_a_client_that_is_killed_loses_nothing_that_the_next_start_could_find(machine):
    gone = threading.Event()

    def answer(body):
        if "rope" in json.dumps(body["messages"]) and body.get("tools"):
            gone.wait(PATIENCE)
        return "It was found."

    def written():
        return any("rope" in path.read_text("utf-8") for path in machine.home.glob(".claude/projects/*/*.jsonl"))

    with ModelApi(answer) as api:
        client = machine.started(api, "The rope of the attic is torn, what shall I do?")
        until(written, "the client never wrote")
        client.kill()
        client.communicate(timeout=PATIENCE)
        gone.set()
        machine.claude(api, "Good morning, anything left to do?")
    until(lambda: "rope" in machine.mempalace("search", "rope torn attic"), "never mined")


def test_two_clients_at_once_are_both_told_and_both_mined(machine):
    with ModelApi(lambda body: "Both of us are at work here.") as api:
        both = [machine.started(api, f"Paint the {thing} of the attic, please.") for thing in ("gate", "winch")]
        for client in both:
            _, err = client.communicate(timeout=PATIENCE)
            assert client.returncode == 0, err
        told = {text for body in api.asked for text in wake_ups(body)}
        assert len(told) == 1
    machine.filed(6)
    assert not [line for line in machine.trajectory() if line.get("failed")]
    for thing in ("gate", "winch"):
        assert f"Paint the {thing}" in machine.mempalace("search", f"paint {thing} attic")


def test_a_hook_that_is_killed_half_way_harms_nobody(machine):
    """The wake-up's interpreter is replaced by one that dies as if it were killed."""
    python = machine.bin / "python3"
    real = os.readlink(python)
    python.unlink()
    python.write_text(f'#!/bin/sh\ncase "$*" in *wake_up.py*) kill -9 $$ ;; esac\nexec {real} "$@"\n')
    python.chmod(0o755)
    with ModelApi("Here I am.") as api:
        machine.claude(api, "Is anybody there in the attic tonight?")
        assert not wake_ups(api.asked[-1])
    machine.filed(4)
    assert {line["hook"] for line in machine.trajectory()} - {"delivery"} == {"file-away", "recall"}


def test_the_agent_can_search_deeper_as_the_wake_up_says(machine):
    """The program is on the PATH of the agent's shell, from the plugin's own folder."""

    def answer(body):
        if "tool_result" in json.dumps(body["messages"]) or not body.get("tools"):
            return "It hangs behind the second lantern."
        return [tool("Bash", command="mempalace search blue key", description="search the palace")]

    with ModelApi(answer) as api:
        machine.claude(api, "Where is it?", "--allowedTools", "Bash(mempalace search:*)")
        found = [text for text in strings(api.asked[-1]["messages"]) if text.startswith("[d:")]
    assert KNOWN in found[0]


def test_a_cleared_session_is_told_the_story_again(machine):
    with ModelApi("It is so.") as api:
        machine.claude(api, "Is the key in its place?")
        machine.claude(api, "/clear", "-c")
        machine.claude(api, "Where were we with the attic?")
        assert wake_ups(api.asked[-1])
    assert not [line for line in machine.trajectory() if line.get("failed")]
