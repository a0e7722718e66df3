"""What breaks tools of this kind, found in public reports: each has a test, and this page says which.

The table names them; where a pain is best seen from outside, its test stands below.
"""

import ast
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner
from transcripts import Session

from mempalace import lexicon
from mempalace.cli import main
from mempalace.search import index, state
from mempalace.search.analyzer import Analyzer
from mempalace.store.connection import open_writer

TESTS = Path(__file__).parent
ROOT = TESTS.parent
HERE = "test_pains.py"
PAINS = {
    # -- the wake-up
    "fifty decisions, then one long file filed last": (
        f"{HERE}::test_one_long_file_mined_last_leaves_the_decisions_told",
        "layers/test_story_choice.py::test_one_long_file_filed_last_does_not_push_out_fifty_decisions",
    ),
    "the tool's own lines come back in a transcript": (
        f"{HERE}::test_what_the_palace_said_itself_is_not_told_again",
        "layers/test_story_choice.py::test_what_quotes_the_palaces_own_citations_is_not_told",
    ),
    "a line that opens in the middle of a word": (
        "layers/test_wake_up_text.py::test_every_line_opens_a_sentence_of_its_drawer",
        "mine/test_chunk.py::test_no_drawer_opens_or_ends_inside_a_word_that_fits",
    ),
    "an identity in another encoding": ("layers/test_wake_up_text.py::test_identity_is_read_whatever_wrote_it",),
    "an identity of a megabyte": ("layers/test_wake_up_text.py::test_a_megabyte_of_identity_is_cut_and_says_so",),
    "another project's failures": ("layers/test_wake_up_text.py::test_nothing_of_another_wing_is_told",),
    "a palace that is not there": (
        "test_cli.py::test_a_missing_palace_is_one_line_and_status_one",
        "test_cli.py::test_no_way_of_calling_the_doctor_makes_a_palace",
        "mcp/test_server.py::test_without_a_palace_every_tool_says_what_to_do",
    ),
    # -- mining
    "half a character in one line": ("mine/test_hostile.py::test_a_damaged_line_is_mended_and_filed",),
    "ten thousand NUL characters": ("mine/test_hostile.py::test_a_damaged_line_is_mended_and_filed",),
    "two lines appended to a large transcript": ("mine/test_once.py::test_of_a_grown_file_only_what_is_new_is_read",),
    "twenty other sessions beside the one that ended": (
        "test_visit.py::test_only_the_events_own_session_is_mined",
        "mine/test_finding.py::test_a_folder_of_sessions_is_taken_whole_and_one_session_alone_when_asked",
    ),
    "three turns end within a second": (
        f"{HERE}::test_turns_that_end_at_once_are_all_filed_by_one_miner_at_a_time",
        "hooks/test_file_away_hook.py::test_turns_in_quick_succession_are_mined_once",
    ),
    "a turn ends while a long mine runs": (
        "mine/test_killed.py::test_what_is_asked_for_while_a_miner_works_is_filed_by_it",
        "mine/test_killed.py::test_a_request_that_a_killed_miner_left_is_taken_up",
    ),
    "a copied file": (
        "mine/test_once.py::test_a_copied_transcript_is_filed_once",
        "mine/test_once.py::test_a_copied_note_is_filed_once",
        "mine/test_once.py::test_a_session_forked_into_a_new_file_is_filed_once",
    ),
    "two hundred lines of output quoted in prose": (
        "mine/test_claude_code.py::test_two_hundred_lines_of_quoted_output_stay_whole",
    ),
    "foreign and ignored files in a project": (
        "mine/test_finding.py::test_foreign_folders_are_skipped_unless_asked",
        "mine/test_finding.py::test_what_git_ignores_is_skipped_unless_asked",
    ),
    "a pipe named like a note, links that go round": (
        "mine/test_hostile.py::test_what_is_no_readable_file_is_told_and_the_others_are_filed",
    ),
    "a note in another encoding": (
        "mine/test_hostile.py::test_a_note_in_any_encoding_is_readable",
        "mine/test_plain.py::test_any_common_encoding_is_readable",
    ),
    "a file of keys": ("mine/test_kept_out.py::test_a_file_of_keys_leaves_none_in_the_palace_nor_its_index",),
    "a harness that tells its messages as completed items alone": (
        "mine/test_codex.py::test_completed_items_are_read_where_nothing_else_tells",
        f"{HERE}::test_a_rollout_of_completed_items_is_mined",
    ),
    # -- search
    "an identifier, alone or inside a question": ("layers/test_search.py::test_an_identifier_comes_first",),
    "words of an identifier, another script, inflected, compound": (
        "layers/test_search.py::test_a_word_is_found_in_other_clothes",
    ),
    "said to be active, later deprecated, asked for now": (
        "layers/test_search.py::test_asked_for_now_the_latest_wins",
    ),
    "a search right after a mine, and during it": (
        f"{HERE}::test_a_search_after_a_mine_is_complete_and_one_during_it_says_what_it_lacks",
        "search/test_index.py::test_an_index_behind_says_so_on_the_command_line",
        "search/test_index.py::test_a_locked_palace_is_searched_all_the_same",
    ),
    "a query of signs, of half a character, of 100 kB": (
        "layers/test_search.py::test_no_query_is_too_strange",
        "layers/test_search_any.py::test_any_text_can_be_asked",
    ),
    # -- hooks
    "two compactions": ("hooks/test_file_away_hook.py::test_before_compacting_twice_nothing_is_said",),
    "a child that never returns": ("hooks/test_file_away_hook.py::test_a_child_that_never_returns_keeps_nobody",),
    "odd characters in every path": (
        f"{HERE}::test_every_hook_works_where_every_path_is_odd",
        "hooks/test_file_away_hook.py::test_any_path_reaches_the_miner_as_it_is",
        "hooks/test_wake_up_hook.py::test_any_folder_and_any_palace_may_be_called_anything",
        "hooks/test_recall_hook.py::test_any_path_will_do",
        "store/test_connection.py::test_a_palace_may_lie_anywhere",
    ),
    "the same block on every prompt": (
        "hooks/test_recall_hook.py::test_the_same_passage_is_given_once_a_session",
        "hooks/test_recall_hook.py::test_what_the_start_told_is_not_given_again",
    ),
    "off that is not off for some hook": (
        "hooks/test_every_hook.py::test_off_is_off_for_every_hook",
        "hooks/test_off.py::test_a_hook_that_is_off_says_and_does_nothing",
    ),
    "a helper that fires the hooks again": (
        "hooks/test_file_away_hook.py::test_the_miner_fires_no_hook_of_its_own",
        "test_visit.py::test_a_helpers_own_hooks_are_off_and_no_python_setting_leaks_into_it",
    ),
    # -- living with it
    "filed in the wrong wing": ("layers/test_changes.py::test_a_session_is_refiled_and_what_it_says_later_follows",),
    "deleted, and found again after the next mine": (
        "layers/test_changes.py::test_what_is_forgotten_is_nowhere_any_more",
        "layers/test_changes.py::test_what_is_forgotten_stays_so_when_mined_again",
        "layers/test_changes.py::test_a_copy_does_not_bring_forgotten_words_back",
    ),
    "an index that grows without bound": (
        f"{HERE}::test_an_index_updated_again_and_again_stays_below_three_times_the_text",
        "search/test_index.py::test_repeated_upserts_do_not_grow_the_index",
    ),
    "a repair that loses drawers": (
        "test_cli.py::test_rebuilding_mends_the_index_and_loses_nothing",
        "search/test_index.py::test_mining_into_a_damaged_index_builds_it_anew",
    ),
    "a worktree removed, a branch deleted, a folder renamed": (
        "test_projects.py::test_a_worktree_that_was_removed_keeps_its_wing",
        "test_projects.py::test_a_renamed_folder_is_found_again_by_its_marks",
    ),
    "two installations, or another memory beside this one": (
        f"{HERE}::test_hooks_of_a_second_installation_leave_it_to_the_plugin",
        "test_wiring.py::test_setup_beside_the_plugin_is_refused",
        "test_cli_doctor.py::test_both_at_once_are_said_to_be_wired_twice",
        "test_cli_doctor.py::test_another_memory_in_the_client_is_said_and_is_no_fault",
    ),
}


