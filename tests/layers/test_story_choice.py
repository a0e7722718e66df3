"""L1: which lines are told, and in which order."""

import re

import pytest
from fill import DAY, START, Said, filed, mine, transcript

from mempalace.layers import coverage
from mempalace.layers.l1_story import JUNK, by_tiers, choose
from mempalace.layers.lines import OUTCOME_CLEAN, PINNED, lines_of, shortened
from mempalace.layers.wake_up import wake_up
from mempalace.salience import salience
from mempalace.store.story import Candidate

OUTCOMES = [
    "The deadlock came from two locks taken in a different order; the root cause is in the scheduler.\n"
    "```\nlock(a)\nlock(b)\n```",
    "The migration of the orders table finally worked after the third attempt on staging.",
    "Fixed the retry helper, which swallowed the very last exception.",
    "The nightly build died with Exit code: 137, we raised the limit and it passed.",
    "The agent looped on tool_use for an hour until we capped it, which is verified.",
]
CHATS = [
    "We talked through the pricing model for the hosted tier.",
    "Somebody asked what the settings page ought to look like on a phone.",
    "There was a long walk through the history of the office plants.",
]
THINGS = (
    "scheduler importer exporter mailer router parser renderer tokenizer linter formatter gateway sidebar toolbar "
    "calendar invoice ledger basket checkout catalogue thumbnail notifier translator recorder archiver compressor "
    "balancer throttler sampler profiler debugger installer updater launcher indexer crawler scraper collector "
    "reporter planner estimator validator sanitizer serializer dispatcher supervisor watchdog heartbeat beacon "
    "turnstile lighthouse"
).split()
PLACES = "Lisbon Oslo Quito Cairo Lima Turin Kyoto Perth Delhi Accra".split()


def decision(n):
    return f"We decided to move the {THINGS[n]} over to the cluster in {PLACES[n % 10]}."


def candidate(text, *, id="a", room="notes", kind="report", source=1, at=START, importance=3.0, tier=2, pinned=False):
    return Candidate(id, room, kind, text, source, at, importance, tier, pinned)


def lines(*drawers, lexicon):
    return [line for drawer in drawers for line in lines_of(drawer, lexicon)]


def told(palace, **options):
    """Return the story's lines of the shop's wake-up, in the order they are shown."""
    text = wake_up(str(palace), cwd="/somewhere/shop", env={}, **options).text
    return re.findall(r"^- (.*) \[d:[0-9a-f]{8}\] [\d-]+$", text, re.M)


def test_eight_drawers_of_one_session_tell_the_five_outcomes_first(palace, lexicon):
    said = [OUTCOMES[0], CHATS[0], OUTCOMES[1], OUTCOMES[2], CHATS[1], OUTCOMES[3], OUTCOMES[4], CHATS[2]]
    drawers = [candidate(text, id=f"{n:02}", at=START + n, tier=salience(text, lexicon)) for n, text in enumerate(said)]
    chosen = [line.drawer.text for line, _ in choose([drawers], lexicon).lines]
    assert sorted(chosen[:5]) == sorted(OUTCOMES)
    filed(palace, [[Said(text) for text in said]])
    text = "\n".join(told(palace))
    assert all(word in text for word in ("two locks", "finally worked", "retry helper", "Exit code: 137", "looped"))


def test_an_outcome_in_the_last_room_beats_chatter_in_the_first(palace):
    filed(
        palace,
        [
            [Said(CHATS[1], room="aaa_trivia")],
            [Said("We shipped the importer and verified every row.", room="zzz_outcomes")],
            [Said(CHATS[0], room="aaa_trivia"), Said(CHATS[2], room="aaa_trivia")],
        ],
    )
    (palace / "config.toml").write_text("budget = 700")
    assert told(palace)[0] == "We shipped the importer and verified every row."
    (palace / "config.toml").write_text("budget = 480")
    assert told(palace) == ["We shipped the importer and verified every row."]


