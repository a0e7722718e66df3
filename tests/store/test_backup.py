"""Copies of the palace: whole or not at all, made while others write, taken back only when sound."""

import os
import sqlite3

import pytest
from transcripts import content, everything_in, mine, talk

from mempalace.errors import NoPalace, PalaceCorrupt, PalaceError
from mempalace.store import filing
from mempalace.store.backup import backup, examine, restore
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.schema import VERSION


@pytest.fixture
def filled(palace, claude):
    mine(palace, claude(talk()))
    return palace


def test_a_backup_is_the_palace_whole_and_private(filled, tmp_path):
    target = tmp_path / "copy.db"
    size = backup(str(filled), str(target))
    assert size == target.stat().st_size > 0
    assert target.stat().st_mode & 0o777 == 0o600
    restore(str(target), str(tmp_path / "other"))
    assert everything_in(tmp_path / "other") == everything_in(filled)
    assert all(name.startswith("palace.db") for name in os.listdir(tmp_path / "other"))


def test_a_backup_made_while_a_writer_writes_holds_what_was_committed(filled, tmp_path):
    before = content(filled)
    with open_writer(str(filled)) as writer:
        filing.begin(writer)
        writer.db.execute("DELETE FROM drawers")
        backup(str(filled), str(tmp_path / "copy.db"))
        filing.rollback(writer)
    restore(str(tmp_path / "copy.db"), str(tmp_path / "other"))
    assert content(tmp_path / "other") == before


def test_a_backup_holds_what_still_lies_in_the_writers_log(filled, claude, tmp_path):
    with open_writer(str(filled)) as writer:
        writer.db.execute("PRAGMA wal_autocheckpoint = 0")
        mine(filled, claude(talk("s2")))
        backup(str(filled), str(tmp_path / "copy.db"))
    restore(str(tmp_path / "copy.db"), str(tmp_path / "other"))
    assert len(content(tmp_path / "other")["drawers"]) == 18


def test_a_backup_overwrites_nothing(filled, tmp_path):
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(PalaceError, match="exists: name a file that does not"):
        backup(str(filled), str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_backup_that_cannot_be_written_is_said(filled, tmp_path):
    with pytest.raises(PalaceError, match=r"cannot write .*: No such file or directory"):
        backup(str(filled), str(tmp_path / "nowhere" / "copy.db"))


def test_no_palace_no_backup(palace, tmp_path):
    with pytest.raises(NoPalace):
        backup(str(palace), str(tmp_path / "copy.db"))
    assert not (tmp_path / "copy.db").exists()


def test_restoring_overwrites_the_palace_that_is_there(filled, claude, tmp_path):
    before = content(filled)
    backup(str(filled), str(tmp_path / "copy.db"))
    mine(filled, claude(talk("s2")))
    restore(str(tmp_path / "copy.db"), str(filled))
    assert content(filled) == before


def test_what_was_mined_after_the_backup_is_mined_again(filled, claude, tmp_path):
    backup(str(filled), str(tmp_path / "copy.db"))
    later = claude(talk("s2"))
    mine(filled, later)
    after = content(filled)
    restore(str(tmp_path / "copy.db"), str(filled))
    mine(filled, later)
    assert content(filled) == after


def test_restoring_puts_a_damaged_palace_aside(filled, tmp_path):
    before = content(filled)
    backup(str(filled), str(tmp_path / "copy.db"))
    (filled / "palace.db").write_bytes(b"damaged " * 1000)
    restore(str(tmp_path / "copy.db"), str(filled))
    assert content(filled) == before
    assert (filled / "palace.db.damaged").read_bytes().startswith(b"damaged ")


def nothing(path, filled):
    pass


def text(path, filled):
    path.write_text("This is no palace. " * 100)


def empty(path, filled):
    path.touch()


def foreign(path, filled):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE gulls (n)")
    db.close()


def newer(path, filled):
    backup(str(filled), str(path))
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()


def torn(path, filled):
    backup(str(filled), str(path))
    path.write_bytes(path.read_bytes()[:9000])


def scribbled(path, filled):
    backup(str(filled), str(path))
    raw = bytearray(path.read_bytes())
    raw[4096 * 3 : 4096 * 9] = b"\xa5" * 4096 * 6
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (nothing, "no file .* to restore from"),
        (text, "is no palace"),
        (empty, "is no palace"),
        (foreign, "is no palace"),
        (newer, "is no palace of a schema known here"),
        (torn, "is no palace|is damaged"),
        (scribbled, "is no palace|is damaged"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_no_sound_copy_is_not_restored(filled, tmp_path, make, why):
    make(tmp_path / "copy.db", filled)
    before = everything_in(filled)
    with pytest.raises(PalaceError, match=why):
        restore(str(tmp_path / "copy.db"), str(filled))
    assert everything_in(filled) == before


def test_a_sound_palace_has_nothing_wrong_with_it_and_a_damaged_one_has(filled):
    with open_reader(str(filled)) as store:
        assert examine(store) == []
    path = filled / "palace.db"
    raw = bytearray(path.read_bytes())
    raw[4096 * 3 : 4096 * 9] = b"\xa5" * 4096 * 6
    path.write_bytes(raw)
    try:
        with open_reader(str(filled)) as store:
            assert examine(store)
    except PalaceCorrupt:
        pass  # damaged where it is opened: as clear
