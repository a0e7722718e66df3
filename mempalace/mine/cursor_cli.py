"""Cursor, CLI and editor: ~/.cursor/projects/<folder>/agent-transcripts/**/<session>.jsonl, once .txt."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.shapes import blocks, first, mapping, objects, opening, string, target
from mempalace.mine.transcript import Line, Transcript, decode

ROLES = {"user": HUMAN, "assistant": AGENT}
ASK, ASKED = "<user_query>", "</user_query>"
INJECTED = re.compile(r"\s*<[a-z][a-z_-]*>")
REDACTED = "[REDACTED]"  # stands where the agent thought
TURN = re.compile(r"^(user|assistant|A):[ \t]*\n", re.MULTILINE)
PART = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)", re.MULTILINE)
VALUE = re.compile(r"^  (\w+): (.*)", re.MULTILINE)
OLD = re.compile(rb"\s*user:[ \t]*\r?\n\s*<[a-z_]+>")


class CursorCli:
    """Reads the transcripts that Cursor's agents leave; they bear neither times nor message ids."""

    name = "cursor-cli"
    grows = True

    def stores(self, home: str) -> list[str]:
        """Return the folder that holds every project's transcripts."""
        return [os.path.join(home, ".cursor", "projects")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a transcript by its bare role and message on each line, or by its first `user:` turn."""
        for record in objects(head):
            foreign = "uuid" in record or "sessionId" in record or "payload" in record
            if not foreign and string(record.get("role")) in ROLES and "content" in mapping(record.get("message")):
                return True
        return bool(OLD.match(head))

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield the session's messages and tool calls."""
        about, aside = _about(transcript.path)
        yield about
        transcript.handle.seek(0)
        if OLD.match(transcript.handle.read(1024)):
            yield from _old(transcript)
            return
        for line in transcript.records():
            if line.record is None:
                yield Malformed(line.number, line.why)
            else:
                yield from _record(line, line.record, aside)


def _record(line: Line, record: dict[str, Any], aside: bool) -> Iterator[Event]:
    role = ROLES.get(string(record.get("role")))
    content = mapping(record.get("message")).get("content", record.get("content"))
    where = (seconds(record.get("timestamp")), line.number, line.offset, aside)
    if role is None or not isinstance(content, str | list):
        yield Skipped(first(record, "type", "role") or "record")
        return
    for item in content if isinstance(content, list) else [content]:
        block = item if isinstance(item, dict) else {"type": "text", "text": item}
        kind = string(block.get("type"))
        if kind == "text":
            text = _asked(string(block.get("text"))) if role == HUMAN else _answered(string(block.get("text")))
            yield Said(role, text, "", *where) if text else Skipped(kind)
        elif kind == "tool_use":
            yield Did(string(block.get("name")), target(block.get("input")), string(block.get("id")), *where)
        elif kind == "tool_result" and first(block, "tool_use_id"):
            ok = block.get("is_error") is not True
            error = "" if ok else opening("\n".join(blocks(block.get("content"))))
            yield Outcome(first(block, "tool_use_id"), ok, error)
        else:
            yield Skipped(kind)


def _asked(text: str) -> str:
    """Return what the human typed, without what the editor wrapped around it."""
    if ASK in text:
        parts = [part.partition(ASKED)[0] for part in text.split(ASK)[1:]]
        return "\n".join(part.strip("\n") for part in parts if part.strip())
    return "" if INJECTED.match(text) or text.isspace() else text


def _answered(text: str) -> str:
    """Return what the agent said, without the mark that stands where it thought."""
    text = text.replace(f"\n\n{REDACTED}", "")
    return "" if text.strip() in ("", REDACTED) else text


def _about(path: str) -> tuple[About, bool]:
    """Return the session and its folder by the transcript's own place, and whether it is a sub-agent's."""
    folders = os.path.normpath(path).split(os.sep)
    session, aside = os.path.splitext(folders[-1])[0], len(folders) > 2 and folders[-2] == "subagents"
    if aside:
        session = folders[-3]
    named = folders[folders.index("agent-transcripts", 1) - 1] if "agent-transcripts" in folders[1:] else ""
    return About(session, folder_of(named) if named else ""), aside


def folder_of(slug: str) -> str:
    """Return the folder on this machine that Cursor calls `home-me-my-app`, "" if there is none."""
    path = os.sep
    while slug:
        try:
            names = [entry.name for entry in os.scandir(path) if entry.is_dir()]
        except OSError:
            return ""
        fits = [name for name in names if _slug(name) and f"{slug}-".startswith(f"{_slug(name)}-")]
        if not fits:
            return ""
        best = max(fits, key=len)
        path, slug = os.path.join(path, best), slug[len(_slug(best)) + 1 :]
    return path


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def _old(transcript: Transcript) -> Iterator[Event]:
    """Yield what a text transcript says, from where reading starts."""
    transcript.handle.seek(transcript.offset)
    raw = transcript.handle.read()
    transcript.end = transcript.offset + len(raw)
    _, *turns = TURN.split(decode(raw).replace("\r\n", "\n"))
    for role, turn in zip(turns[::2], turns[1::2], strict=True):
        if role == "user":
            text = _asked(turn.strip())
            yield Said(HUMAN, text) if text else Skipped("injected")
            continue
        said, *parts = PART.split(turn)
        for kind, tool, body in [("", "", said), *zip(parts[::3], parts[1::3], parts[2::3], strict=True)]:
            if kind == "Tool call":
                yield Did(tool.strip(), target(dict(VALUE.findall(body))))
            text = body.strip() if kind in ("", "Thinking") else ""
            yield Said(AGENT, text) if kind == "" and text else Skipped(kind or "turn")


HARNESS = CursorCli()
