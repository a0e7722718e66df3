"""Claude.ai's export: `conversations.json`, every conversation a list of `chat_messages`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.shapes import blocks, first, listed, opening, string, target, whole
from mempalace.mine.transcript import Transcript

ROLES = {"human": HUMAN, "user": HUMAN, "assistant": AGENT}
MESSAGES = re.compile(rb'"chat_messages"\s*:\s*\[')


class ClaudeAi:
    """Reads Claude.ai's export. Attachments are files, pasted or uploaded: no prose."""

    name = "claude-ai"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return nothing: an export lies where its owner put it."""
        return []

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell an export by its conversations' `chat_messages`."""
        is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")
        return is_json and MESSAGES.search(head) is not None

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield each conversation's facts, then its messages and tool calls."""
        found = whole(transcript)
        if isinstance(found, ValueError):
            yield Malformed(1, str(found))
            return
        for conversation in found if isinstance(found, list) else [found]:
            if isinstance(conversation, dict) and isinstance(conversation.get("chat_messages"), list):
                yield About(first(conversation, "uuid", "id"), title=first(conversation, "name", "title"))
                for message in conversation["chat_messages"]:
                    yield from _message(message)
            else:
                yield Skipped("conversation")


def _message(message: object) -> Iterator[Event]:
    role = ROLES.get(string(message.get("sender"))) if isinstance(message, dict) else None
    if not isinstance(message, dict) or role is None:
        yield Skipped("message")
        return
    key, at = string(message.get("uuid")), seconds(message.get("created_at"))
    content = [block for block in listed(message.get("content")) if isinstance(block, dict)]
    if not any(blocks(content, "text")):  # the oldest exports know no blocks
        content.append({"type": "text", "text": message.get("text")})
    for block in content:
        yield _block(block, role, key, at)


def _block(block: dict[str, Any], role: str, key: str, at: int) -> Event:
    kind = string(block.get("type"))
    if kind == "text":
        text = "".join(blocks(block))
        return Said(role, text, key, at) if text else Skipped(kind)
    if kind == "tool_use":
        return Did(string(block.get("name")), target(block.get("input")), string(block.get("id")), at)
    if kind == "tool_result" and first(block, "tool_use_id"):
        ok = block.get("is_error") is not True
        return Outcome(first(block, "tool_use_id"), ok, "" if ok else opening("\n".join(blocks(block.get("content")))))
    return Skipped(kind or "block")


HARNESS = ClaudeAi()
