"""Filing twice equals filing once, however a file came to be what it is."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts import NOW, Session, ask, content, everything_in, line, mine, talk, texts, told

from mempalace.mine.report import counted
from mempalace.store import filing
from mempalace.store.connection import open_writer


def forget(palace, kind, key):
    """Take out what the user wants forgotten, as the store records it."""
    with open_writer(str(palace)) as store:
        generation = filing.begin(store)
        store.db.execute("INSERT INTO tombstones VALUES (?, ?, ?, ?)", (kind, key, NOW, generation))
        if kind == "drawer":
            store.db.execute("DELETE FROM drawers WHERE id = ?", (key,))
        else:
            row = "(SELECT n FROM sources WHERE id = ?)"
            store.db.execute(f"DELETE FROM drawers WHERE source IN {row}", (key,))
            store.db.execute(f"DELETE FROM actions WHERE source IN {row}", (key,))
            store.db.execute("DELETE FROM sources WHERE id = ?", (key,))
        filing.commit(store)


def anew(palace):
    """Have every file read again from its start."""
    with open_writer(str(palace)) as store:
        store.db.execute("DELETE FROM files")


def test_mining_twice_changes_nothing(palace, claude):
    path = claude(talk())
    mine(palace, path)
    before = everything_in(palace)
    report = mine(palace, path, now=NOW + 99)
    assert (report.unchanged, report.read, report.bytes) == (1, 0, 0)
    assert everything_in(palace) == before


def test_reading_everything_again_files_nothing_again(palace, claude):
    path = claude(talk())
    mine(palace, path)
    before = content(palace)
    anew(palace)
    report = mine(palace, path)
    assert (report.drawers, report.actions, report.repeated) == (0, 0, 9)
    assert content(palace) == before


def test_of_a_grown_file_only_what_is_new_is_read(palace, claude):
    session = talk(turns=200)
    path = claude(session)
    mine(palace, path)
    open_end = len(session.lines[-1])  # a report that may turn out narration
    more = session.user("One thing more."), session.agent("It is done.")
    path = claude(session)
    report = mine(palace, path)
    assert report.bytes == open_end + sum(len(line(record)) for record in more)
    assert report.drawers == 2
    assert texts(palace)[-2:] == ["One thing more.", "It is done."]


def test_a_title_added_later_is_the_sessions(palace, claude):
    session = talk(turns=1)
    mine(palace, claude(session))
    session.record("ai-title", aiTitle="The beam")
    mine(palace, claude(session))
    assert ask(palace, "SELECT id, title FROM sources") == [("s1", "The beam")]


def test_a_rewritten_file_is_mined_anew(palace, claude):
    mine(palace, claude(talk(turns=2)))
    other = talk("s9", turns=3)
    report = mine(palace, claude(other, "s1.jsonl"))
    assert report.bytes == sum(map(len, other.lines))
    assert len(texts(palace)) == 6 + 9


def test_a_file_cut_short_keeps_its_drawers(palace, claude):
    session = talk(turns=3)
    path = claude(session)
    mine(palace, path)
    before = content(palace)["drawers"]
    path.write_bytes(b"".join(session.lines[:4]))
    mine(palace, path)
    assert content(palace)["drawers"] == before


def test_a_vanished_file_keeps_its_drawers(palace, claude):
    path = claude(talk())
    mine(palace, path)
    before = content(palace)
    path.unlink()
    report = mine(palace, path.parent, path)
    assert report.problems == [(str(path), "no such file or directory")]
    assert content(palace) == before


# Resumed, forked, copied.


def test_a_session_forked_into_a_new_file_is_filed_once(palace, claude):
    session = talk(turns=2)
    mine(palace, claude(session))
    fork = Session("s2")
    fork.records = [{**record, "sessionId": "s2"} for record in session.records]
    fork.user("From here on it is another story.")
    report = mine(palace, claude(fork))
    assert (report.drawers, report.repeated, report.actions) == (1, 6, 0)
    assert len(texts(palace)) == 7


def test_a_copied_transcript_is_filed_once(palace, claude):
    path = claude(talk())
    shutil.copy(path, path.with_name("copy.jsonl"))
    report = mine(palace, path.parent)
    assert (report.read, report.drawers) == (2, 9)
    assert len(texts(palace)) == len(set(texts(palace))) == 9


def test_a_copied_note_is_filed_once(palace, tmp_path):
    note = tmp_path / "notes" / "wick.md"
    note.parent.mkdir()
    note.write_text("# Wick\n\nTrim it at dusk.\n\n## Oil\n\nFill it at dawn.\n")
    shutil.copy(note, note.with_name("wick (copy).md"))
    for _ in range(2):
        mine(palace, note.parent)
        assert len(texts(palace)) == 2
        anew(palace)


def test_notes_alike_at_both_ends_are_two_notes(palace, tmp_path):
    for name in ("one", "two"):
        middle = f"The {name}."
        (tmp_path / f"{name}.txt").write_text("a " * 4000 + middle + " b" * 4000)
    mine(palace, tmp_path / "one.txt", tmp_path / "two.txt")
    assert sum("The one." in text or "The two." in text for text in texts(palace)) == 2


# Growing.


def eventful():
    """Return a session of everything that may stand at a cut."""
    session = Session("s1")
    session.record("ai-title", aiTitle="The lamp")
    session.record("file-history-snapshot", snapshot={}, messageId="f")
    session.user("Please mend the lamp – it flickers.")
    session.agent("I look at it.", id="m1")
    session.agent("Now I open it.", id="m1")
    session.tool("Bash", {"command": "open"}, id="m1", call="t1")
    session.tool("Bash", {"command": "peek"}, id="m1", call="t2")
    session.result("it is dark", call="t2", error=True)
    queued = {"type": "queued_command", "prompt": "Mind the gulls."}
    session.record("attachment", uuid="q", cwd=session.cwd, attachment=queued)
    session.result("open", call="t1")
    session.agent("Behind the calls.", id="m1")
    session.user("A helper searches.", isSidechain=True)
    session.agent("I search the rocks.", isSidechain=True, id="h1")
    session.tool("Grep", {"pattern": "gull"}, isSidechain=True, id="h1", call="t3")
    session.agent("The main thread talks too.", id="m2")
    session.result("none", call="t3", isSidechain=True)
    session.agent("No gulls.", isSidechain=True, id="h2")
    session.agent("The lamp is mended.", id="m3")
    session.user("yes", gitBranch="fix/lamp")
    session.tool("Bash", {"command": "never ends"}, id="m4", call="t4")
    session.user("[Request interrupted by user]")
    session.user("yes")
    session.agent("Nothing is left to do.", id="m5")
    session.record("ai-title", aiTitle="The mended lamp")
    return session


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_that_grows_in_any_steps_gives_what_one_clean_run_gives(data):
    whole = b"".join(eventful().lines)
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=6).map(sorted))
    grown(whole, [*cuts, len(whole)])


@pytest.mark.parametrize("at", range(25), ids=lambda at: f"after line {at}")
@pytest.mark.parametrize("short", [0, 1, 20], ids=["whole", "without its newline", "in mid-line"])
def test_a_file_cut_at_any_line_gives_what_one_clean_run_gives(at, short):
    lines = eventful().lines
    whole = b"".join(lines)
    grown(whole, [max(0, len(b"".join(lines[:at])) - short), len(whole)])


def test_a_file_mined_after_every_record_gives_what_one_clean_run_gives():
    lines = eventful().lines
    grown(b"".join(lines), [len(b"".join(lines[: at + 1])) for at in range(len(lines))])


CURSOR = [
    {"role": role, "message": {"content": [{"type": "text", "text": text}]}}
    for role, text in [
        ("user", "<user_query>\nyes\n</user_query>"),
        ("assistant", "Done."),
        ("user", "<user_query>\nyes\n</user_query>"),
        ("assistant", "Done."),
        ("user", "<user_query>\nyes\n</user_query>"),
    ]
]


@pytest.mark.parametrize("at", range(len(CURSOR)))
def test_messages_alike_without_keys_are_told_apart_also_when_the_file_grows(at):
    lines = [line(record) for record in CURSOR]
    found = grown(b"".join(lines), [len(b"".join(lines[:at])), len(b"".join(lines))])
    assert len(found["drawers"]) == 5


def grown(whole, ends):
    """Mine the file at each of its sizes, compare with one clean run, and return the content."""
    with tempfile.TemporaryDirectory() as folder:
        once, often, path = Path(folder, "once"), Path(folder, "often"), Path(folder, "s1.jsonl")
        for end in ends:
            path.write_bytes(whole[:end])
            mine(often, path)
        mine(once, path)
        assert content(often) == content(once)
        return content(once)


def test_a_last_line_without_a_newline_is_read_when_it_is_whole(palace, claude):
    session = talk(turns=1)
    path = claude(session)
    path.write_bytes(path.read_bytes()[:-1])
    assert mine(palace, path).malformed == []
    assert len(texts(palace)) == 3


# Forgotten.


def test_a_forgotten_drawer_stays_forgotten(palace, claude):
    path = claude(talk())
    mine(palace, path)
    (id,) = ask(palace, "SELECT id FROM drawers WHERE text LIKE '%lens number 1%'")[0]
    forget(palace, "drawer", id)
    anew(palace)
    report = mine(palace, path)
    assert report.forgotten == 1
    assert len(texts(palace)) == 8
    assert not any("lens number 1" in text for text in texts(palace))


def test_a_forgotten_part_of_a_message_stays_forgotten(palace, claude):
    session = Session()
    session.user("\n\n".join(f"Paragraph {n}. " + "The lamp burns. " * 70 for n in range(3)))
    path = claude(session)
    mine(palace, path)
    (id,) = ask(palace, "SELECT id FROM drawers WHERE part = 1")[0]
    forget(palace, "drawer", id)
    before = content(palace)["drawers"]
    anew(palace)
    mine(palace, path)
    assert content(palace)["drawers"] == before
    assert len(before) == 2


def test_a_forgotten_session_stays_forgotten(palace, claude):
    session = talk()
    session.record("ai-title", aiTitle="The lamp")
    other = claude(talk("s2", turns=1))
    mine(palace, claude(session), other)
    forget(palace, "source", "s1")
    anew(palace)
    report = mine(palace, claude(session), other)
    assert report.forgotten == 9
    assert ask(palace, "SELECT id FROM sources") == [("s2",)]
    assert ask(palace, "SELECT count(*) FROM drawers") == [(3,)]
    assert ask(palace, "SELECT count(*) FROM actions") == [(1,)]


def test_a_report_counts_what_was_read_as_json_can_tell_it(palace, claude):
    assert json.loads(json.dumps(counted(mine(palace, claude(talk())))))["drawers"] == 9


def test_a_message_that_turns_out_narration_is_told_so(palace, claude):
    session = talk(turns=1)
    mine(palace, claude(session))
    assert told(palace)[-1][0] == "report"
    session.tool("Bash", {"command": "ls"})
    mine(palace, claude(session))
    assert told(palace)[-1][0] == "narration"
