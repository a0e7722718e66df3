"""Palaces to test with: sessions of our own words, mined for real or filed by hand."""

import json
from typing import NamedTuple

from click.testing import CliRunner

from mempalace.cli import main
from mempalace.identity import drawer_id, number
from mempalace.layers.fallback import chosen, full_lexicon
from mempalace.projects import Project
from mempalace.salience import salience
from mempalace.store import filing, wings
from mempalace.store import story as stored
from mempalace.store.connection import open_writer

DAY = 86400
START = 1_767_600_000  # 2026-01-05


class Said(NamedTuple):
    """One passage as it is filed by hand."""

    text: str
    kind: str = "report"
    room: str = "notes"
    importance: float = 3.0
    aside: bool = False
    pinned: bool = False


def stamp(at):
    """Return Unix seconds as a transcript writes them."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def transcript(folder, cwd, turns, *, session, at=START, branch="main", title=""):
    """Write a Claude Code transcript and return its path.

    turns: (kind, text); kind is prompt, report, narration (a tool call follows), aside or edit
    (a tool call that changed the file `text`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    records = [{"type": "custom-title", "customTitle": title, "sessionId": session}] if title else []

    def add(kind, n, content, **more):
        role = {"role": kind, "content": content, **({"id": f"msg-{session}-{n}"} if kind == "assistant" else {})}
        records.append(
            {
                "type": kind, "uuid": f"{session}-{n}-{len(records)}", "parentUuid": None, "sessionId": session,
                "cwd": str(cwd), "gitBranch": branch, "timestamp": stamp(at + n), "isSidechain": False,
                "message": role, **more,
            }
        )  # fmt: skip

    for n, (kind, text) in enumerate(turns):
        call = {"type": "tool_use", "id": f"call-{session}-{n}", "name": "Bash", "input": {"command": "make"}}
        result = [{"type": "tool_result", "tool_use_id": f"call-{session}-{n}", "content": "fine"}]
        if kind == "prompt":
            add("user", n, text)
        elif kind == "edit":
            call.update(name="Edit", input={"file_path": str(cwd) + "/" + text})
            add("assistant", n, [call])
            add("user", n, result)
        elif kind == "narration":
            add("assistant", n, [{"type": "text", "text": text}, call])
            add("user", n, result)
        else:
            add("assistant", n, [{"type": "text", "text": text}], isSidechain=kind == "aside")
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


def mine(palace, *places):
    """Mine places into a palace, as a user does, and return the report."""
    words = ["mine", "--json", "--palace", str(palace), *map(str, places)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def filed(palace, sessions, *, root="/somewhere/shop", start=START, tell=True):
    """File sessions (lists of Said, oldest session first) by hand; return the drawers' ids in order.

    tell: choose and store the wing's story too.
    """
    lexicon = full_lexicon(str(palace), {})
    ids = []
    with open_writer(str(palace)) as store:
        generation = filing.begin(store)
        wing = wings.ensure(store, Project(root, root.rsplit("/", 1)[-1]))
        for nth, said in enumerate(sessions):
            at = start + nth * DAY
            name = f"{root}#{start}#{nth}"
            n, _, _ = filing.ensure_source(
                store, id=name, wing=wing.n, harness="claude-code", path=f"/log/{nth}.jsonl", generation=generation
            )
            rows = []
            for ordinal, one in enumerate(said):
                id = drawer_id(source=f"{name}/{ordinal}", ordinal=0, text=one.text)
                tier = salience(one.text, lexicon)
                rows.append(
                    filing.Row(
                        id, wing.n, n, one.room, one.kind, one.aside, number(f"{name}/{ordinal}"), 0, ordinal + 1,
                        at + ordinal, one.text, tier, one.importance,
                    )
                )  # fmt: skip
            filing.file_drawers(store, rows, now=at, generation=generation)
            filing.describe_source(
                store, n, generation=generation, title="", branch="", cwd=root, opening="", outcome="", first=at,
                last=at + len(said),
            )  # fmt: skip
            pins = [(row.id,) for row, one in zip(rows, said, strict=True) if one.pinned]
            store.db.executemany("UPDATE drawers SET pinned = 1 WHERE id = ?", pins)
            ids += [row.id for row in rows]
        filing.touch(store, [wing.n], generation=generation)
        filing.commit(store)
        if tell:
            wing = wings.named(store, wing.name)
            stored.write(store, wing, chosen(store, wing, lexicon))
    return ids
