"""The lines a story may be told in: sentences and list items of what people and agents said."""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Set

from mempalace.outcomes import Lexicon
from mempalace.salience import EXCLUDED, salience
from mempalace.sentences import blocks, cut
from mempalace.store.story import Candidate
from mempalace.words import stem, words

SHORTEST, LONGEST = 25, 200  # characters of a line
PINNED, OUTCOME_CLEAN, OUTCOME_NOISY, PROMPT, OTHER = (
    "pinned",
    "outcome",
    "outcome, noisy",
    "prompt",
    "report",
)
CITED = re.compile(r"\[[dsb]:[0-9a-f]+\]")
CITED_AFTER = re.compile(r"(?<![.!?。！？…])([.!?。！？…]+) ?((?:\[[dsb]:[0-9a-f]+\] ?)+)")  # as our own lines are
TAGGED = re.compile(r"</?[a-zA-Z][\w-]*(?:\s[^>]*)?/?>")
PASTE = re.compile(r"^(?:#{1,6}\s|</?[a-zA-Z][\w-]*(?:\s[^>]*)?/?>)", re.M)
# Words beside stop words that a line without an outcome needs: "Excellent points, both." tells nothing.
TELLING = 3
ASKS = re.compile(r"[?？؟][\"'”’)）」*_]*$")


class Line(NamedTuple):
    """One line that may be told, and the drawer it stands in.

    tier: pinned, outcome, outcome noisy, prompt or report.  terms: its stemmed words.
    reply: it opens as an answer ("yes, ...") or asks: half of an exchange the reader does not see.
    """

    text: str
    tier: str
    drawer: Candidate
    terms: FrozenSet[str]
    word_set: FrozenSet[str]
    reply: bool


def lines_of(drawer: Candidate, lexicon: Lexicon) -> List[Line]:
    """Return the drawer's lines in order; none where the drawer is narration or excluded.

    No line: what is shorter than 25 or longer than 200 characters, an introduction ending in
    a colon, an agent's question, a heading, a quotation of this palace's own citations, hardly
    any word that is no stop word where there is no outcome. In a
    prompt nothing after a heading or a tag: people paste documents, and those are not their
    story. A pinned drawer has a line whatever it is: its opening where it has no other.
    """
    if not drawer.pinned and (drawer.kind == "narration" or drawer.salience == EXCLUDED):
        return []
    found = []
    for block, mark in blocks(drawer.text):
        if drawer.kind == "prompt" and (mark == "#" or TAGGED.match(block)):
            break
        if mark == "#" or mark == ">":
            continue
        for sentence in cut(CITED_AFTER.sub(r" \2\1 ", block), lexicon.abbreviations):
            line = _line(sentence, drawer, lexicon)
            if line is not None:
                found.append(line)
    return found or ([raw_line(drawer)] if drawer.pinned else [])


def lines_of_all(drawers: Iterable[Candidate], lexicon: Lexicon) -> List[Line]:
    """Return the lines of a session's drawers in order; a paste that began in one part ends the prompt."""
    found: List[Line] = []
    pasted: Set[int] = set()
    for drawer in drawers:
        if drawer.kind == "prompt" and drawer.message:
            if drawer.message in pasted and not drawer.pinned:
                continue
            if PASTE.search(drawer.text):
                pasted.add(drawer.message)
        found += lines_of(drawer, lexicon)
    return found


def raw_line(drawer: Candidate) -> Line:
    """Return the opening of a drawer as a line, whatever it is."""
    text = shortened(" ".join(drawer.text.split()))
    return Line(text, PINNED if drawer.pinned else OTHER, drawer, frozenset(), frozenset(words(text)), False)


def _line(sentence: str, drawer: Candidate, lexicon: Lexicon) -> "Line | None":
    text = shortened(sentence)
    if len(text) < (12 if not text.isascii() else SHORTEST) or text.startswith(("http://", "https://")):
        return None
    if text.rstrip("*_`").endswith((":", "：")) or CITED.search(text):
        return None
    if drawer.kind == "report" and ASKS.search(text):
        return None
    own = salience(text, lexicon)
    if own == EXCLUDED:
        return None
    terms = words(text)
    if not terms:
        return None
    rank = PINNED if drawer.pinned else tier(own, drawer.kind)
    if rank in (PROMPT, OTHER) and sum(term not in lexicon.stops for term in terms) < TELLING:
        return None
    reply = terms[0] in lexicon.replies or bool(ASKS.search(text))
    return Line(text, rank, drawer, frozenset(map(stem, terms)), frozenset(terms), reply)


def tier(own: int, kind: str) -> str:
    """Return a line's tier by its own salience and by who said it."""
    if own >= 4:
        return OUTCOME_CLEAN
    if own == 3:
        return OUTCOME_NOISY
    return PROMPT if kind in ("prompt", "note") else OTHER


def shortened(sentence: str, longest: int = LONGEST) -> str:
    """Return the sentence, cut at a word boundary with "..." where it is too long.

    >>> shortened("one two three", 11)
    'one two...'
    """
    if len(sentence) <= longest:
        return sentence
    room = sentence[: longest - 3]
    at = room.rfind(" ") if " " in room[longest // 2 :] else len(room)
    return room[:at].rstrip(" ,;:-–—(") + "..."


def session_terms(drawers: Iterable[Candidate]) -> Dict[str, int]:
    """Return how often each stemmed word occurs in one session's drawers."""
    counts: Dict[str, int] = {}
    for drawer in drawers:
        for word in words(drawer.text):
            term = stem(word)
            counts[term] = counts.get(term, 0) + 1
    return counts
