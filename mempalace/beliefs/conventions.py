"""The slots of coding conventions in an English sentence: what is named how, what every function must have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mempalace.beliefs.parts import BROAD, END, HOLD, PART, START, aspect, kind, parts, plural, presence, thing

LONGEST = 500  # characters of a sentence that is read
ONSET = re.compile(r"\s+(?:naming\b|\w{3,20}ing\b)", re.I)  # "start ending names with": `start` is no aspect there
OF = r"(?:all|any|every|each|of|your|our|my|the|new|python|these|both|and|existing|its|their)"
REACHES = re.compile(
    r"[\w\s,'\"`@()-]{0,80}?\b(?:in|for|to|of|on|into|within|at|across|with|(?<!and )when naming)\s"
    rf"(?:{OF}\s){{0,4}}\Z",
    re.I,
)
TOGETHER = re.compile(r"\s?(?:, and|,|and|or|&|/)\s?(?:your\s|the\s)?", re.I)
OWNER = re.compile(r"\bnames? (?:of|for|in) (?:\w+ ){0,2}\Z", re.I)  # "the argument names of your functions"
FRONT = re.compile(r"(?:[\w ]{1,24}, )?(?:\w+ ){0,3}?(?:for|when|whenever|while|in|to|regarding)\b[\w\s]*\Z", re.I)
DEFINITE = ("the ", "those ", "these ")
# What follows explains and orders nothing; and what is an example throughout.
ASIDE = re.compile(
    r",?\s(?:as in|such as|for example|for instance|e\.g\.|named|called|would (?:be|become|name)"
    r"|to (?:indicate|signify|denote|show|mean|represent))\b",
    re.I,
)
EXAMPLE = re.compile(
    r"\b(?:so,? if|if you (?:have|had|were)|imagine|let's say|suppose|this means|that means|you'd (?:name|call))\b",
    re.I,
)
# How a sentence says what must be without ordering it, or what is the custom; and what only tells.
MUST = re.compile(
    r"\b(?:should|must|shall|needs? to|ha(?:s|ve) to|are to|is to|going to be|names? to|standardizing|we'll be"
    r"|emphasi[sz]e (?:\w+ ){0,3}?(?:is )?the (?:importance|use|inclusion)|(?:do|adopt|follow|focus on) is"
    r"|conventions? to)\b"
)
MUST_BE = re.compile(r"\b(?:should|must|shall|a must)\b")
NEGATED = re.compile(r"\b(?:not|never)\b|n't\b")
CUSTOM = re.compile(
    r"\b(?:use of|usage of|using|adding|including|importing|(?:start|end)ing|is to|is that|importance of|a must"
    r"|we (?:\w+ )?(?:use|include|add|start|end|import|name|prefix|do))\b"
)
TELLING = re.compile(r"\W*(?:by |this |that |it |these |they )?\w{3,}ing\b|\W*(?:this|that|it|these|they)\b")
PAST = re.compile(r"\b(?:was|were|had|did|mentioned|discussed|talked|remember when|remember how|noticed|you've|saw)\b")
ABOUT_NAMES = re.compile(r"\b(?:names?|naming|named|prefix|suffix)\b", re.I)
THESE = re.compile(r"\b(?:this|these|those)\b", re.I)
MODULE = re.compile(r"\W{0,2}(?:module|library|package)\b", re.I)
IMPORTED = re.compile(r"\b(?:module|library|package)\W{1,3}\Z")
DECORATOR = re.compile(r"\W{0,2}decorator", re.I)
DECORATED = ("function", "method", "class")
NAMED = (*DECORATED, "variable", "attribute", "constant", "argument")
AFTERWARDS = re.compile(r"\b(?:(prefix|start|begin|beginning|front)|(suffix|end|ending)|(somewhere|within))\b", re.I)
AFFIX = re.compile(r"[A-Za-z0-9]{1,12}[_-]|[_-][A-Za-z0-9]{1,12}|[A-Za-z_-]{1,4}")


class Convention(NamedTuple):
    """One slot of a convention, and what fills it.

    weak: not about names, so that one order of this sort may be for one occasion.  adds: it stands
    beside others of its sort (a decorator, an import), so that its option is part of its subject.
    instead_of: what the sentence names as what no longer holds, where `adds`.
    """

    subject: str
    option: str
    claim: str
    weak: bool = False
    adds: bool = False
    instead_of: str = ""


class Context(NamedTuple):
    """What earlier sentences of the message spoke of: the things that "them" may mean."""

    things: tuple[str, ...] = ()


def prescribes(folded: str, announced: bool) -> bool:
    """Tell whether a sentence without an order in it says how things must be, or are by convention."""
    if PAST.search(folded) or TELLING.match(folded):
        return False
    first = PART.match(folded)
    if first and first["presence"]:  # "docstrings are important"
        return bool(MUST_BE.search(folded))
    return bool(MUST.search(folded)) or (announced and bool(CUSTOM.search(folded)))


def conventions(sentence: str, context: Context) -> tuple[list[Convention], Context]:
    """Return the conventions that a sentence sets, in order, and the context for the next sentence."""
    if len(sentence) > LONGEST or EXAMPLE.search(sentence):
        return [], context
    aside = ASIDE.search(sentence)
    reader = _Reader(sentence[: aside.start()] if aside else sentence, context)
    found = reader.read()
    return list(dict.fromkeys(found)), Context(reader.things or context.things)


class _Reader:
    """One pass over a sentence's parts, with the things and the place in a name that were named last."""

    def __init__(self, sentence: str, context: Context) -> None:
        self.text = sentence
        self.parts = parts(sentence)
        self.context = context
        self.things: tuple[str, ...] = ()
        self.fronted = ""  # the thing a sentence opens with: "when naming functions, ..."
        self.aspect = ""
        self.naming = bool(ABOUT_NAMES.search(sentence))
        self.decorating = "decorator" in sentence.casefold()

    def read(self) -> list[Convention]:
        found: list[Convention] = []
        old, gone = False, ""
        for n, part in enumerate(self.parts):
            sort = kind(part)
            if sort == "thing":
                self._hear(n)
            elif sort == "aspect":
                self._turn(part)
            elif sort == "old":
                old = True
            elif sort == "value" and old:
                old, gone = False, _bare(part)
                if found and found[-1].adds:
                    found[-1] = found[-1]._replace(instead_of=_like(found[-1].option, gone))
            else:
                new = list(self._set(n, sort))
                found += [one._replace(instead_of=_like(one.option, gone)) if one.adds and gone else one for one in new]
        return found

    def _set(self, n: int, sort: str) -> Iterator[Convention]:
        if sort == "presence":
            yield from self._presence(n)
        elif sort == "value":
            yield from self._valued(n)
        else:
            yield from self._quality(n, sort)

    def _hear(self, n: int) -> None:
        """Take note of the thing in the n-th part."""
        part = self.parts[n]
        one, before = thing(part), self.text[: part.start()]
        if self.things and (OWNER.search(before) or one in BROAD):
            return
        if self.things and n and kind(self.parts[n - 1]) == "thing" and self._beside(n - 1):
            self.things = (*self.things, one)
        elif not self.things and FRONT.match(before):
            self.things, self.fronted = (one,), one
        elif not (self.fronted and (before.casefold().endswith(DEFINITE) or one in self.fronted.split())):
            self.things = (one,)

    def _beside(self, n: int) -> bool:
        """Tell whether the part after the n-th is joined to it: "attribute and class names"."""
        return bool(TOGETHER.fullmatch(self.text[self.parts[n].end() : self.parts[n + 1].start()]))

    def _turn(self, part: re.Match[str]) -> None:
        if not (part[0].casefold().startswith(("start", "begin")) and ONSET.match(self.text, part.end())):
            self.aspect = aspect(part)

    def _whose(self, n: int) -> tuple[str, ...]:
        """Return the things that a value is for: those named right after it, else the last ones, else those before."""
        end = self.parts[n].end()
        for m in range(n + 1, len(self.parts)):
            part = self.parts[m]
            if kind(part) == "thing":
                one = thing(part)
                known = self.things and (one in BROAD or (self.fronted and one in self.fronted.split()))
                if not known and REACHES.fullmatch(self.text[end : part.start()]):
                    return (one, *self._joined(m))
                if one not in BROAD:
                    break
            elif kind(part) in ("value", "digit", "case") and not MODULE.match(self.text, part.end()):
                break
        return self.things or self.context.things

    def _joined(self, n: int) -> Iterator[str]:
        """Yield the things that stand beside the one in the n-th part."""
        for m in range(n + 1, len(self.parts)):
            if kind(self.parts[m]) != "thing" or not self._beside(m - 1):
                return
            yield thing(self.parts[m])

    def _quality(self, n: int, sort: str) -> Iterator[Convention]:
        part = self.parts[n]
        if sort == "case" and n + 1 < len(self.parts) and self.parts[n + 1].start() - part.end() < 4:
            return  # "a lower-case 'x_' prefix"
        for one in self._whose(n):
            if sort == "digit" and (self.naming or not self.things):
                yield Convention(f"{one} name digit", "a digit", f"include a single digit in {one} names")
            elif sort == "case" and (self.naming or one in NAMED):
                option = re.sub(r"[ _-]", "", part[0].casefold())
                yield Convention(f"{one} name case", option, f"use {part[0]} for {one} names")

    def _presence(self, n: int) -> Iterator[Convention]:
        part = self.parts[n]
        if THESE.search(self.text, max(0, part.start() - 40), part.start()):
            return
        what = presence(part)
        for one in self._whose(n) or ("code",):
            yield Convention(f"{one} {what}", what, f"{what}s in {plural(one)}", weak=True)

    def _valued(self, n: int) -> Iterator[Convention]:
        part, value = self.parts[n], _bare(self.parts[n])
        before = self.text[max(0, part.start() - 40) : part.start()].casefold()
        if MODULE.match(self.text, part.end()) or IMPORTED.search(before):
            yield Convention(f"import {value}", value, f"import the {value} module", True, True)
        elif self.decorating and (
            value.startswith("@") or DECORATOR.match(self.text, part.end()) or "decorator" in before[-18:]
        ):
            value = "@" + value.lstrip("@")
            for one in [one for one in self._whose(n) if self.things or one in DECORATED] or [""]:
                claim = f"add the {value} decorator" + (f" to {plural(one)}" if one else "")
                yield Convention(f"{one} decorator {value}".strip(), value, claim, True, True)
        elif (self.naming or AFFIX.fullmatch(value)) and " " not in value:
            yield from self._affixed(n, value)

    def _affixed(self, n: int, value: str) -> Iterator[Convention]:
        where = self.aspect or self._afterwards(n)
        for one in self._whose(n) if where else ():
            if where == HOLD:
                yield Convention(f"{one} name include {value}", value, f"include {value} in {one} names", False, True)
            else:
                yield Convention(f"{one} name {where}", value, f"{where} {one} names with {value}")

    def _afterwards(self, n: int) -> str:
        """Return where a value goes that is named before its place: "add 'x_' at the beginning"."""
        end = self.parts[n].end()
        found = AFTERWARDS.search(self.text, end, end + 60)
        return (
            next(name for name, word in zip((START, END, HOLD), found.groups(), strict=True) if word) if found else ""
        )


def _bare(part: re.Match[str]) -> str:
    return part[0].strip("'\"`“”‘’")


def _like(option: str, gone: str) -> str:
    """Return what no longer holds as its own belief calls it: a decorator with its sign."""
    return "@" + gone.lstrip("@") if option.startswith("@") else gone
