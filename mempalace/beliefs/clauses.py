"""Where the clauses of a sentence begin, and what may stand before an order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mempalace.beliefs.phrases import Phrases
from mempalace.beliefs.reach import placed

CLOSE = 30  # characters between an order's beginning and its `always`
STEPS = 12  # openers and frames before an order
LEADING = ("fronts", "verbs", "frames", "always", "never", "stop", "onward", "prefer", "avoid", "switch", "each")
MOST = 12  # places in a sentence where an order may begin
BREAK = re.compile(r"[,;:()、，；：،؛]\s*|\s[-–—]\s|—|\s(?=\w)")
GAP = re.compile(r"[\s,:;–—-]*")


def starts(folded: str, first: int, phrases: Phrases) -> Iterator[int]:
    """Yield where a clause may begin: first the sentence, then after a break or a joining word.

    After a comma, or such a word, only where the sentence begins as an order or with when and
    where, and not within a clause that says what for: the rest of a tale is told too.
    """
    yield 0
    cue = phrases.within("always", folded) or phrases.within("never", folded)
    close = cue and cue.start() - first < CLOSE and "," not in folded[: cue.start()]
    if cue and close and phrases.at("fronts", folded, first):
        yield cue.start()  # "in tests always use ..."
    leads = first > 0 or not phrases.verbs or any(phrases.at(name, folded, first) for name in LEADING)
    border = phrases.within("clauses", folded, first + 1)
    inner = border.start() if border and not phrases.at("fronts", folded, first) else len(folded)
    given = 0
    for cut in BREAK.finditer(folded):
        weak = cut[0].isspace() or cut[0][0] in ",、，،"
        if weak and (not leads or cut.start() > inner):
            continue
        if not cut[0].isspace():
            yield cut.end()
        elif join := phrases.at("joins", folded, cut.end()):
            yield join.end()
        else:
            continue
        given += 1
        if given == MOST:
            return


def opened(folded: str, at: int, phrases: Phrases) -> int:
    """Return where a clause begins after its opening words."""
    for _ in range(STEPS):
        at = gap(folded, at)
        opener = phrases.at("openers", folded, at) or placed(folded, at, phrases)
        if not opener:
            break
        at = opener.end()
    return at


def gap(folded: str, at: int) -> int:
    """Return where the next word begins."""
    found = GAP.match(folded, at)
    return found.end() if found else at
