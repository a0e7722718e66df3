"""Which room of its wing a message belongs in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mempalace.outcomes import TOKEN, UNSPACED, by_first

# In the order in which a tie is broken: what was settled before what was merely wished.
ROOMS = ("decisions", "problems", "outcomes", "preferences", "plans")
DEFAULT = "notes"
READ = 1200  # characters of a message that decide its room


class Rooms:
    """The lexicons' room words, ready to be looked up."""

    def __init__(self, lexicons: Iterable[Mapping[str, Any]]) -> None:
        self._words: dict[str, set[str]] = {}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._runs: dict[str, str] = {}
        for lexicon in lexicons:
            for room in ROOMS:
                for word in lexicon["rooms"][room]:
                    self._place(word, room, whole=lexicon["spaces"] and lexicon["language"] != "ko")

        self._run = re.compile(by_first(self._runs) or r"(?!)")

    def _place(self, word: str, room: str, *, whole: bool) -> None:
        parts = tuple(word.split())
        if not whole:
            self._runs[word] = room
        elif len(parts) > 1:
            self._phrases.setdefault(parts[0], []).append((parts, room))
        else:
            self._words.setdefault(word, set()).add(room)

    def of(self, text: str) -> str:
        """Return the room whose words the text holds most of, `notes` where it holds none."""
        folded = text[:READ].casefold().replace("’", "'")
        tokens = TOKEN.findall(folded)
        score = dict.fromkeys(ROOMS, 0)
        for at, token in enumerate(tokens):
            for room in self._words.get(token, ()):
                score[room] += 1
            for parts, room in self._phrases.get(token, ()):
                if tuple(tokens[at : at + len(parts)]) == parts:
                    score[room] += 2
        if not folded.isascii() and UNSPACED.search(folded):
            for word in set(self._run.findall(folded)):
                score[self._runs[word]] += 1
        best = max(ROOMS, key=lambda room: score[room])
        return best if score[best] else DEFAULT
