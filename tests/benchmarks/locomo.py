"""LoCoMo: which session, and which turn, of two people's months of talk answers a question?

`python tests/benchmarks/locomo.py --file PATH [--json]`. A conversation is one palace; a question
without evidence is left out, and so is evidence that the conversation does not hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from retrieval import DAY, Session, Tally, Turn, arguments, each, palace_of, seconds, tell, watched

MEASURES = ("hit@1", "hit@5", "session_R@10", "turn_R@10", "mrr")
NAME = re.compile(r"session_(\d+)")
UNDATED = 1_600_000_000  # Unix seconds from which sessions without a date are numbered, a day each


def main() -> None:
    """Ask every question that has evidence and print the figures."""
    given = arguments(str(__doc__), "--file").parse_args()
    tally = Tally()
    for talk in watched(each(given.file), "conversation"):
        with palace_of(sessions(talk)) as palace:
            for question, turns in questions(talk):
                tally.add(palace.ask(question), {name for name, _ in turns}, turns)
    figures = tally.figures(*MEASURES)
    tell("LoCoMo", figures)
    if given.json:
        print(json.dumps(figures))


def sessions(talk: dict[str, Any]) -> Iterator[Session]:
    """Yield the sessions of a conversation in their order; who speaks first in the data is the user."""
    said = talk["conversation"]
    for name in names(said):
        turns = [
            ("user" if turn["speaker"] == said.get("speaker_a") else "assistant", f"{turn['speaker']}: {turn['text']}")
            for turn in said[name]
        ]
        yield Session(name, _moment(said, name), turns)


def questions(talk: dict[str, Any]) -> Iterator[tuple[str, list[Turn]]]:
    """Yield each question with the turns that are its evidence."""
    said = talk["conversation"]
    places = {turn["dia_id"]: (name, place) for name in names(said) for place, turn in enumerate(said[name])}
    for asked in talk["qa"]:
        turns = [places[id] for id in asked.get("evidence") or () if id in places]
        if turns:
            yield asked["question"], turns


def names(said: dict[str, Any]) -> list[str]:
    """Return the names of a conversation's sessions in their order."""
    known = [name for name in said if NAME.fullmatch(name) and isinstance(said[name], list)]
    return sorted(known, key=lambda name: int(name.split("_")[1]))


def _moment(said: dict[str, Any], name: str) -> int:
    try:
        return seconds(said.get(f"{name}_date_time", "").strip(), "%I:%M %p on %d %B, %Y")
    except ValueError:
        return UNDATED + int(name.split("_")[1]) * DAY


if __name__ == "__main__":
    main()
