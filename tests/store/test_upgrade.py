"""A palace of every earlier schema: read as it is, brought up to date whole or not at all."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from transcripts import ask, everything_in, mine, talk

from mempalace.cli import main
from mempalace.layers import upkeep
from mempalace.layers.wake_up import wake_up
from mempalace.search import index
from mempalace.store import connection
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.schema import MIGRATIONS, VERSION

ROOT = Path(__file__).parents[2]
EARLIER = range(1, VERSION)
SAID = "Lens 1 of s1 is polished and the beam is steady."
BIG = 50_000  # rows that the way up has to copy
UPGRADE = """
import sys
from mempalace.store import connection
from mempalace.store.connection import open_writer
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
open_writer(sys.argv[1]).db.close()
"""


@pytest.fixture
def of_schema(palace, claude, monkeypatch):
    """Return a function that mines a session into a palace of an earlier schema and returns it."""

    def make(version):
        path = claude(talk())
        with monkeypatch.context() as then:
            then.setattr(connection, "MIGRATIONS", MIGRATIONS[:version])
            then.setattr(connection, "VERSION", version)
            mine(palace, path)
            with open_writer(str(palace)) as store:
                index.catch_up(store, upkeep.analyzer())
        assert ask(palace, "PRAGMA user_version") == [(version,)]
        return palace

    return make


def run(*words):
    return CliRunner().invoke(main, list(words))


def schema(palace):
    """Return every table, index and trigger with its text."""
    return sorted(ask(palace, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


@pytest.mark.parametrize("version", EARLIER)
def test_an_earlier_palace_is_read_as_it_is(of_schema, version):
    palace = of_schema(version)
    before = (palace / "palace.db").read_bytes()
    assert SAID in wake_up(str(palace), wing="lighthouse", env={}).text
    for words in (["status"], ["wings"], ["rooms"], ["wake-up", "--wing", "lighthouse"], ["doctor"]):
        told = run(*words)
        assert (told.exit_code, told.exception) == (0, None), told.output
    with open_reader(str(palace)) as store:
        assert store.version == version
    assert (palace / "palace.db").read_bytes() == before, "reading upgrades nothing"


@pytest.mark.parametrize("version", EARLIER)
def test_an_earlier_palace_is_searched_as_it_is(of_schema, version):
    palace = of_schema(version)
    found = run("search", "lens", "polished")
    assert (found.exit_code, found.exception) == (0, None), found.output
    assert SAID in found.stdout
    assert ask(palace, "PRAGMA user_version") == [(version,)]


@pytest.mark.parametrize("version", EARLIER)
def test_an_upgraded_palace_is_like_one_made_today_and_keeps_every_row(of_schema, version, tmp_path):
    palace = of_schema(version)
    before = dict(everything_in(palace))
    with open_writer(str(palace)) as store:
        assert store.version == VERSION
    today = tmp_path / "today"
    open_writer(str(today)).db.close()
    assert schema(palace) == schema(today)
    after = dict(everything_in(palace))
    assert {table: after[table] for table in before} == before
    assert SAID in wake_up(str(palace), wing="lighthouse", env={}).text


@pytest.mark.parametrize("version", EARLIER)
def test_mining_on_upgrades_and_files_what_is_new_alone(of_schema, claude, version):
    palace = of_schema(version)
    count = ask(palace, "SELECT count(*) FROM drawers")
    path = claude(talk("s2"))
    report = mine(palace, path.parent)
    assert (report.unchanged, report.drawers) == (1, 9)
    assert ask(palace, "SELECT count(*) FROM drawers") == [(count[0][0] + 9,)]
    assert ask(palace, "PRAGMA user_version") == [(VERSION,)]


@pytest.mark.parametrize("version", EARLIER)
@pytest.mark.parametrize("statement", [0, 1, 3])
def test_an_upgrade_that_fails_half_way_leaves_the_earlier_palace(of_schema, monkeypatch, version, statement):
    palace = of_schema(version)
    before, tables = everything_in(palace), schema(palace)
    broken = MIGRATIONS[version].split(";\n")
    spoilt = ";\n".join([*broken[: statement + 1], "\n    CREATE TABLE meta (twice);", ""])
    with monkeypatch.context() as then:
        then.setattr(connection, "MIGRATIONS", (*MIGRATIONS[:version], spoilt, *MIGRATIONS[version + 1 :]))
        with pytest.raises(Exception, match="meta already exists"):
            open_writer(str(palace))
    assert (everything_in(palace), schema(palace)) == (before, tables)
    open_writer(str(palace)).db.close()
    assert ask(palace, "PRAGMA user_version") == [(VERSION,)]


def begun(palace):
    """Start a process that will upgrade the palace when it gets a line, and return it."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", UPGRADE, str(palace)]
    child = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    return child


@pytest.fixture
def large(of_schema):
    """Return a palace whose way up takes a while: many citations, which the ledger's migration copies."""
    palace = of_schema(1)
    db = sqlite3.connect(palace / "palace.db")
    rows = ((f"session-{n:06}", f"{n:024x}", 1, n) for n in range(BIG))
    with db:
        db.executemany("INSERT INTO citations VALUES (?, ?, ?, ?)", rows)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return palace


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_an_upgrade_that_is_killed_is_done_by_the_next(large):
    before = ask(large, "SELECT count(*) FROM drawers")
    child = begun(large)
    child.stdin.write(b"go\n")
    child.stdin.flush()
    until = time.monotonic() + 60
    while not busy(large) and child.poll() is None:  # it holds the write, or is done already
        assert time.monotonic() < until
    child.kill()
    child.communicate()
    (version,) = ask(large, "PRAGMA user_version")[0]
    assert version in (1, VERSION), "all of the way or not at all"
    assert SAID in wake_up(str(large), wing="lighthouse", env={}).text
    open_writer(str(large)).db.close()
    assert ask(large, "PRAGMA user_version") == [(VERSION,)]
    assert ask(large, "SELECT count(*) FROM undecided") == [(BIG,)]
    assert ask(large, "SELECT count(*) FROM drawers") == before
    assert ask(large, "PRAGMA integrity_check") == [("ok",)]


def busy(palace):
    """Tell whether somebody holds the palace's write."""
    db = sqlite3.connect(palace / "palace.db", timeout=0, isolation_level=None)
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return True
    finally:
        db.close()
    return False


def test_two_that_upgrade_at_once_are_both_served(large):
    children = [begun(large) for _ in range(3)]
    for child in children:
        child.stdin.write(b"go\n")
        child.stdin.flush()
    for child in children:
        _, said = child.communicate(timeout=120)
        assert (child.returncode, said) == (0, b"")
    assert ask(large, "PRAGMA user_version") == [(VERSION,)]
    assert ask(large, "SELECT count(*) FROM undecided") == [(BIG,)]


def test_while_one_upgrades_others_read(large):
    child = begun(large)
    child.stdin.write(b"go\n")
    child.stdin.flush()
    while child.poll() is None:
        assert SAID in wake_up(str(large), wing="lighthouse", env={}, wait=0.0).text
    assert child.communicate()[1] == b""
