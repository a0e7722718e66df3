"""The prompt hook's gate: how often it lets something through, and how often that is right.

`python tests/benchmarks/bench_gate.py --longmemeval PATH --locomo PATH`. Each question is put to
its own palace and to another's, where whatever passes is wrong. Right is a turn of a session that
answers; in LoCoMo, where a palace is one long talk, evidence itself or a turn beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import locomo
import longmemeval
from retrieval import Palace, Turn, arguments, each, palace_of, watched

from mempalace.layers.prompt_recall import CANDIDATES, ITEMS, passing

APART = 7  # questions lie between one and the palace of another that it is put to
BESIDE = 1  # turns beside evidence that count as right in LoCoMo


class Gate:
    """What passed: of the questions put to their own palace, and of those put to another's."""

    def __init__(self) -> None:
        self.own = self.first = self.other = self.given = self.first_right = self.given_right = self.wrong = 0

    def own_palace(self, turns: list[Turn], right: Callable[[Turn], bool]) -> None:
        """Count a question put to its own palace."""
        self.own += 1
        self.first += bool(turns)
        self.first_right += bool(turns) and right(turns[0])
        self.given += len(turns)
        self.given_right += sum(map(right, turns))

    def other_palace(self, turns: list[Turn]) -> None:
        """Count a question put to somebody else's palace."""
        self.other += 1
        self.wrong += bool(turns)

    def told(self) -> str:
        """Return the figures on one line, in per cent."""
        return (
            f"right palace: shown {_share(self.first, self.own)}, precision of the first "
            f"{_share(self.first_right, self.first)}, of all given {_share(self.given_right, self.given)}; "
            f"wrong palace: shown {_share(self.wrong, self.other)} (n {self.own}, {self.other})"
        )


def main() -> None:
    """Put the questions of both sets and print what passes."""
    given = arguments(str(__doc__), "--longmemeval", "--locomo").parse_args()
    print("LongMemEval-S", of_longmemeval(given.longmemeval).told(), flush=True)
    print("LoCoMo", of_locomo(given.locomo).told(), flush=True)


def of_longmemeval(path: str) -> Gate:
    """Return what passes of LongMemEval's questions; a few palaces are kept for later questions."""
    gate, kept = Gate(), list[tuple[Palace, set[str], ExitStack]]()
    for question in watched(longmemeval.questions(path), "question"):
        text, now, gold = question["question"], longmemeval.moment(question["question_date"]), answers(question)
        stack = ExitStack()
        palace = stack.enter_context(palace_of(longmemeval.haystack(question)))
        gate.own_palace(given_of(palace, text, now), lambda turn, gold=gold: turn[0] in gold)
        kept.append((palace, set(question["haystack_session_ids"]), stack))
        if len(kept) > APART:
            other, held, done = kept.pop(0)
            if not gold & held:
                gate.other_palace(given_of(other, text, now))
            done.close()
    for _, _, stack in kept:
        stack.close()
    return gate


def answers(question: dict[str, list[str]]) -> set[str]:
    """Return the names of the sessions that answer a question."""
    return set(question["answer_session_ids"])


def of_locomo(path: str) -> Gate:
    """Return what passes of LoCoMo's questions; the other's palace is the conversation before."""
    gate = Gate()
    with ExitStack() as stack:
        before: Palace | None = None
        for talk in watched(each(path), "conversation"):
            palace = stack.enter_context(palace_of(locomo.sessions(talk)))
            for question, turns in locomo.questions(talk):
                near = set(_near(turns))
                gate.own_palace(given_of(palace, question, 0), near.__contains__)
                if before:
                    gate.other_palace(given_of(before, question, 0))
            before = palace
    return gate


def given_of(palace: Palace, question: str, now: int) -> list[Turn]:
    """Return the turns that the hook would give to a prompt."""
    found = palace.search(question, now=now, limit=CANDIDATES)
    return palace.turns(found._replace(hits=tuple(passing(found)[:ITEMS])))


def _near(turns: list[Turn]) -> Iterator[Turn]:
    for name, place in turns:
        yield from ((name, place + step) for step in range(-BESIDE, BESIDE + 1))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


if __name__ == "__main__":
    main()
