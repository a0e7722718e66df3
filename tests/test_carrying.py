"""Export and import: everything, verbatim, once, and nothing that was forgotten comes back."""

import io
import json
import os
import shutil
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from transcripts import ask, mine, talk

from mempalace.cli import carrying as commands
from mempalace.cli import main
from mempalace.errors import PalaceError
from mempalace.given import keep_story, story
from mempalace.layers import carrying
from mempalace.layers.wake_up import wake_up
from mempalace.search import index
from mempalace.store import filing, ledger, wings
from mempalace.store.connection import open_reader, open_writer

MADE = []  # where the palace that the tests begin with lies, once it is made
HEADER = b'{"mempalace":"export","format":1}\n'


def cli(*words, status=0, **how):
    result = CliRunner().invoke(main, [*map(str, words)], **how)
    assert result.exit_code == status, result.output
    return result


def export(palace):
    """Return the palace's lines."""
    with open_reader(str(palace)) as store:
        return b"".join(carrying.lines(store))


def take(palace, raw):
    """Merge lines into a palace and return what became of them."""
    source = io.BytesIO(raw)
    carrying.header(source)
    with open_writer(str(palace)) as store:
        return carrying.take(store, source, {}, now=1_800_000_000)


def fed(palace, lines):
    """Take lines in, without what every change is followed by, and return what became of them."""
    taken = carrying.Taken()
    with open_writer(str(palace)) as store:
        intake = carrying.Intake(store, now=1, generation=filing.begin(store))
        for number, line in enumerate(lines, 2):
            carrying._one(intake, number, line, taken)
        filing.commit(store)
    return taken


def records(raw, kind=""):
    told = [json.loads(line) for line in raw.splitlines()[1:]]
    return [one["record"] for one in told if not kind or one["is"] == kind]


def count(palace, table):
    return ask(palace, f"SELECT count(*) FROM {table}")[0][0]


@pytest.fixture
def full(tmp_path, palace, tmp_path_factory):
    """Return a palace that holds something of everything; it is filled once, and copied then."""
    if not MADE:
        fill(tmp_path, palace)
        MADE.append(tmp_path_factory.mktemp("made"))
        for name in ("palace", "log"):
            shutil.copytree(tmp_path / name, MADE[0] / name)
    elif not palace.exists():
        for name in ("palace", "log"):
            shutil.copytree(MADE[0] / name, tmp_path / name)
    return palace


def fill(tmp_path, palace):
    """Fill a palace."""
    for name in ("a", "b", "c"):
        talk(name, cwd="/work/" + ("shop" if name == "c" else "lighthouse")).write(tmp_path / "log" / f"{name}.jsonl")
    cli("mine", "--quiet", tmp_path / "log")
    cli("remember", "--wing", "lighthouse", "The key's name is Zoë:\n\t\x1b[31m \u2028 it hangs high.", "--pin")
    for option in ("pnpm", "yarn"):
        words = ("--kind", "package-manager", "--option", option)
        cli("remember", "--wing", "lighthouse", *words, f"Packages are installed by {option} here.")
    with open_writer(str(palace)) as store:
        gone, kept = (row[0] for row in store.db.execute("SELECT id FROM drawers ORDER BY n LIMIT 2"))
        generation = filing.begin(store)
        n = wings.named(store, "lighthouse").n
        names = [row[1] for row in store.db.execute("PRAGMA table_info(turns)") if row[1] not in ("n", "id")]
        blobs = {"sent", "raw", "candidates"}
        given = [b"\x00\xff" + name.encode() if name in blobs else n if name == "wing" else 3 for name in names]
        store.db.execute(
            f"INSERT INTO turns (id, {', '.join(names)}) VALUES ('t1', {', '.join('?' * len(names))})", given
        )
        ledger.add(
            store, ledger.Outcome("o1", f"drawer::{kept}", 0, "wrong", 0.5, 9, "user", "no"), generation=generation
        )
        ledger.add(store, ledger.Outcome("o2", "file::a.py", n, "correct", 1.0, 9, "user"), generation=generation)
        store.db.execute("INSERT INTO shakes VALUES ('file::a.py', ?, 9, 2.5, 1.0)", (n,))
        store.db.execute("INSERT INTO citations VALUES ('a', ?, 1, 8)", (kept,))
        store.db.execute("INSERT INTO tombstones VALUES ('deed', '77', 8, 1), ('title', 'title x', 8, 1)")
        filing.commit(store)
    cli("forget", gone)


