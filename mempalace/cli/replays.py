"""How a replay is told."""

from __future__ import annotations

from typing import Any

from mempalace.beliefs.replaying import Move
from mempalace.cli.choices import counts, picked, reasons
from mempalace.cli.wording import cut, short, shown, whole
from mempalace.layers.deciding import Replay


def lines(done: Replay, *, model: str, today: bool) -> list[str]:
    """Return the lines of a replay: prompt, reasoning, pick, and what is otherwise; today: by today's memory."""
    told = [f"== replay of [t:{done.turn.id[:8]}] by {model}{', with the beliefs of today' if today else ''}"]
    told += [whole(done.sent), ""]
    told += [f"failed    {done.error}"] if done.error else [*reasons(done.answer), f"picked    {picked(done.answer)}"]
    if today:
        told.append(f"memory    {done.shown} of {done.total} beliefs shown; when it was made {counts(done.turn)}")
        told += map(_moved, done.moves) if done.moves else ["beliefs   as they were"]
    if done.same:
        told.append("answer    as it was recorded, byte for byte")
    elif not done.differences and not done.error:
        told.append("answer    as it was recorded, in other bytes")
    told += [f"otherwise {one.field}: {short(one.was)} -> {short(one.now)}" for one in done.differences]
    return list(map(shown, told))


def as_dict(done: Replay, *, model: str) -> dict[str, Any]:
    """Return a replay as plain values."""
    told: dict[str, Any] = whole(
        {
            "id": done.turn.id, "model": model, "same": done.same, "error": done.error,
            "decision": done.answer and done.answer._asdict(),
            "differences": [one._asdict() for one in done.differences],
            "moves": [one._asdict() for one in done.moves],
            "memory_total": done.total, "memory_shown": done.shown, "sent": done.sent, "raw": done.raw,
        }
    )  # fmt: skip
    return told


def _moved(one: Move) -> str:
    if one.was and one.now:
        ranks = f"rank {one.was}" if one.was == one.now else f"rank {one.was} -> {one.now}"
    else:
        ranks = f"new, rank {one.now}" if one.now else f"gone, was rank {one.was}"
    changed = "".join(f", {name} {short(was)} -> {short(now)}" for name, (was, now) in one.changed.items())
    return f"belief    [b:{one.id[:8]}] {ranks}{changed}: {cut(one.claim)}"
