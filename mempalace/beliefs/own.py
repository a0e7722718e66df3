"""What of a message is its writer's own prose, and not pasted from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONGEST = 2000  # characters of a paragraph; what is longer was not typed
WHOLE = 6000  # characters; of more than that, only the ends are somebody's own words
ENDS = 3  # paragraphs at each end
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
TAG = re.compile(r"\s*<([A-Za-z][\w.:-]*)")
CLOSING = re.compile(r"</([A-Za-z][\w.:-]*)\s*>")
ITEM = re.compile(r"\s*(?:[-*+•‣◦▪]|\(?\d{1,3}[.)]|\[[ xX]\])\s+")
DIFF = re.compile(r"diff --git |@@ |--- [ab]/|\+\+\+ [ab]/|Index: ")
IN_DIFF = re.compile(r"[-+ @\\]|index |new file|deleted file|similarity |rename |Binary |$")
# What programs print: a time, a level, a prompt, a stack, an error's name, a table, a key of JSON.
PRINTED = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\[[A-Za-z]+\][\s:]"
    r"|(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL|HINT|NOTE|TIP)\b[\s:\]]"
    r"|(?:error|warning|hint|note|tip|info|fatal|remote|npm ERR!|npm WARN|npm warn|npm error)(?:\[\w+\])?:?!?\s*:"
    r"|npm (?:ERR!|WARN|warn|error|notice)|\w*(?:Error|Exception|Warning): |at \S+ ?\(|File \"|Traceback"
    r"|[$%#❯➜] |>>> |\.\.\. |PS [A-Z]:|\||[{}\[\]<]|\"[\w.-]+\"\s*:|//|/\*|\*/|--\s)"
)
# From here on somebody else speaks: a heading, a mail's header, another's turn, an agent's screen.
FOREIGN = re.compile(
    r"#{1,6}\s|(?:From|To|Subject|Sent|Date|Cc|Von|An|Betreff|De|Objet|Assunto|Asunto):\s"
    r"|(?:\*\*)?(?:assistant|claude|agent|system|user|human|chatgpt|copilot|gemini|cursor|ai|bot|model)(?:\*\*)?\s*:"
    r"|[●⏺⎿✻✽╭│]|<<<<<<<|-----BEGIN |On .{5,80} wrote:",
    re.I,
)
QUOTED = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』"
    r"|`[^`\n]{1,600}`|(?<!\w)'[^'\n]{1,600}'(?!\w)|<[^<>\n]{1,300}>"
)


def paragraphs(text: str, introducing: "re.Pattern[str]") -> list[str]:
    """Return the paragraphs and list items that the writer typed, each on one line, in order.

    introducing: words that, in a line that ends in a colon, say that what follows is another's.
    Left out: fences, quotations, tags and what they hold, diffs, printed lines, indented code,
    all that follows a heading, a mail's header or another speaker's name, overlong paragraphs
    and, of a long message, all but its ends.
    """
    found = [part for part in _joined(_lines(text, introducing)) if len(part) <= LONGEST]
    if sum(map(len, found)) > WHOLE:
        return [*found[:ENDS], *found[ENDS:][-ENDS:]]
    return found


def masked(sentence: str) -> str:
    """Return the sentence with all that stands in quotation marks or tags blanked, at the same places."""
    return QUOTED.sub(lambda found: found[0][0] + "\x01" * (len(found[0]) - 2) + found[0][-1], sentence)


def _lines(text: str, introducing: "re.Pattern[str]") -> Iterator[str]:
    """Yield own lines, items with their mark, "" where a paragraph ends."""
    lines = text.split("\n")
    closings = _closings(lines) if "</" in text else {}
    fence, until, diff = "", -1, False
    for n, line in enumerate(lines):
        if not line:
            yield ""
            continue
        mark = FENCE.match(line)
        if fence or mark:
            if mark and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            yield ""
            continue
        if n <= until:
            continue
        diff = bool(DIFF.match(line)) or (diff and bool(IN_DIFF.match(line)))
        tag = TAG.match(line)
        if tag:
            until = max(n, closings.get(tag[1].casefold(), n))
        bare = line.strip()
        if FOREIGN.match(bare):
            return
        if diff or tag or _foreign(line, bare):
            yield ""
            continue
        yield line if ITEM.match(line) else bare
        if bare[-1:] in (":", "：") and introducing.search(bare[-200:].casefold()):
            return


def _foreign(line: str, bare: str) -> bool:
    """Tell whether one line is quoted, printed, ruled or indented as code is."""
    if not bare or bare[0] == ">" or not bare.strip("-=_*~ "):
        return True
    item = ITEM.match(line)
    return bool((line[:4] == "    " or line[:1] == "\t") and not item) or bool(PRINTED.match(line) and not item)


def _closings(lines: Sequence[str]) -> dict[str, int]:
    """Return where each tag is closed for the last time, by its name."""
    return {name.casefold(): n for n, line in enumerate(lines) if "</" in line for name in CLOSING.findall(line)}


def _joined(lines: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        item = ITEM.match(line)
        if held and (item or not line):
            yield " ".join(" ".join(held).split())
            held = []
        if line:
            held.append(line[item.end() :] if item else line)
    if held:
        yield " ".join(" ".join(held).split())
