"""Claude Code's transcripts: JSONL, versions 1.0 to 2.1, sub-agents in every form they took."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.delivery import handed
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.injected import human_words
from mempalace.mine.transcript import Line, Transcript, load

MACHINE = (
    "isMeta",
    "isCompactSummary",
    "repeatsCompactSummary",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
)
TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}
SIGNS = ("sessionId", "leafUuid", "parentUuid", "messageId")
TARGETS = ("command", "file_path", "notebook_path", "path", "pattern", "url", "query", "skill", "description")
LOOKED_AT = 20  # lines by which the format is recognised
LONGEST_ERROR = 4096  # characters of an error handed on: secrets are sought before it is cut to size


class ClaudeCode:
    """Claude Code's projects folder: a folder a project, a file a session."""

    name = "claude-code"
    grows = True

    def stores(self, home: str) -> list[str]:
        """Return the folders below `home` where its transcripts lie."""
        return [
            os.path.join(home, ".claude", "projects"),
            os.path.join(home, ".config", "claude", "projects"),
        ]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell by the first records whether this is one of its transcripts."""
        return any(_is_record(line) for line in head.lstrip(b"\xef\xbb\xbf").splitlines()[:LOOKED_AT])

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield what the session's records say, in file order."""
        about = About()
        for line in transcript.records():
            record = line.record
            if record is None:
                yield Malformed(line.number, line.why)
                continue
            told = _about(record)
            if told != about and told.session:
                about = told
                yield told
            kind = record.get("type")
            if kind == "assistant":
                yield from _assistant(record, record, line, aside=bool(record.get("isSidechain")))
            elif kind == "user":
                yield from _user(record, record, line, aside=bool(record.get("isSidechain")))
            elif kind == "progress":
                yield from _progress(record, line)
            elif kind == "attachment":
                yield from _attachment(record, line)
            elif isinstance(kind, str) and kind in TITLES:
                yield _title(record, kind)
            else:
                yield Skipped(str(kind))


def _is_record(line: bytes) -> bool:
    line = line.lstrip(b"\0")
    if not line.startswith(b"{"):
        return False
    try:
        record = load(line)
    except ValueError:
        # One record may be longer than the head that is looked at.
        return b'"parentUuid"' in line[:4096] and (b'"isSidechain"' in line[:4096] or b'"sessionId"' in line)
    return isinstance(record, dict) and "type" in record and any(sign in record for sign in SIGNS)


def _about(record: dict[str, Any]) -> About:
    session, cwd, branch = record.get("sessionId"), record.get("cwd"), record.get("gitBranch")
    return About(
        session if isinstance(session, str) else "",
        cwd if isinstance(cwd, str) else "",
        branch if isinstance(branch, str) and branch != "HEAD" else "",
    )


def _title(record: dict[str, Any], kind: str) -> Event:
    title = record.get(TITLES[kind])
    return About(title=" ".join(title.split())) if isinstance(title, str) else Skipped(kind)


def _assistant(record: dict[str, Any], outer: dict[str, Any], line: Line, *, aside: bool) -> Iterator[Event]:
    message = record.get("message")
    if not isinstance(message, dict):
        yield Malformed(line.number, "an assistant record without a message")
        return
    if any(record.get(mark) for mark in MACHINE) or message.get("model") == "<synthetic>":
        yield Skipped("assistant by the harness")
        return
    at = seconds(record.get("timestamp") or outer.get("timestamp"))
    key = _text(message.get("id")) or _text(record.get("uuid"))
    for block in _blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            text = _text(block.get("text"))
            if text.strip():
                yield Said(AGENT, text, key, at, line.number, line.offset, aside)
        elif kind == "tool_use":
            given = block.get("input")
            target = _target(given if isinstance(given, dict) else {})
            tool = _text(block.get("name"))
            yield Did(tool, target, _text(block.get("id")), at, line.number, line.offset, aside)


def _user(record: dict[str, Any], outer: dict[str, Any], line: Line, *, aside: bool) -> Iterator[Event]:
    message = record.get("message")
    if not isinstance(message, dict):
        yield Malformed(line.number, "a user record without a message")
        return
    blocks = _blocks(message.get("content"))
    for block in blocks:
        if block.get("type") == "tool_result":
            ok = not block.get("is_error")
            yield Outcome(_text(block.get("tool_use_id")), ok, "" if ok else _error(block.get("content")))
    if any(record.get(mark) for mark in MACHINE) or _by_machine(record):
        yield Skipped("user by the harness")
        return
    text = human_words([_text(block.get("text")) for block in blocks if block.get("type") == "text"])
    if text:
        at = seconds(record.get("timestamp") or outer.get("timestamp"))
        key = _text(record.get("uuid"))
        # In a sub-agent's thread the "user" is the agent that sent it.
        yield Said(AGENT if aside else HUMAN, text, key, at, line.number, line.offset, aside)


def _by_machine(record: dict[str, Any]) -> bool:
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return record.get("promptSource") == "system" or kind not in (None, "human", "user")


def _progress(record: dict[str, Any], line: Line) -> Iterator[Event]:
    """Yield a sub-agent's message, which older versions recorded as its parent's progress."""
    data = record.get("data")
    inner = data.get("message") if isinstance(data, dict) and data.get("type") == "agent_progress" else None
    if not isinstance(inner, dict):
        yield Skipped("progress")
    elif inner.get("type") == "assistant":
        yield from _assistant(inner, record, line, aside=True)
    elif inner.get("type") == "user":
        yield from _user(inner, record, line, aside=True)


def _attachment(record: dict[str, Any], line: Line) -> Iterator[Event]:
    """Yield a prompt typed while the agent worked (no user record repeats it), or what a hook of ours handed over."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        if isinstance(attachment, dict) and str(attachment.get("type")).startswith("hook_"):
            yield from handed(attachment, key=_text(record.get("uuid")), at=seconds(record.get("timestamp")))
        yield Skipped("attachment")
        return
    if _by_machine(attachment) or attachment.get("commandMode") not in (None, "prompt"):
        yield Skipped("queued by the harness")
        return
    text = human_words([_text(block.get("text")) for block in _blocks(attachment.get("prompt"))])
    if text:
        at = seconds(record.get("timestamp"))
        yield Said(
            HUMAN,
            text,
            _text(record.get("uuid")),
            at,
            line.number,
            line.offset,
            bool(record.get("isSidechain")),
        )


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _target(given: dict[str, Any]) -> str:
    return next((given[name] for name in TARGETS if isinstance(given.get(name), str)), "")


def _error(content: Any) -> str:
    text = "\n".join(_text(block.get("text")) for block in _blocks(content))
    return text.strip()[:LONGEST_ERROR]


HARNESS = ClaudeCode()
