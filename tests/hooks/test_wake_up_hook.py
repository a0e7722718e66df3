"""SessionStart: whatever the palace is like, the session goes on."""

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from transcripts import Session

from mempalace.cli import main
from mempalace.store.connection import open_writer

ROOT = Path(__file__).parents[2]
HOOK = "wake_up.py"


def mine(palace, path):
    """Mine a path into a palace, as a user does."""
    result = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(path)])
    assert result.exit_code == 0, result.output


@pytest.fixture
def shop(tmp_path, palace, claude):
    """Return a project's folder with one session mined."""
    project = tmp_path / "shop"
    project.mkdir()
    session = Session("first", cwd=str(project))
    session.user("The night export died again, can you find out why?")
    session.agent("The export ran out of memory; streaming the rows fixed it. 再試行の問題を修正しました。")
    path = claude(session)
    mine(palace, path)
    return project


def starting(cwd, **more):
    event = {"session_id": "abc", "transcript_path": "/none.jsonl", "hook_event_name": "SessionStart"}
    return {**event, "cwd": str(cwd), "source": "startup", **more}


def assert_silent(ran, *, failed=None, how=None):
    """Check that the hook said nothing to the client and left one line that says why."""
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = ran.lines
    assert line["hook"] == "wake-up"
    if failed:
        assert failed in line["failed"]
    if how:
        assert line["how"] == how


def test_the_story_is_handed_to_the_model(client, shop):
    ran = client.run(HOOK, starting(shop))
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "streaming the rows fixed it." in ran.context
    (line,) = ran.lines
    assert line["event"] == "SessionStart"
    assert line["session"] == "abc"
    assert line["how"] == "stored"
    assert line["wing"] == "shop"
    assert line["shown"] == len(line["ids"])
    assert line["characters"] == len(ran.context)
    assert line["took_ms"] > 0


def test_the_hook_says_what_the_command_says(client, shop, palace):
    words = [sys.executable, "-m", "mempalace", "wake-up", "--cwd", str(shop), "--palace", str(palace)]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, env={**os.environ, "PYTHONUTF8": "1"})
    assert client.run(HOOK, starting(shop)).context + "\n" == told.stdout.decode()


def test_a_resumed_session_hears_the_same_bytes(client, shop):
    first = client.run(HOOK, starting(shop)).context
    assert client.run(HOOK, starting(shop, source="resume")).context == first


def test_a_resumed_session_hears_what_it_was_told_whatever_was_mined_since(client, shop, palace, claude):
    """Of different texts the client keeps both: each time a session is resumed its context would grow."""
    first = client.run(HOOK, starting(shop)).context
    session = Session("second", cwd=str(shop))
    session.user("The day import died as well, can you find out why?")
    session.agent("The root cause was the same: it read the whole file at once, which is fixed.")
    mine(palace, claude(session))
    again = client.run(HOOK, starting(shop, source="resume"))
    assert again.context == first
    assert again.lines[0]["how"] == "as at its start"
    for source in ("compact", "clear", "startup"):
        assert "which is fixed" in client.run(HOOK, starting(shop, source=source)).context
    assert "which is fixed" in client.run(HOOK, starting(shop, source="resume", session_id="never told")).context


def test_a_project_without_sessions_hears_one_line(client, shop, tmp_path):
    ran = client.run(HOOK, starting(tmp_path / "garden"))
    assert "Nothing is filed for garden yet; other wings hold 2 drawers." in ran.context
    assert ran.lines[0]["how"] == "empty"


PYTHON = "mempalace needs Python 3.11 or later, or uv, to set itself up"