def test_a_palace_comes_out_as_it_went_in(tmp_path, full):
    raw = export(full)
    other = tmp_path / "other"
    taken = take(other, raw)
    assert taken.bad == 0
    assert export(other) == raw
    assert {one["is"] for one in map(json.loads, raw.splitlines()[1:])} == set(
        "wing root tombstone source drawer action citation belief evidence turn outcome shake".split()
    )
    for cwd in ("/work/lighthouse", "/work/shop", "/nowhere"):
        told = [wake_up(str(one), cwd=cwd, env={}).text for one in (full, other)]
        assert told[0] == told[1]
    for table in ("ledger", "undecided"):
        query = f"SELECT * FROM {table} ORDER BY 1"
        assert len(ask(full, query)) == len(ask(other, query))
    counts = "SELECT subject, defects, false_alarms, total, events, last_defect_at FROM ledger ORDER BY 1"
    assert ask(full, counts) == ask(other, counts)


def test_what_was_imported_is_found_and_mining_it_again_adds_nothing(tmp_path, full):
    other = tmp_path / "other"
    take(other, export(full))
    found = json.loads(cli("search", "--palace", other, "--json", "polished beam steady").stdout)
    assert found["sources"]
    before = count(other, "drawers")
    cli("mine", "--quiet", "--palace", other, tmp_path / "log")
    assert count(other, "drawers") == before


def test_twice_is_once(tmp_path, full):
    raw = export(full)
    other = tmp_path / "other"
    first, second = take(other, raw), take(other, raw)
    assert first.of("new") == len(raw.splitlines()) - 1
    assert (second.of("new"), second.of("known")) == (0, first.of("new"))
    assert export(other) == raw
    assert take(full, raw).of("new") == 0
    assert export(full) == raw


