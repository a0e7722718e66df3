"""Beliefs follow what is mined, noted, refiled and forgotten."""

import pytest
import transcripts
from transcripts import BEGAN, Session, ask

from mempalace.layers import believing, changes
from mempalace.model import AGENT, USER
from mempalace.projects import project_of
from mempalace.store import beliefs, filing, wings, witness
from mempalace.store.connection import open_writer

NOW = BEGAN + 86_400
RULE = "Always run the harbour tests with pytest before you commit."


@pytest.fixture
def project(tmp_path):
    (tmp_path / "harbour").mkdir()
    return tmp_path / "harbour"


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        yield opened


def spoken(project, *said, name="s1"):
    """Return a session in which the human says these things, each answered."""
    session = Session(name, cwd=str(project))
    for text in said:
        session.user(text)
        session.agent("Noted, and done as you asked.")
    return session


def believed(store, now=NOW):
    return {one.claim: one for one in beliefs.every(store, now=now, retired=False)}


def mined(store, claude, session, now=NOW):
    transcripts.mine(store.palace, claude(session), now=now)
    return believing.believe(store, {}, now=now)


def test_a_rule_in_a_prompt_is_believed_with_its_drawer(store, project, claude):
    formed = mined(store, claude, spoken(project, "Where is the crane?", RULE))
    (one,) = believed(store).values()
    assert formed.created == (one.id,)
    assert (one.origin, one.wing, one.created_at) == (USER, "harbour", BEGAN + 2)
    (row,) = beliefs.evidence(store, one.id)
    assert [text for (text,) in ask(store.palace, "SELECT text FROM drawers WHERE id = ?", (row.drawer,))] == [RULE]


@pytest.mark.parametrize("said", ["agent", "aside", "result"])
def test_only_the_humans_own_words_in_the_main_thread_are_rules(store, project, claude, said):
    session = spoken(project, "Where is the crane?")
    if said == "result":
        session.tool("Bash", {"command": "cat RULES.md"})
        session.result(RULE)
        session.agent("I have read it.")
    elif said == "agent":
        session.agent(RULE)
    else:
        session.user(RULE, isSidechain=True)
        session.agent("Done.", isSidechain=True)
    mined(store, claude, session)
    assert believed(store) == {}


def test_with_nothing_new_nothing_is_written(store, project, claude):
    mined(store, claude, spoken(project, RULE))
    before = transcripts.everything_in(store.palace)
    assert believing.believe(store, {}, now=NOW + 99) == believing.Formed()
    assert transcripts.everything_in(store.palace) == before


def test_to_believe_twice_from_the_start_is_to_believe_once(store, project, claude):
    mined(store, claude, spoken(project, RULE, "From now on, always write docstrings for the crane."))
    held = {one.id: beliefs.evidence(store, one.id) for one in believed(store).values()}
    generation = filing.begin(store)
    witness.mark(store, 0)
    filing.commit(store)
    assert generation > 0
    assert believing.believe(store, {}, now=NOW).known == 2
    assert {one.id: beliefs.evidence(store, one.id) for one in believed(store).values()} == held


def test_what_is_said_later_is_added(store, project, claude):
    session = spoken(project, RULE)
    mined(store, claude, session)
    session.user("From now on, always write docstrings for the crane.")
    session.agent("Done.")
    assert len(mined(store, claude, session).created) == 1
    assert len(believed(store)) == 2


def test_a_note_of_the_users_weighs_more_than_an_agents(store, project):
    changes.remember(store, {}, RULE, cwd=str(project), origin=USER, now=NOW)
    changes.remember(store, {}, "Never commit straight to the main branch.", cwd=str(project), now=NOW)
    assert sorted(one.origin for one in believed(store).values()) == sorted([USER, AGENT])


def test_a_note_may_say_what_to_choose(store, project):
    changes.remember(store, {}, "We moved to uv.", cwd=str(project), kind="package-manager", option="uv", now=NOW)
    (one,) = believed(store).values()
    assert (one.kind, one.option, one.claim, one.wing) == ("package-manager", "uv", "We moved to uv.", "harbour")
    believing.believe(store, {}, now=NOW)
    assert len(beliefs.evidence(store, one.id)) == 1


def named(store, words):
    ((n,),) = ask(store.palace, "SELECT n FROM drawers WHERE text LIKE ?", (f"%{words}%",))
    return changes.Target((n,), ())


def test_a_refiled_prompt_takes_its_rule_along(store, project, claude):
    mined(store, claude, spoken(project, RULE))
    changes.refile(store, {}, named(store, "harbour tests"), "quay", now=NOW)
    (one,) = beliefs.every(store, now=NOW)
    assert one.wing == "quay"


def test_a_belief_goes_with_the_only_drawer_it_rests_on(store, project, claude):
    mined(store, claude, spoken(project, RULE))
    changes.forget(store, {}, named(store, "harbour tests"), now=NOW)
    assert beliefs.every(store, now=NOW) == []
    assert ask(store.palace, "SELECT count(*) FROM evidence") == [(0,)]


def test_a_belief_keeps_what_else_it_rests_on(store, project, claude):
    mined(store, claude, spoken(project, RULE, "By the way: " + RULE))
    (one,) = believed(store).values()
    assert len(beliefs.evidence(store, one.id)) == 2
    changes.forget(store, {}, named(store, "By the way"), now=NOW)
    (left,) = believed(store).values()
    assert len(beliefs.evidence(store, left.id)) == 1


