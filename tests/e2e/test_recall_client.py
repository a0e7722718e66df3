"""The real client: a prompt is given what earlier sessions settled, once; small talk nothing; /search its hits."""

import json
import re

import pytest
from model_api import ModelApi, strings
from test_client import CLAUDE, Machine, mine, outcomes
from transcripts import Session

from mempalace.layers.prompt_recall import HEAD

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

SETTLED = "Decided: the blue key hangs in the lighthouse, behind the second lantern."
QUESTION = "I cannot find the blue key of the lighthouse, is it behind a lantern?"


@pytest.fixture
def machine(tmp_path):
    """Return a machine on which the key's place was settled, too long ago for the wake-up to tell of it."""
    made = Machine(tmp_path)
    session = Session("earlier", cwd=str(made.project))
    session.user("Where does the blue key hang?")
    session.agent(SETTLED)
    for thing in "gate winch rope barrel ladder bench stove kettle drawer shutter anchor sail".split():
        session.user(f"The {thing} was painted on a sunny day and dried within the hour.")
    mine(made.palace, session.write(made.home / "log" / "earlier.jsonl"))
    (made.palace / "config.toml").write_text("budget = 300")
    return made


def said(machine, *words):
    """Run the client and return, of the last request that holds the prompt, every text."""
    with ModelApi("It is as you say.") as api:
        events = machine.claude(api, *words)
        assert outcomes(events) <= {("success", 0)}
        asked = [list(strings(body["messages"])) for body in api.asked]
    return max(asked, key=lambda texts: sum(map(len, texts)))


def given(texts):
    """Return the lines of every block that a prompt was given, in order."""
    blocks = [text[text.index(HEAD) :] for text in texts if HEAD in text]
    return [line for block in blocks for line in block.splitlines() if line.startswith("- [d:")]


def test_a_prompt_carries_what_was_settled_with_its_id(machine):
    lines = given(said(machine, QUESTION))
    (line,) = [line for line in lines if SETTLED in line]
    id = re.search(r"\[(d:[0-9a-f]{8})\]", line)[1]
    opened = json.loads(machine.mempalace("show", id, "--json"))
    assert opened["drawer"]["text"] == SETTLED


def test_thanks_carries_nothing(machine):
    texts = said(machine, "thanks")
    assert given(texts) == []
    assert not any(SETTLED in text for text in texts)
    assert [line["did"] for line in machine.trajectory() if line["hook"] == "recall"] == ["nothing: small talk"]


def test_no_drawer_is_given_twice_in_a_session(machine):
    first = given(said(machine, QUESTION))
    assert first
    machine.filed(15)
    both = given(said(machine, QUESTION, "-c"))
    assert set(first) <= set(both)
    assert len(both) == len(set(both))
    told = [line["ids"] for line in machine.trajectory() if line["hook"] == "recall"]
    assert len(told) == 2
    assert not set(told[0]) & set(told[1])


def test_a_slash_command_carries_its_hits(machine):
    texts = said(machine, "/mempalace:search blue key")
    (answer,) = [text for text in texts if "[mempalace] search\n" in text]
    assert re.search(r"\[d:[0-9a-f]{8}\] \w+, report, 2026-01-02", answer)
    assert SETTLED in answer
    assert not [line for line in machine.trajectory() if line.get("failed")]


def test_what_is_typed_behind_a_slash_command_runs_nothing(machine):
    words = """it's "blue" key $(touch X) `touch X`; touch X"""
    texts = said(machine, f"/mempalace:search {words}")
    assert any(SETTLED in text for text in texts)
    assert not (machine.project / "X").exists()
