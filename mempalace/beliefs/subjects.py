"""What a rule is about, by its structure: its words without its values are its subject, its values its option."""

from __future__ import annotations

import re

from mempalace.words import WORD, stem, unspaced, words

MOST = 8  # words of a subject
VALUE = re.compile(
    r"\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'(?!\w)|`[^`\n]{1,80}`|“[^”\n]{1,80}”|„[^“”\n]{1,80}[“”]|«[^»\n]{1,80}»"
    r"|「[^」\n]{1,80}」|@\w[\w./-]*|--?[a-z][\w-]*=?\w*|\b\w*[_\d./]\w[\w./-]*|\b[a-z]+[A-Z]\w*|(?<!\A)\b[A-Z]\w+"
)
# Why, or with what exception: no part of what is ordered.
REASON = re.compile(
    r"(?:,\s|\s)(?:so that|because|since|as (?:it|this|they|that|we)|to (?:ensure|avoid|help|keep|make sure|improve"
    r"|prevent|reduce|save|maintain|stay)|in order|even (?:if|though|when)|unless|for consistency|which|where"
    r"|instead of|rather than|over|and not|but not|not)\b.*|[;—].*|\s[-–]\s.*"
    r"|,\s(?:it|this|that|they|these|as|so|and|but|or|ok(?:ay)?|please|thanks|always|never)\b.*",
    re.I | re.S,
)
SAME = {
    "using": "use", "us": "use", "employ": "use", "utilize": "use", "utilis": "use", "adopt": "use", "prefer": "use",
    "favour": "use", "switch": "use", "favor": "use", "begin": "start", "finish": "end", "insert": "include",
    "incorpor": "include", "append": "add", "attach": "add", "put": "add",
}  # fmt: skip
ONSET = re.compile(r"(?:start|begin|keep|continue)\s(?=\w{3,20}ing\b)", re.I)  # "start using": use
ANYTHING = frozenset("project work task code everyth thing repo repositor app file".split())  # stems: no slot's name
ROLE = re.compile(r"\b(?:in|as|at|every|auf|als)\s\W?\Z", re.I)  # "answer in German": one holds at a time
FOR = re.compile(r"\s(?:for|when|as|during|in|on)\s", re.I)


def subject_of(core: str, small: frozenset[str]) -> tuple[str, str]:
    """Return (subject, option) of what is ordered, ("", "") where it says nothing.

    The subject is the stems of its verb and of what it is done to; quoted words, identifiers,
    names and numbers are the option. What is used for something is the option of that. A value
    that is all a verb is said of is part of the subject: it rules out no other value.
    """
    told = REASON.sub("", core).strip(" .!,:;。！")
    named = list(VALUE.finditer(told))
    values = [found[0].strip("\"'`“”„«»「」") for found in named]
    about = _words(ONSET.sub("", VALUE.sub(" ", told).strip()), small)[:MOST]
    if not about:
        return "", ""
    if values:
        alone = all(word in ANYTHING for word in about[1:]) and not ROLE.search(told[: named[0].start()])
        return " ".join([*about, *(value.casefold() for value in values)] if alone else about), " ".join(values)
    if about[0] == "use":
        used, *purpose = FOR.split(told, maxsplit=1)
        goal = [word for word in _words(" ".join(purpose), small) if word not in ANYTHING]
        option = [word for word in _words(used, small) if word != "use"]
        if goal and option:
            return " ".join(["use", *goal][:MOST]), " ".join(option[:MOST])
    if len(about) == 1 and about[0] in ("use", "add", "run"):
        return "", ""
    return " ".join(about), " ".join(about[about[0] == "use" and len(about) > 1 :])


def _words(text: str, small: frozenset[str]) -> list[str]:
    """Return the stems of a text's words, but for small ones; a run without word spaces stays whole."""
    found: list[str] = []
    for run in WORD.findall(text):
        found += [run] if unspaced().search(run) else [stem(word) for word in words(run) if word not in small]
    return [SAME.get(word, word) for word in found if len(word) > 1 or not word.isascii()]
