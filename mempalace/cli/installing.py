"""`mempalace setup` and `uninstall`: the hooks without the plugin, and the way out."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

import click

from mempalace import environment, plugin, runtime, trajectory, wiring
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.errors import PalaceError
from mempalace.paths import palace_dir, places_of, shown


@click.command()
@palace_option
def setup(palace: str) -> None:
    """Have Claude Code run mempalace's hooks, without the plugin; `mempalace uninstall` takes it back."""
    if plugin.enabled(os.environ, os.getcwd()):
        raise PalaceError(
            "the plugin is enabled in Claude Code and has the same hooks: nothing was changed "
            '(to use setup instead, run "claude plugin disable mempalace" first)'
        )
    path = plugin.client_settings(os.environ)
    wiring.wire(path, palace, sys.executable)
    runtime.remember(palace, sys.executable)
    say(f"put {len(wiring.wired(path))} hooks into {shown(path)}:")
    for line in wiring.wired(path):
        say(f"  {line}")
    if palace != palace_dir(os.environ):
        say(f"the hooks use {shown(palace_dir(os.environ))}, not {shown(palace)}: for that one, start")
        say(f"Claude Code with MEMPALACE_HOME={shlex.quote(palace)}")
    say('next: run "mempalace mine" once; the next session of Claude Code wakes up with what it found')


@click.command()
@palace_option
@click.option("--dry-run", is_flag=True, help="Say what would be removed; change nothing.")
@click.option("--delete-palace", is_flag=True, help="Delete the palace too: all that was ever filed.")
@click.option("--yes", is_flag=True, help="Delete the palace without asking.")
@json_option
def uninstall(palace: str, dry_run: bool, delete_palace: bool, yes: bool, as_json: bool) -> None:
    """Take out exactly what was put in: hooks, environment, traces; the palace stays unless told otherwise."""
    if delete_palace and os.path.isdir(palace) and os.listdir(palace) and not places_of(palace):
        raise PalaceError(f"{shown(palace)} holds no palace: nothing was removed")
    if delete_palace and not (dry_run or yes):
        click.confirm(f"delete {shown(palace)} and all that was filed in it?", abort=True)
    done = [*_hooks(palace, dry_run), *_environment(palace, dry_run), *_folder(trajectory.refuge(), dry_run)]
    done += _palace(palace, dry_run) if delete_palace else []
    left = _left(palace, delete_palace)
    if as_json:
        say_json({"dry_run": dry_run, "removed": done, "left": left})
        return
    for line in done or ["nothing of mempalace was found to remove"]:
        say(f"would have {line}" if dry_run and done else line)
    for line in left:
        say(f"left: {line}")


def _hooks(palace: str, dry_run: bool) -> list[str]:
    return wiring.unwire(plugin.client_settings(os.environ), palace, dry_run=dry_run)


def _environment(palace: str, dry_run: bool) -> list[str]:
    """Remove the plugin's own environment: the one whose interpreter the palace remembers, or this plugin's."""
    python = runtime.recorded(palace)
    inside = os.path.dirname(os.path.dirname(os.path.dirname(python))) if python else ""
    done = []
    for home in dict.fromkeys(filter(None, (environment.data(os.environ), inside))):
        found = environment.parts(home)
        if environment.POINTER not in map(os.path.basename, found):
            continue
        for path in found:
            done += _folder(path, dry_run)
    return done


def _palace(palace: str, dry_run: bool) -> list[str]:
    """Remove the palace; in a folder that holds other files too, what is the palace's alone."""
    ours = places_of(palace)
    if len(ours) == len(os.listdir(palace)) if os.path.isdir(palace) else True:
        return _folder(palace, dry_run)
    return [line for path in ours for line in _folder(path, dry_run)]


def _folder(path: str, dry_run: bool) -> list[str]:
    if not os.path.lexists(path):
        return []
    if not dry_run:
        try:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        except OSError as error:
            raise PalaceError(f"cannot remove {shown(path)}: {(error.strerror or str(error)).lower()}") from error
    return [f"removed {shown(path)}"]


def _left(palace: str, deleted: bool) -> list[str]:
    """Return what a user has to remove by hand, and what stays on purpose."""
    left = []
    if os.path.isdir(palace) and not deleted:
        left.append(f"the palace at {shown(palace)}: --delete-palace removes it")
    elif os.path.isdir(palace) and set(os.listdir(palace)) - {os.path.basename(path) for path in places_of(palace)}:
        left.append(f"{shown(palace)}: it holds files that are not the palace's")
    if plugin.enabled(os.environ, os.getcwd()):
        left.append('the plugin in Claude Code: run "claude plugin uninstall mempalace"')
    tool = os.path.realpath(sys.prefix).replace(os.sep, "/")
    if "/uv/tools/" in tool:
        left.append('the program: run "uv tool uninstall mempalace"')
    elif "/pipx/venvs/" in tool:
        left.append('the program: run "pipx uninstall mempalace"')
    elif sys.prefix != sys.base_prefix:
        left.append(f"the program in {shown(sys.prefix)}: run pip uninstall mempalace there")
    return left
