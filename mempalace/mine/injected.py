"""What a harness, a hook or an editor put into a human's message, told apart by position."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A message that opens so is the harness's word, whole.
OPENINGS = (
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "[Request interrupted",
    "[SYSTEM NOTIFICATION",
    "Caveat:",
    "Base directory for this skill:",
    "Stop hook feedback:",
    "This session is being continued from a previous conversation",
)
# A stretch at a message's very start (or end) that is somebody else's.
LEADING = re.compile(
    r"\s*<(system[-_]reminder|system[-_]instruction|local-command-caveat|ide_opened_file|ide_selection|"
    r"user-prompt-submit-hook|session-start-hook|new-diagnostics|context ref=\"[^\"]*\"|mempalace(?: [^>]*)?)>"
    r".*?</(?:system[-_]reminder|system[-_]instruction|local-command-caveat|ide_opened_file|ide_selection|"
    r"user-prompt-submit-hook|session-start-hook|new-diagnostics|context|mempalace)>\s*",
    re.S,
)
REMINDER, REMINDED = "<system-reminder>", "</system-reminder>"
QUERY = re.compile(r"\s*<user_query>\s*(.*?)\s*</user_query>\s*\Z", re.S)
COMMAND = re.compile(r"\s*<command-(?:name|message)>")
ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.S)
# The wake-up and the recall of this very palace, where a harness repeats a hook's output as
# prose: memories must not feed on themselves.
OURS = re.compile(r"\s*(?:\w+ hook additional context: )?\[mempalace\b.*?\[/mempalace[^\]]*\]\s*", re.S)


def human_words(blocks: Sequence[str]) -> str:
    """Return what the human wrote among a message's text blocks, "" for nothing.

    An editor cuts one message at each mention of a file; such blocks are joined without a gap.
    """
    kept = [words for block in blocks if (words := _human(block))]
    text = ""
    for words in kept:
        seamless = not text or text[-1].isspace() or words[0].isspace() or text.endswith(")")
        text += words if seamless else "\n\n" + words
    return text.strip() and text


def _human(block: str) -> str:
    if COMMAND.match(block):
        given = ARGUMENTS.search(block)
        return given.group(1).strip() if given else ""
    block = unwrapped(block)
    return "" if block.lstrip().startswith(OPENINGS) or block.isspace() else block


def unwrapped(text: str) -> str:
    """Return a prompt without what a harness, a hook or this palace put around it, in any format."""
    while found := LEADING.match(text) or OURS.match(text):
        text = text[found.end() :]
    asked = QUERY.match(text)
    return _unreminded(asked.group(1) if asked else text)


def _unreminded(block: str) -> str:
    """Return the text without the reminder that ends it. No pattern: it would try every blank in turn."""
    bare = block.rstrip()
    start = bare.rfind(REMINDER) if bare.endswith(REMINDED) else -1
    return block if start < 0 else bare[:start].rstrip()
