"""A line of shell, read into its simple commands: quotes, here-documents, substitutions. Standard library only.

One pass, no way back: the time is linear in the line, and whatever is left open ends with the line.
"""

from __future__ import annotations

import re
from typing import List, NamedTuple, Tuple

from mempalace.cursor import Cursor

DEEPEST = 20  # substitutions and subshells within one another; what lies deeper is read as plain text
PLAIN = re.compile(r"[^\s\\'\"$`;&|()<>]+")
QUOTED = re.compile(r"[^\"\\$`]+")
ESAC = re.compile(r"\s*esac\b")
REDIRECT = re.compile(r"&>>?|[<>]{1,2}[&|]?")
TO_QUOTE, TO_TICK = re.compile(r"(?:[^'\\]|\\.)*", re.S), re.compile(r"(?:[^`\\]|\\.)*", re.S)
BACKSLASH, TICKED = re.compile(r"\\(.)", re.S), re.compile(r"\\([`\\$])")
LITERAL = {"n": "\n", "t": "\t", "r": "\r"}  # in $'...'; any other letter stands for itself


class Simple(NamedTuple):
    """One simple command as it stands, words before a redirect and after it alike.

    words: quotes taken off; a substitution is left as `$()`.  fed: its here-documents.
    """

    words: List[str]
    fed: List[str]


OPEN, CLOSE = Simple(["("], []), Simple([")"], [])  # a subshell or substitution begins, and ends


def parts(line: str, depth: int = 0) -> List[Simple]:
    """Return the line's simple commands in order, with OPEN and CLOSE (the very objects) around nested ones.

    What a substitution runs comes before the command whose word it is. Never raises.
    """
    reader = _Reader(line, depth)
    while reader.at < len(line):  # again after a stray closing parenthesis
        reader.line("")
    return reader.parts


