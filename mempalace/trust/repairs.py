"""Which commits repaired something, by their subject: evidence of a defect in the files they touched."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mempalace.identity import drawer_id
from mempalace.store.history import MOST
from mempalace.store.ledger import FILE, WRONG, Outcome, subject_of

ORIGIN = "fix-commit"
WEIGHT = 0.5  # of a user's own word: a subject is a hint, and not every file it touched was at fault
SHORT = 120  # characters of a subject that are kept as the reason

# What may stand before the word that tells: a ticket, a tag of another kind, an area ("net/sched: fix ...").
BEFORE = r"^(?:#?\d+[ :-]{1,3}|\[?[A-Z][A-Z0-9]+-\d+\]?:? |[\w./*-]{1,30}: ){0,3}"
# Conventional commits, gitmoji and plain words: fix(lens)!: ..., [bugfix] ..., Fixes #12, hotfix/2.1 ...
FIX = re.compile(
    BEFORE + r"(?:[\[(]?(?:(?:bug|hot)[ -]?fix(?:es)?|bug|fix(?:e[sd]|ing)?)(?![\w-])|:(?:bug|ambulance):|🐛|🚑)"
    # The same words elsewhere, at the start of a subject.
    r"|^(?:fehler (?:in|bei|beim|im) |beheb|behob|korrigier|reparier|corrig|corrección|correç|arregl|consert"
    r"|répar|corregg|corrett|correzion|verhelp|herstel|repareer|napraw|popraw|исправ|почин|виправ|полагод|düzelt"
    r"|sửa lỗi|إصلاح)"
    r"|^(?:.{0,12})(?:修复|修正|不具合|버그|오류 수정|แก้บั๊ก|แก้ไข)",
    re.IGNORECASE,
)
REVERT = re.compile(r'^(?:revert(?:\([^)]*\))?!?: |revert "(?!revert "))', re.IGNORECASE)  # a revert's revert is none
# A type that says it is no fix of the product.
OTHER = re.compile(r"^(?:docs?|style|chore|test|tests|ci|build|refactor|feat|perf)(?:\([^)]*\))?!?:", re.IGNORECASE)
# What is mended where no behaviour was wrong.
COSMETIC = re.compile(
    r"\b(?:typos?|spelling|misspell\w*|grammar|wording|docs?|documentation|docstrings?|readme|changelog|comments?"
    r"|lint\w*|formatting|whitespace|indentation|tippfehler|faute de frappe|coquilles?|errat[ao]s?|refus[oi])\b"
    r"|опечат|одрук|literówk|yazım|错别字|誤字|タイポ|오타",
    re.IGNORECASE,
)


def is_repair(subject: str) -> bool:
    """Tell whether a commit's subject says that it mended a defect: a fix, a hotfix or a revert.

    Not where it mends wording, layout or documentation, nor where its type says that it is something
    else ("docs: fix ...").
    """
    told = " ".join(subject.split())
    if REVERT.match(told):
        return True
    return bool(FIX.match(told)) and not OTHER.match(told) and not COSMETIC.search(told)


def defects(
    subject: str, paths: Sequence[str], *, made_at: int, at: int, wing: int, weight: float = WEIGHT
) -> list[Outcome]:
    """Return one defect for each file that a repair touched; none of what is no repair or too wide to blame a file.

    made_at: when its author made it, by which it stays the same event when it is rebased or amended, or
    seen in another clone.  at: when it counts from.
    """
    if len(paths) > MOST or not is_repair(subject):
        return []
    known = f"{ORIGIN}\x1f{wing}\x1f{made_at}\x1f{subject}"
    why = " ".join(subject.split())[:SHORT]
    keys = [drawer_id(source=known, ordinal=0, text=path) for path in paths]
    return [
        Outcome(key, subject_of(FILE, path), wing, WRONG, weight, at, ORIGIN, why)
        for key, path in zip(keys, paths, strict=True)
    ]
