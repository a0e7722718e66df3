"""What an agent can ask of the palace, and change in it, over MCP."""

import json
import os
import re
import sqlite3

import pytest
import transcripts

from mempalace.store.schema import VERSION

pytest.importorskip("mcp.client.stdio", reason="the extra mempalace[mcp] is not installed")

READS = {"search", "recall", "show", "why", "status", "trust", "tremor", "trust_selftest"}
CHANGES = {"remember", "forget", "learn", "predict", "calibrate_predict", "calibrate_envelope"}
CITATION = ["id", "title", "heading", "snippet"]


def schema(palace, version):
    """Give the palace's file another schema's number."""
    db = sqlite3.connect(palace / "palace.db")
    db.execute(f"PRAGMA user_version={version}")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def test_a_palace_offers_to_read_and_to_change(filled):
    tools = filled.tools()
    assert set(tools) == READS | CHANGES
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == READS
    assert [name for name, tool in tools.items() if tool.annotations.destructive_hint] == ["forget"]


def test_every_tool_says_what_it_is_for(filled):
    assert not [name for name, tool in filled.tools().items() if len(tool.description or "") < 40]


def test_without_a_palace_there_is_only_reading_and_none_is_made(server, palace):
    assert set(server.tools()) == READS
    assert not palace.exists()


@pytest.mark.parametrize("version", [0, VERSION - 1, VERSION + 1], ids=["unmade", "older", "newer"])
def test_a_palace_of_another_schema_is_not_changed(filled, palace, version):
    schema(palace, version)
    assert set(filled.tools()) == READS


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_palace_that_cannot_be_written_to_is_not_changed(filled, palace):
    palace.chmod(0o500)
    try:
        assert set(filled.tools()) == READS
    finally:
        palace.chmod(0o700)


def test_without_a_palace_every_tool_says_what_to_do(server, palace):
    one = {"id": "d:0123abcd"}
    told = server.calls(("search", {"query": "lens"}), ("recall", {}), ("show", one), ("why", one), ("status", {}))
    assert [line for line in told if "\n" in line or 'run "mempalace mine" first' not in line] == []
    assert not palace.exists()


def test_a_search_finds_and_cites(filled):
    told = filled.call("search", query="is the beam of the lamp steady?", limit=3)
    assert told["how"] == "relevance"
    assert 1 <= len(told["sources"]) <= 3
    for source in told["sources"]:
        assert list(source) == CITATION
        assert re.fullmatch(r"d:[0-9a-f]{8,}", source["id"])
    assert "beam is steady" in told["sources"][0]["snippet"]


def test_a_search_that_finds_nothing_cites_nothing(filled):
    assert "sources" not in filled.call("search", query="zzyzx qwfpgj")


def test_filters_hold(filled):
    held, none = filled.calls(
        ("search", {"query": "lens", "wing": "lighthouse", "since": "2026"}),
        ("search", {"query": "lens", "until": "2025"}),
    )
    assert held["sources"]
    assert "sources" not in none


MISTAKES = [
    # tool, what it is given, what the error says
    ("search", {"query": "lens", "wing": "attic"}, "lighthouse"),
    ("search", {"query": "lens", "since": "soon"}, "2026-03"),
    ("show", {"id": "d:0123abcd"}, "never filed here"),
    ("show", {"id": "s:99"}, "no session s:99"),
    ("show", {"id": "the first one"}, "hex digits"),
    ("why", {"id": "d:0123abcd"}, "never filed here"),
    ("forget", {"id": "d:0123abcd"}, "never filed here"),
    ("forget", {"id": "d:0123abcd", "dry_run": True}, "never filed here"),
    ("remember", {"text": " "}, "nothing to remember"),
]


