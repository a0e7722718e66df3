"""What Gemini CLI keeps beside a project's chats: where the project is, and a log of every prompt."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mempalace.mine.clock import seconds
from mempalace.mine.events import HUMAN, About, Event, Said, Skipped
from mempalace.mine.shapes import first, listed, mapping, whole
from mempalace.mine.transcript import Transcript


def project_root(folder: str) -> str:
    """Return the project's folder as Gemini CLI notes it beside the chats, "" where it does not."""
    try:
        with open(os.path.join(folder, ".project_root"), encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip()
    except OSError:
        return ""


def logged(transcript: Transcript) -> Iterator[Event]:
    """Yield the prompts of a `logs.json` whose sessions left no file of their own."""
    folder = os.path.dirname(transcript.path)
    try:
        kept = " ".join(os.listdir(os.path.join(folder, "chats")))
    except OSError:
        kept = ""
    told = ""
    for entry in listed(whole(transcript)):
        session, text = first(mapping(entry), "sessionId"), first(mapping(entry), "message")
        if not session or not text or session[:8] in kept or text.startswith("/"):
            yield Skipped("log")
            continue
        if session != told:
            told = session
            yield About(session, project_root(folder))
        yield Said(HUMAN, text, f"{session}:{entry.get('messageId')}", seconds(entry.get("timestamp")))
