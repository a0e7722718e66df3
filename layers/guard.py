"""The guard: does what a tool is about to choose go against a belief that stands here? Standard library only."""

from __future__ import annotations

import json
import time
from typing import Dict, List, Optional, Sequence, Tuple

from mempalace import given
from mempalace.errors import NoPalace
from mempalace.harmless import framed
from mempalace.layers.deeds import Deed, slots
from mempalace.model import AGENT, AVOID, TOOL, USER, Belief
from mempalace.places import covers, narrowness
from mempalace.projects import project_of
from mempalace.settings import read as read_settings
from mempalace.store import beliefs, wings
from mempalace.store.connection import open_reader
from mempalace.visit import Visit

SURE = 0.8  # the confidence from which a belief that is not pinned is spoken for
SHORT = 160  # characters of a claim
EVENT = "PreToolUse"
KNOWN = {USER: "said", AGENT: "noted", TOOL: "seen since"}  # how a belief came to be known, before its date
Objection = Tuple[Belief, str, str]  # the belief, the option it speaks against, and the place


def answer(visit: Visit, made: Sequence[Deed]) -> str:
    """Return the hook's output for what a tool is about to do: a warning or a decision, "" where nothing objects.

    A warning comes once for each belief and session; `ask` and `deny` come each time. Never waits for a lock.
    """
    mode = read_settings(visit.palace, visit.env).guard
    wanted = slots(made)
    try:
        with open_reader(visit.palace, wait=0.0) as store:
            wing = wings.of_project(store, project_of(visit.cwd))
            kinds = tuple(sorted({kind for kind, *_ in wanted}))
            subjects = tuple(sorted({subject for _, subject, *_ in wanted}))
            n = wing.n if wing else None
            held = beliefs.standing(store, n, now=int(visit.now), kinds=kinds, subjects=subjects)
    except NoPalace:
        return ""
    found = [one for one in (objection(held, *slot) for slot in wanted) if one]
    if found and mode == "warn":
        told = given.of(visit.palace, visit.session)
        found = [one for one in found if mark(one[0]) not in told]
    if not found:
        return ""
    belief, option, place = found[0]
    visit.note(did=mode, belief=belief.id, kind=belief.kind, option=option, place=place)
    # A mark of its own: a rule that the wake-up told is worth repeating when it is about to be broken.
    given.add(visit.palace, visit.session, [mark(belief)])
    return _output(mode, line(belief, option))


def mark(belief: Belief) -> str:
    """Return the mark by which a session knows that the guard spoke for a belief."""
    return "g:" + belief.id


def objection(
    held: Sequence[Belief], kind: str, subject: str, options: Tuple[str, ...], place: str
) -> Optional[Objection]:
    """Return what objects to the options chosen in a slot, None for nothing.

    What is said of the narrowest place decides, the wing before what holds everywhere: a belief
    there that prefers what is chosen silences all others, even an unsure one for a part of the project.
    """
    chosen = {option.casefold(): option for option in options}
    levels: Dict[Tuple[int, bool], List[Belief]] = {}
    for one in held:
        if (one.kind, one.subject) == (kind, subject) and one.option and covers(one.glob, place):
            levels.setdefault((-narrowness(one.glob), not one.wing), []).append(one)
    for level in sorted(levels):
        ranked = sorted(levels[level], key=lambda one: (not one.pinned, -one.confidence, -one.support, one.id))
        if any(
            one.polarity != AVOID and one.option.casefold() in chosen and (_sure(one) or one.glob) for one in ranked
        ):
            return None
        for one in filter(_sure, ranked):
            option = one.option.casefold()
            if one.polarity != AVOID or option in chosen:
                return one, chosen.get(option, options[0]), place
    return None


def _sure(one: Belief) -> bool:
    return one.pinned or one.confidence >= SURE


def line(one: Belief, option: str) -> str:
    """Return the one line that names a belief and what it speaks against."""
    where = one.glob or ("this project" if one.wing else "every project")
    if one.polarity == AVOID:
        said = "in %s, avoid: %s" % (where, _flat(option))
    else:
        said = "%s uses %s, not %s" % (where, _flat(one.option), _flat(option))
    date = time.strftime("%Y-%m-%d", time.gmtime(one.created_at)) if one.created_at else "undated"
    pinned = ", pinned" if one.pinned else ""
    sure = "confidence %.2f%s, %s %s" % (one.confidence, pinned, KNOWN.get(one.origin, KNOWN[TOOL]), date)
    told = "[mempalace] %s (belief [b:%s], %s)" % (said, one.id[:8], sure)
    claim = _flat(one.claim)
    return '%s: "%s"' % (told, claim) if claim else told


def _flat(text: str) -> str:
    told = " ".join(framed(text).split())
    return told if len(told) <= SHORT else told[: SHORT - 3].rsplit(" ", 1)[0] + "..."


def _output(mode: str, told: str) -> str:
    if mode == "warn":
        said = {"hookEventName": EVENT, "additionalContext": told}
        return json.dumps({"hookSpecificOutput": said, "systemMessage": told}) + "\n"
    decided = {"hookEventName": EVENT, "permissionDecision": mode, "permissionDecisionReason": told}
    return json.dumps({"hookSpecificOutput": decided}) + "\n"
