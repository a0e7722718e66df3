"""A choice: what is sent, what is read of what comes back, what the pick rests on and overrides."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from offered import KIND, LIMIT, NPM, OPTIONS, PNPM, SUBJECT, TASK, YARN, answer, belief, crowd, known, says

from mempalace.beliefs.advice import FOLLOWED, IGNORED, SILENT, TRUNCATED, override, support
from mempalace.beliefs.answer import Answer, BadAnswer, Option, encoded, read
from mempalace.beliefs.decision import decide
from mempalace.beliefs.memory import subject_of
from mempalace.beliefs.prompting import asked, prompt
from mempalace.errors import PalaceError
from mempalace.model import AVOID

ORDER = "title urgent urgency_reason summary reasoning considered option_id option_display".split()


def test_the_same_choice_sends_the_same_bytes_whatever_order_beliefs_are_read_in():
    beliefs = [belief(n, option) for n, option in enumerate(["pnpm", "npm", "yarn", "", "bun"] * 6)]
    sent = prompt(TASK, OPTIONS, known(*beliefs))
    random.Random(7).shuffle(beliefs)
    decided = decide(TASK, OPTIONS, known(*beliefs), says(answer()))
    assert decided.sent == sent
    assert decided.raw == answer()
    assert decided.decision.option_id == "pnpm"


def test_what_is_sent_says_how_much_of_memory_it_shows():
    sent = json.loads(prompt(TASK, OPTIONS, known(*crowd(24), belief(1))))
    assert (sent["memory_total"], sent["memory_shown"], len(sent["memory"])) == (25, 18, 18)
    assert sent["memory_note"] == "18 of 25 beliefs shown, best first; 7 left out"
    assert sent["temperature"] == 0
    assert [one["rank"] for one in sent["memory"]] == list(range(1, 19))


def test_a_belief_and_an_option_stand_on_a_line_each():
    lines = prompt(TASK, OPTIONS, known(*crowd(4))).decode().splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in lines if line.startswith("  {")][:3] == [
        "npm",
        "pnpm",
        "yarn",
    ]
    assert sum('"claim": ' in line for line in lines) == 4


def test_memory_that_fits_says_so_without_a_remainder():
    sent = json.loads(prompt(TASK, OPTIONS, known(belief(1), belief(2))))
    assert sent["memory_note"] == "2 of 2 beliefs shown, best first"


def test_the_schema_asks_for_reasons_before_the_pick_and_for_every_field():
    schema = json.loads(prompt(TASK, OPTIONS, known()))["schema"]
    assert list(schema["properties"]) == schema["required"] == list(Answer._fields) == ORDER
    assert all("null" in field["type"] for field in schema["properties"].values())
    assert schema["properties"]["option_id"]["enum"] == ["npm", "pnpm", "yarn", None]


def test_what_was_asked_is_read_back_from_the_bytes():
    memory = known(belief(1), belief(2, "npm"))
    task, options, shown = asked(prompt(TASK, OPTIONS, memory))
    assert (task, options) == (TASK, OPTIONS)
    assert [one["id"] for one in shown] == [one["id"] for one in memory.entries]


@pytest.mark.parametrize(
    ("task", "options"),
    [
        pytest.param(TASK._replace(text=" "), OPTIONS, id="no task"),
        pytest.param(TASK._replace(kind=""), OPTIONS, id="no kind"),
        pytest.param(TASK, [], id="no options"),
        pytest.param(TASK, [Option("", "nothing")], id="an option without an id"),
        pytest.param(TASK, [NPM, Option("NPM", "the same")], id="one id twice"),
    ],
)
def test_what_is_no_choice_is_refused_before_anything_is_sent(task, options):
    with pytest.raises(PalaceError):
        decide(task, options, known(), says(answer()))


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        pytest.param(b"", "not JSON", id="nothing"),
        pytest.param(b"pnpm, of course", "not JSON", id="prose"),
        pytest.param(b"```json\n" + answer() + b"\n```", "not JSON", id="a code fence"),
        pytest.param(b"Here it is: " + answer(), "not JSON", id="a preamble"),
        pytest.param(answer() + b"{}", "not JSON", id="two objects"),
        pytest.param(b"\xff\xfe" + answer(), "not JSON", id="not UTF-8"),
        pytest.param(answer().replace(b"false", b"NaN"), "not JSON", id="not a number"),
        pytest.param(answer()[:-1] + b', "title": "again"}', "not JSON", id="a key twice"),
        pytest.param(b"[" * 100_000, "not JSON", id="bottomless"),
        pytest.param(b"[]", "it is no object", id="a list"),
        pytest.param(b"{}", "missing: title, urgent", id="empty"),
        pytest.param(answer(mood="calm"), "unknown: 'mood'", id="a field too many"),
        pytest.param(answer(urgent=0), "urgent is no true or false", id="a number for a yes"),
        pytest.param(answer(considered="npm"), "considered is no list of texts", id="text for a list"),
        pytest.param(answer(considered=[1]), "considered is no list of texts", id="a number in the list"),
        pytest.param(answer(reasoning={}), "reasoning is no text", id="an object for text"),
        pytest.param(answer(Option("bun", "bun install")), "no option 'bun': the options are 'npm'", id="not offered"),
        pytest.param(answer(option_id="PNPM"), "no option 'PNPM'", id="nearly offered"),
        pytest.param(answer(option_display="npm install"), "not that of option 'pnpm'", id="two picks"),
        pytest.param(answer(option_id=None), "names an option and option_id none", id="half a pick"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why_and_is_kept(raw, why):
    with pytest.raises(BadAnswer, match=why) as caught:
        decide(TASK, OPTIONS, known(), says(raw))
    assert caught.value.raw == raw


@pytest.mark.parametrize("raw", [answer(), b" \n\t" + answer() + b"\r\n", answer(None)], ids=["bare", "blanks", "null"])
def test_an_answer_may_stand_in_blanks_and_may_pick_nothing(raw):
    decided = decide(TASK, OPTIONS, known(), says(raw))
    assert decided.raw == raw
    assert decided.decision.option_id in ("pnpm", None)


def test_every_field_may_be_null():
    assert read(json.dumps(dict.fromkeys(ORDER)).encode(), OPTIONS) == Answer(*[None] * 8)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(ORDER) | st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(JSON | st.fixed_dictionaries(dict.fromkeys(ORDER, JSON)) | st.binary(max_size=40), st.binary(max_size=3))
def test_any_output_is_an_answer_or_an_error_that_keeps_it(value, tail):
    raw = (value if isinstance(value, bytes) else json.dumps(value).encode()) + tail
    found, error = tried(raw)
    if error is not None:
        assert error.raw == raw
        assert str(error)
    else:
        assert found.option_id in (None, "npm", "pnpm", "yarn")
        assert read(encoded(found._asdict()), OPTIONS) == found


def tried(raw):
    try:
        return read(raw, OPTIONS), None
    except BadAnswer as error:
        return None, error


def test_words_of_any_script_are_sent_as_they_are_and_half_characters_escaped():
    odd = "Häfen 港 \U0001f6df \ud83d half \udcff\0"
    sent = prompt(TASK._replace(text=odd), [Option("港", odd)], known(belief(1, claim=odd)))
    assert "Häfen 港 🛟".encode() in sent
    assert b"\\udcff" in sent
    task, options, shown = asked(sent)
    assert (task.text, options[0].display, shown[0]["claim"]) == (odd, odd, odd)


def fit_of(pick, *beliefs, path=""):
    memory = known(*beliefs, path=path)
    found = support(pick, memory.entries, OPTIONS)
    return found.fit, found.entry and found.entry["rank"]


@pytest.mark.parametrize(
    ("pick", "beliefs", "expected"),
    [
        pytest.param("npm", [*crowd(18), belief(1)], (TRUNCATED, 19), id="right at rank 19, not shown"),
        pytest.param(None, [*crowd(18), belief(1)], (TRUNCATED, 19), id="nothing picked, right at rank 19"),
        pytest.param("npm", [*crowd(3), belief(1), *crowd(9, 900)], (IGNORED, 13), id="right at rank 13, shown"),
        pytest.param("npm", [*crowd(3), belief(1)], (IGNORED, 4), id="right at rank 4, shown, ignored"),
        pytest.param("pnpm", [*crowd(3), belief(1)], (FOLLOWED, 4), id="right at rank 4, followed"),
        pytest.param("pnpm", [*crowd(18), belief(1)], (FOLLOWED, 19), id="guessed what was not shown"),
        pytest.param("npm", crowd(5), (SILENT, None), id="memory names none of the options"),
        pytest.param(None, [], (SILENT, None), id="no memory"),
        pytest.param("npm", [belief(1, "npm", polarity=AVOID)], (IGNORED, 1), id="picked what is to be avoided"),
        pytest.param("pnpm", [belief(1, "npm", polarity=AVOID)], (SILENT, None), id="avoided one of three"),
        pytest.param(
            "yarn", [belief(1, "npm", polarity=AVOID), belief(2, "pnpm", polarity=AVOID)], (FOLLOWED, 1),
            id="the only one left",
        ),
        pytest.param("npm", [belief(1, kind="deploy")], (SILENT, None), id="another kind does not speak"),
        pytest.param("npm", [belief(1, subject="python")], (SILENT, None), id="another slot does not speak"),
        pytest.param("npm", [belief(1, "PNPM install")], (IGNORED, 1), id="named by what is displayed"),
    ],
)  # fmt: skip
def test_truncation_and_adherence_are_told_apart(pick, beliefs, expected):
    assert LIMIT == 18
    assert fit_of(pick, *beliefs) == expected


LEGACY = "packages/legacy"


def overridden(pick, *beliefs, path=""):
    memory = known(*beliefs, path=path)
    found = override(pick, memory.entries, OPTIONS)
    return found and int(found["id"], 16)


@pytest.mark.parametrize(
    ("pick", "beliefs", "expected"),
    [
        pytest.param("npm", [belief(1, pinned=True)], 1, id="pinned, another option"),
        pytest.param("npm", [belief(1, confidence=0.8)], 1, id="believed at .8"),
        pytest.param("npm", [belief(1, confidence=0.79)], None, id="believed at .79"),
        pytest.param("pnpm", [belief(1, pinned=True)], None, id="followed"),
        pytest.param("npm", [belief(1, "npm", polarity=AVOID, pinned=True)], 1, id="picked what it avoids"),
        pytest.param("pnpm", [belief(1, "npm", polarity=AVOID, pinned=True)], None, id="avoids another"),
        pytest.param("npm", [belief(1, "bun", pinned=True)], 1, id="names one that is not offered"),
        pytest.param("npm", [belief(1, kind="deploy", pinned=True)], None, id="another kind"),
        pytest.param("npm", [belief(1, subject="python", pinned=True)], None, id="another slot"),
        pytest.param("npm", [belief(1, glob=LEGACY, pinned=True)], None, id="another place"),
        pytest.param("npm", [belief(1, "", pinned=True)], None, id="names no option"),
        pytest.param(None, [belief(1, pinned=True)], None, id="nothing picked"),
        pytest.param("npm", [belief(1, confidence=0.9), belief(2, "npm", confidence=0.95)], None, id="outranked"),
        pytest.param("npm", [*crowd(20), belief(1, confidence=0.85)], 1, id="though it was not shown"),
    ],
)
def test_a_strong_belief_that_a_pick_goes_against_is_named(pick, beliefs, expected):
    assert overridden(pick, *beliefs) == expected


def test_a_local_exception_overrides_nothing_and_only_there():
    default, local = belief(1, pinned=True, confidence=0.9), belief(2, "yarn", glob=LEGACY, confidence=0.6)
    assert overridden("yarn", default, local, path=f"{LEGACY}/a.js") is None
    assert overridden("yarn", default, local, path="packages/new/a.js") == 1
    assert fit_of("yarn", default, local, path=f"{LEGACY}/a.js") == (FOLLOWED, 1)


def test_the_incident_that_this_learns_from_does_not_happen_again():
    """A right belief without links lost to a wrong one that was linked; here the kind comes first."""
    right = belief(1, confidence=0.806, support=0.0)
    wrong = belief(2, "", kind="deploy", confidence=0.576, support=1.0)
    assert fit_of("pnpm", wrong, right) == (FOLLOWED, 1)


def test_a_slot_is_known_by_its_options():
    beliefs = [belief(1), belief(2, "uv", subject="python"), belief(3, "make", kind="deploy", subject="harbour")]
    assert subject_of(beliefs, kind=KIND, options=[NPM, PNPM]) == SUBJECT
    assert subject_of(beliefs, kind=KIND, options=[Option("uv", "uv"), Option("pip", "pip")]) == "python"
    assert subject_of(beliefs, kind=KIND, options=[PNPM, Option("uv", "uv")]) == ""
    assert subject_of(beliefs, kind=KIND, options=[YARN]) == ""
