"""Does a text state an outcome? Words from the lexicons, read in their clause.

Standard library only. A question, a negated, conditional or future mention is no outcome.
"""

from __future__ import annotations

import re
import unicodedata
from typing import (
    AbstractSet,
    Any,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Sequence,
    Set,
    Tuple,
)

from mempalace.clauses import Clause
from mempalace.sentences import ABBREVIATIONS, cut

# A token: no blank and no punctuation, but for an apostrophe inside and the underscore, so
# that `is_done` is not "done".
TOKEN = re.compile(r"[^\s!-/:-@\[-^`{-¿‐-⁯।॥۔؟،؛、。！？，；：「」『』（）【】・…]+(?:['’][^\W\d_]+)*")
CLAUSE = re.compile(r"[,;:()—–、，；：،؛]|\s[-–]\s|->|→")
CODE = re.compile(r"`[^`\n]*`|\S{0,200}(?:://|/[\w.-]{1,100}/)\S*")  # bounded: it is tried from every letter
ASKED = re.compile(r"[?？؟]")
REACH = 200  # letters on either side of an outcome in which a word unmakes it, where clauses have no word spaces
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f\uac00-\ud7af]")


class Language(NamedTuple):
    """What one language knows of outcomes; phrases are tuples of words."""

    spaces: bool
    before: FrozenSet[str]
    after: FrozenSet[str]
    breaks: FrozenSet[str]
    asks: FrozenSet[str]
    stop: FrozenSet[str]


class Runs:
    """Words matched inside of runs of letters.

    Anywhere in scripts without word spaces; in Korean, whose endings are too many to list, at
    the beginning of a word. Compiled when a text first needs it: eight milliseconds that English need not pay.
    """

    def __init__(self, codes: Mapping[str, str]) -> None:
        self.codes = codes
        self._pattern: "re.Pattern[str] | None" = None

    def found(self, text: str) -> "Iterator[re.Match[str]]":
        """Yield each hit in the text; `codes` tells the language of what it matched."""
        if not UNSPACED.search(text):
            return iter(())
        if self._pattern is None:
            self._pattern = self._compiled()
        return self._pattern.finditer(text)

    def _compiled(self) -> "re.Pattern[str]":
        beginnings = [word for word in self.codes if self.codes[word] == "ko"]
        anywhere = [word for word in self.codes if self.codes[word] != "ko"]
        patterns = [by_first(anywhere)] if anywhere else []
        if beginnings:
            patterns.append("(?<![가-힣])(?:%s)" % by_first(beginnings))
        return re.compile("|".join(patterns) or r"(?!)")


