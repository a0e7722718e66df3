"""remember, forget and refile do what they say, everywhere at once, and it lasts."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from transcripts import Session, ask, everything_in, told

from mempalace import given, trajectory
from mempalace.cli import changing, main
from mempalace.layers.prompt_recall import answer
from mempalace.layers.wake_up import wake_up
from mempalace.mine import turnstile
from mempalace.visit import Visit

NOW = 1_780_000_000
AWS = "AKIA" + "ZQ7RTM2WPLX4NB6K"  # in two pieces, so that no scanner takes it for one


def cli(palace, *words):
    return CliRunner().invoke(main, [words[0], "--palace", str(palace), *map(str, words[1:])])


def done(palace, *words):
    """Run a command that has to succeed and return what it printed."""
    ran = cli(palace, *words)
    assert (ran.exit_code, ran.exception) == (0, None), ran.output
    return ran.stdout


def found(palace, *words):
    return [hit["snippet"] for hit in json.loads(done(palace, "search", "--json", *words)).get("sources", [])]


def citation(palace, *words):
    """Return the id of the first hit."""
    return json.loads(done(palace, "search", "--json", *words))["sources"][0]["id"]


def woken(palace, project):
    return wake_up(str(palace), cwd=str(project), env={}).text


def given_at(palace, project, session, prompt):
    """Return the block that a prompt is given, in the session of that name."""
    event = {"session_id": session, "cwd": str(project), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    env = {"MEMPALACE_HOME": str(palace)}
    visit = Visit("recall", json.dumps(event).encode(), env, now=NOW, began=0.0)
    said = answer(visit)
    visit.record()
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tower").mkdir()
    return tmp_path / "tower"


@pytest.fixture
def secret(palace, project, claude):
    """Return the transcript of a session that speaks of Rumpelstiltskin, mined beside one that does not."""
    session = Session("hidden", cwd=str(project))
    session.user("The code name of the winch is Rumpelstiltskin, remember it well.")
    session.agent("Decided: the winch is called Rumpelstiltskin from now on, in every file.")
    session.user("Fine. Which oil does it want?")
    session.agent("It wants whale oil, a cup a week.")
    other = Session("open", cwd=str(project))
    other.user("Where is the blue key?")
    other.agent("The blue key hangs in the attic, beside the lamp.")
    path = claude(session)
    done(palace, "mine", "--quiet", path, claude(other))
    return path


def bytes_of(palace):
    """Return every byte that the palace keeps, by file."""
    return {path: path.read_bytes() for path in Path(palace).rglob("*") if path.is_file()}


def holding(palace, word):
    """Return the palace's files in which a word can still be read, in whatever case."""
    return sorted(
        path.relative_to(palace).as_posix()
        for path, held in bytes_of(palace).items()
        if word.lower().encode() in held.lower()
    )


def test_a_note_is_found_at_once_and_told_by_its_id(palace, project):
    printed = done(palace, "remember", "--cwd", project, "The gateway is deployed on Thursdays, never on Fridays.")
    (id,) = json.loads(done(palace, "search", "--json", "gateway"))["sources"]
    assert printed == f"remembered [{id['id']}] in tower / {id['heading'].split(',')[0]}\n"
    assert id["snippet"] == "The gateway is deployed on Thursdays, never on Fridays."
    assert "never on Fridays" in woken(palace, project)


def test_a_note_goes_where_it_is_told_to(palace, project):
    note = json.loads(
        done(
            palace,
            "remember",
            "--wing",
            "cellar",
            "--room",
            "wine",
            "--importance",
            "6",
            "--json",
            "Drink the red first.",
        )
    )
    assert (note["wing"], note["room"], note["redacted"]) == ("cellar", "wine", 0)
    assert ask(palace, "SELECT importance, kind, loose FROM drawers") == [(6.0, 3, 1)]


