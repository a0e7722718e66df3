"""The real client: a rule that a user once stated is told when a later session is about to break it."""

import json
import re
import time
from datetime import UTC, datetime

import pytest
from model_api import ModelApi, strings, tool
from test_client import CLAUDE, Machine, mine, outcomes
from transcripts import Session

from mempalace.layers.rules import CHANGES
from mempalace.layers.rules import HEADING as RULES

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

RULE = "From now on use pnpm here, never npm."
CORRECTION = "No, use bun now, not pnpm."
RUN = ("--allowedTools", "Bash")
PNPM = re.compile(
    r"\[mempalace\] this project uses pnpm, not npm \(belief \[b:[0-9a-f]{8}\], [^\n]*\): \"[^\n]*pnpm[^\n]*\""
)


@pytest.fixture
def machine(tmp_path):
    """Return a machine on which a user stated a rule yesterday, and whose npm and pnpm only note that they ran."""
    made = Machine(tmp_path)
    for name in ("npm", "pnpm"):
        (made.bin / name).write_text(f'#!/bin/sh\necho {name} "$@" | tee -a "{made.home}/ran"\n')
        (made.bin / name).chmod(0o755)
    say(made, "earlier", RULE, hours=24)
    return made


def say(machine, name, rule, *, hours):
    """Mine a session in which the user stated a rule so many hours ago."""
    at = datetime.fromtimestamp(time.time() - hours * 3600, UTC).isoformat()
    session = Session(name, cwd=str(machine.project))
    session.user(rule, timestamp=at)
    session.agent("Understood, I will keep to that from here on.", timestamp=at)
    mine(machine.palace, session.write(machine.home / "log" / f"{name}.jsonl"))


def calling(*lines):
    """Return a model that runs each line by the Bash tool, one a turn, and then says that it is done."""

    def answer(body):
        done = sum(block["type"] == "tool_result" for block in blocks(body))
        bash = any(one.get("name") == "Bash" for one in body.get("tools") or ())
        return [tool("Bash", command=lines[done], description="run it")] if bash and done < len(lines) else "Done."

    return answer


def blocks(body):
    """Return the blocks of a request's messages."""
    return [block for one in body["messages"] if isinstance(one["content"], list) for block in one["content"]]


def run(machine, *lines, words=RUN):
    """Have the model run lines in a new session; return the texts it was told by the end, and the client's events."""
    with ModelApi(calling(*lines)) as api:
        events = machine.claude(api, "Please add what is missing.", *words)
        longest = max(api.asked, key=lambda body: len(body["messages"]))
    assert not [line for line in machine.trajectory() if line.get("failed")]
    return list(strings(longest["messages"])), events


def ran(machine):
    """Return what was really run."""
    found = machine.home / "ran"
    return found.read_text().splitlines() if found.exists() else []


def told(texts):
    """Return every line in which the guard spoke."""
    return [found[0] for text in texts for found in re.finditer(r"\[mempalace\] .* uses .*, not .*", text)]


def test_a_rule_is_told_to_model_and_user_once_and_the_tool_runs(machine):
    texts, events = run(machine, "npm install left", "npm install right")
    assert outcomes(events) <= {("success", 0)}
    assert ran(machine) == ["npm install left", "npm install right"]
    (line,) = told(texts)
    assert PNPM.match(line)
    answers = [str(one.get("stdout") or one.get("output")) for one in events if one.get("hook_event") == "PreToolUse"]
    spoken = [json.loads(one) for one in answers if "systemMessage" in one]
    assert [PNPM.match(one["systemMessage"])[0] for one in spoken] == [PNPM.match(line)[0]]


@pytest.mark.parametrize("mode", ["ask", "deny"])
def test_a_decision_keeps_the_tool_from_running_and_gives_the_reason(machine, mode):
    (machine.palace / "config.toml").write_text(f'guard = "{mode}"\n')
    texts, _ = run(machine, "npm install left", "npm install right")
    assert ran(machine) == []
    assert len(told(texts)) == 2


@pytest.mark.parametrize(
    ("config", "line"),
    [
        pytest.param('guard = "off"\n', "npm install left", id="off"),
        pytest.param("", "echo npm install", id="a mention"),
        pytest.param("", "pnpm install left", id="what the rule asks for"),
    ],
)
def test_it_keeps_silent(machine, config, line):
    (machine.palace / "config.toml").write_text(config)
    texts, events = run(machine, line)
    assert told(texts) == []
    assert outcomes(events) <= {("success", 0)}
    assert ran(machine) == ([] if line.startswith("echo") else [line])


def wake_up_of(machine):
    """Return what a new session is told at its start."""
    texts, _ = run(machine, "true")
    return next(text for text in texts if "[mempalace] Notes recalled" in text)


def part(story, heading):
    """Return the lines of one part of a wake-up."""
    return story.partition(heading + "\n")[2].partition("\n\n")[0].splitlines()


def test_a_pinned_rule_is_told_at_the_start_and_still_when_it_is_about_to_be_broken(machine):
    (held,) = json.loads(machine.mempalace("belief", "list", "--json"))["beliefs"]
    assert machine.mempalace("belief", "pin", f"b:{held['id'][:8]}")
    texts, _ = run(machine, "npm install left")
    story = next(text for text in texts if "[mempalace] Notes recalled" in text)
    (rule,) = part(story, RULES)
    assert "pnpm" in rule
    (line,) = told(texts)
    assert ", pinned, " in line


def test_a_correction_is_told_once_and_the_guard_follows_it(machine):
    say(machine, "later", CORRECTION, hours=1)
    (change,) = part(wake_up_of(machine), CHANGES)
    assert change.index("bun") < change.index("no longer: ") < change.rindex("pnpm")
    assert part(wake_up_of(machine), CHANGES) == []
    texts, _ = run(machine, "pnpm install left")
    (line,) = told(texts)
    assert "this project uses bun, not pnpm" in line
