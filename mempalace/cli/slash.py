"""The plugin's slash commands: the words as the client hands them over, to the command they name.

No shell sees them: what a user types after `/mempalace:search` is one argument of a function.
"""

from __future__ import annotations

import contextlib
import io
import os
import re

import click

from mempalace import errand
from mempalace.cli import main
from mempalace.harmless import unmarked
from mempalace.visit import Visit

ID = re.compile(r"^\[?b:[0-9a-fA-F]+\]?$")  # of a belief
MOST = 9000  # characters of an answer: the client cuts at 10,000
HELP = """/mempalace:search WORDS   what was said, with citations
/mempalace:recall [ROOM]  what matters most here
/mempalace:wake-up        what this session was told at its start
/mempalace:remember TEXT  file a note
/mempalace:beliefs [ID]   what is believed here, or one belief with its evidence
/mempalace:pin ID         make a belief a standing rule; with words instead of an ID, a new one
/mempalace:learn ID WORD  say how a memory held: correct, wrong or partial
/mempalace:trust [ID]     how far memory is to be trusted
/mempalace:why ID         why a drawer or a belief was or was not told
/mempalace:status         what the palace holds
/mempalace:mine           mine this project's transcripts now
On the command line: mempalace --help"""


def answer(visit: Visit) -> str:
    """Return the hook's output for one of this plugin's commands, "" for anybody else's."""
    plugin, _, name = visit.text("command_name").rpartition(":")
    if plugin != "mempalace":
        visit.note(did="nothing: not ours")
        return ""
    visit.note(command=name)
    said = _said(name, visit.text("command_args").strip(), visit)
    if name != "wake-up":  # which has marks of its own
        said = unmarked(said)
    if visit.text("cut"):
        said += "\n[only the first %s characters of what was typed were read]" % visit.text("cut")
    if len(said) > MOST:
        said = said[:MOST] + "\n[... cut; the whole of it: mempalace %s]" % name
    return visit.context("[mempalace] %s\n%s\n[/mempalace]" % (name, said))


def _said(name: str, words: str, visit: Visit) -> str:
    if name == "mine":
        errand.file_away(visit, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        return "mining this project's transcripts in the background"
    here = ["--palace", visit.palace, "--cwd", visit.cwd]
    given = {
        "search": ["search", *here[:2], "--limit", "8", "--", words],
        "recall": ["recall", *here[:2], *(["--room", words] if words else [])],
        "wake-up": ["wake-up", *here],
        "remember": ["remember", *here, "--", words],
        "beliefs": ["belief", "show", *here[:2], "--", words] if words else ["belief", "list", *here],
        "pin": ["belief", "pin", *here[:2], "--", words]
        if ID.match(words)
        else ["belief", "add", *here, "--pin", "--", words],
        "learn": ["learn", *here[:2], "--", *words.split()],
        "trust": ["trust", *here[:2], "--", *words.split()],
        "why": ["why", *here[:2], "--", words],
        "status": ["status", *here[:2]],
    }.get(name)
    if given is None:
        return HELP
    if name in ("search", "remember", "pin", "learn", "why") and not words:
        return f"say what: /mempalace:{name} WORDS"
    return run(given)


def run(words: list[str]) -> str:
    """Return what a command of the command line says to these words, errors included."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main.main(args=words, prog_name="mempalace", standalone_mode=False)
        except click.ClickException as error:
            error.show(out)
        except (SystemExit, click.exceptions.Exit, click.Abort):
            pass
    return click.unstyle(out.getvalue()).strip()
