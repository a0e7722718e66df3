"""Whatever lies in a folder: a clear line for each, and the rest is mined."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from transcripts import Session, ask, content, line, mine, talk, texts

from mempalace.errors import PalaceError
from mempalace.mine import transcript

SAID = "The lamp is lit."


def record(text, uuid="u1"):
    session = Session()
    session.user(text, uuid=uuid)
    return session.lines[0]


GOOD = record(SAID)
DEEP = b'{"type":"user","message":' + b'{"content":' * 100_000


def fields(raw):
    """Return a record with this raw JSON string as its text."""
    return GOOD.replace(json.dumps(SAID).encode(), b'"' + raw + b'"')


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        pytest.param(fields(rb"a lone \ud83d surrogate"), ["a lone \ufffd surrogate"], id="a lone surrogate"),
        pytest.param(fields(rb"\ude00 and \ud83d"), ["\ufffd and \ufffd"], id="two lone surrogates"),
        pytest.param(fields(rb"a pair \ud83d\ude00"), ["a pair 😀"], id="a pair of surrogates"),
        pytest.param(fields(b"lone \xed\xa0\xbd raw"), ["lone \ufffd\ufffd\ufffd raw"], id="a surrogate's own bytes"),
        pytest.param(fields(rb"\u0000" * 10_291 + b"lamp"), ["lamp"], id="10,291 NULs, escaped"),
        pytest.param(fields(b"\0" * 10_291 + b"lamp"), ["lamp"], id="10,291 NULs, raw"),
        pytest.param(b"\0" * 10_291 + GOOD, [SAID], id="NULs where a crash left them"),
        pytest.param(fields(b"not \xff\xfe UTF-8"), ["not \ufffd\ufffd UTF-8"], id="invalid UTF-8"),
        pytest.param(fields(b"a raw\ttab"), ["a raw\ttab"], id="a raw tab"),
        pytest.param(b"\xef\xbb\xbf" + GOOD, [SAID], id="a BOM"),
        pytest.param(GOOD.replace(b"\n", b"\r\n"), [SAID], id="CRLF"),
        pytest.param(b"\n\n \n" + GOOD + b"\n", [SAID], id="blank lines"),
        pytest.param(GOOD + GOOD, [SAID], id="a line twice"),
    ],
)
def test_a_damaged_line_is_mended_and_filed(palace, claude, raw, kept):
    path = claude(Session())
    other = record("Another line.", "u2")
    path.write_bytes(raw + other)
    report = mine(palace, path)
    assert texts(palace) == [*kept, "Another line."]
    assert report.malformed == report.problems == []


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        pytest.param(DEEP + b"}" * 100_001 + b"\n", "not JSON: nested too deep", id="100,000 levels, closed"),
        pytest.param(DEEP + b"\n", "not JSON: nested too deep", id="100,000 levels, open"),
        pytest.param(b"[" * 100_000 + b"\n", "not JSON: nested too deep", id="100,000 arrays"),
        pytest.param(b"\0" * 10_291 + b"\n", "not JSON", id="NULs alone"),
        pytest.param(b"\xff" * 50 + b"\n", "not JSON", id="no text"),
        pytest.param(b'{"type": "user"\n', "not JSON", id="cut off"),
        pytest.param(b"NaN\n", "not a JSON object", id="no object"),
        pytest.param(b'{"a": 1' + b"0" * 5000 + b"}\n", "not JSON", id="a number of 5,000 digits"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_and_the_others_are_filed(palace, claude, raw, why):
    path = claude(Session())
    path.write_bytes(GOOD + raw + record("Another line.", "u2"))
    report = mine(palace, path)
    assert [(at, told[: len(why)]) for _, at, told in report.malformed] == [(2, why)]
    assert texts(palace) == [SAID, "Another line."]


def test_a_torn_last_line_is_told_and_waits_until_it_is_whole(palace, claude):
    path = claude(Session())
    other = record("Another line.", "u2")
    path.write_bytes(GOOD + other[:-20])
    report = mine(palace, path)
    assert [(at, why) for _, at, why in report.malformed] == [
        (2, "the last line is cut off; it is read when it is whole")
    ]
    assert texts(palace) == [SAID]
    path.write_bytes(GOOD + other)
    assert mine(palace, path).malformed == []
    assert texts(palace) == [SAID, "Another line."]


def test_an_empty_file_says_nothing_and_is_read_when_it_grows(palace, claude):
    path = claude(Session())
    assert mine(palace, path).unknown == 1
    path.write_bytes(GOOD)
    mine(palace, path)
    assert texts(palace) == [SAID]


def test_a_line_of_thirty_megabytes_is_mined(palace, claude):
    session = Session()
    session.tool("Read", {"file_path": "log"})
    session.result("The lamp burns. " * 2_000_000)
    session.user(SAID)
    session.user("word " * 20_000)
    report = mine(palace, claude(session))
    assert report.bytes > 30_000_000
    assert texts(palace)[0] == SAID
    assert "".join(texts(palace)[1:]) == "word " * 20_000


def test_a_line_longer_than_can_be_read_is_told(palace, claude, monkeypatch):
    monkeypatch.setattr(transcript, "LONGEST_LINE", 5000)
    path = claude(Session())
    path.write_bytes(GOOD + record("x" * 12_000, "u2") + record("Another line.", "u3"))
    report = mine(palace, path)
    assert [(at, why) for _, at, why in report.malformed] == [(2, "longer than 5000 bytes")]
    assert ask(palace, "SELECT line, text FROM drawers ORDER BY line") == [(1, SAID), (3, "Another line.")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" + " " * 200_000 + "y", id="blanks"),
        pytest.param("x" + "\n" * 200_000 + "y", id="newlines"),
        pytest.param("x" + "\n\t" * 100_000 + "y", id="newlines and tabs"),
        pytest.param("<system-reminder>" * 20_000, id="reminders never closed"),
        pytest.param("[mempalace] " * 20_000, id="our own mark never closed"),
        pytest.param("`" * 200_000, id="one long fence"),
        pytest.param("```\n" * 50_000, id="fences"),
        pytest.param("x" * 200_000, id="one long word"),
        pytest.param("password=" * 30_000, id="secrets' names"),
    ],
)
def test_no_text_takes_longer_than_its_length_deserves(palace, claude, text):
    session = Session()
    session.user("Look: " + text)
    mine(palace, claude(session))
    assert "".join(texts(palace)).startswith("Look:")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-32"])
def test_a_note_in_any_encoding_is_readable(palace, tmp_path, encoding):
    said = "Der Wärter löscht die Öllampe.\r\nUnd schläft."
    (tmp_path / "n.txt").write_bytes(said.encode(encoding))
    mine(palace, tmp_path / "n.txt")
    assert texts(palace) == [said]


# Things that are no files.


def fifo(folder):
    os.mkfifo(folder / "notes.md")


def loop(folder):
    (folder / "notes.md").symlink_to("notes.md")


def round_about(folder):
    (folder / "a").mkdir()
    (folder / "a" / "back").symlink_to(folder)


def dangling(folder):
    (folder / "notes.md").symlink_to("nowhere.md")


def folder_named_so(folder):
    (folder / "notes.md").mkdir()


def device(folder):
    (folder / "notes.md").symlink_to("/dev/zero")


def unreadable(folder):
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    (folder / "notes.md").write_text("sealed")
    (folder / "notes.md").chmod(0)


@pytest.mark.parametrize(
    ("trap", "why"),
    [
        (fifo, "not a regular file"),
        (loop, "too many levels of symbolic links"),
        (round_about, None),
        (dangling, "no such file or directory"),
        (folder_named_so, None),
        (device, "not a regular file"),
        (unreadable, "permission denied"),
    ],
    ids=lambda value: getattr(value, "__name__", "") if callable(value) else "",
)
def test_what_is_no_readable_file_is_told_and_the_others_are_filed(palace, tmp_path, trap, why):
    folder = tmp_path / "p"
    folder.mkdir()
    trap(folder)
    (folder / "z.txt").write_text(SAID)
    report = mine(palace, folder)
    assert report.problems == ([(str(folder / "notes.md"), why)] if why else [])
    assert texts(palace) == [SAID]


def test_a_name_that_is_no_text_is_told_and_the_others_are_filed(palace, tmp_path):
    folder = tmp_path / "p"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"not \xff utf-8.txt")).write_text("unheard")
    except OSError:
        pytest.skip("this file system knows text names only")
    (folder / "z.txt").write_text(SAID)
    report = mine(palace, folder)
    assert report.problems == [(f"{folder}/not \\udcff utf-8.txt", "its name is not UTF-8: rename it")]
    assert texts(palace) == [SAID]


@pytest.mark.parametrize("name", ["with space.jsonl", "'\".jsonl", "back\\slash.jsonl", "日記.jsonl", "%3f#?.jsonl"])
def test_any_name_is_a_name(tmp_path, name):
    palace = tmp_path / name.replace(".jsonl", " palace")
    mine(palace, talk().write(tmp_path / name))
    assert len(texts(palace)) == 9


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), KeyError("gone"), MemoryError()])
def test_a_reader_that_fails_costs_its_own_file_alone(palace, claude, monkeypatch, error):
    from mempalace.mine.claude_code import ClaudeCode

    good, bad = claude(talk("s1")), claude(talk("s2"))
    read = ClaudeCode.read

    def failing(self, given):
        for n, event in enumerate(read(self, given)):
            if n == 5 and given.path == str(bad):
                raise error
            yield event

    monkeypatch.setattr(ClaudeCode, "read", failing)
    report = mine(palace, bad, good)
    assert [path for path, _ in report.problems] == [str(bad)]
    assert all("s1" in text for text in texts(palace))
    assert len(texts(palace)) == 9
    monkeypatch.undo()
    mine(palace, bad)
    assert len(texts(palace)) == 18


# Palaces that cannot be written to.


def command(*words, **env):
    words = [sys.executable, "-m", "mempalace", *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **env}, timeout=120)


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    told = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True)
    if told.returncode:
        pytest.skip("only root can mount a disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_is_one_clear_line_and_later_nothing_is_missing(small_disk, claude, tmp_path):
    palace = small_disk / "palace"
    first = claude(talk("s0"))
    mine(palace, first)
    before = content(palace)
    big = claude(talk("s1", turns=1600))
    with pytest.raises(PalaceError, match="cannot be used: database or disk is full"):
        mine(palace, big)
    assert content(palace) == before
    told = command("mine", big, "--palace", palace)
    assert (told.returncode, told.stderr.count("\n")) == (1, 1), told.stderr
    assert "full" in told.stderr
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    mine(palace, first, big)
    mine(tmp_path / "clean", first, big)
    assert content(palace) == content(tmp_path / "clean")


def test_a_disk_too_full_for_a_palace_is_one_clear_line(small_disk, claude):
    (small_disk / "rest").write_bytes(b"\0" * (1 << 20))
    told = command("mine", claude(talk()), "--palace", small_disk / "palace")
    assert (told.returncode, told.stderr.count("\n")) == (1, 1), told.stderr
    assert "no space left" in told.stderr.lower() or "full" in told.stderr.lower()


def test_a_read_only_palace_is_one_clear_line(small_disk, claude):
    palace = small_disk / "palace"
    path = claude(talk(turns=1))
    mine(palace, path)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert len(texts(palace)) == 3
    with pytest.raises(PalaceError, match="cannot"):
        mine(palace, claude(talk("s2")))
    told = command("mine", path, "--palace", palace)
    assert (told.returncode, told.stderr.count("\n")) == (1, 1), told.stderr
    assert "cannot write to" in told.stderr


def test_a_palace_that_cannot_be_a_folder_is_one_clear_line(claude, tmp_path):
    (tmp_path / "file").write_text("")
    told = command("mine", claude(talk()), "--palace", tmp_path / "file" / "palace")
    assert (told.returncode, told.stderr.count("\n")) == (1, 1), told.stderr
    assert "cannot write to" in told.stderr


def test_a_run_tells_each_problem_on_a_line_and_files_the_rest(palace, claude, tmp_path):
    path = claude(talk(turns=1))
    path.write_bytes(path.read_bytes() + b"broken\n" + line({"type": "user"}))
    told = command("mine", path, tmp_path / "nowhere.jsonl", "--palace", palace)
    assert told.returncode == 0
    assert [text.split(": ", 1)[1][:20] for text in told.stderr.splitlines()] == [
        "no such file or dire",
        "not JSON: Expecting ",
        "a user record withou",
    ]
    assert "3 drawers" in told.stdout
    assert Path(palace, "palace.db").exists()
