"""The guard, whole: from exec to exit, beside a bare interpreter with SQLite: it objects, or has nothing to say."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from palaces import LARGE, SEED, palace
from processes import BASE, Program, in_turn
from table import Row

from mempalace.store import filing, wings
from mempalace.store.connection import open_writer

HOOK = Path(__file__).parents[2] / "hooks" / "guard.py"
BARE = "import sqlite3, json"
GOAL, RULES = 60.0, 1000  # milliseconds; beliefs of one wing


def rules(folder: str) -> None:
    """File the beliefs where they are not filed yet: one that objects to npm, the others of many kinds."""
    with open_writer(folder) as store:
        filing.begin(store)
        wing = wings.named(store, LARGE).n
        rows = [
            (f"{n:024x}", wing, "package-manager" if n % 4 == 0 else f"kind-{n % 9}", f"slot-{n}" if n else "node", n)
            for n in range(RULES)
        ]
        store.db.executemany(
            "INSERT OR IGNORE INTO beliefs (id, wing, glob, kind, subject, option, polarity, claim, origin, pinned,"
            " frozen, created_at, changed_at, generation)"
            " VALUES (?, ?, '', ?, ?, 'pnpm', 'prefer', 'use it', 'user', 1, 0.9, ?, 1, 1)",
            rows,
        )
        filing.commit(store)


@pytest.mark.parametrize("size", [1_000, pytest.param(150_000, marks=pytest.mark.sweep)])
def test_the_guard(size: int, env: dict[str, str], note: Any) -> None:
    built = palace(size, seed=SEED + 1)  # its own: a thousand pinned beliefs would weigh on every wake-up
    rules(built.folder)
    root = built.roots[LARGE]

    def hook(command: str) -> Program:
        event = {
            "hook_event_name": "PreToolUse", "session_id": "", "cwd": root, "tool_name": "Bash",
            "tool_input": {"command": command},
        }  # fmt: skip
        words = [BASE, "-I", "-S", str(HOOK)]
        return Program(words, {**env, "MEMPALACE_HOME": built.folder}, json.dumps(event), root)

    bare = Program([BASE, "-I", "-S", "-c", BARE], env)
    rounds = 40 if size > 1_000 else 5
    spoke, silent, nothing = in_turn([hook("cd . && npm install"), hook("ls -la"), bare], rounds, warm=2)
    assert "uses pnpm, not npm" in spoke.out
    assert silent.out == ""
    note(Row(f"guard, speaking, {size:,} drawers, {RULES:,} beliefs", spoke.wall * 1000, "ms", GOAL))
    note(Row(f"  over {BARE}", spoke.over(nothing), "x", 2.0))
    note(Row(f"guard, nothing chosen, {size:,} drawers", silent.wall * 1000, "ms", GOAL))
    note(Row(f"  over {BARE}", silent.over(nothing), "x", 1.5))
    note(Row(f"bare interpreter, {os.path.basename(BASE)} -c '{BARE}'", nothing.wall * 1000, "ms"))