@pytest.mark.parametrize(
    ("path", "there", "said"),
    [
        pytest.param((), (), PYTHON, id="nothing to set it up with"),
        pytest.param(("python3.12",), (), "mempalace is setting itself up in the background", id="a first session"),
        pytest.param(("uv",), (), "mempalace is setting itself up in the background", id="with uv alone"),
        pytest.param(("mempalace",), (), "mempalace is reading this machine's transcripts", id="installed already"),
        pytest.param(("uv",), ("no space left",), "could not set itself up: no space left. It tries", id="a failure"),
    ],
)
def test_without_a_palace_the_user_is_told_and_the_model_nothing(client, tmp_path, path, there, said):
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "bin").mkdir()
    for name in path:
        (tmp_path / "bin" / name).touch(mode=0o755)
    for why in there:
        (data / "environment.failed").write_text(why + "\n")
    ran = client.run(
        HOOK, starting(str(tmp_path)), env={"PATH": str(tmp_path / "bin"), "CLAUDE_PLUGIN_DATA": str(data)}
    )
    assert list(json.loads(ran.out)) == ["systemMessage"]
    assert said in json.loads(ran.out)["systemMessage"]
    assert (ran.status, ran.err, ran.lines[0]["how"]) == (0, "", "no palace")


def test_an_empty_palace_says_that_it_is_empty(client, palace):
    open_writer(str(palace)).db.close()
    ran = client.run(HOOK, starting("/x/garden"))
    assert ran.context.endswith("Nothing is filed for garden yet. [/mempalace]")


def test_a_file_of_no_bytes_is_recorded(client, palace):
    palace.mkdir()
    (palace / "palace.db").touch()
    ran = client.run(HOOK, starting("/x"))
    assert (ran.status, ran.err, ran.lines[0]["how"]) == (0, "", "no palace")
    assert list(json.loads(ran.out)) == ["systemMessage"]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_locked_palace_is_not_waited_for(client, palace, shop, mode):
    db = sqlite3.connect(palace / "palace.db", isolation_level=None)
    try:
        db.execute(f"PRAGMA journal_mode={mode}")
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE meta SET value = value")
        assert_silent(client.run(HOOK, starting(shop)), failed="PalaceLocked")
    finally:
        db.close()
    assert client.run(HOOK, starting(shop)).context


