"""The index follows the palace, says when it does not, and is built anew where it cannot be read."""

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from transcripts import NOW, Session, mine

from mempalace.cli import main
from mempalace.errors import PalaceError
from mempalace.layers.l3_search import Reader, search
from mempalace.layers.upkeep import analyzer
from mempalace.search import damage, index, state
from mempalace.search.engine import Engine
from mempalace.store import looking
from mempalace.store.connection import open_reader, open_writer

READER = Reader()


def told(name, *texts):
    """Return a session in which these things were said, by the human and the agent in turn."""
    session = Session(name)
    for place, text in enumerate(texts):
        (session.agent if place % 2 else session.user)(text)
    return session


def caught_up(palace, **how):
    with open_writer(str(palace)) as store:
        return index.catch_up(store, analyzer(), **how)


def found(palace, question):
    with open_reader(str(palace)) as store:
        answer = search(store, READER, question, now=NOW)
    return [hit.text for hit in answer.hits], answer.note


def asked(palace, *words):
    return CliRunner().invoke(main, ["search", "--palace", str(palace), *words])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a palace of two sessions, its index caught up."""
    folder = tmp_path_factory.mktemp("built")
    for name, *texts in (
        ("one", "Where is the blue key?", "The blue key hangs in the attic."),
        ("two", "Polish the lens, please.", "The lens is polished and the beam is steady."),
    ):
        mine(folder / "palace", told(name, *texts).write(folder / f"{name}.jsonl"))
    caught_up(folder / "palace")
    return folder / "palace"


@pytest.fixture
def filed(built, palace):
    """Return a copy of that palace, to be spoiled."""
    shutil.copytree(built, palace)
    return palace


def test_what_was_just_mined_is_found(filed, claude):
    mine(filed, claude(told("three", "The gondola needs paint.")))
    assert found(filed, "gondola") == (
        [],
        'the search index is behind the palace; what was said last may be missing: run "mempalace mine"',
    )
    caught_up(filed)
    assert found(filed, "gondola") == (["The gondola needs paint."], "")


def test_an_index_behind_says_so_on_the_command_line(filed, claude):
    mine(filed, claude(told("three", "The gondola needs paint.")))
    ran = asked(filed, "key")
    assert "index is behind the palace" in ran.stderr
    assert "blue key" in ran.stdout
    assert '"note": "the search index is behind' in asked(filed, "key", "--json").stdout


def test_a_mine_leaves_nothing_behind(palace, claude):
    """Twice in the same wing: each mine's words are there when the command returns."""
    for name, text in (("one", "The winch is oiled."), ("two", "The winch is sold.")):
        path = claude(told(name, text))
        assert CliRunner().invoke(main, ["mine", "--palace", str(palace), str(path)]).exit_code == 0
        texts, note = found(palace, "winch")
        assert text in texts
        assert note == ""


def test_catching_up_a_second_time_does_nothing(filed):
    assert caught_up(filed) == 0


def test_an_index_that_grew_answers_like_one_made_at_once(filed, palace, claude):
    mine(filed, claude(told("two", "Polish the lens, please.", "The lens is polished and the beam is steady.", "And?")))
    caught_up(filed)
    grown = [found(filed, question) for question in ("the key", "lens", "steady beam", "attic")]
    held = index.documents(str(palace))
    caught_up(filed, rebuild=True)
    assert [found(filed, question) for question in ("the key", "lens", "steady beam", "attic")] == grown
    assert index.documents(str(palace)) == held


def test_repeated_upserts_do_not_grow_the_index(filed):
    sizes = []
    for _ in range(12):
        with open_writer(str(filed)) as store:
            store.db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            store.db.execute("UPDATE drawers SET generation = (SELECT value FROM meta WHERE key = 'generation')")
            index.catch_up(store, analyzer())
        folder = state.folder(str(filed))
        sizes.append(sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)))
    assert sizes[-1] < 3 * sizes[0]


def test_an_index_that_is_missing_is_built_when_it_is_asked(filed):
    shutil.rmtree(state.folder(str(filed)))
    with pytest.raises(PalaceError, match=r'missing: run "mempalace doctor --rebuild"'):
        Engine(str(filed))
    ran = asked(filed, "blue", "key")
    assert (ran.exit_code, ran.stderr) == (0, "the search index is missing or another version's: building it anew\n")
    assert "The blue key hangs in the attic." in ran.stdout