def test_secrets_and_private_text_of_a_note_are_never_kept(palace, project):
    said = f"The key is {AWS} and <private>Rumpelstiltskin</private> knows it."
    assert "secrets redacted" in done(palace, "remember", "--cwd", project, said)
    assert holding(palace, AWS) == holding(palace, "Rumpelstiltskin") == []
    assert "The key is" in told(palace)[0][1]


@pytest.mark.parametrize(
    "text", ["", "  \n", "\0", "<private>all of it</private>"], ids=["none", "blank", "NUL", "private"]
)
def test_a_note_that_says_nothing_is_refused(palace, text):
    ran = cli(palace, "remember", "--", text)
    assert (ran.exit_code, ran.stderr) == (1, "mempalace: nothing to remember: the text is empty or private\n")


@pytest.mark.parametrize(
    "text", ["a lone \udcaf surrogate", "NUL \0 inside", "x" * 20_000, '" ; DROP TABLE drawers --']
)
def test_any_text_can_be_remembered(palace, project, text):
    done(palace, "remember", "--cwd", project, "--", text)
    held = "".join(text for _, text in told(palace))
    assert held.replace("\n", "") == text.encode("utf-8", "replace").decode().replace("\0", " ")


def test_a_pinned_note_is_told_first(palace, project, secret):
    done(palace, "remember", "--cwd", project, "--pin", "Never restart the lamp while the keeper sleeps in the tower.")
    lines = [line for line in woken(palace, project).splitlines() if line.startswith("- ")]
    stories = [line for line in lines if "[d:" in line]
    assert stories[0].startswith("- Never restart the lamp while the keeper sleeps in the tower.")


def test_nothing_is_remembered_where_no_palace_can_be(tmp_path, project):
    (tmp_path / "file").write_text("in the way")
    ran = cli(tmp_path / "file" / "palace", "remember", "--cwd", project, "The winch is oiled.")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("mempalace: cannot write to ")
    assert ran.stderr.count("\n") == 1


WAYS = {
    "by id": lambda palace: [citation(palace, "Decided Rumpelstiltskin", "role:agent")],
    "by session": lambda palace: ["--source", "hidden"],
    "by its row": lambda palace: ["s:1"],
    "by wing": lambda palace: ["--wing", "tower"],
    "by its words": lambda palace: ["--match", "rumpelSTILTSKIN"],
}


@pytest.mark.parametrize("way", list(WAYS)[1:])
def test_what_is_forgotten_is_nowhere_any_more(palace, project, secret, tmp_path, way):
    assert "Rumpelstiltskin" in given_at(palace, project, "new", "What is the code name of the winch, Rumpelstiltskin?")
    wake_up(str(palace), cwd=str(project), env={})
    assert "palace.db" in holding(palace, "Rumpelstiltskin")
    ids = ask(palace, "SELECT id FROM drawers WHERE text LIKE '%Rumpelstiltskin%'")
    receipt = json.loads(done(palace, "forget", "--json", *WAYS[way](palace)))
    assert receipt["drawers"] >= 2
    assert (receipt["in_store"], receipt["in_index"], receipt["in_trajectory"]) == (0, 0, 0)
    assert holding(palace, "Rumpelstiltskin") == []
    assert not [event for event in trajectory.events(str(palace)) if {id for (id,) in ids} & set(event.get("ids", ()))]
    assert not [text for text in found(palace, "Rumpelstiltskin winch") if "Rumpelstiltskin" in text]
    assert "Rumpelstiltskin" not in woken(palace, project)
    done(palace, "backup", tmp_path / "copy.db")
    assert b"rumpelstiltskin" not in (tmp_path / "copy.db").read_bytes().lower()


