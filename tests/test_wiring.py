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
    "empty": "",
    "an empty object": "{}",
    "with tabs and no line break": '{\n\t"model": "opus",\n\t"env": {"A": "ü"}}',
    "with other hooks": json.dumps(
        {"hooks": {"Stop": [OTHERS], "PreToolUse": [{"matcher": "Bash", **OTHERS}]}}, indent=4
    ),
    "with line breaks of another system": '{"model": "opus",\r\n "hooks": {}}\r\n',
    "with a mark at its beginning": '\ufeff{"model": "opus"}\n',
    "with half a character": '{"model": "\\ud83d"}\n',
    "with hooks of no known shape": '{"hooks": {"Stop": ["?", {"hooks": 3}, {"hooks": ["?"]}], "Other": 7}}',
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


@pytest.mark.parametrize("changed", [False, True], ids=["as setup left it", "changed since"])
@pytest.mark.parametrize("before", [None, '{"model": "opus"}'], ids=["none before", "one before"])
def test_a_dry_run_changes_nothing_and_says_what_is_done_without_it(home, settings, before, changed):
    if before is not None:
        put(settings, before)
    run("setup")
    if changed:
        settings.write_text(json.dumps({**json.loads(settings.read_text()), "model": "sonnet"}))
    had = seen(home)
    would = json.loads(run("uninstall", "--dry-run", "--json").stdout)["removed"]
    assert seen(home) == had
    assert would
    assert json.loads(run("uninstall", "--json").stdout)["removed"] == would


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to none"])
def test_a_link_to_the_users_own_files_stays_one(home, settings, tmp_path, there):
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    if there:
        target.write_text('{"model": "opus"}')
    settings.parent.mkdir()
    settings.symlink_to(target)
    assert run("setup").exit_code == 0
    assert "SessionStart" in target.read_text()
    assert run("uninstall").exit_code == 0
    assert settings.is_symlink()
    assert target.exists() is there
    assert not there or target.read_text() == '{"model": "opus"}'


def test_the_style_of_a_file_that_was_changed_since_stays(settings):
    put(settings, '{\r\n\t"model": "opus"\r\n}\r\n')
    run("setup")
    assert '\r\n\t\t"SessionStart": [' in settings.read_bytes().decode()
    settings.write_bytes(settings.read_bytes().replace(b'"opus"', b'"sonnet"'))
    run("uninstall")
    assert settings.read_bytes() == b'{\r\n\t"model": "sonnet"\r\n}\r\n'


def test_a_setup_that_was_killed_before_it_wrote_is_undone_and_done_again(home, settings, monkeypatch):
    had = seen(home)
    with monkeypatch.context() as killed:
        killed.setattr(wiring.clientfile, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        run("setup")
    assert not settings.exists()
    assert settings.parent.exists()
    assert run("uninstall").exit_code == 0
    assert seen(home) == had
    assert run("setup").exit_code == 0
    assert run("uninstall").exit_code == 0
    assert seen(home) == had


def test_settings_that_cannot_be_written_stay_as_they_were_and_so_does_the_receipt(home, settings, palace, monkeypatch):
    put(settings, '{"model": "opus"}')

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    real = wiring.clientfile.os.replace
    with monkeypatch.context() as full:
        full.setattr(wiring.clientfile.os, "replace", lambda new, old: real(new, old) if "setup" in old else refuse())
        told = run("setup")
    assert told.exit_code == 1
    assert "cannot write ~/.claude/settings.json: read-only file system; nothing was changed" in told.stderr
    assert os.listdir(settings.parent) == ["settings.json"]
    assert settings.read_text() == '{"model": "opus"}'
    assert not (palace / "setup.json").exists()


def test_each_settings_folder_that_setup_was_run_for_is_undone(home, monkeypatch):
    had = seen(home)
    run("setup")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "other"))
    assert run("setup").exit_code == 0
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert run("uninstall").output.count("removed ~/") >= 2
    assert seen(home) == had


def test_hooks_whose_program_is_gone_are_still_known_as_ours(settings, tmp_path):
    run("setup")
    text = settings.read_text().replace(wiring.hooks_folder(), str(tmp_path / "gone" / "hooks"))
    settings.write_text(text)
    assert str(tmp_path / "gone" / "hooks" / "wake_up.py") in wiring.gone(str(settings))
    run("uninstall")
    assert json.loads(settings.read_text()) == {}


def test_a_hook_of_somebody_elses_with_a_name_like_ours_stays(settings, tmp_path):
    script = put(tmp_path / "hooks" / "guard.py", "")
    theirs = {"type": "command", "command": "python3", "args": [str(script)]}
    put(settings, json.dumps({"hooks": {"Stop": [{"hooks": [theirs]}]}}))
    run("setup")
    settings.write_text(settings.read_text() + "\n")
    run("uninstall")
    assert json.loads(settings.read_text()) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_setup_for_a_palace_the_hooks_will_not_use_says_how_they_would(tmp_path):
    told = run("setup", "--palace", str(tmp_path / "my other"))
    assert f"MEMPALACE_HOME='{tmp_path / 'my other'}'" in told.output
    assert "MEMPALACE_HOME" not in run("uninstall", "--palace", str(tmp_path / "my other")).output


def test_a_folder_that_is_no_palace_is_never_deleted(tmp_path):
    put(tmp_path / "thesis" / "chapter-1.md", "text")
    told = run("uninstall", "--delete-palace", "--yes", "--palace", str(tmp_path / "thesis"))
    assert told.exit_code == 1
    assert "holds no palace: nothing was removed" in told.stderr
    assert (tmp_path / "thesis" / "chapter-1.md").exists()


def test_of_a_folder_that_holds_other_files_too_only_the_palace_goes(palace):
    put(palace / "palace.db", "")
    put(palace / "palace.db-wal", "")
    put(palace / "index" / "state.json", "{}")
    put(palace / "thesis.md", "text")
    put(palace / "config.json", "of another program")
    told = run("uninstall", "--delete-palace", "--yes")
    assert told.exit_code == 0
    assert "it holds files that are not the palace's" in told.output
    assert sorted(os.listdir(palace)) == ["config.json", "thesis.md"]


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


def test_the_plugin_of_a_project_is_seen_from_any_folder_of_it(tmp_path):
    put(tmp_path / ".claude" / "settings.json", "\ufeff" + json.dumps({"enabledPlugins": {"mempalace@x": True}}))
    assert plugin.doubled({"CLAUDE_PROJECT_DIR": str(tmp_path)}, str(tmp_path / "src"))
    assert not plugin.doubled({}, str(tmp_path / "src"))


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
