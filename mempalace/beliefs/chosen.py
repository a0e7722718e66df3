"""The options of known kinds that an order chooses or rules out, told apart from those it only mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mempalace.beliefs.orders import Order
from mempalace.beliefs.phrases import Phrases
from mempalace.kinds import Choice, Kinds
from mempalace.model import AVOID, PREFER
from mempalace.words import words

NEAR = 1  # words between an order and its option: its verb
FAR = 6  # the same, where the verb comes last
BLANK = "\x01"
# What a name must stand apart from, where words do not: one sign of such a script beside it is no part of it.
BESIDE = re.compile(
    r"(?<=[A-Za-z0-9])[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff](?=[A-Za-z0-9])"
)
GOES_ON, CAME_BEFORE = re.compile(r"[.\-_/@:]\w"), re.compile(r"[\w.][.\-_/@]\Z|[@/]\Z")
SKIPPED = re.compile(r"[`'\"\s]*")


class Chosen(NamedTuple):
    """An option that is preferred or avoided. instead_of: the option of the same slot that it takes the place of."""

    choice: Choice
    polarity: str
    instead_of: str = ""


def chosen(said: str, folded: str, given: Order, phrases: Phrases, kinds: Kinds) -> list[Chosen]:
    """Return what an order chooses of the known kinds, in its order.

    folded: the sentence lower-cased, quotations blank; an option between double quotes is not
    chosen, one in backticks may be. What stands after `instead of` is what no longer holds.
    """
    apart = said if said.isascii() else BESIDE.sub(" ", said)
    named = [
        (start, end, choice) for start, end, choice in kinds.mentioned(apart)
        if start >= given.core and not _quoted(said, folded, start) and not _inside(said, start, end)
    ]  # fmt: skip
    slots = Counter((start, choice.kind, choice.subject) for start, _, choice in named)
    named = [one for one in named if slots[one[0], one[2].kind, one[2].subject] == 1]  # of two, no one can tell
    if not named:
        return []
    end, turn = _ends(folded, given, phrases), None
    if given.polarity == AVOID:
        turn = phrases.within("switch", folded, given.core + 1)
    else:
        turn = phrases.within("instead", folded, given.core)
    if given.polarity != AVOID and (over := phrases.within("replacing", folded)):
        old = [one[2] for one in named if one[0] < over.start()]
        wanted = _objects([one for one in named if one[0] >= over.end()], folded, over.end(), phrases)
        return [Chosen(choice, given.polarity, _same(choice, old)) for choice in wanted]
    border = turn.start() if turn else end
    first = _objects([one for one in named if one[0] < min(border, end)], folded, given.core, phrases)
    second = [one for one in named if turn and one[0] >= turn.end()]
    if given.polarity == AVOID:
        later = _objects(second, folded, turn.end() if turn else 0, phrases)
        return [
            *(Chosen(choice, AVOID) for choice in first),
            *(Chosen(choice, PREFER, _same(choice, first)) for choice in later),
        ]
    return [Chosen(choice, given.polarity, _same(choice, [one[2] for one in second])) for choice in first]


def _objects(named: Sequence[tuple[int, int, Choice]], folded: str, at: int, phrases: Phrases) -> list[Choice]:
    """Return the options that are what is ordered: right after the verb, after `with`, or joined to such a one."""
    found = []
    for start, end, choice in named:
        gap = [word for word in words(folded[at:start]) if word not in phrases.small]
        by = phrases.within("by", folded[max(at, start - 12) : start].rstrip().rpartition(" ")[2])
        near = len(gap) <= (FAR if phrases.ends else NEAR) and not phrases.within("apart", folded[at:start])
        if (near or by or not phrases.spaces) and not phrases.at("nouns", folded, _after(folded, end)):
            found.append(choice)
            at = end if start >= at else at
    return found


def _inside(said: str, start: int, end: int) -> bool:
    """Tell whether a name is a part of a longer one: of a file's, a path, a package's."""
    return bool(GOES_ON.match(said, end) or CAME_BEFORE.search(said[max(0, start - 2) : start]))


def _after(folded: str, end: int) -> int:
    found = SKIPPED.match(folded, end)
    return found.end() if found else end


def _same(choice: Choice, others: Sequence[Choice]) -> str:
    """Return the option of the same slot among others, "" for none."""
    return next((one.option for one in others if one[:2] == choice[:2] and one.option != choice.option), "")


def _ends(folded: str, given: Order, phrases: Phrases) -> int:
    """Return where what is ordered ends: before a clause that says when, or why."""
    found = phrases.within("clauses", folded, given.core + 1)
    return found.start() if found else len(folded)


def _quoted(said: str, folded: str, at: int) -> bool:
    return folded[at] == BLANK and said.rfind("`", 0, at) <= max(said.rfind(mark, 0, at) for mark in '"“„«「『<')
