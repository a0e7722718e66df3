"""The parts of an English sentence about code: values, the things they are for, and where in a name they go."""

from __future__ import annotations

import re

START, END, HOLD = "start", "end", "include"  # where in a name an affix goes
KINDS = ("value", "digit", "case", "old", "aspect", "presence", "thing")
BROAD = ("code", "codebase", "part", "file", "script", "module")  # where a thing is, rather than a thing

_VALUE = (
    r"(?<!\w)'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|`[^`\n]{1,40}`|“[^”\n]{1,40}”|‘[^’\n]{1,40}’"
    r"|(?<![\w'])@\w[\w.]{1,40}|(?<![\w'])[A-Za-z]{1,5}_(?!\w)|(?<![\w'])_[A-Za-z]{1,5}(?!\w)"
)
_DIGIT = r"\b(?:a|one|any|at least one|exactly one)\s(?:single\s|numeric\s)?(?:digit|number)\b"
_CASE = (
    r"\b(?:upper |lower )?(?:camel|snake|pascal|kebab|screaming snake|title)[ _-]?case\b"
    r"|\b(?:all[ -])?(?:upper|lower)[ -]?case\b|\ball (?:caps|capitals)\b"
)
_OLD = r"\b(?:instead of|rather than|no longer|and not|but not|replac(?:e|ing)|from)\s(?=(?:\w+ ){0,3}['\"`“‘@])"
_ASPECT = (
    r"\b(?:begin(?:s|ning)?|start(?:s|ing)?|prefix(?:es|ed|ing)?|suffix(?:es|ed|ing)?|postfix|end(?:s|ing)?"
    r"|finish(?:es|ing)?|append(?:ing)?|prepend(?:ing)?|include[sd]?|including|inclusion|contains?|containing"
    r"|incorporat(?:e|es|ing)|have|having|insert(?:ing)?)\b"
)
_PRESENCE = (
    r"\b(?:doc[ -]?strings?|type (?:hints?|annotations?)|annotations?|comments?|commenting"
    r"|try(?:[-/ ]?except|[-/ ]?catch|[-/ ]?finally)?(?: and except)? ?(?:statements?|blocks?|clauses?)"
    r"|try[-/]?(?:except|catch)|asserts?(?:ion)?(?: statements?)?s?)\b"
)
_OWNED = (
    r"function|method|class|instance|static|private|public|global|local|environment|test|data|boolean|helper|type|enum"
    r"|interface|component|branch|file|module|package|database|table|column|css|event|api"
)
_THING = (
    r"functions?|methods?|variables?|attributes?|class(?:es)?|arguments?|parameters?|params?|args?|constants?|modules?"
    r"|files?|scripts?|branch(?:es)?|tests?|components?|interfaces?|enums?|tables?|columns?|endpoints?|types?"
    r"|propert(?:y|ies)|fields?|hooks?|migrations?|packages?|fixtures?|commits?|code ?base|code|parts?"
)
_NAMES = r"(?:\s(?:variable|argument|parameter|string))?(?:'s)?\s(?:names?|naming|identifiers?)\b"
PART = re.compile(
    f"(?P<value>{_VALUE})|(?P<digit>{_DIGIT})|(?P<case>{_CASE})|(?P<old>{_OLD})|(?P<aspect>{_ASPECT})"
    f"|(?P<presence>{_PRESENCE})"
    rf"|(?P<thing>\b(?:(?:{_OWNED})(?:'s)?\s)?(?:{_THING})(?:\svariables?)?\b(?:{_NAMES})?)",
    re.I,
)
NAME_WORDS = re.compile(r"\s(?:names?|naming|identifiers?)\Z|'s\b")
ARGUMENT = re.compile(r"\b(?:arguments?|parameters?|params?|args?)\b")
DOUBLED = re.compile(r"\b(argument|attribute|parameter|property|field)s? (?:variables?|argument)\Z")
ENDINGS = (("properties", "property"), ("classes", "class"), ("branches", "branch"))
PRESENT = (
    ("doc", "docstring"), ("type", "annotation"), ("annot", "annotation"), ("comment", "comment"),
    ("try", "try statement"), ("assert", "assert statement"),
)  # fmt: skip
ASPECTS = (("begin", START), ("start", START), ("pre", START), ("suffix", END), ("post", END), ("end", END))
ENDED = (("finish", END), ("append", END))


def parts(sentence: str) -> list[re.Match[str]]:
    """Return what a sentence speaks of, in order."""
    return list(PART.finditer(sentence))


def kind(part: re.Match[str]) -> str:
    """Return which of KINDS a part is."""
    return next(name for name in KINDS if part[name])


def thing(part: re.Match[str]) -> str:
    """Return the thing that a part names, in the singular: "class", "instance variable", "argument"."""
    words = NAME_WORDS.sub("", part[0].casefold())
    words = NAME_WORDS.sub("", words)
    for many, one in ENDINGS:
        words = words.replace(many, one)
    words = DOUBLED.sub(r"\1", ARGUMENT.sub("argument", words)).replace("code base", "codebase")
    words = " ".join(word if word.endswith("ss") else word.rstrip("s") for word in words.split())
    return "argument" if words in ("function argument", "method argument") else words


def presence(part: re.Match[str]) -> str:
    """Return what a part says that code must have: "docstring", "try statement"."""
    return next(name for head, name in PRESENT if part[0].casefold().startswith(head))


def aspect(part: re.Match[str]) -> str:
    """Return where in a name a part puts its value: START, END or HOLD."""
    word = part[0].casefold()
    return next((where for head, where in (*ASPECTS, *ENDED) if word.startswith(head)), HOLD)


def plural(one: str) -> str:
    """Return a thing's plural: "classes", "instance variables", "code"."""
    if one in ("code", "codebase"):
        return one
    if one.endswith("y"):
        return one[:-1] + "ies"
    return one + ("es" if one.endswith(("s", "ch")) else "s")
