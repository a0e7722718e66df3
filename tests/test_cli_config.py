"""`mempalace config`, `on`, `off`: one setting at a time, and nobody's comments lost."""

import json
import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from mempalace.cli import configuring as commands
from mempalace.layers import configuring
from mempalace.settings import HOOKS, KEYS, read

HAND = """# mine
budget = 700   # short

outcome_words = [
  "greenlit",  # by the board
]

[projects."/work/secret"]   # nobody's business
off = true
"""


def run(name, *words, status=0, env=None):
    result = CliRunner().invoke(getattr(commands, name), [*words], env=env)
    assert result.exit_code == status, result.output
    return result.stdout


@pytest.fixture
def file(palace):
    """Return the palace's config.toml, written by hand."""
    palace.mkdir()
    path = palace / "config.toml"
    path.write_text(HAND)
    return path


def test_every_setting_is_listed_with_where_it_comes_from(file):
    lines = run("config").splitlines()
    assert lines[:2] == ["off = false  # default", f"budget = 700  # {file}"]
    assert any(line.startswith("guard = ") and line.endswith("# default") for line in lines)
    assert lines[-1] == f"off in /work/secret = true  # {file}"
    assert [one["name"] for one in json.loads(run("config", "--json"))["settings"]][: len(KEYS)] == [
        key.name for key in KEYS
    ]


def test_the_environment_is_named_where_it_decides(palace):
    assert "off = true  # MEMPALACE_OFF" in run("config", env={"MEMPALACE_OFF": "1"})


def test_what_is_wrong_is_said(file):
    file.write_text("budget = 3\nunheard = 1\n")
    result = CliRunner().invoke(commands.config)
    assert "budget must be a whole number" in result.stderr
    assert "no setting is called 'unheard'" in result.stderr
    assert "budget = 4000  # default" in result.stdout


def test_path_tells_of_a_file_that_is_not_there_yet(palace):
    assert run("config", "path") == f"{palace}/config.toml\n"
    assert not palace.exists()


@pytest.mark.parametrize(
    "words", [["--palace", "{}", "set", "budget", "800"], ["set", "budget", "800", "--palace", "{}"]]
)
def test_the_palace_may_be_named_before_and_behind_the_verb(tmp_path, palace, words):
    run("config", *[word.format(tmp_path / "other") for word in words])
    assert (tmp_path / "other" / "config.toml").read_text() == "budget = 800\n"
    assert not palace.exists()


def test_setting_one_leaves_every_other_byte(file):
    run("config", "set", "budget", "800")
    assert file.read_text() == HAND.replace("700", "800")
    run("config", "set", "guard", "ask")
    assert file.read_text().replace('guard = "ask"\n', "") == HAND.replace("700", "800")
    assert run("config", "get", "guard") == '"ask"\n'
    run("config", "unset", "guard")
    assert file.read_text() == HAND.replace("700", "800")


def test_line_ends_of_another_system_stay(file):
    file.write_bytes(b"# mine\r\nbudget = 700\r\n")
    run("config", "set", "budget", "800")
    assert file.read_bytes() == b"# mine\r\nbudget = 800\r\n"
    run("config", "set", "guard", "ask")
    assert file.read_bytes() == b'# mine\r\nbudget = 800\r\nguard = "ask"\r\n'


def test_a_mark_at_the_beginning_stays(file):
    file.write_text("\ufeffbudget = 700\n", encoding="utf-8")
    run("config", "set", "budget", "800")
    assert file.read_text(encoding="utf-8") == "\ufeffbudget = 800\n"


def test_changes_at_one_time_are_all_kept(palace):
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda nr: configuring.switch(str(palace), "", f"/work/{nr}", off=True), range(24)):
            pass
    assert len(tomllib.loads((palace / "config.toml").read_text())["projects"]) == 24


def test_a_change_waits_for_another_and_says_so_when_it_does_not_end(file, monkeypatch):
    monkeypatch.setattr(configuring, "PATIENCE", 0)
    with FileLock(str(file.parent / configuring.ALONE)):
        result = CliRunner().invoke(commands.off)
    assert "is being changed by another command: try again" in str(result.exception)
    assert file.read_text() == HAND