def test_one_long_file_filed_last_does_not_push_out_fifty_decisions(tmp_path, palace):
    project = tmp_path / "shop"
    project.mkdir()
    for n in range(50):
        turns = [("prompt", f"What shall we do about the {THINGS[n]}?"), ("report", decision(n))]
        transcript(tmp_path / "log", project, turns, session=f"s{n:02}", at=START + n * DAY)
    mine(palace, tmp_path / "log")
    notes = project / "handbook.md"
    notes.write_text(
        "".join(
            f"# Chapter {n}\n\nFixed the {THINGS[n]} handbook page in {PLACES[n % 10]}. It was done well.\n\n"
            for n in range(40)
        )
    )
    mine(palace, notes)
    text = wake_up(str(palace), cwd=str(project), env={}).text
    assert text.count("We decided to move the") > 10
    assert text.count("handbook page") + text.count("It was done well.") <= 2


def test_no_session_tells_more_than_two_lines(palace):
    sessions = [
        [Said(f"Fixed the {THINGS[n * 5 + k]} of the {THINGS[(n * 5 + k + 7) % 50]}.") for k in range(5)]
        for n in range(6)
    ]
    ids = filed(palace, sessions)
    text = wake_up(str(palace), cwd="/somewhere/shop", env={}).text
    for n in range(6):
        assert sum(f"[d:{id[:8]}]" in text for id in ids[n * 5 : n * 5 + 5]) <= 2
    assert len(told(palace)) > 6


def test_narration_and_asides_are_never_told(tmp_path, palace):
    project = tmp_path / "shop"
    project.mkdir()
    for n in range(6):
        turns = [
            ("prompt", f"Please repair the {THINGS[n]} today."),
            ("narration", f"Fixed the first half of the {THINGS[n]}, running the tests on the way."),
            ("aside", f"The helper agent fixed the {THINGS[n]} all by itself."),
            ("report", f"The {THINGS[n]} is fixed and merged."),
        ]
        transcript(tmp_path / "log", project, turns, session=f"s{n}", at=START + n * DAY)
    report = mine(palace, tmp_path / "log")
    assert report["drawers"] == 24
    for fresh in (False, True):
        text = wake_up(str(palace), cwd=str(project), env={}, fresh=fresh).text
        assert "is fixed and merged." in text
        assert "first half" not in text
        assert "helper agent" not in text


@pytest.mark.parametrize("tell", [True, False], ids=["stored", "chosen by the hook"])
def test_where_all_is_junk_the_newest_fifteen_are_shown_as_they_are(palace, tell):
    sessions = [[Said(f"Running step {n} of the {THINGS[n]}", kind="narration")] for n in range(20)]
    filed(palace, sessions, tell=tell)
    assert told(palace) == [f"Running step {n} of the {THINGS[n]}" for n in range(19, 4, -1)]
    assert len(told(palace)) == JUNK


@pytest.mark.parametrize("sessions", [1, 7], ids=["by tiers", "by coverage"])
def test_pinned_lines_come_first_of_all(palace, sessions):
    said = [
        [Said(f"Fixed the {THINGS[n]} in {PLACES[n]}."), Said(f"Merged the {THINGS[n]} branch.")]
        for n in range(sessions)
    ]
    said[0].append(Said("Please write to me in German whenever it is about money.", kind="prompt", pinned=True))
    filed(palace, said)
    assert told(palace)[0] == "Please write to me in German whenever it is about money."


def test_a_pinned_drawer_is_told_whatever_it_is(palace):
    filed(
        palace,
        [
            [Said("Use tabs.", kind="prompt", pinned=True)],
            [Said("Looking at it on the way.", kind="narration", pinned=True)],
            [Said("Fixed the mailer, which lost every third letter.")],
        ],
    )
    assert sorted(told(palace)[:2]) == ["Looking at it on the way.", "Use tabs."]


def test_a_pinned_drawer_of_an_old_session_is_still_told(palace):
    said = [[Said(f"Fixed the {THINGS[n % 50]} for the time number {n}.")] for n in range(105)]
    said[0] = [Said("Never deploy the basket on a Friday, says the shop's owner.", kind="prompt", pinned=True)]
    filed(palace, said)
    assert told(palace)[0] == "Never deploy the basket on a Friday, says the shop's owner."
    assert told(palace) == told(palace, fresh=True)
    filed(palace, [[Said("Fixed the door.")]], start=START + 200 * DAY, tell=False)  # now it is behind
    assert told(palace)[0] == "Never deploy the basket on a Friday, says the shop's owner."


