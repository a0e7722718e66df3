"""A hook's run: what it was told, whether it is time to mine, and how the miner is started."""

import json
import os
import subprocess
import sys

import pytest
from transcripts import BEGAN

from mempalace import errand, runtime, trajectory
from mempalace.visit import Visit

PLUGIN = "/nowhere/plugin"


def visit(event=None, *, now=BEGAN, env=None, **fields):
    raw = json.dumps(fields).encode() if event is None else event
    return Visit("file-away", raw, {**os.environ, **(env or {})}, now=now, began=0.0)


def program(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def place(tmp_path):
    """Return a project's folder of transcripts with one session in it."""
    folder = tmp_path / "projects" / "-work"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text("")
    (folder / "s2.jsonl").write_text("")
    return folder


# The event.


def test_an_event_is_read(palace):
    told = visit(hook_event_name="Stop", session_id="s1", cwd="/work", transcript_path="/t.jsonl")
    assert (told.name, told.session, told.cwd, told.palace) == ("Stop", "s1", "/work", str(palace))
    assert told.noted == {}


@pytest.mark.parametrize(
    ("raw", "failed"),
    [
        pytest.param(b"", None, id="nothing"),
        pytest.param(b" \n", None, id="blanks"),
        pytest.param(b"{torn", "unreadable event: ", id="torn"),
        pytest.param(b"[1, 2]", "unreadable event: not a JSON object", id="a list"),
        pytest.param(b"null", "unreadable event: not a JSON object", id="null"),
        pytest.param(b"[" * 100_000, "unreadable event: ", id="nested too deep"),
        pytest.param(b"\xff\xfe\xff", "unreadable event: ", id="no text"),
        pytest.param(b'{"a": 1' + b"0" * 5000 + b"}", "unreadable event: ", id="a number of 5,000 digits"),
    ],
)
def test_an_event_that_cannot_be_read_is_an_empty_one_and_recorded(palace, raw, failed):
    told = visit(raw)
    assert (told.event, told.name, told.session) == ({}, "SessionStart", "")
    assert told.noted.get("failed", "").startswith(failed or "")
    assert ("failed" in told.noted) == (failed is not None)
    told.record()
    assert len(list(trajectory.events(str(palace)))) == 1


@pytest.mark.parametrize("value", [None, 3, ["x"], {"a": "b"}, True])
def test_a_field_of_another_type_is_empty_text(value):
    told = visit(session_id=value, cwd=value, hook_event_name=value, transcript_path=value)
    assert (told.session, told.name, told.text("transcript_path")) == ("", "SessionStart", "")
    assert told.cwd == os.getcwd()


def test_the_folder_is_the_events_else_the_projects_else_ours(tmp_path, monkeypatch):
    assert visit(cwd="/a", env={"CLAUDE_PROJECT_DIR": "/b"}).cwd == "/a"
    assert visit(env={"CLAUDE_PROJECT_DIR": "/b"}).cwd == "/b"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert visit().cwd == os.path.expanduser("~")


def test_a_visit_leaves_one_line_of_what_it_did(palace):
    told = visit(hook_event_name="Stop", session_id="s1")
    told.note(did="mining", places=["/t.jsonl"])
    told.failed(ValueError("odd"))
    told.record()
    (line,) = trajectory.events(str(palace))
    assert line.pop("took_ms") > 0
    assert line == {
        "at": BEGAN, "hook": "file-away", "event": "Stop", "session": "s1", "did": "mining",
        "places": ["/t.jsonl"], "failed": "ValueError: odd",
    }  # fmt: skip


def test_context_names_its_event_and_is_one_line():
    told = visit(hook_event_name="UserPromptSubmit")
    said = told.context("two\nlines – ü")
    assert said.endswith("\n")
    assert said.count("\n") == 1
    assert json.loads(said)["hookSpecificOutput"] == {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "two\nlines – ü",
    }
    assert told.noted["characters"] == 13


# What, and when.


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd"])
def test_only_the_events_own_session_is_mined(place, name):
    transcript = place / "s1.jsonl"
    assert errand.what(visit(hook_event_name=name, transcript_path=str(transcript))) == [str(transcript)]
    (place / "s1").mkdir()
    both = [str(transcript), str(place / "s1")]
    assert errand.what(visit(hook_event_name=name, transcript_path=str(transcript))) == both


def test_at_a_sessions_start_all_of_its_project_is_mined(place):
    assert errand.what(visit(hook_event_name="SessionStart", transcript_path=str(place / "new.jsonl"))) == [str(place)]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="no transcript"),
        pytest.param({"transcript_path": 3}, id="no path"),
        pytest.param({"transcript_path": "/nowhere/at/all.jsonl"}, id="a folder that is not there yet"),
    ],
)
def test_where_there_is_nothing_to_mine_nothing_is_started(palace, fields):
    told = visit(hook_event_name="SessionStart", **fields)
    assert errand.what(told) == []
    errand.file_away(told, PLUGIN)
    assert told.noted == {"did": "nothing: the event names no transcript"}


