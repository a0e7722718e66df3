"""A prompt is given what earlier sessions said of it, in little, cited, once; else nothing, and never an error."""

import builtins
import json
import os
import re
import shutil
import time

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcripts import NOW, Session, ask

from mempalace import given as remembered
from mempalace.cli import main
from mempalace.layers import doorstep, prompt_recall
from mempalace.layers.doorstep import PIPE, go_inside, handed_on
from mempalace.layers.l3_search import Reader
from mempalace.layers.prompt_recall import CHARACTERS, HEAD, ITEMS, TAIL, TooSlow, answer
from mempalace.layers.session_start import answer as wake_up
from mempalace.search import state
from mempalace.trajectory import last_recall
from mempalace.visit import Visit

SETTLED = (
    ("Why does the night export die?", "The night export ran out of memory; streaming its rows fixed it for good."),
    ("Where does the blue key hang?", "Decided: the blue key hangs in the attic, behind the second lantern."),
    ("Which queue do the invoices use?", "We moved the invoices from Redis to Postgres, because Redis lost them."),
    ("Is ERR_CONN_7741 still seen?", "ERR_CONN_7741 came from a proxy that closes idle sockets after a minute."),
    ("工作总结放在哪里？", "工作总结放在共享文件夹里，每周五更新一次。"),
    ("Как зовут новый сервер?", "Новый сервер зовут Маяк, он стоит в подвале башни."),
)
FILLER = (
    "The {} was painted on a sunny {} and dried within the hour.",
    "Nobody could say who had left the {} beside the {}.",
    "A note on the {}: it wants oil before the {} comes.",
)
THINGS = "gate winch rope barrel ladder bench stove kettle drawer shutter anchor sail".split()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a folder with a project and a palace: a few things that were settled, among others."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "tower").mkdir()
    files = []
    for n, (prompt, report) in enumerate(SETTLED):
        session = Session(f"s{n}", cwd=str(folder / "tower"))
        session.user(prompt)
        session.agent(report)
        files.append(str(session.write(folder / "log" / f"s{n}.jsonl")))
    idle = Session("idle", cwd=str(folder / "tower"))
    for n, thing in enumerate(THINGS):
        for form in FILLER:
            idle.user(form.format(thing, THINGS[n - 1]))
    files.append(str(idle.write(folder / "log" / "idle.jsonl")))
    ran = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(folder / "palace"), *files])
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.fixture
def tower(built, palace, monkeypatch):
    """Return the project's folder, with a copy of the palace to be spoiled, and time enough."""
    shutil.copytree(built / "palace", palace)
    monkeypatch.setattr(prompt_recall, "DEADLINE", 60)
    return built / "tower"


def visit(palace, project, prompt, session="new", **more):
    event = {
        "session_id": session,
        "cwd": str(project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
        **more,
    }
    return Visit(
        "recall", json.dumps(event).encode(), {"MEMPALACE_HOME": str(palace)}, now=NOW, began=time.perf_counter()
    )


def given_to(palace, project, prompt, session="new"):
    """Return (the block that a prompt is given, what the run notes)."""
    run = visit(palace, project, prompt, session)
    said = answer(run)
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else "", run.noted


def lines(block):
    return [line for line in block.splitlines() if line.startswith("- [d:")]


@pytest.mark.parametrize(
    ("prompt", "passage"),
    [
        ("The night export died again, it seems out of memory. What was the fix?", "streaming its rows fixed it"),
        ("I cannot find the blue key of the attic", "the blue key hangs in the attic"),
        ("Why did the invoices leave Redis?", "from Redis to Postgres"),
        ("ERR_CONN_7741 came back on the proxy", "closes idle sockets"),
        ("请问工作总结放在哪个文件夹？", "工作总结放在共享文件夹里"),
        ("Где стоит новый сервер Маяк?", "Новый сервер зовут Маяк"),
    ],
)
def test_a_relevant_prompt_is_given_its_passage(palace, tower, prompt, passage):
    block, noted = given_to(palace, tower, prompt)
    assert block.startswith(HEAD + "\n- [d:")
    assert block.endswith("\n" + TAIL)
    (line, *_) = [line for line in lines(block) if passage in line]
    assert re.match(r"- \[d:[0-9a-f]{8}\] [\w-]+, report, 2026-01-02: ", line)
    assert noted["how"] == "relevance"
    assert len(noted["ids"]) == len(lines(block))
    id = re.search(r"d:([0-9a-f]+)", line)[1]
    opened = CliRunner().invoke(main, ["show", f"[d:{id}]", "--palace", str(palace), "--json"])
    assert passage in json.loads(opened.stdout)["drawer"]["text"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Please write a unit test for the new currency converter.",
        "Rename the function and run the linter again.",
        "What is the weather like in Lisbon?",
        "Make it blue.",
        "请帮我写一个排序算法",
        "Напиши тест для сортировки",
        "lorem ipsum dolor sit amet",
    ],
)
def test_an_unrelated_prompt_is_given_nothing(palace, tower, prompt):
    block, noted = given_to(palace, tower, prompt)
    assert block == ""
    assert noted["ids"] == []
    assert remembered.of(str(palace), "new") == frozenset()


