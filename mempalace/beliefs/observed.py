"""What an agent's actions tell of the tools a project uses."""

from __future__ import annotations

from mempalace.beliefs.observation import DONE, Observation
from mempalace.commands import Command, commands, within
from mempalace.kinds import Kinds
from mempalace.model import TOOL

CUT = 500  # characters at which a stored command ends
SAID = 200  # characters of a command that are kept as its words
SHELLS = ("bash", "shell", "exec", "terminal", "command")  # parts of the names under which tools run commands


def observations(
    tool: str, target: str, *, inside: str, wing: int, at: int, key: str, kinds: Kinds, root: str = ""
) -> list[Observation]:
    """Return one observation for each choice, and place, in one action that succeeded, in the order of its commands.

    target: the command as it was filed; what may have been cut off is left out.  inside: the folder,
    relative to the project's top, that the session ran in, "" for the top.  root: the top itself, "" where
    it is not known.  key: the action's, or its session's where a habit is to count once in each.
    Only kinds that the table marks as observed: that an agent pushed to main says nothing of what is wanted.
    """
    if not any(part in tool.lower() for part in SHELLS):
        return []
    if not kinds.hints(target):  # most commands choose nothing, and reading one costs
        return []
    ran = commands(target)
    ran = ran[:-1] if len(target) >= CUT else ran
    found: dict[str, Observation] = {}
    for command in ran:
        place = _place(command, inside, root.rstrip("/"))
        for choice in kinds.of_command(command) if place is not None else ():
            glob = f"{place}/**" if place else ""
            name = "\x1f".join((key, *choice, glob))
            if choice.kind in kinds.observed and name not in found:
                found[name] = Observation(
                    choice.kind, choice.subject, choice.option, wing, f"use {choice.option}", TOOL, DONE, at, name,
                    " ".join(command.words)[:SAID], glob=glob,
                )  # fmt: skip
    return list(found.values())


def _place(command: Command, inside: str, root: str) -> str | None:
    """Return the folder of a command relative to the project's top, None outside of it or where it cannot be known."""
    folder = command.folder
    if folder is not None and root and (folder + "/").startswith(root + "/"):
        inside, folder = "", folder[len(root) :].strip("/")
    if folder is None or folder.startswith(("/", "~")) or folder[1:2] == ":":
        return None
    place = within(inside, folder) if folder else inside.strip("/")
    return None if place is None or place.split("/")[0] in ("..", ".git") else place
