"""What once went wrong with beliefs, each with its numbers, over a real palace: none of it can happen here."""

import json
import math

import pytest
from claims import NOW, T0, palace, said, seen
from click.testing import CliRunner
from offered import KIND, NPM, OPTIONS, PNPM, TASK, answer, hold, says

from mempalace.beliefs.ranking import rank
from mempalace.cli.deciding import turn as open_turn
from mempalace.layers import deciding
from mempalace.model import AVOID
from mempalace.store import beliefs, believing, filing
from mempalace.store.connection import open_reader, open_writer


@pytest.fixture
def house():
    with palace() as found:
        yield found


def ranked(folder, **task):
    """Return the options of what stands, in the order in which a choice of the kind has them in view."""
    with open_reader(str(folder)) as store:
        standing = beliefs.standing(store, None, now=NOW)
    return [one.belief.option for one in rank(standing, **{"kind": KIND, **task})]


def chosen(folder, pick):
    """Return the turn in which a model that picks this chose, as it was kept."""
    with open_writer(str(folder)) as store:
        return deciding.decide(store, TASK._replace(wing=""), OPTIONS, says(answer(pick)), name="rules", now=NOW)


def before(folder, count):
    """Have a palace hold so many pinned beliefs that stand before any ordinary one."""
    for n in range(count):
        hold(folder, f"bower-{n}", now=NOW, pinned=0.9, polarity=AVOID)


def test_a_link_outweighed_everything(tmp_path):
    """The right belief (.806, evidence 0) stood behind an irrelevant linked one (.576, evidence 1): 0.81 to 1.91."""

    def once(confidence, evidence, linked):
        return round(confidence * math.log2(2 + evidence) + linked, 2)

    assert (once(0.806, 0, False), once(0.576, 1, True)) == (0.81, 1.91)
    hold(tmp_path, "pnpm", now=NOW, pinned=0.806, weight=0.0)
    hold(tmp_path, "tabs", now=NOW, pinned=0.576, weight=1.0, kind="style", subject="buoys")
    assert ranked(tmp_path, subject="buoys", task="tabs or not, for the buoys") == ["pnpm", "tabs"]


def test_the_kind_was_ignored(tmp_path):
    hold(tmp_path, "tabs", now=NOW, pinned=0.99, weight=50.0, kind="style")
    hold(tmp_path, "pnpm", now=NOW, weight=1.0)
    assert ranked(tmp_path) == ["pnpm", "tabs"]


def test_what_is_special_counted_as_a_contradiction(house):
    house.form(said("pnpm", 0, "a"))
    default = house.held()["pnpm"]
    house.form(*(seen("yarn", n, f"l{n}", glob="packages/legacy") for n in range(10)))
    house.form(*(seen("npm", n, f"d{n}", kind="deploy") for n in range(9)))
    assert house.held()["pnpm"] == default


def test_routine_confirmations_could_never_lift_a_belief_above_six_tenths(house):
    reached = []
    for n in range(8):
        house.form(seen("pnpm", 0, f"a{n}"), now=T0)
        reached.append(round(house.held(T0)["pnpm"].confidence, 2))
    assert reached == [0.67, 0.75, 0.8, 0.83, 0.86, 0.88, 0.89, 0.9]


def test_duplicates_split_the_evidence(house):
    house.form(said("pnpm", 0, "a"), said("PNPM", 1, "b", claim="pnpm, please"), seen("pnpm", 2, "c"))
    assert house.evidence("pnpm") == [("a", True), ("b", True), ("c", True)]
    assert len(house.held()) == 1


def test_the_list_was_cut_at_eighteen_in_silence(tmp_path):
    before(tmp_path, 24)
    hold(tmp_path, "pnpm", now=NOW)
    sent = json.loads(chosen(tmp_path, PNPM).sent)
    assert (sent["memory_total"], sent["memory_shown"], len(sent["memory"])) == (25, 18, 18)
    assert sent["memory_note"] == "18 of 25 beliefs shown, best first; 7 left out"


def test_nothing_recorded_what_the_model_had_seen(tmp_path):
    id = hold(tmp_path, "pnpm", now=NOW)
    turn = chosen(tmp_path, NPM)
    assert turn.raw == answer(NPM)
    assert [(one["id"], one["shown"]) for one in turn.candidates] == [(id, True)]
    assert [one["claim"] for one in json.loads(turn.sent)["memory"]] == ["prefer pnpm"]
    assert turn.record["memory_override"]["id"] == id, "a sure belief that the pick goes against is named"


def test_ten_contradictions_wore_a_pinned_belief_down(house):
    house.form(*(seen("pnpm", n, f"a{n}") for n in range(8)))
    generation = filing.begin(house.store)
    believing.pin(house.store, house.held()["pnpm"].id, 0.9, generation=generation)
    filing.commit(house.store)
    house.form(*(seen("npm", 100 + n, f"b{n}") for n in range(10)))
    one = house.held()["pnpm"]
    assert (one.confidence, one.disputed, one.retired_at) == (0.9, True, 0)
    assert len([key for key, agrees in house.evidence("pnpm") if not agrees]) == 10


@pytest.mark.parametrize(
    ("others", "rank", "shown", "fit", "sentence"),
    [
        pytest.param(18, 19, False, "truncated", "truncation: ", id="rank 19, not shown"),
        pytest.param(3, 4, True, "ignored", "no adherence: ", id="rank 4, shown and ignored"),
    ],
)
def test_a_cut_list_and_a_model_that_does_not_listen_looked_alike(tmp_path, others, rank, shown, fit, sentence):
    before(tmp_path, others)
    id = hold(tmp_path, "pnpm", now=NOW)
    turn = chosen(tmp_path, NPM)
    support = turn.record["chosen_support"]
    assert (support["id"], support["rank"], support["shown"], turn.record["fit"]) == (id, rank, shown, fit)
    opened = CliRunner().invoke(open_turn, [turn.id, "--palace", str(tmp_path)])
    assert sentence in opened.output
