"""Stop, PreCompact, SessionEnd and SessionStart: mining is left behind, and nothing is said."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from transcripts import Session

ROOT = Path(__file__).parents[2]
HOOK = "file_away.py"
PATIENCE = 60  # seconds until a detached process must have left its mark


def eventually(look):
    """Return the first true value that `look` gives; fail when it never does."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        os.sched_yield()
    pytest.fail("it never happened")


@pytest.fixture
def installed(palace):
    """Make the palace know an interpreter that has mempalace."""
    palace.mkdir()
    (palace / "runtime.json").write_text(json.dumps({"python": sys.executable}))
    return palace


@pytest.fixture
def spy(palace, tmp_path):
    """Put a program in place of the interpreter that writes down how it was started; return where."""
    palace.mkdir()
    told = tmp_path / "told.json"
    code = (
        "import json, os, sys\n"
        "streams = [os.readlink(f'/proc/self/fd/{n}') if os.path.isdir('/proc/self/fd') else '' for n in range(3)]\n"
        "told = dict(words=sys.argv[1:], env=dict(os.environ), leader=os.getsid(0) == os.getpid(), streams=streams)\n"
        f"open({str(told)!r} + '.part', 'w').write(json.dumps(told))\n"
        f"os.replace({str(told)!r} + '.part', {str(told)!r})\n"
    )
    script = tmp_path / "spy.py"
    script.write_text(code)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{script}" "$@"\n')
    program.chmod(0o755)
    (palace / "runtime.json").write_text(json.dumps({"python": str(program)}))
    return told


@pytest.fixture
def transcript(tmp_path, claude):
    project = tmp_path / "shop"
    project.mkdir()
    session = Session("first", cwd=str(project))
    session.user("The night export died again, can you find out why?")
    session.agent("The export ran out of memory; streaming the rows fixed it.")
    return claude(session)


def ending(name, transcript, **more):
    return {"session_id": "first", "transcript_path": str(transcript), "cwd": "/", "hook_event_name": name, **more}


def assert_quiet(ran):
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (line,) = [line for line in ran.lines if line["hook"] == "file-away"]
    return line


def started(told):
    return eventually(lambda: told.exists() and json.loads(told.read_text()))


def mined(palace):
    words = [sys.executable, "-m", "mempalace", "status", "--json", "--palace", str(palace)]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, env=os.environ)
    status = json.loads(told.stdout) if told.returncode == 0 else {}
    return status if status.get("drawers") and not status["waiting"] else None


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd", "SessionStart"])
def test_an_event_has_its_session_mined(client, installed, transcript, name):
    line = assert_quiet(client.run(HOOK, ending(name, transcript)))
    assert line["did"] == "mining"
    assert eventually(lambda: mined(installed))["drawers"] == 2


def test_the_miner_stands_alone(client, spy, transcript):
    env = {"PYTHONPATH": "/wrong", "PYTHONHOME": "/wrong", "KEPT": "yes"}
    assert_quiet(client.run(HOOK, ending("Stop", transcript), env=env))
    told = started(spy)
    assert told["leader"]
    assert set(told["streams"]) <= {os.devnull, ""}
    assert told["env"]["MEMPALACE_OFF"] == "1"
    assert told["env"]["KEPT"] == "yes"
    assert not any(name.startswith("PYTHON") for name in told["env"])
    assert told["words"] == [
        "-m",
        "mempalace",
        "mine",
        "--quiet",
        "--nice",
        "--palace",
        str(client.palace),
        str(transcript),
    ]


def test_a_session_that_starts_has_its_whole_folder_mined(client, spy, transcript):
    assert_quiet(client.run(HOOK, ending("SessionStart", transcript.parent / "new.jsonl")))
    assert started(spy)["words"][-1] == str(transcript.parent)


def test_a_sessions_own_folder_is_mined_with_it(client, spy, transcript):
    agents = transcript.with_suffix("")
    agents.mkdir()
    assert_quiet(client.run(HOOK, ending("Stop", transcript)))
    assert started(spy)["words"][-2:] == [str(transcript), str(agents)]


def test_a_child_that_never_returns_keeps_nobody(client, palace, transcript, tmp_path):
    palace.mkdir()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec cat "{fifo}"\n')
    program.chmod(0o755)
    (palace / "runtime.json").write_text(json.dumps({"python": str(program)}))
    assert assert_quiet(client.run(HOOK, ending("Stop", transcript)))["did"] == "mining"
    os.close(os.open(fifo, os.O_WRONLY))  # opens once the child reads, and lets it end


