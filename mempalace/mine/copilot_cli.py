"""GitHub Copilot CLI: ~/.copilot/session-state/<session>/events.jsonl."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.shapes import blocks, first, mapping, objects, opening, string, target
from mempalace.mine.transcript import Line, Transcript

EVENT = re.compile(r"(?:session|user|assistant|system|tool|hook|subagent|skill|permission)\.[a-z_]+\Z")
EXITED = re.compile(r"<[^<>]*\bexit code:? (-?\d{1,9})>\s*\Z")
FACTS = ("session.start", "session.resume", "session.context_changed", "session.title_changed")


class CopilotCli:
    """Reads what Copilot CLI leaves on disk."""

    name = "copilot-cli"
    grows = True

    def stores(self, home: str) -> list[str]:
        """Return the folder that holds every session's events."""
        return [os.path.join(home, ".copilot", "session-state")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell events by their envelope: a dotted type, data, an id and the id of the event before."""
        return any(
            EVENT.match(string(record.get("type"))) and isinstance(record.get("data"), dict)
            for record in objects(head)
            if "id" in record and "parentId" in record and "timestamp" in record
        )

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield the session's messages, tool calls and facts.

        A tool call is what ran (`tool.execution_start`), not what a message asked for.
        """
        for line in transcript.records():
            if line.record is None:
                yield Malformed(line.number, line.why)
            else:
                yield _event(line, line.record, mapping(line.record.get("data")))


def _event(line: Line, record: dict[str, Any], data: dict[str, Any]) -> Event:
    kind = string(record.get("type"))
    aside = bool(first(data, "parentToolCallId", "agentId") or first(record, "agentId"))
    where = (seconds(record.get("timestamp")), line.number, line.offset, aside)
    if kind in FACTS:
        return _about(data)
    if kind == "tool.execution_start":
        tool = first(data, "toolName", "mcpToolName")
        return Did(tool, target(data.get("arguments")), string(data.get("toolCallId")), *where)
    if kind == "tool.execution_complete" and first(data, "toolCallId"):
        return _outcome(data)
    if kind == "user.message" and string(data.get("source")) in ("", "user"):  # a skill is one
        text = "\n".join(blocks(data.get("content")))
        return Said(HUMAN, text, string(record.get("id")), *where) if text else Skipped(kind)
    if kind == "assistant.message":
        text, key = "\n".join(blocks(data.get("content"))), first(data, "messageId") or first(record, "id")
        return Said(AGENT, text, key, *where) if text else Skipped(kind)
    return Skipped(kind or "event")


def _about(data: dict[str, Any]) -> Event:
    context = mapping(data.get("context")) or data
    return About(
        string(data.get("sessionId")),
        string(context.get("cwd")),
        string(context.get("branch")),
        string(data.get("title")),
    )


def _outcome(data: dict[str, Any]) -> Event:
    result = mapping(data.get("result"))
    text = first(result, "content", "detailedContent") or string(data.get("result"))
    exited = EXITED.search(text[-200:])
    ok = data.get("success") is not False and (not exited or exited[1] == "0")
    error = first(mapping(data.get("error")), "message") or string(data.get("error")) or text
    return Outcome(string(data.get("toolCallId")), ok, "" if ok else opening(error))


HARNESS = CopilotCli()
