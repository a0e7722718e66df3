"""`mempalace config`, `on` and `off`: what the user has set."""

from __future__ import annotations

import os

import click

from mempalace import config as file_of
from mempalace import settings
from mempalace.cli.options import json_option, palace_option
from mempalace.cli.speech import say, say_json
from mempalace.layers import configuring
from mempalace.paths import shown
from mempalace.settings import BY_NAME, HOOKS, OFF, instead


class Verbs(click.Group):
    """The verbs of `mempalace config`; a setting in a verb's place is told where it belongs."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb, its command and the words behind it."""
        if args[0] in BY_NAME:
            ctx.fail(f"say what to do with {args[0]}: get, set or unset, as in: mempalace config get {args[0]}")
        if args[0] not in self.commands:
            verbs = ", ".join(self.commands)
            ctx.fail(f'no such verb {args[0]!r}: there are {verbs}; "mempalace config" alone lists the settings')
        return super().resolve_command(ctx, args)


class Hook(click.ParamType[str]):
    """The name of a hook."""

    name = "hook"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fails with the names there are."""
        if value and value not in HOOKS:
            self.fail(f"no hook is called {value!r}{instead(value, HOOKS)}", param, ctx)
        return value


@click.group(cls=Verbs, invoke_without_command=True)
@palace_option
@json_option
@click.pass_context
def config(ctx: click.Context, palace: str, as_json: bool) -> None:
    """List the settings, each with where it comes from; or read and change one."""
    if ctx.invoked_subcommand:
        ctx.default_map = {name: {"palace": palace} for name in config.commands}  # --palace before it counts too
        return
    said, wrong = settings.told(palace, os.environ)
    if as_json:
        say_json({"settings": [one._asdict() for one in said], "wrong": wrong})
        return
    for name, value, where in said:
        say(f"{name} = {configuring.as_toml(value)}  # {_where(where)}")
    for line in wrong:
        say(line, err=True)


@config.command("get")
@click.argument("key")
@palace_option
def get(key: str, palace: str) -> None:
    """Print the value that a setting has now."""
    name = configuring.key(key).name
    (value,) = [one.value for one in settings.told(palace, os.environ)[0] if one.name == name]
    say(configuring.as_toml(value))


@config.command("set", context_settings={"ignore_unknown_options": True})  # -5 is a value, if no good one
@click.argument("key")
@click.argument("words", nargs=-1, required=True, metavar="VALUE...")
@palace_option
def set_(key: str, words: tuple[str, ...], palace: str) -> None:
    """Write a setting into config.toml; several VALUEs are a list."""
    setting = configuring.key(key)
    value = configuring.value_of(setting, words)
    configuring.put(palace, setting, value)
    say(f"{setting.name} = {configuring.as_toml(value)}  # {_where(file_of.path(palace))}")


@config.command("unset")
@click.argument("key")
@palace_option
def unset(key: str, palace: str) -> None:
    """Take a setting out of config.toml, so that its default holds."""
    setting = configuring.key(key)
    was = configuring.drop(palace, setting)
    say(f"{setting.name} {'is' if was else 'was'} at its default: {configuring.as_toml(setting.default)}")


@config.command("path")
@palace_option
def path(palace: str) -> None:
    """Print where config.toml is, or would be."""
    say(file_of.path(palace))


@click.command()
@click.argument("hook", required=False, default="", type=Hook(), metavar="[HOOK]")
@click.option("--project", metavar="DIR", default="", help="Only in the project that DIR lies in.")
@palace_option
def off(hook: str, project: str, palace: str) -> None:
    """Silence every hook, or HOOK alone: wake-up, recall, guard, command, file-away, serve."""
    configuring.switch(palace, hook, _folder(project), off=True)
    _tell(palace, _folder(project))


@click.command()
@click.argument("hook", required=False, default="", type=Hook(), metavar="[HOOK]")
@click.option("--project", metavar="DIR", default="", help="Only in the project that DIR lies in.")
@palace_option
def on(hook: str, project: str, palace: str) -> None:
    """Let every hook, or HOOK alone, speak again."""
    configuring.switch(palace, hook, _folder(project), off=False)
    _tell(palace, _folder(project))


def _folder(project: str) -> str:
    return os.path.abspath(os.path.expanduser(project)) if project else ""


def _tell(palace: str, folder: str) -> None:
    """Say which hooks are silent now, and what else silences any of them."""
    held = settings.read(palace, {})
    silent = [hook for hook in HOOKS if held.silent(hook, folder or os.sep)]
    state = "every hook is on" if not silent else "off: " + ", ".join(silent)
    say(state + (f" in {shown(folder)}" if folder else ""))
    elsewhere = sorted({shown(where) for _, where in held.quiet if where})
    if elsewhere and not folder:
        say(f"projects with hooks that are off: {', '.join(elsewhere)}")
    if settings.read(palace, os.environ).off and not held.off:
        say(f"{OFF} is set: here every hook is off all the same")
    if held.wrong:
        say(held.wrong, err=True)


def _where(where: str) -> str:
    return shown(where) if os.sep in where else where or "default"