class _Reader(Cursor):
    """Reads one text from left to right."""

    def __init__(self, text: str, depth: int) -> None:
        super().__init__(text)
        self.depth = depth
        self.parts: List[Simple] = []
        self.waiting: List[Tuple[str, bool, List[str]]] = []  # here-documents whose bodies follow the line

    def line(self, closer: str) -> None:
        """Read simple commands up to the closer, and past it."""
        text, simple, cases = self.text, Simple([], []), 0
        while self.at < len(text):
            char = text[self.at]
            words = simple.words
            testing = words[:1] == ["[["] and words[-1] != "]]"
            if char == "#":
                self.to("\n")
            elif char.isspace() and char != "\n":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif testing and char in "&|<>()":
                self.at += 1
            elif char in ";&|\n" and not text.startswith("&>", self.at):
                self.at += 1
                simple = self.done(simple)
                if char == "\n":
                    self.bodies()
                elif cases and text.startswith(";", self.at):
                    self.at += 1
                    cases -= self.pattern()
            elif char == "(":
                simple = self.parenthesis(simple)
            elif char == ")":
                self.at += 1
                simple = self.done(simple)
                if closer:
                    break
            elif char in "<>&":
                self.redirect(simple)
            else:
                words.append(self.word())
                if self.at < len(text) and text[self.at] in "<>" and words[-1].isdigit():
                    words.pop()  # the number of a stream
                if words[-1:] == ["in"] and words[0] == "case":
                    simple, cases = Simple([], []), cases + 1 - self.pattern()
        self.done(simple)

    def done(self, simple: Simple) -> Simple:
        """Keep a simple command that has words, and return an empty one."""
        if simple.words:
            self.parts.append(simple)
        return Simple([], [])

    def pattern(self) -> int:
        """Pass over the pattern of a case, and return 1 where there is none any more."""
        if ESAC.match(self.text, self.at):
            return 1
        self.past(")")
        return 0

    def parenthesis(self, simple: Simple) -> Simple:
        """Read a subshell, or pass over arithmetic, a function's `()` and the pattern of an extended glob."""
        self.at += 1
        if simple.words:
            return simple if self.past(")").strip() else Simple([], [])
        if self.text.startswith("(", self.at) and self.arithmetic():
            return simple
        self.nested()
        return simple

    def nested(self) -> bool:
        """Read a subshell or substitution up to its `)`; False, with nothing read, where it lies too deep."""
        if self.depth >= DEEPEST:
            return False
        self.depth += 1
        self.parts.append(OPEN)
        self.line(")")
        self.parts.append(CLOSE)
        self.depth -= 1
        return True

    def arithmetic(self) -> bool:
        """Pass over `(1 + 2))`, of which one parenthesis is read already; False where no `))` comes."""
        if "=" in self.missing:
            return False
        end = self.text.find("))", self.at)
        self.missing += "=" if end < 0 else ""
        self.at = end + 2 if end >= 0 else self.at
        return end >= 0

    def redirect(self, simple: Simple) -> None:
        """Read a redirect and its target; a here-document is noted, a process substitution is run."""
        text = self.text
        if text.startswith("<<", self.at) and not text.startswith("<<<", self.at):
            tabs = text.startswith("<<-", self.at)
            self.at += 3 if tabs else 2
            self.blanks()
            self.waiting.append((self.word(), tabs, simple.fed))
            return
        if text[self.at + 1 : self.at + 2] == "(" and text[self.at] in "<>":
            self.at += 2
            self.nested()
            simple.words.append("/dev/fd")
            return
        self.at += 3 if text.startswith("<<<", self.at) else len(REDIRECT.match(text, self.at)[0])  # type: ignore[index]
        self.blanks()
        self.word()

    def bodies(self) -> None:
        """Read the here-documents that were announced on the line before."""
        for ending, tabs, fed in self.waiting:
            rows: List[str] = []
            while self.at < len(self.text):
                row = self.past("\n")
                if (row.lstrip("\t") if tabs else row) == ending:
                    break
                rows.append(row)
            fed.append("\n".join(rows))
        self.waiting.clear()

    def word(self) -> str:
        """Read one word and return it without its quotes; "" where none begins here."""
        text, pieces = self.text, []  # type: str, List[str]
        while self.at < len(text):
            plain = PLAIN.match(text, self.at)
            if plain:
                self.at = plain.end()
                pieces.append(plain[0])
                if plain[0].endswith("=") and text.startswith("(", self.at):
                    self.past(")")  # a list of values
                continue
            char = text[self.at]
            if char.isspace() or char in ";&|()<>":
                break
            self.at += 1
            if char == "\\":
                pieces.append(text[self.at : self.at + 1].replace("\n", ""))
                self.at += 1
            elif char == "'":
                pieces.append(self.past("'"))
            elif char == '"':
                self.quoted(pieces)
            else:
                self.special(char, pieces)
        return "".join(pieces)

    def quoted(self, pieces: List[str]) -> None:
        """Read up to the closing double quote."""
        text = self.text
        while self.at < len(text):
            plain = QUOTED.match(text, self.at)
            if plain:
                self.at = plain.end()
                pieces.append(plain[0])
                continue
            char = text[self.at]
            self.at += 1
            if char == '"':
                return
            if char == "\\":
                after = text[self.at : self.at + 1]
                pieces.append("" if after == "\n" else after if after in '"\\$`' else "\\" + after)
                self.at += 1
            else:
                self.special(char, pieces, within=True)

    def special(self, char: str, pieces: List[str], *, within: bool = False) -> None:
        """Read what follows a `$` or a backtick; within: of double quotes."""
        text = self.text
        if char == "`":
            self.backticks()
            pieces.append("$()")
        elif text.startswith("(", self.at):
            self.at += 1
            known = (text.startswith("(", self.at) and self.arithmetic()) or self.nested()
            pieces.append("$()" if known else "$(")
        elif text.startswith("{", self.at):
            pieces.append("$" + self.past("}") + "}")
        elif text.startswith("'", self.at) and not within:
            self.at += 1
            self.escaped(pieces)
        elif text.startswith('"', self.at) and not within:
            self.at += 1
            self.quoted(pieces)
        else:
            pieces.append("$")

    def escaped(self, pieces: List[str]) -> None:
        """Read up to the closing quote of `$'...'`."""
        pieces.append(BACKSLASH.sub(lambda found: LITERAL.get(found[1], found[1]), self.up_to(TO_QUOTE)))

    def backticks(self) -> None:
        """Read a command in backticks, one backslash taken off before its quotes and its like."""
        inner = TICKED.sub(r"\1", self.up_to(TO_TICK))
        if self.depth < DEEPEST and inner:
            self.parts += [OPEN, *parts(inner, self.depth + 1), CLOSE]