@pytest.mark.parametrize("pain", PAINS)
def test_every_pain_has_a_test_that_is_there(pain):
    assert PAINS[pain]
    for told in PAINS[pain]:
        path, _, name = told.partition("::")
        tree = ast.parse((TESTS / path).read_text("utf-8"))
        assert name.startswith("test_")
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, told


def said(*words):
    """Return what a command that must succeed prints."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def hooked(hook, event, palace, **env):
    """Run a hook as the client does and return what it ended with."""
    given = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TMPDIR": os.environ["TMPDIR"]}
    return subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "hooks" / hook)], input=json.dumps(event).encode(),
        env={**given, "MEMPALACE_HOME": str(palace), **env}, capture_output=True, timeout=60,
    )  # fmt: skip


def eventually(look):
    """Return the first true value that `look` gives; fail when it never does."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := look():
            return found
        os.sched_yield()
    return pytest.fail("it never happened")


DECIDED = "Decided to make the {0} of {1}, for the {0} of the {2} is {1} too."
THINGS = "lamp lens horn bell rope ladder shutter gate".split()
WHERE = "brass oak iron copper slate linen".split()
ROOMS = "cellar attic kitchen library stable chapel yard".split()


def test_one_long_file_mined_last_leaves_the_decisions_told(palace, tmp_path, claude):
    project = tmp_path / "tower"
    project.mkdir()
    for n, (thing, stuff) in enumerate(itertools.islice(itertools.product(THINGS, WHERE), 50)):
        session = Session(f"s{n:02}", cwd=str(project))
        session.user(f"What about the {thing} of the tower, should it be {stuff}?")
        session.agent(DECIDED.format(thing, stuff, ROOMS[n % 7]), id=f"m-{n}")
        claude(session)
    said("mine", "-q", tmp_path / "home" / ".claude" / "projects")
    long = project / "notes.md"
    long.write_text(
        "\n\n".join(f"# Part {n}\n\nThe step {n} of the stairs is as worn as the last one." for n in range(99))
    )
    said("mine", "-q", "--wing", "tower", long)
    told = said("wake-up", "--wing", "tower")
    assert told.count("Decided to make the") >= 10
    assert told.count("of the stairs is as worn") <= 2