def test_two_palaces_become_one_whichever_comes_first(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    mine(one, talk("a", 1, cwd="/w/lamp").write(tmp_path / "log" / "a.jsonl"))
    mine(two, talk("b", 1, cwd="/w/bell").write(tmp_path / "log" / "b.jsonl"))
    raws = export(one), export(two)
    held = []
    for name, order in (("ab", raws), ("ba", raws[::-1])):
        for raw in order:
            assert take(tmp_path / name, raw).bad == 0
        held.append(sorted((one["id"], one["text"], one["wing"]) for one in records(export(tmp_path / name), "drawer")))
    assert held[0] == held[1]
    assert len(held[0]) == 6
    assert {one["name"] for one in records(export(tmp_path / "ab"), "wing")} == {"lamp", "bell"}


def test_what_was_forgotten_here_does_not_come_back(tmp_path, full):
    raw = export(full)
    id = records(raw, "drawer")[1]["id"]
    source = records(raw, "source")[2]
    cli("forget", id)
    cli("forget", "--source", source["id"])
    taken = take(full, raw)
    assert taken.of("forgotten") > 2
    assert ask(full, "SELECT 1 FROM drawers WHERE id = ?", [id]) == []
    assert ask(full, "SELECT 1 FROM sources WHERE id = ?", [source["id"]]) == []
    assert not [one for one in records(export(full), "drawer") if one["source"] == source["id"]]


def test_what_was_forgotten_there_is_forgotten_here(tmp_path, full):
    other = tmp_path / "other"
    take(other, export(full))
    keep_story(str(other), "s1", "what was told, the secret in it")
    secret = records(export(full), "drawer")[1]
    cli("forget", secret["id"])
    cli("forget", "--source", records(export(full), "source")[2]["id"])
    taken = take(other, export(full))
    assert taken.erased > 1
    assert records(export(other), "drawer") == records(export(full), "drawer")
    assert records(export(other), "action") == records(export(full), "action")
    assert index.holding(str(other), [secret["id"]]) == 0
    assert story(str(other), "s1") == ""


def test_what_was_moved_here_stays_where_it_is(tmp_path, full):
    raw = export(full)
    other = tmp_path / "other"
    take(other, raw.replace(b"polished and the beam", b"polished", 0))
    source = records(raw, "source")[0]["id"]
    cli("refile", "--palace", other, "--source", source, "--wing", "elsewhere")
    with open_writer(str(other)) as store:
        store.db.execute("DELETE FROM drawers WHERE n = (SELECT max(n) FROM drawers WHERE source = 1)")
    take(other, raw)
    assert {one["wing"] for one in records(export(other), "drawer") if one["source"] == source} == {"elsewhere"}


def test_another_form_of_a_message_does_not_mix_with_the_one_that_is_here(tmp_path, full):
    raw = export(full)
    first = records(raw, "drawer")[0]
    grown = [{**first, "id": "f" * 24, "text": first["text"] + " And more."}, {**first, "id": "e" * 24, "part": 1}]
    lines = b"".join(json.dumps({"is": "drawer", "record": one}).encode() + b"\n" for one in grown)
    assert take(full, HEADER + lines).of("in another form") == 2
    assert export(full) == raw


def test_a_source_that_is_here_learns_what_it_did_not_know(palace):
    bare = {"n": 4, "id": "s", "wing": "w", "harness": "claude-code", "path": "/x"}
    fuller = {**bare, "title": "Gate", "started_at": 5, "ended_at": 9, "branch": "b"}
    later = {**fuller, "title": "Other", "started_at": 3, "ended_at": 0}
    lines = [line("source", **one) for one in (bare, bare, fuller, fuller, later, bare)]
    taken = fed(palace, lines)
    assert taken.counts == {("source", "new"): 3, ("source", "known"): 3}
    (held,) = records(export(palace), "source")
    assert [held[name] for name in ("n", "title", "branch", "started_at", "ended_at")] == [4, "Gate", "b", 3, 9]


def line(kind_="drawer", **record):
    return json.dumps({"is": kind_, "record": record}).encode()


GOOD = {
    "id": "0123456789abcdef01234567", "wing": "shop", "source": "", "room": "notes", "kind": 3, "aside": 0,
    "message": 5, "part": 0, "line": 0, "happened_at": 7, "filed_at": 8, "importance": 3.0, "salience": 2,
    "pinned": 0, "loose": 1, "path": "", "text": "The gate is green.",
}  # fmt: skip


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"{", id="no JSON"),
        pytest.param(b"[1]", id="no object"),
        pytest.param(b"3", id="a number"),
        pytest.param(b"[" * 5000, id="deep"),
        pytest.param(b'{"is": "drawer"}', id="no record"),
        pytest.param(b'{"is": [], "record": {}}', id="kind is a list"),
        pytest.param(b'{"is": "drawer", "record": []}', id="record is a list"),
        pytest.param(line("sqlite_master"), id="another table"),
        pytest.param(line("plain"), id="a method's name"),
        pytest.param(line(), id="nothing in it"),
        pytest.param(line(**{**GOOD, "text": None}), id="no text"),
        pytest.param(line(**{**GOOD, "text": 3}), id="text is a number"),
        pytest.param(line(**{**GOOD, "text": "a \ud800 b"}), id="lone surrogate"),
        pytest.param(line(**{**GOOD, "line": "3"}), id="number is a text"),
        pytest.param(line(**{**GOOD, "line": True}), id="number is a truth"),
        pytest.param(line(**{**GOOD, "line": 2**63}), id="number too large"),
        pytest.param(line(**{**GOOD, "line": 2**90}), id="number far too large"),
        pytest.param(line(**{**GOOD, "kind": 9}), id="no such kind"),
        pytest.param(line(**{**GOOD, "id": "../../x"}), id="id is a path"),
        pytest.param(line(**{**GOOD, "id": ""}), id="no id"),
        pytest.param(line(**{**GOOD, "wing": ""}), id="no wing"),
        pytest.param(line(**{**GOOD, "source": "unheard"}), id="no such source"),
        pytest.param(line(**{**GOOD, "text": {"base64": "!"}}), id="bytes for text"),
        pytest.param(line("tombstone", kind="row", key="1", at=1), id="a tombstone of the index"),
        pytest.param(line("outcome", key="a", wing="", subject="x", outcome="good", weight=1.0, at=5, origin="u"),
                     id="no outcome"),
        pytest.param(line("evidence", belief="none", key="k", agrees=1, weight=1.0, origin="u", at=1, said=""),
                     id="no such belief"),
        pytest.param(b"\xff\xfe", id="no text at all"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_costs_no_other(palace, bad):
    taken = fed(palace, [bad, line(**GOOD)])
    assert taken.bad == 1
    assert taken.named[0][0] == 2
    assert taken.named[0][1]
    assert taken.of("new") == 1
    assert [one["text"] for one in records(export(palace), "drawer")] == ["The gate is green."]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "its first line is no header"),
        (b"\n", "its first line is no header"),
        (b"{}\n", "its first line is no header"),
        (b"SQLite format 3\0", "its first line is no header"),
        (b'{"mempalace": "export", "format": 2}\n', "format 2, this mempalace knows 1: upgrade"),
        (b'{"mempalace": "export", "format": 0}\n', "format 0"),
    ],
)
def test_what_is_no_export_makes_no_palace(tmp_path, palace, raw, said):
    (tmp_path / "in.jsonl").write_bytes(raw)
    result = CliRunner().invoke(commands.import_, [str(tmp_path / "in.jsonl")])
    assert isinstance(result.exception, PalaceError)
    assert said in str(result.exception)
    assert not palace.exists()


