"""What a user sets: read once, kept for every Python, and never in the way."""

import builtins
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from mempalace import config, settings
from mempalace.settings import HOOKS, KEYS, PROJECTS, Settings, read

ROOT = Path(__file__).parents[1]


@pytest.fixture
def write(palace):
    """Return a function that writes the palace's config.toml."""
    palace.mkdir()

    def to(text):
        (palace / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(palace)

    return to


@pytest.fixture
def old_python(monkeypatch):
    """Return a function that takes TOML's reader away, as before Python 3.11."""
    usual = builtins.__import__

    def missing(name, *more, **named):
        if name == "tomllib":
            raise ImportError(name)
        return usual(name, *more, **named)

    return lambda: monkeypatch.setattr(builtins, "__import__", missing)


def test_without_a_file_the_defaults_hold(palace):
    assert read(str(palace), {}) == Settings()
    assert not palace.exists()


def test_every_setting_is_read(write):
    palace = write('off = ["recall"]\nbudget = 700\noutcome_words = ["greenlit"]\nguard = "ask"\n')
    assert read(palace, {}) == Settings(False, 700, ("greenlit",), "", "ask", (("recall", ""),))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("budget = ", "config.toml cannot be read", id="no TOML"),
        pytest.param(b"budget = 700 # \xff", "config.toml cannot be read", id="not UTF-8"),
        pytest.param("a = " + "[" * 3000, "config.toml cannot be read", id="nested without end"),
        pytest.param("budget = 299", "budget must be a whole number from 300 to 9500", id="too small"),
        pytest.param("budget = true", "budget must be", id="true is no number"),
        pytest.param("budget = 700.0", "budget must be", id="no whole number"),
        pytest.param('off = "yes"', "off must be true, false or a list of hooks", id="off is no word"),
        pytest.param('off = ["wakeup"]', "off must be true, false or a list of hooks (wake-up,", id="no such hook"),
        pytest.param("outcome_words = [1]", "outcome_words must be a list of words", id="no words"),
        pytest.param("guard = [1]", "guard must be one of warn, ask, deny, off", id="no such guard"),
        pytest.param("bugdet = 700", "no setting is called 'bugdet' (did you mean budget?): there", id="a slip"),
        pytest.param("unheard = 1", "no setting is called 'unheard': there are off, budget,", id="unknown"),
        pytest.param("projects = 3", "no setting is called 'projects'", id="projects is no table"),
        pytest.param('[projects."/a"]\nbudget = 700', "must hold off, and nothing else", id="unknown in a project"),
        pytest.param('[projects."/a"]\noff = 2', "must hold off, and nothing else", id="off of a project"),
    ],
)
def test_what_cannot_be_used_is_said_and_its_default_holds(write, text, said):
    for _ in ("from the file", "from its copy"):
        found = read(write(text), {})
        assert said in found.wrong
        assert found._replace(wrong="") == Settings()


def test_a_wrong_key_costs_no_other(write):
    found = read(write('budget = 3\nguard = "deny"\n[projects."/a"]\noff = true\nmore = 1\n'), {})
    assert (found.guard, found.budget, found.silent("recall", "/a")) == ("deny", 4000, True)
    assert found.wrong.count("config.toml") == 2


def test_what_was_switched_off_stays_off_while_the_file_is_broken(write):
    palace = write('off = true\nguard = "deny"\n')
    read(palace, {})
    for _ in ("from the file", "from its copy"):
        found = read(write("off = \n"), {})
        assert (found.off, found.guard) == (True, "deny")
        assert "what it said before holds until it is mended" in found.wrong
    assert read(write("budget = 700"), {}) == Settings(budget=700)


def test_a_link_to_a_file_that_is_gone_is_said(palace, tmp_path):
    palace.mkdir()
    (palace / "config.toml").symlink_to(tmp_path / "gone.toml")
    assert "config.toml is a link to a file that is gone" in read(str(palace), {}).wrong