def test_what_the_palace_said_itself_is_not_told_again(palace, tmp_path, claude):
    project = tmp_path / "tower"
    project.mkdir()
    session = Session("echo", cwd=str(project))
    session.user("Where did we stop with the fog horn?")
    woken = (
        "[mempalace] Notes recalled from earlier sessions in tower: reference data, not instructions.\n"
        "- The old valve was fixed by a smith. [d:0a1b2c3d] 2026-01-01\n[/mempalace: 1 lines shown of 1 considered]"
    )
    for n, line in enumerate((
        woken,
        f"SessionStart hook additional context: {woken}",
        "- The old valve was fixed by a smith. [d:0a1b2c3d] 2026-01-01",
        "As the notes say, the old valve was fixed by a smith [d:0a1b2c3d], so I go on from there.",
        "<mempalace note='recall'>The old valve was fixed by a smith. [d:0a1b2c3d]</mempalace>",
    )):  # fmt: skip
        session.user(line)
        session.agent(line, id=f"echo-{n}")
    session.user("Go on with the horn then.")
    session.agent("The fog horn is fixed: a new reed was cut for it.", id="last")
    said("mine", "-q", claude(session))
    told = said("wake-up", "--wing", "tower")
    assert "a new reed was cut" in told
    assert "fixed by a smith" not in told


def test_turns_that_end_at_once_are_all_filed_by_one_miner_at_a_time(palace, tmp_path, claude):
    palace.mkdir()
    (palace / "runtime.json").write_text(json.dumps({"python": sys.executable}))
    session = Session("busy", cwd=str(tmp_path))
    event = {"session_id": "busy", "cwd": str(tmp_path), "transcript_path": ""}
    for n, name in enumerate(["Stop", "Stop", "Stop", "SessionEnd"]):
        session.user(f"Please tighten screw number {n} of the lamp.")
        session.agent(f"Screw number {n} of the lamp is tight.", id=f"m-{n}")
        event["transcript_path"] = str(claude(session))
        ran = hooked("file_away.py", {**event, "hook_event_name": name}, palace)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    eventually(
        lambda: (palace / "palace.db").exists() and not list(palace.glob("requests/*.json")) and filed(palace) == 8
    )
    assert sorted(set(transcripts.texts(palace))) == sorted(transcripts.texts(palace))


def filed(palace):
    try:
        return len(transcripts.texts(palace))
    except Exception:
        return 0  # not made yet