@pytest.mark.parametrize(
    ("importance", "factor"),
    [(3.0, 1.0), (4.0, 2.0), (2.0, 0.5), (9.0, 4.0), (-5.0, 0.25)],
    ids=["usual", "more", "less", "at most four", "at least a quarter"],
)
def test_importance_is_a_factor(importance, factor):
    assert coverage.importance_factor(importance) == factor


def test_importance_orders_lines_of_one_tier(palace):
    said = [
        [Said(f"Fixed the {THINGS[n]} in {PLACES[n]}.", importance=importance)]
        for n, importance in enumerate((2.0, 3.0, 5.0, 4.0))
    ]
    filed(palace, said)
    assert told(palace) == [f"Fixed the {THINGS[n]} in {PLACES[n]}." for n in (2, 3, 1, 0)]


def test_importance_multiplies_what_a_line_adds(lexicon):
    usual = candidate("Fixed the scheduler of the shop.", id="a", source=1)
    dear = candidate("Fixed the scheduler in the shop.", id="b", source=2, importance=4.0)
    (first, one), *_ = coverage.cover(lines(usual, dear, lexicon=lexicon), {"schedul": 1.0, "schedule": 1.0}, 5)
    ((_, other),) = coverage.cover(lines(usual, lexicon=lexicon), {"schedul": 1.0, "schedule": 1.0}, 5)
    assert first.drawer.id == "b"
    assert one == pytest.approx(2 * other)


def test_live_words_are_those_of_some_sessions_but_not_of_most():
    sessions = [{"often": 1, "twice": 1}, {"often": 3, "once": 1}, {"often": 1, "twice": 9}, {"often": 1}]
    assert set(coverage.live_terms(sessions, frozenset())) == {"twice"}
    assert coverage.live_terms(sessions, frozenset(["twice"])) == {}


def test_digits_and_single_letters_are_not_live():
    assert coverage.live_terms([{"7": 1, "x": 1}, {"7": 1, "x": 1}, {}, {}], frozenset()) == {}


def test_a_newer_word_weighs_more():
    sessions = [{"new": 1}, {"new": 1}, {}, {}, {"old": 1}, {"old": 1}, {}, {}]
    weights = coverage.live_terms(sessions, frozenset())
    assert weights["new"] > weights["old"] > 0


def test_a_word_weighs_half_after_its_halving():
    far = [{}] * coverage.HALVING
    near = coverage.live_terms([{"word": 1}, {"word": 1}, *far, {}, {}], frozenset())["word"]
    aged = coverage.live_terms([*far, {"word": 1}, {"word": 1}, {}, {}], frozenset())["word"]
    assert aged == pytest.approx(near / 2)


def test_other_lines_come_only_when_no_outcome_or_prompt_adds_anything(lexicon):
    outcome = candidate("Fixed the mailer of the shop.", id="a", source=1)
    prompt = candidate("Please look at the mailer and the router again.", id="b", source=2, kind="prompt")
    other = candidate("The mailer and the router and the parser live in the same folder.", id="c", source=3)
    weights = {"mailer": 1.0, "router": 1.0, "parser": 5.0}
    chosen = [line.drawer.id for line, _ in coverage.cover(lines(outcome, prompt, other, lexicon=lexicon), weights, 9)]
    assert chosen == ["a", "b", "c"]


def test_a_line_that_adds_no_live_word_is_left_out(lexicon):
    first = candidate("Fixed the mailer of the shop.", id="a", source=1)
    again = candidate("Yesterday somebody merged a change to the mailer.", id="b", source=2)
    assert len(coverage.cover(lines(first, again, lexicon=lexicon), {"mailer": 1.0}, 9)) == 1


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({"at": START + 1, "id": "b"}, {"at": START, "id": "a"}), ({"id": "a"}, {"id": "b"})],
    ids=["the newer", "then the lower id"],
)
def test_ties_are_broken(ours, theirs, lexicon):
    first = candidate("Fixed the mailer of the shop.", source=1, **ours)
    second = candidate("Fixed the router of the shop.", source=2, **theirs)
    weights = {"mailer": 1.0, "router": 1.0}
    for given in ([first, second], [second, first]):
        found = lines(*given, lexicon=lexicon)
        assert [line.drawer for line, _ in coverage.cover(found, weights, 9)] == [first, second]
        assert [line.drawer for line, _ in by_tiers(found)] == [first, second]


