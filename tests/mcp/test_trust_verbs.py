"""The verbs about trust over MCP: what they answer, and that a cold palace shows no number."""

import json
import re
import subprocess

import pytest

pytest.importorskip("mcp.client.stdio", reason="the extra mempalace[mcp] is not installed")

ASKED = {"query": "is the beam of the lamp steady?", "limit": 1}


def committed(project, *changes):
    """Make the project a repository with a commit for each list of files."""

    def git(*words):
        subprocess.run(["git", "-C", str(project), *words], check=True, capture_output=True)

    git("init", "-q")
    for n, names in enumerate(changes):
        for name in names:
            (project / name).write_text(f"{name} {n}\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"Turn the lamp by {n}")


def numbers(told):
    return re.findall(r"\d", json.dumps(told))


def test_a_cold_palace_shows_no_number_of_trust(filled):
    found, selftest, trust, tremor = filled.calls(
        ("search", ASKED), ("trust_selftest", {}), ("trust", {}), ("tremor", {"window": "all"})
    )
    assert found["envelope"]["verdict"] == "reverify"
    assert found["envelope"]["score"] is None
    assert numbers(found["envelope"]) == []
    assert [one["what"] for one in selftest["findings"] if one["part"] == "calibration"] == [
        "no outcome is known yet, so no verdict is act"
    ]
    assert (trust, tremor) == ({"mean_trust": None, "rows": []}, {"window": "all", "rows": []})
    one = filled.call("trust", id=found["sources"][0]["id"])
    assert (one["band"], one["trust"], one["risk"], one["events"]) == ("insufficient_evidence", None, None, [])


def test_what_is_learned_weighs_the_next_answer(filled):
    id = filled.call("search", **ASKED)["sources"][0]["id"]
    learned, trust, found = filled.calls(
        ("learn", {"ids": [id], "outcome": "wrong", "why": "the beam flickers"}),
        ("trust", {"id": id}),
        ("search", {**ASKED, "limit": 5}),
    )
    assert (learned["outcome"], [one["band"] for one in learned["learned"]]) == ("wrong", ["high"])
    assert trust["trust"] == 0.05
    assert [event["why"] for event in trust["events"]] == ["the beam flickers"]
    assert found["envelope"]["score"] is not None


def test_a_word_that_is_no_outcome_is_refused(filled):
    id = filled.call("search", **ASKED)["sources"][0]["id"]
    refused, trust = filled.calls(("learn", {"ids": [id], "outcome": "wrnog"}), ("trust", {"id": id}))
    assert "say correct, wrong or partial" in refused
    assert trust["events"] == []


def test_files_that_change_together_are_predicted_and_abstain_until_measured(filled):
    committed(filled.project, *[["lamp.py", "lens.py", f"other{n}.py"] for n in range(4)])
    told, measured = filled.calls(("predict", {"file": "lamp.py"}), ("calibrate_predict", {}))
    assert (told["likely"][0]["path"], told["likely"][0]["verdict"]) == ("lens.py", "abstain")
    assert "not calibrated" in told["note"]
    assert measured["row"]["n"] == 0
    assert measured["unarmed"]
    assert "points" not in measured


def test_without_labels_the_envelope_is_not_calibrated(filled):
    told = filled.call("calibrate_envelope")
    assert (told["row"], told["labels"]) == (None, 0)
    assert "alpha" in filled.call("calibrate_envelope", alpha=0.7)


def test_what_cannot_be_read_is_named(filled):
    told = filled.calls(
        ("trust", {"id": "d:0123abcd"}), ("trust", {"sort": "age"}), ("tremor", {"window": "8"}),
        ("predict", {"file": "nothing.py"}),
    )  # fmt: skip
    assert [line for line in told if not isinstance(line, str) or "\n" in line] == []
