"""What decides: the rules from the sent bytes alone, and a program that is handed them."""

import json
import shlex
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from offered import KIND, OPTIONS, SUBJECT, TASK, answer, belief, crowd, known

from mempalace.beliefs.answer import BadAnswer, read
from mempalace.beliefs.decision import decide
from mempalace.beliefs.models import model, rules
from mempalace.beliefs.prompting import prompt
from mempalace.beliefs.ranking import lookup
from mempalace.errors import PalaceError
from mempalace.model import AVOID, PREFER

ECHO = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data)"


def by_rules(*beliefs):
    return decide(TASK, OPTIONS, known(*beliefs), rules).decision


def program(text, timeout=30.0):
    """Return the model that runs some Python."""
    return model("command:" + shlex.join([sys.executable, "-c", text]), timeout=timeout)


@pytest.mark.parametrize(
    ("beliefs", "pick"),
    [
        pytest.param([belief(1)], "pnpm", id="what the belief names"),
        pytest.param([belief(1, "Yarn install")], "yarn", id="named by its words"),
        pytest.param([belief(1, confidence=0.6), belief(2, "npm", confidence=0.9)], "npm", id="the best of two"),
        pytest.param([belief(1, "npm", polarity=AVOID), belief(2, "yarn", polarity=AVOID)], "pnpm", id="the one left"),
        pytest.param(
            [belief(1, confidence=0.9, polarity=AVOID), belief(2, confidence=0.8), belief(3, "yarn")], "yarn",
            id="the next, where the best is to be avoided",
        ),
        pytest.param([], None, id="nothing without memory"),
        pytest.param([belief(1, "npm", polarity=AVOID)], None, id="nothing where two are left"),
        pytest.param([belief(1, kind="deploy")], None, id="nothing from another kind"),
        pytest.param([*crowd(18), belief(1)], None, id="nothing from what was not shown"),
    ],
)  # fmt: skip
def test_the_rules_pick_what_the_shown_beliefs_name(beliefs, pick):
    found = by_rules(*beliefs)
    assert found.option_id == pick
    assert found.reasoning
    assert len(found.considered) == len(OPTIONS)


def test_the_rules_say_which_belief_decided():
    found = by_rules(*crowd(3), belief(0xABC, pinned=False, confidence=0.75))
    assert found.summary == "pnpm install, as [b:00000000] has it"
    assert found.reasoning == "The belief at rank 4 (confidence 0.75) names it: claim 2748: pnpm"


def test_the_rules_say_what_speaks_for_and_against_each_option():
    found = by_rules(belief(1, confidence=0.9), belief(2, "npm"), belief(3, "yarn", polarity=AVOID, pinned=True))
    none, one, three = "0" * 8, "names it, at rank 3 only", "says to avoid it"
    assert found.considered == (f"npm: [b:{none}] {one}", "pnpm: chosen", f"yarn: [b:{none}] {three}")


def test_the_rules_say_why_they_pick_nothing():
    found = by_rules(*crowd(2), belief(1, kind="deploy"))
    assert found.reasoning == "2 of the 3 beliefs shown speak of this choice; none settles it."
    assert found.option_display is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["npm", "pnpm", "yarn", "bun", ""]), st.sampled_from([PREFER, AVOID]), st.booleans(),
            st.floats(0.05, 0.95), st.sampled_from(["", "packages/legacy"]), st.sampled_from([SUBJECT, "python"]),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_the_rules_always_answer_well_and_as_the_lookup_where_nothing_is_avoided(drawn):
    beliefs = [
        belief(n, option, polarity=polarity, pinned=pinned, confidence=sure, glob=glob, subject=subject)
        for n, (option, polarity, pinned, sure, glob, subject) in enumerate(drawn)
    ]
    sent = prompt(TASK, OPTIONS, known(*beliefs))
    assert rules(sent) == rules(sent)
    found = read(rules(sent), OPTIONS)
    plain = lookup(beliefs, KIND, SUBJECT)
    offered = [option.id for option in OPTIONS]
    if plain and plain.option in offered and all(one.polarity == PREFER for one in beliefs):
        assert found.option_id == plain.option


def test_a_program_gets_the_bytes_and_its_output_is_kept_literally():
    raw = b"\n " + answer() + b"\n"
    text = f"import sys; assert b'temperature' in sys.stdin.buffer.read(); sys.stdout.buffer.write({raw!r})"
    decided = decide(TASK, OPTIONS, known(), program(text))
    assert decided.raw == raw
    assert decided.decision.option_id == "pnpm"


def test_a_program_is_handed_exactly_what_is_recorded_as_sent():
    sent = prompt(TASK._replace(text="Häfen 港 \udcff"), OPTIONS, known(belief(1)))
    assert program(ECHO)(sent) == sent


@pytest.mark.parametrize(
    ("text", "why", "raw"),
    [
        pytest.param("print('so far'); raise SystemExit(3)", "ended with status 3", b"so far\n", id="status"),
        pytest.param("import sys; sys.exit('no key')", "status 1: no key", b"", id="its complaint is passed on"),
        pytest.param("print('pnpm')", "not JSON", b"pnpm\n", id="prose"),
        pytest.param("import sys; sys.stdout.buffer.write(b'\\xff')", "not JSON", b"\xff", id="bytes"),
        pytest.param("print('{}')", "missing: title", b"{}\n", id="an empty object"),
        pytest.param("pass", "not JSON", b"", id="silence"),
    ],
)
def test_a_program_that_fails_says_how_and_what_it_gave_is_kept(text, why, raw):
    with pytest.raises(BadAnswer, match=why) as caught:
        decide(TASK, OPTIONS, known(), program(text))
    assert caught.value.raw == raw


def test_a_program_that_takes_too_long_is_ended_and_what_it_gave_is_kept():
    text = "import sys, time; sys.stdout.write('hm'); sys.stdout.flush(); sys.stdin.close(); time.sleep(60)"
    with pytest.raises(BadAnswer, match="gave no answer within 1 seconds") as caught:
        decide(TASK, OPTIONS, known(), program(text, timeout=1))
    assert caught.value.raw == b"hm"


def test_what_a_program_started_is_ended_with_it():
    """Else this would wait for the child, which holds the program's output open."""
    text = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(90)'])"
    with pytest.raises(BadAnswer, match="gave no answer"):
        decide(TASK, OPTIONS, known(), program(text, timeout=1))


def test_no_shell_reads_the_command(tmp_path):
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "$HOME", "; touch x", "`id`", "a b"]
    assert json.loads(model("command:" + shlex.join(words))(b"{}")) == words[3:]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "no model ''"),
        ("gpt", "no model 'gpt': the models are rules and command:PROGRAM"),
        ("command:", "no model 'command:'"),
        ("command:  ", "no model"),
        ("command:'open", "cannot be read: no closing quotation"),
        ("command:no-such-program-anywhere -x", "no program 'no-such-program-anywhere' to ask"),
    ],
)
def test_what_is_no_model_is_refused(name, why):
    with pytest.raises(PalaceError, match=why):
        model(name)
