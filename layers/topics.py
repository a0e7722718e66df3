"""What else a project is about: the words and files that no chosen line has room for."""

from __future__ import annotations

import math
import os
import re
from typing import AbstractSet, Dict, FrozenSet, List, Mapping, NamedTuple, Sequence, Set, Tuple

from mempalace.store.story import Candidate, Worked
from mempalace.words import stem

HALVING = 3  # sessions after which a mention weighs half
MOST = 150  # words, or files, that are ever kept: more than any budget shows
# A word to search by: letters alone, four or more, or three capitals; a run of katakana or of
# Han that stands between other scripts, which is how Japanese writes its nouns.
WORD = re.compile(r"[^\W\d_]{4,}|\b[A-Z]{3}\b", re.ASCII)
ANY_WORD = re.compile(r"[\u30a0-\u30ff]{3,}|[\u3400-\u9fff]{2,6}|\b[A-Z]{3}\b|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{4,}")
HUMP = re.compile(r"([a-z0-9])([A-Z])")
# `code`, identifiers with a hump, an underscore or a point inside, names in mid-sentence.
NAMED = re.compile(r"`[^`\n]+`|\b\w+[._/-]\w[\w./-]*|\b\w*[a-z][A-Z]\w*|(?<=[a-z,] )[A-Z][A-Za-z]{3,}")
UNNAMED = 0.25  # of a word never seen as a name: "drift" says more of a project than "wait"
FEW = 15  # sessions below which a word's spread says little of it: of ASCII's words only names are told
MARKUP = re.compile(r"https?://\S+|```.*?(?:```|\Z)", re.S)


class Spoken(NamedTuple):
    """The words of one session: stem -> (how often, the form it was written in).

    named: stems that stood in `code`, inside an identifier, or capitalised in mid-sentence.
    """

    forms: Mapping[str, Tuple[int, str]]
    named: FrozenSet[str]


def spoken(drawers: Sequence[Candidate]) -> Spoken:
    """Return the words of one session that could be searched by."""
    forms: Dict[str, Tuple[int, str]] = {}
    named: Set[str] = set()
    for drawer in drawers:
        bare = MARKUP.sub(" ", drawer.text)
        for name in NAMED.findall(bare):
            named.update(stem(word.casefold()) for word in WORD.findall(HUMP.sub(r"\1 \2", name).replace("_", " ")))
        text = HUMP.sub(r"\1 \2", bare).replace("_", " ")
        for word in (WORD if text.isascii() else ANY_WORD).findall(text):
            shown = word if word.isupper() else word.casefold()
            key = stem(shown.casefold())
            count, form = forms.get(key, (0, shown))
            forms[key] = (count + 1, form)
    return Spoken(forms, frozenset(named))


def topics(sessions: Sequence[Spoken], told: AbstractSet[str], stops: AbstractSet[str]) -> List[str]:
    """Return the words most alive in the sessions (newest first) that the lines do not hold, best first.

    A word weighs the sum over its sessions of 2^(-age / 3) x (1 + ln count), times
    ln((n + 1) / (df + 1/2)), for every letter it takes, and less the seldomer it was seen as a
    name; stop words, words of more than half the sessions, and in less than 15 sessions words that
    were never a name ("looks", "start") are left out. Ties: by the word.
    """
    n = len(sessions)
    weight: Dict[str, float] = {}
    spread: Dict[str, int] = {}
    forms: Dict[str, str] = {}
    named: Dict[str, int] = {}
    for age, session in enumerate(sessions):
        for key in session.named:
            named[key] = named.get(key, 0) + 1
        for key, (count, form) in session.forms.items():
            weight[key] = weight.get(key, 0.0) + 2.0 ** (-age / HALVING) * (1.0 + math.log(count))
            spread[key] = spread.get(key, 0) + 1
            forms.setdefault(key, form)
    ranked: List[Tuple[float, str]] = []
    for key, form in forms.items():
        df = spread[key]
        if key in told or form.casefold() in stops or key in stops or df > max(n / 2, 1) or (df < 2 and n >= 10):
            continue
        if n < FEW and key not in named and form.isascii():
            continue
        share = UNNAMED + (_named_by_script(form) or (named.get(key, 0) / df) ** 2)
        ranked.append((-share * weight[key] * math.log((n + 1) / (df + 0.5)) / (len(form) + 2), form))
    return [form for _, form in sorted(ranked)[:MOST]]


def _named_by_script(form: str) -> float:
    """Return how likely a word is a name by its script alone: katakana and long Han compounds are."""
    if "\u30a0" <= form[0] <= "\u30ff":
        return 1.0
    return 0.6 if "\u3400" <= form[0] <= "\u9fff" and len(form) > 2 else 0.0


def places(sessions: Sequence[Sequence[Worked]]) -> List[str]:
    """Return the files edited most in the sessions (newest first), best first, as short as they stay clear.

    A file weighs the sum over its sessions of 2^(-age / 3). A name that two files share is
    shown with its folder. Ties: by the path.
    """
    weight: Dict[str, float] = {}
    for age, session in enumerate(sessions):
        for path in {worked.path for worked in session}:
            weight[path] = weight.get(path, 0.0) + 2.0 ** (-age / HALVING)
    names: Dict[str, Set[str]] = {}
    for path in weight:
        names.setdefault(os.path.basename(path), set()).add(_tail(path))
    found: List[str] = []
    for path in sorted(weight, key=lambda path: (-weight[path], path)):
        name = os.path.basename(path)
        shown = name if len(names[name]) == 1 else _tail(path)
        if shown not in found:
            found.append(shown)
    return found[:MOST]


def _tail(path: str) -> str:
    return "/".join(path.replace("\\", "/").split("/")[-2:])
