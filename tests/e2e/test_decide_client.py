"""The real client behind `decide`, through the program that the documentation gives to copy."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from model_api import ModelApi
from offered import KIND, NPM, PNPM, answer, hold
from test_client import CLAUDE, ROOT, Machine

from mempalace.cli.deciding import decide, replay, turn
from mempalace.errors import PalaceError

pytestmark = [pytest.mark.client, pytest.mark.skipif(not CLAUDE, reason="set CLAUDE_BIN to the client")]

TASK = "How are the buoys' packages installed at the 港?"


@pytest.fixture
def words(tmp_path, monkeypatch):
    """Return the words of a choice that the client makes, its palace with one pinned belief."""
    machine = Machine(tmp_path)
    (machine.bin / "claude").symlink_to(Path(CLAUDE).resolve())
    page = (ROOT / "website" / "docs" / "decisions.md").read_text("utf-8")
    (machine.home / "ask_claude.py").write_text(re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1], "utf-8")
    for name, value in machine.env.items():
        monkeypatch.setenv(name, value)
    for name in "DISABLE_TELEMETRY CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER".split():
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    monkeypatch.chdir(machine.project)
    hold(tmp_path / "palace", now=1_767_600_000, pinned=0.9)
    model = f"command:python3 {machine.home / 'ask_claude.py'}"
    offered = [f"--option={one.id}={one.display}" for one in (NPM, PNPM)]
    return [TASK, *offered, "--kind", KIND, "--model", model]


def run(api, monkeypatch, command, *words):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    result = CliRunner().invoke(command, [*map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```"], ids=["bare", "fenced"])
def test_the_client_is_sent_the_very_bytes_and_its_pick_is_kept(words, monkeypatch, fence):
    with ModelApi(fence.replace("{}", answer(PNPM).decode())) as api:
        made = run(api, monkeypatch, decide, *words)
        sent = run(api, monkeypatch, turn, made["id"])["sent"]
        assert [text for text in api.texts() if sent in text]
        again = run(api, monkeypatch, replay, made["id"])
    assert (made["decision"]["option_id"], made["fit"], made["flagged"]) == ("pnpm", "followed", False)
    assert "港" in sent
    assert again["same"]
    assert again["sent"] == sent


def test_a_client_that_goes_against_memory_is_flagged(words, monkeypatch):
    with ModelApi(answer(NPM).decode()) as api:
        made = run(api, monkeypatch, decide, *words)
    assert (made["decision"]["option_id"], made["fit"], made["flagged"]) == ("npm", "ignored", True)


def test_a_client_that_chats_is_an_error_with_its_words_kept(words, monkeypatch):
    with ModelApi("I would take pnpm.") as api, pytest.raises(PalaceError, match="not JSON") as caught:
        run(api, monkeypatch, decide, *words)
    assert caught.value.raw.strip() == b"I would take pnpm."
