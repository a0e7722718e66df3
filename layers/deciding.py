"""Choices made with the palace's beliefs in view: made, kept, and made once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mempalace.beliefs import replaying
from mempalace.beliefs.advice import override, support
from mempalace.beliefs.answer import Answer, BadAnswer, Option
from mempalace.beliefs.decision import again
from mempalace.beliefs.memory import Memory, memory, subject_of
from mempalace.beliefs.models import Model
from mempalace.beliefs.prompting import Task, asked, prompt
from mempalace.store import beliefs, turns, wings
from mempalace.store.connection import Store
from mempalace.store.turns import Turn

LIMIT = 18  # beliefs shown


class Replay(NamedTuple):
    """A choice made once more.

    sent, raw: the bytes that went and came.  answer: None where they hold none, for the reason in
    `error`.  same: whether what came is what was recorded, byte for byte.  differences: of the answer.  moves: the
    beliefs that stand otherwise today, where today's were asked for.  total, shown: of the memory sent.
    """

    turn: Turn
    sent: bytes
    raw: bytes
    answer: Answer | None
    error: str
    same: bool
    differences: list[replaying.Difference]
    moves: list[replaying.Move]
    total: int
    shown: int


def remembered(store: Store, task: Task, options: Sequence[Option], *, limit: int, now: int) -> tuple[Task, Memory]:
    """Return the task and what the palace holds for it: the beliefs of its wing and the global ones, ranked.

    A task without a subject gets the one that its options are known for.
    """
    found = beliefs.standing(store, _row(store, task.wing), now=now)
    subject = task.subject or subject_of(found, kind=task.kind, options=options)
    return task._replace(subject=subject), memory(found, kind=task.kind, subject=subject, path=task.path, limit=limit)


def decide(
    store: Store, task: Task, options: Sequence[Option], model: Model, *, name: str, limit: int = LIMIT, now: int
) -> Turn:
    """Make a choice, keep it, and return it as it was kept.

    name: the model's, by which it can be made again.  An answer that cannot be used is kept too; then
    BadAnswer says under which id.
    """
    task, known = remembered(store, task, options, limit=limit, now=now)
    sent = prompt(task, options, known)
    raw, answer, error = _asked(sent, model)
    record = _record(known, options, answer, error)
    id = turns.add(
        store, at=now, wing=_row(store, task.wing) or 0, kind=task.kind, task=task.text, model=name, sent=sent,
        raw=raw, record=record, candidates=known.entries, flagged=record["memory_override"] is not None,
    )  # fmt: skip
    if answer is None:
        raise BadAnswer(f"{error}: what came back is kept, see mempalace turn {id[:8]}", raw)
    return turns.turn(store, id)


def replay(turn: Turn, model: Model) -> Replay:
    """Make a kept choice once more from the bytes that were sent; needs nothing of the palace."""
    return _replayed(turn, turn.sent, model, [], turn.record["memory_total"], turn.record["memory_shown"])


def replay_now(store: Store, turn: Turn, model: Model, *, now: int) -> Replay:
    """Make a kept choice once more from what the palace holds today."""
    task, options, _ = asked(turn.sent)
    task, known = remembered(store, task, options, limit=turn.record["limit"], now=now)
    moves = replaying.moves(turn.candidates, known.entries)
    return _replayed(turn, prompt(task, options, known), model, moves, known.total, known.shown)


def answer_of(turn: Turn) -> Answer | None:
    """Return the answer that was recorded, None where there was none to use."""
    found = turn.record["decision"]
    return Answer.of(found) if found else None


def _row(store: Store, wing: str) -> int | None:
    found = wings.by_name(store, wing) if wing else None
    return found.n if found else None


def _replayed(turn: Turn, sent: bytes, model: Model, moves: list[replaying.Move], total: int, shown: int) -> Replay:
    raw, answer, error = _asked(sent, model)
    differences = replaying.differences(answer_of(turn), answer)
    same = raw == turn.raw and bool(error) == bool(turn.record["error"])
    return Replay(turn, sent, raw, answer, error, same, differences, moves, total, shown)


def _asked(sent: bytes, model: Model) -> tuple[bytes, Answer | None, str]:
    """Return what came back, the answer in it, and else why there is none."""
    try:
        made = again(sent, model)
    except BadAnswer as error:
        return error.raw, None, str(error)
    return made.raw, made.decision, ""


def _record(known: Memory, options: Sequence[Option], answer: Answer | None, error: str) -> dict[str, Any]:
    """Return what is kept of a choice beside its bytes and candidates: above all, what the pick rests on."""
    record: dict[str, Any] = {
        "decision": answer._asdict() if answer else None,
        "error": error,
        "memory_total": known.total,
        "memory_shown": known.shown,
        "limit": known.limit,
        "fit": "",
        "chosen_support": None,
        "memory_override": None,
    }
    if answer:
        rests = support(answer.option_id, known.entries, options)
        record["fit"] = rests.fit
        if rests.entry:
            record["chosen_support"] = {name: rests.entry[name] for name in ("id", "rank", "score", "shown", "claim")}
        record["memory_override"] = override(answer.option_id, known.entries, options)
    return record
