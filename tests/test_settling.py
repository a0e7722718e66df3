"""The plugin's own environment: made once, made complete after a kill, renewed, and its failures told.

The plugin here is a small one of its own, which needs one small wheel: pip and venv are the real ones.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from mempalace import environment, settling, trajectory

NOW = 1_767_323_045
PACKAGE = """
import os, sys, lamp
with open(os.environ["MARK"], "a") as file:
    print(lamp.LIGHT, *sys.argv[1:], file=file)
"""


def wheel(folder, light):
    """Put a wheel of one module into a folder and return its hash."""
    folder.mkdir(exist_ok=True)
    path = folder / "lamp-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("lamp.py", f"LIGHT = {light!r}\n")
        file.writestr("lamp-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n")
        file.writestr("lamp-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("lamp-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Plugin:
    """A plugin's folder and its data folder."""

    def __init__(self, folder):
        self.root, self.data, self.wheels = folder / "the plugin", folder / "its data", folder / "wheels"
        (self.root / "requirements").mkdir(parents=True)
        (self.root / "mempalace").mkdir()
        (self.root / "mempalace" / "__init__.py").touch()
        (self.root / "mempalace" / "__main__.py").write_text(PACKAGE)
        self.palace, self.mark = folder / "palace", folder / "mark"
        path = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not os.path.exists(f"{p}/uv"))
        self.env = {
            "PATH": path, "CLAUDE_PLUGIN_DATA": str(self.data), "MEMPALACE_WHEELS": str(self.wheels),
            "MARK": str(self.mark), "HOME": str(folder),
        }  # fmt: skip
        self.needs("green")

    def needs(self, light, wrong=""):
        digest = wrong or wheel(self.wheels, light)
        (self.root / "requirements" / "plugin.txt").write_text(f"lamp==1.0 --hash=sha256:{digest}\n# {light}\n")

    def settle(self):
        return settling.settle(str(self.root), str(self.palace), ["/first"], self.env, now=NOW)

    def ran(self):
        return self.mark.read_text().splitlines() if self.mark.exists() else []

    def environments(self):
        return sorted(name for name in os.listdir(self.data) if name.startswith("environment-"))


@pytest.fixture
def plugin(tmp_path):
    return Plugin(tmp_path)


def test_it_is_made_without_a_network_and_the_machine_is_mined(plugin):
    assert environment.own(plugin.env) is None
    assert plugin.settle() == 0
    mine = f"green mine --quiet --nice --palace {plugin.palace}"
    assert plugin.ran() == ["green --version", mine + " /first", mine]
    assert environment.current(plugin.env, str(plugin.root))


def test_one_that_is_there_is_used_as_it_is_and_an_update_renews_it(plugin):
    plugin.settle()
    first = plugin.environments()
    plugin.mark.unlink()
    assert plugin.settle() == 0
    assert [line.split()[1] for line in plugin.ran()] == ["mine", "mine"]
    assert plugin.environments() == first
    plugin.needs("blue")
    assert not environment.current(plugin.env, str(plugin.root))
    assert environment.own(plugin.env), "until it is renewed the old one serves"
    assert plugin.settle() == 0
    assert plugin.ran()[-1].startswith("blue mine")
    assert len(plugin.environments()) == 1
    assert plugin.environments() != first, "what the old version needed is gone"


def test_what_fails_is_recorded_and_kept_for_the_next_session(plugin):
    plugin.needs("green", wrong="0" * 64)
    assert plugin.settle() == 1
    assert environment.own(plugin.env) is None
    assert "hash" in environment.failure(plugin.env).lower()
    assert [event["failed"] for event in trajectory.events(str(plugin.palace))] == [environment.failure(plugin.env)]
    plugin.needs("green")
    assert plugin.settle() == 0
    assert environment.failure(plugin.env) == ""


def test_a_second_one_leaves_at_once(plugin):
    plugin.data.mkdir()
    with settling._alone(str(plugin.data / environment.LOCK)) as alone:
        assert alone
        assert plugin.settle() == 0
    assert plugin.ran() == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_one_that_was_killed_is_completed_by_the_next(plugin):
    script = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); from mempalace.settling import settle; "
        "settle(*sys.argv[2:4], [], os.environ, now=0)"
    )
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    words = [sys.executable, "-c", script, here, str(plugin.root), str(plugin.palace)]
    child = subprocess.Popen(words, env=plugin.env, start_new_session=True)
    until = time.monotonic() + 60
    while not plugin.data.exists() or not plugin.environments():
        assert time.monotonic() < until
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert environment.own(plugin.env) is None
    assert plugin.settle() == 0
    assert environment.current(plugin.env, str(plugin.root))


@pytest.mark.parametrize("said", ["", "{", "[]", '{"python": 3}', '{"python": "/gone", "needs": "", "root": ""}'])
def test_a_pointer_that_cannot_be_used_points_to_nothing(tmp_path, said):
    (tmp_path / "environment.json").write_text(said)
    env = {"CLAUDE_PLUGIN_DATA": str(tmp_path)}
    assert environment.own(env) is None
    assert not environment.current(env, "/")


def test_outside_of_a_plugin_there_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "environment.json").write_text(json.dumps({"python": sys.executable, "needs": "", "root": ""}))
    assert environment.own({}) is None
    assert environment.failure({}) == ""