@pytest.mark.parametrize(
    ("words", "value"),
    [
        pytest.param(["budget", "900"], 900, id="number"),
        pytest.param(["guard", "deny"], "deny", id="bare word"),
        pytest.param(["guard", '"deny"'], "deny", id="as TOML"),
        pytest.param(["off", "true"], True, id="true"),
        pytest.param(["off", "recall"], ["recall"], id="a list of one"),
        pytest.param(["off", "recall", "guard"], ["recall", "guard"], id="a list of two"),
        pytest.param(["outcome_words", '["a", "b"]'], ["a", "b"], id="a list as TOML"),
        pytest.param(["outcome_words", "went live", 'say "x"'], ["went live", 'say "x"'], id="phrases"),
        pytest.param(["outcome_words", "true"], ["true"], id="a word that is TOML"),
    ],
)
def test_a_value_is_understood_as_it_is_meant(palace, words, value):
    run("config", "set", *words)
    assert tomllib.loads((palace / "config.toml").read_text()) == {words[0]: value}
    assert (palace / "config.toml").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["set", "budget", "-5"], "budget must be a whole number from 300 to 9500, not -5"),
        (["set", "budget", "7"], "budget must be a whole number from 300 to 9500, not 7"),
        (["set", "budget", "700\nguard = 'off'"], "budget must be"),
        (["set", "off", "everything"], "off must be true, false or a list of hooks"),
        (["set", "unheard", "1"], "no setting is called 'unheard': there are off, budget, outcome_words, guard"),
        (["get", "unheard"], "no setting is called 'unheard'"),
        (["unset", "unheard"], "no setting is called 'unheard'"),
    ],
)
def test_what_cannot_be_set_changes_nothing(file, words, said):
    result = CliRunner().invoke(commands.config, words)
    assert said in str(result.exception)
    assert file.read_text() == HAND


def test_a_file_that_is_no_toml_is_left_alone(file):
    file.write_text("budget = \n")
    result = CliRunner().invoke(commands.off)
    assert "config.toml cannot be changed" in str(result.exception)
    assert "correct it first" in str(result.exception)
    assert file.read_text() == "budget = \n"


def test_a_link_to_the_users_own_files_stays_one(tmp_path, palace):
    palace.mkdir()
    (tmp_path / "dotfiles.toml").write_text("budget = 700\n")
    (palace / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    run("config", "set", "budget", "800")
    assert (palace / "config.toml").is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == "budget = 800\n"


def test_off_and_on_again_leave_the_file_as_it_was(file):
    for words in ([], ["recall"], ["--project", "/work/shop"], ["recall", "--project", "/work/shop"]):
        assert "off: " in run("off", *words)
        assert "every hook is on" in run("on", *words)
        assert file.read_text().rstrip() == HAND.rstrip()


def test_off_is_off_as_the_hooks_see_it(palace, tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "src").mkdir()
    run("off", "recall")
    run("off", "guard")
    run("off", "--project", str(tmp_path / "shop" / "src"))
    held = read(str(palace), {})
    assert [hook for hook in HOOKS if held.silent(hook, "/")] == ["recall", "guard"]
    assert all(held.silent(hook, str(tmp_path / "shop" / "docs")) for hook in HOOKS)


def test_one_hook_on_where_all_are_off_leaves_the_others_off(palace):
    run("off")
    assert run("on", "recall") == "off: wake-up, guard, command, file-away, serve\n"


def test_on_says_what_is_off_all_the_same(palace):
    run("off", "--project", "/work/shop")
    assert "projects with hooks that are off: /work/shop" in run("on")
    assert "MEMPALACE_OFF is set" in run("on", env={"MEMPALACE_OFF": "1"})
    run("off")
    assert run("on", "--project", "/work/shop") == f"off: {', '.join(HOOKS)} in /work/shop\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["off", "wakeup"], "no hook is called 'wakeup' (did you mean wake-up?): there are wake-up, recall, guard,"),
        (["on", "everything"], "no hook is called 'everything': there are wake-up,"),
        (["config", "budget"], "say what to do with budget: get, set or unset, as in: mempalace config get budget"),
        (["config", "list"], "no such verb 'list': there are get, set, unset, path; \"mempalace config\" alone lists"),
    ],
)
def test_what_is_no_hook_and_no_verb_is_a_usage_error(palace, words, said):
    result = CliRunner().invoke(getattr(commands, words[0]), words[1:])
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not palace.exists()


@limits(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", *HOOKS]), st.booleans()), max_size=8))
def test_the_last_word_on_a_hook_is_what_holds(words):
    held, expected = False, dict.fromkeys(HOOKS, False)
    for hook, off in words:
        held = configuring.switched(held, hook, off)
        expected.update(dict.fromkeys([hook] if hook else HOOKS, off))
    silent = set(HOOKS if held is True else held or ())
    assert silent == {hook for hook, off in expected.items() if off}


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write anywhere")
def test_a_palace_that_cannot_be_written_to_says_so(file):
    Path(file.parent).chmod(0o500)
    result = CliRunner().invoke(commands.off)
    assert "cannot write" in str(result.exception)
