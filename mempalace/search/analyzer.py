"""Texts into index terms: one analyzer for what is filed and what is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

import Stemmer

from mempalace.words import UNSPACED, WORD, bigrams, unspaced

SNOWBALL = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "pt": "portuguese", "it": "italian",
    "nl": "dutch", "ru": "russian", "uk": "russian", "tr": "turkish", "ar": "arabic", "hi": "hindi",
}  # fmt: skip
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# One word with inner structure: an identifier, a path, a version, a hash. Han, kana or Thai may
# touch it, so it ends where ASCII does.
IDENTIFIER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_./:@#+-]*[A-Za-z0-9])?")
JOINTS = str.maketrans("", "", "_-")
PLACE = re.compile(r"(?<=[A-Za-z_])(?::\d+)+$")  # the line, and column, behind a file's name
STRUCTURED = re.compile(r"[_./:@#+-]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
UNMARKED = str.maketrans({"ı": "i", "ß": "ss", "đ": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe"})
HANGUL = "[가-힣]+"
SCRIPTS = {"ru": r"[\u0400-\u04ff]", "ar": r"[\u0600-\u06ff]", "hi": r"[\u0900-\u097f]", "ko": HANGUL}
LONGEST = 64  # characters of a term


class Analyzer:
    """Makes index terms of texts. `stops` are the stop words of each language.

    A language is chosen per text: by script, else by whose stop words it holds most of.
    """

    def __init__(self, lexicons: Iterable[Mapping[str, Any]]) -> None:
        self.stops: dict[str, frozenset[str]] = {lex["language"]: frozenset(lex["stop"]) for lex in lexicons}
        latin = [code for code in self.stops if code not in ("ru", "uk", "ar", "hi", "ko", "zh", "ja", "th")]
        # stop word -> the languages written in Latin letters that have it
        self._latin: dict[str, list[str]] = {}
        for code in latin:
            for word in self.stops[code]:
                self._latin.setdefault(word, []).append(code)
        self._stems: dict[str, dict[str, str]] = {}
        self._stemmers: dict[str, Any] = {}

    def language(self, text: str, words: list[str]) -> str:
        """Return the language code a text is most likely in, `en` when nothing speaks for another."""
        if not text.isascii():
            for code, script in _scripts():
                if script.search(text):
                    return code
        counts: dict[str, int] = {}
        for word in self._latin.keys() & set(words):
            for code in self._latin[word]:
                counts[code] = counts.get(code, 0) + 1
        best = max(counts, key=lambda code: (counts[code], code == "en", code), default="en")
        return best if counts.get(best, 0) > 1 else "en"

    def terms(self, text: str, code: str = "") -> list[str]:
        """Return the text's terms in order: stop words out, words stemmed, identifiers split.

        code: its language, where that is known.
        """
        words = split(text)
        code = code or self.language(text, words)
        stops = self.stops.get(code, frozenset())
        known = self._stems.setdefault(code, {})
        return [known.get(word) or self.stem(word, code) for word in words if word not in stops]

    def stem(self, word: str, code: str) -> str:
        """Return a word's stem in a language; the word itself where there is no stemmer for it."""
        known = self._stems.setdefault(code, {})
        found = known.get(word)
        if found is None:
            found = known[word] = self._stem(word, code)
        return found

    def _stem(self, word: str, code: str) -> str:
        name = SNOWBALL.get(code)
        if name is None or word[0].isdigit() or (not word.isascii() and unspaced().match(word)):
            return fold(word[:LONGEST])
        if code not in self._stemmers:
            self._stemmers[code] = Stemmer.Stemmer(name)
        stemmed: str = self._stemmers[code].stemWord(word[:LONGEST])
        return fold(stemmed) or word[:LONGEST]


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """Return the word without accents: who types in haste leaves them out."""
    if word.isascii():
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not ("\u0300" <= c <= "\u036f"))
    return unicodedata.normalize("NFC", bare).translate(UNMARKED)


def split(text: str) -> list[str]:
    """Return a text's words, casefolded: identifiers split, unspaced scripts and Hangul in bigrams."""
    if text.isascii():
        return WORD.findall(HUMP.sub(" ", text).replace("_", " ").lower())
    text = unicodedata.normalize("NFKC", text)
    found: list[str] = []
    for word in WORD.findall(HUMP.sub(" ", text).replace("_", " ").casefold()):
        if word.isascii() or not _run().search(word):
            found.append(word)
        else:
            found.extend(_unspaced(word))
    return found


@cache
def _scripts() -> list[tuple[str, re.Pattern[str]]]:
    """Return each script that tells a language; compiled once a text is not ASCII, for it takes milliseconds."""
    return [(code, re.compile(script)) for code, script in SCRIPTS.items()]


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"{UNSPACED}|{HANGUL}")


def _unspaced(word: str) -> list[str]:
    found: list[str] = []
    at = 0
    for run in _run().finditer(word):
        if run.start() > at:
            found.append(word[at : run.start()])
        found.extend(bigrams(run.group(0)))
        at = run.end()
    return [*found, word[at:]] if at < len(word) else found


def identifiers(text: str) -> list[str]:
    """Return the words with inner structure, whole and casefolded, and the last part of a path.

    Without what joins their parts: parse_user_input is parseUserInput.

    >>> identifiers("see src/app/main.py:42 for ERR_CONN_7741")
    ['src/app/main.py', 'main.py', 'errconn7741']
    """
    found: list[str] = []
    for word in IDENTIFIER.findall(text):
        if len(word) > 2 and STRUCTURED.search(word):
            whole = PLACE.sub("", word.lower()).translate(JOINTS)
            found.append(whole[-LONGEST:])
            if "/" in whole:
                found.append(whole.rsplit("/", 1)[1][-LONGEST:])
    return found
