"""Codex rollouts: ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from mempalace.mine.codex_records import WRAPPED, Reading
from mempalace.mine.events import Event
from mempalace.mine.shapes import blocks, listed, mapping, objects, string
from mempalace.mine.transcript import Line, Transcript, load

WHOLE = re.compile(rb'\s*\{\s*"session"\s*:\s*\{')  # before June 2025: one JSON object a session
FIRST = re.compile(rb'\s*\{\s*"timestamp"[^{}]{2,99}"type"\s*:\s*"session_meta"')
TAIL = 65_536  # bytes before the offset looked at again, so that a message's second copy is known as one


class Codex:
    """Reads what Codex leaves on disk."""

    name = "codex"
    grows = True

    def stores(self, home: str) -> list[str]:
        """Return the folders of live and of archived sessions."""
        return [os.path.join(home, ".codex", part) for part in ("sessions", "archived_sessions")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a rollout by its envelopes, or an old bare one by its session line or model messages."""
        for record in objects(head):
            if string(record.get("type")) in WRAPPED and isinstance(record.get("payload"), dict):
                return True
            if "type" not in record and {"instructions", "timestamp", "id"} <= record.keys():
                return True
            if record.get("type") == "message" and any(blocks(record.get("content"), "input_text", "output_text")):
                return True
        return bool(FIRST.match(head) or (WHOLE.match(head) and b'"items"' in head))

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield the rollout's messages, tool calls and facts, each once."""
        reading = Reading()
        for line in _before(transcript) if transcript.offset else ():
            list(reading.events(line))
        list(reading.flush())
        transcript.handle.seek(0)
        whole = not transcript.offset and WHOLE.match(transcript.handle.read(256))
        for line in _items(transcript) if whole else transcript.records():
            yield from reading.events(line)
        yield from reading.flush()


def _before(transcript: Transcript) -> list[Line]:
    """Return a rollout's first record and those that stand just before where reading starts."""
    transcript.handle.seek(0)
    opening = transcript.handle.readline(TAIL * 16)
    start = max(0, transcript.offset - TAIL)
    transcript.handle.seek(start)
    lines = transcript.handle.read(transcript.offset - start).split(b"\n")[1 if start else 0 :]
    records = objects(b"\n".join([opening.rstrip(b"\n"), *lines]), most=len(lines) + 1)
    return [Line(0, 0, record) for record in records]


def _items(transcript: Transcript) -> Iterator[Line]:
    """Yield what an old rollout of one JSON object holds, as if it stood on lines."""
    try:
        whole = mapping(load(transcript.text().encode("utf-8", "replace")))
    except ValueError as error:
        yield Line(1, 0, None, f"not JSON: {error}")
        return
    yield Line(1, 0, {"instructions": "", **mapping(whole.get("session"))})
    for item in listed(whole.get("items")):
        yield Line(1, 0, item if isinstance(item, dict) else None, "not a JSON object")


HARNESS = Codex()
