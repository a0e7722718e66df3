"""A place in a text that is read from left to right, once. Standard library only."""

from __future__ import annotations

import re


class Cursor:
    """A text and how far it is read; nothing of it is ever searched twice for what it does not hold.

    missing: characters known not to occur any more; without it a text of nothing but openings would
    be searched to its end for each of them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.missing = ""

    def up_to(self, pattern: "re.Pattern[str]") -> str:
        """Return what a pattern takes from here, and pass over it and the one character that ends it."""
        found = pattern.match(self.text, self.at)
        self.at = (found.end() if found else self.at) + 1
        return found[0] if found else ""

    def blanks(self) -> None:
        """Pass over blanks."""
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def past(self, char: str) -> str:
        """Go past the next such character, and return what lies before it."""
        start = self.at
        self.to(char)
        self.at += 1
        return self.text[start : self.at - 1]

    def to(self, char: str) -> None:
        """Go to the next such character, to the text's end where there is none."""
        end = -1 if char in self.missing else self.text.find(char, self.at)
        if end < 0:
            self.missing += "" if char in self.missing else char
            end = len(self.text)
        self.at = end
