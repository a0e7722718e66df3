"""The wake-up, whole: the session-start hook from exec to exit, beside a bare interpreter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from palaces import LARGE, Palace, palace, untold, wing_of
from processes import BASE, Program, Runs, in_turn
from table import Row

HOOK = Path(__file__).parents[2] / "hooks" / "wake_up.py"
GOAL, FLAT, FALLBACK = 1.5, 1.15, 100.0  # times a bare interpreter; times each other; milliseconds
MILLION, MIDDLE, SMALL = 1_000_000, 150_000, 1_000
BARE = Program([BASE, "-I", "-S", "-c", "import sqlite3, json"], {})


def hook(built: Palace, env: dict[str, str]) -> Program:
    """Return the hook as the client runs it, in the large wing's project."""
    root = built.roots[LARGE]
    event = {
        "hook_event_name": "SessionStart", "session_id": "bench", "source": "startup", "cwd": root,
        "transcript_path": "/nowhere/bench.jsonl",
    }  # fmt: skip
    return Program([BASE, "-I", "-S", str(HOOK)], {**env, "MEMPALACE_HOME": built.folder}, json.dumps(event), root)


def told(runs: Runs, built: Palace) -> dict[str, Any]:
    """Return what the hook recorded of its last run, having checked what it said."""
    said = json.loads(runs.out)["hookSpecificOutput"]["additionalContext"]
    assert LARGE in said.splitlines()[0]
    assert said.count("[d:") >= 5, said
    assert f"{wing_of(built, LARGE).drawers} drawers filed" in said
    lines = Path(built.folder, "trajectory.jsonl").read_text(encoding="utf-8").splitlines()
    recorded: dict[str, Any] = json.loads(lines[-1])
    assert "failed" not in recorded
    return recorded


def measured(builts: list[Palace], env: dict[str, str], note: Any, rounds: int) -> list[Runs]:
    """Run the hook in each palace in turn beside a bare interpreter, note the figures, return the runs."""
    *hooks, bare = in_turn([*(hook(built, env) for built in builts), BARE._replace(env=env)], rounds, warm=2)
    for built, runs in zip(builts, hooks, strict=True):
        assert told(runs, built)["how"] == "stored"
        note(Row(f"wake-up hook, {built.drawers:,} drawers", runs.wall * 1000, "ms"))
        note(Row("  over `import sqlite3, json`", runs.over(bare), "x", GOAL))
    note(Row("bare interpreter, `import sqlite3, json`", bare.wall * 1000, "ms"))
    return hooks


def test_wake_up_of_a_small_palace(env: dict[str, str], note: Any) -> None:
    measured([palace(SMALL)], env, note, rounds=5)


@pytest.mark.sweep
def test_wake_up_costs_the_same_in_a_large_palace(env: dict[str, str], note: Any) -> None:
    builts = [palace(size) for size in (SMALL, MIDDLE, MILLION)]
    small, _, million = measured(builts, env, note, rounds=60)
    note(Row("wake-up hook, 1,000,000 drawers over 1,000", million.over(small), "x", FLAT))
    note(Row("wake-up hook, peak memory, 1,000,000 drawers", million.peak / 1e6, "MB"))


@pytest.mark.parametrize("size", [SMALL, pytest.param(MILLION, marks=pytest.mark.sweep)])
def test_wake_up_without_a_stored_story(size: int, env: dict[str, str], note: Any) -> None:
    built = palace(size)
    with untold(built, LARGE):
        fallback, bare = in_turn([hook(built, env), BARE._replace(env=env)], 15 if size == MILLION else 2)
        assert told(fallback, built)["how"] == "newest by tiers"
    note(Row(f"wake-up hook choosing itself, {size:,} drawers", fallback.wall * 1000, "ms", FALLBACK))
    note(Row("  over `import sqlite3, json`", fallback.over(bare), "x"))
    note(Row("  peak memory", fallback.peak / 1e6, "MB"))
