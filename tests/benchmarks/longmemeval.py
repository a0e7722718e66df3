"""LongMemEval-S: is the session that answers a question among the first that are found?

`python tests/benchmarks/longmemeval.py --file PATH [--json]`. Each question has a haystack of its
own, which is mined, asked on the question's date, and thrown away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from retrieval import Session, Tally, Turn, arguments, each, palace_of, seconds, tell, watched

MEASURES = ("any@1", "any@5", "all@5", "session_R@10", "turn_R@10", "mrr")


def main() -> None:
    """Ask every question that has an answer and print the figures."""
    given = arguments(str(__doc__), "--file").parse_args()
    tally = Tally()
    for question in watched(questions(given.file), "question"):
        with palace_of(haystack(question)) as palace:
            asked = palace.ask(question["question"], now=moment(question["question_date"]))
        tally.add(asked, question["answer_session_ids"], evidence(question))
    figures = tally.figures(*MEASURES)
    tell("LongMemEval-S", figures)
    if given.json:
        print(json.dumps(figures))


def questions(path: str) -> Iterator[dict[str, Any]]:
    """Yield the questions whose haystack holds an answer, with the sessions that do."""
    for question in each(path):
        here = set(question["haystack_session_ids"])
        gold = [name for name in question["answer_session_ids"] if name in here]
        if gold and not question["question_id"].endswith("_abs"):
            yield {**question, "answer_session_ids": gold}


def haystack(question: dict[str, Any]) -> Iterator[Session]:
    """Yield the sessions of a question's haystack."""
    names, dates, said = (question[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
    for name, date, turns in zip(names, dates, said, strict=True):
        yield Session(name, moment(date), [(turn["role"], turn["content"]) for turn in turns])


def evidence(question: dict[str, Any]) -> list[Turn]:
    """Return the turns that are marked as holding the answer."""
    sessions = zip(question["haystack_session_ids"], question["haystack_sessions"], strict=True)
    return [(name, place) for name, turns in sessions for place, turn in enumerate(turns) if turn.get("has_answer")]


def moment(date: str) -> int:
    """Return a date of the data, such as 2023/05/20 (Sat) 02:21."""
    day, _, clock = date.split()
    return seconds(f"{day} {clock}", "%Y/%m/%d %H:%M")


if __name__ == "__main__":
    main()
