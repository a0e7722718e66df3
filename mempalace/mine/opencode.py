"""opencode: session files with their messages and parts in folders beside them, its database, or an export.

`storage/session/<project>/<session>.json`, `storage/message/<session>/<message>.json` and
`storage/part/<message>/<part>.json` until 2026; `opencode.db` since.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Malformed, Outcome, Said, Skipped
from mempalace.mine.shapes import first, listed, mapping, opening, parsed, string, target, whole
from mempalace.mine.transcript import Transcript, load
from mempalace.store import opencode as database

ROLES = {"user": HUMAN, "assistant": AGENT}
SESSION = re.compile(rb'\s*\{\s*"id"\s*:\s*"ses')
EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses')
MAGIC = b"SQLite format 3\0"
UNTITLED = ("New session - ", "Child session - ")
LONGEST = 256 * 1024 * 1024  # bytes of one part file that are read


class OpenCode:
    """Reads what opencode leaves on disk."""

    name = "opencode"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return the folder of session files and the database that took its place."""
        folder = os.path.join(home, ".local", "share", "opencode")
        return [os.path.join(folder, "storage", "session"), os.path.join(folder, "opencode.db")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a session or an export by its first key, a database by its tables."""
        if head.startswith(MAGIC):
            named = os.path.basename(path).startswith("opencode")
            return named or (b"message_id" in head and b"session_id" in head and b"project_id" in head)
        return bool(SESSION.match(head) or EXPORT.match(head))

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield each session's facts, messages and tool calls."""
        transcript.handle.seek(0)
        if transcript.handle.read(len(MAGIC)) == MAGIC:
            transcript.end = transcript.handle.seek(0, os.SEEK_END)
            yield from _stored(transcript.path)
            return
        found = whole(transcript)
        if not isinstance(found, dict):
            yield Malformed(1, str(found) if isinstance(found, ValueError) else "not a JSON object")
        elif isinstance(found.get("messages"), list):
            yield from _session(mapping(found.get("info")), found["messages"])
        else:
            yield from _session(found, _beside(transcript.path))


def _session(info: dict[str, Any], messages: list[Any] | Iterator[Any]) -> Iterator[Event]:
    parent, title = string(info.get("parentID")), string(info.get("title"))
    named = "" if parent or title.startswith(UNTITLED) else title
    yield About(parent or string(info.get("id")), string(info.get("directory")), title=named)
    for message in messages:
        if isinstance(message, Malformed):
            yield message
            continue
        about = mapping(mapping(message).get("info")) or mapping(message)
        for part in listed(mapping(message).get("parts")):
            yield from _part(about, mapping(part), aside=bool(parent))


def _part(message: dict[str, Any], part: dict[str, Any], *, aside: bool) -> Iterator[Event]:
    kind, role = string(part.get("type")), ROLES.get(string(message.get("role")))
    at = seconds(mapping(message.get("time")).get("created"))
    if role is None or message.get("summary") is True:  # a summary is the harness's, for itself
        yield Skipped("summary" if role else "message")
    elif kind == "text" and not part.get("synthetic") and not part.get("ignored"):
        text = string(part.get("text"))
        yield Said(role, text, string(message.get("id")), at, aside=aside) if text.strip() else Skipped(kind)
    elif kind == "tool":
        state, key = mapping(part.get("state")), string(part.get("callID"))
        yield Did(string(part.get("tool")), target(state.get("input")), key, at, aside=aside)
        status, code = string(state.get("status")), mapping(state.get("metadata")).get("exit")
        if key and status in ("completed", "error"):
            ok = status == "completed" and code in (0, None)
            yield Outcome(key, ok, "" if ok else opening(first(state, "error", "output")))
    else:
        yield Skipped("synthetic" if kind == "text" else kind or "part")


def _beside(path: str) -> Iterator[dict[str, Any] | Malformed]:
    """Yield a session file's messages with their parts, from the folders beside it, old layout or new."""
    folder, name = os.path.split(os.path.abspath(path))
    session, root = os.path.splitext(name)[0], os.path.dirname(os.path.dirname(folder))
    old = os.path.dirname(folder)  # storage/session/{info,message,part}
    for message in _files(os.path.join(root, "message", session), os.path.join(old, "message", session)):
        if isinstance(message, Malformed):
            yield message
            continue
        key = message["file"]
        places = (os.path.join(root, "part", key), os.path.join(old, "part", session, key))
        found = list(_files(*places))
        yield from (part for part in found if isinstance(part, Malformed))
        parts = [part for part in found if not isinstance(part, Malformed)]
        yield {"info": {**message, "id": key}, "parts": parts or listed(message.get("parts"))}


def _files(*folders: str) -> Iterator[dict[str, Any] | Malformed]:
    """Yield the JSON objects in the first folder that has any, in the order of their (ascending) ids."""
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        except OSError:
            continue
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    record = load(file.read(LONGEST))
            except (OSError, ValueError) as error:
                yield Malformed(0, f"{name}: {error}")
                continue
            yield {**mapping(record), "file": os.path.splitext(name)[0]}
        return


def _stored(path: str) -> Iterator[Event]:
    """Yield what every session in a database says."""
    try:
        for session in database.sessions(path):
            info = {"id": session.id, "parentID": session.parent, "directory": session.directory}
            yield from _session({**info, "title": session.title}, _rows(path, session.id))
    except sqlite3.Error as error:
        yield Malformed(0, f"not a database of opencode's: {error}")


def _rows(path: str, session: str) -> Iterator[dict[str, Any]]:
    for part in database.parts(path, session):
        yield {"info": {**mapping(parsed(part.info)), "id": part.message}, "parts": [parsed(part.data)]}


HARNESS = OpenCode()
