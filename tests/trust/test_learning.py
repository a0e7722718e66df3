"""What is learned of a memory: by a user's word, and by itself from what sessions cite."""

import os
import subprocess
import sys
import time

import pytest
from transcripts import BEGAN, Session, ask, everything_in, mine, talk

from mempalace import given
from mempalace import lexicon as lexicons
from mempalace.errors import NotFound, PalaceError
from mempalace.identity import belief_id
from mempalace.layers import learning, standings, upkeep
from mempalace.model import PREFER, TOOL, USER, Belief
from mempalace.store import beliefs, believing, changing, filing, ledger, shakes
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.shakes import Shake
from mempalace.trust.corrections import Corrections

NOW = 1_780_000_000
LATER = BEGAN + learning.QUIET + 3600
WORDS = Corrections([lexicons.load(code) for code in lexicons.languages()])


@pytest.fixture
def project(tmp_path):
    """Return a project's folder with a file in it."""
    (tmp_path / "tower" / "lens").mkdir(parents=True)
    (tmp_path / "tower" / ".git").mkdir()
    (tmp_path / "tower" / "lens" / "lamp.py").write_text("beam = 1\n")
    return tmp_path / "tower"


@pytest.fixture
def drawers(palace, project, claude):
    """Mine one session and return its reports' ids, in order."""
    mine(palace, claude(talk("first", 3, cwd=str(project))))
    return [id for (id,) in ask(palace, "SELECT id FROM drawers WHERE kind = 1 ORDER BY line")]


def learn(palace, ids, outcome, **how):
    ids = [ids] if isinstance(ids, str) else ids
    with open_writer(str(palace)) as store:
        return learning.learn(store, ids, outcome, now=how.pop("now", NOW), **how)


def counts(palace, subject, wing=None):
    with open_reader(str(palace)) as store:
        return ledger.of(store, [subject], wing).get(subject)


def account(palace, id, **how):
    with open_reader(str(palace)) as store:
        return standings.account(store, id, cwd=how.get("cwd", ""), now=NOW)


# By a user's word


def test_a_drawer_is_learned_about_by_its_id(palace, drawers):
    (told,) = learn(palace, f"[d:{drawers[0][:8]}]", "wrong", why="It hangs in the attic now.")
    assert (told.subject.subject, told.standing.tier) == (f"drawer::{drawers[0]}", "high")
    (event,) = account(palace, drawers[0]).events
    assert (event.outcome, event.weight, event.at, event.origin) == ("wrong", 1.0, NOW, "learned")
    assert event.why == "It hangs in the attic now."


@pytest.mark.parametrize("shape", ["{}", "d:{}", "[d:{}]", "drawer::{}"])
def test_every_way_to_name_a_drawer_means_it(palace, drawers, shape):
    learn(palace, shape.format(drawers[1][:12]), "correct")
    assert counts(palace, f"drawer::{drawers[1]}").false_alarms == 1


def test_each_learn_counts_even_within_a_second(palace, drawers):
    for _ in range(3):
        learn(palace, drawers[0], "correct")
    assert counts(palace, f"drawer::{drawers[0]}")[2:7] == (0, 3, 0, 3, 3)
    assert learn(palace, drawers[0], "partial")[0].standing == (1.0, 1.0, "low", "low", True)


def test_a_file_is_learned_about_in_its_wing(palace, drawers, project):
    (told,) = learn(palace, "lamp.py", "wrong", cwd=str(project / "lens"))
    assert (told.subject.subject, told.subject.wing) == ("file::lens/lamp.py", 1)
    assert counts(palace, "file::lens/lamp.py", 1).defects == 1
    assert counts(palace, "file::lens/lamp.py", 2) is None
    learn(palace, str(project / "lens" / "lamp.py"), "correct", cwd=str(project))
    (project / "lens" / "lamp.py").unlink()
    learn(palace, "file::lens/lamp.py", "correct", cwd=str(project))
    assert counts(palace, "file::lens/lamp.py", 1).events == 3


