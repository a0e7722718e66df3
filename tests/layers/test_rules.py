"""Beliefs where they count: rules in the wake-up, changes told once, and at the prompts they bear on."""

import json

import pytest
from click.testing import CliRunner
from fill import DAY, START, mine, transcript

from mempalace import lexicon
from mempalace.cli import main
from mempalace.layers.held import held
from mempalace.layers.prompt_recall import answer
from mempalace.layers.session_start import FRESH
from mempalace.layers.wake_up import wake_up
from mempalace.search.analyzer import Analyzer
from mempalace.store import wings
from mempalace.store.connection import open_reader
from mempalace.visit import Visit

ANALYZER = Analyzer([lexicon.load("en"), lexicon.load("de")])


@pytest.fixture
def shop(tmp_path, palace):
    """Return a project's folder with one session mined."""
    folder = tmp_path / "shop"
    folder.mkdir()
    said = [("prompt", "Why did the night export die?"), ("report", "It ran out of memory, which is fixed now.")]
    transcript(tmp_path / "log", folder, said, session="s1")
    mine(palace, tmp_path / "log")
    return folder


def run(palace, *words):
    result = CliRunner().invoke(main, [*map(str, words), "--palace", str(palace)])
    assert result.exit_code == 0, result.output
    return result.stdout


def told(palace, shop, **how):
    return wake_up(str(palace), cwd=str(shop), env={}, **how)


def part(text, heading):
    """Return the lines under a heading."""
    lines = text.split("\n")
    if heading not in lines:
        return []
    rest = lines[lines.index(heading) + 1 :]
    return rest[: rest.index("")]


def add(palace, claim, *words):
    return json.loads(run(palace, "belief", "add", claim, "--json", *words))["belief"]["id"]


def test_pinned_beliefs_of_the_wing_come_first_and_then_those_that_hold_everywhere(palace, shop):
    everywhere = add(palace, "Never commit a key", "--global", "--pin")
    here = add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--wing", "shop", "--pin")
    add(palace, "Answer in one paragraph", "--wing", "shop")
    add(palace, "Use yarn", "--kind", "package-manager", "--option", "yarn", "--wing", "garden", "--pin")
    wake = told(palace, shop)
    first, second = part(wake.text, "## Standing rules")
    assert first.startswith(f"- Use pnpm [b:{here[:8]}] ")
    assert second.startswith(f"- Never commit a key (everywhere) [b:{everywhere[:8]}] ")
    assert wake.rules == (here, everywhere)
    assert told(palace, shop).text == wake.text


def test_a_project_without_drawers_hears_the_rules_that_hold_everywhere(palace, shop, tmp_path):
    add(palace, "Never commit a key", "--global", "--pin")
    wake = told(palace, tmp_path / "elsewhere")
    assert part(wake.text, "## Standing rules")[0].startswith("- Never commit a key (everywhere)")


def test_more_rules_than_fit_are_counted(palace, shop):
    for n in range(30):
        add(palace, f"Rule number {n} is that the lamps of house {n} are lit at dusk", "--wing", "shop", "--pin")
    wake = told(palace, shop)
    *rules, last = part(wake.text, "## Standing rules")
    assert last == f"- and {30 - len(rules)} more: mempalace belief list"
    assert len(rules) == len(wake.rules) > 5
    assert len(wake.text) <= 4000
    assert "memory, which is fixed now" in wake.text, "the rules leave the story its share"


def test_a_rule_for_a_part_of_the_project_says_where(palace, shop):
    add(palace, "Use yarn", "--kind", "package-manager", "--option", "yarn", "--glob", "packages/legacy/**", "--wing",
        "shop", "--pin")  # fmt: skip
    assert "- Use yarn (in packages/legacy/**) [b:" in told(palace, shop).text


