"""The plugin's slash commands: the words as the client hands them over, to the command they name.

No shell sees them: what a user types after `/mempalace:search` is one argument of a function.
"""

from __future__ import annotations

import contextlib
import io
import os

import click

from mempalace import errand
from mempalace.cli import main
from mempalace.visit import Visit

MOST = 9000  # characters of an answer: the client cuts at 10,000
HELP = """/mempalace:search WORDS   what was said, with citations
/mempalace:recall [ROOM]  what matters most here
/mempalace:wake-up        what this session was told at its start
/mempalace:remember TEXT  file a note
/mempalace:why ID         why a drawer was or was not told
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
    if visit.text("cut"):
        said += "\n[only the first %s characters of what was typed were read]" % visit.text("cut")
    if len(said) > MOST:
        said = said[:MOST] + "\n[... cut; the whole of it: mempalace %s]" % name
    return visit.context("[mempalace] %s\n%s\n[/mempalace]" % (name, said))


def _said(name: str, words: str, visit: Visit) -> str:
    if name == "mine":
        errand.file_away(visit, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        return "mining this project's transcripts in the background"
    given = {
        "search": ["search", "--limit", "8", "--", words],
        "recall": ["recall", *(["--room", words] if words else [])],
        "wake-up": ["wake-up", "--cwd", visit.cwd],
        "remember": ["remember", "--cwd", visit.cwd, "--", words],
        "why": ["why", "--", words],
        "status": ["status"],
    }.get(name)
    if given is None:
        return HELP
    if name in ("search", "remember", "why") and not words:
        return f"say what: /mempalace:{name} WORDS"
    return run([*given[:1], "--palace", visit.palace, *given[1:]])


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