def test_a_worktree_s_file_is_that_of_its_project(palace, drawers, project):
    tree = project / ".claude" / "worktrees" / "fog"
    (tree / "lens").mkdir(parents=True)
    (project / ".git" / "worktrees" / "fog").mkdir(parents=True)
    (project / ".git" / "worktrees" / "fog" / "commondir").write_text("../..\n")
    (tree / ".git").write_text(f"gitdir: {project}/.git/worktrees/fog\n")
    (tree / "lens" / "lamp.py").write_text("beam = 2\n")
    (told,) = learn(palace, "lens/lamp.py", "wrong", cwd=str(tree))
    assert (told.subject.subject, told.subject.wing) == ("file::lens/lamp.py", 1)


def test_a_typo_is_no_evidence(palace, drawers):
    before = everything_in(palace)
    with pytest.raises(PalaceError, match="'correkt' is no outcome: say correct, wrong or partial"):
        learn(palace, drawers[0], "correkt")
    assert everything_in(palace) == before


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        pytest.param(["ffffffffffff"], "no drawer", id="no such drawer"),
        pytest.param(["b:ffffffff"], "no belief", id="no such belief"),
        pytest.param(["s:1"], "is a session", id="a session"),
        pytest.param(["lens/lmap.py"], "is no file of", id="a slip of the pen"),
        pytest.param(["../outside.py"], "outside", id="another project's file"),
        pytest.param(["lens"], "is no file of", id="a folder"),
        pytest.param([], "name a drawer", id="nothing"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_changes(palace, drawers, project, ids, said):
    before = everything_in(palace)
    with pytest.raises(PalaceError, match=said):
        learn(palace, [drawers[0], *ids] if ids else ids, "wrong", cwd=str(project))
    assert everything_in(palace) == before


def test_a_file_of_a_project_without_a_wing_is_refused(palace, drawers, tmp_path):
    (tmp_path / "stranger.py").write_text("")
    with pytest.raises(NotFound, match="mempalace mine"):
        learn(palace, "stranger.py", "wrong", cwd=str(tmp_path))


def test_a_reason_is_kept_without_its_secrets(palace, drawers):
    learn(palace, drawers[0], "wrong", why="the key is " + "AKIA" + "ZQ7RTM2WPLX4NB6K" + " now " + "x" * 500)
    (event,) = account(palace, drawers[0]).events
    assert "ZQ7RTM2WPLX4NB6K" not in event.why
    assert len(event.why) == learning.WHY


def test_what_is_learned_together_shakes_together(palace, drawers):
    learn(palace, [*drawers, drawers[0]], "wrong")
    learn(palace, drawers[0], "partial", now=NOW + 60)
    learn(palace, drawers[0], "correct", now=NOW + 120)
    with open_reader(str(palace)) as store:
        seen = shakes.of(store, [f"drawer::{id}" for id in drawers], None)
    assert seen[f"drawer::{drawers[0]}"] == [Shake(NOW, 1.0, 3), Shake(NOW + 60, 0.5, 1), Shake(NOW + 120, 0.0, 1)]
    assert seen[f"drawer::{drawers[1]}"] == [Shake(NOW, 1.0, 3)]


def test_what_held_again_and_again_does_not_tremble(palace, drawers):
    for n in range(5):
        learn(palace, drawers[0], "correct", now=NOW - 3600 // (n + 1))
    with open_reader(str(palace)) as store:
        (told,) = standings.shaken(store, "7", now=NOW)
    assert (told.tremor.magnitude, told.tremor.observations) == (0.0, 5)


def test_learning_leaves_the_index_current(palace, drawers):
    with open_reader(str(palace)) as store:
        before = filing.generation(store)
    learn(palace, drawers[0], "wrong")
    with open_reader(str(palace)) as store:
        assert filing.generation(store) == before


def believed(palace, wing=1):
    """File a belief with two confirmations and return its id."""
    id = belief_id(wing="", glob="", kind="lamp-oil", subject="", polarity=PREFER, option="whale")
    one = Belief(id, "we use whale oil", "lamp-oil", "", "whale", PREFER, "", "", USER, 0.5, 0, 0, False, NOW, NOW)
    with open_writer(str(palace)) as store:
        generation = filing.begin(store)
        believing.create(store, believing.Family(wing, "", "lamp-oil"), one, generation=generation)
        believing.observe(store, believing.Event(id, "k", 2.0, USER, NOW, "always whale oil"))
        filing.commit(store)
    return id


def test_what_is_learned_about_a_belief_is_evidence_for_or_against_it(palace, drawers):
    id = believed(palace)
    for outcome in ("correct", "wrong", "partial", "wrong"):
        learn(palace, f"b:{id[:8]}", outcome, why="seen at sea", now=NOW + 9)
    with open_reader(str(palace)) as store:
        one, (first, *more) = beliefs.belief(store, id, now=NOW), beliefs.evidence(store, id)
    assert (one.support, one.claim, one.retired_at) == (3, "we use whale oil", 0)
    assert first.said == "always whale oil"
    assert sorted((e.agrees, e.weight, e.origin, e.said) for e in more) == [
        (False, 1.0, TOOL, "seen at sea"), (False, 1.0, TOOL, "seen at sea"), (True, 1.0, TOOL, "seen at sea"),
    ]  # fmt: skip
    assert counts(palace, f"belief::{id}")[2:6] == (2, 1, 1, 4)


# By itself, from sessions


def cites(palace, claude, id, *after, name="second", before=(), cwd="/work/lighthouse", told=True):
    """Mine a session that was given a drawer, cites it, and goes on with `after`; return what was learned.

    after: (who, text): user, agent, or tool for narration before a tool call.
    """
    session = Session(name, cwd=cwd)
    session.user("Where does the blue key hang, do you remember?")
    if told:
        given.add(str(palace), name, [id])
    for who, text in (*before, ("agent", f"It hangs in the attic [d:{id[:8]}]."), *after):
        if who == "tool":
            session.tool("Bash", {"command": text})
            session.result("fine")
        else:
            getattr(session, who)(text)
    mine(palace, claude(session))


def heard(palace, now=LATER):
    with open_writer(str(palace)) as store:
        return tuple(learning.learn_from_sessions(store, now))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param([("user", "Good, then fetch it.")], (1, 0), id="it held"),
        pytest.param([], (1, 0), id="nobody said a word against it"),
        pytest.param([("user", "No, that moved to the cellar.")], (0, 1), id="a no that opens"),
        pytest.param([("user", "Thanks, but that's outdated: it is in the cellar.")], (0, 1), id="a cue inside"),
        pytest.param([("user", "Nein, das stimmt nicht mehr.")], (0, 1), id="in another language"),
        pytest.param([("user", "No problem, I will fetch it.")], (1, 0), id="a no that is none"),
        pytest.param([("user", "Is that outdated?")], (1, 0), id="a question"),
        pytest.param([("tool", "ls"), ("user", "No, that's wrong.")], (0, 1), id="a tool is nothing said"),
        pytest.param(
            [("agent", "And the lamp is lit."), ("user", "No, that's wrong.")], (0, 0), id="the agent went on talking"
        ),
        pytest.param(
            [("user", "Good."), ("agent", "The lamp is lit."), ("user", "No, that's wrong.")],
            (1, 0), id="something else was taken back",
        ),
        pytest.param(
            [("agent", "Shall I light the lamp?"), ("user", "No, leave it.")], (1, 0), id="a no that answers"
        ),
    ],
)  # fmt: skip
def test_a_cited_memory_is_judged_by_what_the_user_said_next(palace, drawers, claude, after, expected):
    cites(palace, claude, drawers[0], *after)
    assert heard(palace) == expected