@pytest.mark.parametrize("way", list(WAYS))
def test_what_is_forgotten_stays_so_when_mined_again(palace, project, secret, claude, way):
    done(palace, "forget", *WAYS[way](palace))
    left = told(palace)
    os.utime(secret, (1, 1))
    done(palace, "mine", "--quiet", secret)
    (secret.parent / "copy").mkdir()
    copy = secret.parent / "copy" / "other-name.jsonl"
    copy.write_bytes(secret.read_bytes())
    done(palace, "mine", "--quiet", copy)
    done(palace, "mine", "--quiet", "--wing", "elsewhere", copy)
    assert told(palace) == left
    assert not [text for text in found(palace, "Rumpelstiltskin") if "Decided" in text]


def test_a_copy_does_not_bring_forgotten_words_back(palace, project, secret):
    done(palace, "forget", "--match", "Rumpelstiltskin")
    copy = secret.parent / "copy.jsonl"
    copy.write_bytes(secret.read_bytes())
    done(palace, "mine", "--quiet", copy)
    assert holding(palace, "Rumpelstiltskin") == []


def test_forgetting_one_drawer_leaves_the_others(palace, project, secret):
    before = told(palace)
    id = citation(palace, "whale oil")
    assert done(palace, "forget", f"[{id}]").startswith("forgot 1 drawers, 0 actions, 0 sessions; still found: 0 in")
    assert told(palace) == [one for one in before if "whale oil" not in one[1]]
    ran = cli(palace, "show", id)
    assert (ran.exit_code, ran.stderr) == (
        1,
        f"mempalace: no drawer {id[2:]}: it was never filed here, or it was forgotten\n",
    )


def test_a_dry_run_changes_nothing(palace, project, secret):
    held, index = everything_in(palace), bytes_of(palace / "index")
    printed = done(palace, "forget", "--dry-run", "--match", "rumpelstiltskin")
    assert printed.endswith("2 drawers of 0 whole sessions would be forgotten\n")
    assert printed.count("[d:") == 2
    assert json.loads(done(palace, "forget", "--dry-run", "--json", "--source", "hidden")) == {
        "drawers": 4,
        "sources": 1,
    }
    assert everything_in(palace) == held
    assert bytes_of(palace / "index") == index


def test_a_receipt_adds_up(palace, project, secret, claude):
    session = Session("deeds", cwd=str(project))
    session.user("Oil the winch, please, all of it.")
    session.tool("Bash", {"command": "oil --winch"})
    session.result()
    session.agent("The winch is oiled.")
    done(palace, "mine", "--quiet", claude(session))
    total = len(told(palace))
    receipt = json.loads(done(palace, "forget", "--json", "--source", "deeds"))
    assert (receipt["drawers"], receipt["actions"], receipt["sources"]) == (2, 1, 1)
    assert len(told(palace)) == total - 2
    assert ask(palace, "SELECT count(*) FROM actions") == [(0,)]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "name one thing: an ID, --source, --wing or --match"),
        (["d:abcd", "--wing", "tower"], "name one thing: an ID, --source, --wing or --match"),
        (["d:ffffffff"], "no drawer ffffffff: it was never filed here, or it was forgotten"),
        (["zz"], "'zz' is no drawer's id: give at least 4 of its hex digits"),
        (["--source", "nobody"], "no session nobody in this palace"),
        (["--wing", "cellar"], "no wing called 'cellar': the wings are tower"),
    ],
    ids=str,
)
def test_what_cannot_be_forgotten_is_one_clear_line(palace, secret, words, line):
    before = told(palace)
    for dry in ([], ["--dry-run"]):
        ran = cli(palace, "forget", *dry, *words)
        assert (ran.exit_code, ran.stdout, ran.stderr) == (1, "", f"mempalace: {line}\n")
    assert told(palace) == before


@pytest.mark.parametrize(
    "words", [["forget", "d:abcd"], ["refile", "d:abcd", "--wing", "x"]], ids=lambda words: words[0]
)
def test_no_palace_is_made_to_change_something_in_it(palace, words):
    assert cli(palace, *words).stderr.endswith('run "mempalace mine" first\n')
    assert not palace.exists()


