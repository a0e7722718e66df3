"""The real client: what it passed on of each hook's words, and what it did not, is told by `mempalace log`."""

import json
import re
import shutil
import time

import pytest
from click.testing import CliRunner
from model_api import ModelApi
from test_client import CLAUDE, PATIENCE, ROOT, Machine, mine
from transcripts import Session

from mempalace.cli import recounting

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

QUESTION = "I cannot find the blue key of the lighthouse, is it behind a lantern?"


@pytest.fixture
def machine(tmp_path):
    """Return a machine on which something was settled."""
    made = Machine(tmp_path)
    session = Session("earlier", cwd=str(made.project))
    session.user("Where does the blue key hang?")
    session.agent("Decided: the blue key hangs in the lighthouse, behind the second lantern.")
    mine(made.palace, session.write(made.home / "log" / "earlier.jsonl"))
    return made


def receipts(machine, count):
    """Wait until the miner has noted so many receipts, and return them."""
    until = time.monotonic() + PATIENCE
    found = []
    while time.monotonic() < until:
        found = [line for line in machine.trajectory() if line["hook"] == "delivery"]
        if len(found) >= count:
            return found
        time.sleep(0.2)
    pytest.fail(f"the miner never noted {count} receipts: {found}")


def test_every_character_of_the_wake_up_is_receipted(machine):
    with ModelApi("It is as you say.") as api:
        machine.claude(api, QUESTION)
    found = receipts(machine, 1)
    handed = {
        (line["hook"], line["characters"])
        for line in machine.trajectory() if line["hook"] in ("wake-up", "recall") and line.get("characters")
    }  # fmt: skip
    assert {(line["of"], line["delivered"]) for line in found} == handed
    assert all(line["delivered"] == line["characters"] and not line.get("failed") for line in found)
    assert re.search(r"wake-up: ([\d,]+) of \1 characters delivered", log(machine, "--hook", "delivery"))


def log(machine, *words):
    """Return what `mempalace log` says."""
    return CliRunner().invoke(recounting.log, ["--palace", str(machine.palace), *words]).stdout


def altered(machine, tmp_path, change):
    """Run the client with a copy of the plugin whose wake-up was changed."""
    copy = tmp_path / "plugin"
    for name in ("hooks", "mempalace", "layers", "commands", ".claude-plugin"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("plugin.json", "pyproject.toml"):
        shutil.copy(ROOT / name, copy / name)
    hooks = json.loads((copy / "hooks" / "hooks.json").read_text())
    (handler,) = [
        one for group in hooks["hooks"]["SessionStart"] for one in group["hooks"] if "wake_up.py" in one["args"][-1]
    ]  # fmt: skip
    change(handler, copy / "hooks" / "wake_up.py")
    (copy / "hooks" / "hooks.json").write_text(json.dumps(hooks))
    with ModelApi("It is as you say.") as api:
        machine.claude(api, QUESTION, plugin=("--plugin-dir", str(copy)))


def late(handler, program):
    handler["timeout"] = 1
    program.write_text(program.read_text().replace("BEGAN =", "time.sleep(5)\nBEGAN ="))


def large(handler, program):
    code = program.read_text()
    program.write_text(
        code.replace("answer(visit).encode()", "visit.context('[mempalace] ' + 'word ' * 3000).encode()")
    )


@pytest.mark.parametrize(
    ("change", "said"), [(late, "timed out after 1 s"), (large, "only a preview was passed on")], ids=["late", "large"]
)
def test_what_the_client_did_not_pass_on_is_said_with_its_cause(machine, tmp_path, change, said):
    altered(machine, tmp_path, change)
    assert [line["of"] for line in receipts(machine, 1)][:1] == ["wake-up"]
    assert said in log(machine, "--failed", "--hook", "delivery")
