"""Prompts that say nothing to search by. Standard library only: it is asked before anything else."""

from __future__ import annotations

import re

from mempalace import lexicon

WORDS = 5  # of a greeting or an assent in any lexicon, at most
LONGEST = 60  # characters of a prompt that can be small talk
# Machine text arrives as prompts too.
MACHINE = (
    "!",
    "<task-notification>",
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "[Request ",
)
COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")  # a path has more slashes than that
EDGES = "¡¿ \t\r\n.,;:!?…。、！？，~*_-–—'\"()[]👍🙏😊🎉✅"
ENDS = re.compile(r"[.,;!?…。、！？，\n]+")  # between "thanks" and "go on"


def says_nothing(prompt: str) -> bool:
    """Tell whether a prompt is empty, a greeting, thanks, a bare go-ahead, a command or machine text.

    >>> says_nothing("Thanks!"), says_nothing("why did we leave Redis?")
    (True, False)
    """
    bare = prompt.strip()
    if len(bare) < 3 or bare.startswith(MACHINE) or COMMAND.match(bare):
        return True
    if len(bare) > LONGEST:
        return not any(map(str.isalnum, bare))
    told = bare.strip(EDGES).replace("’", "'").casefold()
    parts = [words for part in ENDS.split(told) if (words := " ".join(part.strip(EDGES).split()))]
    if not any(map(str.isalnum, told)) or all(map(str.isdigit, parts)):
        return True
    whole = " ".join(told.split())
    if any(len(part.split()) > WORDS for part in parts):
        return False  # said without reading eighteen lexicons, which takes ten milliseconds
    for code in lexicon.languages():
        known = frozenset(lexicon.load(code)["small_talk"])
        if whole in known or known.issuperset(parts):
            return True
    return False
