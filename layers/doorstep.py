"""Before a prompt costs anything: is there something to look up, and where can it be? Standard library only."""

from __future__ import annotations

import json
import os
from typing import Dict

from mempalace import prompts, runtime
from mempalace.paths import DATABASE
from mempalace.visit import Visit

FIELDS = ("hook_event_name", "session_id", "transcript_path", "cwd", "prompt", "command_name", "command_args")
PIPE = 60_000  # bytes that are handed on: a pipe takes 65,536 before anybody reads it


def go_inside(visit: Visit, script: str) -> None:
    """Go on in the environment where mempalace is installed; return where there is no need, or no way.

    Small talk opens nothing. No palace and no installation are noted, and the prompt goes through.
    """
    if visit.silent():
        return
    if visit.name != "UserPromptExpansion":
        if prompts.says_nothing(visit.text("prompt")):
            visit.note(did="nothing: small talk")
            return
        if not os.path.exists(os.path.join(visit.palace, DATABASE)):
            visit.note(did="nothing: no palace")
            return
    python = runtime.interpreter(visit.palace, visit.cwd, visit.env)
    if not python:
        visit.note(failed="mempalace is not installed: run `pip install mempalace`")
        return
    words = [python, "-E", "-P", script, visit.hook]
    runtime.become(words, handed_on(visit), visit.env)
    visit.note(did="went on in another process")


def handed_on(visit: Visit) -> bytes:
    """Return what of the event the other process needs, as JSON of at most `PIPE` bytes.

    What is too long is cut at its end; `cut` then tells how many characters of it are left.
    """
    event = {name: visit.text(name)[:PIPE] for name in FIELDS}
    raw = _json(event)
    while len(raw) > PIPE:  # a character is one to six bytes, so cut until it fits
        longest = max(FIELDS, key=lambda name: len(event[name]))
        event[longest] = event[longest][: len(event[longest]) * 9 // 10]
        event["cut"] = str(len(event[longest]))
        raw = _json(event)
    return raw


def _json(event: Dict[str, str]) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode("utf-8", "replace")
