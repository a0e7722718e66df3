"""The doctor: what it finds in each section, what it advises, and when it ends with status one."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner

from mempalace import environment, plugin, wiring
from mempalace.cli import main
from mempalace.layers import examination as looked
from mempalace.layers.findings import BAD, OK, SECTIONS, WARN, Place
from mempalace.mine import turnstile
from mempalace.store import filing
from mempalace.store.connection import open_writer

PLUGIN = {"enabledPlugins": {"mempalace@mempalace": True}}


def run(*words):
    return CliRunner().invoke(main, ["doctor", *words])


@pytest.fixture(scope="module")
def mined(tmp_path_factory):
    """Mine a session, once for all tests, and return the palace."""
    folder = tmp_path_factory.mktemp("mined")
    path = transcripts.talk("lamp", 2).write(folder / "lamp.jsonl")
    done = CliRunner().invoke(main, ["mine", "-q", "--palace", str(folder / "palace"), str(path)])
    assert done.exit_code == 0, done.output
    return folder / "palace"


@pytest.fixture
def full(mined, palace):
    """Return a palace of one's own with a session in it."""
    shutil.copytree(mined, palace)
    return palace


@pytest.fixture
def settings():
    """Return a function that writes the client's settings and returns their path."""
    path = Path(os.environ["HOME"], ".claude", "settings.json")

    def write(told):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(told))
        return path

    return write


def found(section, now=None):
    """Return (state, what and remedy) of each finding in a section, having checked the exit status."""
    result = run("--json")
    findings = json.loads(result.stdout)["findings"]
    assert result.exit_code == any(one["state"] == BAD for one in findings)
    assert {one["state"] for one in findings} <= {OK, WARN, BAD}
    assert all(set(one) == {"section", "state", "what", "remedy"} for one in findings)
    return [(one["state"], f"{one['what']}: {one['remedy']}") for one in findings if one["section"] == section]


def amiss(section):
    """Return what is not ok in a section, on a line each."""
    return "\n".join(f"{state} {what}" for state, what in found(section) if state != OK)


def fine(section):
    return "\n".join(what for state, what in found(section) if state == OK)


def trajectory(palace, *events):
    (palace / "trajectory.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def test_a_sound_palace_has_every_section_and_nothing_amiss(full):
    assert [amiss(section) for section in SECTIONS] == [""] * len(SECTIONS)
    page = run()
    assert page.exit_code == 0
    heads = [line for line in page.stdout.splitlines() if not line.startswith(" ")]
    assert heads == [section for section in SECTIONS if section != "hooks"], "where no client is used there is no hook"


def test_a_mend_that_is_asked_for_stands_beside_each_fault(full, settings):
    settings({})
    (full / "config.toml").write_text("budgett = 7\n")
    (full / "runtime.json").write_text('{"python": "/no/such/python"}')
    (full / "index" / "state.json").unlink()
    full.chmod(0o755)
    trajectory(full, {"hook": "recall", "failed": "it broke", "at": 1})
    lines = run().stdout.splitlines()
    faults = [nr for nr, line in enumerate(lines) if line.startswith("  warn")]
    assert len(faults) >= 6
    assert [lines[nr] for nr in faults if not lines[nr + 1].startswith("        -> ")] == []


def test_looking_changes_nothing(full, settings):
    settings(PLUGIN)
    seen = {path: path.stat().st_mtime_ns for path in full.rglob("*") if not path.name.endswith(("-wal", "-shm"))}
    run()
    assert {path: path.stat().st_mtime_ns for path in seen} == seen
    assert {path for path in full.rglob("*") if not path.name.endswith(("-wal", "-shm"))} == set(seen)


def test_what_a_failure_says_drives_no_terminal(full):
    trajectory(full, {"hook": "recall", "failed": "\x1b[2J\x1b]0;gone\x07 at once", "at": 1})
    page = run().stdout
    assert "at once" in page
    assert "\x1b[2J" not in page
    assert "\x07" not in page


def test_it_runs_in_a_folder_that_is_gone(full, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert run().exit_code == 0


# -- environment


def test_the_versions_are_told(full):
    told = fine("environment")
    assert f"on Python {sys.version.split()[0]}" in told
    assert "python3 for the hooks is" in told
    assert "the hooks go on in this Python" in told


def program(folder, name, script):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "words"),
    [
        pytest.param("exit 1", "cannot run, or has no SQLite", id="no sqlite"),
        pytest.param("echo 3 8", "is Python 3 8: the hooks need 3.9 or later", id="old"),
    ],
)
def test_a_python3_that_cannot_run_the_hooks_is_said(full, tmp_path, monkeypatch, script, words):
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", "python3", script).parent))
    assert words in amiss("environment")


