"""Mining, whole: `python -m mempalace mine` from exec to exit, into a palace that can be searched."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from palaces import transcripts
from processes import BASE, Program, Run, in_turn, once
from table import Row

from mempalace import runtime
from mempalace.store import story as stored
from mempalace.store.connection import open_reader

SPEED, MEMORY, LINEAR = 25.0, 250.0, 1.1  # MB/s end to end; MB at its peak; cost of a byte, whole over half
RERUN, NOTHING_NEW, FILE_AWAY = 1.0, 100.0, 50.0  # seconds of 1,300 files; ms of CPU; ms
GIVEN = os.environ.get("MEMPALACE_BENCH_TRANSCRIPTS", "")
HOOK = Path(__file__).parents[2] / "hooks" / "file_away.py"
MB = 1_000_000


class Mined(NamedTuple):
    """One mining: its process, and what it reported."""

    run: Run
    report: dict[str, Any]


def mine(env: dict[str, str], palace: Path, *places: object) -> Program:
    """Return the program that mines the places into a palace."""
    words = [sys.executable, "-m", "mempalace", "mine", "--json", "--palace", str(palace), *map(str, places)]
    return Program(words, env)


def mined(env: dict[str, str], palace: Path, *places: object) -> Mined:
    """Mine the places once, and make sure that something was mined and can be searched."""
    run = once(mine(env, palace, *places))
    report = json.loads(run.out)
    assert report["drawers"] > 0
    assert not report["problems"]
    with open_reader(str(palace)) as store:
        assert stored.total(store) == report["drawers"]
        assert stored.behind(store) == []
    assert list((palace / "index").glob("*.store"))
    return Mined(run, report)


def largest(folder: Path) -> list[Path]:
    """Return the transcripts below a folder, in path order."""
    return sorted(path for path in folder.rglob("*.jsonl") if path.is_file())


def half_of(paths: list[Path]) -> list[Path]:
    """Return files of about half the bytes: every other one, by size."""
    return sorted(sorted(paths, key=lambda path: path.stat().st_size)[::2])


def compare(env: dict[str, str], folder: Path, tmp_path: Path, note: Any, rounds: int, *, goals: bool) -> None:
    """Mine half of the files and all of them, in turn into new palaces, and note what it cost."""
    paths = largest(folder)
    some = half_of(paths)
    small, whole = [], []
    (tmp_path / "empty").mkdir()
    start = in_turn([mine(env, tmp_path / "nothing", tmp_path / "empty")], 3)[0]
    for turn in range(rounds):
        small.append(mined(env, tmp_path / f"half-{turn}", *some))
        whole.append(mined(env, tmp_path / f"whole-{turn}", *paths))
    size, part = (sum(path.stat().st_size for path in group) / MB for group in (paths, some))
    assert whole[0].report["bytes"] <= size * MB
    wall, cpu = (_median(getattr(one.run, kind) for one in whole) for kind in ("wall", "cpu"))
    name = f"mine, {size:.0f} MB in {len(paths)} files"
    note(Row(name, wall, "s"))
    note(Row("  end to end", size / wall, "MB/s", SPEED * goals, least=True))
    note(Row("  per second of CPU", size / cpu, "MB/s", SPEED * goals, least=True))
    note(Row("  drawers filed", whole[0].report["drawers"], ""))
    note(Row("  peak memory", max(one.run.peak for one in whole) / MB, "MB", MEMORY))
    costs = ((_median(one.run.cpu for one in runs) - start.cpu) for runs in (whole, small))
    per_byte = [cost / bytes for cost, bytes in zip(costs, (size, part), strict=True)]
    note(Row("  cost of a byte, all files over half of them", per_byte[0] / per_byte[1], "x", LINEAR * goals))


def _median(values: Any) -> float:
    ordered = sorted(values)
    return float(ordered[len(ordered) // 2])


def test_mining_generated_transcripts(env: dict[str, str], tmp_path: Path, note: Any) -> None:
    transcripts(tmp_path / "made", files=12, turns=4, result=20_000)
    compare(env, tmp_path / "made", tmp_path, note, 1, goals=False)


@pytest.mark.sweep
@pytest.mark.skipif(not GIVEN, reason="MEMPALACE_BENCH_TRANSCRIPTS names no folder of transcripts")
def test_mining_real_transcripts(env: dict[str, str], tmp_path: Path, note: Any) -> None:
    compare(env, Path(GIVEN).expanduser(), tmp_path, note, 3, goals=True)


@pytest.mark.parametrize("files", [60, pytest.param(1300, marks=pytest.mark.sweep)])
def test_a_rerun_finds_nothing_new(files: int, env: dict[str, str], tmp_path: Path, note: Any) -> None:
    folder, palace = tmp_path / "made", tmp_path / "palace"
    transcripts(folder, files=files, turns=1, result=300)
    first = mined(env, palace, folder)
    one = largest(folder)[0]
    again, single = in_turn([mine(env, palace, folder), mine(env, palace, one)], 5 if files < 1000 else 11)
    report = json.loads(again.out)
    assert (report["unchanged"], report["read"], report["drawers"]) == (files, 0, 0)
    note(Row(f"mine, {files:,} small files, the first time", first.run.wall, "s"))
    note(Row(f"  again, nothing changed in {files:,} files", again.wall, "s", RERUN))
    note(Row("  its CPU", again.cpu * 1000, "ms", NOTHING_NEW))
    note(Row("  again, one file that did not change: CPU", single.cpu * 1000, "ms", NOTHING_NEW))


def test_file_away_returns_at_once(env: dict[str, str], tmp_path: Path, note: Any) -> None:
    transcripts(tmp_path / "made", files=1, turns=2, result=500)
    palace = Path(env["MEMPALACE_HOME"])
    palace.mkdir()
    event = json.dumps({
        "hook_event_name": "SessionEnd", "session_id": "bench", "cwd": str(tmp_path),
        "transcript_path": str(largest(tmp_path / "made")[0]),
    })  # fmt: skip
    hook = Program([BASE, "-I", "-S", str(HOOK)], env, event)
    # Timed with a miner that ends at once, so that none competes with the next run ...
    runtime.remember(str(palace), "/bin/true")
    runs, bare = in_turn([hook, Program([BASE, "-I", "-S", "-c", "import json"], env)], 15, warm=2)
    note(Row("file-away hook", runs.wall * 1000, "ms", FILE_AWAY))
    note(Row("  over `import json`", runs.over(bare), "x"))
    # ... and once with the real one, which must have mined the session soon after.
    runtime.remember(str(palace), sys.executable)
    assert once(hook).wall < 30
    until = time.monotonic() + 60
    while not _filed(palace):
        assert time.monotonic() < until, "the miner left behind has filed nothing"
        time.sleep(0.05)


def _filed(palace: Path) -> bool:
    """Tell whether the miner left behind has filed something and gone."""
    if not (palace / "palace.db").exists() or not (palace / "index" / "state.json").exists():
        return False
    return not list((palace / "requests").glob("*.json"))
