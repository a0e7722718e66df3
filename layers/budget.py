"""Character budgets, counted exactly: headings, joins and the closing line included."""

from __future__ import annotations

from typing import Iterable, List, Tuple

# Characters each part may take of a wake-up of 4,000; the story takes what they leave.
IDENTITY, RULES, RECENT, FILES, TOPICS = 600, 800, 1100, 400, 850
WHOLE = 4000
FIXED = 350  # of any wake-up: the framing and the closing line


def share(part: int, whole: int) -> int:
    """Return a part's characters in a budget of `whole`, in proportion to what is free of it."""
    return max(0, part * (whole - FIXED) // (WHOLE - FIXED))


def fitting(lines: Iterable[str], room: int) -> List[str]:
    """Return the leading lines that fit into `room` characters, a line break each."""
    kept = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def trimmed(text: str, room: int, note: str = "...") -> Tuple[str, bool]:
    """Return the text within `room` characters and whether it had to be cut, at a word where it can.

    Nothing of it where `room` does not even hold the note.
    """
    if len(text) <= room:
        return text, False
    if len(note) >= room:
        return "", True
    cut = text[: max(0, room - len(note))]
    at = max(cut.rfind(" "), cut.rfind("\n"))
    return (cut[:at] if at > len(cut) // 2 else cut).rstrip() + note, True
