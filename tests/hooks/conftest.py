"""Hooks run as the client runs them: a bare interpreter, an event on stdin, a given environment."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Ran(NamedTuple):
    """What a hook's run left: its exit status, its two outputs, its lines in the trajectory."""

    status: int
    out: str
    err: str
    lines: list

    @property
    def context(self):
        """The text that was handed to the model."""
        return json.loads(self.out)["hookSpecificOutput"]["additionalContext"]


class Client:
    """Runs hooks against one palace."""

    def __init__(self, palace, tmp):
        self.palace = palace
        self.tmp = tmp
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "TMPDIR": str(tmp),
            "MEMPALACE_HOME": str(palace),
        }

    def run(self, hook, event, *, python=sys.executable, env=None, **how):
        """Run a hook with an event (bytes as they are, anything else as JSON) and say what it did."""
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        before = len(self.trajectory())
        done = subprocess.run(
            [python, "-I", "-S", str(ROOT / "hooks" / hook)], input=raw, env={**self.env, **(env or {})},
            capture_output=True, timeout=60, **how,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), self.trajectory()[before:])

    def trajectory(self):
        """Return the recorded lines, wherever they were left."""
        found = [*sorted(self.tmp.glob("mempalace-*/trajectory.jsonl")), self.palace / "trajectory.jsonl"]
        return [json.loads(line) for path in found if path.exists() for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def client(tmp_path, palace):
    tmp = tmp_path / "tmp"
    tmp.mkdir()
    return Client(palace, tmp)