def test_no_session_is_given_its_own_words(palace, tower):
    prompt = "I cannot find the blue key of the attic"
    assert "attic" not in given_to(palace, tower, prompt, session="s1")[0]
    assert "attic" in given_to(palace, tower, prompt, session="s2")[0]


def test_no_drawer_is_given_to_a_session_twice(palace, tower):
    prompt = "I cannot find the blue key of the attic"
    first, noted = given_to(palace, tower, prompt)
    assert "attic" in first
    again, _ = given_to(palace, tower, prompt)
    assert not set(lines(first)) & set(lines(again))
    assert set(noted["ids"]) <= remembered.of(str(palace), "new")
    assert lines(given_to(palace, tower, prompt, session="another")[0]) == lines(first)


def test_what_the_wake_up_told_counts_as_given(palace, tower):
    start = visit(palace, tower, "", hook_event_name="SessionStart", source="startup")
    woken = wake_up(start)
    prompt = "ERR_CONN_7741 came back on the proxy"
    (id,) = re.findall(r"closes idle sockets after a minute\. \[(d:\w+)\]", woken)
    assert id not in given_to(palace, tower, prompt)[0]
    assert id in given_to(palace, tower, prompt, session="another")[0]


def test_another_project_is_told_nothing(palace, tower, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    block, noted = given_to(palace, tmp_path / "elsewhere", "I cannot find the blue key of the attic")
    assert (block, noted) == ("", {"did": "nothing: nothing is filed for this project"})


def test_a_prompt_holds_no_filters(palace, tower):
    """Whoever writes `since:yesterday` or `wing:x` in a prompt speaks to the agent, not to the search."""
    block, noted = given_to(palace, tower, "wing:x since:now Does the blue key hang in the attic behind a lantern?")
    assert "blue key hangs in the attic" in block
    assert noted["how"] == "relevance"


def test_a_block_is_short(palace, tower):
    long = Session("long", cwd=str(tower))
    for n in range(30):
        long.user(f"The zeppelin number {n} " + "leaks hydrogen, zeppelin hangar mast " * 20)
    path = long.write(palace.parent / "long.jsonl")
    assert CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(path)]).exit_code == 0
    block, _ = given_to(palace, tower, "Which zeppelin leaks hydrogen at the hangar mast?")
    assert 1 <= len(lines(block)) <= ITEMS
    assert len(block) <= CHARACTERS == 1500


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(
    st.lists(
        st.one_of(
            st.sampled_from("night export blue key attic invoices Redis 7741 工作总结 сервер".split()),
            st.text(max_size=9),
        ),
        max_size=40,
    ).map(" ".join)
)
def test_whatever_the_prompt_the_block_keeps_its_bounds(palace, tower, prompt):
    block, noted = given_to(palace, tower, prompt, session="")
    assert len(block) <= CHARACTERS
    assert len(lines(block)) == len(noted["ids"]) <= ITEMS
    assert len(set(noted["ids"])) == len(noted["ids"])


def test_off_means_off(palace, tower):
    (palace / "config.toml").write_text("off = true")
    assert given_to(palace, tower, "I cannot find the blue key of the attic") == ("", {"did": "nothing: off"})


@pytest.mark.parametrize("harm", ["gone", "half", "other", "garbage"])
def test_without_an_index_the_newest_are_given_and_it_is_said(palace, tower, harm):
    folder = state.folder(str(palace))
    if harm == "gone":
        shutil.rmtree(folder)
    elif harm == "half":
        os.unlink(os.path.join(folder, state.STATE))
    elif harm == "other":
        state.write(str(palace), state.read(str(palace))._replace(analyzer="terms-0"))
    else:
        for name in os.listdir(folder):
            if name.endswith((".term", ".idx")):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"garbage")
    block, noted = given_to(palace, tower, "I cannot find the blue key of the attic")
    assert block.startswith("[mempalace] The search index cannot be asked (the search index ")
    assert "these are the newest notes, not the nearest." in block
    assert 1 <= len(lines(block)) <= ITEMS
    assert len(block) <= CHARACTERS
    assert noted["how"] == "recency"
    assert "the search index" in noted["recency"]
    assert "failed" not in noted
    assert lines(given_to(palace, tower, "And the night export?")[0]) != lines(block)


