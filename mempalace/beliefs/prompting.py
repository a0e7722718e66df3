"""What a model is sent: the task, the options and the memory, as bytes that depend on nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from mempalace.beliefs.answer import Option, encoded, schema
from mempalace.beliefs.memory import Entry, Memory, named
from mempalace.errors import PalaceError

SHOWN = ("id", "rank", "claim", "kind", "subject", "option", "polarity", "scope", "confidence", "pinned", "applies")
INSTRUCTIONS = (
    "Choose one of the options for the task. The memory holds what was learned earlier, best first; where "
    "`applies` is true a belief speaks of this very choice. Follow such a belief unless the task itself says "
    "otherwise, and name it by its id in your reasoning. Where nothing speaks for an option, you may leave "
    "option_id and option_display null. Answer with one JSON object that fits the schema, its fields in the "
    "schema's order, and nothing else."
)


class Task(NamedTuple):
    """A choice to be made.

    kind, subject: the slot it fills, as a belief's.  wing: the project's name, "" for none.
    path: where in the project, "" for its root.
    """

    text: str
    kind: str
    subject: str = ""
    wing: str = ""
    path: str = ""


def prompt(task: Task, options: Sequence[Option], memory: Memory) -> bytes:
    """Return what is sent: JSON, keys in a fixed order, the same bytes for the same choice.

    Raises PalaceError for a task or options that make no choice.
    """
    _check(task, options)
    value = {
        "instructions": INSTRUCTIONS,
        "task": task.text,
        "kind": task.kind,
        "subject": task.subject,
        "scope": {"wing": task.wing, "path": task.path},
        "options": [option._asdict() for option in options],
        "memory_total": memory.total,
        "memory_shown": memory.shown,
        "memory_note": _note(memory),
        "memory": [{name: entry[name] for name in SHOWN} for entry in memory.entries[: memory.shown]],
        "schema": schema(options),
        "temperature": 0,
    }
    return b"{\n" + b",\n".join(b" %b: %b" % (encoded(name), _laid_out(part)) for name, part in value.items()) + b"\n}"


def asked(sent: bytes) -> tuple[Task, list[Option], list[Entry]]:
    """Return the task, the options and the shown beliefs that sent bytes hold."""
    value = json.loads(sent)
    options = [Option(**option) for option in value["options"]]
    return Task(value["task"], value["kind"], value["subject"], **value["scope"]), options, value["memory"]


def _laid_out(part: Any) -> bytes:
    """Return a part of what is sent as JSON: a list's items on a line each, for whoever reads it."""
    if not isinstance(part, list) or not part:
        return encoded(part)
    return b"[\n  " + b",\n  ".join(map(encoded, part)) + b"\n ]"


def _note(memory: Memory) -> str:
    left = memory.total - memory.shown
    told = f"{memory.shown} of {memory.total} beliefs shown, best first"
    return f"{told}; {left} left out" if left else told


def _check(task: Task, options: Sequence[Option]) -> None:
    if not task.text.strip() or not task.kind.strip():
        raise PalaceError("a choice needs a task and a kind: give it both")
    if not options or not all(option.id.strip() for option in options):
        raise PalaceError("a choice needs options, each with an id: give --option ID=DISPLAY for each")
    named(options)
