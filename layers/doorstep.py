"""Before a prompt costs anything: is there something to look up, and where can it be? Standard library only."""

from __future__ import annotations

import json
import os

from mempalace import prompts, runtime
from mempalace.paths import DATABASE
from mempalace.settings import read as read_settings
from mempalace.visit import Visit

LONGEST = 12_000  # characters of a prompt that are handed on: they and the rest fit a pipe


def go_inside(visit: Visit, script: str) -> None:
    """Go on in the environment where mempalace is installed; return where there is no need, or no way.

    Small talk opens nothing. No palace and no installation are noted, and the prompt goes through.
    """
    if read_settings(visit.palace, visit.env).off:
        visit.note(did="nothing: off")
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
    event = {name: value for name, value in visit.event.items() if isinstance(value, str)}
    for name in ("prompt", "command_args"):
        event[name] = visit.text(name)[:LONGEST]
    words = [python, "-E", "-P", script, visit.hook]
    runtime.become(words, json.dumps(event).encode("ascii"), visit.env)
    visit.note(did="went on in another process")
