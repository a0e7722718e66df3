"""How a turn is told: on a line, when it was just made, and opened."""

from __future__ import annotations

from typing import Any

from mempalace.beliefs.advice import FOLLOWED, IGNORED, TRUNCATED
from mempalace.beliefs.answer import Answer
from mempalace.beliefs.prompting import asked
from mempalace.cli.wording import cut, short, shown, whole
from mempalace.layers.deciding import answer_of
from mempalace.layers.wake_up import day
from mempalace.store.turns import Turn

SIGN = "⚠"
TASK, NAME = 70, 20  # characters of each in a list


def line(turn: Turn) -> str:
    """Return a turn on one line: the warning sign or a blank, id, day, kind, pick, task."""
    found = turn.record["decision"]
    pick = "failed" if found is None else found["option_id"] or "nothing"
    sign = SIGN if turn.flagged else " "
    names = f"{cut(turn.kind, NAME):<{NAME}}  {cut(pick, NAME):<{NAME}}"
    return shown(f"{sign} [t:{turn.id[:8]}]  {day(turn.at)}  {names}  {cut(turn.task, TASK)}")


def made(turn: Turn) -> list[str]:
    """Return the lines that say what was just chosen."""
    answer = answer_of(turn)
    told = [f"[t:{turn.id[:8]}] {picked(answer)}", *reasons(answer), f"memory    {counts(turn)}", *_rests(turn)]
    return list(map(shown, told))


def opened(turn: Turn, *, every: bool) -> list[str]:
    """Return all lines of a turn; every: with the candidates that were not shown."""
    task, options, _ = asked(turn.sent)
    where = ", ".join(filter(None, (turn.wing, task.path))) or "every project"
    slot = f"{task.kind} / {task.subject}" if task.subject else task.kind
    told = [f"== {turn.id}  {day(turn.at)}  {slot}  ({where})", f"task      {task.text}"]
    told += [f"{'' if n else 'options':<9} {option.id} = {option.display}" for n, option in enumerate(options)]
    told.append(f"model     {turn.model}")
    if turn.record["error"]:
        told += [f"failed    {turn.record['error']}", f"came back {whole(turn.raw) or 'nothing'}"]
    else:
        told += [f"picked    {picked(answer_of(turn))}", *reasons(answer_of(turn))]
    told += [f"memory    {counts(turn)}", *_rests(turn), *_candidates(turn, every)]
    return list(map(shown, told))


def as_dict(turn: Turn, *, every: bool = False) -> dict[str, Any]:
    """Return a turn as plain values; every: with its bytes as text, and all candidates."""
    told: dict[str, Any] = {**turn._asdict(), **turn.record}
    for name in ["record"] if every else ["record", "sent", "raw", "candidates"]:
        del told[name]
    result: dict[str, Any] = whole(told)
    return result


def reading(turn: Turn) -> str:
    """Return in words how the memory that was sent and the pick go together."""
    fit, held = turn.record["fit"], turn.record["chosen_support"]
    if fit == TRUNCATED:
        return (
            f"truncation: the belief that should have decided stood at rank {held['rank']} "
            f"and was not shown, for only {turn.record['memory_shown']} were"
        )
    if fit == IGNORED:
        return f"no adherence: the belief that should have decided was shown, at rank {held['rank']}, and not followed"
    if fit == FOLLOWED:
        return "memory was followed" if held["shown"] else "as memory has it, though that belief was not shown"
    return "memory settles nothing here"


def reasons(answer: Answer | None) -> list[str]:
    """Return the lines that say why."""
    if answer is None:
        return []
    told = [f"reasoning {answer.reasoning or answer.summary or 'none given'}"]
    told += [f"{'' if n else 'weighed':<9} {cut(text)}" for n, text in enumerate(answer.considered or ())]
    return [*told, f"urgent    {answer.urgency_reason or 'no reason given'}"] if answer.urgent else told


def picked(answer: Answer | None) -> str:
    """Return the pick, by its id and what it is shown as."""
    if answer is None or answer.option_id is None:
        return "nothing"
    same = answer.option_display == answer.option_id
    return answer.option_id if same else f"{answer.option_id} ({answer.option_display})"


def counts(turn: Turn) -> str:
    """Return how much of memory was sent."""
    return f"{turn.record['memory_shown']} of {turn.record['memory_total']} beliefs shown"


def _rests(turn: Turn) -> list[str]:
    """Return what a pick rests on, and the warning where it overrides a belief."""
    held, over = turn.record["chosen_support"], turn.record["memory_override"]
    told = []
    if held:
        seen = "shown" if held["shown"] else "not shown"
        told.append(f"support   [b:{held['id'][:8]}] rank {held['rank']}, {seen}: {cut(held['claim'])}")
        told.append(f"          {_score(held['score'])}")
    if turn.record["fit"]:
        told.append(f"so        {reading(turn)}")
    if over:
        strong = f"{'pinned, ' if over['pinned'] else ''}{over['confidence']:.2f}"
        told.append(f"{SIGN} memory_override: [b:{over['id'][:8]}] ({strong}) {cut(over['claim'])}")
    return told


def _candidates(turn: Turn, every: bool) -> list[str]:
    known = turn.candidates
    listed = [entry for entry in known if every or entry["shown"]]
    told = ["candidates, best first:"] if known else []
    for entry in listed:
        rank = f"{entry['rank']:>4}{' ' if entry['shown'] else '-'}"
        told += [f"{rank} [b:{entry['id'][:8]}] {cut(entry['claim'])}", f"      {_score(entry['score'])}"]
    left = len(known) - len(listed)
    return [*told, f"and {left} not shown: --all"] if left else told


def _score(score: dict[str, Any]) -> str:
    return ", ".join(f"{name} {short(value)}" for name, value in score.items())
