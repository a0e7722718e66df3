"""What an index says of itself, read without opening it."""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from mempalace.paths import INDEX

ANALYZER = "terms-3"  # change it whenever the same text would give other terms
SCHEMA = 5  # change it whenever the fields change: the index is rebuilt
STATE = "state.json"


class State(NamedTuple):
    """What an index says of itself: which analyzer and fields made it, which generation it holds.

    drawers, terms: how many drawers it took, and terms in them, for the mean length.
    """

    analyzer: str
    schema: int
    generation: int
    drawers: int = 0
    terms: int = 0


def folder(palace: str) -> str:
    """Return the index's folder."""
    return os.path.join(palace, INDEX)


def usable(held: State) -> bool:
    """Tell whether an index was made by this analyzer and these fields."""
    return (held.analyzer, held.schema) == (ANALYZER, SCHEMA)


def read(palace: str) -> State | None:
    """Return what the index says of itself, None where there is none to be read."""
    try:
        with open(os.path.join(folder(palace), STATE), encoding="utf-8") as file:
            told = json.load(file)
        return State(str(told["analyzer"]), *(int(told[name]) for name in State._fields[1:]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(palace: str, told: State) -> None:
    """Record what the index holds, at once or not at all."""
    path = os.path.join(folder(palace), STATE)
    with open(path + ".draft", "w", encoding="utf-8") as file:
        json.dump(told._asdict(), file)
    os.replace(path + ".draft", path)
