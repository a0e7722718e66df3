"""A choice made with beliefs in view: one shot, from what is sent to what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mempalace.beliefs.answer import Answer, Option, read
from mempalace.beliefs.memory import Memory
from mempalace.beliefs.models import Model
from mempalace.beliefs.prompting import Task, asked, prompt


class Decision(NamedTuple):
    """A choice that was made; sent, raw: the bytes that went to the model and that came back, literally."""

    decision: Answer
    sent: bytes
    raw: bytes


def decide(task: Task, options: Sequence[Option], memory: Memory, model: Model) -> Decision:
    """Return the model's choice; the same task, options and memory send the same bytes.

    Raises BadAnswer, which keeps what the model gave, or PalaceError where there is nothing to choose.
    """
    return again(prompt(task, options, memory), model)


def again(sent: bytes, model: Model) -> Decision:
    """Return a model's choice from the bytes of an earlier one. Raises BadAnswer."""
    raw = model(sent)
    return Decision(read(raw, asked(sent)[1]), sent, raw)