def test_no_python3_at_all_is_said(full, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no python3 on the PATH to run the hooks: install Python" in amiss("environment")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        pytest.param("exit 1", "has no mempalace", id="uninstalled"),
        pytest.param("echo mempalace, version 9.9", "the hooks go on in mempalace 9.9", id="another version"),
    ],
)
def test_the_interpreter_of_the_hooks_is_asked(full, tmp_path, script, words):
    python = program(tmp_path / "bin", "python", script)
    (full / "runtime.json").write_text(json.dumps({"python": str(python)}))
    assert words in amiss("environment")
    assert 'run "mempalace mine" once' in amiss("environment")


def data(name="mempalace-mempalace"):
    folder = Path(os.environ["HOME"], ".claude", "plugins", "data", name)
    folder.mkdir(parents=True)
    return folder


def test_why_the_plugins_environment_could_not_be_made_is_told_from_any_terminal(full):
    (data() / "environment.failed").write_text("no network")
    told = amiss("environment")
    assert "the plugin's environment could not be made (no network)" in told
    assert "uv tool install mempalace" in told


def test_the_plugins_environment_may_be_current_old_or_to_come(full, tmp_path):
    folder = data()
    assert "is not made yet" in amiss("environment")
    root = tmp_path / "plugin"
    (root / "requirements").mkdir(parents=True)
    (root / "requirements" / "plugin.txt").write_text("click\n")
    pointer = {"python": sys.executable, "needs": environment.needs(str(root)), "root": str(root)}
    (folder / "environment.json").write_text(json.dumps(pointer))
    assert "the plugin's own environment is current" in fine("environment")
    (root / "requirements" / "plugin.txt").write_text("click>9\n")
    assert "the plugin's own environment is of another version of it" in amiss("environment")


def test_another_plugins_data_is_not_looked_at(full):
    (data("memory-shop") / "environment.failed").write_text("no network")
    assert amiss("environment") == ""


# -- hooks


def test_where_the_client_has_no_hook_of_ours_both_ways_to_get_them_are_told(full, settings):
    settings({"model": "opus"})
    told = amiss("hooks")
    assert "Claude Code has no hook of mempalace" in told
    assert "mempalace setup" in told
    assert "claude plugin install mempalace@mempalace" in told


def test_a_client_without_settings_is_known_by_the_file_it_always_writes(full):
    assert amiss("hooks") == ""
    Path(os.environ["HOME"], ".claude.json").write_text("{}")
    assert "Claude Code has no hook of mempalace" in amiss("hooks")


def test_hooks_by_setup_or_by_the_plugin_are_fine(full, settings):
    assert CliRunner().invoke(main, ["setup"]).exit_code == 0
    assert "hooks are in ~/.claude/settings.json" in fine("hooks")
    CliRunner().invoke(main, ["uninstall"])
    settings(PLUGIN)
    assert "the plugin is enabled, mempalace@mempalace" in fine("hooks")


def test_both_at_once_are_said_to_be_wired_twice(full, settings):
    CliRunner().invoke(main, ["setup"])
    path = Path(plugin.client_settings(os.environ))
    path.write_text(json.dumps({**json.loads(path.read_text()), **PLUGIN}))
    assert "the hooks are wired twice" in amiss("hooks")
    assert "mempalace uninstall" in amiss("hooks")


def test_the_plugin_from_two_marketplaces_is_said_to_be_enabled_twice(full, settings):
    settings({"enabledPlugins": {"mempalace@mempalace": True, "mempalace@elsewhere": True}})
    assert "the plugin is enabled twice: mempalace@mempalace, mempalace@elsewhere" in amiss("hooks")


