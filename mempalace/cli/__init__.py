"""The command line: it only speaks; the work lies below."""

from __future__ import annotations

import importlib
import keyword
import os
import sys
from typing import Any

import click

from mempalace import __version__
from mempalace.cli.speech import say
from mempalace.errors import PalaceError
from mempalace.harmless import plain
from mempalace.settings import nearest

# command -> module; loaded when it is asked for, so that none pays for another.
COMMANDS = {
    "mine": "mining",
    "wake-up": "waking",
    "search": "searching",
    "recall": "searching",
    "remember": "changing",
    "forget": "changing",
    "refile": "changing",
    "status": "telling",
    "wings": "telling",
    "rooms": "telling",
    "show": "showing",
    "why": "showing",
    "belief": "believing",
    "beliefs": "believing",
    "decide": "deciding",
    "turn": "deciding",
    "turns": "deciding",
    "replay": "deciding",
    "learn": "trusting",
    "trust": "trusting",
    "tremor": "trusting",
    "predict": "predicting",
    "calibrate": "predicting",
    "selftest": "testing",
    "doctor": "keeping",
    "backup": "keeping",
    "restore": "keeping",
    "export": "carrying",
    "import": "carrying",
    "log": "recounting",
    "config": "configuring",
    "off": "configuring",
    "on": "configuring",
    "mcp": "serving",
    "setup": "installing",
    "uninstall": "installing",
}


def loaded(module: str) -> Any:
    """Return a module of the command line, loading it now: the one place where that is done late."""
    return importlib.import_module(f"mempalace.cli.{module}")


class Group(click.Group):
    """The command group: loads a command when it is named, and is the one error boundary."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loading its module."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(loaded(COMMANDS[cmd_name]), name + "_" * keyword.iskeyword(name))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command's name, itself and the words behind it; a slip is told what was meant."""
        name = args[0]
        near = "" if name in COMMANDS or name[:1] == "-" else nearest(name, list(COMMANDS))
        if near:
            ctx.fail(f"No such command {name!r}: did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what a user can mend becomes one line and exit status 1."""
        try:
            return super().invoke(ctx)
        except PalaceError as error:
            say(f"mempalace: {error}", err=True)
            ctx.exit(1)
        except click.UsageError as error:
            told = error.format_message()
            if plain(told) == told:
                raise
            raise click.UsageError(plain(told), error.ctx) from None
        except BrokenPipeError:
            # The reader (head, less) has gone: that is no error of ours, nor of Python's at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(141)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mempalace")
def main() -> None:
    """A local memory palace for coding agents.

    It files what was said in your agents' sessions, verbatim, and hands the right part back
    at the next session's start, at a prompt, or when asked.
    """
