"""UserPromptExpansion: what is typed after a slash command reaches it unchanged, and no shell."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from transcripts import Session, ask, told

from mempalace.cli import main

HOOK = "command.py"
PROGRAMS = str(Path(sys.executable).parent)


@pytest.fixture
def shop(tmp_path, palace, claude):
    """Return a project's folder with one session mined."""
    project = tmp_path / "shop"
    project.mkdir()
    session = Session("first", cwd=str(project))
    session.user("Where does the blue key hang?")
    session.agent("Decided: the blue key hangs in the attic, behind the second lantern.")
    mined = CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(claude(session))])
    assert mined.exit_code == 0, mined.output
    return project


def typed(shop, name, words="", **more):
    return {
        "session_id": "abc", "cwd": str(shop), "hook_event_name": "UserPromptExpansion", "command_name": name,
        "command_args": words, **more,
    }  # fmt: skip


def body(ran):
    """Return what stands between the frame's lines."""
    first, *inner, last = ran.context.split("\n")
    assert first.startswith("[mempalace] ")
    assert last == "[/mempalace]"
    return "\n".join(inner)


def test_search_answers_with_citations(client, shop, palace):
    ran = client.run(HOOK, typed(shop, "mempalace:search", "blue key"))
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == "UserPromptExpansion"
    assert ran.context.startswith("[mempalace] search\n[d:")
    printed = CliRunner().invoke(main, ["search", "--palace", str(palace), "--limit", "8", "blue key"]).stdout
    assert body(ran) == printed.strip()
    (line,) = ran.lines
    assert (line["hook"], line["command"]) == ("command", "search")
    assert line["characters"] == len(ran.context)


NASTY = (
    "it's", '"', "'", '"$(touch X)"', "$(touch X)", "`touch X`", "; touch X", "&& touch X #", "| tee X", "> X",
    "a\ntouch X", "\\", "\\\"; touch X; \\\"", "--help", "--palace /tmp --json", "-- -x", "${IFS}touch${IFS}X",
    "!!", "%s %d {0}", "*", "\udcaf", "\0", "wing:nowhere", "日本語 ☂",
)  # fmt: skip


@pytest.mark.parametrize("words", NASTY, ids=ascii)
def test_words_reach_the_search_unchanged_and_run_nothing(client, shop, palace, words):
    said = f"blue key {words}"
    ran = client.run(HOOK, typed(shop, "mempalace:search", said), cwd=shop)
    assert (ran.status, ran.err) == (0, "")
    plain = CliRunner().invoke(main, ["search", "--palace", str(palace), "--limit", "8", "--", said.strip()])
    assert body(ran) == (plain.stdout + plain.stderr).strip()
    if words != "wing:nowhere":
        assert "the blue key hangs in the attic" in body(ran)
    assert list(shop.iterdir()) == []


@pytest.mark.parametrize("words", NASTY, ids=ascii)
def test_words_are_remembered_as_they_were_typed(client, shop, palace, words):
    said = f"Mind the gap {words}"
    ran = client.run(HOOK, typed(shop, "mempalace:remember", said), cwd=shop)
    assert ran.status == 0
    assert body(ran).startswith("remembered [d:")
    (held,) = [text for kind, text in told(palace) if kind == "note"]
    assert held == said.replace("\udcaf", "?").replace("\0", " ").strip()
    assert ask(palace, "SELECT name FROM drawers JOIN wings ON wings.n = wing WHERE kind = 3") == [("shop",)]
    assert list(shop.iterdir()) == []


def test_a_secret_that_is_typed_is_not_kept(client, shop, palace):
    key = "AKIA" + "ZQ7RTM2WPLX4NB6K"
    assert "secrets redacted" in body(client.run(HOOK, typed(shop, "mempalace:remember", f"The key is {key} for now.")))
    kept = b"".join(path.read_bytes() for path in palace.rglob("*") if path.is_file())
    assert key.encode() not in kept


@pytest.mark.parametrize(
    "name", ["mempalace:help", "mempalace:", "mempalace:nonsense", "mempalace:forget", "mempalace:Search"]
)
def test_a_command_of_ours_that_is_not_known_gets_the_help(client, shop, name):
    ran = client.run(HOOK, typed(shop, name, "x"))
    assert body(ran).startswith("/mempalace:search WORDS")
    assert ran.status == 0


@pytest.mark.parametrize(
    "name", ["other:search", "search", "", "mempalace", "xmempalace:search", "mempalace:search:x", None]
)
def test_somebody_else_s_command_gets_nothing(client, shop, name):
    ran = client.run(HOOK, typed(shop, name, "blue key"))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["did"] == "nothing: not ours"
    assert "failed" not in line


@pytest.mark.parametrize("name", ["search", "remember", "why"])
def test_a_command_without_its_words_asks_for_them(client, shop, name):
    assert body(client.run(HOOK, typed(shop, f"mempalace:{name}", "  \n"))) == f"say what: /mempalace:{name} WORDS"


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("recall", "", "the blue key hangs in the attic"),
        ("recall", "decisions", "the blue key hangs in the attic"),
        ("recall", "no such room", "nothing found"),
        ("recall", "--help", "nothing found"),
        ("wake-up", "", "Notes recalled from earlier sessions in shop"),
        ("status", "", "2 drawers"),
        ("why", "d:ffffffff", "mempalace: no drawer ffffffff"),
        ("why", "--help", "is no drawer's id"),
        ("search", "since:never key", "mempalace: 'never' is no date"),
        ("search", "xylophone", "nothing found"),
    ],
)
def test_each_command_answers(client, shop, name, words, said):
    ran = client.run(HOOK, typed(shop, f"mempalace:{name}", words))
    assert said in body(ran)
    assert (ran.status, ran.err) == (0, "")


def test_without_a_palace_a_command_says_what_to_do(client, tmp_path, palace):
    (palace / "x").mkdir(parents=True)
    ran = client.run(HOOK, typed(tmp_path, "mempalace:search", "key"), env={"PATH": PROGRAMS})
    assert 'run "mempalace mine" first' in body(ran)


def test_a_long_answer_is_cut_below_what_the_client_takes(client, shop, palace, claude):
    session = Session("long", cwd=str(shop))
    for n in range(12):
        session.user(f"Zeppelin {n}:\n" + "\n".join(f"mast {n} {line}" for line in range(200)))
    assert CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(claude(session))]).exit_code == 0
    for name, words in (("search", "zeppelin mast"), ("remember", "The mast. " * 30_000)):
        ran = client.run(HOOK, typed(shop, f"mempalace:{name}", words))
        assert len(ran.context) < 10_000
        assert ran.context.endswith("[/mempalace]")


def test_words_that_were_cut_are_said_to_be(client, shop, palace):
    ran = client.run(HOOK, typed(shop, "mempalace:remember", "塔" * 100_000))
    read = sum(len(text) for kind, text in told(palace) if kind == "note")
    assert f"[only the first {read} characters of what was typed were read]" in ran.context
    assert read > 9_000


def test_off_is_off(client, shop):
    ran = client.run(HOOK, typed(shop, "mempalace:search", "blue key"), env={"MEMPALACE_OFF": "1"})
    assert (ran.status, ran.out) == (0, "")


def test_a_broken_palace_is_told_in_a_line(client, shop, palace):
    for path in palace.glob("palace.db*"):
        path.write_bytes(b"garbage" * 1000)
    ran = client.run(HOOK, typed(shop, "mempalace:search", "key"))
    assert ran.status == 0
    assert body(ran).count("\n") == 0
    assert "mempalace doctor" in body(ran)
