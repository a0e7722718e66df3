"""`mempalace belief` and `beliefs`: what they print, what they change."""

import json
import re

import pytest
from click.testing import CliRunner

from mempalace.cli import changing
from mempalace.cli.believing import belief, beliefs
from mempalace.errors import PalaceError

COMMANDS = {"belief": belief, "beliefs": beliefs, "remember": changing.remember}
SURE = r"0\.83, 90% 0\.55 to 0\.99"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "quay").mkdir()
    monkeypatch.chdir(tmp_path / "quay")
    return tmp_path / "quay"


def run(*words):
    """Run a command and return what it prints; raises what the group would turn into one line."""
    ran = CliRunner().invoke(COMMANDS[words[0]], [str(word) for word in words[1:]])
    if isinstance(ran.exception, PalaceError):
        raise ran.exception
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def as_json(*words):
    return json.loads(run(*words, "--json"))


def id_of(*words):
    return as_json("belief", "add", *words)["belief"]["id"]


def test_a_belief_is_told_and_listed(project):
    printed = run("belief", "add", "We use pnpm here", "--kind", "package-manager", "--option", "pnpm")
    assert re.fullmatch(
        rf"\[b:[0-9a-f]{{8}}\] We use pnpm here  \(package-manager / node: pnpm\); {SURE}; quay\n", printed
    )
    assert run("belief", "list") == printed + "1 beliefs\n"


def test_a_belief_may_hold_everywhere_or_in_a_place_and_say_what_to_avoid(project):
    run("belief", "add", "--option", "npm", "--kind", "package-manager", "--avoid", "--global")
    run("belief", "add", "--option", "yarn", "--kind", "package-manager", "--glob", "legacy", "--wing", "docks")
    told = {one["option"]: one for one in as_json("belief", "list", "--all")["beliefs"]}
    assert (told["npm"]["wing"], told["npm"]["polarity"], told["npm"]["claim"]) == ("", "avoid", "avoid npm")
    assert (told["yarn"]["wing"], told["yarn"]["glob"]) == ("docks", "legacy")
    assert "(package-manager / node: not npm)" in run("belief", "list")
    assert "yarn" not in run("belief", "list")
    assert "docks in legacy" in run("belief", "list", "--wing", "docks", "--kind", "package-manager")


def test_a_later_word_supersedes_and_says_so(project):
    old = id_of("--kind", "package-manager", "--option", "poetry")
    printed = run("belief", "add", "--kind", "package-manager", "--option", "uv")
    assert printed.splitlines()[1] == f"  no longer: [b:{old[:8]}] use poetry"
    assert re.search(r"use poetry  .*; superseded 20\d\d-\d\d-\d\d$", run("belief", "show", old).splitlines()[0])
    assert run("belief", "list").endswith("1 beliefs\n")
    assert run("belief", "list", "--all").endswith("2 beliefs\n")


def test_a_belief_is_shown_with_its_evidence(project):
    run("remember", "We moved to uv.", "--kind", "package-manager", "--option", "uv")
    (one,) = as_json("belief", "list")["beliefs"]
    lines = run("belief", "show", one["id"][:8]).splitlines()
    assert lines[1] == "evidence   4.0 for, 0.0 against, of 1 observations"
    assert re.fullmatch(r"  20\d\d-\d\d-\d\d  for 4, user: We moved to uv\. \[d:[0-9a-f]{8}\]", lines[2])
    told = as_json("belief", "show", one["id"])
    assert told["belief"]["interval"] == [0.5493, 0.9898]
    assert told["evidence"][0]["said"] == "We moved to uv."


def test_a_rule_in_a_note_becomes_a_belief(project):
    run("remember", "Always run the linter before committing.")
    (one,) = as_json("belief", "list")["beliefs"]
    assert (one["claim"], one["origin"]) == ("Always run the linter before committing", "user")


def test_a_pin_holds_against_a_later_word_and_shows_the_dispute(project):
    id = id_of("--kind", "package-manager", "--option", "poetry", "--pin")
    for _ in range(2):
        run("belief", "add", "--kind", "package-manager", "--option", "uv")
    (one,) = as_json("belief", "list")["beliefs"]
    assert (one["option"], one["pinned"], one["disputed"]) == ("poetry", True, True)
    assert one["confidence"] == pytest.approx(5 / 6)
    assert "pinned; quay; disputed: what was seen since speaks against it" in run("belief", "list")
    assert "superseded" in run("belief", "unpin", id)
    assert [one["option"] for one in as_json("belief", "list")["beliefs"]] == ["uv"]


def test_a_belief_is_pinned_and_taken_back(project):
    id = id_of("Never deploy on Fridays")
    assert "; pinned; quay" in run("belief", "pin", id[:8])
    assert "withdrawn" in run("belief", "retire", f"[b:{id[:8]}]")
    assert run("belief", "list") == "0 beliefs\n"
    assert "taken back" in run("belief", "show", id)
    assert id_of("Never deploy on Fridays") == id
    assert run("belief", "list").endswith("1 beliefs\n")