def test_hooks_that_an_older_version_wired_are_said_to_be_too_few(full):
    CliRunner().invoke(main, ["setup"])
    path = Path(plugin.client_settings(os.environ))
    told = json.loads(path.read_text())
    del told["hooks"]["Stop"]
    path.write_text(json.dumps(told))
    assert 'hooks are in ~/.claude/settings.json: run "mempalace uninstall", then "mempalace setup"' in amiss("hooks")


def test_hooks_of_an_installation_that_is_gone_are_said_to_be_left(full, settings, tmp_path):
    gone = {"type": "command", "command": "/gone/python", "args": ["-I", "/gone/mempalace/hooks/wake_up.py"]}
    settings({"hooks": {"SessionStart": [{"hooks": [gone]}]}})
    assert "names 1 hooks of a mempalace that is gone" in amiss("hooks")


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"enabledPlugins": {"other-mem@shop": True}}, "other-mem@shop"),
        ({"hooks": {"SessionStart": [{"hooks": [{"command": "sh ~/.notes/memory.sh"}]}]}}, "memory.sh"),
        ({"hooks": {"SessionStart": [{"hooks": [{"command": "npx", "args": ["episodic-notes"]}]}]}}, "episodic-notes"),
    ],
    ids=["plugin", "hook", "argument"],
)  # fmt: skip
def test_another_memory_in_the_client_is_said_and_is_no_fault(full, settings, told, name):
    settings({**told, **PLUGIN, "enabledPlugins": {**told.get("enabledPlugins", {}), **PLUGIN["enabledPlugins"]}})
    assert f"another memory speaks in the client too: {name}" in fine("hooks")
    assert "another memory" not in amiss("hooks")


def test_what_is_no_memory_is_not_taken_for_one(full, settings):
    hook = {"type": "command", "command": "/home/members/bin/lint --all"}
    settings({"enabledPlugins": {"linter@shop": True, "mem@shop": False}, "hooks": {"Stop": [{"hooks": [hook]}]}})
    assert "another memory" not in fine("hooks")


def test_each_hook_tells_when_it_ran_last_and_how_long_it_takes(full):
    now = int(time.time())
    trajectory(
        full,
        {"hook": "wake-up", "at": now - 7200, "took_ms": 10.0},
        {"hook": "wake-up", "at": now - 3 * 86400, "took_ms": 14.0},
        {"hook": "recall", "at": now - 65, "took_ms": 900.0},
        {"hook": "file-away", "failed": "it broke"},
    )
    assert "wake-up: 2 runs, last 2 hours ago, median 14 ms" in fine("hooks")
    assert "recall: 1 runs, last 1 minute ago, median 900 ms is over its 300 ms" in amiss("hooks")
    assert "file-away: 1 of the last 1 hook runs failed, last at an unknown time: the last: it broke" in amiss("hooks")


def test_a_wired_hook_that_never_runs_is_said(full, settings):
    settings(PLUGIN)
    assert "no hook has run yet" in amiss("hooks")
    trajectory(full, {"hook": "wake-up", "at": 1})
    assert "never ran" not in amiss("hooks")
    trajectory(full, *({"hook": "wake-up", "at": n} for n in range(20)), {"hook": "recall", "at": 1})
    assert "file-away never ran" in amiss("hooks")
    assert "recall never ran" not in amiss("hooks")


@pytest.mark.parametrize("event", [{"hook": 7}, {"hook": "wake-up", "at": "then", "took_ms": "long"}, {"hook": "x"}])
def test_whatever_a_trajectory_holds_it_is_looked_at(full, event):
    trajectory(full, event)
    assert run().exit_code == 0


# -- settings


def test_settings_that_cannot_be_used_are_said_one_by_one(full):
    (full / "config.toml").write_text('budgett = 7\nguard = "never"\n')
    told = amiss("settings")
    assert "no setting is called 'budgett' (did you mean budget?)" in told
    assert 'guard must be one of warn, ask, deny, off; until then it is "warn"' in told