@pytest.mark.parametrize(
    ("seconds", "sessions", "dues"),
    [
        pytest.param([0, 1, 2], "aaa", [True, False, False], id="three within a second or two"),
        pytest.param([0, 119, 120], "aaa", [True, False, True], id="after two minutes"),
        pytest.param([0, 120, 239, 240], "aaaa", [True, True, False, True], id="two minutes each"),
        pytest.param([0, 1, 2], "abc", [True, True, True], id="each session for itself"),
        pytest.param([0, -5, -4000], "aaa", [True, False, True], id="a clock set back"),
        pytest.param([0, 1], ["../../x", "../../x"], [True, False], id="a name that climbs"),
        pytest.param([0, 1], ["", ""], [True, False], id="no name"),
    ],
)
def test_a_session_is_mined_at_most_once_in_two_minutes(palace, tmp_path, seconds, sessions, dues):
    visits = [visit(session_id=session, now=BEGAN + second) for second, session in zip(seconds, sessions, strict=True)]
    assert [errand.due(told) for told in visits] == dues
    assert os.listdir(palace) == ["turns"]


def test_a_palace_that_cannot_be_written_to_is_always_due(tmp_path):
    (tmp_path / "file").write_text("")
    env = {"MEMPALACE_HOME": str(tmp_path / "file" / "palace")}
    assert [errand.due(visit(session_id="a", env=env)) for _ in range(2)] == [True, True]


@pytest.mark.parametrize(("name", "started"), [("Stop", 1), ("PreCompact", 3), ("SessionEnd", 3), ("SessionStart", 3)])
def test_only_stop_is_held_back(place, tmp_path, monkeypatch, name, started):
    begun = []
    monkeypatch.setattr(runtime, "detached", lambda words, env: begun.append(words))
    mempalace = program(tmp_path / "bin" / runtime.PROGRAM)
    transcript = str(place / "s1.jsonl")
    for n in range(3):
        told = visit(hook_event_name=name, session_id="s1", transcript_path=transcript, now=BEGAN + n,
                     cwd=str(tmp_path), env={"PATH": str(tmp_path / "bin")})  # fmt: skip
        errand.file_away(told, PLUGIN)
    target = str(place) if name == "SessionStart" else transcript
    assert begun == [[mempalace, "mine", "--quiet", "--nice", "--palace", told.palace, target]] * started
    assert told.noted["did"] == ("nothing: mined less than two minutes ago" if started == 1 else "mining")


def test_where_mempalace_is_not_installed_the_remedy_is_recorded(place, tmp_path):
    told = visit(hook_event_name="SessionEnd", transcript_path=str(place / "s1.jsonl"), cwd=str(tmp_path),
                 env={"PATH": ""})  # fmt: skip
    errand.file_away(told, PLUGIN)
    assert told.noted == {"failed": "mempalace is not installed: run `pip install mempalace`"}


@pytest.mark.parametrize(
    ("more", "settles"),
    [
        pytest.param({}, True, id="the first time"),
        pytest.param({"MEMPALACE_NO_INSTALL": "1"}, False, id="when told not to"),
        pytest.param({"PATH": ""}, False, id="without a modern Python"),
        pytest.param({"failed": -10}, False, id="just after it failed"),
        pytest.param({"failed": -3601}, True, id="an hour after it failed"),
        pytest.param({"made": "of another version"}, True, id="when the plugin was updated"),
    ],
)
def test_a_plugin_makes_its_own_environment(place, tmp_path, monkeypatch, more, settles):
    begun = []
    monkeypatch.setattr(runtime, "detached", lambda words, env: begun.append(words))
    python = program(tmp_path / "bin" / "python3.12")
    data = tmp_path / "data"
    data.mkdir()
    if "failed" in more:
        (data / "environment.failed").touch()
        os.utime(data / "environment.failed", (BEGAN, BEGAN + more.pop("failed")))
    if "made" in more:
        (data / "environment.json").write_text(json.dumps({"python": python, "needs": more.pop("made"), "root": "/"}))
    env = {"CLAUDE_PLUGIN_DATA": str(data), "PATH": str(tmp_path / "bin"), **more}
    transcript = str(place / "s1.jsonl")
    told = visit(hook_event_name="SessionEnd", transcript_path=transcript, cwd=str(tmp_path), env=env)
    errand.file_away(told, PLUGIN)
    script = os.path.join(PLUGIN, "hooks", "settle.py")
    words = [python, "-I", script, told.palace, transcript]
    assert begun == ([words] if settles else [])
    assert told.noted.get("did") == ("installing" if settles else None)


