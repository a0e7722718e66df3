"""Gemini CLI: ~/.gemini/tmp/<project>/chats/, one JSON object a session or, since 2026, one record a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.gemini_log import logged, project_root
from mempalace.mine.shapes import blocks, first, listed, mapping, opening, string, target, whole
from mempalace.mine.transcript import Transcript, load

LOGGED = re.compile(rb'\s*\[\s*\{\s*"sessionId"\s*:\s*"[^"]*",\s*"messageId"\s*:')
EXITED = re.compile(r"^Exit Code: [1-9-]", re.MULTILINE)
ROLES = {"user": HUMAN, "gemini": AGENT}
OPENED = "\n--- Content from referenced files ---"
CLOSED = "--- End of content ---"
HOOK, HOOKED = "<hook_context>", "</hook_context>"
NOT_SAID = ("System: Please continue.", "This is the Gemini CLI. We are setting up the context for our chat.")


class GeminiCli:
    """Reads what Gemini CLI leaves on disk; a line may change what an earlier one said, so it reads whole."""

    name = "gemini-cli"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return the folder that holds every project's chats and logs."""
        return [os.path.join(home, ".gemini", "tmp")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a session by its id and project hash, a log by its first entry."""
        start = head[:2048].removeprefix(b"\xef\xbb\xbf")
        session = b'"sessionId"' in start and b'"projectHash"' in start and start.lstrip()[:1] == b"{"
        return session or bool(LOGGED.match(start))

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield the session's messages and tool calls; of a log, only what no session file tells."""
        transcript.handle.seek(0)
        start = transcript.handle.readline(1 << 20)
        if start.lstrip()[:1] == b"[":
            yield from logged(transcript)
            return
        session: dict[str, Any] = {}
        if _is_object(start):
            yield from _gather(transcript, session)
        else:
            found = whole(transcript)
            if not isinstance(found, dict):
                yield Malformed(1, str(found) if isinstance(found, ValueError) else "not a JSON object")
                return
            session = {**found, "messages": dict(enumerate(listed(found.get("messages"))))}
        yield from _session(transcript.path, session)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(load(line), dict)
    except ValueError:
        return False


def _gather(transcript: Transcript, session: dict[str, Any]) -> Iterator[Event]:
    """Fill `session` from records: the last one of an id counts; a rewind takes back what came after."""
    messages: dict[object, Any] = {}
    for line in transcript.records():
        if line.record is None:
            yield Malformed(line.number, line.why)
            continue
        record = {**line.record, **mapping(line.record.get("$set"))}
        back = string(record.get("$rewindTo"))
        if back:
            ids = list(messages)
            for taken in ids[ids.index(back) if back in messages else 0 :]:
                del messages[taken]
        elif "type" in record and isinstance(record.get("id"), str):
            messages[record["id"]] = {**record, "line": line.number}
        else:
            if isinstance(record.get("messages"), list):
                messages = dict(enumerate(record["messages"]))
            session.update(record)
    session["messages"] = messages


def _session(path: str, session: dict[str, Any]) -> Iterator[Event]:
    name, folder = string(session.get("sessionId")), os.path.dirname(path)
    aside = session.get("kind") == "subagent"
    if aside and os.path.basename(folder) not in ("", "chats"):  # chats/<the parent's id>/<its own id>.jsonl
        parent, folder = os.path.basename(folder), os.path.dirname(folder)
        yield About(parent, project_root(os.path.dirname(folder)))
    else:
        title = "" if aside else first(session, "summary")
        yield About(name, project_root(os.path.dirname(folder)), title=title)
    for message in mapping(session.get("messages")).values():
        if isinstance(message, dict):
            yield from _message(message, name, aside)
        else:
            yield Malformed(0, "not a message")


def _message(message: dict[str, Any], session: str, aside: bool) -> Iterator[Event]:
    kind, key, at = string(message.get("type")), string(message.get("id")), seconds(message.get("timestamp"))
    line = message.get("line")
    where = (at, line if isinstance(line, int) else 0, 0, aside)
    text = _own(message) if kind in ROLES else ""
    if text:
        yield Said(ROLES[kind], text, key if len(key) > 31 or not key else f"{session}:{key}", *where)
    calls = listed(message.get("toolCalls"))
    for call in calls:
        if isinstance(call, dict):
            yield from _call(call, where)
    if not text and not calls:
        yield Skipped(kind or "message")


def _call(call: dict[str, Any], where: tuple[int, int, int, bool]) -> Iterator[Event]:
    key, status = string(call.get("id")), string(call.get("status"))
    yield Did(string(call.get("name")), target(call.get("args")), key, *where)
    if key and status in ("success", "error", "cancelled"):
        answers = [mapping(mapping(part).get("functionResponse")) for part in listed(call.get("result"))]
        told = [first(mapping(answer.get("response")), "error", "output") for answer in answers]
        text = "\n".join(text for text in told if text) or string(call.get("resultDisplay"))
        ok = status == "success" and not EXITED.search(text)
        yield Outcome(key, ok, "" if ok else opening(text))


def _own(message: dict[str, Any]) -> str:
    """Return what was typed or answered, without the files and contexts that were put beside it."""
    text = "\n".join(blocks(message.get("displayContent") or message.get("content")))
    if message.get("type") != "user":
        return text
    before, found, after = ("\n" + text).partition(OPENED)
    if found:
        text = before.strip("\n") + after.partition(CLOSED)[2].rstrip()
    if text.rstrip().endswith(HOOKED) and HOOK in text:
        text = text.partition(HOOK)[0].rstrip()
    return "" if text.startswith(NOT_SAID) else text


HARNESS = GeminiCli()
