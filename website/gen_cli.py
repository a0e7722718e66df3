"""Write what the documentation takes from the program itself: `python website/gen_cli.py`.

The command reference (docs/cli.md); in README.md the list of commands and the sample's
wake-up, each between its marks. tests/test_docs.py fails where one of them is behind.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from mempalace.cli import main

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "website" / "docs" / "cli.md"
README = ROOT / "README.md"
SAMPLE = ROOT / "samples" / "tidetable"


def reference() -> str:
    """Return the command reference as Markdown: every command, argument and option."""
    parts = ["# Commands", "<!-- Written by website/gen_cli.py: do not edit. -->"]
    whole = click.Context(main, info_name="mempalace", **main.context_settings)
    parts.append(f"```\nmempalace {' '.join(main.collect_usage_pieces(whole))}\n```")
    parts += paragraphs(main)
    parts.append(table(options(main, whole)))
    parts.append("`-h` or `--help` after any command says what this page says of it.")
    for words, command in commands():
        context = click.Context(command, info_name=words, parent=whole)
        parts.append(f"## {words.removeprefix('mempalace ')}")
        parts.append(f"```\n{' '.join([words, *command.collect_usage_pieces(context)])}\n```")
        parts += paragraphs(command)
        if options(command, context):
            parts.append(table(options(command, context)))
    return "\n\n".join(part for part in parts if part) + "\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it, groups before their own."""
    yield from _below(main, "mempalace")


def _below(group: click.Group, words: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield f"{words} {name}", command
        if isinstance(command, click.Group):
            yield from _below(command, f"{words} {name}")


def paragraphs(command: click.Command) -> list[str]:
    """Return a command's help, a paragraph each, on one line."""
    told = (command.help or "").replace("\b", "").strip()
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", told) if part.strip()]


def options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Return a command's own options as the help shows them: how each is written, what it does.

    `--help` is not among them: it is every command's, and click keeps the first spelling it was asked for.
    """
    records = (param.get_help_record(context) for param in command.params)
    return [(written, " ".join(told.split())) for written, told in filter(None, records) if told]


def table(rows: list[tuple[str, str]]) -> str:
    """Return rows of options as a Markdown table."""
    lines = [f"| `{written}` | {told.replace('|', chr(92) + '|')} |" for written, told in rows]
    return "\n".join(["| option | what it does |", "|---|---|", *lines])


def listed() -> str:
    """Return the README's list of commands: each with the first sentence of its help."""
    rows = []
    for words, command in commands():
        arguments = [piece for piece in command.collect_usage_pieces(click.Context(command)) if piece != "[OPTIONS]"]
        first = re.split(r"(?<=[.])\s", paragraphs(command)[0])[0]
        rows.append(f"| `{' '.join([words, *arguments])}` | {first} |")
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def sample() -> str:
    """Return the wake-up of the sample project, as a block of text."""
    with tempfile.TemporaryDirectory() as folder:
        palace = str(Path(folder) / "palace")
        call("mine", "--quiet", "--palace", palace, str(SAMPLE))
        return "```text\n" + call("wake-up", "--palace", palace, "--wing", "tidetable").strip() + "\n```"


def call(*words: str) -> str:
    """Return what a command prints."""
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    if done.exit_code:
        raise SystemExit(f"mempalace {' '.join(words)}: {done.output}")
    return done.stdout


def filled(text: str, name: str, body: str) -> str:
    """Return the text with `body` between the marks of that name."""
    start, end = f"<!-- --8<-- [start:{name}] -->", f"<!-- --8<-- [end:{name}] -->"
    before, rest = text.split(start)
    return f"{before}{start}\n\n{body}\n\n{end}{rest.split(end)[1]}"


def readme(text: str) -> str:
    """Return README.md with its generated parts brought up to date."""
    return filled(filled(text, "commands", listed()), "wake-up", sample())


def write(path: Path, text: str) -> None:
    """Write the text where it differs from what is there, and say so."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"written: {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    write(REFERENCE, reference())
    write(README, readme(README.read_text(encoding="utf-8")))