def test_the_newest_python_is_taken(tmp_path):
    for minor in (9, 11, 12):
        program(tmp_path / "a" / f"python3.{minor}")
    newest = program(tmp_path / "b" / "python3.13")
    assert errand.modern_python({"PATH": f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}"}) == newest
    assert errand.modern_python({"PATH": ""}) == errand.modern_python({}) == ""


# Where mempalace is.


def test_the_program_is_sought_in_order(tmp_path, palace):
    project, data = tmp_path / "project", tmp_path / "data"
    env = {"PATH": f"{tmp_path / 'empty'}{os.pathsep}{tmp_path / 'bin'}", "CLAUDE_PLUGIN_DATA": str(data)}

    def found():
        return runtime.command(str(palace), str(project), env)

    assert found() is None
    in_project = program(project / ".venv" / "bin" / "mempalace")
    assert found() == [in_project]
    on_path = program(tmp_path / "bin" / "mempalace")
    assert found() == [on_path]
    own = program(data / "environment-1" / "bin" / "python")
    assert found() == [on_path], "an environment still being made is not used"
    (data / "environment.json").write_text(json.dumps({"python": own, "needs": "1", "root": PLUGIN}))
    assert found() == [own, "-m", "mempalace"]
    last = program(tmp_path / "last" / "python")
    palace.mkdir()
    runtime.remember(str(palace), last)
    assert found() == [last, "-m", "mempalace"]
    os.unlink(last)
    assert found() == [own, "-m", "mempalace"], "an interpreter that is gone is passed over"


def test_a_folder_called_mempalace_is_no_program(tmp_path, palace):
    (tmp_path / "bin" / "mempalace").mkdir(parents=True)
    assert runtime.command(str(palace), str(tmp_path), {"PATH": str(tmp_path / "bin")}) is None


@pytest.mark.parametrize("said", [b"", b"{", b"[]", b'{"python": 3}', b"\xff", b'{"other": "x"}'])
def test_a_record_that_cannot_be_read_is_none(palace, said):
    palace.mkdir()
    (palace / "runtime.json").write_bytes(said)
    assert runtime.recorded(str(palace)) == ""


def test_an_interpreter_is_remembered_only_in_a_palace_that_is_there(palace):
    runtime.remember(str(palace), "/usr/bin/python3")
    assert not palace.exists()
    palace.mkdir()
    runtime.remember(str(palace), "/usr/bin/python3")
    assert runtime.recorded(str(palace)) == "/usr/bin/python3"
    assert os.listdir(palace) == ["runtime.json"]


def test_a_helpers_own_hooks_are_off_and_no_python_setting_leaks_into_it():
    env = {"PATH": "/bin", "PYTHONPATH": "/x", "PYTHONHOME": "/y", "MEMPALACE_HOME": "/p"}
    assert runtime.child_environment(env) == {"PATH": "/bin", "MEMPALACE_HOME": "/p", "MEMPALACE_OFF": "1"}


CHILD = """
import os, sys, time
fifo, marker = sys.argv[1:]
open(fifo).read()  # until the test lets go
told = [os.path.realpath(f"/proc/self/fd/{n}") for n in (0, 1, 2)]
open_ones = sorted(int(n) for n in os.listdir("/proc/self/fd"))
with open(marker + ".part", "w") as file:
    print(told, len(open_ones), os.getsid(0) == os.getpid(), os.environ["MEMPALACE_OFF"], file=file)
os.rename(marker + ".part", marker)
with open(fifo, "w"):
    pass
"""
PARENT = """
import os, sys
sys.path.insert(0, {root!r})
from mempalace import runtime
kept_open = os.open(os.devnull, os.O_RDONLY)
{start}([sys.executable, *sys.argv[1:]], os.environ)
print("returned")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
@pytest.mark.parametrize("start", ["runtime.detached", "runtime._detached_by_subprocess"])
def test_a_miner_started_is_on_its_own_with_nothing_of_ours_open(tmp_path, start):
    fifo, marker, script = tmp_path / "fifo", tmp_path / "marker", tmp_path / "child.py"
    os.mkfifo(fifo)
    script.write_text(CHILD)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    env = {**os.environ, "MEMPALACE_OFF": "1"}
    words = [sys.executable, "-c", PARENT.format(root=root, start=start), script, fifo, marker]
    # The pipes' ends come although the child lives on: it has not inherited them.
    hook = subprocess.run(words, capture_output=True, text=True, timeout=60, env=env)
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "returned\n", "")
    assert not marker.exists()
    with open(fifo, "w"):
        pass
    with open(fifo) as end:
        end.read()
    told = marker.read_text()
    assert told.startswith("['/dev/null', '/dev/null', '/dev/null'] 4 True 1"), told


def test_a_program_that_cannot_be_started_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        runtime.detached([str(tmp_path / "nothing")], {})