@pytest.mark.parametrize("change", [{"analyzer": "terms-0"}, {"schema": 0}], ids=["another analyzer", "other fields"])
def test_an_index_of_another_version_is_built_anew(filed, change):
    state.write(str(filed), state.read(str(filed))._replace(**change))
    with pytest.raises(PalaceError, match="another version"):
        Engine(str(filed))
    ran = asked(filed, "blue", "key")
    assert "building it anew" in ran.stderr
    assert "The blue key hangs in the attic." in ran.stdout
    assert state.usable(state.read(str(filed)))


def test_mining_builds_an_index_of_another_version_anew(filed, claude):
    state.write(str(filed), state.read(str(filed))._replace(analyzer="terms-0"))
    mine(filed, claude(told("three", "The gondola needs paint.")))
    caught_up(filed)
    assert found(filed, "blue key attic")[0][:1] == ["The blue key hangs in the attic."]


def test_an_index_half_built_is_none(filed):
    """Its state is written last, so a rebuild that is under way, or was killed, is known for one."""
    os.unlink(os.path.join(state.folder(str(filed)), state.STATE))
    with pytest.raises(PalaceError, match="missing"):
        Engine(str(filed))
    assert "The blue key hangs in the attic." in asked(filed, "blue", "key").stdout


def test_something_else_in_the_index_s_place_is_replaced(filed):
    shutil.rmtree(state.folder(str(filed)))
    with open(state.folder(str(filed)), "w") as file:
        file.write("no folder")
    caught_up(filed)
    assert found(filed, "attic")[0]


ENDINGS = ("fast", "fieldnorm", "idx", "pos", "store", "term", "meta.json", ".managed.json", "state.json")


def spoil(palace, ending, how):
    """Damage the index's file that ends so: garbage, nothing, half of it, or garbage before a sound footer."""
    folder = state.folder(str(palace))
    (name, *_) = [name for name in os.listdir(folder) if name.endswith(ending)]
    path = Path(folder, name)
    held = path.read_bytes()
    garbage = bytes((7 * place + 13) % 251 for place in range(len(held)))
    footer = min(160, len(held))
    spoiled = {
        "garbage": garbage,
        "empty": b"",
        "half": held[: len(held) // 2],
        "edge": garbage[footer:] + held[-footer:],
    }
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(spoiled[how])


@pytest.mark.parametrize("how", ["garbage", "empty", "half", "gone", "edge"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_damage_is_told_with_its_remedy_or_mended(filed, claude, ending, how):
    spoil(filed, ending, how)
    ran = asked(filed, "blue", "key")
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    if ran.exit_code:
        assert ran.stderr.splitlines()[-1].startswith(
            'mempalace: the search index is damaged: run "mempalace doctor --rebuild"'
        )
    else:
        assert "The blue key hangs in the attic." in ran.stdout
    assert CliRunner().invoke(main, ["doctor", "--rebuild", "--palace", str(filed)]).exit_code == 0
    assert found(filed, "blue key attic")[0][:1] == ["The blue key hangs in the attic."]


@pytest.mark.parametrize("how", ["garbage", "empty", "half", "gone"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_mining_into_a_damaged_index_builds_it_anew(filed, claude, ending, how):
    spoil(filed, ending, how)
    mine(filed, claude(told("three", "The gondola needs paint.")))
    caught_up(filed)
    assert found(filed, "gondola") == (["The gondola needs paint."], "")
    assert found(filed, "blue key attic")[0][:1] == ["The blue key hangs in the attic."]


def test_only_damage_is_told_as_damage():
    for error in (ValueError("x" * 500), OSError("gone")):
        with pytest.raises(damage.Damaged, match="run") as caught, damage.told():
            raise error
        assert len(str(caught.value)) < 200
    for kept in (PalaceError, KeyboardInterrupt):
        with pytest.raises(kept), damage.told():
            raise kept


def test_a_locked_palace_is_searched_all_the_same(filed):
    with open_writer(str(filed)) as store:
        store.db.execute("BEGIN IMMEDIATE")
        assert found(filed, "attic")[0]
        store.db.execute("ROLLBACK")


def test_a_palace_locked_for_good_says_so(filed):
    with open_writer(str(filed)) as store:
        store.db.execute("PRAGMA journal_mode=DELETE")
        store.db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(PalaceError, match="locked by another process"), open_reader(str(filed), wait=0) as other:
            looking.counts(other)


def test_no_palace_is_told_as_everywhere(palace):
    ran = asked(palace, "key")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.endswith('run "mempalace mine" first\n')
    assert not palace.exists()