def by_first(words: Iterable[str]) -> str:
    """Return a pattern for the words, longest first, grouped by first letter.

    A thousand alternatives are tried one by one at every place; two hundred groups are not.
    """
    groups: Dict[str, List[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        groups.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join("%s(?:%s)" % (re.escape(first), "|".join(rests)) for first, rests in sorted(groups.items()))


class Lexicon(NamedTuple):
    """The outcome words of all languages, compiled for reading many texts.

    whole: word -> languages.  phrases: first word -> (words, language).  runs: the words of
    scripts without word spaces.  replies: single words that are a whole prompt in themselves
    ("yes", "okay"), and so open an answer.  stops: the stop words of all languages.
    """

    languages: Mapping[str, Language]
    whole: Mapping[str, Tuple[str, ...]]
    phrases: Mapping[str, Sequence[Tuple[Tuple[str, ...], str]]]
    runs: Runs
    abbreviations: FrozenSet[str]
    replies: FrozenSet[str]
    stops: FrozenSet[str]


def compile_lexicon(data: Iterable[Mapping[str, Any]], extra: Iterable[str] = ()) -> Lexicon:
    """Return the lexicons compiled; `extra` are a user's own outcome words, in any language."""
    languages: Dict[str, Language] = {}
    whole: Dict[str, Tuple[str, ...]] = {}
    phrases: Dict[str, List[Tuple[Tuple[str, ...], str]]] = {}
    runs: Dict[str, str] = {}
    abbreviations = set(ABBREVIATIONS)
    replies: Set[str] = set()
    stops: Set[str] = set()
    for lexicon in data:
        code = lexicon["language"]
        languages[code] = Language(
            lexicon["spaces"],
            frozenset(lexicon["unmade_before"]),
            frozenset(lexicon["unmade_after"]),
            frozenset(lexicon["breaks"]),
            frozenset(lexicon["asks"]),
            frozenset(lexicon["stop"]),
        )
        abbreviations.update(lexicon["abbreviations"])
        stops.update(lexicon["stop"])
        replies.update(word for word in lexicon["small_talk"] if " " not in word)
        for word in lexicon["outcomes"]:
            _place(word, code, lexicon["spaces"], whole, phrases, runs)
    for word in extra:
        spaced = not UNSPACED.search(word)
        _place(word.casefold().strip(), "en" if spaced else "zh", spaced, whole, phrases, runs)
    return Lexicon(
        languages, whole, phrases, Runs(runs), frozenset(abbreviations), frozenset(replies), frozenset(stops)
    )


def _place(
    word: str,
    code: str,
    spaces: bool,
    whole: Dict[str, Tuple[str, ...]],
    phrases: Dict[str, List[Tuple[Tuple[str, ...], str]]],
    runs: Dict[str, str],
) -> None:
    parts = tuple(word.split())
    if not parts:
        return
    if not spaces or code == "ko":
        runs[word] = code
    elif len(parts) > 1:
        phrases.setdefault(parts[0], []).append((parts, code))
    else:
        whole[word] = (*whole.get(word, ()), code)


def mentions(folded: str, lexicon: Lexicon) -> bool:
    """Tell whether a casefolded text holds an outcome word at all: the cheap first look."""
    tokens = set(TOKEN.findall(folded))
    if not lexicon.whole.keys().isdisjoint(tokens) or not lexicon.phrases.keys().isdisjoint(tokens):
        return True
    return not folded.isascii() and any(True for _ in lexicon.runs.found(folded))


def outcome_sentences(text: str, lexicon: Lexicon) -> List[str]:
    """Return the sentences of a normalised text that state an outcome, in order."""
    if not mentions(text.casefold(), lexicon):
        return []
    return [sentence for sentence in cut(text, lexicon.abbreviations) if states_outcome(sentence, lexicon)]


def states_outcome(sentence: str, lexicon: Lexicon) -> bool:
    """Tell whether one sentence states an outcome that holds.

    An outcome word counts unless its sentence asks, or a word earlier in its clause (a
    negation, a condition, a future), or in some languages a later one, unmakes it.
    """
    folded = CODE.sub(" ", sentence.replace("’", "'")).casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
    if ASKED.search(folded[-4:]) or not mentions(folded, lexicon):
        return False
    opening = TOKEN.findall(folded[:120])
    return any(
        _spaced(clause, opening, lexicon) or (not clause.isascii() and _unspaced(clause, lexicon))
        for clause in CLAUSE.split(folded)
    )


def _spaced(clause: str, opening: Sequence[str], lexicon: Lexicon) -> bool:
    """Tell whether a clause states an outcome in a script with word spaces."""
    tokens = TOKEN.findall(clause)
    hits: Dict[Tuple[int, int], List[str]] = {}
    for at, token in enumerate(tokens):
        for code in lexicon.whole.get(token, ()):
            hits.setdefault((at, 1), []).append(code)
        for parts, code in lexicon.phrases.get(token, ()):
            if tuple(tokens[at : at + len(parts)]) == parts:
                hits.setdefault((at, len(parts)), []).append(code)
    held = {*tokens, *opening}
    words = Clause(tokens)
    for (at, length), codes in hits.items():
        spoken = [lexicon.languages[code] for code in _likely(codes, held, lexicon)]
        if all(_stands(words, at, length, opening, language) for language in spoken):
            return True
    return False


def _likely(codes: Sequence[str], held: AbstractSet[str], lexicon: Lexicon) -> Sequence[str]:
    """Return those of a word's languages whose stop words the sentence holds most of."""
    if len(codes) < 2:
        return codes
    counts = [len(lexicon.languages[code].stop & held) for code in codes]
    return [code for at, code in enumerate(codes) if counts[at] == max(counts)]


def _stands(words: Clause, at: int, length: int, opening: Sequence[str], language: Language) -> bool:
    """Tell whether the hit at `at` is unmade neither by a question nor in its clause."""
    if any(" ".join(opening[:n]) in language.asks for n in range(1, 6)):
        return False
    if words.holds(language.before, words.last_end(language.breaks, at), at):
        return False
    behind = at + length
    return not words.holds(language.after, behind, words.first_end(language.breaks, behind))


def _unspaced(clause: str, lexicon: Lexicon) -> bool:
    """Tell whether a clause states an outcome in a script without word spaces, or in Korean."""
    return any(
        _stands_unspaced(clause, hit.start(), hit.end(), language)
        for hit in lexicon.runs.found(clause)
        for language in [lexicon.languages[lexicon.runs.codes[hit.group(0)]]]
    )


def _stands_unspaced(clause: str, start: int, end: int, language: Language) -> bool:
    if any(clause.startswith(ask) for ask in language.asks):
        return False
    near, far = max(0, start - REACH), min(len(clause), end + REACH)
    breaks = [(word, clause.rfind(word, near, start)) for word in language.breaks]
    begin = max((at + len(word) for word, at in breaks if at >= 0), default=near)
    stop = min((at for word in language.breaks if (at := clause.find(word, end, far)) >= 0), default=far)
    earlier = clause[begin:start]
    if (
        Clause(TOKEN.findall(earlier)).holds(language.before)
        if language.spaces
        else any(word in earlier for word in language.before)
    ):
        return False
    # What unmakes may overlap the outcome's own ending.
    return not any(clause.find(word, max(start, end - len(word) + 1), stop) >= 0 for word in language.after)
