"""How the server starts: from the plugin, and where the extra is missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GREETING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def declared():
    """Return the words by which the plugin starts its server."""
    (server,) = json.loads((ROOT / "plugin.json").read_text())["mcpServers"].values()
    return [server["command"], *(word.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)) for word in server["args"])]


@pytest.fixture
def env(palace, tmp_path):
    return {
        "HOME": os.environ["HOME"], "PATH": str(tmp_path), "TMPDIR": os.environ["TMPDIR"],
        "MEMPALACE_HOME": str(palace),
    }  # fmt: skip


def trajectory(palace):
    path = palace / "trajectory.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def greeted(env, cwd):
    """Start what the plugin declares, say hello, and return the run."""
    _, *words = declared()
    return subprocess.run(
        [sys.executable, *words], input=json.dumps(GREETING) + "\n", env=env, cwd=cwd, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip


def test_the_plugin_declares_a_doorway_and_no_shell():
    command, *flags, script = declared()
    assert (command, flags) == ("python3", ["-I", "-S"])
    assert Path(script).is_file()


def test_the_plugin_serves_where_mempalace_is_installed(env, palace, tmp_path):
    pytest.importorskip("mcp.client.stdio")
    palace.mkdir()
    (palace / "runtime.json").write_text(json.dumps({"python": sys.executable}))
    (tmp_path / "json.py").write_text("raise SystemExit('a project is no library')")
    done = greeted(env, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "mempalace"


def test_where_mempalace_is_not_installed_the_plugin_goes_quietly(env, palace, tmp_path):
    palace.mkdir()
    done = greeted(env, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (line,) = trajectory(palace)
    assert (line["hook"], line["did"]) == ("serve", "nothing: mempalace is not installed yet")
    assert "failed" not in line


def test_an_interpreter_that_cannot_be_started_is_recorded(env, palace, tmp_path):
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    palace.mkdir()
    (palace / "runtime.json").write_text(json.dumps({"python": str(broken)}))
    done = greeted(env, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (line,) = trajectory(palace)
    assert line["failed"].startswith("OSError")


def test_without_the_extra_one_line_says_what_to_install(env):
    blocked = "import sys; sys.modules['mcp'] = None; from mempalace.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", blocked], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("mempalace: ")
    assert "install mempalace[mcp]" in done.stderr
    assert len(done.stderr.splitlines()) == 1
