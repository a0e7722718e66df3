"""The server as clients meet it: a process of its own, spoken to by the SDK over stdio."""

import os
import sys
from contextlib import asynccontextmanager

import pytest
import transcripts

try:
    import anyio
    import mcp.client.stdio
except ImportError:  # the extra is not installed: test_server.py skips itself
    mcp = anyio = None

PATIENCE = 60  # seconds for one answer


class Server:
    """Starts servers of one palace, each for as long as one conversation lasts."""

    def __init__(self, palace, project):
        self.palace = palace
        self.project = project
        self.words = [sys.executable, "-m", "mempalace", "mcp", "--palace", str(palace)]
        self.env = {"HOME": os.environ["HOME"], "TMPDIR": os.environ["TMPDIR"], "MEMPALACE_HOME": str(palace)}

    @asynccontextmanager
    async def started(self, log):
        given = mcp.StdioServerParameters(command=self.words[0], args=self.words[1:], env=self.env, cwd=self.project)
        async with (
            mcp.stdio_client(given, errlog=log) as (reading, writing),
            mcp.ClientSession(reading, writing, read_timeout_seconds=PATIENCE) as session,
        ):
            await session.initialize()
            yield session

    def tools(self):
        """Return what the server offers, by name."""

        async def listed(session):
            return {tool.name: tool for tool in (await session.list_tools()).tools}

        return self.talk(listed)

    def call(self, tool, **given):
        """Return what a tool answers, as plain values; an error as its text."""
        (told,) = self.calls((tool, given))
        return told

    def calls(self, *asked):
        """Return what the tools answer, one after the other, within one conversation."""

        async def answers(session):
            return [await session.call_tool(tool, given) for tool, given in asked]

        return [said(told) for told in self.talk(answers)]

    def talk(self, work):
        """Do the work with a session of a new server, which must end without a word on stderr."""
        found = []
        path = self.project / "stderr.txt"

        async def run():
            with open(path, "w") as log:
                async with self.started(log) as session:
                    found.append(await work(session))

        anyio.run(run)
        assert path.read_text() == ""
        return found[0]


def said(told):
    """Return a result's values, or the one text of an error."""
    (block,) = told.content
    return block.text if told.is_error else told.structured_content


@pytest.fixture
def server(palace, tmp_path):
    """Return a server whose palace is not there yet."""
    project = tmp_path / "lighthouse"
    project.mkdir()
    return Server(palace, project)


@pytest.fixture
def filled(server, tmp_path):
    """Return a server whose palace holds one session of its project."""
    from mempalace.cli.digging import run

    session = transcripts.talk("lamp", cwd=str(server.project))
    run(str(server.palace), {"places": [str(session.write(tmp_path / "log" / "lamp.jsonl"))]})
    return server