def wings_of(palace):
    rows = ask(
        palace, "SELECT text, name FROM drawers JOIN wings ON wings.n = wing ORDER BY source, line, part, drawers.n"
    )
    return dict(rows)


def test_a_session_is_refiled_and_what_it_says_later_follows(palace, project, secret):
    assert done(palace, "refile", "--source", "hidden", "--wing", "harbour") == "moved 4 drawers to harbour\n"
    session = Session("hidden", cwd=str(project))
    session.records = [json.loads(line) for line in secret.read_text().splitlines()]
    session.last = session.records[-1]["uuid"]
    session.user("And where does the whale oil come from?")
    session.write(secret)
    done(palace, "mine", "--quiet", secret)
    assert wings_of(palace)["And where does the whale oil come from?"] == "harbour"
    assert {wing for text, wing in wings_of(palace).items() if "winch" in text or "oil" in text} == {"harbour"}
    assert wings_of(palace)["Where is the blue key?"] == "tower"
    assert found(palace, "--wing", "harbour", "whale oil")
    assert found(palace, "--wing", "tower", "whale oil") == []
    assert "Rumpelstiltskin" not in woken(palace, project)
    assert "Rumpelstiltskin" in wake_up(str(palace), wing="harbour", env={}).text


def test_a_drawer_is_refiled_and_stays_where_it_was_put(palace, project, secret):
    id = citation(palace, "Decided Rumpelstiltskin", "role:agent")
    assert json.loads(done(palace, "refile", id, "--wing", "harbour", "--json")) == {"moved": 1, "wing": "harbour"}
    os.utime(secret, (1, 1))
    done(palace, "mine", "--quiet", secret)
    moved = {text for text, wing in wings_of(palace).items() if wing == "harbour"}
    assert moved == {"Decided: the winch is called Rumpelstiltskin from now on, in every file."}
    assert found(palace, "--wing", "harbour", "Rumpelstiltskin") == list(moved)
    assert not moved & set(found(palace, "--wing", "tower", "Rumpelstiltskin"))
    assert "Rumpelstiltskin" in wake_up(str(palace), wing="harbour", env={}).text


def test_changes_wait_for_the_miner_and_say_so(palace, project, secret, monkeypatch):
    monkeypatch.setattr(changing, "WAIT", 0)
    with turnstile.turn(str(palace), 0):
        ran = cli(palace, "remember", "--cwd", project, "The winch is oiled.")
        assert (ran.exit_code, ran.stderr.count("\n")) == (1, 1)
        assert "miner is at work" in ran.stderr


def test_what_a_session_was_given_outlives_its_forgetting_as_an_id_alone(palace, project, secret):
    given_at(palace, project, "new", "What is the code name of the winch, Rumpelstiltskin?")
    assert given.of(str(palace), "new")
    done(palace, "forget", "--match", "Rumpelstiltskin")
    assert holding(palace, "Rumpelstiltskin") == []


def test_a_text_is_forgotten_wherever_it_stands(palace, project, claude, tmp_path):
    """A session's title and the commands that were run quote it too."""
    session = Session("quoted", cwd=str(project))
    session.record("custom-title", customTitle="On Rumpelstiltskin and his winch")
    session.user("Oil the winch, please, all of it.")
    session.tool("Bash", {"command": "oil --winch Rumpelstiltskin"})
    session.result("Rumpelstiltskin: no such winch", error=True)
    session.agent("Rumpelstiltskin is oiled.")
    path = claude(session)
    done(palace, "mine", "--quiet", path)
    assert "palace.db" in holding(palace, "Rumpelstiltskin")
    done(palace, "forget", "--match", "Rumpelstiltskin")
    assert holding(palace, "Rumpelstiltskin") == []
    (tmp_path / "copy.jsonl").write_bytes(path.read_bytes())
    done(palace, "mine", "--quiet", tmp_path / "copy.jsonl")
    assert holding(palace, "Rumpelstiltskin") == []
