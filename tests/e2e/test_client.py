"""The real client, headless and offline: what one session was about reaches the model in the next."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from model_api import ModelApi
from transcripts import Session

from mempalace.cli import main
from mempalace.layers.wake_up import wake_up

ROOT = Path(__file__).parents[2]
CLAUDE = os.environ.get("CLAUDE_BIN", "")
PATIENCE = 120  # seconds for one session, and for the miner that it leaves behind
STORY = json.loads((ROOT / "tests" / "corpora" / "story.json").read_text("utf-8"))

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]


class Machine:
    """A home of its own, with the palace in its usual place and nothing of the real one."""

    def __init__(self, folder):
        self.home = folder / "somebody"
        self.project = folder / "attic"
        self.palace = self.home / ".local" / "share" / "mempalace"
        self.bin = folder / "bin"
        for place in (self.home, self.project, self.palace, self.bin):
            place.mkdir(parents=True)
        (self.palace / "runtime.json").write_text(json.dumps({"python": sys.executable}))
        (self.bin / "python3").symlink_to(Path(sys.executable).resolve())
        self.env = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}

    def started(self, api, *words, plugin=("--plugin-dir", str(ROOT))):
        """Start the client with the plugin and return its process."""
        env = {
            **self.env, "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "dummy", "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
        }  # fmt: skip
        words = [
            CLAUDE, *plugin, "-p", *words, "--output-format", "stream-json", "--verbose", "--include-hook-events",
        ]  # fmt: skip
        return subprocess.Popen(
            words, cwd=self.project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def claude(self, api, *words, **how):
        """Run the client with the plugin and return its events."""
        with self.started(api, *words, **how) as client:
            out, err = client.communicate(timeout=PATIENCE)
        assert client.returncode == 0, err.decode() + out.decode()[-2000:]
        return [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]

    def mempalace(self, *words):
        """Run a command and return what it printed, "" where it failed."""
        words = [sys.executable, "-m", "mempalace", *words]
        done = subprocess.run(words, cwd=self.project, env=self.env, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    def filed(self, drawers):
        """Wait until the detached miner has filed so many drawers, and return the status."""
        until = time.monotonic() + PATIENCE
        told = {}
        while time.monotonic() < until:
            told = json.loads(self.mempalace("status", "--json") or "{}")
            if told.get("drawers", 0) >= drawers and not told["waiting"] and told["index"] == "current":
                return told
        pytest.fail(f"the miner never filed {drawers} drawers: {told}")

    def trajectory(self):
        """Return what the hooks recorded."""
        return [json.loads(line) for line in (self.palace / "trajectory.jsonl").read_text("utf-8").splitlines()]


def mine(palace, path):
    """Mine a path into a palace, as a user does."""
    result = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(path)])
    assert result.exit_code == 0, result.output


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def outcomes(events):
    """Return how the hooks of a run ended."""
    return {
        (event.get("outcome"), event.get("exit_code")) for event in events if event.get("subtype") == "hook_response"
    }


def test_the_client_finds_the_plugin_valid(machine):
    done = subprocess.run(
        [CLAUDE, "plugin", "validate", "--strict", str(ROOT)], env=machine.env, cwd=machine.project,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_second_session_hears_of_the_first(machine):
    said = "The attic door is fixed: the hinge was replaced and the blue key turns again."
    with ModelApi(said) as api:
        events = machine.claude(api, "Please repair the door of the attic, its key got stuck.")
        assert outcomes(events) == {("success", 0)}
        assert not any("mempalace: " in text for text in api.texts() if "hinge" in text)
    machine.filed(2)
    with ModelApi("It is in the drawer.") as api:
        events = machine.claude(api, "Where did we leave the key?")
        assert outcomes(events) == {("success", 0)}
        heard = [text for text in api.texts() if "[mempalace] Notes recalled from earlier sessions in attic" in text]
    assert heard
    assert said in heard[0]
    assert "Please repair the door of the attic, its key got stuck." in heard[0]
    assert machine.mempalace("wake-up").strip()
    told = [line for line in machine.trajectory() if line["hook"] == "wake-up"]
    assert [line.get("how") for line in told] == ["no palace", "stored"]
    assert not [line for line in machine.trajectory() if line.get("failed")]


def test_a_large_wake_up_in_other_scripts_reaches_the_model_whole(machine):
    """As JSON it is six times as long, and longer than the client hands on: it must count characters."""
    told = [text for code in ("ja", "zh", "ko", "ru", "th", "hi", "ar") for text in STORY[code]]
    for n, text in enumerate(told):
        session = Session(f"s{n:02}", cwd=str(machine.project))
        session.user(text)
        session.agent(told[(n + 40) % len(told)])
        session.write(machine.home / "log" / f"s{n:02}.jsonl")
    mine(machine.palace, machine.home / "log")
    (machine.palace / "config.toml").write_text("budget = 9500")
    text = wake_up(str(machine.palace), cwd=str(machine.project), env=machine.env).text
    assert len(text) < 9500
    assert len(json.dumps(text)) > 15_000
    with ModelApi("はい。") as api:
        machine.claude(api, "続けてください。")
        assert any(text in heard for heard in api.texts())
