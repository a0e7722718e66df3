"""`mempalace learn`, `trust`, `tremor`: what they print, and that no number comes out of nothing."""

import json
import re
import time

import pytest
from click.testing import CliRunner
from transcripts import ask, everything_in, mine, talk

from mempalace import cli
from mempalace.store import filing, ledger, shakes
from mempalace.store.connection import open_writer
from mempalace.store.shakes import Shake

DAY = 86_400


@pytest.fixture(autouse=True)
def _commands(monkeypatch):
    for name in ("learn", "trust", "tremor"):
        monkeypatch.setitem(cli.COMMANDS, name, "trusting")


@pytest.fixture
def tower(palace, claude, tmp_path, monkeypatch):
    """Mine a session in a project's folder, stand in that folder, and return the reports' ids."""
    folder = tmp_path / "tower"
    folder.mkdir()
    (folder / "lamp.py").write_text("beam = 1\n")
    mine(palace, claude(talk("lamp", 3, cwd=str(folder))))
    monkeypatch.chdir(folder)
    return [id for (id,) in ask(palace, "SELECT id FROM drawers WHERE kind = 1 ORDER BY line")]


def run(palace, *words):
    return CliRunner().invoke(cli.main, [words[0], "--palace", str(palace), *map(str, words[1:])])


def said(palace, *words):
    """Return what a command that must succeed prints."""
    ran = run(palace, *words)
    assert (ran.exit_code, ran.exception) == (0, None), ran.output
    return ran.stdout


def as_json(palace, *words):
    return json.loads(said(palace, *words, "--json"))


def numbers(value):
    """Return every number anywhere in a JSON value, times excepted."""
    if isinstance(value, dict):
        return [found for key, one in value.items() if not key.endswith("at") for found in numbers(one)]
    if isinstance(value, list):
        return [found for one in value for found in numbers(one)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def test_a_cold_palace_shows_no_number(palace, tower):
    for words in (["trust"], ["trust", tower[0]], ["trust", "--scope", "drawer"], ["tremor"]):
        told = said(palace, *words)
        assert not re.search(r"\d", re.sub(r"\[d:\w+\]", "", told)), told
        assert numbers(as_json(palace, *words)) == []
    assert "insufficient evidence" in said(palace, "trust", tower[0])
    assert 'mempalace learn ID correct"' in said(palace, "trust")


def test_nor_does_one_with_too_little_evidence(palace, tower):
    assert "insufficient evidence" in said(palace, "learn", tower[0], "correct")
    assert as_json(palace, "learn", tower[0], "correct")["learned"] == [
        {"subject": f"drawer::{tower[0]}", "band": "insufficient_evidence"}
    ]
    assert said(palace, "trust") == f"[d:{tower[0][:8]}]: insufficient evidence\n"
    told = as_json(palace, "trust")
    assert numbers(told) == []
    assert told["rows"][0]["band"] == "insufficient_evidence"
    account = as_json(palace, "trust", tower[0])
    assert (account["trust"], account["risk"], account["counts"]) == (None, None, None)
    assert [event["outcome"] for event in account["events"]] == ["correct", "correct"]


def test_what_is_learned_is_told_worst_first_with_its_mean(palace, tower):
    for _ in range(3):
        said(palace, "learn", tower[0], "correct")
    said(palace, "learn", tower[1], "lamp.py", "wrong", "--why", "the wick was green")
    told = said(palace, "trust").splitlines()
    assert told == [
        f"[d:{tower[1][:8]}]: high risk, trust 0.05 (1 wrong)",
        "lamp.py  in tower: high risk, trust 0.05 (1 wrong)",
        f"[d:{tower[0][:8]}]: low risk, trust 1.00 (3 correct)",
        "mean trust 0.37 over the 3 of 3 with enough evidence",
    ]
    assert said(palace, "trust", "--scope", "file", "--top", 1).splitlines()[0] == told[1]
    assert said(palace, "trust", "--scope", "attic") == "nothing is known of attic\n"
    rows = as_json(palace, "trust", "--sort", "recency", "--top", 2)
    assert [row["subject"] for row in rows["rows"]] == [f"drawer::{tower[1]}", "file::lamp.py"]
    assert (rows["mean_trust"], rows["rows"][1]["wing"]) == (0.3667, "tower")
    account = said(palace, "trust", "lamp.py")
    assert re.fullmatch(
        r"lamp.py: high risk, trust 0.05 \(1 wrong\)\n  \d{4}-\d\d-\d\d  wrong \(learned\): the wick was green\n",
        account,
    )


def test_a_typo_changes_nothing_and_names_the_three_words(palace, tower):
    before = everything_in(palace)
    ran = run(palace, "learn", tower[0], "correkt")
    assert ran.exit_code == 1
    assert ran.stderr == "mempalace: 'correkt' is no outcome: say correct, wrong or partial\n"
    assert everything_in(palace) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(("trust", "--sort", "name"), "trust, risk, recency", id="a sort"),
        pytest.param(("tremor", "--window", "8"), "7, 30, 90, all", id="a window"),
        pytest.param(("trust", "ffffffff"), "no drawer", id="a drawer"),
        pytest.param(("learn", "attic.py", "wrong"), "no file of tower", id="a file"),
    ],
)
def test_what_is_none_is_said_in_one_line(palace, tower, words, message):
    ran = run(palace, *words)
    assert ran.exit_code == 1
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("learn", "abcd", "wrong"), ("trust",), ("tremor",)])
def test_no_palace_is_made_by_asking(palace, words):
    ran = run(palace, *words)
    assert ran.exit_code == 1
    assert "no palace at" in ran.stderr
    assert not palace.exists()


def test_what_changes_faster_and_faster_is_told_first(palace, tower):
    now = int(time.time())
    with open_writer(str(palace)) as store:
        ledger.begin(store)
        for nth, name in enumerate(["calm.py", *"abcdefgh", "wild.py"]):
            seen = [Shake(now - (5 - n) * DAY, 2.0 ** (nth * n), 1) for n in range(5)]
            shakes.add(store, f"file::{name}", 1, seen)
        shakes.add(store, "file::rare.py", 1, [Shake(now - n * DAY, 9, 9) for n in (1, 2)])
        filing.commit(store)
    told = said(palace, "tremor", "--window", "7").splitlines()
    assert told[0] == "shaking  100.00  wild.py  in tower: speeding up, 5 changes"
    assert told[-1] == "calm  0.00  calm.py  in tower: steady, 5 changes"
    assert len(told) == 10
    (first,) = as_json(palace, "tremor", "--window", "all", "--top", 1)["rows"]
    assert (first["magnitude"], first["wing"], first["observations"]) == (100.0, "tower", 5)