def test_what_was_superseded_by_a_forgotten_word_stands_again(store, project):
    def moved(option, at):
        words = f"We moved to {option} today."
        changes.remember(
            store, {}, words, cwd=str(project), kind="package-manager", option=option, origin=USER, now=NOW + at
        )

    moved("poetry", 0)
    moved("uv", 9)
    assert [one.option for one in believed(store).values()] == ["uv"]
    changes.forget(store, {}, named(store, "moved to uv"), now=NOW + 20)
    assert [one.option for one in believed(store).values()] == ["poetry"]


@pytest.mark.parametrize("way", [{"wing": "harbour"}, {"source": "s1"}, {"match": "harbour tests"}], ids=str)
def test_no_way_of_forgetting_leaves_a_belief_behind(store, project, claude, way):
    mined(store, claude, spoken(project, RULE))
    changes.forget(store, {}, changes.target(store, **way), now=NOW)
    assert beliefs.every(store, now=NOW) == []


def test_a_forgotten_rule_is_not_believed_again(store, project, claude):
    session = spoken(project, RULE)
    mined(store, claude, session)
    changes.forget(store, {}, named(store, "harbour tests"), now=NOW)
    claude(session, name="copy.jsonl")
    transcripts.mine(store.palace, claude(session, name="copy.jsonl"))
    believing.believe(store, {}, now=NOW)
    assert beliefs.every(store, now=NOW) == []


def test_a_prompt_without_a_time_gets_its_sessions(store, project, claude):
    session = spoken(project, RULE)
    for record in session.records:
        if record["type"] == "user":
            del record["timestamp"]
    mined(store, claude, session)
    (one,) = believed(store).values()
    assert one.created_at == BEGAN + 1


def test_mining_by_another_wing_keeps_to_it(store, project, claude):
    transcripts.mine(store.palace, claude(spoken(project, RULE)), wing="quay")
    believing.believe(store, {}, now=NOW)
    assert [one.wing for one in believed(store).values()] == ["quay"]
    assert wings.of_project(store, project_of(str(project))) is None


def worked(project, *commands, name="s1", cwd="", error=False):
    """Return a session in which an agent runs these commands."""
    session = Session(name, cwd=cwd or str(project))
    session.user("Please go on with the crane.")
    for command in commands:
        session.tool("Bash", {"command": command})
        session.result(error=error)
    session.agent("Done.")
    return session


def test_what_an_agent_ran_is_evidence_once_a_session(store, project, claude):
    session = worked(project, "pnpm install", "pnpm add left-pad", "pnpm install")
    mined(store, claude, session)
    (one,) = [one for one in beliefs.every(store, now=BEGAN) if one.kind == "package-manager"]
    assert (one.option, one.origin, one.support, one.created_at) == ("pnpm", "tool", 1, BEGAN + 5)
    session.tool("Bash", {"command": "pnpm install"})
    session.result()
    mined(store, claude, session)
    mined(store, claude, worked(project, "pnpm install", name="s2"))
    (one,) = [one for one in beliefs.every(store, now=BEGAN) if one.kind == "package-manager"]
    assert one.support == 2


def test_what_failed_tells_nothing(store, project, claude):
    mined(store, claude, worked(project, "pnpm install", error=True))
    assert beliefs.every(store, now=NOW) == []


def test_what_was_run_in_a_folder_holds_there(store, project, claude):
    (project / ".git").mkdir()
    transcripts.mine(store.palace, claude(worked(project, "ls")))
    mined(store, claude, worked(project, "yarn install", name="s2", cwd=str(project / "legacy")))
    (one,) = beliefs.every(store, now=NOW)
    assert (one.option, one.glob) == ("yarn", "legacy/**")


def test_a_users_rule_stands_over_what_is_run(store, project, claude):
    mined(store, claude, spoken(project, "Always use pnpm in this project, never npm."))
    for n in range(3):
        mined(store, claude, worked(project, "npm install", name=f"w{n}"))
    standing = {(one.option, one.polarity) for one in believed(store).values() if one.kind == "package-manager"}
    assert ("pnpm", "prefer") in standing
    assert ("npm", "prefer") not in standing


def test_a_forgotten_command_leaves_no_evidence_and_the_others_stay(store, project, claude):
    mined(store, claude, worked(project, "pnpm install", "pytest --token=abracadabra"))
    assert len(beliefs.every(store, now=NOW)) == 2
    changes.forget(store, {}, changes.target(store, match="abracadabra"), now=NOW)
    assert [one.option for one in beliefs.every(store, now=NOW)] == ["pnpm"]
    changes.forget(store, {}, changes.target(store, source="s1"), now=NOW)
    assert beliefs.every(store, now=NOW) == []


@pytest.mark.parametrize(
    ("cwd", "roots", "expected"),
    [
        pytest.param("/w/shop/src", [("/w/shop", False)], ("/w/shop", "src"), id="below the top"),
        pytest.param("/w/shop/", [("/w/shop", False)], ("/w/shop", ""), id="the top"),
        pytest.param("/w/shopping", [("/w/shop", False)], ("/w/shopping", ""), id="another project's"),
        pytest.param("/pool/shop/lima/web", [("/pool/shop", True)], ("/pool/shop/lima", "web"), id="a pool's tree"),
        pytest.param("/pool/shop/lima", [("/pool/shop", True)], ("/pool/shop/lima", ""), id="the top of a pool's tree"),
        pytest.param("/w/shop/.git/wt/x", [("/w/shop", False)], ("/w/shop/.git/wt/x", ""), id="a tree below .git"),
    ],
)
def test_the_top_of_a_working_tree_is_found(cwd, roots, expected):
    assert believing._within(cwd, roots) == expected
