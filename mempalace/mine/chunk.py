"""One message cut into drawers; joined again they give its text exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mempalace.sentences import FENCE, STOP

LARGEST = 1200  # characters of a drawer
PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
LINE = re.compile(r"\n")
BLANK = re.compile(r"\s+")


def chunks(text: str, largest: int = LARGEST) -> list[str]:
    """Return the text cut into pieces of at most `largest` characters, in order.

    Cut between paragraphs, else lines, else sentences, else words; a code fence that fits is
    never cut, and neither is a word, unless one alone is larger than a drawer.

    >>> chunks("One. Two.", 5)
    ['One. ', 'Two.']
    """
    if len(text) <= largest:
        return [text] if text else []
    found: list[str] = []
    piece = ""
    for atom in _atoms(text, largest):
        if piece and len(piece) + len(atom) > largest:
            found.append(piece)
            piece = ""
        piece += atom
    return [*found, piece] if piece else found


def _atoms(text: str, largest: int) -> Iterator[str]:
    at = 0
    for fence in FENCE.finditer(text):
        yield from _split(text[at : fence.start()], largest, 0)
        yield from _split(fence.group(0), largest, 1)
        at = fence.end()
    yield from _split(text[at:], largest, 0)


CUTS = (PARAGRAPH, LINE, STOP, BLANK)


def _split(text: str, largest: int, level: int) -> Iterator[str]:
    """Yield the text in pieces that fit, cut as gently as this level allows."""
    if level == 0:
        for piece in _cut(text, PARAGRAPH):
            yield from _split(piece, largest, 1)
    elif len(text) <= largest:
        if text:
            yield text
    elif level < len(CUTS):
        for piece in _cut(text, CUTS[level]):
            yield from _split(piece, largest, level + 1)
    else:
        for start in range(0, len(text), largest):
            yield text[start : start + largest]


def _cut(text: str, where: re.Pattern[str]) -> Iterator[str]:
    at = 0
    for found in where.finditer(text):
        yield text[at : found.end()]
        at = found.end()
    if at < len(text):
        yield text[at:]
