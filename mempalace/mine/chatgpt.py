"""ChatGPT's export: `conversations.json`, every conversation a tree of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Said, Skipped
from mempalace.mine.shapes import blocks, first, listed, mapping, string, target, whole
from mempalace.mine.transcript import Transcript

ROLES = {"user": HUMAN, "assistant": AGENT}
PROSE = ("text", "multimodal_text")
TREE = re.compile(rb'"mapping"\s*:\s*\{')


class ChatGpt:
    """Reads ChatGPT's export."""

    name = "chatgpt"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return nothing: an export lies where its owner put it."""
        return []

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell an export by its conversations' trees."""
        is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")
        return is_json and TREE.search(head) is not None and b'"children"' in head and b'"uuid"' not in head[:200]

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield each conversation's facts, then its messages along the branch that was last looked at."""
        found = whole(transcript)
        if isinstance(found, ValueError):
            yield Malformed(1, str(found))
            return
        for conversation in found if isinstance(found, list) else [found]:
            if isinstance(conversation, dict) and isinstance(conversation.get("mapping"), dict):
                yield from _conversation(conversation)
            else:
                yield Skipped("conversation")


def _conversation(conversation: dict[str, Any]) -> Iterator[Event]:
    session = first(conversation, "conversation_id", "id")
    yield About(session, title=string(conversation.get("title")))
    for name, node in _branch(conversation["mapping"], conversation.get("current_node")):
        message = mapping(node.get("message"))
        if message:
            yield from _message(message, first(message, "id") or name)


def _branch(nodes: dict[str, Any], last: object) -> list[tuple[str, dict[str, Any]]]:
    """Return the nodes from the root to the one last looked at, else to the newest that has no answer."""
    if not isinstance(last, str) or last not in nodes:
        leaves = [name for name, node in nodes.items() if not listed(mapping(node).get("children"))]
        last = max(leaves, key=lambda name: _at(mapping(nodes[name])), default=None)
    branch: dict[str, dict[str, Any]] = {}
    while isinstance(last, str) and last in nodes and last not in branch:
        branch[last] = mapping(nodes[last])
        last = branch[last].get("parent")
    return list(branch.items())[::-1]


def _at(node: dict[str, Any]) -> int:
    return seconds(mapping(node.get("message")).get("create_time"))


def _message(message: dict[str, Any], key: str) -> Iterator[Event]:
    content, at = mapping(message.get("content")), seconds(message.get("create_time"))
    writer, kind = string(mapping(message.get("author")).get("role")), string(content.get("content_type"))
    recipient = string(message.get("recipient")) or "all"
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        yield Skipped("hidden")
    elif writer == "assistant" and recipient != "all":
        asked = first(content, "text") or "\n".join(blocks(content.get("parts")))
        yield Did(recipient, target(asked), key, at)
    elif writer in ROLES and kind in PROSE:
        text = "\n".join(blocks(content.get("parts")))
        yield Said(ROLES[writer], text, key, at) if text else Skipped(kind)
    else:
        yield Skipped(writer if writer not in ROLES else kind or "message")


HARNESS = ChatGpt()
