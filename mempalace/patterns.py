"""Patterns of a program's words, as the table of kinds writes them. Standard library only.

The words of a pattern stand for, in order:
  install|i|ci     the next positional is one of these; `*` in them stands for any characters
  ...              any positionals, up to one that the next word takes
  $                no further positional
  --force|-f       one of these options is among the words, wherever (`-fu` holds `-f`)
  !--abort|--quit  none of these options is
  @main|master     the branch that is checked out is one of these
An empty pattern takes every call.
"""

from __future__ import annotations

from typing import AbstractSet, List, NamedTuple, Sequence, Tuple


class Call(NamedTuple):
    """A program's words as they are matched.

    words: as they are.  places: where among them each positional stands; options: those before `--`.
    """

    words: Tuple[str, ...]
    places: Tuple[int, ...]
    options: Tuple[str, ...]


def call(words: Sequence[str], valued: AbstractSet[str]) -> Call:
    """Return a program's words told apart; valued: its options that take the next word as their value."""
    places: List[int] = []
    options: List[str] = []
    at, ended = 0, False
    while at < len(words):
        word = words[at]
        if ended or not word.startswith("-") or word == "-":
            places.append(at)
        elif word == "--":
            ended = True
        else:
            options.append(word)
            at += word in valued
        at += 1
    return Call(tuple(words), tuple(places), tuple(options))


def matches(pattern: str, told: Call, branch: str) -> bool:
    """Tell whether a pattern takes a call. branch: the one that is checked out, "" where not known."""
    at, skipping = 0, False
    for token in pattern.split():
        sign = token[0]
        if token == "...":
            skipping = True
        elif token == "$":
            if at < len(told.places):
                return False
        elif sign == "@":
            if branch not in token[1:].split("|"):
                return False
        elif sign == "!":
            if _has(token[1:], told.options):
                return False
        elif sign == "-" and token != "-":
            if not _has(token, told.options):
                return False
        else:
            ends = range(at, len(told.places) if skipping else min(at + 1, len(told.places)))
            at = next((end + 1 for end in ends if _is(token, told.words[told.places[end]])), 0)
            skipping = False
            if not at:
                return False
    return True


def rest_after(pattern: str, told: Call) -> Sequence[str]:
    """Return the words of what a wrapper runs: those from the positional after the pattern's; none without a match."""
    taken = len(pattern.split())
    if len(told.places) <= taken or not matches(pattern, told, ""):
        return ()
    return told.words[told.places[taken] :]


def _has(alternatives: str, options: Sequence[str]) -> bool:
    for wanted in alternatives.split("|"):
        if any(_is(wanted, option) or _is(wanted, option.partition("=")[0]) for option in options):
            return True
        if len(wanted) == 2 and any(wanted[1] in option[1:] for option in options if _cluster(option)):
            return True
    return False


def _cluster(option: str) -> bool:
    return len(option) > 2 and option[1] != "-" and option[1:].isalpha() and len(option) <= 6


def _is(alternatives: str, word: str) -> bool:
    for one in alternatives.split("|"):
        if one == word:
            return True
        if "*" in one and _like(one, word):
            return True
    return False


def _like(pattern: str, word: str) -> bool:
    """Tell whether a word is a pattern's pieces in their order, with anything between them; in linear time."""
    first, *between, last = pattern.split("*")
    at, end = len(first), len(word) - len(last)
    if at > end or not word.startswith(first) or not word.endswith(last):
        return False
    for piece in between:
        found = word.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
