"""Two hundred sessions at once on one palace: every hook, eight processes at a time, for minutes.

MEMPALACE_SOAK_SECONDS: how long the long one runs.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from processes import BASE
from table import Row
from transcripts import Session, line

from mempalace import runtime
from mempalace.store.connection import open_reader

ROOT = Path(__file__).parents[2]
GUARD = (ROOT / "hooks" / "guard.py").exists()
WORKERS, SESSIONS, LONG = 8, 200, float(os.environ.get("MEMPALACE_SOAK_SECONDS") or 180)
PATIENCE = 600  # seconds until the last miner must be done
THINGS = "harbour lantern quarry meadow ferry anchor beacon cistern dovecote engine furnace granary".split()


class Ran(NamedTuple):
    """One run of a hook. seconds: from exec to exit."""

    hook: str
    seconds: float
    status: int
    out: str
    err: str


class Worker:
    """One of those that run hooks at the same time, each with sessions of its own."""

    def __init__(self, n: int, folder: Path, env: dict[str, str], sessions: int) -> None:
        self.chance = random.Random(n)
        self.folder, self.env = folder, env
        self.sessions = [Session(f"w{n}s{k}", cwd=str(folder / f"project-{k % 3}")) for k in range(sessions)]
        self.said: list[str] = []
        self.ran: list[Ran] = []

    def work(self, until: float) -> None:
        """Run whatever a client would, until then; at the end let every session end."""
        doings = [self.wake_up, self.prompt, self.search, self.turn, self.turn, *([self.guard] if GUARD else [])]
        while time.monotonic() < until:
            self.chance.choice(doings)(self.chance.choice(self.sessions))
        for session in self.sessions:
            self.turn(session, "SessionEnd")

    def wake_up(self, session: Session) -> None:
        self.run("wake_up.py", session, "SessionStart", source="startup")

    def prompt(self, session: Session) -> None:
        one, other = self.chance.sample(THINGS, 2)
        self.run("recall.py", session, "UserPromptSubmit", prompt=f"Why did we change the {one} near the {other}?")

    def search(self, session: Session) -> None:
        words = " ".join(self.chance.sample(THINGS, 2))
        how = {"command_name": "mempalace:search", "command_args": words}
        self.run("command.py", session, "UserPromptExpansion", **how)

    def guard(self, session: Session) -> None:
        tool = {"tool_name": "Bash", "tool_input": {"command": f"make {self.chance.choice(THINGS)}"}}
        self.run("guard.py", session, "PreToolUse", **tool)

    def turn(self, session: Session, name: str = "") -> None:
        """Let a session say more, then have the client tell of it."""
        n = len(self.said)
        one, other = self.chance.sample(THINGS, 2)
        asked = f"Please have a look at the {one} beside the {other}, number {session.name}n{n}."
        told = f"We fixed the {one} of {session.name}n{n}: the {other} stood too close to it."
        records = [session.user(asked), session.agent(told, id=f"m-{session.name}-{n}")]
        with open(self.path(session), "ab") as file:
            file.write(b"".join(map(line, records)))
        self.said += [asked, told]
        self.run("file_away.py", session, name or self.chance.choice(["Stop", "Stop", "PreCompact", "SessionEnd"]))

    def path(self, session: Session) -> Path:
        """Return the session's transcript."""
        return self.folder / "log" / f"{session.name}.jsonl"

    def run(self, hook: str, session: Session, name: str, **more: Any) -> None:
        """Run a hook from exec to exit and keep what became of it."""
        event = {
            "hook_event_name": name, "session_id": session.name, "cwd": session.cwd,
            "transcript_path": str(self.path(session)), **more,
        }  # fmt: skip
        began = time.perf_counter()
        done = subprocess.run(
            [BASE, "-I", "-S", str(ROOT / "hooks" / hook)], input=json.dumps(event), env=self.env,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        self.ran.append(Ran(hook, time.perf_counter() - began, done.returncode, done.stdout, done.stderr))


def soaked(env: dict[str, str], folder: Path, seconds: float, sessions: int) -> list[Worker]:
    """Let all workers work, wait for the last miner, and return the workers."""
    palace = Path(env["MEMPALACE_HOME"])
    palace.mkdir(mode=0o700)
    runtime.remember(str(palace), sys.executable)
    for name in ("log", *(f"project-{n}" for n in range(3))):
        (folder / name).mkdir()
    workers = [Worker(n, folder, env, sessions // WORKERS) for n in range(WORKERS)]
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(WORKERS) as pool:
        for future in [pool.submit(worker.work, until) for worker in workers]:
            future.result()
    until = time.monotonic() + PATIENCE
    while alive(palace) or list(palace.glob("requests/*.json")):
        assert time.monotonic() < until, f"still at work: {alive(palace)}"
        time.sleep(0.2)
    return workers


def alive(palace: Path) -> list[str]:
    """Return the command lines of the processes that work for the palace."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(palace) in words:
            found.append(b" ".join(words).decode("utf-8", "replace"))
    return found


def filed(palace: Path) -> list[str]:
    """Return the text of every drawer."""
    with open_reader(str(palace)) as store:
        return [text for (text,) in store.db.execute("SELECT text FROM drawers")]


def recorded(palace: Path) -> list[dict[str, Any]]:
    """Return every line of the trajectory; each of them must be whole."""
    lines: list[dict[str, Any]] = []
    for path in (palace / "trajectory.jsonl.1", palace / "trajectory.jsonl"):
        if path.exists():
            lines += [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return lines


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("seconds", "sessions"), [(3.0, 16), pytest.param(LONG, SESSIONS, marks=pytest.mark.sweep)], ids=["brief", "long"]
)
def test_many_sessions_at_once_lose_nothing(
    seconds: float, sessions: int, env: dict[str, str], tmp_path: Path, note: Any
) -> None:
    workers = soaked(env, tmp_path, seconds, sessions)
    palace = Path(env["MEMPALACE_HOME"])
    ran = [one for worker in workers for one in worker.ran]
    assert [one for one in ran if one.status or one.err] == []
    assert [one for one in ran if "locked" in one.out] == []
    lines = recorded(palace)
    failed = Counter((one["hook"], one["failed"].partition(":")[0]) for one in lines if one.get("failed"))
    late = failed.pop(("recall", "TooSlow"), 0)  # so many at once are too much for its deadline, as is to be
    assert failed == {}
    assert sorted(filed(palace)) == sorted(text for worker in workers for text in worker.said)
    assert alive(palace) == []
    told(note, f"{sessions} sessions, {WORKERS} processes, {seconds:.0f} s", ran, workers)
    note(Row("  recall gave up at its deadline", late, "times"))


def told(note: Any, what: str, ran: list[Ran], workers: list[Worker]) -> None:
    """Note how much was run and how long it took."""
    note(Row(f"soak: {what}: hooks run", len(ran), ""))
    note(Row("  messages filed, each once", sum(len(worker.said) for worker in workers), ""))
    for hook in sorted({one.hook for one in ran}):
        times = sorted(one.seconds * 1000 for one in ran if one.hook == hook)
        middle, late = statistics.median(times), times[min(len(times) - 1, len(times) * 99 // 100)]
        note(Row(f"  {hook}, {len(times)} runs, p50 under that load", middle, "ms"))
        note(Row(f"  {hook}, p99", late, "ms"))
