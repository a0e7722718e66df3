"""What transcripts of every make have in common: JSON that may have any shape, tool calls, text in blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.transcript import Transcript, load

ERROR_CHARS = 4096  # of an error's text are handed on: secrets are sought before it is cut to size
TARGET_CHARS = 4096  # of a command are handed on, for the same reason
AIMS = (
    *("command", "cmd", "file_path", "filePath", "filepath", "pattern", "path", "target_file"),
    *("relative_workspace_path", "notebook_path", "dir_path", "target_directory", "absolute_path"),
    *("url", "uri", "query", "q", "search_term", "glob_pattern", "description", "prompt", "input"),
)
"""Names under which tools take what they act on, the most telling first."""
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
SHELLS = {"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "powershell.exe", "pwsh", "cmd.exe", "cmd"}


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Any]:
    """Return the value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def first(record: dict[str, Any], *names: str) -> str:
    """Return the first of the named fields that is a string with something in it, or ""."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def parsed(value: object) -> Any:
    """Return what a string of JSON holds, or the value itself."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return load(value.encode("utf-8", "replace"))
        except ValueError:
            return value
    return value


def blocks(content: object, *types: str) -> Iterator[str]:
    """Yield the texts of a message's content: a string, or blocks of the given types (any if none given)."""
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and types and block.get("type") not in types:
            continue
        text = block.get("text") if isinstance(block, dict) else block
        if isinstance(text, str) and text and not text.isspace():
            yield text


def target(arguments: object) -> str:
    """Return what a tool call acts on: its command, its files, its question.

    >>> target('{"command": ["bash", "-lc", "make test"], "timeout": 9}')
    'make test'
    >>> target({"file_path": "a.py", "content": "pass"}), target({"todos": []})
    ('a.py', '')
    """
    value = parsed(arguments)
    if isinstance(value, dict):
        value = next((value[name] for name in AIMS if value.get(name)), None) or next(
            (text for text in value.values() if isinstance(text, str) and text), ""
        )
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        value = words[-1] if words and words[0] in SHELLS else " ".join(words)
    if not isinstance(value, str):
        return ""
    files = PATCHED.findall(value)
    return (" ".join(files) if files else value)[:TARGET_CHARS].strip()


def opening(text: object) -> str:
    """Return the opening of an error's text, more than is kept of it."""
    return string(text).strip()[:ERROR_CHARS]


def objects(head: bytes, *, most: int = 20) -> list[dict[str, Any]]:
    """Return the JSON objects on a file's first lines; the last line may be cut off by the end of `head`."""
    found = []
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", most)[:most]:
        try:
            record = load(line) if line.startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def whole(transcript: Transcript) -> Any:
    """Return the one JSON value that a file is, or the error that says why it is none."""
    try:
        return load(transcript.text().encode("utf-8", "replace"))
    except ValueError as error:
        return error
