"""The command line: what it prints, how it ends."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner
from transcripts import Session

from mempalace import __version__
from mempalace.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
DEMANDS = {
    "search": ["lens"], "forget": ["abcd"], "refile": ["abcd", "--wing", "x"], "show": ["abcd"], "why": ["abcd"],
    "backup": ["copy.db"], "belief": ["list"], "beliefs": ["--for", "a lens", "--kind", "tool"], "turn": ["abcd"],
    "decide": ["How?", "--option", "a=A", "--kind", "deploy"], "replay": ["abcd"], "learn": ["abcd", "wrong"],
    "predict": ["x"], "calibrate": ["predict"], "export": ["-"],
}  # fmt: skip
MAKERS = ("mine", "remember", "restore", "import")  # these need no palace: they make one
OUTSIDE = ("config", "on", "off", "log", "setup", "uninstall")  # these are about what lies beside one
SERVERS = ("mcp",)  # these speak to a program
READERS = [name for name in COMMANDS if name not in (*MAKERS, *OUTSIDE, *SERVERS)]


def run(*words, **options):
    return CliRunner().invoke(main, [str(word) for word in words], **options)


def said(*words):
    """Return what a command that must succeed prints."""
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*words):
    return json.loads(said(*words, "--json"))


@pytest.fixture
def full(palace, claude, tmp_path, monkeypatch):
    """Mine two projects' sessions and return the palace."""
    lighthouse, garden = tmp_path / "lighthouse", tmp_path / "garden"
    for folder in (lighthouse, garden):
        folder.mkdir()
    session = transcripts.talk("lamp", 2, cwd=str(lighthouse))
    session.record("custom-title", customTitle="Polish the lamp")
    session.user("Please look at the fog horn, which woke the whole village.")
    session.agent("A helper looked at the horn on its own.", isSidechain=True)
    session.agent('{"horn": 7, "fog": [1, 2, 3], "loud": true, "ids": ["a-1", "b-2"]}', id="m-json")
    session.user("Well?")
    session.agent("The fog horn is fixed: a valve was stuck. Short one.", id="m-fixed")
    claude(session)
    other = Session("roses", cwd=str(garden))
    other.user("Which roses did we agree on for the garden wall?")
    other.agent("We decided to plant white roses along the garden wall.")
    claude(other, folder="-work-garden")
    monkeypatch.chdir(lighthouse)
    said("mine", "--quiet")
    return palace


def drawers(palace, wing="lighthouse"):
    """Return the drawers of a wing by their words' opening."""
    rows = transcripts.ask(
        palace, "SELECT text, drawers.id FROM drawers JOIN wings ON wings.n = wing WHERE name = ?", (wing,)
    )
    return dict(rows)


def one(palace, opening):
    """Return the id of the drawer that opens so."""
    (id,) = [id for text, id in {**drawers(palace), **drawers(palace, "garden")}.items() if text.startswith(opening)]
    return id


