"""Does a text state an outcome? Words from the lexicons, read in their clause.

Standard library only. A question, a negated, conditional or future mention is no outcome.
"""

from __future__ import annotations

import re
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from mempalace.sentences import ABBREVIATIONS, cut

# A token: no blank and no punctuation, but for an apostrophe inside and the underscore, so
# that `is_done` is not "done".
TOKEN = re.compile(r"[^\s!-/:-@\[-^`{-¿‐-⁯।॥۔؟،؛、。！？，；：「」『』（）【】・…]+(?:['’][^\W\d_]+)*")
CLAUSE = re.compile(r"[,;:()—–、，；：،؛]|\s[-–]\s|->|→")
CODE = re.compile(r"`[^`\n]*`|\S*(?:://|/[\w.-]+/)\S*")
ASKED = re.compile(r"[?？؟]")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f\uac00-\ud7af]")


class Language(NamedTuple):
    """What one language knows of outcomes; phrases are tuples of words."""

    spaces: bool
    before: FrozenSet[str]
    after: FrozenSet[str]
    breaks: FrozenSet[str]
    asks: Tuple[str, ...]


class Lexicon(NamedTuple):
    """The outcome words of all languages, compiled for reading many texts.

    whole: word -> languages.  phrases: first word -> (words, language).  runs: what `any_run`
    matches -> language: words anywhere in scripts without word spaces, and beginnings of
    words in Korean, whose endings are too many to list.
    """

    languages: Mapping[str, Language]
    whole: Mapping[str, Tuple[str, ...]]
    phrases: Mapping[str, Sequence[Tuple[Tuple[str, ...], str]]]
    runs: Mapping[str, str]
    any_run: "re.Pattern[str]"
    abbreviations: FrozenSet[str]


def compile_lexicon(data: Iterable[Mapping[str, Any]], extra: Iterable[str] = ()) -> Lexicon:
    """Return the lexicons compiled; `extra` are a user's own outcome words, in any language."""
    languages: Dict[str, Language] = {}
    whole: Dict[str, Tuple[str, ...]] = {}
    phrases: Dict[str, List[Tuple[Tuple[str, ...], str]]] = {}
    runs: Dict[str, str] = {}
    abbreviations = set(ABBREVIATIONS)
    for lexicon in data:
        code = lexicon["language"]
        languages[code] = Language(
            lexicon["spaces"],
            frozenset(lexicon["unmade_before"]),
            frozenset(lexicon["unmade_after"]),
            frozenset(lexicon["breaks"]),
            tuple(lexicon["asks"]),
        )
        abbreviations.update(lexicon["abbreviations"])
        for word in lexicon["outcomes"]:
            _place(word, code, lexicon["spaces"], whole, phrases, runs)
    for word in extra:
        spaced = not UNSPACED.search(word)
        _place(word.casefold().strip(), "en" if spaced else "zh", spaced, whole, phrases, runs)
    ordered = sorted(runs, key=len, reverse=True)
    any_run = re.compile("|".join(map(re.escape, ordered)) or r"(?!)")
    return Lexicon(languages, whole, phrases, runs, any_run, frozenset(abbreviations))


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
    return not folded.isascii() and bool(lexicon.any_run.search(folded))


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
    if ASKED.search(folded[-4:]) or not mentions(folded, lexicon):
        return False
    clauses = CLAUSE.split(folded)
    return any(_holds(clause, folded, lexicon) for clause in clauses)


def _holds(clause: str, sentence: str, lexicon: Lexicon) -> bool:
    tokens = TOKEN.findall(clause)
    for at, length, code in _spaced_hits(tokens, lexicon):
        if _stands(tokens, at, length, sentence, lexicon.languages.get(code)):
            return True
    if clause.isascii():
        return False
    return any(
        _stands_unspaced(clause, hit.start(), hit.end(), lexicon.languages.get(lexicon.runs[hit.group(0)]))
        for hit in lexicon.any_run.finditer(clause)
    )


def _spaced_hits(tokens: Sequence[str], lexicon: Lexicon) -> Iterable[Tuple[int, int, str]]:
    for at, token in enumerate(tokens):
        for code in lexicon.whole.get(token, ()):
            yield at, 1, code
        for parts, code in lexicon.phrases.get(token, ()):
            if tuple(tokens[at : at + len(parts)]) == parts:
                yield at, len(parts), code


def _stands(tokens: Sequence[str], at: int, length: int, sentence: str, language: "Language | None") -> bool:
    """Tell whether the hit at `at` is unmade neither before nor after it in its clause."""
    if language is None:
        return True
    start = max((i + 1 for i in range(at) if tokens[i] in language.breaks), default=0)
    if start == 0 and sentence.lstrip("*_#>- \"'“").startswith(language.asks):
        return False
    if _held(tokens[start:at], language.before):
        return False
    if not language.after:
        return True
    later = tokens[at + length :]
    stop = next((i for i, token in enumerate(later) if token in language.breaks), len(later))
    return not _held(later[:stop], language.after)


def _held(tokens: Sequence[str], unmaking: FrozenSet[str]) -> bool:
    """Tell whether an unmaking word or phrase (up to four words) stands among the tokens."""
    return any(
        " ".join(tokens[i : i + n]) in unmaking
        for i in range(len(tokens))
        for n in range(1, min(4, len(tokens) - i) + 1)
    )


def _stands_unspaced(clause: str, start: int, end: int, language: "Language | None") -> bool:
    if language is None:
        return True
    begin = max((clause.rfind(word, 0, start) + len(word) for word in language.breaks if word in clause[:start]), default=0)
    ends = min((clause.find(word, end) for word in language.breaks if word in clause[end:]), default=len(clause))
    earlier, later = clause[begin:start], clause[end:ends]
    if _held(TOKEN.findall(earlier), language.before) if language.spaces else any(w in earlier for w in language.before):
        return False
    return not any(word in later for word in language.after)
