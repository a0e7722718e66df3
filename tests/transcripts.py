"""Builders of transcripts, and what a palace holds once they are mined. For every test."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from mempalace import lexicon
from mempalace.mine import finding, formats
from mempalace.mine.filing import Language
from mempalace.mine.miner import Miner
from mempalace.mine.report import Report
from mempalace.store.connection import open_reader, open_writer

BEGAN = 1_767_323_045  # 2026-01-02T03:04:05Z
NOW = BEGAN + 86_400


class Session:
    """A Claude Code session being written: each method adds one record and returns it.

    Records a second apart, each with the uuid of the one before as its parent. `more` adds
    fields to a record or overrides its own.
    """

    def __init__(self, name: str = "s1", *, cwd: str = "/work/lighthouse", branch: str = "main") -> None:
        self.name = name
        self.cwd = cwd
        self.branch = branch
        self.records: list[dict[str, Any]] = []
        self.last: str | None = None

    def user(self, content: Any, **more: Any) -> dict[str, Any]:
        """Add what the human said: a string, or blocks."""
        return self._spoken("user", {"role": "user", "content": content}, more)

    def agent(self, content: Any, *, id: str = "", **more: Any) -> dict[str, Any]:
        """Add what the agent said, text or blocks; records of one API message share `id`."""
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        message = {"role": "assistant", "model": "claude-x", "id": id or f"msg_{self.name}_{len(self.records)}"}
        return self._spoken("assistant", {**message, "content": blocks}, more)

    def tool(self, name: str, given: dict[str, Any], *, call: str = "", id: str = "", **more: Any) -> dict[str, Any]:
        """Add a tool call."""
        call = call or f"toolu_{self.name}_{len(self.records)}"
        return self.agent([{"type": "tool_use", "id": call, "name": name, "input": given}], id=id, **more)

    def result(self, content: Any = "ok", *, error: bool = False, call: str = "", **more: Any) -> dict[str, Any]:
        """Add the outcome of a tool call, by default of the last one."""
        call = call or next(
            block["id"]
            for record in reversed(self.records)
            for block in (record.get("message") or {}).get("content") or ()
            if isinstance(block, dict) and block.get("type") == "tool_use"
        )
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.user([{**block, "is_error": True} if error else block], **more)

    def record(self, type: str, **fields: Any) -> dict[str, Any]:
        """Add a record of any other type."""
        self.records.append({"type": type, "sessionId": self.name, **fields})
        return self.records[-1]

    def _spoken(self, type: str, message: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
        at = datetime.fromtimestamp(BEGAN + len(self.records), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        own = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.name} {len(self.records)}"))
        made = {
            "parentUuid": self.last, "isSidechain": False, "type": type, "message": message, "uuid": own,
            "timestamp": at, "cwd": self.cwd, "sessionId": self.name, "gitBranch": self.branch, **more,
        }  # fmt: skip
        self.records.append(made)
        self.last = made["uuid"]
        return made

    @property
    def lines(self) -> list[bytes]:
        """The records as the lines of a file."""
        return [line(record) for record in self.records]

    def write(self, path: Path) -> Path:
        """Write the session to a file and return its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines))
        return path


def line(record: Any) -> bytes:
    """Return a record as one line of JSONL."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def talk(name: str = "s1", turns: int = 3, **more: Any) -> Session:
    """Return an ordinary session: each turn a prompt, narration, a tool call with its outcome, a report."""
    session = Session(name, **more)
    for turn in range(turns):
        session.user(f"Please polish lens number {turn} of the lamp {name}.")
        session.agent(f"First I look at lens {turn} of {name}.", id=f"m-{name}-{turn}a")
        session.tool("Bash", {"command": f"polish --lens {turn}"}, id=f"m-{name}-{turn}a")
        session.result(f"lens {turn}: clear")
        session.agent(f"Lens {turn} of {name} is polished and the beam is steady.", id=f"m-{name}-{turn}b")
    return session


@cache
def language() -> Language:
    """Return every language that ships, compiled once."""
    return Language([lexicon.load(code) for code in lexicon.languages()])


def mine(palace: str | Path, *places: str | Path, now: int = NOW, everything: bool = False, **how: Any) -> Report:
    """Mine the places into the palace and return the report. how: `wing`, `harness` (a name)."""
    harness = formats.named(how["harness"]) if how.get("harness") else None
    with open_writer(str(palace)) as store:
        miner = Miner(store, language(), now=now, wing=how.get("wing", ""), harness=harness)
        return miner.mine(finding.files(map(str, places), everything=everything))


def ask(palace: str | Path, query: str, values: Iterable[Any] = ()) -> list[Any]:
    """Return the rows a query finds in the palace."""
    with open_reader(str(palace)) as store:
        return store.db.execute(query, tuple(values)).fetchall()


def told(palace: str | Path) -> list[tuple[str, str]]:
    """Return (kind, text) of every drawer, in the order of their lines."""
    kinds = ("prompt", "report", "narration", "note")
    rows = ask(palace, "SELECT kind, text FROM drawers ORDER BY source, line, part, n")
    return [(kinds[kind], text) for kind, text in rows]


def texts(palace: str | Path) -> list[str]:
    """Return the text of every drawer, in the order of their lines."""
    return [text for _, text in told(palace)]


def content(palace: str | Path) -> dict[str, list[Any]]:
    """Return what the palace holds, apart from when it was filed and in what order."""
    return {
        "drawers": ask(
            palace,
            """SELECT drawers.id, wings.name, sources.id, room, kind, aside, part, line, happened_at, salience, text
               FROM drawers JOIN wings ON wings.n = drawers.wing JOIN sources ON sources.n = source ORDER BY 1""",
        ),
        "actions": ask(
            palace,
            """SELECT key, sources.id, tool, target, ok, error, aside, line, happened_at
               FROM actions JOIN sources ON sources.n = source ORDER BY 1""",
        ),
        "sources": ask(
            palace,
            """SELECT id, name, harness, title, branch, cwd, started_at, ended_at, opening
               FROM sources JOIN wings ON wings.n = wing ORDER BY 1""",
        ),
        "wings": ask(palace, "SELECT name, drawers FROM wings ORDER BY 1"),
    }


def everything_in(palace: str | Path) -> list[tuple[str, list[Any]]]:
    """Return every row of every table, times and generations too."""
    tables = [name for (name,) in ask(palace, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    return [(table, ask(palace, f"SELECT * FROM {table} ORDER BY 1, 2")) for table in tables]