def test_help_names_every_command():
    told = said("--help")
    assert all(re.search(rf"^  {name} ", told, re.M) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    assert said(name, "--help").startswith(f"Usage: main {name}")


def test_the_version_is_told():
    assert said("--version") == f"mempalace, version {__version__}\n"


@pytest.mark.parametrize("name", READERS)
def test_a_missing_palace_is_one_line_and_status_one(name, palace, tmp_path):
    result = run(name, *DEMANDS.get(name, []))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f'mempalace: no palace at {palace}: run "mempalace mine" first\n'
    assert not palace.exists()


@pytest.mark.parametrize("words", [["--rebuild"], ["--json"], ["--rebuild", "--json"]], ids=" ".join)
def test_no_way_of_calling_the_doctor_makes_a_palace(words, palace):
    result = run("doctor", *words)
    assert result.exit_code == 1
    assert result.stderr == f'mempalace: no palace at {palace}: run "mempalace mine" first\n'
    assert not palace.exists()


def test_explaining_a_missing_palace_says_the_same(palace):
    result = run("wake-up", "--explain")
    assert result.exit_code == 1
    assert result.stderr == f'mempalace: no palace at {palace}: run "mempalace mine" first\n'


def test_a_palace_may_be_named(full, palace, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMPALACE_HOME", str(tmp_path / "another"))
    assert run("status").exit_code == 1
    assert as_json("status", "--palace", palace)["drawers"] > 0


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["mine"], {"files", "unchanged", "drawers"}),
        (["mine", "--dry-run"], {"files"}),
        (["wake-up"], {"text", "wing", "shown", "considered", "total", "how"}),
        (["wake-up", "--fresh"], {"text"}),
        (["wake-up", "--explain"], {"wing", "total", "considered", "shown", "how", "fates"}),
        (["search", "fog", "horn"], {"query", "sources"}),
        (["recall"], {"sources"}),
        (["remember", "The", "key", "hangs", "behind", "the", "door."], {"ids", "wing", "room"}),
        (["forget", "--wing", "garden", "--dry-run"], {"drawers", "sources"}),
        (["refile", "--source", "s:1", "--wing", "sea"], {"moved", "wing"}),
        (["status"], {"drawers", "sources", "wings", "index", "palace", "waiting", "hooks"}),
        (["wings"], {"wings"}),
        (["rooms"], {"rooms"}),
        (["show", "s:1"], {"session", "drawers"}),
        (["doctor"], {"version", "findings"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_json_is_one_document(full, words, keys):
    assert keys <= set(as_json(*words))


def test_json_of_one_drawer(full):
    id = one(full, "The fog horn is fixed")
    assert set(as_json("show", id)) == {"drawer", "session", "path", "before", "after"}
    assert set(as_json("why", id)) == {"id", "gate", "said", "last_recall"}


def test_every_json_option_is_tested_above():
    """A command that prints JSON is found by its option."""
    with_json = {name for name in COMMANDS if "--json" in said(name, "--help")}
    without = "backup restore export belief calibrate on off setup".split()
    assert with_json == set(COMMANDS) - {*without, *SERVERS}


def test_the_wake_up_is_that_of_the_folder(full, tmp_path):
    assert "fog horn is fixed: a valve was stuck." in said("wake-up")
    told = said("wake-up", "--cwd", tmp_path / "garden")
    assert "white roses" in told
    assert "fog horn" not in told
    assert told == said("wake-up", "--wing", "garden")


def test_an_unknown_wing_names_the_known(full):
    for name in ("wake-up", "rooms"):
        result = run(name, "--wing", "gardn")
        assert result.exit_code == 1
        assert result.stderr == "mempalace: no wing called 'gardn': the wings are lighthouse, garden\n"


def test_explaining_lists_every_candidate_with_its_fate(full):
    told = as_json("wake-up", "--explain")
    assert len(told["fates"]) == told["considered"]
    assert sum(fate["fate"] == "shown" for fate in told["fates"]) == told["shown"]
    woken = as_json("wake-up")
    assert (told["considered"], told["total"], told["shown"]) == (
        woken["considered"],
        woken["total"],
        len(woken["shown"]),
    )
    printed = said("wake-up", "--explain").splitlines()
    assert printed[0].startswith(f"lighthouse: {told['shown']} shown of {told['considered']} considered, ")
    assert len(printed) == 2 + len(told["fates"])


def test_a_line_said_twice_in_one_drawer_is_counted_twice(palace, claude, tmp_path, monkeypatch):
    (tmp_path / "pier").mkdir()
    session = Session("pier", cwd=str(tmp_path / "pier"))
    session.user("What happened to the planks of the pier?")
    session.agent("The pier was repaired and painted.\n\nThe pier was repaired and painted.")
    claude(session)
    said("mine", "--quiet")
    told = as_json("wake-up", "--explain", "--wing", "pier")
    assert len(told["fates"]) == told["considered"] == 3


def test_explaining_junk_lists_it_too(palace, claude, tmp_path):
    (tmp_path / "pier").mkdir()
    session = Session("pier", cwd=str(tmp_path / "pier"))
    for n in range(20):
        session.agent(f"Looking at plank {n} on the way.")
        session.tool("Bash", {"command": "tap"})
        session.result()
    claude(session)
    said("mine", "--quiet")
    told = as_json("wake-up", "--explain", "--wing", "pier")
    assert told["how"] == "unfiltered"
    assert (told["shown"], told["considered"], len(told["fates"])) == (15, 20, 20)


@pytest.mark.parametrize(
    ("opening", "gate"),
    [
        ("The fog horn is fixed", "recent"),
        ("Please polish lens number 1", "shown"),
        ("First I look at lens 0", "narration"),
        ("A helper looked", "aside"),
        ('{"horn"', "excluded"),
        ("Well?", "excluded"),
    ],
)
def test_why_names_the_gate(full, opening, gate):
    id = one(full, opening)
    told = said("why", id)
    assert told.startswith(f"{id[:8]}: {gate}\n")
    assert len(told.splitlines()) > 1


def test_why_of_a_line_that_lost_says_to_whom(palace, claude, tmp_path):
    (tmp_path / "pier").mkdir()
    for n in range(3):
        session = Session(f"pier-{n}", cwd=str(tmp_path / "pier"))
        session.user(f"What happened at the pier on day {'abc'[n]}?")
        session.agent("The old pier was repaired and painted by the same two painters as before.", id=f"m-{n}")
        claude(session)
    said("mine", "--quiet")
    rows = transcripts.ask(palace, "SELECT id FROM drawers WHERE text LIKE 'The old pier%'")
    gates = sorted(as_json("why", id)["gate"] for (id,) in rows)
    assert set(gates) == {"duplicate of [d", "recent"}


def test_showing_a_drawer_by_its_prefix(full):
    id = one(full, "The fog horn is fixed")
    for form in (id, id[:8], f"d:{id[:8]}", f"[d:{id[:8]}]", id[:8].upper()):
        told = said("show", form)
        assert f"== {id}  lighthouse / " in told
        assert "The fog horn is fixed: a valve was stuck. Short one." in told
        assert re.search(r"lamp\.jsonl:\d+$", told, re.M)


def test_showing_a_drawer_shows_what_stands_around_it(full):
    id = one(full, "The fog horn is fixed")
    assert "Well?" in said("show", id)
    assert "Well?" not in said("show", id, "--around", 0)
    assert len(as_json("show", id, "--around", 1)["before"]) == 1


def test_a_prefix_of_several_drawers_names_them(full):
    with sqlite3.connect(full / "palace.db") as db:
        ids = [row[0] for row in db.execute("SELECT id FROM drawers ORDER BY n LIMIT 2")]
        for n, id in enumerate(ids):
            db.execute("UPDATE drawers SET id = ? WHERE id = ?", (f"abcd{n}" + id[5:], id))
    db.close()
    result = run("show", "abcd")
    assert result.exit_code == 1
    assert "short for several drawers" in result.stderr
    assert result.stderr.count("abcd") == 3
    assert said("show", "abcd1").startswith("[d:") or "abcd1" in said("show", "abcd1")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        pytest.param("ffffffff", "no drawer ffffffff: it was never filed here, or it was forgotten", id="unknown"),
        pytest.param("abc", "'abc' is no drawer's id: give at least 4 of its hex digits", id="too short"),
        pytest.param("lamp", "'lamp' is no drawer's id", id="no digits"),
        pytest.param("s:99", "no session s:99 in this palace", id="unknown session"),
        pytest.param("s:x", "no session s:x in this palace", id="no session"),
        pytest.param("", "'' is no drawer's id", id="empty"),
    ],
)
def test_an_id_that_names_nothing_is_an_error(full, key, words):
    result = run("show", key)
    assert result.exit_code == 1
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_showing_a_session(full):
    told = said("show", "s:1")
    assert told.startswith("session  Polish the lamp\n") or "session  Polish the lamp" in said("show", "s:2")
    assert as_json("show", "s:1") == as_json("show", "[s:1]")


def test_status_counts(full):
    told = as_json("status")
    assert (told["wings"], told["sources"], told["index"], told["waiting"]) == (2, 2, "current", 0)
    assert told["drawers"] == len(drawers(full)) + len(drawers(full, "garden"))
    assert told["harnesses"] == {"claude-code": 2}
    assert f"holds    {told['drawers']} drawers of 2 sessions in 2 wings; 2 actions" in said("status")


def test_status_tells_how_the_hooks_do(full):
    with open(full / "trajectory.jsonl", "w", encoding="utf-8") as file:
        for took, failed in ((10, ""), (20, ""), (30, "it broke")):
            file.write(json.dumps({"hook": "wake-up", "took_ms": took, "failed": failed}) + "\n")
    told = as_json("status")["hooks"]["wake-up"]
    assert (told["runs"], told["failed"], told["median_ms"], told["last_failure"]) == (3, 1, 20.0, "it broke")
    assert "hook     wake-up: 3 runs, median 20.0 ms, 1 failed, last: it broke" in said("status")


def test_wings_and_rooms_are_lines_into_a_pipe(full, tmp_path):
    assert said("wings").splitlines() == [
        f"lighthouse\t{len(drawers(full))}\t{tmp_path}/lighthouse",
        f"garden\t2\t{tmp_path}/garden",
    ]
    rows = [line.split("\t") for line in said("rooms").splitlines()]
    assert sum(int(count) for _, _, count in rows) == as_json("status")["drawers"]
    assert {wing for wing, _, _ in rows} == {"lighthouse", "garden"}
    assert {line.split("\t")[0] for line in said("rooms", "--wing", "garden").splitlines()} == {"garden"}


def states(*words):
    result = run("doctor", "--json", *words)
    return result.exit_code, {found["what"]: found["state"] for found in json.loads(result.stdout)["findings"]}


def test_the_doctor_finds_a_sound_palace_sound(full):
    code, found = states()
    assert code == 0
    assert set(found.values()) == {"ok"}
    assert found["the index is current"] == "ok"


@pytest.mark.parametrize("page", [1, 2, 5])
def test_the_doctor_finds_a_damaged_palace_damaged(full, page):
    damage(full, page)
    result = run("doctor")
    assert result.exit_code == 1
    assert "bad" in result.stdout
    assert "mempalace restore FILE" in result.stdout
    assert result.exception is None or isinstance(result.exception, SystemExit)


def damage(palace, *pages):
    """Overwrite pages of the palace's file."""
    path = palace / "palace.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    raw = bytearray(path.read_bytes())
    for page in (page for page in pages if page * 4096 <= len(raw)):
        raw[(page - 1) * 4096 : page * 4096] = b"\x5a" * 4096
    path.write_bytes(raw)


def test_the_doctor_names_what_is_amiss(full, monkeypatch):
    (full / "config.toml").write_text("budget = 7")
    (full / "runtime.json").write_text('{"python": "/no/such/python"}')
    (full / "requests").mkdir(exist_ok=True)
    (full / "requests" / "000000-a.json").write_text("{}")
    (full / "trajectory.jsonl").write_text('{"hook": "wake-up", "failed": "it broke"}\n')
    (full / "index" / "state.json").unlink()
    monkeypatch.setenv("MEMPALACE_OFF", "1")
    code, found = states()
    assert code == 0
    warned = " / ".join(what for what, state in found.items() if state == "warn")
    for words in ("budget must be a whole", "interpreter /no/such/python is gone", "1 requests to mine are waiting",
                  "1 of the last 1 hook runs failed", "the index is missing", "the hooks are off"):  # fmt: skip
        assert words in warned


def test_rebuilding_mends_the_index_and_loses_nothing(full):
    before = transcripts.content(full)
    for path in (full / "index").iterdir():
        path.unlink()
    assert states()[1]["the index is missing or unreadable"] == "warn"
    assert "documents in the index" in said("doctor", "--rebuild")
    assert states()[1]["the index is current"] == "ok"
    assert transcripts.content(full) == before
    assert as_json("search", "fog", "horn")["sources"]


def test_rebuilding_prints_json_apart_from_what_it_says(full):
    result = run("doctor", "--rebuild", "--json")
    assert json.loads(result.stdout)["findings"]
    assert "documents in the index" in result.stderr


def test_a_copy_goes_out_and_comes_back(full, tmp_path):
    copy = tmp_path / "copy.db"
    before = transcripts.content(full)
    woken = said("wake-up")
    assert said("backup", copy).startswith(str(copy))
    assert copy.stat().st_mode & 0o777 == 0o600
    said("forget", "--wing", "garden")
    assert transcripts.content(full) != before
    said("restore", copy, "--yes")
    assert transcripts.content(full) == before
    assert said("wake-up") == woken
    assert as_json("search", "white", "roses")["sources"]


def test_a_copy_comes_back_where_no_palace_is(full, tmp_path):
    copy, new = tmp_path / "copy.db", tmp_path / "new" / "palace"
    said("backup", copy)
    said("restore", copy, "--palace", new)
    assert transcripts.content(new) == transcripts.content(full)


def test_a_copy_comes_back_over_a_damaged_palace_which_is_kept(full, tmp_path):
    copy = tmp_path / "copy.db"
    before = transcripts.content(full)
    said("backup", copy)
    damage(full, 1)
    said("restore", copy, "--yes")
    assert transcripts.content(full) == before
    assert (full / "palace.db.damaged").exists()


def test_nothing_is_overwritten_unasked(full, tmp_path):
    copy = tmp_path / "copy.db"
    said("backup", copy)
    result = run("backup", copy)
    assert result.exit_code == 1
    assert "exists: name a file that does not" in result.stderr
    said("forget", "--wing", "garden")
    before = transcripts.content(full)
    assert run("restore", copy, input="n\n").exit_code == 1
    assert transcripts.content(full) == before


@pytest.mark.parametrize("content", [None, b"", b"This is no database. " * 500], ids=["missing", "empty", "words"])
def test_what_is_no_copy_is_not_restored(full, tmp_path, content):
    copy = tmp_path / "copy.db"
    if content is not None:
        copy.write_bytes(content)
    before = transcripts.content(full)
    result = run("restore", copy, "--yes")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert transcripts.content(full) == before


def test_a_copy_that_cannot_be_written_is_one_line(full, tmp_path):
    result = run("backup", tmp_path / "no" / "such" / "folder" / "copy.db")
    assert result.exit_code == 1
    assert result.stderr.startswith("mempalace: cannot write ")


def unreadable():
    for what in ("no database", "newer", "damaged at its head", "damaged further in", "no tables"):
        for name in READERS:
            looks = name in ("doctor", "selftest")  # they tell it as a finding
            if not looks and (what, name) != ("damaged further in", "backup"):  # it copies what is there
                yield pytest.param(what, name, id=f"{what}-{name}")


@pytest.mark.parametrize(("what", "name"), list(unreadable()))
def test_a_palace_that_cannot_be_read_is_one_line_from_every_command(full, what, name, tmp_path):
    if what == "no database":
        (full / "palace.db").write_bytes(b"This is no database. " * 500)
    elif what == "newer":
        with sqlite3.connect(full / "palace.db") as db:
            db.execute("PRAGMA user_version=999")
        db.close()
    elif what == "no tables":
        (full / "palace.db").write_bytes(b"")
    elif what == "damaged further in":
        damage(full, *range(2, 200))
    else:
        damage(full, 1)
        raw = (full / "palace.db").read_bytes()
        (full / "palace.db").write_bytes(b"SQLite format 3\0" + raw[16:])
    for ending in ("-wal", "-shm"):
        (full / f"palace.db{ending}").unlink(missing_ok=True)
    words = [str(tmp_path / "copy.db")] if name == "backup" else DEMANDS.get(name, [])
    result = run(name, *words)
    assert result.exit_code == 1
    assert result.stderr.startswith("mempalace: ")
    assert len(result.stderr.splitlines()) == 1
    assert isinstance(result.exception, SystemExit)


def test_nothing_to_mine_names_what_was_looked_for(palace):
    result = run("mine")
    assert result.exit_code == 1
    assert "no transcripts found in your home folder" in result.stderr
    assert "name a PATH to mine" in result.stderr


def test_mining_says_what_it_did(palace, claude, tmp_path):
    path = claude(transcripts.talk("lamp", 1))
    assert "claude-code" in run("mine", "--dry-run", path).stdout
    assert not palace.exists()
    assert said("mine", path).startswith(f"mined into {palace}: ")
    assert said("mine", "--quiet", path) == ""


def test_a_reader_that_has_gone_is_no_failure(full):
    read, write = os.pipe()
    os.close(read)
    try:
        words = [sys.executable, "-m", "mempalace", "wake-up", "--explain"]
        done = subprocess.run(words, cwd=ROOT, env=os.environ, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) in [(141, b""), (1, done.stderr)]
    assert b"Traceback" not in done.stderr


def test_a_slip_in_a_commands_name_is_told_what_was_meant():
    for slip, meant in (("serach", "search"), ("wakeup", "wake-up"), ("doctr", "doctor")):
        result = CliRunner().invoke(main, [slip])
        assert result.exit_code == 2
        assert f"No such command {slip!r}: did you mean {meant!r}?" in result.stderr
    assert "did you mean" not in CliRunner().invoke(main, ["zzz"]).stderr
