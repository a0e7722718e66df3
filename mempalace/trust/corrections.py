"""Does a prompt take back what the agent has just said? Words from the lexicons, read in their sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mempalace.outcomes import ASKED, CODE, TOKEN, by_first
from mempalace.sentences import sentences
from mempalace.store.cited import Reaction
from mempalace.store.ledger import CORRECT, WRONG

READ = 400  # characters of a prompt; a correction does not come after more
# After a word that opens: "no, it moved" takes something back, "no problem" and "no need to" do not.
PAUSE = r"(?=\s*(?:[,.;:!…—–、。，！；：،]|-\s|\n|$))"


class Corrections:
    """The words that take something back, in every language, compiled for reading many prompts."""

    def __init__(self, lexicons: Iterable[Mapping[str, Any]]) -> None:
        opening: set[str] = set()
        spaced: set[str] = set()
        inside: set[str] = set()
        for lexicon in lexicons:
            words = lexicon["corrections"]
            opening.update(words["opening"])
            (spaced if lexicon["spaces"] and lexicon["language"] != "ko" else inside).update(words["within"])
        self._opening = re.compile(rf"\W*(?:{by_first(opening) or '(?!)'}){PAUSE}")
        self._spaced = re.compile(rf" (?:{by_first(spaced) or '(?!)'}) ")
        self._inside = re.compile(by_first(inside) or r"(?!)")

    def corrects(self, prompt: str, *, after: str = "") -> bool:
        """Tell whether a prompt opens with or holds, in its first sentences, a word that takes back what was said.

        after: the agent's message before it. A "no" that answers its question takes nothing back,
        nor does what itself asks ("is that outdated?").
        """
        answers = bool(ASKED.search(after.rstrip()[-4:]))
        for place, sentence in enumerate(sentences(prompt[:READ])):
            folded = CODE.sub(" ", sentence.replace("’", "'")).casefold()
            if ASKED.search(folded[-4:]):
                continue
            if place == 0 and not answers and self._opening.match(folded):
                return True
            if self._spaced.search(f" {' '.join(TOKEN.findall(folded))} ") or self._inside.search(folded):
                return True
        return False


def judged(reactions: Sequence[Reaction], words: Corrections, *, quiet: bool) -> str | None:
    """Return what became of a memory that a session cited: wrong, correct, "" where nobody can tell, None for not yet.

    Wrong: the user's next words took back the message that cites it, with nothing said between.
    Correct: nobody did, and the session is quiet.  Where the agent had gone on talking, it may be
    that which was taken back. A memory that only a sub-agent cited was never put to the user.
    """
    doubts = [one for one in reactions if one.reply is not None and words.corrects(one.reply, after=one.said)]
    if any(one.directly for one in doubts):
        return WRONG
    if not quiet:
        return None
    return "" if doubts or not reactions else CORRECT