def test_what_is_not_found_in_time_is_not_given(palace, tower, monkeypatch):
    def slow(*args, **more):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(prompt_recall, "DEADLINE", 0.05)
    monkeypatch.setattr("mempalace.layers.l3_search.Engine", slow)
    with pytest.raises(TooSlow, match=r"no answer within 0\.05 s"):
        given_to(palace, tower, "I cannot find the blue key of the attic")


@pytest.mark.parametrize(
    "prompt",
    ["hi", "Thanks!", "continue", "谢谢！", "Спасибо", "/clear", "<task-notification>x</task-notification>", " "],
)
def test_small_talk_opens_nothing_of_the_palace(palace, tower, monkeypatch, prompt):
    opened = []

    def watched(path, *args, **more):
        opened.append(str(path))
        return real(path, *args, **more)

    real = builtins.open
    monkeypatch.setattr(builtins, "open", watched)
    monkeypatch.setattr("sqlite3.connect", lambda *args, **more: pytest.fail("the store was opened"))
    monkeypatch.setattr(doorstep.runtime, "become", lambda *args: pytest.fail("another process was started"))
    run = visit(palace, tower, prompt)
    go_inside(run, "inside.py")
    assert run.noted == {"did": "nothing: small talk"}
    assert [path for path in opened if path.startswith(str(palace))] == []


def test_a_palace_that_is_not_there_is_noted_and_not_made(tmp_path):
    run = visit(tmp_path / "none", tmp_path, "Where is the blue key?")
    go_inside(run, "inside.py")
    assert run.noted == {"did": "nothing: no palace"}
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("char", ["a", "é", "中", "🗝", "\0", '"', "\udcaf", "\\", "\n"])
@pytest.mark.parametrize("field", ["prompt", "command_args"])
def test_what_is_handed_on_fits_a_pipe(palace, tower, char, field):
    """Nobody reads a pipe before the program is replaced: one byte too many would hang the client."""
    run = visit(
        palace, tower, char * 200_000 if field == "prompt" else "", command_args=char * 200_000 * (field != "prompt")
    )
    raw = handed_on(run)
    assert len(raw) <= PIPE < 65_536
    event = json.loads(raw)
    assert event["session_id"] == "new"
    assert len(event[field]) > 9_000
    assert int(event["cut"] if "cut" in event else len(event[field])) == len(event[field])


def test_a_short_event_is_handed_on_whole(palace, tower):
    event = json.loads(handed_on(visit(palace, tower, "Where is the 鍵?", transcript_path="/t.jsonl", other="x")))
    assert event == {
        "session_id": "new", "cwd": str(tower), "hook_event_name": "UserPromptSubmit", "prompt": "Where is the 鍵?",
        "transcript_path": "/t.jsonl", "command_name": "", "command_args": "",
    }  # fmt: skip


def test_the_drawers_are_as_many_as_were_said(built):
    assert ask(built / "palace", "SELECT count(*) FROM drawers") == [(len(SETTLED) * 2 + len(THINGS) * len(FILLER),)]
    assert Reader().times.ask_for_now("is it so now?")


def test_why_tells_what_the_last_prompt_made_of_a_drawer(palace, tower):
    run = visit(palace, tower, "Where does the blue key hang?")
    answer(run)
    run.record()
    (told,) = [id for id in run.noted["ids"] if "behind the second lantern" in text_of(palace, id)]
    assert last_recall(str(palace), told)[1] == "given"
    again = visit(palace, tower, "Where does the blue key hang?")
    answer(again)
    again.record()
    assert last_recall(str(palace), told)[1] == "given: this session has it already"
    other = visit(palace, tower, "how do I boil water for tea in a kettle at home")
    answer(other)
    assert other.noted["left"]
    assert all(why.startswith("gate: ") for why in other.noted["left"].values())
    assert (
        CliRunner()
        .invoke(main, ["why", told, "--palace", str(palace)])
        .output.endswith(": given: this session has it already\n")
    )


def text_of(palace, id):
    return json.loads(CliRunner().invoke(main, ["show", id, "--json", "--palace", str(palace)]).output)["drawer"][
        "text"
    ]
