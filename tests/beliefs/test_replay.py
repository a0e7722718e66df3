"""A choice made once more: from the very bytes that were sent, or from what is believed today."""

import json
import shlex
import sys

import pytest
from offered import OPTIONS, PNPM, TASK, answer, belief, crowd, drop, hold, known, says

from mempalace.beliefs.answer import BadAnswer, read
from mempalace.beliefs.models import model, rules
from mempalace.beliefs.replaying import differences, moves
from mempalace.layers import deciding
from mempalace.model import AVOID
from mempalace.store import turns
from mempalace.store.connection import open_reader, open_writer

NOW = 1_767_600_000  # 2026-01-05
YEARS = 5 * 365 * 86400
CHOICE = TASK._replace(wing="")


def made(palace, asker=rules, *, name="rules", options=OPTIONS, **more):
    with open_writer(str(palace)) as store:
        return deciding.decide(store, CHOICE, options, asker, name=name, now=NOW, **more)


def crowded(palace, count):
    """Have the palace hold so many beliefs that stand before any ordinary one."""
    for n in range(count):
        hold(palace, f"bower-{n}", now=NOW, pinned=0.9, polarity=AVOID)


def test_a_turn_keeps_every_candidate_with_its_terms_shown_or_not(palace):
    crowded(palace, 18)
    id = hold(palace, now=NOW, weight=1)
    turn = made(palace)
    record = turn.record
    assert (record["memory_total"], record["memory_shown"], len(turn.candidates)) == (19, 18, 19)
    last = turn.candidates[-1]
    assert (last["id"], last["rank"], last["shown"], last["claim"]) == (id, 19, False, "prefer pnpm")
    terms = {"kind": "right", "linked": True, "local": 0, "pinned": False, "confidence": 0.667, "weight": 1.0}
    assert last["score"] == terms
    assert record["chosen_support"] == {"id": id, "rank": 19, "score": terms, "shown": False, "claim": "prefer pnpm"}
    assert (record["fit"], record["decision"]["option_id"]) == ("truncated", None)
    assert json.loads(turn.sent)["memory_note"] == "18 of 19 beliefs shown, best first; 1 left out"


def test_the_same_palace_and_choice_send_the_same_bytes(palace):
    crowded(palace, 3)
    hold(palace, now=NOW)
    one, two = made(palace), made(palace)
    assert (one.sent, one.raw) == (two.sent, two.raw)
    assert one.id != two.id


def test_a_replay_needs_nothing_of_the_palace_and_gives_the_same_bytes(palace):
    id = hold(palace, now=NOW)
    turn = made(palace)
    drop(palace, id)
    hold(palace, "npm", now=NOW + YEARS, pinned=0.95)
    with open_reader(str(palace)) as store:
        kept = turns.turn(store, turn.id)
    again = deciding.replay(kept, rules)
    assert (again.sent, again.raw, again.same) == (turn.sent, turn.raw, True)
    assert (again.answer.option_id, again.differences, again.moves) == ("pnpm", [], [])


def test_a_replay_with_todays_beliefs_says_what_changed(palace):
    old = hold(palace, now=NOW)
    kept = hold(palace, "bun", now=NOW, weight=2)
    turn = made(palace)
    drop(palace, old)
    new = hold(palace, "npm", now=NOW, pinned=0.95)
    with open_reader(str(palace)) as store:
        again = deciding.replay_now(store, turn, rules, now=NOW)
    assert [(move.id, move.was, move.now) for move in again.moves] == [(new, 0, 1), (old, 1, 0)]
    assert [(one.field, one.was, one.now) for one in again.differences][:1] == [("option_id", "pnpm", "npm")]
    assert not again.same
    hold(palace, "bun", now=NOW, weight=40)
    with open_reader(str(palace)) as store:
        moved = {move.id: move for move in deciding.replay_now(store, turn, rules, now=NOW).moves}[kept]
    assert moved.changed["confidence"] == (0.75, 0.977)
    assert (moved.was, moved.now) == (2, 2)


