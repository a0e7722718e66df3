"""The times a question speaks of: "ten days ago", "last March", "25 February 2024"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cache, cached_property
from typing import Any, NamedTuple
from unicodedata import decimal, normalize

DAY = 86400
AFTER = 10  # days after a day or a month in which people still speak of it
BLUR = 0.35  # of its unit: "two weeks ago" is seldom fourteen days to the day
LONGEST = 40000  # days: "2024年前" is no two thousand years ago
BUDDHIST = 543  # years that the Thai calendar is ahead
DIGIT = re.compile(r"[^\D0-9]")
WORD = re.compile(r"[^\W\d_]+")
# Words end where letters do in scripts that space them; Korean spaces words but hangs its particles on them.
PAIRS = "az ßɏ \u0300\u036f \u0400\u052f \u0621\u065f \u0670\u06d3 \u0900\u0963 \u0971\u097f \u1e00\u1eff".split()
LETTERS = [(pair[0], pair[1]) for pair in PAIRS]
LETTERS_AND_HANGUL = [*LETTERS, ("가", "힣")]
LETTER = "".join(map("-".join, LETTERS))
START = rf"(?:(?<![{LETTER}가-힣])|(?![{LETTER}가-힣]))"
END = rf"(?:(?![{LETTER}])|(?<![{LETTER}]))"
YEAR = r"(?:(?:19|20)\d{2}|25[4-9]\d)"
BIG_FIRST = re.compile(rf"(?<![\d.])({YEAR})(?:([-/.])(\d{{1,2}})\2(\d{{1,2}})|-(\d\d))(?![\d/]|\.\d)")
SMALL_FIRST = re.compile(rf"(?<![\d./-])(\d{{1,2}})([-/.])(\d{{1,2}})\2({YEAR})(?![\d/-]|\.\d)")
HAN = str.maketrans("〇零一二三四五六七八九", "00123456789")
FIGURE = "([0-9]{1,2}|[一二三四五六七八九十]{1,3})"
CJK = (
    rf"(?<![\d一二三四五六七八九十])(?:((?:19|20)\d{{2}}|[一二][〇零一二三四五六七八九]{{3}})\s?[年년]\s?)?"
    rf"{FIGURE}\s?[月월](?:\s?{FIGURE}\s?[日号號일])?"
)
ORDINAL = r"(?:st|nd|rd|th|er|º|°|ª|\.|-?(?:е|го|те))"
OF_YEAR = rf"(?:[,/']?\s?(?:(?:[^\W\d_]{{2,3}}|من عام|من سنة|عام|سنة|ปี|พ\.ศ\.|सन)\s?)?(?P<y2>{YEAR})(?!\d))?"


class Span(NamedTuple):
    """A stretch of time, Unix seconds, both ends included."""

    start: int
    end: int


_Hit = tuple[int, int, list[Span]]  # where in the text a time is spoken of, and what it may be


class Times:
    """Reads times in every language whose lexicon has the words for them."""

    def __init__(self, lexicons: Iterable[Mapping[str, Any]]) -> None:
        self._languages = [_Language(lexicon) for lexicon in lexicons if "times" in lexicon]

    def spans(self, text: str, now: int) -> list[Span]:
        """Return the stretches of time that a question speaks of, [] for none.

        A month without its year is the last one that has begun by `now`, and the one before.
        Words that are part of a longer time do not count: "the day before yesterday" is no yesterday.
        """
        folded = _fold(text)
        hits = list(_written(folded, now))
        said = frozenset(WORD.findall(folded))
        at_home = [len(said & language.stop) for language in self._languages]
        for language, familiar in zip(self._languages, at_home, strict=True):
            hits += language.hits(folded, now, familiar == max(at_home))
        found, last = dict[Span, None](), (-1, -1)
        for begin, end, spans in sorted((hit for hit in hits if hit[2]), key=lambda hit: (hit[0], -hit[1])):
            if end > last[1] or (begin, end) == last:
                last = (begin, end)
                found.update(dict.fromkeys(spans))
        return list(found)

    def ask_for_now(self, text: str) -> bool:
        """Tell whether a question asks how things are at present, in the language it is most likely in."""
        folded = _fold(text)
        said = frozenset(WORD.findall(folded))
        at_home = [len(said & language.stop) for language in self._languages]
        return any(
            next(_said(language.now, folded), None) is not None
            for language, familiar in zip(self._languages, at_home, strict=True)
            if familiar == max(at_home)
        )


class _Language:
    def __init__(self, lexicon: Mapping[str, Any]) -> None:
        times = lexicon["times"]
        self.months, self.weekdays = times["months"], times["weekdays"]
        self.units, self.numbers, self.phrases = times["units"], times["numbers"], times["phrases"]
        self.ambiguous = frozenset(times.get("ambiguous", ()))
        self.markers: list[str] = times.get("markers", [])
        self.ago, self.past, self.last = ([_frame(form) for form in times[key]] for key in ("ago", "past", "last"))
        self.now = dict.fromkeys(times.get("now", ()))
        self.stop = frozenset(lexicon.get("stop", ()))

    def hits(self, text: str, now: int, at_home: bool) -> Iterator[_Hit]:
        """Yield the times spoken of; a pattern is compiled once a text has a word for it."""
        for phrase, (first, last), begin, end in _said(self.phrases, text):
            place = _framed(text, begin, end, "", "")
            if place and (at_home or phrase not in self.ambiguous):
                yield *place, [_days(now, first, last)]
        today = datetime.fromtimestamp(now, UTC).weekday()
        for _, weekday, begin, end in _said(self.weekdays, text):
            back = today - weekday if weekday < 0 else (today - weekday) % 7 or 7  # -7: Monday of last week
            for place in (_framed(text, begin, end, before, after) for before, _, after in self.last):
                if place:
                    yield *place, [_days(now, -back, -back)]
        if any(_said(self.units, text)):
            yield from self._counts(text, now)
        for hit in self._dated.finditer(text) if any(_said(self.months, text)) else ():
            yield *hit.span(), self._date(hit, now)

    def _counts(self, text: str, now: int) -> Iterator[_Hit]:
        for hit in self._counted.finditer(text):
            unit, word = self.units[hit["u"]], hit["n"]
            days = unit * (1 if word is None else self.numbers.get(word) or float(word[:4].replace(",", ".")))
            blur = max(0.6, BLUR * unit)
            for forms, first, last in ((self.ago, -days - blur, blur - days), (self.past, -days - 1, 0)):
                for before, between, after in forms:
                    place = _framed(text, *hit.span(), before, after)
                    if place and between == ((hit["m"] or "") if word else None) and days < LONGEST:
                        yield *place, [_days(now, first, last)]

    def _date(self, hit: re.Match[str], now: int) -> list[Span]:
        day, year = int(hit["d1"] or hit["d2"] or 0), int(hit["y1"] or hit["y2"] or 0)
        if hit["month"] in self.ambiguous and not (day or year or hit["marker"]):
            return []
        return _dated(year, self.months[hit["month"]], day, now)

    @cached_property
    def _counted(self) -> re.Pattern[str]:
        between = _any({frame[1] for frame in self.ago + self.past if frame[1]})
        counted = rf"(?P<n>\d+(?:[.,]\d+)?|{_any(self.numbers)})\s?(?:(?P<m>{between})\s?)?"
        return re.compile(rf"{START}(?:{counted})?(?P<u>{_any(self.units)}){END}")

    @cached_property
    def _dated(self) -> re.Pattern[str]:
        return re.compile(
            rf"{START}(?:(?P<marker>{_any(self.markers)})\s)?(?:the\s)?(?<!\d)(?:(?P<y1>{YEAR})\s)?"
            rf"(?:(?P<d1>\d{{1,2}})(?!\d){ORDINAL}?(?:\s|(?![a-z]))(?:[^\W\d_]{{2}}\s)?)?"
            rf"(?P<month>{_any(self.months)})(?!\d)\.?(?:\s(?P<d2>\d{{1,2}}){ORDINAL}?(?!\d))?{OF_YEAR}{END}"
        )


def _fold(text: str) -> str:
    """Return the text in small letters, with ASCII digits and apostrophes, as the lexicons are written."""
    folded = normalize("NFC", text.casefold()).replace("i\u0307", "i").replace("\u2019", "'")
    return " ".join(DIGIT.sub(lambda digit: str(decimal(digit[0])), folded).split())


def _inside(text: str, at: int, letters: list[tuple[str, str]]) -> bool:
    """Tell whether a word goes on there: START and END by hand, for compiling them takes a millisecond."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and all(any(low <= char <= high for low, high in letters) for char in around)


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"


