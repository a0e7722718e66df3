"""UserPromptSubmit: the prompt goes through, whatever the palace is like, and the trajectory says how."""

import json
import os
import shutil
import sqlite3
import sys

import pytest
from click.testing import CliRunner
from transcripts import Session

from mempalace.cli import main
from mempalace.store.connection import open_writer

HOOK = "recall.py"
PROMPT = "The night export died again, it seems out of memory. What was the fix?"
FILLER = "gate winch rope barrel ladder bench stove kettle drawer shutter anchor sail".split()


@pytest.fixture
def shop(tmp_path, palace, claude):
    """Return a project's folder with a session mined, in which something was settled."""
    project = tmp_path / "shop"
    project.mkdir()
    session = Session("first", cwd=str(project))
    session.user("Why does the night export die?")
    session.agent("The night export ran out of memory; streaming its rows fixed it for good. 再試行も直しました。")
    idle = Session("idle", cwd=str(project))
    for thing in FILLER:
        idle.user(f"The {thing} was painted on a sunny day and dried within the hour.")
    mined = CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(claude(session)), str(claude(idle))])
    assert mined.exit_code == 0, mined.output
    return project


def prompted(cwd, prompt=PROMPT, session="new", **more):
    return {"session_id": session, "cwd": str(cwd), "hook_event_name": "UserPromptSubmit", "prompt": prompt, **more}


def test_a_prompt_gets_the_passage_that_settles_it(client, shop):
    ran = client.run(HOOK, prompted(shop))
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "streaming its rows fixed it for good. 再試行も直しました。" in ran.context
    (line,) = ran.lines
    assert (line["hook"], line["event"], line["session"], line["how"]) == (
        "recall",
        "UserPromptSubmit",
        "new",
        "relevance",
    )
    assert line["ids"]
    assert line["characters"] == len(ran.context)


def test_the_same_passage_is_given_once_a_session(client, shop):
    assert "streaming its rows" in client.run(HOOK, prompted(shop)).context
    assert "streaming its rows" not in client.run(HOOK, prompted(shop)).out
    assert "streaming its rows" in client.run(HOOK, prompted(shop, session="other")).context


def test_a_session_is_not_given_its_own_words(client, shop):
    assert client.run(HOOK, prompted(shop, session="first")).out == ""


def test_what_the_start_told_is_not_given_again(client, shop):
    start = {"session_id": "new", "cwd": str(shop), "hook_event_name": "SessionStart", "source": "startup"}
    told = client.run("wake_up.py", start)
    assert told.lines[0]["ids"]
    given = client.run(HOOK, prompted(shop)).lines[0]["ids"]
    assert not set(given) & set(told.lines[0]["ids"])


@pytest.mark.parametrize("prompt", ["Rename the currency converter, please.", "请帮我写一个排序算法", "x" * 1000])
def test_an_unrelated_prompt_gets_nothing(client, shop, prompt):
    ran = client.run(HOOK, prompted(shop, prompt))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert [line["ids"] for line in ran.lines] == [[]]


@pytest.mark.parametrize(
    "prompt", ["", "thanks", "Спасибо!", "続けて", "/compact", "<task-notification>done</task-notification>"]
)
def test_small_talk_touches_nothing(client, shop, palace, prompt):
    """The palace's file is a trap: whoever opens it fails, and that is recorded."""
    for name in ("palace.db", "palace.db-wal", "palace.db-shm"):
        (palace / name).unlink(missing_ok=True)
    (palace / "palace.db").write_bytes(b"a trap: no database")
    shutil.rmtree(palace / "index")
    ran = client.run(HOOK, prompted(shop, prompt))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["did"] == "nothing: small talk"
    assert "failed" not in line
    assert not (palace / "sessions").exists()


def garbage(palace):
    for name in ("palace.db-wal", "palace.db-shm"):
        (palace / name).unlink(missing_ok=True)
    (palace / "palace.db").write_bytes(b"garbage" * 5000)


def newer(palace):
    with sqlite3.connect(palace / "palace.db") as db:
        db.execute("PRAGMA user_version=999")
    db.close()