def test_a_replay_of_today_is_the_same_where_nothing_changed(palace):
    hold(palace, now=NOW)
    turn = made(palace)
    with open_reader(str(palace)) as store:
        again = deciding.replay_now(store, turn, rules, now=NOW)
    assert (again.sent, again.same, again.moves) == (turn.sent, True, [])


def test_another_model_may_answer_what_was_sent(palace):
    hold(palace, now=NOW)
    again = deciding.replay(made(palace), says(answer(OPTIONS[0])))
    assert [one.field for one in again.differences][:2] == ["option_id", "option_display"]


def test_a_program_is_asked_again_with_the_recorded_bytes(palace, tmp_path):
    log = tmp_path / "heard"
    code = f"import sys; open({str(log)!r}, 'ab').write(sys.stdin.buffer.read()); print({answer().decode()!r})"
    name = "command:" + shlex.join([sys.executable, "-c", code])
    turn = made(palace, model(name), name=name)
    assert deciding.replay(turn, model(turn.model)).same
    assert log.read_bytes() == turn.sent * 2


@pytest.mark.parametrize("raw", [b"\xff\xfe no", b"", answer(PNPM, title=3)], ids=["bytes", "nothing", "wrong"])
def test_an_answer_that_cannot_be_used_is_kept_and_replayed_as_it_was(palace, raw):
    with pytest.raises(BadAnswer, match=r"see mempalace turn [0-9a-f]{8}$") as caught:
        made(palace, says(raw), name="command:true")
    assert caught.value.raw == raw
    with open_reader(str(palace)) as store:
        (turn,) = turns.turns(store, limit=9)
    assert (turn.raw, turn.record["decision"], turn.flagged) == (raw, None, False)
    assert turn.record["error"]
    again = deciding.replay(turn, says(raw))
    assert (again.same, again.answer, again.error) == (True, None, turn.record["error"])
    better = deciding.replay(turn, says(answer()))
    assert better.differences[0] == ("option_id", None, "pnpm")


def test_the_same_bytes_from_a_program_that_failed_are_not_the_same_answer(palace):
    def fails(sent):
        raise BadAnswer("ended with status 1", answer())

    again = deciding.replay(made(palace, says(answer())), fails)
    assert (again.raw, again.same, again.error) == (answer(), False, "ended with status 1")


def test_a_pick_against_a_pinned_belief_is_flagged(palace):
    id = hold(palace, now=NOW, pinned=0.9)
    turn = made(palace, says(answer(OPTIONS[0])))
    assert turn.flagged
    assert turn.record["memory_override"]["id"] == id
    assert not made(palace).flagged


def test_a_choice_of_one_wing_sees_its_beliefs_and_the_global_ones(palace):
    own, shared = hold(palace, now=NOW, wing="harbour"), hold(palace, "npm", now=NOW)
    hold(palace, "yarn", now=NOW, wing="garden", pinned=0.95)
    with open_writer(str(palace)) as store:
        turn = deciding.decide(store, TASK, OPTIONS, rules, name="rules", now=NOW)
    assert [entry["id"] for entry in turn.candidates] == [own, shared]
    assert (turn.wing, turn.record["decision"]["option_id"]) == ("harbour", "pnpm")


def test_differences_name_the_pick_first():
    one, two = (read(answer(pick, title=title), OPTIONS) for pick, title in ((PNPM, "a"), (None, "b")))
    assert [found.field for found in differences(one, two)] == ["option_id", "option_display", "title"]
    assert differences(one, one) == differences(None, None) == []


def test_moves_are_empty_for_the_same_memory():
    entries = known(*crowd(3), belief(1)).entries
    assert moves(entries, entries) == []
    assert [(move.was, move.now) for move in moves(entries, entries[:3])] == [(4, 0)]
