"""The table of kinds: which commands, files and words of prose choose what. Standard library only.

The table is data, `kinds.json` beside this module, and the same file in the palace over it:
kind -> subject -> option -> {commands, except, paths, names}. The subject keeps apart what does not
compete: pip is no contradiction of pnpm. How its patterns read: `mempalace.patterns`.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Pattern, Sequence, Tuple

from mempalace.commands import ASSIGNED, Command, program
from mempalace.patterns import Call, call, matches, rest_after
from mempalace.places import covers

FILE = "kinds.json"
SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE)
FIELDS = ("commands", "except", "paths", "names")
NESTED = 6  # commands within commands: `uv run python -m pytest`
ENDING = re.compile(r"[-.\d]+$")  # of python3.12, clang-format-15
NOTHING = ("--help", "--dry-run")  # with one of these nothing is done
ASKING = ("--version", "-V", "help")  # so do these, right after the program


class Choice(NamedTuple):
    """One option taken in the slot that kind and subject name."""

    kind: str
    subject: str
    option: str


class Rule(NamedTuple):
    """A pattern of a program's words; chosen: None for a wrapper, which runs what follows."""

    pattern: str
    chosen: Optional[Choice]


class Kinds:
    """A table that was read. observed: kinds whose choices by themselves tell a preference.

    wrong: what of the user's file could not be used, "" for nothing.
    """

    def __init__(self, data: Dict[str, Any], wrong: str = "") -> None:
        self.table: Dict[str, Dict[str, Dict[str, Dict[str, List[str]]]]] = data["kinds"]
        self.observed: FrozenSet[str] = frozenset(data["observed"])
        self.values: Dict[str, str] = data["values"]
        self.wrong = wrong
        self.rules: Dict[str, List[Rule]] = {}
        self.barred: Dict[Choice, List[str]] = {}
        self.paths: List[Tuple[str, Choice]] = []
        self._hints: Optional["Pattern[str]"] = None
        self._names: Optional[Tuple["Pattern[str]", Dict[str, List[Choice]]]] = None
        for kind, subjects in self.table.items():
            for subject, options in subjects.items():
                for option, told in options.items():
                    self._add(Choice(kind, subject, option), told)
        for pattern in data["wrappers"]:
            self._rule(pattern, None)

    def _add(self, choice: Choice, told: Dict[str, List[str]]) -> None:
        for pattern in told.get("commands", ()):
            self._rule(pattern, choice)
        if "except" in told:
            self.barred[choice] = told["except"]
        self.paths += [(glob, choice) for glob in told.get("paths", ())]

    def _rule(self, pattern: str, choice: Optional[Choice]) -> None:
        programs, _, rest = pattern.partition(" ")
        if rest.startswith("-m ") and programs == "python":
            module, _, rest = rest[3:].partition(" ")
            programs = "python -m " + module
        rule = Rule(rest, choice)
        for name in programs.split("|"):
            self.rules.setdefault(name, []).append(rule)

    def hints(self, line: str) -> bool:
        """Tell whether a line names a program of an observed kind: sooner too often than too seldom."""
        if self._hints is None:
            names = {
                name.rsplit(" ", 1)[-1]
                for name, rules in self.rules.items()
                if any(rule.chosen and rule.chosen.kind in self.observed for rule in rules)
            }
            self._hints = re.compile("|".join(map(re.escape, sorted(names))))
        return self._hints.search(line) is not None

    def of_command(self, command: Command, branch: str = "") -> Tuple[Choice, ...]:
        """Return what a command chooses, each once: its own choices, then those of the command it runs.

        branch: the branch that is checked out, "" where that is not known. Asking for help or a
        version, and a dry run, choose nothing.
        """
        found: Dict[Choice, None] = {}
        words: Sequence[str] = command.words
        for _ in range(NESTED):
            while words and ASSIGNED.match(words[0]):
                words = words[1:]
            if not words:
                break
            name, given = self._named(words)
            if not name or any(word in NOTHING for word in given) or tuple(given[:1]) in {(one,) for one in ASKING}:
                break
            told = call(given, frozenset(self.values.get(name, "").split()))
            for rule in self.rules[name]:
                if rule.chosen and matches(rule.pattern, told, branch) and not self._barred(rule.chosen, name, told):
                    found[rule.chosen] = None
            words = self._inner(name, told)
        return tuple(found)

    def _named(self, words: Sequence[str]) -> Tuple[str, Sequence[str]]:
        """Return the name under which the table knows a program, "" for none, and the words after it."""
        name = program(words[0])
        name = name if name in self.rules else ENDING.sub("", name)
        if name == "python" and "-m" in words[1:4]:
            at = words.index("-m")
            module = words[at + 1] if at + 1 < len(words) else ""
            name = "python -m " + module if "python -m " + module in self.rules else module
            return (name if name in self.rules else ""), words[at + 2 :]
        return (name if name in self.rules else ""), words[1:]

    def _barred(self, choice: Choice, name: str, told: Call) -> bool:
        for pattern in self.barred.get(choice, ()):
            programs, _, rest = pattern.partition(" ")
            if name in programs.split("|") and matches(rest, told, ""):
                return True
        return False

    def _inner(self, name: str, told: Call) -> Sequence[str]:
        """Return the words of the command that a wrapper runs, none where it is none."""
        inner = [rest_after(rule.pattern, told) for rule in self.rules[name] if rule.chosen is None]
        return min(filter(None, inner), key=len, default=())

    def of_path(self, path: str) -> Tuple[Choice, ...]:
        """Return what editing a file chooses; the path is relative to the project, with forward slashes."""
        return tuple(dict.fromkeys(choice for glob, choice in self.paths if covers(glob, path)))

    def mentioned(self, text: str) -> List[Tuple[int, int, Choice]]:
        """Return (start, end, choice) of every option that prose names, in order; of overlapping names the longest.

        One name may stand in several slots: the same span then comes once for each, in the table's order.
        """
        pattern, choices = self._names = self._names or self._compiled()
        found = []
        for match in pattern.finditer(text):
            for choice in choices[_plain(match[0])]:
                found.append((match.start(), match.end(), choice))
        return found

    def _compiled(self) -> Tuple["Pattern[str]", Dict[str, List[Choice]]]:
        """Return one pattern of all names, longest first, and what each stands for."""
        choices: Dict[str, List[Choice]] = {}
        written: Dict[str, str] = {}
        for kind, subjects in self.table.items():
            for subject, options in subjects.items():
                for option, told in options.items():
                    for name in told.get("names", ()):
                        word = name.rpartition(") ")[2].lstrip("`")
                        choices.setdefault(_plain(word), []).append(Choice(kind, subject, option))
                        written[name] = word
        names = sorted(written, key=lambda name: (-len(written[name]), name))
        either = "|".join(_before(name) + r"[\s-]+".join(map(re.escape, written[name].split())) for name in names)
        return re.compile("(?:%s)(?![\\w-])" % either, re.I), {
            name: list(dict.fromkeys(held)) for name, held in choices.items()
        }


