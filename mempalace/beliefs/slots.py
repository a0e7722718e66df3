"""Slots: what is compared with what. Pure, standard library only; equality throughout, so that no order matters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, Tuple

from mempalace.model import AVOID, Belief

EDGES = "\"'`“”‘’«»「」.,;:!?()[]"  # what stands around a word, no part of it
LIGHT = frozenset("a an the please just also now so always ok okay well".split())  # say nothing of a claim
LINKS = frozenset("a an the of for in to on with and all any my our your new".split())  # join a subject's words


class Stance(NamedTuple):
    """A belief as it is compared. subject: its words, None for a claim that fills no slot."""

    kind: str
    subject: "Tuple[str, ...] | None"
    value: str
    polarity: str


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return a wording as it is compared: case folded, without the quotes and stops around its words.

    Signs within a word stay: `x_` and `x-` are two options.

    >>> plain("  Use `pnpm`,  never NPM. ")
    'use pnpm never npm'
    """
    words = (word.strip(EDGES) for word in text.casefold().split())
    return " ".join(word for word in words if word) or text.casefold().strip()


@lru_cache(maxsize=8192)
def value(option: str, claim: str) -> str:
    """Return what a belief says of its slot, as it is compared: its option, else its claim without light words."""
    if option.strip():
        return plain(option)
    words = plain(claim).split()
    return " ".join([word for word in words if word not in LIGHT] or words)


@lru_cache(maxsize=8192)
def subject_words(subject: str) -> Tuple[str, ...]:
    """Return a subject as it is compared: its words' stems, in order of the alphabet, each once.

    >>> subject_words("names of the functions") == subject_words("function names")
    True
    """
    words = re.split(r"[\s/,-]+", plain(subject))
    kept = [word for word in words if word and word not in LINKS] or [word for word in words if word]
    return tuple(sorted({_singular(word) for word in kept}))


def same_slot(kind: str, subject: str, other_kind: str, other_subject: str) -> bool:
    """Tell whether two claims of the same scope are about one slot: the same kind, the same subject."""
    return kind == other_kind and subject_words(subject) == subject_words(other_subject)


def stance(one: Belief) -> Stance:
    """Return a belief as it is compared.

    It fills a slot by its subject, or by an option of its kind; with neither it stands by itself.
    """
    fills = one.subject or (one.kind and one.option)
    subject = subject_words(one.subject) if fills else None
    return Stance(one.kind, subject, value(one.option, one.claim), one.polarity)


def rivals(one: Stance, other: Stance) -> bool:
    """Tell whether two beliefs cannot both be followed where both hold.

    Two options of one slot, where both are preferred; or one option of it, preferred and avoided.
    """
    if one.subject is None or (one.kind, one.subject) != (other.kind, other.subject):
        return False
    if one.polarity != other.polarity:
        return one.value == other.value
    return one.polarity != AVOID and one.value != other.value


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
