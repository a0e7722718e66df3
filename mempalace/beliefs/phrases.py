"""The words with which rules are stated in one language, compiled: found at a place of a sentence, or anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mempalace.words import stem

WORD = re.compile(r"\w+")
NOWHERE = re.compile(r"(?!)")
# The lists of a language's file; mempalace/standing says what each holds. A missing one is empty.
CUES = "always never onward each prefer avoid stop withdraws switch instead conventions".split()
LISTS = (
    *CUES,
    *"openers frames verbs corrects idle asks supposes once everywhere within joins pasted habits announces".split(),
    *"told statements asks_end vague soft needless later clauses by nouns replacing never_later apart".split(),
    *"fronts ever speaks tongues".split(),
)


class Phrases(NamedTuple):
    """One language's phrases, each list one pattern over lower-cased text.

    spaces: whether words stand apart.
    small: words that say nothing of what a rule is about.  verbs: the stems of what may be ordered.
    told: endings of verbs that tell what happens, and the words that only look so.  ends, ends_not:
    how a sentence ends that orders or forbids, where the verb comes last.
    """

    language: str
    spaces: bool
    small: frozenset[str]
    verbs: frozenset[str]
    told: tuple[tuple[str, ...], frozenset[str]]
    ends: tuple[str, ...]
    ends_not: tuple[str, ...]
    lists: Mapping[str, re.Pattern[str]]

    def at(self, name: str, text: str, place: int) -> re.Match[str] | None:
        """Return the phrase of a list that stands at that place of a text."""
        return self.lists[name].match(text, place)

    def within(self, name: str, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first phrase of a list from that place of a text on."""
        return self.lists[name].search(text, start)


def compiled(data: Mapping[str, Any]) -> Phrases:
    """Return one language's phrases compiled."""
    spaces = bool(data["spaces"])
    given = {"later": [*data.get("onward", ()), *data.get("always", ())], **data}
    return Phrases(
        data["language"],
        spaces,
        frozenset(data.get("small", ())),
        frozenset(stem(verb) for verb in data.get("verbs", ())),
        (tuple(data.get("told_endings", ())), frozenset(data.get("told_except", ()))),
        tuple(data.get("ends", ())),
        tuple(data.get("ends_not", ())),
        {name: pattern(given.get(name, ()), spaces) for name in LISTS},
    )


def pattern(phrases: Iterable[str], spaces: bool = True) -> re.Pattern[str]:
    """Return a pattern for any of the phrases, the longest first; whole words, where words stand apart."""
    given = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    if not given:
        return NOWHERE
    if not spaces:
        return re.compile("|".join(map(re.escape, given)))
    whole = (re.escape(phrase) + (r"(?![\w'])" if WORD.match(phrase[-1]) else "") for phrase in given)
    return re.compile(r"(?<!\w)(?:%s)" % "|".join(whole))


class Watch:
    """The cheap first look: which languages' cues a text holds."""

    def __init__(self, every: Iterable[Mapping[str, Any]]) -> None:
        self.first: dict[str, list[tuple[str, str]]] = {}
        self.runs: list[tuple[str, str]] = []
        for one in every:
            for cue in sorted({phrase for name in CUES for phrase in one.get(name, ())}):
                if one["spaces"]:
                    self.first.setdefault(WORD.findall(cue)[0], []).append((cue, one["language"]))
                else:
                    self.runs.append((cue, one["language"]))

    def sees(self, folded: str) -> frozenset[str]:
        """Return the languages of which a lower-cased text holds a cue."""
        given = [pair for word in self.first.keys() & set(WORD.findall(folded)) for pair in self.first[word]]
        if not folded.isascii():
            given += self.runs
        return frozenset(code for cue, code in given if cue in folded)
