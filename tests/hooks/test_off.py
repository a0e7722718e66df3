"""Off means off: for every hook, for one of them, for one project."""

import json
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner

from mempalace.cli import main

ROOT = Path(__file__).parents[2]
EVENTS = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
NAMES = {"wake_up.py": "wake-up", "recall.py": "recall", "guard.py": "guard", "command.py": "command"}
QUIET = ("guard.py",)  # runs before every tool, and leaves a line only where it spoke or failed
HANDLERS = [(handler, event) for event, groups in EVENTS.items() for group in groups for handler in group["hooks"]]
STARTED = [*sorted({(Path(handler["args"][-1]).name, event) for handler, event in HANDLERS}), ("serve.py", "MCP")]


def name_of(hook):
    return NAMES.get(hook, hook.removesuffix(".py").replace("_", "-"))


@pytest.fixture
def event(tmp_path, palace, claude):
    """Return an event of every kind at once, about a project whose session is mined."""
    project = tmp_path / "shop"
    project.mkdir()
    path = claude(transcripts.talk("lamp", 2, cwd=str(project)))
    assert CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(path)]).exit_code == 0
    return {
        "session_id": "abc", "transcript_path": str(path), "cwd": str(project), "source": "startup", "trigger": "auto",
        "prompt": "How did we polish the lens of the lamp, and is the beam steady now?", "reason": "exit",
        "command_name": "mempalace:search", "command_args": "lens", "tool_name": "Bash",
        "tool_input": {"command": "npm install"},
    }  # fmt: skip


@pytest.mark.parametrize(("hook", "name"), STARTED)
@pytest.mark.parametrize("how", ["every", "one", "project", "one of a project"])
def test_a_hook_that_is_off_says_and_does_nothing(client, event, hook, name, how):
    off = "true" if how in ("every", "project") else json.dumps([name_of(hook)])
    table = f"[projects.{json.dumps(event['cwd'])}]\n" if "project" in how else ""
    (client.palace / "config.toml").write_text(f"{table}off = {off}\n")
    ran = client.run(hook, {**event, "hook_event_name": name}, env={"CLAUDE_PROJECT_DIR": event["cwd"]})
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(ran.lines) == (hook not in QUIET)
    assert all("off" in f"{line.get('how')} {line.get('did')}" for line in ran.lines)


@pytest.mark.parametrize("other", ['off = ["command"]', '[projects."/somewhere/else"]\noff = true'])
def test_what_is_off_elsewhere_is_on_here(client, event, other):
    (client.palace / "config.toml").write_text(other)
    assert "polish" in client.run("wake_up.py", {**event, "hook_event_name": "SessionStart"}).context
    ran = client.run("recall.py", {**event, "hook_event_name": "UserPromptSubmit"})
    assert not [line for line in ran.lines if "off" in str(line.get("did"))]
