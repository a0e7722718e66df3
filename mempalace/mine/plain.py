"""Plain text and Markdown notes: the last resort, by a file's ending."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator

from mempalace.mine.events import HUMAN, About, Event, Said, Skipped
from mempalace.mine.transcript import BOMS, Transcript, decode

MARKDOWN = (".md", ".markdown")
ENDINGS = (*MARKDOWN, ".txt", ".rst")
HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class Plain:
    """Reads notes: a human's words, as far as anyone can tell."""

    name = "plain"
    grows = False

    def stores(self, home: str) -> list[str]:
        """Return nothing: notes lie anywhere."""
        return []

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell a note by its ending, unless its bytes are no text."""
        if not path.lower().endswith(ENDINGS):
            return False
        start = head[:4096]
        marked = any(start.startswith(bom) for bom, _ in BOMS)
        return marked or len(CONTROL.findall(decode(start))) * 50 <= len(start)

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield a Markdown file's sections, each with its heading; any other file whole."""
        text = transcript.text().removeprefix("\ufeff")
        at = _changed(transcript.path)
        if not transcript.path.lower().endswith(MARKDOWN):
            yield Said(HUMAN, text, at=at, line=1) if text.strip() else Skipped("blank")
            return
        title = ""
        for line, heading, section in sections(text):
            if heading and not title and section.startswith("# "):
                title = heading
                yield About(title=title)
            yield Said(HUMAN, section, at=at, line=line) if section.strip() else Skipped("blank")


def sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, heading, text) for each part under a heading; joined they are the text again."""
    start, heading, part, fence = 1, "", list[str](), ""
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        fence = fenced(line, fence)
        found = None if fence else HEADING.match(line)
        if found:
            if part:
                yield start, heading, "".join(part)
            start, heading, part = number, line[found.end() :].strip().rstrip("#").rstrip(), []
        part.append(line)
    if part:
        yield start, heading, "".join(part)


def fenced(line: str, fence: str) -> str:
    """Return the code fence that is open after a line, given the one open before it ("" for none)."""
    found = FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return "" if found[1][0] == "`" and "`" in found[2] else found[1]
    return "" if found[1].startswith(fence) and not found[2].strip() else fence


def _changed(path: str) -> int:
    """Return when the file was last changed, 0 if it has no time."""
    try:
        return max(0, int(os.path.getmtime(path)))
    except (OSError, ValueError):
        return 0


HARNESS = Plain()