def test_a_miner_that_writes_keeps_nobody_from_reading(client, palace, shop):
    db = sqlite3.connect(palace / "palace.db", isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE wings SET drawers = drawers")
        assert "streaming the rows" in client.run(HOOK, starting(shop)).context
    finally:
        db.close()


def test_a_file_that_is_no_palace_is_recorded(client, palace):
    palace.mkdir()
    (palace / "palace.db").write_bytes(b"This is not a database, and never was one. " * 200)
    assert_silent(client.run(HOOK, starting("/x")), failed="PalaceCorrupt")


def test_a_palace_damaged_in_its_middle_is_recorded(client, palace, shop):
    path = palace / "palace.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\x5a" * (len(raw) - 4096)
    path.write_bytes(raw)
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    ran = client.run(HOOK, starting(shop))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert "malformed" in ran.lines[0]["failed"]


def test_a_newer_palace_is_recorded(client, palace, shop):
    with sqlite3.connect(palace / "palace.db") as db:
        db.execute("PRAGMA user_version=999")
    db.close()
    assert_silent(client.run(HOOK, starting(shop)), failed="PalaceTooNew")


@pytest.mark.parametrize("owner", ["ours", "another's"])
def test_a_palace_that_cannot_be_written_to_is_read_and_recorded_elsewhere(client, palace, shop, owner):
    """As root every folder can be written to, so there another user runs the hook."""
    if owner == "another's" and os.geteuid() != 0:
        pytest.skip("needs root")
    if owner == "ours" and os.geteuid() == 0:
        pytest.skip("root can write anywhere")
    if owner == "ours":
        palace.chmod(0o500)
        try:
            ran = client.run(HOOK, starting(shop))
        finally:
            palace.chmod(0o700)
    else:
        ran = as_nobody(client, palace, shop)
    assert "streaming the rows fixed it." in ran.context
    assert len(ran.lines) == 1
    assert list(client.tmp.glob("mempalace-*/trajectory.jsonl"))


def as_nobody(client, palace, shop):
    """Run the hook as another user, who may read the palace and write nowhere but to a folder of its own."""
    python = next((path for path in ("/usr/bin/python3", "/usr/local/bin/python3") if os.path.exists(path)), None)
    if python is None or os.stat(ROOT).st_mode & 0o005 != 0o005:
        pytest.skip("no interpreter or no source that another user may read")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        place = Path(folder)
        place.chmod(0o755)
        shutil.copytree(palace, place / "palace")
        with sqlite3.connect(place / "palace" / "palace.db") as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        for path in (place / "palace").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        (place / "palace").chmod(0o755)
        (place / "palace" / "trajectory.jsonl").unlink(missing_ok=True)
        refuge = place / "tmp"
        refuge.mkdir()
        os.chown(refuge, 65534, 65534)
        client.palace, client.tmp = place / "palace", refuge
        env = {"MEMPALACE_HOME": str(client.palace), "TMPDIR": str(refuge), "HOME": str(refuge)}
        ran = client.run(HOOK, starting(shop), python=python, env=env, cwd="/", user=65534, group=65534)
        client.tmp = Path(shutil.copytree(refuge, shop.parent / "kept"))
        return ran


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   \n",
        b"hello",
        b"{",
        b"[1, 2]",
        b"null",
        b"\xff\xfe\x00garbage",
        b"[" * 100_000,
        b'{"cwd": 7, "session_id": null, "hook_event_name": []}',
        b'{"cwd": "/a\\u0000b"}',
        b'{"cwd": "\\ud83d"}',
    ],
    ids=["nothing", "blanks", "words", "half", "list", "null", "bytes", "deep", "wrong types", "NUL", "surrogate"],
)
def test_an_event_that_cannot_be_read_is_an_empty_one(client, shop, raw):
    ran = client.run(HOOK, raw, cwd=str(shop))
    assert (ran.status, ran.err) == (0, "")
    assert not ran.out or json.loads(ran.out)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert len(ran.lines) == 1


def test_an_event_without_a_folder_takes_the_hooks_own(client, shop):
    event = starting(shop)
    del event["cwd"]
    assert "streaming the rows" in client.run(HOOK, event, cwd=str(shop)).context
    ran = client.run(HOOK, event, cwd="/", env={"CLAUDE_PROJECT_DIR": str(shop)})
    assert "streaming the rows" in ran.context


def test_a_folder_that_is_gone_keeps_its_memory(client, shop):
    shop.rmdir()
    assert "streaming the rows" in client.run(HOOK, starting(shop)).context


def test_a_hook_whose_own_folder_is_gone_still_runs(client, shop, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}" && exec "$0" -I -S "{ROOT}/hooks/{HOOK}"'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], cwd=gone, input=b"{}", env=client.env, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(client.trajectory()) == 1


@pytest.mark.parametrize("value", ["1", "yes"])
def test_off_means_off(client, shop, value):
    assert_silent(client.run(HOOK, starting(shop), env={"MEMPALACE_OFF": value}), how="off")


def test_off_in_the_settings_means_off(client, shop, palace):
    (palace / "config.toml").write_text("off = true")
    assert_silent(client.run(HOOK, starting(shop)), how="off")


def test_off_set_to_nothing_is_on(client, shop):
    assert client.run(HOOK, starting(shop), env={"MEMPALACE_OFF": "0"}).context


@pytest.mark.parametrize("config", ["{", "= 3", 'budget = "many"', "outcome_words = 7", "unheard = 1"])
def test_a_setting_that_cannot_be_used_changes_nothing_and_is_recorded(client, shop, palace, config):
    (palace / "config.toml").write_text(config)
    ran = client.run(HOOK, starting(shop))
    assert "streaming the rows" in ran.context
    assert "config.toml" in ran.lines[0]["settings"]