def half(palace):
    held = (palace / "palace.db").read_bytes()
    for name in ("palace.db-wal", "palace.db-shm"):
        (palace / name).unlink(missing_ok=True)
    (palace / "palace.db").write_bytes(held[: len(held) // 2])


@pytest.mark.parametrize(
    ("harm", "said"), [(garbage, "PalaceCorrupt"), (newer, "PalaceTooNew"), (half, "PalaceCorrupt")]
)
def test_a_broken_palace_is_one_failure(client, shop, palace, harm, said):
    harm(palace)
    ran = client.run(HOOK, prompted(shop))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["failed"].startswith(said)
    assert "recency" not in line


def test_a_locked_palace_is_one_failure(client, shop, palace):
    with open_writer(str(palace)) as store:
        store.db.execute("PRAGMA journal_mode=DELETE")
        store.db.execute("BEGIN EXCLUSIVE")
        ran = client.run(HOOK, prompted(shop))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["failed"].startswith("PalaceLocked")


def test_a_palace_being_written_to_is_read_all_the_same(client, shop, palace):
    with open_writer(str(palace)) as store:
        store.db.execute("BEGIN IMMEDIATE")
        store.db.execute("DELETE FROM drawers")
        ran = client.run(HOOK, prompted(shop))
        store.db.execute("ROLLBACK")
    assert "streaming its rows fixed it" in ran.context


def test_a_missing_palace_is_noted(client, tmp_path):
    ran = client.run(HOOK, prompted(tmp_path))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert [line["did"] for line in ran.lines] == ["nothing: no palace"]


@pytest.mark.parametrize("harm", ["gone", "half there", "spoiled"])
def test_a_broken_index_is_one_recency_event(client, shop, palace, harm):
    if harm == "gone":
        shutil.rmtree(palace / "index")
    elif harm == "half there":
        (palace / "index" / "state.json").unlink()
    else:
        for path in (palace / "index").glob("*.term"):
            path.write_bytes(b"garbage")
    ran = client.run(HOOK, prompted(shop))
    assert ran.status == 0
    assert ran.context.startswith("[mempalace] The search index cannot be asked")
    (line,) = ran.lines
    assert line["how"] == "recency"
    assert "the search index" in line["recency"]
    assert "failed" not in line


def test_without_an_installation_the_prompt_goes_through(client, shop, palace):
    (palace / "runtime.json").unlink()
    ran = client.run(HOOK, prompted(shop), env={"PATH": "/nowhere"})
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["failed"] == "mempalace is not installed: run `pip install mempalace`"


def test_an_interpreter_that_is_no_program_is_one_failure(client, shop, palace, tmp_path):
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fELF no program")
    broken.chmod(0o755)
    (palace / "runtime.json").write_text(json.dumps({"python": str(broken)}))
    ran = client.run(HOOK, prompted(shop))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["failed"].startswith("OSError")


@pytest.mark.parametrize("char", ["a", "中", "🗝", "\0", "\udcaf"])
def test_a_pasted_page_never_hangs_the_client(client, shop, char):
    """A pipe takes 64 KiB before anybody reads: what is handed on is cut to fit."""
    ran = client.run(HOOK, prompted(shop, PROMPT + char * 300_000))
    assert (ran.status, ran.err) == (0, "")
    (line,) = ran.lines
    assert line["how"] == "relevance"
    assert "failed" not in line


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b'{"prompt": 7, "cwd": null}', b'{"prompt": "' + b"[" * 10_000]
)
def test_an_event_that_cannot_be_read_is_no_error(client, shop, raw):
    ran = client.run(HOOK, raw)
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(ran.lines) == 1


@pytest.mark.parametrize("where", ["a folder", 'it\'s "quoted"', "back\\slash", "日本語 ☂", "$(touch X)"])
def test_any_path_will_do(client, tmp_path, palace, claude, where):
    project = tmp_path / where
    project.mkdir()
    session = Session("first", cwd=str(project))
    session.user("Why does the night export die?")
    session.agent("The night export ran out of memory; streaming its rows fixed it for good.")
    for thing in FILLER:
        session.user(f"The {thing} was painted on a sunny day and dried within the hour.")
    assert CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(claude(session))]).exit_code == 0
    assert "streaming its rows" in client.run(HOOK, prompted(project), cwd=project).context
    assert os.listdir(project) == []


def test_off_is_off(client, shop):
    ran = client.run(HOOK, prompted(shop), env={"MEMPALACE_OFF": "1"})
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert [line["did"] for line in ran.lines] == ["nothing: off"]


def test_settings_of_python_do_not_reach_the_second_half(client, shop, tmp_path):
    (tmp_path / "click.py").write_text("raise SystemExit('the wrong click')")
    env = {"PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "error", "PYTHONIOENCODING": "ascii"}
    ran = client.run(HOOK, prompted(shop), env=env, cwd=tmp_path, python=sys.executable)
    assert "streaming its rows" in ran.context
