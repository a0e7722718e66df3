"""How far a stated rule reaches: everywhere, here, or in one place of the project."""

from __future__ import annotations

import re

from mempalace.beliefs.phrases import Phrases

# A path as people write one: with a slash that is no alternative ("and/or", "try/except"), or a glob.
PLACE = re.compile(
    r"\s*(?:the\s)?[`'\"]?((?:\.?/)?(?:[\w@.-]{1,64}/){1,12}(?:\*{1,2}/)?[\w@.*-]{0,64}|\*{1,2}[\w./*-]{1,64}|[A-Z][a-z]{2,12}file)[`'\"]?(?=[\s,.;:)]|\Z)"
)
TRIED = 8  # prepositions looked at


def everywhere(folded: str, phrases: Phrases) -> bool:
    """Tell whether a lower-cased sentence says that it holds for every project."""
    return bool(phrases.within("everywhere", folded))


def placed(folded: str, at: int, phrases: Phrases) -> re.Match[str] | None:
    """Return the place named at that point of a lower-cased sentence, after its preposition ("in packages/legacy")."""
    found = phrases.at("within", folded, at)
    return PLACE.match(folded, found.end()) if found else None


def place(sentence: str, folded: str, phrases: Phrases) -> str:
    """Return the glob of the place a rule is for, "" for none. A package's name with an @ is no place."""
    at = 0
    for _ in range(TRIED):
        found = phrases.within("within", folded, at)
        if not found:
            break
        named = PLACE.match(sentence, found.end())
        if named and not named[1].startswith("@"):
            return re.sub(r"^\./", "", named[1]).rstrip("./") or named[1]
        at = found.end()
    return ""