@pytest.mark.parametrize("closed", [0, 1, 2], ids=["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_failure(client, shop, closed):
    given = {0: "<&-", 1: ">&-", 2: "2>&-"}[closed]
    command = f'exec "$0" -I -S "{ROOT}/hooks/{HOOK}" {given}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], cwd=shop, env=client.env, capture_output=True,
        **({} if closed == 0 else {"input": json.dumps(starting(shop)).encode()}),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(client.trajectory()) == 1


def test_a_reader_that_has_gone_is_no_failure(client, shop):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ROOT / "hooks" / HOOK)], input=json.dumps(starting(shop)).encode(),
            env=client.env, stdout=write, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    (line,) = client.trajectory()
    assert "BrokenPipeError" in line["failed"]


def test_a_broken_environment_for_python_changes_nothing(client, shop, tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    (tmp_path / "mempalace.py").write_text("raise SystemExit('the wrong mempalace')")
    env = {"PYTHONPATH": str(tmp_path), "PYTHONHOME": "/nowhere", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    ran = client.run(HOOK, starting(shop), env=env, cwd=str(tmp_path))
    assert "再試行" in ran.context


def test_a_story_that_is_behind_is_chosen_and_the_record_says_how(client, shop, palace):
    with open_writer(str(palace)) as store:
        store.db.execute("DELETE FROM stories")
    ran = client.run(HOOK, starting(shop))
    assert "streaming the rows" in ran.context
    assert ran.lines[0]["how"] == "newest by tiers"


def interpreter(name, env):
    """Return a Python of that name, on PATH or beside the one that runs the tests; None for none that starts."""
    known = [shutil.which(name), *map(str, sorted(Path(sys.base_prefix).parent.glob(f"*/bin/{name}")))]
    for python in filter(None, known):
        if subprocess.run([python, "-I", "-S", "-c", "import sqlite3"], env=env, capture_output=True).returncode == 0:
            return python
    return None


@pytest.mark.parametrize("name", [pytest.param(f"python3.{minor}", id=f"3.{minor}") for minor in range(9, 15)])
@pytest.mark.parametrize("told", ["stored", "chosen"])
def test_every_python_since_39_can_run_it(client, shop, palace, name, told):
    python = interpreter(name, client.env)
    if python is None:
        pytest.skip(f"no {name} here")
    if told == "chosen":
        with open_writer(str(palace)) as store:
            store.db.execute("DELETE FROM stories")
    ran = client.run(HOOK, starting(shop), python=python)
    assert (ran.status, ran.err) == (0, "")
    assert "streaming the rows" in ran.context, ran.lines


NAMES = [
    "two words",
    "back\\slash",
    'quo"te',
    "apos'trophe",
    "店と庭",
    "per%cent",
    "hash#mark",
    "ques?tion",
    "$(true)",
    "é",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_folder_and_any_palace_may_be_called_anything(tmp_path, client, name):
    project, palace = tmp_path / "work" / name, tmp_path / "palaces" / name
    project.mkdir(parents=True)
    session = Session("odd", cwd=str(project))
    session.user("Please repair the door of the shop.")
    session.agent("The door of the shop is repaired; the hinge was replaced.")
    mine(palace, session.write(tmp_path / "log" / name / "odd.jsonl"))
    client.palace = palace
    ran = client.run(HOOK, starting(project), env={"MEMPALACE_HOME": str(palace)})
    assert "the hinge was replaced." in ran.context
    assert len(ran.lines) == 1


def test_hooks_that_run_at_once_leave_whole_lines(client, shop):
    words = [sys.executable, "-I", "-S", str(ROOT / "hooks" / HOOK)]
    running = [
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=client.env
        )
        for _ in range(6)
    ]
    for process in running:
        process.communicate(json.dumps(starting(shop)).encode())
    assert [line["hook"] for line in client.trajectory()] == list(itertools.repeat("wake-up", 6))
