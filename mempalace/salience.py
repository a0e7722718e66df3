"""The salience of one text: -1 (structural junk) or 0 to 4. Standard library only."""

from __future__ import annotations

import re
import unicodedata

from mempalace.outcomes import Lexicon, outcome_sentences

EXCLUDED = -1
SHORTEST = 20  # characters; below it nothing but a rescued sentence is told
MOST_RULING = 0.18  # share of |-=+_ above which a text is a table, a diff or an ASCII rule
LEAST_PROSE = 0.78  # letters and blanks over all; story starts at 0.85 (tests/test_salience.py)
LEAST_PLAIN = 0.35  # share of plain words that makes a dense sentence a sentence

STAMPS = re.compile(r"^[\s\d:.,/+TZ_-]+$")
WRAPPERS = (
    "<system-reminder>",
    "<command-message>",
    "<local-command-caveat>",
    "<task-notification>",
    "[SYSTEM NOTIFICATION",
)
NOISE = (
    "tool_use",
    "tool_result",
    "```",
    "Exit code:",
    "cwd was reset",
    "Traceback (most recent call last)",
    "@@ -",
)
PROSE = re.compile(r"[^\W\d_]+|\s+")
ASCII_PROSE = bytes(c for c in range(128) if chr(c).isalpha() or chr(c).isspace())
RULING = b"|-=+_"
# What a machine printed inside a message, a fence or whole lines: no sentence of it states an
# outcome, and a text that is nothing else is not told.
PRINTED = re.compile(
    r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)"  # fences
    r"|^Traceback \(most recent call last\).*?^\S[^\n]*$"
    r"|^(?:Exception in thread|Caused by:|panic:|fatal error:|goroutine \d+|thread '[^\n]*' panicked|stack backtrace:"
    r"|Uncaught |Unhandled |note: run with|Node\.js v)[^\n]*$"
    r"|^(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure)\b(?::[^\n]*)?$"
    r"|^[ \t]+(?:at |File \"|\d+: |\.\.\. \d+ more)[^\n]*$"
    r"|^\S[^\s(]*\([^\n]*\)$|^\t\S+:\d+[^\n]*$|^created by [^\n]*$"  # go frames
    r"|^(?:diff --git|index [0-9a-f]+\.\.|@@ -|\+\+\+ |--- |[+-](?![ \t\d-]))[^\n]*$"
    r"|^\[?\d[\d-]*[T ]?\d{2}:\d{2}(?::\d{2})?[^\n]*$|^[A-Z][a-z]{2} +\d+ \d{2}:\d{2}:\d{2}[^\n]*$"  # logs
    r"|^\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|FAILED|PASSED|FAIL|PASS|ok)\b\]?[: ][^\n]*$"
    r"|^(?:\([^)\n]*line \d+\) )?\[(?:Error|Warn(?:ing)?|Info|Debug|Log)\][^\n]*$"  # browsers
    r"|^(?:error|warning|npm [A-Za-z!]+)(?:\[\w+\])?:? [^\n]*$"
    r"|^(?:export )?[A-Z][A-Z0-9_]+=[^\n]*$"  # environments
    r"|^[ \t]*(?:CREATE|ALTER|DROP|INSERT INTO|PRIMARY KEY|CONSTRAINT|FOREIGN KEY)\b[^\n]*$"
    r"|^[ \t]+\w+ [^\n]*\b(?:NOT NULL|DEFAULT)\b[^\n]*$|^\);?$"  # SQL
    r"|^(?:[ MADRCU?!]{2}|[MADRCU]) \S+(?: -> \S+)?$"  # git status
    r"|^[ \t]+(?:modified|deleted|new file|renamed|both modified):[^\n]*$"
    r"|^(?:On branch |Changes (?:not )?|Untracked files:|Your branch |  \(use )[^\n]*$",
    re.M | re.S,
)
PLAIN_WORD = re.compile(r"^[\"'“‘(*_]*[^\W\d_]+(?:['’-][^\W\d_]+)*[\"'”’)*_]*[.,;:!?]?[\"'”’)*_]*$")
SENTENCE_END = re.compile(r"[.!。！؟।॥…][\"'”’»)\]*_`」』）]*$")


def salience(text: str, lexicon: Lexicon) -> int:
    """Return a text's tier: -1 excluded; else outcome (2) + clean start (1) + no tool noise (1).

    Structure alone excludes, never a word that occurs; tool noise costs its point and never
    excludes. A text too short or too dense is kept, without the clean point, where one of its
    sentences states an outcome and reads as a sentence.
    """
    whole = " ".join(text.split())
    if not whole or STAMPS.match(whole) or whole.startswith(WRAPPERS) or ruling_share(whole) > MOST_RULING:
        return EXCLUDED
    spoken = PRINTED.sub("\n", text)
    if len(spoken.strip()) < SHORTEST and len(spoken) < len(text) // 2:
        return EXCLUDED
    outcomes = outcome_sentences(whole if spoken == text else " ".join(spoken.split()), lexicon)
    rescued = len(whole) < SHORTEST or prose_ratio(whole) < LEAST_PROSE
    if rescued and not any(map(reads_as_sentence, outcomes)):
        return EXCLUDED
    clean = not rescued and not whole[0].islower()
    noisy = any(mark in text for mark in NOISE) or len(spoken) < len(text) // 2
    return 2 * bool(outcomes) + clean + (not noisy)


def has_outcome(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a sentence of the text, machine output aside, states an outcome."""
    return bool(outcome_sentences(" ".join(PRINTED.sub("\n", text).split()), lexicon))


def prose_ratio(whole: str) -> float:
    """Return letters, marks and blanks over all characters, in [0, 1].

    Marks count as letters, or Hindi, Thai and Arabic would read as punctuation.
    """
    if whole.isascii():
        return 1 - len(whole.encode().translate(None, ASCII_PROSE)) / len(whole)
    rest = PROSE.sub("", whole)
    return 1 - sum(not unicodedata.category(char).startswith("M") for char in rest) / len(whole)


def ruling_share(whole: str) -> float:
    """Return the share of `|-=+_` among all characters, in [0, 1]."""
    raw = whole.encode("utf-8", "replace")
    return (len(raw) - len(raw.translate(None, RULING))) / len(whole)


def reads_as_sentence(sentence: str) -> bool:
    """Tell whether it opens as a sentence, ends as one, and is made of words enough.

    So "Chose Postgres." does, and `FAILED tests/test_a.py::test_b - AssertionError` does not.
    """
    opening = sentence.lstrip("*_\"'“‘(「『- ")
    if not opening or not opening[0].isalpha() or opening[0].islower() or not SENTENCE_END.search(sentence):
        return False
    tokens = [token for token in sentence.split() if token != "->"]
    if opening[:4].isupper() and len(tokens[0]) > 3:  # a log's level, a shouted tag
        return False
    plain = sum(bool(PLAIN_WORD.match(token)) for token in tokens)
    return plain >= max(LEAST_PLAIN * len(tokens), 1 if not sentence.isascii() else 2)
