"""The answer to a choice: its schema, and how bytes that a model gave are read as one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mempalace.errors import PalaceError

OTHERWISE = {"urgent": "true or false", "considered": "list of texts"}  # fields that are no text
SURROGATE = re.compile("[\ud800-\udfff]")


class Option(NamedTuple):
    """One thing that may be chosen."""

    id: str
    display: str


class Answer(NamedTuple):
    """What was chosen, reasons first: a model writes in this order, so that the pick can rest on them.

    considered: a line for each option thought of.  option_id: None where nothing was chosen.
    """

    title: str | None
    urgent: bool | None
    urgency_reason: str | None
    summary: str | None
    reasoning: str | None
    considered: tuple[str, ...] | None
    option_id: str | None
    option_display: str | None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Answer:
        """Return the answer of plain values that are known to fit."""
        considered = fields["considered"]
        return cls(**{**fields, "considered": None if considered is None else tuple(considered)})


class BadAnswer(PalaceError):
    """A model gave nothing that can be used; raw: what it did give, literally."""

    def __init__(self, why: str, raw: bytes) -> None:
        super().__init__(why)
        self.raw = raw


def schema(options: Sequence[Option]) -> dict[str, Any]:
    """Return the JSON schema of an answer to a choice among these, its properties in their order."""
    text = {"type": ["string", "null"]}
    return {
        "type": "object",
        "properties": {
            "title": text,
            "urgent": {"type": ["boolean", "null"]},
            "urgency_reason": text,
            "summary": text,
            "reasoning": text,
            "considered": {"type": ["array", "null"], "items": {"type": "string"}},
            "option_id": {**text, "enum": [*(option.id for option in options), None]},
            "option_display": {**text, "enum": [*dict.fromkeys(option.display for option in options), None]},
        },
        "required": list(Answer._fields),
        "additionalProperties": False,
    }


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """Return a value as JSON in UTF-8, keys as they stand; what UTF-8 cannot hold (half a character) is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def read(raw: bytes, options: Sequence[Option]) -> Answer:
    """Return the answer that a model's bytes hold; raises BadAnswer, which keeps them.

    They are one JSON object and nothing beside it but blanks: no fence, no preamble.
    """
    try:
        given = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"the answer is not JSON ({error})", raw) from error
    wrong = _wrong(given, options)
    if wrong:
        raise BadAnswer(f"the answer does not fit its schema: {wrong}", raw)
    return Answer.of(given)


def _wrong(given: Any, options: Sequence[Option]) -> str:
    """Return what is wrong with an answer, "" for nothing."""
    if not isinstance(given, dict):
        return "it is no object"
    missing = [name for name in Answer._fields if name not in given]
    unknown = [name for name in given if name not in Answer._fields]
    if missing or unknown:
        return f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(map(repr, unknown[:3]))}"
    for name, value in given.items():
        if value is not None and not _typed(name, value):
            return f"{name} is no {OTHERWISE.get(name, 'text')}"
    return _unchosen(given["option_id"], given["option_display"], options)


def _unchosen(id: str | None, display: str | None, options: Sequence[Option]) -> str:
    """Return why an id and the words beside it name no option, "" where they do, or are both null."""
    if id is None:
        return "" if display is None else "option_display names an option and option_id none"
    by_id = {option.id: option.display for option in options}
    if id not in by_id:
        return f"no option {id!r}: the options are {', '.join(map(repr, by_id))}"
    return "" if display == by_id[id] else f"option_display {display!r} is not that of option {id!r}"


def _typed(name: str, value: object) -> bool:
    if name == "considered":
        return isinstance(value, list) and all(isinstance(line, str) for line in value)
    return isinstance(value, bool if name == "urgent" else str)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
