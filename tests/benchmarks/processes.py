"""Whole processes, from exec to exit, run in turn by a parent of its own that is small and idle.

A child's peak memory is never below its parent's at exec, and a large parent forks slowly: so
the runs are made by `python -I -S processes.py`, which reads them as JSON and prints what it saw.
Standard library only.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

BASE = getattr(sys, "_base_executable", sys.executable) or sys.executable  # no shim, no venv in between


class Program(NamedTuple):
    """What to run: words[0] is a path; env is the whole environment."""

    words: Sequence[str]
    env: dict[str, str]
    stdin: str = ""
    cwd: str = "/"


class Run(NamedTuple):
    """One run: seconds from exec to exit, seconds of CPU, bytes at its peak, exit status, output."""

    wall: float
    cpu: float
    peak: int
    status: int
    out: str
    err: str


class Runs(NamedTuple):
    """All runs of one program, in the order they were made."""

    runs: list[Run]

    @property
    def wall(self) -> float:
        """Median seconds from exec to exit."""
        return statistics.median(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        """Median seconds of CPU."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak(self) -> int:
        """The most bytes any of the runs held."""
        return max(run.peak for run in self.runs)

    @property
    def out(self) -> str:
        """What the last run printed."""
        return self.runs[-1].out

    def over(self, other: Runs) -> float:
        """Return the median of the ratios of the runs that were made side by side."""
        return statistics.median(ours.wall / theirs.wall for ours, theirs in zip(self.runs, other.runs, strict=True))


def in_turn(programs: Sequence[Program], rounds: int, *, warm: int = 1) -> list[Runs]:
    """Run the programs in turn, `rounds` times A B C A B C (every other round backwards).

    The first `warm` rounds are not counted. Raises where a program ends with another status than 0.
    """
    asked = json.dumps({"programs": [program._asdict() for program in programs], "rounds": rounds, "warm": warm})
    told = subprocess.run(
        [BASE, "-I", "-S", os.path.abspath(__file__)], input=asked, capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise RuntimeError(told.stderr)
    found = [Runs([Run(*run) for run in runs]) for runs in json.loads(told.stdout)]
    for program, runs in zip(programs, found, strict=True):
        for run in runs.runs:
            if run.status:
                raise RuntimeError(f"{list(program.words)[:6]} ended with {run.status}: {run.err[-2000:]}")
    return found


def once(program: Program) -> Run:
    """Run one program once, cold."""
    return in_turn([program], 1, warm=0)[0].runs[0]


def _spawned(program: Program, folder: str) -> Run:
    paths = [os.path.join(folder, name) for name in ("in", "out", "err")]
    with open(paths[0], "w", encoding="utf-8") as file:
        file.write(program.stdin)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, paths[0], os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, paths[1], flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, paths[2], flags, 0o600),
    ]
    os.chdir(program.cwd)
    words = list(program.words)
    began = time.perf_counter()
    pid = os.posix_spawn(words[0], words, program.env, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - began
    said = []
    for path in paths[1:]:
        with open(path, encoding="utf-8", errors="replace") as file:
            said.append(file.read())
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(wall, used.ru_utime + used.ru_stime, peak, os.waitstatus_to_exitcode(status), *said)


def _main() -> None:
    asked = json.load(sys.stdin)
    programs = [Program(**program) for program in asked["programs"]]
    runs: list[list[Run]] = [[] for _ in programs]
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(asked["warm"] + asked["rounds"]):
            order = range(len(programs)) if turn % 2 == 0 else range(len(programs) - 1, -1, -1)
            for n in order:
                run = _spawned(programs[n], folder)
                if turn >= asked["warm"]:
                    runs[n].append(run)
        os.chdir("/")
    json.dump(runs, sys.stdout)


if __name__ == "__main__":
    _main()
