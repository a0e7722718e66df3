"""A repository's history: reading it, reading nothing new, predicting from it, calibrating on it.

A generated one; `MEMPALACE_BENCH_REPOSITORY` names a real one to measure as well.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import Repo
from table import Row

from mempalace.layers.history import catch_up
from mempalace.projects import project_of
from mempalace.store import history, ledger, wings
from mempalace.store.connection import Store, open_writer
from mempalace.store.filing import commit
from mempalace.trust import cochange, conformal

WHOLE, NOTHING_NEW, ONE_FILE = 20.0, 20.0, 100.0  # seconds of 20,000 commits; ms; ms
GIVEN = os.environ.get("MEMPALACE_BENCH_REPOSITORY", "")
MODULES = 300


def commits(count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield commits of a project of modules with their tests: some changed often, one file in very many commits."""
    chosen = random.Random(20260101)
    for n in range(count):
        module = min(MODULES - 1, int(chosen.paretovariate(0.8)) - 1)
        paths = [f"part{module % 20}/m{module}.py"]
        paths += [f"tests/t{module}.py"] * (chosen.random() < 0.7)
        paths += ["CHANGES.md"] * (chosen.random() < 0.15)
        paths += [f"part{other % 20}/m{other}.py" for other in chosen.sample(range(MODULES), chosen.randrange(3))]
        yield ("fix: mend it" if n % 3 else "Add to it"), list(dict.fromkeys(paths))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a new palace for writing."""
    with open_writer(str(tmp_path / "palace")) as opened:
        yield opened


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.sweep)])
def test_a_generated_history(count: int, store: Store, tmp_path: Path, note: Any) -> None:
    repo = Repo(tmp_path / "made")
    repo.grow(commits(count))
    measure(store, repo.root, note, goals=count == 20_000)


@pytest.mark.sweep
@pytest.mark.skipif(not GIVEN, reason="MEMPALACE_BENCH_REPOSITORY names no repository")
def test_a_real_history(store: Store, note: Any) -> None:
    measure(store, project_of(GIVEN).root, note, goals=False)


def measure(store: Store, root: str, note: Any, *, goals: bool) -> None:
    """Read a history, once and again, ask it about its busiest file, calibrate on it; note what each cost."""
    ledger.begin(store)
    wing = wings.ensure(store, project_of(root)).n
    commit(store)
    alone = took(lambda: subprocess.run(["git", "-C", root, "log", "--no-merges", "--numstat"], capture_output=True))[1]
    done, whole = took(lambda: catch_up(store, os.environ, wing, root, now=int(time.time()), seconds=600))
    assert done.read
    assert not done.left
    again, nothing = took(lambda: catch_up(store, os.environ, wing, root, now=int(time.time())))
    assert not again.read
    kept = history.repository(store, root)
    assert kept
    note(Row(f"history of {done.read:,} commits, the first time", whole, "s", WHOLE * goals))
    note(Row("  over `git log --numstat` alone", whole / alone, "x"))
    note(Row("  again, nothing new", nothing * 1000, "ms", NOTHING_NEW))
    told, read = took(lambda: history.in_time(store, kept.n))
    paths = [path for paths in told for path in paths]
    busiest = Counter(sorted(paths)).most_common(1)[0][0]
    found, one = took(lambda: cochange.ranked(1, history.together(store, kept.n, busiest)))
    assert found
    note(Row("  what changes with its busiest file", one * 1000, "ms", ONE_FILE))
    first, second, third = cochange.thirds(told)
    known = cochange.History(first)
    (setting, later), asked = took(lambda: [cochange.cases(known.predict, part) for part in (second, third)])
    row, fitted = took(
        lambda: conformal.calibrated(
            "predict", cochange.considered(setting, 0.1), later, alpha=0.1, now=0, generation=len(told)
        )
    )
    note(Row("  calibrating on it", read + asked + fitted, "s"))
    note(Row("  precision of what acts", row.precision or 0.0, ""))
    note(Row("  coverage of what acts", row.coverage, ""))


def took(work: Any) -> Any:
    """Return (what the work gave, the seconds it took)."""
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began