def test_a_line_longer_than_can_be_read_is_counted(palace, monkeypatch):
    monkeypatch.setattr(carrying, "LONGEST_LINE", 2000)
    long = line(**{**GOOD, "text": "x" * 9000})
    taken = take(palace, HEADER + long + b"\n" + line(**GOOD) + b"\n" + long)
    assert (taken.bad, taken.of("new")) == (2, 1)


def test_paths_in_a_file_are_words_and_nothing_more(tmp_path, palace, monkeypatch):
    trap = tmp_path / "trap"
    os.mkfifo(trap)  # whoever opens it waits for ever
    wing, source = {"name": "../../up"}, "../../../etc/passwd"
    raw = HEADER + b"\n".join([
        line("wing", **wing), line("root", root=str(trap), wing="../../up", name="..", pooled=0),
        line("mark", mark="remote:x", root=str(trap)),
        line("source", n=1, id=source, wing="../../up", harness="claude-code", path=str(trap), cwd=str(trap)),
        line(**{**GOOD, "source": source, "wing": "../../up", "path": str(trap)}),
    ])  # fmt: skip
    before = sorted(os.listdir(tmp_path))
    taken = take(palace, raw)
    assert (taken.bad, taken.of("new")) == (0, 5)
    assert sorted(os.listdir(tmp_path)) == sorted({*before, "palace"})
    assert wake_up(str(palace), wing="../../up", env={}).text
    assert export(palace).count(b"passwd") == 2


def test_a_killed_import_is_finished_by_the_next(tmp_path, full, monkeypatch):
    monkeypatch.setattr(carrying, "BATCH", 5)
    raw, other = export(full), tmp_path / "other"

    def kill(number):
        if number >= 15:
            raise KeyboardInterrupt

    with open_writer(str(other)) as store, pytest.raises(KeyboardInterrupt):
        carrying.take(store, io.BytesIO(raw.partition(b"\n")[2]), {}, now=1, tick=kill)
    assert 0 < count(other, "drawers") + count(other, "sources") < count(full, "drawers")
    take(other, raw)
    assert export(other) == raw