def load(palace: str = "") -> Kinds:
    """Return the shipped table with the palace's `kinds.json` over it.

    The user's file has the same shape; an option set to null is taken out, lists replace lists.
    What cannot be used of it is left out and said in `wrong`.
    """
    with open(SHIPPED, encoding="utf-8") as file:
        data = json.load(file)
    path = os.path.join(palace, FILE) if palace else ""
    wrong = ""
    if path and os.path.exists(path):
        try:
            with open(path, encoding="utf-8-sig") as file:
                given = json.load(file)
            wrong = _merge(data, given)
        except (OSError, ValueError, RecursionError) as error:
            wrong = str(error)
    return Kinds(data, "%s: %s" % (path, wrong) if wrong else "")


def _merge(data: Dict[str, Any], given: Any) -> str:
    """Lay a user's table over the shipped one, and return what of it could not be used."""
    if not isinstance(given, dict) or not isinstance(given.get("kinds", {}), dict):
        return "must be an object with an object `kinds`"
    wrong = []
    for kind, subjects in given.get("kinds", {}).items():
        for subject, options in subjects.items() if isinstance(subjects, dict) else [("", None)]:
            held: Dict[str, Any] = options if isinstance(options, dict) else {"": False}
            for option, told in held.items():
                if told is None:
                    data["kinds"].get(kind, {}).get(subject, {}).pop(option, None)
                elif _sound(told):
                    place = data["kinds"].setdefault(kind, {}).setdefault(subject, {})
                    place[option] = {**place.get(option, {}), **told}
                else:
                    wrong.append("/".join(part for part in (kind, subject, option) if part))
    wrong += [field for field in given if field not in ("kinds", "observed", "wrappers")]
    for field in ("observed", "wrappers"):
        more = given.get(field, [])
        if _texts(more):
            data[field] = data[field] + more
        else:
            wrong.append(field)
    return "not usable: %s" % ", ".join(wrong[:5]) if wrong else ""


def _sound(told: Any) -> bool:
    return isinstance(told, dict) and all(field in FIELDS and _texts(value) for field, value in told.items())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)


def _before(name: str) -> str:
    """Return the pattern of what has to stand before a name: a backtick, one of some words, or a word's edge."""
    words = name[1:].partition(") ")[0].split("|") if name.startswith("(") else []
    if name.startswith("`"):
        return "(?<=`)"
    return "(?:%s)" % "|".join(r"(?<=\b%s )" % re.escape(word) for word in words) if words else r"(?<![\w-])"


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s-]+", name.lower()))
