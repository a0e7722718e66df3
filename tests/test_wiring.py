"""setup and uninstall: the client's settings get the hooks, and come back to the byte."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mempalace import environment, plugin, runtime, wiring
from mempalace.cli import main

OTHERS = {"hooks": [{"type": "command", "command": "make check"}]}
BEFORE = {
    "none": None,
    "empty": "{}",
    "with tabs and no line break": '{\n\t"model": "opus",\n\t"env": {"A": "ü"}}',
    "with other hooks": json.dumps(
        {"hooks": {"Stop": [OTHERS], "PreToolUse": [{"matcher": "Bash", **OTHERS}]}}, indent=4
    ),
    "with line breaks of another system": '{"model": "opus",\r\n "hooks": {}}\r\n',
}


@pytest.fixture
def home():
    return Path(os.environ["HOME"])


@pytest.fixture
def settings(home):
    return home / ".claude" / "settings.json"


def run(*words):
    return CliRunner().invoke(main, words)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def seen(folder):
    """Return every path below a folder with its bytes and its mode."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            stat.S_IMODE(path.stat().st_mode),
        )
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_uninstall_leaves_the_home_as_it_was_to_the_byte(home, settings, before):
    if before is not None:
        put(settings, before)
    had = seen(home)
    assert run("setup").exit_code == 0
    assert seen(home) != had
    assert run("uninstall").exit_code == 0
    assert seen(home) == had
    assert run("uninstall").output.startswith("nothing of mempalace was found to remove")


def test_setup_wires_every_hook_of_the_plugin_beside_those_that_are_there(settings, palace):
    put(settings, BEFORE["with other hooks"])
    told = run("setup")
    assert told.exit_code == 0, told.output
    hooks = json.loads(settings.read_text())["hooks"]
    declared = json.loads((Path(wiring.hooks_folder()) / "hooks.json").read_text())["hooks"]
    assert set(hooks) == (set(declared) - {"UserPromptExpansion"}) | {"Stop", "PreToolUse"}
    assert hooks["Stop"][0] == OTHERS
    for _, handler in wiring._handlers(hooks):
        if handler["command"] != "make check":
            assert handler["command"] == sys.executable
            assert os.path.isfile(handler["args"][-1])
    assert "SessionStart: wake_up.py" in told.output
    assert runtime.recorded(str(palace)) == sys.executable


def test_a_hook_that_setup_wired_runs_as_written_there(settings, palace):
    run("setup")
    hooks = json.loads(settings.read_text())["hooks"]
    handler = hooks["SessionStart"][0]["hooks"][0]
    done = subprocess.run(
        [handler["command"], *handler["args"]], input=b'{"hook_event_name": "SessionStart"}', capture_output=True,
        env={"HOME": os.environ["HOME"], "MEMPALACE_HOME": str(palace), "PATH": ""},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "mempalace is reading this machine's transcripts" in json.loads(done.stdout)["systemMessage"]


def test_what_was_changed_since_setup_stays_changed(settings):
    put(settings, BEFORE["with other hooks"])
    run("setup")
    now = json.loads(settings.read_text())
    now["model"] = "sonnet"
    settings.write_text(json.dumps(now))
    told = run("uninstall").output
    assert "which was changed since" in told
    assert json.loads(settings.read_text()) == {**json.loads(BEFORE["with other hooks"]), "model": "sonnet"}


def test_a_dry_run_changes_nothing_and_says_what_it_would(home, settings):
    run("setup")
    had = seen(home)
    told = run("uninstall", "--dry-run")
    assert "would have taken" in told.output
    assert seen(home) == had


def test_setup_twice_is_refused(settings):
    run("setup")
    had = settings.read_bytes()
    told = run("setup")
    assert told.exit_code == 1
    assert "has the hooks already" in told.stderr
    assert settings.read_bytes() == had


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}'])
def test_settings_that_cannot_be_understood_are_left_alone(settings, text):
    put(settings, text)
    told = run("setup")
    assert told.exit_code == 1
    assert "nothing was changed" in told.stderr
    assert settings.read_text() == text


@pytest.mark.parametrize("where", ["user", "project", "project, locally"])
def test_setup_beside_the_plugin_is_refused(settings, tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    path = {
        "user": settings, "project": tmp_path / ".claude" / "settings.json",
        "project, locally": tmp_path / ".claude" / "settings.local.json",
    }[where]  # fmt: skip
    put(path, json.dumps({"enabledPlugins": {"mempalace@palaces": True, "other@x": False}}))
    told = run("setup")
    assert told.exit_code == 1
    assert "the plugin is enabled" in told.stderr
    assert plugin.doubled({}, str(tmp_path))
    assert not plugin.doubled({"CLAUDE_PLUGIN_ROOT": "/x"}, str(tmp_path)), "the plugin's own hooks go on"


@pytest.mark.parametrize("enabled", [{}, {"mempalace@x": False}, {"mempalace2@x": True}, [], None])
def test_another_plugin_or_one_switched_off_is_not_ours(settings, enabled):
    put(settings, json.dumps({"enabledPlugins": enabled}))
    assert not plugin.enabled({}, "")


def test_the_environment_and_on_request_the_palace_go_too(tmp_path, palace):
    data = tmp_path / "data"
    python = data / "environment-1" / "bin" / "python"
    put(python, "")
    put(data / "environment.json", "{}")
    put(data / "kept", "somebody else's")
    palace.mkdir()
    put(palace / "palace.db", "")
    runtime.remember(str(palace), str(python))
    told = run("uninstall")
    assert "left: the palace at" in told.output
    assert os.listdir(data) == ["kept"]
    assert palace.exists()
    assert run("uninstall", "--delete-palace", "--yes").exit_code == 0
    assert not palace.exists()


def test_an_interpreter_of_anybody_else_is_never_removed(tmp_path, palace):
    python = put(tmp_path / "venv" / "bin" / "python", "")
    palace.mkdir()
    runtime.remember(str(palace), str(python))
    run("uninstall")
    assert python.exists()
    assert environment.parts(str(tmp_path)) == []


def test_the_palace_is_only_deleted_after_a_yes(palace):
    palace.mkdir()
    assert CliRunner().invoke(main, ["uninstall", "--delete-palace"], input="n\n").exit_code == 1
    assert palace.exists()
