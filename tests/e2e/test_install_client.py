"""The plugin alone, installed by the client: the first session sets it up, the second wakes up with its memory."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from model_api import ModelApi, strings
from test_client import CLAUDE, PATIENCE, ROOT, Machine, outcomes
from transcripts import Session

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

SHIPPED = ".claude-plugin bin commands hooks layers mempalace plugin.json requirements pyproject.toml".split()
LONG = 300  # seconds for an installation over the network


class Stranger(Machine):
    """A machine with nothing of mempalace: no palace, no environment; and a clone to install the plugin from."""

    def __init__(self, folder):
        super().__init__(folder)
        shutil.rmtree(self.palace)
        self.clone = folder / "the clone"
        self.clone.mkdir()
        for name in SHIPPED:
            where = ROOT / name
            copy = shutil.copytree if where.is_dir() else shutil.copy
            copy(where, self.clone / name, **({"ignore": no_caches} if where.is_dir() else {}))
        session = Session("earlier", cwd=str(self.project))
        session.user("Where does the blue key of the attic hang?")
        session.agent("Decided: the blue key of the attic hangs behind the second lantern.")
        session.write(self.home / ".claude" / "projects" / "-attic" / "earlier.jsonl")

    def plugin(self, *words):
        """Run `claude plugin ...`."""
        done = subprocess.run(
            [CLAUDE, "plugin", *words], env=self.env, cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    def data(self):
        """Return the plugin's data folder."""
        (found,) = (self.home / ".claude" / "plugins" / "data").glob("mempalace*")
        return Path(found)

    def settled(self):
        """Wait until the environment is made and the machine is mined; return the environment's Python."""
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            pointer = self.data() / "environment.json"
            if pointer.exists():
                self.python = json.loads(pointer.read_text())["python"]
                told = json.loads(self.mempalace("status", "--json") or "{}")
                if told.get("drawers") and told["index"] == "current" and not told["waiting"]:
                    return self.python
            failed = self.data() / "environment.failed"
            assert not failed.exists(), failed.read_text()
            time.sleep(0.2)
        pytest.fail("never set up")

    def mempalace(self, *words):
        """Run a command in the plugin's own environment."""
        done = subprocess.run(
            [self.python, "-m", "mempalace", *words], cwd=self.project, env=self.env, capture_output=True, text=True
        )
        return done.stdout if done.returncode == 0 else ""


def no_caches(folder, names):
    return [name for name in names if name == "__pycache__"]


def test_a_stranger_installs_the_plugin_and_nothing_else(tmp_path):
    machine = Stranger(tmp_path)
    machine.plugin("marketplace", "add", str(machine.clone))
    machine.plugin("install", "mempalace@mempalace")
    with ModelApi("The lantern was cleaned, and it shines again.") as api:
        events = machine.claude(api, "Please clean the lantern of the attic.", plugin=())
        assert outcomes(events) <= {("success", 0)}
        said = [text for event in events for text in strings(event) if "setting itself up in the background" in text]
        assert said
        assert not any("setting itself up" in text for text in api.texts())
        python = machine.settled()
        assert python.startswith(str(machine.data()))
        machine.claude(api, "Where does the key hang?", plugin=())
        told = [text for text in api.texts() if "[mempalace] Notes recalled from earlier sessions in attic" in text]
    assert "hangs behind the second lantern" in told[0]
    assert "Please clean the lantern" in told[0]
    assert not [line for line in machine.trajectory() if line.get("failed")]
    before = machine.mempalace("uninstall", "--dry-run")
    assert f"would have removed ~{python.partition(str(machine.home))[2].partition('/bin/')[0]}" in before
    machine.mempalace("uninstall", "--delete-palace", "--yes")
    assert not machine.palace.exists()
    assert not os.path.exists(python)
    machine.plugin("uninstall", "mempalace@mempalace")