def test_an_error_is_one_line_that_helps(filled):
    told = filled.calls(*((tool, given) for tool, given, _ in MISTAKES))
    wrong = [
        (tool, given, line)
        for (tool, given, expected), line in zip(MISTAKES, told, strict=True)
        if not isinstance(line, str) or expected not in line or "\n" in line
    ]
    assert wrong == []


def test_recall_needs_no_question(filled):
    told = filled.call("recall", wing="lighthouse", limit=2)
    assert told["how"] == "salience"
    assert [list(source) for source in told["sources"]] == [CITATION] * 2


def test_show_opens_what_a_search_cited(filled):
    found = filled.call("search", query="Please polish lens number 1 of the lamp")["sources"][0]
    told = filled.call("show", id=f"[{found['id']}]", around=1)
    assert told["sources"] == [found]
    assert told["text"].startswith(found["snippet"])
    assert re.search(r"lamp\.jsonl:\d+$", told["transcript"])
    assert [len(told[side]) for side in ("before", "after")] == [1, 1]


def test_show_lists_a_session(filled):
    told = filled.call("show", id="s:1")
    assert told["transcript"].endswith("lamp.jsonl")
    assert told["sources"][0]["snippet"] == "Please polish lens number 0 of the lamp lamp."


def test_why_names_the_gate(filled):
    found = filled.call("search", query="First I look at lens 1 of lamp")["sources"][0]
    told = filled.call("why", id=found["id"])
    assert told["id"] == found["id"]
    assert told["gate"]
    assert told["said"]


def test_the_status_counts(filled, palace):
    told = filled.call("status")
    assert (told["palace"], told["index"], told["waiting"]) == (str(palace), "current", 0)
    assert told["largest_wings"] == {"lighthouse": told["drawers"]}


def test_what_is_remembered_is_found(filled):
    note = "The spare wick is kept in the red tin under the stairs."
    filed, found = filled.calls(("remember", {"text": note}), ("search", {"query": "where is the spare wick?"}))
    assert filed["wing"] == "lighthouse"
    assert filed["sources"][0]["snippet"] == note
    assert found["sources"][0] == filed["sources"][0]


def test_what_is_remembered_holds_no_secret(filled):
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    filed = filled.call("remember", text=f"The token of the harbour office is {key}, ask before use.")
    assert filed["redacted"] == 1
    assert key not in json.dumps(filed)


def test_what_is_forgotten_is_gone(filled):
    found = filled.call("search", query="lens 2 polished beam steady")["sources"][0]
    planned, receipt, shown, after = filled.calls(
        ("forget", {"id": found["id"], "dry_run": True}),
        ("forget", {"id": found["id"]}),
        ("show", {"id": found["id"]}),
        ("search", {"query": "lens 2 polished beam steady"}),
    )
    assert (planned["drawers"], planned["sessions"]) == (1, 0)
    assert receipt["drawers"] == 1
    assert (receipt["in_store"], receipt["in_index"], receipt["in_trajectory"]) == (0, 0, 0)
    assert "never filed here, or it was forgotten" in shown
    assert found["id"] not in [source["id"] for source in after["sources"]]


def test_a_session_is_forgotten_whole(filled):
    receipt, told = filled.calls(("forget", {"id": "s:1"}), ("status", {}))
    assert receipt["sources"] == 1
    assert (told["drawers"], told["sources"]) == (0, 0)


def test_a_palace_that_grows_is_searched_as_it_is(filled, tmp_path):
    from mempalace.cli.digging import run

    async def asked(session):
        before = await session.call_tool("search", {"query": "foghorn"})
        note = transcripts.Session("fog", cwd=str(filled.project))
        note.user("The foghorn has a crack, please mend it before the autumn.")
        run(str(filled.palace), {"places": [str(note.write(tmp_path / "log" / "fog.jsonl"))]})
        return before, await session.call_tool("search", {"query": "foghorn"})

    before, after = (told.structured_content for told in filled.talk(asked))
    assert "sources" not in before
    assert "foghorn" in after["sources"][0]["snippet"]
