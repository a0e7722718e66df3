"""Sentences and list items of a text, in any script. Standard library only."""

from __future__ import annotations

import re
from typing import FrozenSet, Iterator, List, Tuple

FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
ITEM = re.compile(r"^\s*(?:[-*+•‣・◦▪]|\(?\d{1,3}[.)]|[a-z][.)]|\[[ xX]\]|[✓✔✅❌☑⚠️]+|#{1,6}|>)\s+")
# A stop, the quotes and brackets that close after it, then a blank or the end. Full-width
# stops end a sentence without a blank.
STOP = re.compile(
    r"(?<![.!?…])[.!?…]+[\"'”“’»)\]*_`]*(?=\s|$)"
    r"|(?<![。！？｡])[。！？｡]+[」』）”’】\"*]*"
    r"|(?<![؟۔।॥])[؟۔।॥]+[\"'”’»)\]*]*(?=\s|$)"
)
LONGEST = 100  # letters of a word that could be an abbreviation or a number, with room to spare
LETTERS_ONLY = re.compile(r"^(?:[^\W\d_]\.)*[^\W\d_]$")
# Known whatever the language: a stop after these is no end. Lexicons add their own.
ABBREVIATIONS: FrozenSet[str] = frozenset(
    ("e.g i.e etc vs cf approx ca nr vol fig eq mr mrs dr prof st inc ltd al resp incl excl min max").split()
)


def sentences(text: str, abbreviations: FrozenSet[str] = ABBREVIATIONS) -> List[str]:
    """Return the text's sentences and list items, whitespace collapsed, in order.

    Each is one contiguous substring of the whitespace-normalised text. Code fences, table
    rows and rules are no sentences; an item's bullet and a heading's marks are left out.

    >>> sentences("We moved to v1.2.3, i.e. main.py. It works!\\n- tests pass\\n- done")
    ['We moved to v1.2.3, i.e. main.py.', 'It works!', 'tests pass', 'done']
    """
    return [sentence for block, _ in blocks(text) for sentence in cut(block, abbreviations)]


def blocks(text: str) -> Iterator[Tuple[str, str]]:
    """Yield (block, mark): each paragraph or list item on one line, and what opened it.

    The mark is "" for a paragraph, "#" for a heading, ">" for a quotation, "-" for an item.
    """
    lines: List[str] = []
    mark = ""
    for raw in FENCE.sub("\n\n", text).split("\n"):
        found = ITEM.match(raw) if raw[:1] else None
        bare = raw.strip()
        if found or not bare or bare[0] == "|" or bare.strip("-=_*~ ") == "":
            if lines:
                yield " ".join(" ".join(lines).split()), mark
            lines, mark = [], ""
        if not bare or bare[0] == "|" or bare.strip("-=_*~ ") == "":
            continue
        if found:
            opened = found.group(0).strip()
            mark = opened[0] if opened[0] in "#>" else "-"
            bare = raw[found.end() :].strip()
        if bare:
            lines.append(bare)
        if mark == "#" and lines:
            yield " ".join(" ".join(lines).split()), mark
            lines, mark = [], ""
    if lines:
        yield " ".join(" ".join(lines).split()), mark


def cut(block: str, abbreviations: FrozenSet[str] = ABBREVIATIONS) -> List[str]:
    """Return one normalised paragraph cut into its sentences."""
    found = []
    start = seen = ticks = 0
    for stop in STOP.finditer(block):
        ticks += block.count("`", seen, stop.start())
        seen = stop.start()
        if ticks % 2:
            continue  # inside of `code`
        if stop.group(0)[0] == "." and not _ends(block, start, stop, abbreviations):
            continue
        sentence = block[start : stop.end()].strip()
        if sentence:
            found.append(sentence)
        start = seen = stop.end()
        ticks = 0
    rest = block[start:].strip()
    return [*found, rest] if rest else found


def _ends(block: str, start: int, stop: "re.Match[str]", abbreviations: FrozenSet[str]) -> bool:
    """Tell whether a full stop ends its sentence: not after an abbreviation or a number."""
    following = block[stop.end() : stop.end() + 2].strip()[:1]
    if len(stop.group(0).rstrip("\"'”’»)]*_`")) > 1:  # an ellipsis ends only before a capital
        return not following.islower()
    # A look back of bounded length: a paragraph may have a million stops that end nothing.
    before = block[max(start, stop.start() - LONGEST) : stop.start()]
    word = before.rsplit(None, 1)[-1:] or [""]
    bare = word[0].lstrip("(\"'“‘«[*_`").casefold()
    if (
        bare in abbreviations
        or (bare == "no" and following.isdigit())
        or (LETTERS_ONLY.match(bare) and len(bare.replace(".", "")) <= len(bare) // 2 + 1)
    ):
        return False
    if bare.isdigit() and len(bare) <= 3 and before.strip() == word[0]:
        return False  # "1. First"
    return not following.islower() or not bare.isascii() or len(bare) > 3
