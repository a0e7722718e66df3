"""PreToolUse: the tool runs, whatever the palace is like; only what is said or failed is recorded."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_wake_up_hook import interpreter
from transcripts import Session

from mempalace.cli import main

HOOK = "guard.py"


@pytest.fixture
def shop(tmp_path, palace, claude):
    """Return a project's folder with one session mined and one rule: pnpm."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    session = Session("first", cwd=str(project))
    session.user("The night export died again, can you find out why?")
    session.agent("The export ran out of memory; streaming the rows fixed it.")
    result = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(claude(session))])
    assert result.exit_code == 0, result.output
    with sqlite3.connect(palace / "palace.db") as db:
        db.execute(
            """INSERT INTO beliefs (n, id, wing, glob, kind, subject, option, polarity, claim, origin, pinned, frozen,
               created_at, changed_at, generation) SELECT 1, 'abcdef012345678901234567', n, '', 'package-manager',
               'node', 'pnpm', 'prefer', 'We use pnpm', 'user', 1, 0.9, 1, 1, 1 FROM wings LIMIT 1"""
        )
    db.close()
    return project


def about(cwd, command):
    return {
        "session_id": "abc", "hook_event_name": "PreToolUse", "cwd": str(cwd), "tool_name": "Bash",
        "tool_input": {"command": command},
    }  # fmt: skip


def test_a_warning_is_said_and_recorded(client, shop):
    ran = client.run(HOOK, about(shop, "npm install"))
    assert (ran.status, ran.err) == (0, "")
    assert "this project uses pnpm, not npm (belief [b:abcdef01]" in ran.context
    (line,) = ran.lines
    assert (line["hook"], line["did"], line["option"]) == ("guard", "warn", "npm")
    assert line["belief"] == "abcdef012345678901234567"


@pytest.mark.parametrize("command", ["ls", "pnpm install", "echo npm install"])
def test_what_is_fine_leaves_no_trace(client, shop, command):
    ran = client.run(HOOK, about(shop, command))
    assert (ran.status, ran.out, ran.err, ran.lines) == (0, "", "", [])


def test_no_palace_leaves_no_trace(client, tmp_path):
    ran = client.run(HOOK, about(tmp_path, "npm install"))
    assert (ran.status, ran.out, ran.err, ran.lines) == (0, "", "", [])
    assert not client.palace.exists()


def test_off_is_off(client, shop):
    ran = client.run(HOOK, about(shop, "npm install"), env={"MEMPALACE_OFF": "1"})
    assert (ran.status, ran.out, ran.lines) == (0, "", [])


def test_an_older_palace_has_no_rules(client, shop, palace):
    with sqlite3.connect(palace / "palace.db") as db:
        db.execute("PRAGMA user_version=1")
    db.close()
    ran = client.run(HOOK, about(shop, "npm install"))
    assert (ran.status, ran.out, ran.err, ran.lines) == (0, "", "", [])


def test_a_damaged_palace_is_recorded_and_the_tool_runs(client, shop, palace):
    (palace / "palace.db").write_bytes(b"no database at all" * 500)
    ran = client.run(HOOK, about(shop, "npm install"))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert "damaged" in ran.lines[0]["failed"]


@pytest.mark.parametrize("raw", [b"", b"hello", b"[]", b"\xff\xfe", b"[" * 50_000])
def test_an_event_that_cannot_be_read_is_recorded(client, shop, raw):
    ran = client.run(HOOK, raw, cwd="/")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(ran.lines) == 1


HEAVY = {"dataclasses", "pathlib", "subprocess", "urllib.parse", "inspect", "asyncio", "logging", "tempfile", "shlex"}


@pytest.mark.parametrize(("command", "stored"), [("ls", False), ("npm install", True)], ids=["silent", "speaking"])
def test_only_what_chooses_something_loads_the_store_and_nothing_is_heavy(client, shop, command, stored):
    hook = str(Path(__file__).parents[2] / "hooks" / HOOK)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", hook], input=json.dumps(about(shop, command)).encode(),
        env=client.env, capture_output=True, check=True,
    )  # fmt: skip
    told = {row.rsplit("|", 1)[-1].strip() for row in done.stderr.decode().splitlines()}
    assert ("sqlite3" in told) == bool(done.stdout) == stored
    assert "mempalace.kinds" in told
    assert told & HEAVY == set()


@pytest.mark.parametrize("name", [f"python3.{minor}" for minor in range(9, 15)])
def test_every_python_since_39_can_run_it(client, shop, name):
    python = interpreter(name, client.env)
    if python is None:
        pytest.skip(f"no {name} here")
    ran = client.run(HOOK, about(shop, "cd . && npm install"), python=python)
    assert (ran.status, ran.err) == (0, "")
    assert "uses pnpm, not npm" in ran.context