def test_a_no_to_the_message_s_own_question_takes_nothing_back(palace, drawers, claude):
    before = [("agent", f"By [d:{drawers[0][:8]}] it hangs in the attic. Shall I fetch it?"), ("user", "No, not yet.")]
    cites(palace, claude, drawers[0], before=before)
    assert heard(palace) == (1, 0)


def test_automatic_evidence_names_its_origin_and_weighs_less(palace, drawers, claude):
    cites(palace, claude, drawers[0], ("user", "No, it moved."))
    cites(palace, claude, drawers[1], ("user", "Fine."), name="third")
    heard(palace)
    told = [(e.outcome, e.origin, e.weight) for id in drawers[:2] for e in account(palace, id).events]
    assert told == [("wrong", "corrected", 0.5), ("correct", "cited", 0.25)]
    assert counts(palace, f"drawer::{drawers[0]}").total < 1


def test_the_time_of_the_evidence_is_that_of_the_reply(palace, drawers, claude):
    cites(palace, claude, drawers[0], ("user", "No, it moved."))
    heard(palace)
    assert counts(palace, f"drawer::{drawers[0]}").last_defect_at == BEGAN + 2


def test_doing_it_again_changes_nothing(palace, drawers, claude):
    cites(palace, claude, drawers[0], ("user", "Fine."))
    assert heard(palace) == (1, 0)
    before = everything_in(palace)
    assert heard(palace) == (0, 0)
    with open_writer(str(palace)) as store:  # even if it were still undecided
        store.db.execute("INSERT INTO undecided VALUES ('second', ?)", (drawers[0],))
    assert heard(palace) == (0, 0)
    assert everything_in(palace) == before


