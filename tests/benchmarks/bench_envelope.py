"""What the envelope and the re-rank cost: the same searches with and without them, in one process."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from palaces import LARGE, NOW, palace, wing_of
from table import Row

from mempalace.layers import l3_search
from mempalace.layers.l3_search import Answer, Reader, search
from mempalace.layers.upkeep import analyzer
from mempalace.search import index
from mempalace.store import calibrations, filing, history, ledger, shakes
from mempalace.store.calibrations import ENVELOPE, Calibration
from mempalace.store.connection import Store, open_reader, open_writer

GOAL = 5.0  # milliseconds more for a search, the median
ASKED, TESTED = 30, 400  # questions; drawers of which outcomes are known
SMALL, MIDDLE = 1_000, 150_000


def filled(folder: Path, size: int, *, warm: bool) -> str:
    """Return a generated palace with its index; warm: with outcomes, tremors, a calibration and a history."""
    built = palace(size)
    shutil.copytree(built.folder, folder)
    with open_writer(str(folder)) as store:
        index.catch_up(store, analyzer())
        if warm:
            generation = ledger.begin(store)
            _tested(store, generation)
            kept = history.ensure(store, built.roots[LARGE], wing_of(built, LARGE).n)
            history.file_commits(store, kept.n, (_commit(n) for n in range(2000)))
            history.was_read(store, kept.n, head="a" * 40, border="", at=NOW)
            calibrations.keep(store, Calibration(ENVELOPE, 0.6, 0.1, 1.0, 0.5, 40, NOW, 3 * TESTED), wing=0)
            filing.commit(store)
    return str(folder)


def _tested(store: Store, generation: int) -> None:
    ids = [row[0] for row in store.db.execute("SELECT id FROM drawers ORDER BY id LIMIT ?", (TESTED,))]
    for n, id in enumerate(ids):
        subject = ledger.subject_of(ledger.DRAWER, id)
        for k in range(3):
            outcome = ledger.WRONG if n % 4 == 0 else ledger.CORRECT
            event = ledger.Outcome(f"{id}{k}", subject, 0, outcome, 1.0, NOW - 1000 * k - 1, "learned")
            ledger.add(store, event, generation=generation)
        shakes.add(store, subject, 0, [shakes.Shake(NOW - 1000 * k - 1, 1.0, 1.0) for k in range(12)])


def _commit(n: int) -> history.Commit:
    return history.Commit(f"{n:040x}", NOW - 4000 + n, tuple(f"src/part{k}.py" for k in range(n % 7, n % 7 + 3)))


def questions(folder: str) -> list[str]:
    """Return the openings of passages spread over the palace."""
    with open_reader(folder) as store:
        rows = store.db.execute("SELECT text FROM drawers WHERE kind = 1 ORDER BY id LIMIT ?", (ASKED,))
        return [" ".join(text.split()[:8]) for (text,) in rows]


def took(folder: str, reader: Reader, asked: list[str]) -> list[float]:
    """Return the seconds that each question took."""
    times = []
    with open_reader(folder) as store:
        for question in asked:
            began = time.perf_counter()
            answer = search(store, reader, question, now=NOW)
            times.append(time.perf_counter() - began)
            assert answer.hits
    return times


def unweighed(store: Store, answer: Answer, **_: Any) -> Answer:
    """Return the answer as it is."""
    return answer


@pytest.mark.parametrize("size", [SMALL, pytest.param(MIDDLE, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_what_the_envelope_costs(
    size: int, warm: bool, tmp_path: Path, note: Callable[[Row], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path / "measured", size, warm=warm)
    reader, asked = Reader(), questions(folder)
    took(folder, reader, asked)
    pairs = []
    for _ in range(5):  # in turn, so that what else the machine does falls on both
        with monkeypatch.context() as patch:
            patch.setattr(l3_search, "weighed", unweighed)
            patch.setattr(l3_search, "needed", lambda store: 0)
            bare = took(folder, reader, asked)
        pairs += list(zip(bare, took(folder, reader, asked), strict=True))
    name = f"{size:,} drawers, {'with' if warm else 'without'} outcomes"
    more = statistics.median(whole - bare for bare, whole in pairs)
    note(Row(f"envelope and re-rank, {name}", more * 1000, "ms", GOAL))
    note(Row("  search with over search without", statistics.median(whole / bare for bare, whole in pairs), "x"))
