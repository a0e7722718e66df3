"""What the client reads of the plugin before it runs anything."""

import ast
import json
import re
from pathlib import Path

import pytest

from mempalace import __version__

ROOT = Path(__file__).parents[2]
HOOKS = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
MANIFEST = json.loads((ROOT / "plugin.json").read_text())
# Those that 2.1.332 was seen to fire. A name that an older client does not know drops all hooks there.
EVENTS = {
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "Stop", "PreCompact", "SessionEnd",
}  # fmt: skip
HANDLERS = [
    pytest.param(event, handler, id=f"{event}-{n}")
    for event, groups in HOOKS.items()
    for n, handler in enumerate(handler for group in groups for handler in group["hooks"])
]


def test_both_manifests_are_the_same_bytes():
    assert (ROOT / "plugin.json").read_bytes() == (ROOT / ".claude-plugin" / "plugin.json").read_bytes()
    assert not (ROOT / "plugin.json").is_symlink()
    assert not (ROOT / ".claude-plugin" / "plugin.json").is_symlink()


def test_the_manifest_says_what_this_is():
    assert MANIFEST["name"] == "mempalace"
    assert MANIFEST["version"] == __version__
    assert isinstance(MANIFEST["author"], dict)
    assert "hooks" not in MANIFEST  # they load by themselves; older clients refuse them twice


def test_the_marketplace_offers_this_plugin_from_its_own_root():
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    assert [(plugin["name"], plugin["source"]) for plugin in market["plugins"]] == [(MANIFEST["name"], "./")]


def test_every_event_exists():
    assert set(HOOKS) <= EVENTS


def test_the_session_hears_its_story_and_is_filed():
    assert {"SessionStart", "Stop", "PreCompact", "SessionEnd"} <= set(HOOKS)


@pytest.mark.parametrize(("event", "handler"), HANDLERS)
def test_a_handler_starts_a_file_of_ours_and_no_shell(event, handler):
    assert handler["type"] == "command"
    assert handler["command"] == "python3"
    *flags, script = handler["args"]
    assert flags == ["-I", "-S"]
    name = script.removeprefix("${CLAUDE_PLUGIN_ROOT}/")
    assert name != script
    assert (ROOT / name).is_file()
    assert not re.search(r"[;&|<>`]|\$\(", " ".join(handler["args"]))
    assert 0 < handler["timeout"] <= 30


@pytest.mark.parametrize("path", sorted((ROOT / "hooks").glob("*.py")), ids=lambda path: path.name)
def test_no_hook_goes_through_a_shell(path):
    tree = ast.parse(path.read_text())
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not names & {"system", "popen"}
    assert not any(
        keyword.arg == "shell" for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords
    )


def test_every_command_of_the_plugin_is_free_of_shell_substitution():
    for path in (ROOT / "commands").glob("*.md"):
        assert "$ARGUMENTS" not in re.findall(r"!`[^`]*`", path.read_text())
