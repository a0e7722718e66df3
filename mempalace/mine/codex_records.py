"""What the records of a Codex rollout say.

One message may stand in a file up to three times: as what the model was sent or sent back
(`response_item`), as an event for the screen (`event_msg`: `user_message`, `agent_message`), and since
0.147 as an `item_completed`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.codex_tools import Call, End, called, ended, happened
from mempalace.mine.codex_words import digest, words
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.shapes import first, mapping, string
from mempalace.mine.transcript import Line

WRAPPED = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
ROLES = {"user": HUMAN, "assistant": AGENT, "user_message": HUMAN, "agent_message": AGENT}
ROLES |= {"UserMessage": HUMAN, "AgentMessage": AGENT, "Plan": AGENT}


class Reading:
    """What has been seen of a rollout so far."""

    def __init__(self) -> None:
        self.aside = False
        self.session = self.cwd = self.mark = ""
        self.held: Said | None = None  # an event's copy, which knows no id: its model message may follow
        self.copies: dict[tuple[str, str], int] = defaultdict(int)
        self.calls: set[tuple[type, str]] = set()

    def flush(self) -> Iterator[Event]:
        """Yield the message that was held back, if one is."""
        held, self.held = self.held, None
        if held:
            yield held

    def events(self, line: Line) -> Iterator[Event]:
        """Yield what one line says; a message's second copy is passed over."""
        for event in self._events(line):
            if not isinstance(event, Skipped):
                yield from self.flush()
            yield event

    def _events(self, line: Line) -> Iterator[Event]:
        if line.record is None:
            yield Malformed(line.number, line.why)
            return
        kind = string(line.record.get("type"))
        payload = mapping(line.record.get("payload")) if kind in WRAPPED else line.record
        if kind == "session_meta" or (not kind and "instructions" in payload):
            yield self._about(payload)
        elif kind == "turn_context" and string(payload.get("cwd")) not in ("", self.cwd):
            self.cwd = string(payload.get("cwd"))
            yield About(cwd=self.cwd)
        elif kind in ("turn_context", "compacted"):
            yield Skipped(kind)
        elif payload.get("type") == "thread_name_updated":
            yield About(title=string(payload.get("thread_name")))
        elif payload.get("type") == "item_completed":
            yield from self._record("item", mapping(payload.get("item")), line)
        else:
            yield from self._record("event" if kind == "event_msg" else "response", payload, line)

    def _about(self, meta: dict[str, Any]) -> Event:
        """Return the session's facts; a fork repeats its parent's `session_meta`, which is not its own."""
        if self.session:
            return Skipped("session_meta")
        spawned = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
        self.session = first(meta, "session_id") or first(spawned, "parent_thread_id") or first(meta, "id")
        self.cwd, self.aside = string(meta.get("cwd")), self.aside or _spawned(meta)
        return About(self.session, self.cwd, string(mapping(meta.get("git")).get("branch")))

    def _record(self, channel: str, record: dict[str, Any], line: Line) -> Iterator[Event]:
        role = ROLES.get(first(record, "role", "type"))
        if role and (channel != "response" or record.get("type") == "message"):
            yield from self._said(channel, role, record, line)
            return
        told = [found for found in (called(record), ended(record)) if found] or list(happened(record))
        for found in told:
            yield from self._acted(found, line)
        if not told:
            yield Skipped(first(record, "type", "record_type") or channel)

    def _acted(self, found: Call | End, line: Line) -> Iterator[Event]:
        if found.key:  # a call may be told as a response item and again as an event
            if (type(found), found.key) in self.calls:
                return
            self.calls.add((type(found), found.key))
        if isinstance(found, End):
            yield Outcome(*found)
        else:
            yield Did(*found, _at(line), line.number, line.offset, self.aside)

    def _said(self, channel: str, role: str, record: dict[str, Any], line: Line) -> Iterator[Event]:
        text = words(record)
        if not text:
            yield Skipped("injected")
            return
        mark = digest(role, text)
        self.copies[channel, mark] += 1
        fresh = self.copies[channel, mark] > self.copies["all", mark]
        self.copies["all", mark] = max(self.copies[channel, mark], self.copies["all", mark])
        turn = first(mapping(record.get("internal_chat_message_metadata_passthrough")), "turn_id")
        turn = turn or first(mapping(record.get("metadata")), "turn_id")
        key = first(record, "id") or (turn and f"{turn}:{mark}")
        said = Said(role, text, key, _at(line), line.number, line.offset, self.aside)
        if self.held and self.mark == mark and not fresh:
            self.held = said if key and not self.held.key else self.held
        elif fresh:
            yield from self.flush()
            self.held, self.mark = said, mark


def _at(line: Line) -> int:
    return seconds(mapping(line.record).get("timestamp"))


def _spawned(meta: dict[str, Any]) -> bool:
    source = meta.get("source")
    return meta.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)