def test_before_compacting_twice_nothing_is_said(client, spy, transcript):
    for _ in range(2):
        assert assert_quiet(client.run(HOOK, ending("PreCompact", transcript, trigger="auto")))["did"] == "mining"


def test_turns_in_quick_succession_are_mined_once(client, spy, transcript):
    assert assert_quiet(client.run(HOOK, ending("Stop", transcript)))["did"] == "mining"
    line = assert_quiet(client.run(HOOK, ending("Stop", transcript)))
    assert line["did"] == "nothing: mined less than two minutes ago"
    assert assert_quiet(client.run(HOOK, ending("SessionEnd", transcript)))["did"] == "mining"
    another = ending("Stop", transcript, session_id="second")
    assert assert_quiet(client.run(HOOK, another))["did"] == "mining"


def test_a_turn_long_after_the_last_is_mined(client, spy, transcript):
    assert_quiet(client.run(HOOK, ending("Stop", transcript)))
    (mark,) = (client.palace / "turns").iterdir()
    os.utime(mark, (mark.stat().st_mtime - 121,) * 2)
    assert assert_quiet(client.run(HOOK, ending("Stop", transcript)))["did"] == "mining"


def test_no_session_id_is_a_way_out_of_the_palace(client, spy, transcript):
    assert_quiet(client.run(HOOK, ending("Stop", transcript, session_id="../../../etc/passwd")))
    assert [path.name for path in (client.palace / "turns").iterdir()] == ["etcpasswd"]


@pytest.mark.parametrize(
    "raw",
    [b"", b"hello", b"[]", b'{"hook_event_name": "Stop"}', b'{"transcript_path": 7}', b"\xff\xfe"],
    ids=["nothing", "words", "list", "no transcript", "wrong type", "bytes"],
)
def test_an_event_that_names_no_transcript_does_nothing(client, spy, raw):
    assert "transcript" in assert_quiet(client.run(HOOK, raw))["did"]


def test_a_transcript_that_is_not_there_yet_is_no_failure(client, installed, tmp_path):
    line = assert_quiet(client.run(HOOK, ending("SessionStart", tmp_path / "no" / "such.jsonl")))
    assert line["did"].startswith("nothing")


def test_off_means_off(client, spy, transcript):
    line = assert_quiet(client.run(HOOK, ending("SessionEnd", transcript), env={"MEMPALACE_OFF": "1"}))
    assert "mining" not in str(line)
    assert not spy.exists()


def test_off_in_the_settings_means_off(client, spy, transcript):
    (client.palace / "config.toml").write_text("off = true")
    assert "mining" not in str(assert_quiet(client.run(HOOK, ending("SessionEnd", transcript))))


def test_where_mempalace_is_not_installed_the_record_says_what_to_do(client, transcript):
    ran = client.run(HOOK, ending("Stop", transcript), env={"PATH": "/nowhere"})
    assert "pip install mempalace" in assert_quiet(ran)["failed"]


def test_an_interpreter_that_cannot_be_started_is_recorded(client, palace, transcript, tmp_path):
    palace.mkdir()
    broken = tmp_path / "python"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    (palace / "runtime.json").write_text(json.dumps({"python": str(broken)}))
    assert "Error" in assert_quiet(client.run(HOOK, ending("SessionEnd", transcript)))["failed"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"], ids=["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_failure(client, spy, closed):
    command = f'exec "$0" -I -S "{ROOT}/hooks/{HOOK}" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], env=client.env, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(client.trajectory()) == 1


@pytest.mark.parametrize(
    "name",
    ["two words", "back\\slash", 'quo"te', "apos'trophe", "店と庭", "$(touch x)", "a;b", "%41", "-rf", "new\nline"],
)
def test_any_path_reaches_the_miner_as_it_is(tmp_path, client, name):
    home = tmp_path / "odd" / name
    palace, log = home / "palace", home / "log"
    palace.mkdir(parents=True)
    (palace / "runtime.json").write_text(json.dumps({"python": sys.executable}))
    session = Session("odd", cwd=str(home))
    session.user("Please repair the door of the shop.")
    path = session.write(log / f"{name}.jsonl")
    client.palace = palace
    ran = client.run(HOOK, ending("Stop", path), env={"MEMPALACE_HOME": str(palace)})
    assert assert_quiet(ran)["places"] == [str(path)]
    assert eventually(lambda: mined(palace))["drawers"] == 1


def test_the_miner_fires_no_hook_of_its_own(client, installed, transcript):
    assert_quiet(client.run(HOOK, ending("SessionEnd", transcript)))
    eventually(lambda: mined(installed))
    assert [line["hook"] for line in client.trajectory()] == ["file-away"]
