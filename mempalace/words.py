"""The words of a text, for comparing texts with one another. Standard library only."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import AbstractSet, FrozenSet, List, Pattern

# Marks are part of their word (Hindi, Thai, Arabic vowel signs), which `\w` does not say.
WORD = re.compile(r"[^\s\u0000-\u002f:-@\[-^`{-\u00bf‐-⁯⸀-⹿।॥۔؟،؛]+")
HUMP = re.compile(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])")
UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]+"
NEGATIONS = frozenset(
    (
        "not no never none nothing nor without cannot t isn aren wasn weren don doesn didn won nicht kein "
        "keine keinen nie ne pas jamais aucun sin nunca não sem non mai senza не нет без никогда niet geen "
        "nooit zonder bez ні немає değil yok hiç không chưa chẳng لا لم لن ليس بدون नहीं न मत बिना 안 못 않 않고 않기 "
        "ない なか なく なし ませ ずに ไม มิ ไร้"
    ).split()
)
NEGATING = frozenset("不没沒未無无非勿別别")  # in a pair of Han


def words(text: str) -> List[str]:
    """Return the text's words, casefolded, identifiers split at case, underscore and point.

    Runs without word spaces (Han, kana, Thai, Khmer, Lao, Burmese) come as character bigrams.

    >>> words("parseUserInput of ERR_CONN_7741")
    ['parse', 'user', 'input', 'of', 'err', 'conn', '7741']
    """
    if not text.isascii():
        return _any_script(text)
    return list(WORD.findall(_humps(text).replace("_", " ").casefold()))


def _humps(text: str) -> str:
    return HUMP.sub(r"\1\3 \2\4", text)


def _any_script(text: str) -> List[str]:
    found: List[str] = []
    for word in WORD.findall(_humps(text).replace("_", " ").casefold()):
        if word.isascii() or not unspaced().search(word):
            found.append(word)
            continue
        at = 0
        for run in unspaced().finditer(word):
            if run.start() > at:
                found.append(word[at : run.start()])
            found.extend(bigrams(run.group(0)))
            at = run.end()
        if at < len(word):
            found.append(word[at:])
    return found


@lru_cache(maxsize=None)
def unspaced() -> Pattern[str]:
    """Return the pattern of a run without word spaces; compiling it takes a millisecond."""
    return re.compile(UNSPACED)


def bigrams(run: str) -> List[str]:
    """Return the run's overlapping character pairs, or the run itself where it has one."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the word's crude stem: enough to meet its other forms, cheap, in any language.

    Cut to eight letters, English plural and past endings off. A real stemmer would be a
    package, and the wake-up has none.
    """
    if len(word) > 4:
        if word.endswith("ies"):
            word = word[:-3] + "y"
        elif word.endswith("ing") and len(word) > 6:
            word = word[:-3]
        elif (word.endswith("ed") and len(word) > 5) or (word.endswith("es") and len(word) > 5):
            word = word[:-2]
        elif word[-1] == "s" and word[-2] != "s":
            word = word[:-1]
    return word[:8]


def same(first: AbstractSet[str], second: AbstractSet[str], *, least: float = 0.8) -> bool:
    """Tell whether two word sets say the same: Jaccard >= `least`, and no telling difference.

    A negation, a number or an identifier in one and not the other tells them apart.
    """
    shared = len(first & second)
    if not shared or shared < least * (len(first) + len(second) - shared):
        return False
    return not any(map(_tells_apart, first ^ second))


def _tells_apart(word: str) -> bool:
    return word in NEGATIONS or any(char.isdigit() or char in NEGATING for char in word)


def word_set(text: str) -> FrozenSet[str]:
    """Return the set of the text's words."""
    return frozenset(words(text))