def test_a_change_is_told_while_it_is_news_and_once(palace, shop, tmp_path):
    for n, text in enumerate(["From now on always use poetry here.", "No, use uv now, not poetry."]):
        transcript(tmp_path / f"log{n}", shop, [("prompt", text)], session=f"c{n}", at=START + (n + 1) * DAY)
        mine(palace, tmp_path / f"log{n}")
    at = START + 2 * DAY
    wake = told(palace, shop, since=at - FRESH)
    (line,) = part(wake.text, "## Changed of late")
    assert "uv" in line
    assert "; no longer: " in line
    assert "poetry" in line
    assert part(told(palace, shop, since=at - FRESH, known=frozenset(wake.news)).text, "## Changed of late") == []
    assert part(told(palace, shop, since=at + FRESH).text, "## Changed of late") == []
    assert part(told(palace, shop).text, "## Changed of late") == []


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        pytest.param("Add the date library with npm, please", ["Use pnpm"], id="another option of the slot"),
        pytest.param("Why is pnpm so slow today?", ["Use pnpm"], id="the option itself"),
        pytest.param("How long may a migration of the orders table take?", ["Lock the orders table"], id="its words"),
        pytest.param("Where does the blue key hang?", [], id="something else"),
        pytest.param("Install it with pip", [], id="a slot nothing is held of"),
    ],
)
def test_beliefs_that_bear_on_a_prompt_are_found(palace, shop, prompt, expected):
    add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--wing", "shop")
    add(palace, "Lock the orders table before a migration", "--wing", "shop")
    add(palace, "Never paint the migration red", "--wing", "garden")
    with open_reader(str(palace)) as store:
        wing = wings.by_name(store, "shop").n
        found = held(store, wing, prompt, ANALYZER, now=START)
        assert [one.claim[: len(text)] for one, text in zip(found, expected, strict=True)] == expected
        marks = {f"b:{one.id}" for one in found}
        assert held(store, wing, prompt, ANALYZER, now=START, told=marks) == []


def test_why_says_where_a_belief_counts(palace, shop):
    id = add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--wing", "shop")
    assert run(palace, "why", f"b:{id}").startswith(f"{id[:8]}: prompts\n")
    run(palace, "belief", "pin", id)
    assert run(palace, "why", f"[b:{id[:8]}]").startswith(f"{id[:8]}: told\n")
    run(palace, "belief", "retire", id)
    assert run(palace, "why", f"b:{id}").startswith(f"{id[:8]}: retired\n")
    assert json.loads(run(palace, "why", f"b:{id}", "--json"))["gate"] == "retired"


def test_show_opens_a_belief_too(palace, shop):
    id = add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--wing", "shop")
    assert run(palace, "show", f"b:{id}") == run(palace, "belief", "show", id)


def prompted(palace, shop, text, session="later"):
    """Return what the prompt hook hands over."""
    raw = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(shop), "prompt": text})
    visit = Visit(
        "recall", raw.encode(), {"MEMPALACE_HOME": str(palace), "CLAUDE_PLUGIN_ROOT": "/x"}, now=START, began=0
    )
    said = answer(visit)
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""


def test_at_a_prompt_beliefs_stand_before_passages_and_come_once(palace, shop):
    id = add(palace, "The night export reads its orders in batches", "--wing", "shop")
    lines = prompted(palace, shop, "Why did the night export of the orders die?").split("\n")
    assert lines[1].startswith(f"- [b:{id[:8]}] belief, 0.83, ")
    assert lines[1].endswith(": The night export reads its orders in batches")
    assert lines[2].startswith("- [d:")
    assert "[b:" not in prompted(palace, shop, "And why did the night export of the orders take so long?")
    assert f"[b:{id[:8]}]" in prompted(palace, shop, "Why did the night export of the orders die?", session="another")


def test_a_belief_is_given_where_no_passage_is(palace, shop):
    id = add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--wing", "shop")
    text = prompted(palace, shop, "Please add lodash with npm to the frontend")
    assert f"[b:{id[:8]}]" in text
    assert "[d:" not in text


def test_what_holds_everywhere_is_given_in_a_project_without_drawers(palace, shop, tmp_path):
    id = add(palace, "Use pnpm", "--kind", "package-manager", "--option", "pnpm", "--global")
    add(palace, "Use yarn", "--kind", "package-manager", "--option", "yarn", "--wing", "shop")
    text = prompted(palace, tmp_path / "elsewhere", "Please add lodash with npm to the frontend")
    assert [line[:11] for line in text.split("\n")[1:-1]] == [f"- [b:{id[:6]}"]
    assert prompted(palace, tmp_path / "elsewhere", "Please paint the frontend") == ""