def _said(words: Mapping[str, Any], text: str) -> Iterator[tuple[str, Any, int, int]]:
    for word in words:
        at = text.find(word)
        while at >= 0:
            if not (_inside(text, at, LETTERS) or _inside(text, at + len(word), LETTERS)):
                yield word, words[word], at, at + len(word)
            at = text.find(word, at + 1)


def _frame(form: str) -> tuple[str, str | None, str]:
    """Return what stands before, between and after the blanks of a form; None if it has but one blank."""
    first, *middle, last = re.split(r"\s?\{\w+\}\s?", form)
    return first, middle[0] if middle else None, last


def _framed(text: str, begin: int, end: int, before: str, after: str) -> tuple[int, int] | None:
    """Return where the words and their frame stand, None if the frame is not around them."""
    begin -= (text[:begin].endswith(" ") + len(before)) if before else 0
    tail = end + (text.startswith(" ", end) if after else 0)
    end = tail + len(after)
    said = begin >= 0 and text.startswith(before, begin) and text.startswith(after, tail)
    whole = said and not (_inside(text, begin, LETTERS_AND_HANGUL) or _inside(text, end, LETTERS))
    return (begin, end) if whole else None


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(CJK)


def _written(text: str, now: int) -> Iterator[_Hit]:
    """Yield the dates written in figures, whatever the language."""
    for hit in BIG_FIRST.finditer(text):
        yield *hit.span(), _dated(int(hit[1]), int(hit[3] or hit[5]), int(hit[4] or 0), now)
    for hit in SMALL_FIRST.finditer(text):  # 25.02.2024, and Americans write 02/25/2024
        day, month, year = int(hit[1]), int(hit[3]), int(hit[4])
        turned = _dated(year, day, month, now) if hit[2] == "/" else []
        yield *hit.span(), _dated(year, month, day, now) + turned
    for hit in () if text.isascii() else _cjk().finditer(text):
        yield *hit.span(), _dated(_figure(hit[1] or "0"), _figure(hit[2]), _figure(hit[3] or "0"), now)


