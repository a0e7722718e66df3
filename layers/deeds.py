"""What a tool is about to choose, and where. Standard library only: the guard asks this before it opens the palace."""

from __future__ import annotations

import os
import re
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from mempalace import kinds, plugin
from mempalace.commands import Command, commands, program
from mempalace.kinds import Choice
from mempalace.paths import DATABASE
from mempalace.settings import read as read_settings
from mempalace.visit import Visit

LONGEST = 4096  # characters of a path that is looked at
DRIVE = re.compile(r"[A-Za-z]:[\\/]")
MOVES = ("switch", "checkout", "worktree", "branch")  # after one of these the branch is not known any more


class Deed(NamedTuple):
    """One thing a tool is about to do. place: its folder or file, relative to the project's top, "" for the top."""

    choices: Tuple[Choice, ...]
    place: str


def deeds(visit: Visit) -> List[Deed]:
    """Return what the tool of a PreToolUse event would choose within the project, in order.

    None where the guard is off, where there is no palace, and where a folder cannot be known.
    """
    settings = read_settings(visit.palace, visit.env)
    if settings.guard == "off" or settings.silent(visit.hook, visit.cwd) or plugin.doubled(visit.env, visit.cwd):
        return []
    tool, given = visit.text("tool_name"), visit.event.get("tool_input")
    if not tool:
        visit.note(did="nothing: the event names no tool")
        return []
    if not isinstance(given, dict) or not os.path.exists(os.path.join(visit.palace, DATABASE)):
        return []
    cwd = os.path.realpath(visit.cwd)
    top = top_of(cwd)
    if tool == "Bash":
        made = _commanded(_text(given, "command"), kinds.load(visit.palace), cwd, top)
    else:
        path = relative(_text(given, "file_path") or _text(given, "notebook_path"), cwd, top)
        made = [Deed(kinds.load(visit.palace).of_path(path), path)] if path else []
    return [deed for deed in made if deed.choices]


def top_of(folder: str) -> str:
    """Return the top of the working tree that a folder lies in; the folder itself where there is none."""
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return folder
        here = parent
    return here


def relative(place: Optional[str], cwd: str, top: str) -> Optional[str]:
    """Return a place, as said in `cwd`, relative to the top, "" for the top; None outside of it or where not known."""
    if place is None or len(place) > LONGEST or (os.sep == "/" and DRIVE.match(place)):
        return None
    try:
        path = os.path.realpath(os.path.join(cwd, os.path.expanduser(place)))
    except ValueError:  # a NUL
        return None
    if path == top:
        return ""
    return path[len(top) + 1 :].replace(os.sep, "/") if path.startswith(top.rstrip(os.sep) + os.sep) else None


def branch_of(top: str) -> str:
    """Return the branch that is checked out in a working tree, "" where it cannot be told."""
    git = os.path.join(top, ".git")
    try:
        if os.path.isfile(git):
            with open(git, encoding="utf-8", errors="replace") as file:
                git = os.path.join(top, file.readline(4096).partition("gitdir:")[2].strip())
        with open(os.path.join(git, "HEAD"), encoding="utf-8", errors="replace") as file:
            return file.readline(4096).partition("ref: refs/heads/")[2].strip()
    except OSError:
        return ""


def _commanded(line: str, table: kinds.Kinds, cwd: str, top: str) -> List[Deed]:
    made, branch = [], None  # type: List[Deed], Optional[str]
    for command in commands(line):
        place = relative(command.folder, cwd, top)
        if place is None:
            continue
        if program(command.words[0]) == "git":
            branch = _branch(command, branch_of(top) if branch is None else branch)
        made.append(Deed(table.of_command(command, branch or ""), place))
    return made


def _branch(command: Command, before: str) -> str:
    return "" if any(word in MOVES for word in command.words[1:3]) else before


def _text(given: Any, field: str) -> str:
    value = given.get(field)
    return value if isinstance(value, str) else ""


def slots(made: Sequence[Deed]) -> List[Tuple[str, str, Tuple[str, ...], str]]:
    """Return (kind, subject, the options chosen, place) of every slot that the deeds fill, in order."""
    found: List[Tuple[str, str, Tuple[str, ...], str]] = []
    for deed in made:
        for kind, subject in dict.fromkeys((one.kind, one.subject) for one in deed.choices):
            options = tuple(one.option for one in deed.choices if (one.kind, one.subject) == (kind, subject))
            found.append((kind, subject, options, deed.place))
    return list(dict.fromkeys(found))
