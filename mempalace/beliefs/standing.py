"""Standing rules in a user's own messages, read without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mempalace import standing
from mempalace.beliefs.conventions import Context, conventions
from mempalace.beliefs.observation import STATED as WEIGHT
from mempalace.beliefs.observation import Observation
from mempalace.beliefs.own import paragraphs
from mempalace.beliefs.phrases import Phrases, Watch, compiled, pattern
from mempalace.beliefs.reach import everywhere, place
from mempalace.beliefs.statement import Rule, Sentence, rules, sentence
from mempalace.kinds import Kinds
from mempalace.model import USER
from mempalace.sentences import cut
from mempalace.words import words

MOST = 20  # rules of one message; who states more has pasted them


class Reader:
    """The languages in which rules are read, each compiled when a text first needs it."""

    def __init__(self, data: Iterable[Mapping[str, Any]]) -> None:
        self.data = {one["language"]: one for one in data}
        self.watch = Watch(self.data.values())
        self.introducing = pattern(word for one in self.data.values() for word in one.get("pasted", ()))
        self._compiled: dict[str, Phrases] = {}

    def heard(self, text: str) -> list[Phrases]:
        """Return the languages in which a text may state a rule, by their codes; mostly none."""
        return [self._language(code) for code in sorted(self.watch.sees(text.lower().replace("’", "'")))]

    def _language(self, code: str) -> Phrases:
        if code not in self._compiled:
            self._compiled[code] = compiled(self.data[code])
        return self._compiled[code]


def reader() -> Reader:
    """Return a reader of all languages that ship."""
    return Reader(standing.load(code) for code in standing.languages())


def observations(
    text: str, *, wing: int, at: int, key: str, drawer: str, reader: Reader, kinds: Kinds | None = None
) -> list[Observation]:
    """Return the standing rules that a user's message states, in its order, at most 20.

    key: what the message is known by; each rule adds its place in the message to it. wing: a rule
    that says it holds everywhere goes to wing 0. A sentence that asks, supposes, reports or speaks
    of one occasion states none, and nothing that was pasted does.
    """
    heard = reader.heard(text)
    if not heard:
        return []
    found: list[Observation] = []
    for one, phrases, rule in _stated(text, heard, reader, kinds):
        glob = place(one.said, one.folded, phrases)
        found.append(
            Observation(
                rule.kind, rule.subject, rule.option, 0 if everywhere(one.folded, phrases) else wing, rule.claim,
                USER, WEIGHT, at, f"{key}#{len(found):02d}", one.said, drawer, rule.polarity, glob, rule.corrects,
                rule.instead_of, rule.withdraws,
            )
        )  # fmt: skip
    return found if len(found) <= MOST else []


def _stated(
    text: str, heard: list[Phrases], reader: Reader, kinds: Kinds | None
) -> Iterator[tuple[Sentence, Phrases, Rule]]:
    """Yield each rule of a message with its sentence and the language it was read in."""
    context, announced = Context(), False
    english = any(one.language == "en" for one in heard)
    for paragraph in paragraphs(text, reader.introducing):
        for one in map(sentence, cut(paragraph)):
            set_, context = conventions(one.said, context) if english else ([], context)
            for phrases in _likely(one.folded, heard):
                announced = announced or bool(phrases.within("announces", one.folded))
                own = set_ if phrases.language == "en" else []
                found = list(rules(one, phrases, own, announced=announced, kinds=kinds))
                yield from ((one, phrases, rule) for rule in found)
                if found:
                    break


def _likely(folded: str, heard: list[Phrases]) -> list[Phrases]:
    """Return the languages a sentence may be in: those with the most of their small words in it."""
    if len(heard) == 1:
        return heard
    told = set(words(folded))
    most = max(len(told & one.small) for one in heard)
    return [one for one in heard if not one.spaces or len(told & one.small) == most]