def test_a_session_that_goes_on_is_waited_for_and_a_correction_is_not(palace, drawers, claude):
    cites(palace, claude, drawers[0])
    assert heard(palace, BEGAN + 60) == (0, 0)
    cites(palace, claude, drawers[0], ("user", "No, that changed."))
    assert heard(palace, BEGAN + 60) == (0, 1)
    assert heard(palace) == (0, 0)


def test_a_quiet_session_is_taken_to_be_over(palace, drawers, claude):
    cites(palace, claude, drawers[0], ("user", "Fine."))
    assert heard(palace, BEGAN + 60) == (0, 0)
    assert heard(palace) == (1, 0)


def test_an_open_session_is_looked_at_again_only_when_it_grew(palace, drawers, claude, monkeypatch):
    cites(palace, claude, drawers[0])
    heard(palace, BEGAN + 60)
    looked = []
    monkeypatch.setattr(learning.cited, "reactions", lambda *about: looked.append(about) or [])
    heard(palace, BEGAN + 60)
    assert looked == []
    heard(palace)
    assert len(looked) == 1


def test_what_was_never_given_is_no_evidence(palace, drawers, claude):
    cites(palace, claude, drawers[0], ("user", "No, it moved."), told=False)
    assert heard(palace) == (0, 0)


def test_what_only_a_sub_agent_cited_is_no_evidence(palace, drawers, claude):
    session = Session("second")
    session.user("Where does the blue key hang?")
    given.add(str(palace), "second", [drawers[0]])
    session.agent(f"In the attic [d:{drawers[0][:8]}].", isSidechain=True)
    session.agent("A helper found it.")
    session.user("No, that's wrong.")
    mine(palace, claude(session))
    assert heard(palace) == (0, 0)
    assert ask(palace, "SELECT count(*) FROM undecided") == [(0,)]


@pytest.mark.parametrize("gone", ["drawer", "session"])
def test_what_was_forgotten_meanwhile_is_no_evidence(palace, drawers, claude, gone):
    cites(palace, claude, drawers[0], ("user", "No, it moved."))
    with open_writer(str(palace)) as store:
        rows, sources = [n for (n,) in store.db.execute("SELECT n FROM drawers WHERE id = ?", drawers[:1])], []
        if gone == "session":
            ((n,),) = store.db.execute("SELECT n FROM sources WHERE id = 'second'").fetchall()
            rows, sources = changing.rows_of_source(store, n), [n]
        changing.forget(store, rows, sources, now=NOW, generation=filing.begin(store))
        filing.commit(store)
    assert heard(palace) == (0, 0)
    assert ask(palace, "SELECT count(*) FROM undecided") == [(0,)]


def test_a_cited_belief_is_judged_too(palace, drawers, claude):
    id = believed(palace)
    session = Session("second")
    session.user("Which oil does the lamp want?")
    session.agent(f"Whale oil [b:{id[:8]}].")
    session.user("No, not anymore.")
    mine(palace, claude(session))
    with open_writer(str(palace)) as store:
        filing.note_citation(store, session="second", id="b:" + id, given=True, at=BEGAN)
    assert heard(palace) == (0, 1)
    with open_reader(str(palace)) as store:
        told = [(one.agrees, one.weight, one.said) for one in beliefs.evidence(store, id)]
    assert (False, 0.5, "corrected") in told


