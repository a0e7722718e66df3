"""What a hostile message costs to mine: no word, repeated however often, costs many times what prose does.

A pattern or a loop that looks at the whole text again for each of its words would cost hundreds of times as much.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from table import Row
from transcripts import Session, mine

SIZE = 60_000  # characters of a message
GOAL = 30.0  # times what prose of the same length costs; the dearest, "password=" throughout, about 15
COMBINATIONS = 600
PROSE = "We looked at the lamp again, and the second lens was polished before the keeper came home. "
# What opens something, states something, or is looked for: each is repeated alone, and with others.
UNITS = [
    *"a A 漢 か カ é 1 1. . ... ! 。 -- — ` ( [ < { } ' $( ${a [a]( [a] <a> </ <!-- # | a_ aB a/ /a ~/ a@".split(),
    *"0x %20 sk- AKIA ghp_ eyJ user: password= http://a <system-reminder> \x1b[31m \u202e \u200b".split(),
    *(f"{word} " for word in "a А . ? , ; -- fixed decided never not but yet because a.b.c diff -----BEGIN".split()),
    *(f"{line}\n" for line in ("", "a", "# a", "> a", "- a", "1. a", "```", "+a", "@@ -1 +1 @@", "a: b", "a=1;")),
    " ", "\t", "\r\n", '"', "C:\\a\\", "https://a.b/c ", "token=a ", '"password": "a", ', "Traceback ",
    '  File "a", line 1\n', "[mempalace] ", "[/mempalace]", "[d:1234abcd] ", "was fixed by ", "always use a ",
    "use pnpm not npm ", "from now on ",
]  # fmt: skip


def cost(folder: Path, text: str) -> float:
    """Return the seconds of CPU that mining a session takes in which user and agent say the text."""
    session = Session("hostile", cwd="/work/lighthouse")
    session.user(text)
    session.agent(text)
    path = session.write(folder / "log" / "hostile.jsonl")
    began = time.process_time()
    mine(folder / "palace", path)
    return time.process_time() - began


def texts(units: Sequence[Sequence[str]]) -> list[str]:
    """Return each combination repeated in turn, and as one run of each unit behind the other."""
    found = []
    for several in units:
        together = "".join(several)
        found.append((together * (SIZE // len(together) + 1))[:SIZE])
        if len(several) > 1:
            part = SIZE // len(several)
            found.append("".join((unit * (part // len(unit) + 1))[:part] for unit in several))
    return found


def worst(folder: Path, units: Sequence[Sequence[str]]) -> tuple[float, str]:
    """Return how many times the cost of prose the dearest of them has, and how it begins."""
    prose = (PROSE * (SIZE // len(PROSE) + 1))[:SIZE]
    usual = statistics.median(cost(folder / f"prose{nr}", prose) for nr in range(5))
    return max((cost(folder / f"text{nr}", text) / usual, text[:40]) for nr, text in enumerate(texts(units)))


def test_what_each_word_costs_when_it_is_repeated(tmp_path: Path, note: Callable[[Row], None]) -> None:
    times, text = worst(tmp_path, [[unit] for unit in UNITS])
    note(Row(f"dearest of {len(UNITS)} words repeated, {text[:16]!r}, over prose", times, "x", GOAL))
    assert times < GOAL, text


@pytest.mark.sweep
def test_what_words_cost_that_are_repeated_together(tmp_path: Path, note: Callable[[Row], None]) -> None:
    choice = random.Random(7)
    times, text = worst(tmp_path, [choice.sample(UNITS, choice.randint(2, 3)) for _ in range(COMBINATIONS)])
    note(Row(f"dearest of {COMBINATIONS} combinations, {text[:16]!r}, over prose", times, "x", GOAL))
    assert times < GOAL, text
