"""Every transcript format there is, in the order in which they are tried."""

from __future__ import annotations

from mempalace.errors import PalaceError
from mempalace.mine import (
    aider,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    copilot_cli,
    cursor_cli,
    gemini_cli,
    opencode,
    plain,
    specstory,
)
from mempalace.mine.harness import Harness

FORMATS: tuple[Harness, ...] = (
    claude_code.HARNESS,
    codex.HARNESS,
    copilot_cli.HARNESS,
    gemini_cli.HARNESS,
    cursor_cli.HARNESS,
    opencode.HARNESS,
    chatgpt.HARNESS,
    claude_ai.HARNESS,
    specstory.HARNESS,
    aider.HARNESS,
    plain.HARNESS,
)
HEAD = 65536  # bytes of a file by which its format is recognised


def named(name: str) -> Harness:
    """Return the format of that name; raises PalaceError with the names there are."""
    for harness in FORMATS:
        if harness.name == name:
            return harness
    raise PalaceError(f"no harness called {name!r}: they are {', '.join(h.name for h in FORMATS)}")


def of_file(path: str, head: bytes) -> Harness | None:
    """Return the format of a file by its content, None where none knows it."""
    return next((harness for harness in FORMATS if harness.recognises(path, head)), None)