def test_the_memory_it_takes_does_not_grow_with_the_palace(palace, tmp_path):
    words = "The gate was painted green on a sunny day. " * 20
    raw = HEADER + b"".join(
        line(**{**GOOD, "id": f"{n:024x}", "message": n, "text": f"{n} {words}"}) + b"\n" for n in range(13_000)
    )
    path = tmp_path / "big.jsonl"
    path.write_bytes(raw)
    with open_writer(str(palace)) as store, open(path, "rb") as file:
        tracemalloc.start()
        intake = carrying.Intake(store, now=1, generation=filing.begin(store))
        taken = carrying.Taken()
        for number, one in enumerate(carrying._lines(file)):
            carrying._one(intake, number, one, taken)
        filing.commit(store)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        with open(os.devnull, "wb") as nowhere:
            assert carrying.export(store, nowhere) == 13_002
        peak = max(peak, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert len(raw) > 14_000_000
    assert peak < 3_000_000


def test_an_older_palace_is_exported_as_far_as_it_goes(full):
    with open_reader(str(full)) as store:
        store.version = 1
        kinds = {json.loads(one).get("is") for one in carrying.lines(store)}
    assert "drawer" in kinds
    assert not kinds & {"belief", "outcome", "turn"}


def test_the_commands_write_a_file_for_this_user_alone_and_read_it(tmp_path, full):
    file = tmp_path / "out.jsonl"
    said = CliRunner().invoke(commands.export, [str(file)])
    assert said.exit_code == 0, said.output
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{len(file.read_bytes().splitlines())} lines" in said.output
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []
    again = CliRunner().invoke(commands.export, [str(file)])
    assert "exists: name a file that does not" in str(again.exception)
    other = tmp_path / "other"
    told = CliRunner().invoke(commands.import_, [str(file), "--palace", str(other), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["bad"] == 0
    assert export(other) == file.read_bytes()


def test_a_pipe_carries_a_palace(tmp_path, full):
    out = CliRunner().invoke(commands.export, ["-"]).stdout_bytes
    other = tmp_path / "other"
    said = CliRunner().invoke(commands.import_, ["-", "--palace", str(other)], input=out)
    assert said.exit_code == 0, said.output
    assert "imported into" in said.output
    assert export(other) == out


def test_bad_lines_are_printed(tmp_path, palace):
    file = tmp_path / "in.jsonl"
    file.write_bytes(HEADER + b"{\n" + line(**GOOD))
    said = CliRunner().invoke(commands.import_, [str(file), "--palace", str(palace)])
    assert "line 2: " in said.stderr
    assert "1 bad lines" in said.stdout


def test_what_cannot_be_read_or_written_is_said(tmp_path, full):
    missing = CliRunner().invoke(commands.import_, [str(tmp_path / "none")])
    assert "cannot read" in str(missing.exception)
    nowhere = CliRunner().invoke(commands.export, [str(tmp_path / "none" / "out.jsonl")])
    assert "cannot write" in str(nowhere.exception)
    assert not Path(tmp_path / "none").exists()


@limits(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=30) | st.builds(
    lambda record: json.dumps({"is": "drawer", "record": record}).encode(),
    st.dictionaries(st.sampled_from(sorted(GOOD)), st.none() | st.integers() | st.text(max_size=4) | st.floats()),
), max_size=5))  # fmt: skip
def test_whatever_the_lines_hold_each_is_counted(tmp_path_factory, lines):
    palace = tmp_path_factory.mktemp("any")
    kept = [one.replace(b"\n", b" ") for one in lines if one.strip()]
    taken = fed(palace, kept)
    assert taken.bad + sum(taken.counts.values()) == len(kept)
