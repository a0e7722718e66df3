"""What SpecStory makes of tool calls: blocks with a summary or, at first, bare Markdown between rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mempalace.mine.shapes import TARGET_CHARS, target

NAME = re.compile(r'data-tool-name="([^"]*)"')
USED = re.compile(r"Tool use: \*\*([^*]*)\*\*(?: • )?")
LABEL = re.compile(r"(?:Run command|Read file|Edit file|Write file|Delete file|Command|Path|File): ?`?")
FENCE = re.compile(r"^```(\w*)\n", re.MULTILINE)
CODE = re.compile(r"^`([^`\n]+)`$", re.MULTILINE)
TAGS = re.compile(r"</?(?:tool-use|details)[^<>]*>")
NOTE = re.compile(
    r"Cancelled|undefined|Model provided invalid arguments to .*|URI is not a directory\."
    r"|Could not (?:resolve URI|find file)\b.*"
)  # what a tool said where its call failed
TOKEN = re.compile(
    r"^_\*\*(?P<who>User|Assistant|Agent)(?P<aside> - \w+)?(?: \((?P<note>[^)\n]*)\))?\*\*_[ \t]*$"
    r"|^<(?P<open>tool-use|think)\b|</(?P<close>tool-use|think)>[ \t]*$",
    re.MULTILINE,
)
SHELL = ("bash", "sh", "shell", "zsh", "powershell")


class Step(NamedTuple):
    """A tool call: the tool ("" where only its failure is told), and what it acted on."""

    tool: str
    target: str


class Piece(NamedTuple):
    """A turn's header, or a tool call or a thought (`tag`), and where it stands."""

    start: int
    end: int
    found: re.Match[str]
    tag: str


def pieces(text: str) -> Iterator[Piece]:
    """Yield the headers and blocks of a session; what looks like one inside a block is the block's."""
    tokens = list(TOKEN.finditer(text))
    opened: dict[str, list[int]] = {"tool-use": [], "think": []}
    closed: dict[int, int] = {}  # by the numbers of the tokens
    for number, token in enumerate(tokens):
        if token["open"]:
            opened[token["open"]].append(number)
        elif token["close"] and opened[token["close"]]:
            closed[opened[token["close"]].pop()] = number
    number = 0
    while number < len(tokens):
        token, last = tokens[number], closed.get(number, number)
        number, end = last + 1, tokens[last].end()
        if token["who"]:
            yield Piece(token.start(), end, token, "")
        elif token["open"]:
            if token is tokens[last]:  # it is never closed, so it ends where something else begins
                while number < len(tokens) and tokens[number]["close"]:
                    number += 1
                end = tokens[number].start() if number < len(tokens) else len(text)
            yield Piece(token.start(), end, token, token["open"])


def acted(block: str) -> Step | None:
    """Return the tool call of a `<tool-use>` block; nothing for the empty twin that marks its end."""
    name, (told, body) = NAME.search(block), _summary(block)
    used = USED.match(told)
    told = told[used.end() :] if used else told
    tool = name[1] if name else used[1] if used else "tool"
    body = TAGS.sub("", body).strip()
    if not told and not body:
        return None
    label = LABEL.match(told)
    if label:
        return Step(tool, told[label.end() :].rstrip("`")[:TARGET_CHARS])
    fence, code = FENCE.search(body), CODE.search(body)
    if code and (not fence or code.start() < fence.start()):
        return Step(tool, code[1][:TARGET_CHARS])
    if fence and fence[1] in (*SHELL, "json"):
        return Step(tool, target(body[fence.end() :].split("\n```", 1)[0].strip()))
    return Step(tool, told[:TARGET_CHARS])


def _summary(block: str) -> tuple[str, str]:
    """Return a block's summary, and the block without it."""
    start = block.find("<summary>")
    end = block.find("</summary>", start)
    if start < 0 or end < 0:
        return "", block
    return block[start + 9 : end].strip(), block[:start] + block[end + 10 :]


def steps(text: str) -> Iterator[tuple[int, str, Step | None]]:
    """Yield (offset, text, tool call or None) for an old turn's parts; prose that stands together is one."""
    start, end = -1, 0
    for offset, part in _ruled(text):
        step, blank = _step(part.strip()), not part.strip()
        if start >= 0 and (step or blank):
            yield start, text[start:end], None
            start = -1
        if step:
            yield offset, part, step
        elif not blank:
            start, end = offset if start < 0 else start, offset + len(part)
    if start >= 0:
        yield start, text[start:end], None


def _ruled(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, part) for what stands between rules with a blank line on either side, outside fences."""
    start = offset = 0
    inside = False
    lines = ["", *text.splitlines(keepends=True), ""]
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        inside ^= line.startswith("```")  # SpecStory's own fences are not indented, a diff's lines are
        if line.rstrip() == "---" and not (inside or before.strip() or after.strip()):
            yield start, text[start:offset]
            start = offset + len(line)
        offset += len(line)
    yield start, text[start:]


def _step(part: str) -> Step | None:
    """Return the tool call that a part tells, None for prose."""
    if part.startswith("<details>"):
        told, _ = _summary(part)
        return Step(told.split(" ", 1)[0].lower() or "tool", told[:TARGET_CHARS])
    if part.startswith("Read file: "):
        return Step("read", part[11:].split("\n", 1)[0].strip())
    if part.startswith("### Rule: "):
        return Step("rule", part[10:].split("\n", 1)[0].strip())
    if NOTE.fullmatch(part):
        return Step("", "")
    if part.startswith(("```bash\n", "```sh\n", "```diff\n")) and part.endswith("```"):
        command = part[part.index("\n") + 1 :].split("\n```", 1)[0]
        return Step("edit", "") if part.startswith("```diff") else Step("shell", target(command.strip()))
    return Step("edit", "") if part.startswith("```") and _is_code(part) else None


def _is_code(part: str) -> bool:
    """Tell whether nothing but blanks stands outside a part's code fences."""
    cut = f"\n{part}".split("\n```")  # outside, inside, outside, ...
    return len(cut) % 2 == 1 and not "".join(cut[::2]).strip()
