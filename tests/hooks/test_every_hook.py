"""What holds for every hook that the client starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner

from mempalace.cli import main

ROOT = Path(__file__).parents[2]
EVENTS = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
STARTED = sorted(
    {
        (Path(handler["args"][-1]).name, event)
        for event, groups in EVENTS.items()
        for group in groups
        for handler in group["hooks"]
    }
)


QUIET = ("guard.py",)  # runs before every tool, and leaves a line only where it spoke or failed


def mine(palace, path):
    """Mine a path into a palace, as a user does."""
    result = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(path)])
    assert result.exit_code == 0, result.output


@pytest.fixture
def event(tmp_path, palace, claude, request):
    """Return an event of every kind at once, about a project whose session is mined."""
    project = tmp_path / "shop"
    project.mkdir()
    path = claude(transcripts.talk("lamp", 2, cwd=str(project)))
    mine(palace, path)
    return {
        "session_id": "abc", "transcript_path": str(path), "cwd": str(project), "source": "startup",
        "prompt": "How did we polish the lens of the lamp, and is the beam steady now?", "trigger": "auto",
        "command_name": "mempalace:search", "command_args": "lens 'polished \"beam $(true)", "reason": "exit",
        "tool_name": "Bash", "tool_input": {"command": "npm install 'lens \"$(true)"},
    }  # fmt: skip


@pytest.mark.parametrize(("hook", "name"), STARTED)
def test_what_is_said_is_hook_output_or_nothing(client, event, hook, name):
    ran = client.run(hook, {**event, "hook_event_name": name})
    assert ran.status == 0
    assert ran.err == ""
    assert not ran.out or json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == name
    if name in ("PreCompact", "Stop", "SessionEnd"):
        assert ran.out == ""
    assert ran.lines or hook in QUIET
    assert not [line for line in ran.lines if line.get("failed")]


@pytest.mark.parametrize(("hook", "name"), STARTED)
def test_off_is_off_for_every_hook(client, event, hook, name):
    ran = client.run(hook, {**event, "hook_event_name": name}, env={"MEMPALACE_OFF": "1"})
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(ran.lines) == (hook not in QUIET)
    assert all("off" in f"{line.get('how')} {line.get('did')}" for line in ran.lines)


@pytest.mark.parametrize(("hook", "name"), STARTED)
@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"[]", b"\xff\xfe", b"[" * 50_000], ids=["none", "words", "list", "bytes", "deep"]
)
def test_garbage_ends_well(client, event, hook, name, raw):
    ran = client.run(hook, raw, cwd="/")
    assert (ran.status, ran.err) == (0, "")
    assert len(ran.lines) == 1


@pytest.mark.parametrize(("hook", "name"), STARTED)
@pytest.mark.parametrize("held", [(), ("session_id", "cwd")], ids=["only its name", "and where"])
def test_an_event_that_lacks_its_own_fields_is_nothing_loud(client, event, hook, name, held):
    ran = client.run(hook, {"hook_event_name": name, **{field: event[field] for field in held}}, cwd=event["cwd"])
    assert (ran.status, ran.err) == (0, "")
    assert len(ran.lines) == 1
    assert not ran.lines[0].get("failed")


@pytest.mark.parametrize("hook", sorted({hook for hook, _ in STARTED}))
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"], ids=["stdin", "stdout", "stderr"])
def test_a_closed_stream_ends_well(client, event, hook, closed):
    command = f'exec "$0" -I -S "{ROOT}/hooks/{hook}" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], env=client.env, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("hook", "name"), STARTED)
def test_a_reader_that_has_gone_ends_well(client, event, hook, name):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ROOT / "hooks" / hook)], stdout=write, stderr=subprocess.PIPE,
            input=json.dumps({**event, "hook_event_name": name}).encode(), env=client.env,
        )  # fmt: skip
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
