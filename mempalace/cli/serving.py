"""`mempalace mcp`."""

from __future__ import annotations

import importlib
import os

import click

from mempalace.cli.options import palace_option
from mempalace.errors import PalaceError

EXTRA = ("mcp", "mcp_types", "pydantic")  # what comes with it


@click.command()
@palace_option
@click.option("--cwd", metavar="DIR", default="", help="The project's folder  [default: this one].")
def mcp(palace: str, cwd: str) -> None:
    """Serve the palace to agents over MCP, on stdin and stdout.

    Notes can be filed and forgotten only where a palace exists when the server starts.
    """
    try:
        # Late, and by its name: it needs packages that only the extra brings.
        server = importlib.import_module("mempalace.mcp.server")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in EXTRA:
            raise
        raise PalaceError(
            'the MCP server needs its SDK: install mempalace[mcp] (pip install "mempalace[mcp]")'
        ) from None
    server.serve(palace, cwd=cwd or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
