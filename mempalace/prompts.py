"""Prompts that say nothing to search by. Standard library only: it is asked before anything else."""

from __future__ import annotations

from mempalace import lexicon

LONGEST = 60  # characters of a prompt that can be small talk
# Machine text and commands arrive as prompts too.
MACHINE = (
    "/",
    "!",
    "#",
    "<task-notification>",
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "[Request ",
)
EDGES = " \t\r\n.,;:!?…。、！？，~*_-–—'\"()[]👍🙏😊🎉✅"


def says_nothing(prompt: str) -> bool:
    """Tell whether a prompt is empty, a greeting, thanks, a bare go-ahead, a command or machine text.

    >>> says_nothing("Thanks!"), says_nothing("why did we leave Redis?")
    (True, False)
    """
    bare = prompt.strip()
    if len(bare) < 3 or bare.startswith(MACHINE):
        return True
    if len(bare) > LONGEST:
        return False
    words = " ".join(bare.strip(EDGES).replace("’", "'").casefold().split())
    if not words or words.isdigit():
        return True
    parts = [part.strip(EDGES) for part in words.replace("，", ",").replace("、", ",").replace("!", ",").split(",")]
    for code in lexicon.languages():
        known = frozenset(lexicon.load(code)["small_talk"])
        if words in known or all(part in known for part in parts if part):
            return True
    return False