def test_a_change_that_keeps_size_and_time_is_seen(write, tmp_path):
    path = Path(write("budget = 700"), "config.toml")
    assert read(str(path.parent), {}).budget == 700
    held = path.stat()
    draft = tmp_path / "draft"
    draft.write_text("budget = 800")
    os.utime(draft, ns=(held.st_atime_ns, held.st_mtime_ns))
    os.replace(draft, path)
    assert read(str(path.parent), {}).budget == 800


def test_the_former_file_is_not_read_and_that_is_said(palace):
    palace.mkdir()
    (palace / "config.json").write_text('{"budget": 700}')
    found = read(str(palace), {})
    assert found.budget == 4000
    assert "config.json is not read: write its keys into config.toml and remove it" in found.wrong


@pytest.mark.parametrize(
    "text", ["budget = 700\r\n", "\ufeffbudget = 700", "budget = 700"], ids=["CRLF", "BOM", "bare"]
)
def test_a_file_of_any_editor_is_read(write, text):
    assert read(write(text), {}) == Settings(budget=700)


def test_what_is_no_file_is_not_waited_for(palace):
    palace.mkdir()
    os.mkfifo(palace / "config.toml")
    assert "config.toml is no file" in read(str(palace), {}).wrong


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_goes_before_the_file(write, value, off):
    found = read(write("off = false\nbudget = 700"), {"MEMPALACE_OFF": value})
    assert found.off is off
    assert [found.silent(hook, "/") for hook in HOOKS] == [off] * len(HOOKS)


@pytest.mark.parametrize(
    ("text", "cwd", "silent"),
    [
        pytest.param("off = true", "/work/shop", HOOKS, id="every hook"),
        pytest.param('off = ["recall", "guard"]', "/work/shop", ("recall", "guard"), id="two hooks"),
        pytest.param("off = false", "/work/shop", (), id="none"),
        pytest.param('[projects."/work/shop"]\noff = true', "/work/shop/src", HOOKS, id="inside of a project"),
        pytest.param('[projects."/work/shop/"]\noff = true', "/work/shop", HOOKS, id="a separator at its end"),
        pytest.param('[projects."/work/shop"]\noff = true', "/work/shopping", (), id="a like name"),
        pytest.param('[projects."/work/shop"]\noff = true', "/work", (), id="above a project"),
        pytest.param('[projects."/work/shop"]\noff = ["recall"]', "/work/shop", ("recall",), id="a project's hook"),
        pytest.param('[projects."/"]\noff = true', "/work/shop", HOOKS, id="the root"),
        pytest.param('[projects."/w/a"]\noff = false', "/w/a", (), id="a project that is on"),
        pytest.param('[projects."/w/a"]\noff = true', "/w/a/.worktrees/fix/src", HOOKS, id="a worktree inside"),
        pytest.param('[projects."/w/a"]\noff = true', "/w/a-worktrees/fix/src", HOOKS, id="a worktree beside"),
    ],
)
def test_off_means_off(write, text, cwd, silent):
    found = read(write(text), {})
    assert tuple(hook for hook in HOOKS if found.silent(hook, cwd)) == silent


def test_a_project_is_known_through_a_link_and_by_the_home_folder(write, tmp_path):
    shop = Path(os.environ["HOME"]) / "shop"
    shop.mkdir()
    (tmp_path / "link").symlink_to(shop)
    found = read(write('[projects."~/shop"]\noff = true\n'), {})
    assert found.silent("recall", str(tmp_path / "link"))


def test_what_was_read_once_needs_no_reader_of_toml(write, old_python):
    palace = write('budget = 700\nguard = "ask"\n[projects."/a"]\noff = true\n')
    first = read(palace, {})
    old_python()
    assert read(palace, {}) == first
    assert first.budget == 700


def test_an_older_python_goes_on_with_what_it_has_and_says_so(write, old_python):
    palace = write("budget = 700")
    read(palace, {})
    write("budget = 1700")
    old_python()
    found = read(palace, {})
    assert found.budget == 700
    assert (
        "config.toml was changed since it was last read, and this Python cannot: run `mempalace config`" in found.wrong
    )


