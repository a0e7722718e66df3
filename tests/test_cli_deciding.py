"""The commands decide, turn, turns and replay: what they print, how they end."""

import json
import shlex
import sys
import time

import pytest
from click.testing import CliRunner
from offered import KIND, NPM, PNPM, answer, drop, hold

from mempalace.cli.deciding import decide, replay, turn, turns
from mempalace.errors import PalaceError
from mempalace.model import AVOID
from mempalace.store import filing
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.turns import add

TASK = "How are the packages installed?"
ASKED = [TASK, "--option", "npm=npm install", "--option", "pnpm=pnpm install", "--kind", KIND]
NOW = int(time.time())


def run(command, *words):
    """Run a command and return what it printed; what it raises is raised."""
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


def said(command, *words):
    result = run(command, *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(command, *words):
    return json.loads(said(command, *words, "--json"))


def program(raw):
    return "command:" + shlex.join([sys.executable, "-c", f"import sys; sys.stdout.buffer.write({raw!r})"])


@pytest.fixture
def empty(palace):
    """Return a palace that holds nothing."""
    with open_writer(str(palace)):
        return palace


@pytest.fixture
def pinned(empty):
    """Return the id of the palace's one belief: pnpm, pinned."""
    return hold(empty, now=NOW, pinned=0.9)


def test_deciding_says_the_pick_its_reason_and_what_it_rests_on(pinned):
    told = said(decide, *ASKED)
    assert told.splitlines() == [
        told.splitlines()[0],
        "reasoning The belief at rank 1 (pinned) names it: prefer pnpm",
        "weighed   npm: nothing names it",
        "          pnpm: chosen",
        "memory    1 of 1 beliefs shown",
        f"support   [b:{pinned[:8]}] rank 1, shown: prefer pnpm",
        "          kind right, linked yes, local 0, pinned yes, confidence 0.9, weight 4.0",
        "so        memory was followed",
    ]
    assert told.startswith("[t:")
    assert told.splitlines()[0].endswith("] pnpm (pnpm install)")


def test_a_truncated_belief_and_an_ignored_one_are_told_apart_by_reading(empty):
    hold(empty, now=NOW, weight=1)
    for n in range(3):
        hold(empty, f"bower-{n}", now=NOW, pinned=0.9, polarity=AVOID)
    ignored = as_json(decide, *ASKED, "--model", program(answer(NPM)))["id"]
    read = "no adherence: the belief that should have decided was shown, at rank 4, and not followed"
    assert f"so        {read}\n" in said(turn, ignored[:8])
    for n in range(3, 18):
        hold(empty, f"bower-{n}", now=NOW, pinned=0.9, polarity=AVOID)
    cut = as_json(decide, *ASKED, "--model", program(answer(NPM)), "--limit", 18)["id"]
    told = said(turn, cut)
    read = "truncation: the belief that should have decided stood at rank 19 and was not shown, for only 18 were"
    assert f"so        {read}\n" in told
    assert "memory    18 of 19 beliefs shown\n" in told
    assert told.endswith("and 1 not shown: --all\n")
    assert "  19- [b:" in said(turn, cut, "--all")


def test_a_pick_against_memory_carries_its_warning_wherever_it_is_told(pinned):
    words = [*ASKED, "--model", program(answer(NPM))]
    warning = f"⚠ memory_override: [b:{pinned[:8]}] (pinned, 0.90) prefer pnpm\n"
    assert warning in said(decide, *words)
    good = as_json(decide, *ASKED)
    (first,) = as_json(turns, "--flagged")["turns"]
    assert (first["flagged"], first["memory_override"]["id"]) == (True, pinned)
    assert (good["flagged"], good["memory_override"]) == (False, None)
    assert warning in said(turn, first["id"])
    by_id = {line[3:11]: line for line in (line[2:] for line in said(turns).splitlines())}
    assert said(turns).count("⚠") == 1
    assert set(by_id) == {first["id"][:8], good["id"][:8]}
    assert said(turns, "--flagged").startswith(f"⚠ [t:{first['id'][:8]}]  ")
    assert as_json(turn, first["id"])["flagged"]


def test_a_replay_is_the_same_years_later_whatever_the_palace_holds(pinned, palace):
    id = as_json(decide, *ASKED)["id"]
    before = said(replay, f"[t:{id[:8]}]")
    assert before.endswith("picked    pnpm (pnpm install)\nanswer    as it was recorded, byte for byte\n")
    assert '"memory_note": "1 of 1 beliefs shown, best first"' in before
    assert "reasoning The belief at rank 1 (pinned) names it" in before
    drop(palace, pinned)
    hold(palace, "npm", now=NOW, pinned=0.9)
    assert said(replay, id) == before
    sent = CliRunner().invoke(turn, [id, "--bytes", "sent"]).stdout_bytes
    assert as_json(replay, id)["sent"].encode() == sent


def test_a_replay_of_today_shows_what_came_and_went(pinned, palace):
    id = as_json(decide, *ASKED)["id"]
    drop(palace, pinned)
    new = hold(palace, "npm", now=NOW, pinned=0.9)
    told = said(replay, id, "--now")
    assert f"belief    [b:{new[:8]}] new, rank 1: prefer npm\n" in told
    assert f"belief    [b:{pinned[:8]}] gone, was rank 1: prefer pnpm\n" in told
    assert "otherwise option_id: pnpm -> npm\n" in told
    assert as_json(turns)["total"] == 1


def test_a_replay_by_another_model_says_the_difference(pinned):
    id = as_json(decide, *ASKED)["id"]
    told = said(replay, id, "--model", program(answer(NPM)))
    assert "otherwise option_id: pnpm -> npm\n" in told
    assert as_json(replay, id, "--model", program(b"no"))["error"].startswith("the answer is not JSON")


def test_a_bad_answer_is_one_error_and_its_bytes_are_kept(pinned):
    with pytest.raises(PalaceError, match="no option 'bun'") as caught:
        run(decide, *ASKED, "--model", program(answer(PNPM, option_id="bun") + b"\n"))
    id = str(caught.value).rsplit(" ", 1)[1]
    told = said(turn, id)
    assert "failed    the answer does not fit its schema: no option 'bun'" in told
    assert CliRunner().invoke(turn, [id, "--bytes", "raw"]).stdout_bytes == answer(PNPM, option_id="bun") + b"\n"
    assert f"  [t:{id}]" in said(turns)
    assert "  failed  " in said(turns)


def test_bytes_that_are_no_text_come_back_as_they_were(pinned):
    with pytest.raises(PalaceError):
        run(decide, *ASKED, "--model", program(b"\xff\x00\x1b[2J"))
    (id,) = (one["id"] for one in as_json(turns)["turns"])
    assert CliRunner().invoke(turn, [id, "--bytes", "raw"]).stdout_bytes == b"\xff\x00\x1b[2J"
    assert "\x1b" not in said(turn, id)


def test_half_characters_and_terminal_signs_are_harmless(pinned):
    odd = "a \udcff half \x1b[31m red 港"
    raw = answer(PNPM, reasoning=odd, considered=[odd], title="\ud800")
    id = as_json(decide, odd, *ASKED[1:], "--model", program(raw))["id"]
    for command, words in ((turn, [id]), (turns, []), (replay, [id]), (turn, [id, "--json"]), (replay, [id, "--json"])):
        told = said(command, *words)
        assert "港" in told
        assert "\x1b" not in told


def test_two_hundred_turns_stay_readable(empty):
    with open_writer(str(empty)) as store:
        for n in range(200):
            record = {"decision": {"option_id": "npm" * 30}, "memory_override": None}
            add(
                store, at=NOW + n, wing=0, kind="kind" * 20, task=f"task {n}\n" * 40, model="rules", sent=b"{}",
                raw=b"{}", record=record, candidates=[], flagged=n % 2 == 0,
            )  # fmt: skip
    result = run(turns)
    assert len(result.stdout.splitlines()) == 30
    assert "  task 199 task 199 " in result.stdout.splitlines()[0]
    assert max(map(len, result.stdout.splitlines())) <= 145
    assert result.stderr == "and 170 earlier: --limit 200\n"
    assert len(said(turns, "--limit", 200).splitlines()) == 200
    assert as_json(turns, "--flagged", "--limit", 3)["total"] == 100


def test_no_turns_is_said(empty):
    result = run(turns)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no turns yet\n")


def test_the_wing_is_this_folders_and_may_be_named(pinned, palace):
    hold(palace, "npm", now=NOW, wing="harbour", pinned=0.9)
    assert as_json(decide, *ASKED, "--wing", "harbour")["decision"]["option_id"] == "npm"
    assert as_json(decide, *ASKED)["wing"] == ""
    with pytest.raises(PalaceError, match="no wing called 'attic'"):
        run(decide, *ASKED, "--wing", "attic")


def test_a_local_exception_decides_there_and_only_there(pinned, palace):
    hold(palace, "npm", now=NOW, glob="packages/legacy", weight=1)
    there = as_json(decide, *ASKED, "--path", "packages/legacy/a.js")
    assert (there["decision"]["option_id"], there["flagged"]) == ("npm", False)
    assert as_json(decide, *ASKED, "--path", "packages/new/a.js")["decision"]["option_id"] == "pnpm"


def test_nothing_is_made_where_no_palace_is(palace):
    for command, words in ((decide, ASKED), (turn, ["abcd1234"]), (turns, []), (replay, ["abcd1234"])):
        with pytest.raises(PalaceError, match="no palace at"):
            run(command, *words)
    assert not palace.exists()


def test_what_is_wrong_is_said_before_anything_is_kept(empty):
    for words in (["--option", "=x"], ["--model", "gpt"], ["--option", "npm=again"], ["--model", "command:'"]):
        with pytest.raises(PalaceError):
            run(decide, *ASKED, *words)
    assert as_json(turns)["total"] == 0


def test_deciding_leaves_the_index_current(pinned, palace):
    with open_reader(str(palace)) as store:
        before = filing.generation(store)
    said(decide, *ASKED)
    with open_reader(str(palace)) as store:
        assert filing.generation(store) == before
