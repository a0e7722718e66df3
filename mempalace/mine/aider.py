"""aider: `.aider.chat.history.md` in a project's root, all its chats one after the other.

A human's lines open with `#### `, aider's own with `> `; both end with two spaces, which tells them from
headings and quotes in what the model said. The rest is the model's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from mempalace.mine.clock import seconds
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Said, Skipped
from mempalace.mine.plain import fenced
from mempalace.mine.transcript import Transcript

STARTED = "# aider chat started at "
SPOKEN = ("/ask ", "/code ", "/architect ", "/context ")  # commands whose argument is a prompt
COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s+|\Z)(.*)|!(.*)", re.DOTALL)
EDITED = re.compile(r"Applied edit to (.+)")
COMMITTED = re.compile(r"Commit [0-9a-f]{6,40} (.+)")


class Aider:
    """Reads aider's chat history."""

    name = "aider"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return the history of chats held in `home` itself; each project keeps its own."""
        return [os.path.join(home, ".aider.chat.history.md")]

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a history by the line that opens each chat."""
        return head.lstrip(b"\xef\xbb\xbf\r\n ").startswith(STARTED.encode())

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield each chat's facts, then its messages, edits and commits."""
        lines = transcript.text().replace("\r\n", "\n").split("\n")
        marked = any(line.startswith("#### ") and line.endswith("  ") for line in lines)
        folder = os.path.dirname(os.path.abspath(transcript.path))
        at, begun = 0, False
        for kind, first, text in _runs(lines, marked):
            if kind == STARTED:
                at, begun = seconds(text), False
                yield About(f"aider {text}", folder)
            elif kind == "> ":
                yield from _noted(text, at, first)
            elif kind == "#### ":
                begun = True
                yield _asked(text, at, first)
            elif text.strip():  # before the first prompt stands the command line, cut into lines
                words = text.lstrip("\n")
                first += len(text) - len(words)
                yield Said(AGENT, words.rstrip("\n"), at=at, line=first) if begun else Skipped("preamble")


def _runs(lines: list[str], marked: bool) -> Iterator[tuple[str, int, str]]:
    """Yield (kind, line number, text) for each run of lines of one kind: chat, human, aider, "" the model."""
    kind, first, run, fence = "", 1, list[str](), ""
    for number, line in enumerate(lines, 1):
        now = _kind(line, marked, fence)
        fence = "" if now else fenced(line, fence)
        if now != kind or now == STARTED:
            if run:
                yield kind, first, "\n".join(run)
            kind, first, run = now, number, []
        run.append(line[len(now) :].removesuffix("  ") if now else line)
    if run:
        yield kind, first, "\n".join(run)


def _kind(line: str, marked: bool, fence: str) -> str:
    if line.startswith(STARTED):
        return STARTED
    for mark in ("#### ", "> "):
        if line.startswith(mark) and (line.endswith("  ") if marked else not fence):
            return mark
    return ""


def _asked(text: str, at: int, line: int) -> Event:
    """Return a prompt, or the command that was given in its place."""
    command = COMMAND.match(text)
    if command and not text.startswith(SPOKEN):
        return Did(command[1] or "run", (command[2] or command[3] or "").strip(), at=at, line=line)
    return Said(HUMAN, text, at=at, line=line) if text.strip() not in ("", "<blank>") else Skipped("blank")


def _noted(text: str, at: int, line: int) -> Iterator[Event]:
    """Yield what aider says it did."""
    for number, note in enumerate(text.split("\n"), line):
        if edited := EDITED.match(note):
            yield Did("edit", edited[1].strip(), at=at, line=number)
        elif committed := COMMITTED.match(note):
            yield Did("commit", committed[1].strip(), at=at, line=number)
        else:
            yield Skipped("note")


HARNESS = Aider()