def test_a_belief_said_otherwise_keeps_its_evidence_and_its_history(project):
    id = id_of("We use uv here", "--kind", "package-manager", "--option", "uv", "--pin")
    printed = run("belief", "edit", id, "--option", "poetry", "--glob", "old")
    new = as_json("belief", "list")["beliefs"][0]
    assert printed.splitlines()[1] == f"  no longer: [b:{id[:8]}] We use uv here"
    assert (new["option"], new["glob"], new["claim"], new["pinned"]) == ("poetry", "old", "use poetry", True)
    assert new["confidence"] == pytest.approx(5 / 6)
    assert len(as_json("belief", "show", new["id"])["evidence"]) == 2
    shown = as_json("belief", "show", id)
    assert (shown["belief"]["superseded_by"], shown["belief"]["pinned"]) == (new["id"], False)
    assert f"now holds  [b:{new['id'][:8]}] use poetry" in run("belief", "show", id)
    assert f"no longer  [b:{id[:8]}] We use uv here, superseded" in run("belief", "show", new["id"])


def test_words_alone_are_edited_in_place(project):
    id = id_of("uv it is", "--kind", "package-manager", "--option", "uv")
    told = as_json("belief", "edit", id, "--claim", "We use uv here")
    assert (told["belief"]["id"], told["belief"]["claim"], told["superseded"]) == (id, "We use uv here", [])


@pytest.mark.parametrize(
    "change",
    [["--kind", "runtime"], ["--subject", "snakes"], ["--avoid"], ["--wing", "docks"], ["--global"]],
    ids=lambda words: words[0],
)
def test_every_part_of_a_belief_can_be_edited(project, change):
    id = id_of("--kind", "package-manager", "--option", "uv")
    told = as_json("belief", "edit", id, *change)
    assert told["belief"]["id"] != id
    assert told["superseded"][0]["superseded_by"] == told["belief"]["id"]
    assert [one["id"] for one in as_json("belief", "list", "--all")["beliefs"] if not one["retired_at"]] == [
        told["belief"]["id"]
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["add", "--kind", "deploy"], "a belief needs a claim, or an option that it prefers"),
        (["show", "ffff"], "no belief ffff in this palace: see mempalace belief list"),
        (["pin", "zz"], "'zz' is no belief's id: give at least 4 of its hex digits"),
        (["unpin", "ID"], "belief ID is not pinned"),
        (["edit", "ID"], "nothing to change in belief ID: give what is to be different"),
        (["edit", "ID", "--claim", " "], "a belief needs a claim, or an option that it prefers"),
        (["list", "--wing", "cellar"], "no wing called 'cellar': the wings are quay"),
    ],
    ids=str,
)
def test_what_cannot_be_is_one_clear_line(project, words, line):
    id = id_of("Never deploy on Fridays")
    with pytest.raises(PalaceError) as error:
        run("belief", *(id[:8] if word == "ID" else word for word in words))
    assert str(error.value) == line.replace("ID", id[:8])
    assert run("belief", "list").endswith("1 beliefs\n")


@pytest.mark.parametrize("command", ["pin", "retire"])
def test_what_stands_no_more_is_not_changed(project, command):
    id = id_of("Never deploy on Fridays")
    run("belief", "retire", id)
    with pytest.raises(PalaceError, match=r"stands no more: say it again with mempalace belief add"):
        run("belief", command, id)


def test_no_palace_is_made_to_look_into_it_or_to_change_it(project, palace):
    for words in (["list"], ["show", "abcd"], ["pin", "abcd"], ["edit", "abcd", "--claim", "x"]):
        with pytest.raises(PalaceError, match='run "mempalace mine" first'):
            run("belief", *words)
    with pytest.raises(PalaceError, match='run "mempalace mine" first'):
        run("beliefs", "--for", "x", "--kind", "y")
    assert not palace.exists()


def test_global_and_a_wing_exclude_each_other(project):
    ran = CliRunner().invoke(belief, ["add", "x", "--global", "--wing", "docks"])
    assert ran.exit_code == 2
    assert "--global and --wing exclude each other" in ran.stderr


def test_beliefs_are_ranked_with_all_terms(project):
    run("belief", "add", "--kind", "package-manager", "--option", "pnpm", "--pin")
    run("belief", "add", "--kind", "package-manager", "--option", "yarn", "--glob", "packages/legacy")
    run("belief", "add", "Never deploy on Fridays", "--global")
    asked = ["beliefs", "--for", "install a dependency", "--kind", "package-manager"]
    first, second, third = run(*asked, "--path", "packages/legacy/app.js").splitlines()
    assert re.fullmatch(
        rf" 1\. \[b:\w{{8}}\] use yarn  right kind; local exception; {SURE}; weight 4\.0; quay in packages/legacy",
        first,
    )
    assert re.fullmatch(rf" 2\. \[b:\w{{8}}\] use pnpm  right kind; default; pinned; {SURE}; weight 4\.0; quay", second)
    assert third.startswith(" 3. ")
    assert "no kind; default" in third
    assert [one["belief"]["option"] for one in as_json(*asked)["beliefs"]] == ["pnpm", ""]
    assert as_json(*asked)["beliefs"][0]["kind"] == "right kind"
    assert "linked" in run("beliefs", "--for", "add a node module", "--kind", "package-manager").splitlines()[0]


def test_where_nothing_is_believed_it_says_so(project):
    run("belief", "add", "x", "--wing", "docks")
    assert run("beliefs", "--for", "x", "--kind", "y") == "nothing is believed here\n"