def _figure(word: str) -> int:
    """Return the number that figures, Western or Han, stand for."""
    tens, ten, ones = word.translate(HAN).partition("十")
    return int(tens or 1) * 10 + int(ones.strip("十") or 0) if ten else int(tens)


def days_in(year: int, month: int) -> int:
    """Return how many days a month has. The standard calendar tells too, and loads the locale's names."""
    return 31 if month == 12 else (date(year, month + 1, 1) - date(year, month, 1)).days


def _dated(year: int, month: int, day: int, now: int) -> list[Span]:
    """Return the day or month, in the year given, else in the last two years in which it has begun."""
    if not 1 <= month <= 12:
        return []
    today = datetime.fromtimestamp(now, UTC)
    year -= BUDDHIST if year > 2500 else 0
    years = [year] if year else [today.year - back for back in range(month > today.month, 3)]
    real = [y for y in years if day <= days_in(y, month)]
    starts = [int(datetime(y, month, day or 1, tzinfo=UTC).timestamp()) for y in real[:2]]
    return [Span(start - DAY, start + ((1 if day else 31) + AFTER) * DAY) for start in starts]


def _days(now: int, first: float, last: float) -> Span:
    """Return the stretch from `first` to `last` days from now, whole days of UTC."""
    midnight = now - now % DAY
    return Span(int(midnight + round(first) * DAY), int(midnight + (round(last) + 1) * DAY))