def test_what_was_said_twice_is_told_once(palace):
    said = [[Said(f"The mailer of {place} is fixed and merged now, after a long week of work.")] for place in PLACES]
    said += [[Said("The mailer of Oslo is fixed and merged now, after a long week of work!")]]
    filed(palace, said)
    assert sum("Oslo" in line for line in told(palace)) <= 1


def test_reports_with_one_templated_opening_are_all_told(palace):
    opening = "Summary of the session in the ledger project for the whole of the team, as asked.\n\n"
    ends = (
        "The migration of the orders table is done on both of the replicas.",
        "The change to the connection pool was reverted on Friday evening.",
        "Fixed the sidebar, which now mirrors itself in Arabic and in Hebrew.",
    )
    filed(palace, [[Said(opening + end)] for end in ends])
    assert set(ends) <= set(told(palace))


def test_decisions_for_and_against_are_both_told(palace):
    filed(
        palace,
        [
            [Said("We decided to use Redis for the session cache of the web shop this spring.")],
            [Said("We decided not to use Redis for the session cache of the web shop this spring.")],
            [Said("The importer went out as v1.2 and it was released to all of the customers.")],
            [Said("The importer went out as v1.3 and it was released to all of the customers.")],
        ],
    )
    assert len(told(palace)) == 4


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("As the wake-up says, the mailer was fixed [d:3fa2c1d0] on Monday.", id="a drawer's"),
        pytest.param("The session before this one [s:12] fixed the mailer of the shop.", id="a session's"),
        pytest.param("- The mailer of the shop was fixed. [d:3fa2c1d0] 2026-01-05", id="a line of the wake-up"),
    ],
)
def test_what_quotes_the_palaces_own_citations_is_not_told(text, palace):
    filed(palace, [[Said(text)], [Said("Fixed the router, at long last.")]])
    assert told(palace)[0] == "Fixed the router, at long last."
    assert not any("mailer" in line and "[" in line for line in told(palace))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        pytest.param("# The mailer was fixed today\n", "report", [], id="a heading"),
        pytest.param("> The mailer was fixed today, said the log.", "report", [], id="a quotation"),
        pytest.param("Here is what was fixed in the mailer:", "report", [], id="an introduction"),
        pytest.param("Shall I look at the mailer of the shop next?", "report", [], id="an agent's question"),
        pytest.param(
            "Was the mailer of the shop fixed?", "prompt", ["Was the mailer of the shop fixed?"], id="a human's"
        ),
        pytest.param("Too short.", "prompt", [], id="short"),
        pytest.param(
            "- The mailer is fixed now, and\n- merged", "report", ["The mailer is fixed now, and"], id="items"
        ),
        pytest.param("```\nThe mailer was fixed and merged.\n```", "report", [], id="a fence"),
        pytest.param("The mailer is fixed for good now.", "narration", [], id="narration"),
    ],
)
def test_a_drawer_has_these_lines(text, kind, expected, lexicon):
    assert [line.text for line in lines_of(candidate(text, kind=kind), lexicon)] == expected


def test_the_drawers_own_salience_decides_its_exclusion(lexicon):
    assert lines_of(candidate("The mailer is fixed for good now.", tier=-1), lexicon) == []


def test_a_pinned_line_is_of_its_own_tier(lexicon):
    (line,) = lines_of(candidate("The mailer is fixed for good now.", pinned=True), lexicon)
    assert line.tier == PINNED
    (line,) = lines_of(candidate("The mailer is fixed for good now."), lexicon)
    assert line.tier == OUTCOME_CLEAN


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 11, "one two..."),
        ("one, two, three", 11, "one, two..."),
        ("漢" * 30, 10, "漢" * 7 + "..."),
    ],
    ids=["fits", "at a word", "no comma is left", "no words"],
)
def test_a_long_sentence_is_cut_at_a_word(text, longest, expected):
    assert shortened(text, longest) == expected