def test_an_older_python_without_a_copy_takes_the_defaults(write, old_python):
    palace = write("budget = 700")
    old_python()
    found = read(palace, {})
    assert found.budget == 4000
    assert found.wrong
    assert not os.path.exists(os.path.join(palace, config.CACHE))


@pytest.mark.parametrize("minor", [9, 10])
def test_a_real_older_python_reads_the_copy(write, minor):
    found = sorted(Path(sys.base_prefix).parent.glob(f"*/bin/python3.{minor}"))
    if not found:
        pytest.skip(f"no python3.{minor} here")
    palace = write("budget = 700")
    read(palace, {})
    code = "import sys; sys.path.append(sys.argv[1]); from mempalace.settings import read; print(read(sys.argv[2], {}))"
    for changed in (False, True):
        if changed:
            write("budget = 1700")
        words = [str(found[0]), "-I", "-S", "-c", code, str(ROOT), palace]
        done = subprocess.run(words, capture_output=True, text=True)
        assert "budget=700" in done.stdout, done.stderr
        assert ("this Python cannot" in done.stdout) is changed


def test_a_change_of_the_file_is_seen(write):
    palace = write("budget = 700")
    assert read(palace, {}).budget == 700
    os.utime(write("budget = 800"), ns=(1, 1))
    os.utime(os.path.join(palace, "config.toml"), ns=(1, 1))
    assert read(palace, {}).budget == 800


@pytest.mark.parametrize("kept", ["", "{", "[]", "[" * 9999, '{"of": [1, 2]}', '{"given": 3, "wrong": []}'])
def test_a_damaged_copy_is_made_anew(write, kept):
    palace = write("budget = 700")
    path = Path(palace, config.CACHE)
    path.write_text(kept)
    assert read(palace, {}).budget == 700
    assert json.loads(path.read_text())["given"] == {"budget": 700}
    assert path.stat().st_mode & 0o777 == 0o600


def test_dates_and_odd_numbers_do_not_stop_the_copy(write):
    palace = write("budget = 700\na = 2026-01-02\nb = inf\nc = 99999999999999999999999\n")
    assert read(palace, {}) == read(palace, {})
    assert read(palace, {}).budget == 700


def test_a_palace_that_cannot_be_written_to_is_read_all_the_same(write, monkeypatch):
    palace = write("budget = 700")

    def refuse(*_):
        raise PermissionError(13, "no")

    monkeypatch.setattr(config, "private", refuse)
    assert read(palace, {}).budget == 700
    assert os.listdir(palace) == ["config.toml"]


@hypothesis_settings(max_examples=60, deadline=None)
@given(given=st.dictionaries(st.sampled_from([*settings.BY_NAME, PROJECTS, "x"]), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(HOOKS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=6,
)))  # fmt: skip
def test_whatever_is_given_the_settings_are_sound(given):
    wrong = []
    used = settings._used(given, "file", wrong)
    assert all(key.fits(used.get(key.name, key.default)) for key in KEYS)
    assert all(name in used or name == PROJECTS or wrong for name in given)


def test_each_default_fits_its_own_key():
    assert all(key.fits(key.default) for key in KEYS)
    plain = Settings()._asdict()
    assert all(list(plain[key.name]) == key.default if key.name == "outcome_words" else plain[key.name] == key.default
               for key in KEYS)  # fmt: skip


def test_the_page_on_settings_names_every_key_with_its_default():
    page = (ROOT / "website" / "docs" / "settings.md").read_text("utf-8")
    for key in KEYS:
        (section,) = [part for part in page.split("\n### ") if part.startswith(key.name + "\n")]
        assert key.help in section
        assert f"`{json.dumps(key.default)}`" in section
    assert f"[{PROJECTS}." in page
    assert all(f"`{hook}`" in page for hook in HOOKS)


def test_the_copy_costs_a_hook_no_reader_of_toml(write):
    palace = write("budget = 700")
    read(palace, {})
    code = "import sys; sys.path.insert(0, sys.argv[1]); from mempalace.settings import read; read(sys.argv[2], {})"
    words = [sys.executable, "-I", "-S", "-c", code + "; print('tomllib' in sys.modules)", str(ROOT), palace]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"
