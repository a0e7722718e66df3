"""The simple commands that a line of shell would run, and where. Standard library only; nothing is run or looked up."""

from __future__ import annotations

import posixpath
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.shell import CLOSE, OPEN, parts

LONGEST = 32768  # characters that are looked at, half of that in a line within the line, and so on
MOST = 200  # commands that are looked at; each costs up to 0.1 ms
FARTHEST = 32  # folders down; `cd a`, again and again, would cost the square of their number
DEEPEST = 8  # commands within commands: `sudo env bash -c "..."`
RESERVED = frozenset("if then elif else fi do done while until ! { } esac coproc".split())
HEADS = frozenset("for select function [[ case".split())  # their words are no command
SHELLS = frozenset("sh bash zsh dash ksh ash".split())
ASSIGNED = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
# Programs that run the rest of their words: options that take a value, and how many words come before the command.
RUNNERS: Dict[str, Tuple[str, int]] = {
    "env": ("-u --unset -C --chdir", 0),
    "time": ("-f -o --format --output", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p --class --classdata", 0),
    "command": ("", 0),
    "exec": ("-a", 0),
    "stdbuf": ("-i -o -e", 0),
    "timeout": ("-s --signal -k --kill-after", 1),
    "gtimeout": ("-s --signal -k --kill-after", 1),
    "xargs": ("-a -d -E -I -L -n -P -s --max-args --max-procs --delimiter", 0),
    "sudo": ("-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir", 0),
    "doas": ("-u -C", 0),
    "caffeinate": ("-t -w", 0),
    **dict.fromkeys(("nohup", "builtin", "setsid", "unbuffer", "chronic"), ("", 0)),
}
RAISERS = ("sudo", "doas")  # these count as commands too
# Options that name the folder to work in, and whether they stand only before the subcommand.
FOLDERS: Dict[str, Tuple[str, bool]] = {
    "npm": ("--prefix -C", False),
    "pnpm": ("--dir -C", False),
    "make": ("-C --directory", False),
    "gmake": ("-C --directory", False),
    "ninja": ("-C", False),
    "composer": ("--working-dir -d", False),
    **dict.fromkeys(("git", "go", "cargo"), ("-C", True)),
    **dict.fromkeys(("yarn", "bun", "turbo"), ("--cwd", True)),
    **dict.fromkeys(("terraform", "tofu"), ("-chdir", True)),
    **dict.fromkeys(("gradle", "gradlew"), ("--project-dir -p", True)),
    "uv": ("--directory --project", True),
    "poetry": ("--directory -C --project -P", True),
    "pdm": ("--project -p", True),
    "just": ("--working-directory -d", True),
    "task": ("--dir -d", True),
}


class Command(NamedTuple):
    """One simple command.

    words: program and arguments, quotes taken off; assignments, redirects and the option that names
    its folder are left out.  folder: where it runs, relative to where the line starts ("" there),
    or as the line names it ("/...", "~/..."); None where that cannot be known.
    """

    words: Tuple[str, ...]
    folder: Optional[str] = ""


def commands(line: str) -> List[Command]:
    """Return the simple commands that a shell would run for the line, in order; those in `$(...)` before theirs.

    What runs another command (sudo, env, xargs, `find -exec`, `bash -c`, ...) is followed into it. Quoted
    words and here-documents are data. Looks at the first 32 kB and 200 commands; never raises, whatever the line holds.
    """
    found: List[Command] = []
    _run(line.replace("\r\n", "\n"), "", found, 0)
    return found[:MOST]


def program(word: str) -> str:
    """Return a program's name without its folder and a Windows ending.

    >>> program("./node_modules/.bin/jest"), program("npm.CMD")
    ('jest', 'npm')
    """
    name = word.replace("\\", "/").rsplit("/", 1)[-1]
    stem, _, ending = name.rpartition(".")
    return stem if ending.lower() in ("exe", "cmd", "bat", "ps1") else name


def within(folder: Optional[str], place: str) -> Optional[str]:
    """Return the folder that `place` names when said in `folder`; None where that cannot be known."""
    if not place or any(char in place for char in "$*?[`") or place == "-":
        return None
    if place.startswith(("/", "~")) or re.match(r"[A-Za-z]:[\\/]", place):
        return posixpath.normpath(place)
    if folder is None or folder.count("/") > FARTHEST:
        return None
    joined = posixpath.normpath(posixpath.join(folder, place))
    return "" if joined == "." else joined


def _run(line: str, folder: Optional[str], found: List[Command], depth: int) -> None:
    stack: List[Optional[str]] = []
    for part in parts(line[: LONGEST >> depth]):
        if len(found) >= MOST:
            break
        if part is OPEN:
            stack.append(folder)
        elif part is CLOSE:
            folder = stack.pop()
        else:
            folder = _simple(part.words, part.fed, folder, found, depth)


def _simple(
    words: Sequence[str], fed: Sequence[str], folder: Optional[str], found: List[Command], depth: int
) -> Optional[str]:
    """Add what one simple command runs, and return the folder that the next one runs in."""
    start = 0
    while start < len(words) and (words[start] in RESERVED or ASSIGNED.match(words[start])):
        start += 1
    words = words[start:]
    name = program(words[0]) if words else ""
    if not name or name in HEADS or depth > DEEPEST:
        return folder
    if name in ("cd", "pushd", "popd"):
        places = [word for word in words[1:] if not word.startswith("-") or word == "-"]
        return within(folder, places[0]) if places and name != "popd" else None
    if name == "nix" and words[1:2] == ["develop"] and ("-c" in words or "--command" in words):
        words = ["exec", *words[words.index("-c" if "-c" in words else "--command") + 1 :]]
        name = "exec"
    if name in RUNNERS:
        if name in RAISERS:
            found.append(Command(tuple(words), folder))
        if not (name == "command" and words[1:2] in (["-v"], ["-V"])):
            _simple(_followed(name, words), fed, folder, found, depth + 1)
    elif name in SHELLS or name == "eval":
        lines = [" ".join(words[1:])] if name == "eval" else _scripts(words, fed)
        for line in lines:
            _run(line, folder, found, depth + 1)
        if not lines:
            found.append(Command(tuple(words), folder))
    else:
        found.append(_placed(name, words, folder))
        if name == "find":
            for inner in _executed(words):
                _simple(inner, (), folder, found, depth + 1)
    return folder


def _followed(name: str, words: Sequence[str]) -> Sequence[str]:
    """Return the command that a runner runs."""
    options, before = RUNNERS[name]
    valued, at = options.split(), 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            at += 1
            break
        at += 2 if words[at] in valued else 1
    return words[at + before :]


def _scripts(words: Sequence[str], fed: Sequence[str]) -> List[str]:
    """Return the lines that a shell is given with -c, or else on its standard input; none for a script's file."""
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        if words[at].startswith("-") and not words[at].startswith("--") and "c" in words[at]:
            rest = [word for word in words[at + 1 :] if not word.startswith("-")]
            return rest[:1]
        at += 2 if words[at] in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") else 1
    return list(fed) if at >= len(words) or "-s" in words[:at] else []


def _executed(words: Sequence[str]) -> List[Sequence[str]]:
    """Return the commands that find runs for what it finds."""
    found: List[Sequence[str]] = []
    start = 0  # of the command being read; 0 outside of one
    for at, word in enumerate(words):
        if start and word in (";", "+"):
            found.append(words[start:at])
            start = 0
        elif not start and word in ("-exec", "-execdir", "-ok", "-okdir"):
            start = at + 1
    return found


def _placed(name: str, words: Sequence[str], folder: Optional[str]) -> Command:
    """Return the command in the folder that its own option names, without that option."""
    options, first = FOLDERS.get(name, ("", False))
    named, kept, at = options.split(), [words[0]], 1
    while named and at < len(words):
        word = words[at]
        if word == "--" or (first and not word.startswith("-")):
            break
        option, equal, value = word.partition("=")
        if option not in named:
            kept.append(word)
            at += 1
        elif equal:
            folder = within(folder, value)
            at += 1
        else:
            folder = within(folder, words[at + 1]) if at + 1 < len(words) else folder
            at += 2
    return Command((*kept, *words[at:]), folder)
