"""A clause's words, and the phrases that stand among them. Standard library only."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

LONGEST = 4  # words of a phrase


class Clause:
    """The words of one clause; phrases are looked for once each, so that a long clause costs its length.

    Places are numbers of words, a phrase's end that of the word behind it.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self._found: Dict[FrozenSet[str], Tuple[List[Tuple[int, int]], List[int]]] = {}

    def last_end(self, phrases: FrozenSet[str], before: int) -> int:
        """Return where the last of the phrases that end at or before a place ends, 0 for none."""
        ends = self._spans(phrases)[1]
        at = bisect_right(ends, before)
        return ends[at - 1] if at else 0

    def first_end(self, phrases: FrozenSet[str], after: int) -> int:
        """Return the least end of the phrases that begin at or behind a place, the clause's end for none."""
        spans = self._spans(phrases)[0]
        at = bisect_left(spans, (after, 0))
        # One that begins four words later cannot end before this one.
        near = (end for start, end in spans[at : at + LONGEST * LONGEST])
        return min(near, default=len(self.tokens))

    def holds(self, phrases: FrozenSet[str], start: int = 0, stop: Optional[int] = None) -> bool:
        """Tell whether one of the phrases stands whole between two places, by default anywhere."""
        spans = self._spans(phrases)[0]
        at = bisect_left(spans, (start, 0))
        last = len(self.tokens) if stop is None else stop
        return any(end <= last for _, end in spans[at : at + LONGEST * LONGEST])

    def _spans(self, phrases: FrozenSet[str]) -> Tuple[List[Tuple[int, int]], List[int]]:
        """Return where the phrases stand, by their beginnings, and their ends in order."""
        if phrases not in self._found:
            tokens, count = self.tokens, len(self.tokens)
            spans = [
                (start, start + length)
                for start in range(count if phrases else 0)
                for length in range(1, min(LONGEST, count - start) + 1)
                if " ".join(tokens[start : start + length]) in phrases
            ]
            self._found[phrases] = (spans, sorted(end for _, end in spans))
        return self._found[phrases]
