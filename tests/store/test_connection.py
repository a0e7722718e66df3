"""The palace's file, opened: made private, refused clearly, never made by a reader."""

import os
import sqlite3
import subprocess
import threading
from contextlib import suppress

import pytest
from transcripts import NOW, content, mine, talk

from mempalace.errors import NoPalace, PalaceCorrupt, PalaceError, PalaceLocked, PalaceTooNew
from mempalace.store import backup, connection, filing, looking, reading, story, wings
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.schema import VERSION


@pytest.fixture
def filled(palace, claude):
    mine(palace, claude(talk()))
    return palace


def files(folder):
    """Return the names in a folder, without what SQLite itself lays beside an open database."""
    return sorted(name for name in os.listdir(folder) if not name.endswith(("-wal", "-shm")))


READERS = [
    pytest.param(lambda store: looking.counts(store), id="counts"),
    pytest.param(lambda store: wings.all_wings(store), id="wings"),
    pytest.param(lambda store: story.total(store), id="total"),
    pytest.param(lambda store: filing.generation(store), id="generation"),
    pytest.param(lambda store: list(reading.gone(store, 0)), id="gone"),
    pytest.param(lambda store: backup.examine(store), id="examine"),
]


def test_a_missing_palace_is_said_with_the_remedy_and_not_made(palace):
    with pytest.raises(NoPalace, match=r'no palace at .*: run "mempalace mine" first'):
        open_reader(str(palace))
    assert not palace.exists()


def test_a_palace_whose_making_was_interrupted_is_no_palace_yet(palace):
    palace.mkdir()
    (palace / "palace.db").touch()
    with pytest.raises(NoPalace, match="no palace at"):
        open_reader(str(palace))
    with open_writer(str(palace)) as store:
        assert filing.generation(store) == 0


@pytest.mark.parametrize("ask", READERS)
def test_a_reader_makes_and_changes_nothing(filled, ask):
    before = files(filled), (filled / "palace.db").read_bytes()
    with open_reader(str(filled)) as store:
        ask(store)
    assert (files(filled), (filled / "palace.db").read_bytes()) == before


def test_a_reader_cannot_write(filled):
    with open_reader(str(filled)) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        filing.begin(store)


def test_a_newer_schema_is_refused_with_the_remedy(filled):
    with open_writer(str(filled)) as store:
        store.db.execute(f"PRAGMA user_version = {VERSION + 1}")
    for opened in (open_reader, open_writer):
        with pytest.raises(PalaceTooNew, match=f"has schema {VERSION + 1}, .* knows {VERSION}: upgrade mempalace"):
            opened(str(filled))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda raw: b"not a database, " * 1000, id="something else"),
        pytest.param(lambda raw: b"\0" * 100 + raw[100:], id="a damaged header"),
        pytest.param(lambda raw: raw[:3000], id="cut short"),
    ],
)
def test_a_damaged_file_is_said_with_the_remedy_and_left_alone(filled, damage):
    path = filled / "palace.db"
    raw = damage(path.read_bytes())
    path.write_bytes(raw)
    for opened in (open_reader, open_writer):
        with pytest.raises(PalaceCorrupt, match=r'is damaged .*: run "mempalace doctor"'):
            opened(str(filled))
    assert path.read_bytes() == raw


def test_a_locked_palace_is_said_with_the_remedy(filled):
    with open_writer(str(filled)) as holder:
        filing.begin(holder)
        with (
            open_writer(str(filled), wait=0.0) as other,
            pytest.raises(PalaceLocked, match="is locked by another process"),
            connection.speaking(str(filled)),
        ):
            filing.begin(other)
        filing.rollback(holder)


def test_a_reader_reads_while_a_writer_writes(filled):
    before = content(filled)
    with open_writer(str(filled)) as writer:
        generation = filing.begin(writer)
        writer.db.execute("DELETE FROM drawers")
        assert content(filled) == before
        filing.touch(writer, [1], generation=generation)
        filing.commit(writer)
    assert content(filled)["drawers"] == []


def test_a_write_taken_back_leaves_nothing(filled):
    before = content(filled)
    with open_writer(str(filled)) as store:
        first = filing.generation(store)
        filing.begin(store)
        store.db.execute("DELETE FROM drawers")
        filing.rollback(store)
        assert filing.generation(store) == first
    assert content(filled) == before


def test_a_writer_that_dies_leaves_nothing_of_its_write(filled):
    before = content(filled)
    store = open_writer(str(filled))
    filing.begin(store)
    store.db.execute("DELETE FROM drawers")
    store.db.close()
    assert content(filled) == before


def test_what_fails_half_way_is_taken_back_and_no_more_than_that(filled):
    with open_writer(str(filled)) as store:
        generation = filing.begin(store)
        wings.create(store, "kept")
        with suppress(ValueError), filing.all_or_nothing(store):
            wings.create(store, "lost")
            raise ValueError("half-way")
        filing.touch(store, [1], generation=generation)
        filing.commit(store)
        assert [wing.name for wing in wings.all_wings(store)] == ["lighthouse", "kept"]


def test_a_palace_is_for_this_user_alone(filled):
    assert os.stat(filled).st_mode & 0o777 == 0o700
    with open_writer(str(filled)) as store:
        filing.begin(store)
        for name in os.listdir(filled):
            assert os.stat(filled / name).st_mode & 0o777 == 0o600, name
        filing.rollback(store)


def test_writers_that_come_first_together_make_one_palace(palace):
    gate, went_wrong = threading.Barrier(8), []

    def come():
        gate.wait()
        try:
            with open_writer(str(palace)) as store:
                filing.begin(store)
                filing.commit(store)
        except Exception as error:
            went_wrong.append(error)

    for _ in range(5):
        threads = [threading.Thread(target=come) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert went_wrong == []
        with open_reader(str(palace)) as store:
            assert filing.generation(store) == 8
        for name in os.listdir(palace):
            (palace / name).unlink()


@pytest.fixture
def sealed(tmp_path):
    """Mount a folder that can be made read-only, even for root."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("only root can mount a disk")
    yield place, lambda: subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    subprocess.run(["umount", "-l", place], check=True)


def test_a_palace_in_a_read_only_folder_can_be_read_and_not_written(sealed, claude):
    place, seal = sealed
    mine(place / "palace", claude(talk()))
    seal()
    assert len(content(place / "palace")["drawers"]) == 9
    with pytest.raises(PalaceError, match="cannot"):
        mine(place / "palace", claude(talk("s2")))
    with pytest.raises(PalaceError, match=r"cannot write to .*: Read-only file system"):
        open_writer(str(place / "new"))


@pytest.mark.parametrize("name", ["with space", "100%25", "what?", "hash#tag", "'quoted'", "日記"])
def test_a_palace_may_lie_anywhere(tmp_path, claude, name):
    mine(tmp_path / name, claude(talk()), now=NOW)
    assert len(content(tmp_path / name)["drawers"]) == 9
    assert files(tmp_path / name) == ["palace.db"]


def test_a_reader_is_not_refused_because_another_opens_or_closes_just_then(filled):
    over = threading.Event()

    def come_and_go():
        while not over.is_set():
            with open_writer(str(filled)) as store:
                filing.begin(store)
                filing.commit(store)

    threads = [threading.Thread(target=come_and_go) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            with open_reader(str(filled), wait=0.0) as store:
                assert filing.generation(store)
    finally:
        over.set()
        for thread in threads:
            thread.join()
