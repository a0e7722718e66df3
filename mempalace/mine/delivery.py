"""Delivery receipts: what the client passed on of what the hooks handed it, as its transcript records it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mempalace import trajectory
from mempalace.mine.events import Handed

OPENING = "[mempalace"  # of every text that a hook of ours hands over
HOOKS = {
    "SessionStart": "wake-up",
    "UserPromptSubmit": "recall",
    "UserPromptExpansion": "command",
    "PreToolUse": "guard",
}
NAMED = ("Waking the palace",)  # the client records a hook by its status message, where hooks.json gives it one
PROGRAM = re.compile(r"-I -S .*\bhooks[/\\](wake_up|recall|command|guard)\.py\"?$")
PREVIEW = "<persisted-output>"  # how the client begins what it passes on of a text above its limit
TRAIL = re.compile(r"\s*(\.\.\.)?\s*</persisted-output>\s*$")
TOO_LONG = "over the client's 10,000 characters: only a preview was passed on"
MISSING = "the client passed nothing on and does not say why"
UNHEARD = "nothing: no hook of ours ran in this session; was the plugin loaded?"
LATER = 30  # seconds; when the client records something so much later, what it has not recorded is lost


def handed(attachment: dict[str, Any], *, key: str, at: int) -> Iterator[Handed]:
    """Yield what one of the client's records about hooks says of ours; nothing for anybody else's."""
    event = str(attachment.get("hookEvent") or "")
    hook, kind = HOOKS.get(event, ""), attachment.get("type")
    content = attachment.get("content")
    if not hook:
        return
    if kind == "hook_additional_context" and isinstance(content, list):
        for nth, text in enumerate(content):
            if isinstance(text, str) and text.startswith(OPENING):
                yield Handed(hook, event, len(text), f"{key}/{nth}", at)
            elif isinstance(text, str) and text.startswith(PREVIEW) and OPENING in text:
                seen = TRAIL.sub("", text[text.index(OPENING) :])
                yield Handed(hook, event, len(seen), f"{key}/{nth}", at, TOO_LONG)
    elif kind != "hook_success" and _is_ours(str(attachment.get("command") or "")):
        yield Handed(hook, event, 0, key, at, _cause(attachment))


def _is_ours(command: str) -> bool:
    return command in NAMED or PROGRAM.search(command) is not None


def _cause(attachment: dict[str, Any]) -> str:
    """Return in a few words why a hook's run came to nothing, as the client has it."""
    limit = attachment.get("timeoutMs")
    if attachment.get("timedOut"):
        return f"timed out after {limit / 1000:g} s" if isinstance(limit, int) else "timed out"
    if attachment.get("type") == "hook_cancelled":
        return "cancelled"
    said = attachment.get("stderr") or attachment.get("content") or attachment.get("blockingError") or ""
    return f"failed: {' '.join(str(said).split())[:200]}" if said else "failed"


def note(palace: str, found: Iterable[tuple[str, Handed]], began: Mapping[str, int]) -> int:
    """Record what sessions were passed on beside what their hooks handed over, each once; return how many lines.

    found: (session, what was handed on), as read from transcripts.  began: when each session that was
    read began.  What was noted before is passed over, and so is what happened before the trajectory begins.
    """
    sessions: dict[str, list[Handed]] = {session: [] for session in began}
    for session, one in found:
        sessions.setdefault(session, []).append(one)
    past: dict[str, list[dict[str, Any]]] = {session: [] for session in sessions}
    begins = math.inf
    for event in trajectory.events(palace) if sessions else ():
        if isinstance(event.get("at"), int):
            begins = min(begins, event["at"])
        if event.get("session") in past:
            past[event["session"]].append(event)
    lines: list[dict[str, Any]] = []
    for session, news in sessions.items():
        lines += _receipts(session, [one for one in news if one.at >= begins], past[session])
        if not news and not past[session] and began[session] >= begins:
            lines.append({"at": began[session], "hook": "delivery", "session": session, "did": UNHEARD})
    for line in lines:
        trajectory.record(palace, line)
    return len(lines)


def _receipts(session: str, news: list[Handed], past: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a line for whatever is not noted yet: first what was passed on, then what never was."""
    noted = [event for event in past if event.get("hook") == "delivery"]
    keys = {event.get("key") for event in noted}
    runs = [
        event for event in past
        if event.get("hook") in HOOKS.values() and isinstance(event.get("characters"), int) and event["characters"]
    ]  # fmt: skip
    for event in noted:
        _take(runs, str(event.get("of")), event.get("characters"))
    for one in news:
        if one.key in keys:
            continue
        keys.add(one.key)
        run = _run_of(runs, one)
        yield _line(session, one, run["characters"] if run else one.characters)
    newest = max((one.at for one in news), default=0)
    whole = {(event.get("of"), event.get("delivered")) for event in noted}
    whole |= {(one.hook, one.characters) for one in news if not one.why}
    for run in runs:
        # The client does not repeat a text that it has passed on before.
        if newest - int(run.get("at") or 0) > LATER and (run["hook"], run["characters"]) not in whole:
            key = f"lost/{run['hook']}/{run.get('at')}"
            lost = Handed(str(run["hook"]), str(run.get("event")), 0, key, int(run.get("at") or 0), MISSING)
            yield _line(session, lost, run["characters"])


def _run_of(runs: list[dict[str, Any]], one: Handed) -> dict[str, Any] | None:
    """Return the run that a text came from and take it out of those that wait; None for one that left no line."""
    if not one.why:
        return _take(runs, one.hook, one.characters)
    if one.why == TOO_LONG:
        longest = max((run["characters"] for run in runs if run["hook"] == one.hook), default=0)
        return _take(runs, one.hook, longest)
    return None  # what was cut off had no time to leave its line


def _take(runs: list[dict[str, Any]], hook: str, characters: Any) -> dict[str, Any] | None:
    for run in runs:
        if (run["hook"], run["characters"]) == (hook, characters):
            runs.remove(run)
            return run
    return None


def _line(session: str, one: Handed, characters: int) -> dict[str, Any]:
    line = {
        "at": one.at, "hook": "delivery", "event": one.event, "session": session, "of": one.hook,
        "delivered": one.characters, "characters": characters, "key": one.key,
    }  # fmt: skip
    return {**line, "failed": f"{one.hook}: {one.why}"} if one.why else line