PROMPTS = {
    "en": ("No, we moved.", "That's not true anymore.", "Looks good, go on."),
    "de": ("Nein, falsch.", "Ok, aber das ist veraltet.", "Nein danke."),
    "fr": ("Non, regarde.", "Attends, c'est plus vrai.", "Non seulement ça, mais tout."),
    "es": ("No, mira.", "Perdona, ya no es así.", "No te preocupes."),
    "it": ("No, guarda.", "Aspetta, ti sbagli.", "Va bene."),
    "pt": ("Não, olha.", "Espera, isso mudou.", "Não tem problema."),
    "nl": ("Nee, kijk.", "Wacht, dat klopt niet.", "Niet nodig."),
    "pl": ("Nie, zobacz.", "Czekaj, to się zmieniło.", "Nie ma problemu."),
    "ru": ("Нет, смотри.", "Подожди, это не так.", "Нет проблем."),
    "uk": ("Ні, дивись.", "Чекай, це вже неактуально.", "Добре."),
    "tr": ("Hayır, bak.", "Dur, bu değişti.", "Tamam."),
    "vi": ("Không, xem này.", "Khoan, điều đó không đúng.", "Không sao."),
    "ar": ("لا، انظر.", "انتظر، هذا غير صحيح.", "لا مشكلة."),
    "hi": ("नहीं, देखो।", "रुको, अब ऐसा नहीं है।", "ठीक है।"),
    "zh": ("不对，看看。", "等一下，这不对。", "不错，继续。"),
    "ja": ("違う、見て。", "待って、それは違います。", "いいですね。"),
    "ko": ("아니요, 보세요.", "잠깐, 그건 틀렸어요.", "좋아요."),
    "th": ("ไม่ใช่, ดูสิ", "เดี๋ยว มันผิด", "ไม่เป็นไร"),
}


@pytest.mark.parametrize("code", lexicons.languages())
def test_every_language_takes_back_in_its_own_words(code):
    opens, holds, neither = PROMPTS[code]
    assert WORDS.corrects(opens)
    assert WORDS.corrects(holds)
    assert not WORDS.corrects(neither)
    assert not WORDS.corrects(opens, after="Shall I go on?")


# From many processes at once

LEARNER = """
import os, random, sys, time
from mempalace.layers import learning
from mempalace.layers.l3_search import Reader, search
from mempalace.store.connection import open_reader, open_writer
palace, ids, learns, seconds, seed = sys.argv[1], sys.argv[2].split(), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
chance, until, reader, done = random.Random(seed), time.monotonic() + seconds, Reader("polished lens"), 0
while done < learns or time.monotonic() < until:
    outcome = chance.choice(["correct", "wrong", "partial"])
    with open_writer(palace) as store:
        learning.learn(store, [chance.choice(ids)], outcome, now=1_780_000_000 + done)
    done += 1
    with open_reader(palace) as store:
        assert search(store, reader, "polished lens", now=1_780_000_000).hits
print(done)
"""


def learned_at_once(palace, drawers, *, learns, seconds):
    words = [str(palace), " ".join(drawers), str(learns), str(seconds)]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", LEARNER, *words, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, "PYTHONWARNINGS": "error"},
        )
        for seed in range(8)
    ]  # fmt: skip
    told = [learner.communicate(timeout=300 + seconds) for learner in started]
    assert [err for _, err in told] == [""] * 8
    done = sum(int(out) for out, _ in told)
    assert done >= 8 * learns
    with open_reader(str(palace)) as store:
        rows = ledger.rows(store)
        filed = [event for row in rows for event in ledger.events(store, row.subject)]
        assert sum(row.events for row in rows) == len(filed) == done
        for row in rows:
            told = ledger.events(store, row.subject)
            by_word = [sum(e.outcome == word for e in told) for word in ("wrong", "correct", "partial")]
            assert [row.defects, row.false_alarms, row.partials] == by_word


@pytest.fixture
def searchable(palace, drawers):
    with open_writer(str(palace)) as store:
        upkeep.refresh(store, {}, now=NOW)
    return drawers


def test_interleaved_learns_and_searches_of_many_processes_lose_nothing(palace, searchable):
    learned_at_once(palace, searchable, learns=25, seconds=0)


@pytest.mark.sweep
def test_they_lose_nothing_for_half_a_minute_either(palace, searchable):
    began = time.monotonic()
    learned_at_once(palace, searchable, learns=25, seconds=30)
    assert time.monotonic() - began >= 30