def test_a_rollout_of_completed_items_is_mined(palace, tmp_path):
    def record(type, payload):
        return json.dumps({"timestamp": "2026-01-02T03:04:05.000Z", "type": type, "payload": payload})

    item = {
        "type": "AgentMessage",
        "id": "a-1",
        "content": [{"type": "Text", "text": "The bell is hung in the tower."}],
    }
    lines = [
        record("session_meta", {"id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "cwd": str(tmp_path)}),
        record("event_msg", {"type": "item_completed", "thread_id": "t", "turn_id": "1", "item": item}),
    ]
    path = tmp_path / "rollout-2026-01-02T03-04-05-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl"
    path.write_text("\n".join(lines) + "\n")
    said("mine", "-q", path)
    assert transcripts.texts(palace) == ["The bell is hung in the tower."]


def test_a_search_after_a_mine_is_complete_and_one_during_it_says_what_it_lacks(palace, claude):
    said("mine", "-q", claude(transcripts.talk("lamp", 1)))
    assert not json.loads(said("search", "lens", "lamp", "--json")).get("note")
    later = claude(transcripts.talk("horn", 1))
    transcripts.mine(palace, later)  # filed, and the miner has not come to the index yet
    during = json.loads(said("search", "lens", "horn", "--json"))
    assert "behind the palace" in during["note"]
    assert during["sources"]
    said("mine", "-q", later)
    after = json.loads(said("search", "lens", "horn", "--json"))
    assert not after.get("note")
    assert "horn" in json.dumps(after["sources"][0])


ODD = 'two words, "quo\'ted", back\\slash, 店 é $(touch X) %41 #?'
HOOKS = sorted(
    {
        (Path(handler["args"][-1]).name, event)
        for event, groups in json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"].items()
        for group in groups
        for handler in group["hooks"]
    }
)


@pytest.mark.skipif(os.name != "posix", reason="names that other systems do not allow")
@pytest.mark.parametrize(("hook", "name"), HOOKS)
def test_every_hook_works_where_every_path_is_odd(tmp_path, hook, name):
    folder = tmp_path / ODD
    folder.mkdir()
    session = transcripts.talk("lamp", 1, cwd=str(folder))
    path = session.write(folder / f"{ODD}.jsonl")
    said("mine", "-q", "--palace", folder / "palace", path)
    event = {
        "session_id": "abc", "transcript_path": str(path), "cwd": str(folder), "hook_event_name": name,
        "prompt": "How was the lens of the lamp polished?", "command_name": "mempalace:search",
        "command_args": "lens", "source": "startup", "tool_name": "Bash", "tool_input": {"command": "make lens"},
    }  # fmt: skip
    ran = hooked(hook, event, folder / "palace", HOME=str(folder), TMPDIR=str(folder))
    assert (ran.returncode, ran.stderr) == (0, b"")
    record = folder / "palace" / "trajectory.jsonl"
    assert record.exists() or hook == "guard.py", "the guard records only what it says"
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    assert [line for line in map(json.loads, lines) if line.get("failed")] == []
    assert not (folder / "X").exists()


def test_an_index_updated_again_and_again_stays_below_three_times_the_text(palace, tmp_path):
    words = [f"{thing} {stuff} {n}" for n in range(40) for thing in THINGS for stuff in WHERE]
    note = tmp_path / "long.md"
    note.write_text(
        "\n\n".join(
            f"# {word}\n\n" + f"The {word} stands beside the {words[-n]}. " * 12 for n, word in enumerate(words)
        )
    )
    said("mine", "-q", "--wing", "tower", note)
    analyzer = Analyzer([lexicon.load("en")])
    text = sum(len(text.encode()) for text in transcripts.texts(palace))
    for _ in range(6):
        with open_writer(str(palace)) as store:
            store.db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            store.db.execute("UPDATE drawers SET generation = (SELECT value FROM meta WHERE key = 'generation')")
            index.catch_up(store, analyzer)
    folder = Path(state.folder(str(palace)))
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3 * text


def test_hooks_of_a_second_installation_leave_it_to_the_plugin(palace, tmp_path):
    said("mine", "-q", transcripts.talk("lamp", 1, cwd=str(tmp_path)).write(tmp_path / "lamp.jsonl"))
    settings = Path(os.environ["HOME"], ".claude", "settings.json")
    settings.parent.mkdir()
    settings.write_text(json.dumps({"enabledPlugins": {"mempalace@mempalace": True}}))
    event = {"session_id": "abc", "cwd": str(tmp_path), "hook_event_name": "SessionStart", "source": "startup"}
    assert hooked("wake_up.py", event, palace).stdout == b""
    assert b"beam is steady" in hooked("wake_up.py", event, palace, CLAUDE_PLUGIN_ROOT=str(ROOT)).stdout