def test_hooks_whose_program_is_gone_are_said_with_the_way_back(full, settings):
    path = settings({})
    wiring.wire(str(path), str(full), "/no/such/python")
    assert "the hooks in" in amiss("hooks")
    assert "need /no/such/python, which is gone" in amiss("hooks")


def test_what_is_off_is_said_with_the_way_back(full, monkeypatch):
    (full / "config.toml").write_text("off = true\n")
    assert 'the hooks are off: run "mempalace on"' in amiss("settings")
    (full / "config.toml").write_text('off = ["recall"]\n')
    assert "off: recall" in fine("settings")
    (full / "config.toml").write_text(f'[projects."{os.environ["HOME"]}/shop"]\noff = true\n')
    assert "off in ~/shop: every hook" in fine("settings")
    monkeypatch.setenv("MEMPALACE_OFF", "1")
    assert "the hooks are off: unset MEMPALACE_OFF" in amiss("settings")


# -- palace and index


@pytest.mark.skipif(os.name != "posix", reason="needs the rights of POSIX")
def test_a_palace_that_others_can_read_is_said_with_the_command_that_closes_it(full):
    full.chmod(0o755)
    (full / "palace.db").chmod(0o644)
    told = amiss("palace")
    assert f"others on this machine can look into {full}" in told
    assert f"chmod -R go-rwx {full}" in told
    full.chmod(0o700)
    assert amiss("palace") == ""


def test_what_happened_in_the_future_is_asked_about(full):
    with open_writer(str(full)) as store:
        generation = filing.begin(store)
        store.db.execute("UPDATE drawers SET filed_at = ?", (int(time.time()) + 10 * 86400,))
        filing.touch(store, [], generation=generation)
        filing.commit(store)
    assert "days ahead: was the clock set back?" in amiss("palace")


def test_a_disk_that_is_nearly_full_is_said(full, monkeypatch):
    usage = shutil.disk_usage(full)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=50_000_000))
    assert "the disk is nearly full" in amiss("palace")


def test_an_index_that_outgrew_the_text_is_to_be_rebuilt(full, monkeypatch):
    monkeypatch.setattr(looked, "LARGE", 0)
    (full / "index" / "left.behind").write_bytes(b"\0" * 1_000_000)
    assert 'over 3 times the text: run "mempalace doctor --rebuild"' in amiss("index")


def test_requests_that_wait_are_said(full):
    turnstile._leave(str(full), {"places": []})
    assert '1 requests to mine are waiting: run "mempalace mine"' in amiss("palace")


def test_a_miner_at_work_is_no_fault_until_others_wait_too_long(full):
    turnstile._leave(str(full), {"places": []})
    with turnstile.turn(str(full), 0):
        assert "a miner is at work, 1 requests are waiting" in fine("palace")
        place = Place(str(full), os.environ, "/", int(time.time()) + 7300)
        told = [one for one in looked.examination(place) if "miner at work" in one.what]
    assert [one.state for one in told] == [WARN]
    assert "the first since 2 hours ago" in told[0].what
    assert "miner.lock" in told[0].remedy


def test_a_lock_file_that_nobody_holds_is_nothing(full):
    (full / "miner.lock").touch()
    assert amiss("palace") == ""


def test_what_is_damaged_is_bad_and_the_rest_is_looked_at_all_the_same(full):
    for ending in ("-wal", "-shm"):
        (full / f"palace.db{ending}").unlink(missing_ok=True)
    (full / "palace.db").write_bytes(b"This is no database. " * 500)
    assert run().exit_code == 1
    assert "bad the palace at" in amiss("palace")
    assert "python3 for the hooks is" in fine("environment")


def test_an_older_palace_is_sound_and_said_to_be_older(full):
    with open_writer(str(full)) as store:
        store.db.execute("PRAGMA user_version = 1")
    assert "palace.db is of schema 1, not yet of" in amiss("palace")


def test_a_table_of_kinds_that_cannot_be_used_is_told(full, palace):
    (palace / "kinds.json").write_text('{"kinds": {"package-manager": {"node": {"npm": 3}}}}')
    told = CliRunner().invoke(main, ["doctor"]).output
    assert "a table of yours cannot be used whole" in told
    assert "kinds.json: not usable: package-manager/node/npm" in told
