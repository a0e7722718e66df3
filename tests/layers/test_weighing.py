"""How far an answer may be relied on, on the path that a search really takes."""

import json
import os
import re
import shutil
import sqlite3

import pytest
from click.testing import CliRunner
from transcripts import BEGAN, Session

from mempalace.cli import main
from mempalace.errors import PalaceError
from mempalace.layers import prompt_recall
from mempalace.layers.calibrating import calibrate_envelope
from mempalace.layers.freshness import named
from mempalace.layers.l2_recall import recall
from mempalace.layers.l3_search import Reader, as_dict, search, search_or_recent
from mempalace.search import query
from mempalace.search.engine import Engine, Filters
from mempalace.store import calibrations, filing, history, ledger, shakes, wings
from mempalace.store.connection import open_reader, open_writer
from mempalace.store.schema import VERSION
from mempalace.trust.envelope import line
from mempalace.visit import Visit

READER = Reader()
DAY = 86_400
NOW = BEGAN + 40 * DAY
ASKED = "why does the pump of the fountain leak?"
ANSWERED = "The pump of the fountain leaks because its seal is worn: src/pump.py closes the valve too late."
OTHER = "The pump of the fountain leaks at its joint, and the pump wants a new seal before the fountain runs."


def cli(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "fountain"
    (folder / "src").mkdir(parents=True)
    return folder


@pytest.fixture
def log(tmp_path, project, palace):
    """Mine one session, and return its transcript."""
    session = Session("pump", cwd=str(project))
    session.user("Please look into the fountain.")
    session.agent(ANSWERED)
    session.user("And the gate?")
    session.agent("The gate is painted green and opens inward.")
    path = session.write(tmp_path / "log" / "pump.jsonl")
    assert cli("mine", "-q", "--palace", palace, path).exit_code == 0
    return path


@pytest.fixture
def full(log, palace):
    return palace


def answered(palace, question=ASKED, *, now=NOW, **how):
    with open_reader(str(palace)) as store:
        return search(store, READER, question, now=now, **how)


def factors(answer):
    return {factor.name: factor for factor in answer.envelope.factors}


def value(answer, name):
    """Return a factor's value, None for one that is not known."""
    factor = factors(answer)[name]
    return factor.value if factor.known else None


def first(palace, question=ASKED):
    return answered(palace, question).hits[0].id


def told(palace, id, *outcomes, at=NOW - DAY, key=""):
    """File what came of relying on a drawer, one event after another."""
    with open_writer(str(palace)) as store:
        generation = ledger.begin(store)
        for n, outcome in enumerate(outcomes):
            event = ledger.Outcome(f"{key}{id}{at}{n}", f"drawer::{id}", 0, outcome, 1.0, at + n, "learned")
            assert ledger.add(store, event, generation=generation)
        filing.commit(store)


# A palace without evidence.


def test_a_cold_palace_says_reverify_and_what_it_does_not_know(full):
    answer = answered(full)
    assert (answer.envelope.verdict, answer.envelope.calibrated) == ("reverify", False)
    assert [value(answer, name) for name in ("trust", "binding", "freshness", "supersession")] == [
        None,
        1.0,
        None,
        None,
    ]
    assert answer.envelope.reasons == ("too little is known of how this held", "envelope_uncalibrated")
    assert "mempalace learn" in answer.envelope.next


def test_a_cold_palace_shows_no_number_of_trust_anywhere(full):
    told = [
        json.loads(cli("search", "--palace", full, "--json", ASKED).stdout)["envelope"],
        json.loads(cli("search", "--palace", full, "--json", "--explain", ASKED).stdout)["envelope"],
        json.loads(cli("recall", "--palace", full, "--json").stdout)["envelope"],
        as_dict(answered(full))["envelope"],
    ]
    for envelope in told:
        assert re.findall(r"\d", json.dumps(envelope)) == []
    closing = cli("search", "--palace", full, ASKED).stdout.splitlines()[-1]
    assert closing.startswith("reverify: ")
    assert re.findall(r"\d", closing) == []
    assert "trust" not in cli("search", "--palace", full, "--explain", ASKED).stdout


def test_one_good_word_is_still_too_little(full):
    told(full, first(full), "correct")
    assert value(answered(full), "trust") is None
    assert as_dict(answered(full))["envelope"]["score"] is None


def test_an_answer_without_hits_has_no_envelope(full):
    assert answered(full, "zzyzx").envelope is None
    assert as_dict(answered(full, "zzyzx")) == {"how": "relevance"}
    assert cli("search", "--palace", full, "zzyzx").stdout == "nothing found\n"


def test_without_evidence_scores_and_order_are_what_the_index_gives(full):
    asked = query.read(ASKED, READER.analyzer)
    given = Engine(str(full)).find(asked, Filters(), READER.times.spans(asked.text, NOW), 10)
    assert len(given) > 1
    assert [(hit.n, hit.score, hit.parts) for hit in answered(full).hits] == [hit[:1] + hit[2:4] for hit in given]
    told(full, first(full, "gate green"), "correct")  # too little to say anything
    assert [(hit.n, hit.score, hit.parts) for hit in answered(full).hits] == [hit[:1] + hit[2:4] for hit in given]


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_older_palace_is_weighed_as_one_without_evidence(full, version):
    db = sqlite3.connect(full / "palace.db")
    tables = {2: ("beliefs", "evidence"), 3: ("ledger", "outcomes", "shakes"), 4: ("calibrations", "repositories")}
    for since, names in tables.items():
        for name in names if version < since else ():
            db.execute(f"DROP TABLE {name}")
    db.execute(f"PRAGMA user_version={version}")
    db.close()
    assert answered(full).envelope.verdict == "reverify"


# Trust.


@pytest.mark.parametrize(
    ("outcomes", "reliability"),
    [
        pytest.param(["correct"] * 3, 0.8, id="it held"),
        pytest.param(["wrong", "correct", "correct"], 0.5, id="it held mostly"),
        pytest.param(["wrong"], 0.2, id="it misled"),
    ],
)
def test_the_ledger_gives_the_trust_factor(full, outcomes, reliability):
    told(full, first(full), *outcomes)
    answer = answered(full)
    assert value(answer, "trust") == reliability
    assert answer.envelope.score == pytest.approx((reliability + 1) / 2)
    assert as_dict(answer)["envelope"]["score"] == pytest.approx((reliability + 1) / 2, abs=1e-4)


def test_the_worst_of_the_best_three_decides(full):
    one, _, three, four = [hit.id for hit in answered(full).hits]
    told(full, one, "correct", "correct", "correct")
    told(full, three, "wrong", "correct", "correct")
    told(full, four, "wrong")
    answer = answered(full)
    assert value(answer, "trust") == 0.5
    assert answer.envelope.next == f'open it with "mempalace show d:{three[:8]}" and check it'


def test_a_hit_that_is_not_the_first_speaks_against_an_answer_never_for_it(full):
    two = answered(full).hits[1].id
    told(full, two, "correct", "correct", "correct")
    assert value(answered(full), "trust") is None
    told(full, two, *["wrong"] * 9, key="again")
    assert value(answered(full), "trust") == 0.2


# Binding: each state is reached.


def test_what_is_current_and_present_is_bound(full):
    assert value(answered(full), "binding") == 1.0


def test_a_transcript_that_has_grown_needs_mining(full, log):
    with open(log, "ab") as file:
        file.write(b'{"type": "user"}\n')
    answer = answered(full)
    assert value(answer, "binding") == 0.4
    assert "a transcript has grown since it was read" in answer.envelope.reasons
    assert answer.envelope.next == 'run "mempalace mine"'
    assert cli("mine", "-q", "--palace", full, log).exit_code == 0
    assert value(answered(full), "binding") == 1.0


def test_an_index_behind_the_palace_needs_mining(full):
    with open_writer(str(full)) as store:
        generation = filing.begin(store)
        store.db.execute("UPDATE sources SET generation = ?", (generation,))
        filing.commit(store)
    answer = answered(full)
    assert value(answer, "binding") == 0.4
    assert "the index is behind the palace" in answer.envelope.reasons


def test_a_write_that_no_index_holds_leaves_none_behind(full):
    with open_writer(str(full)) as store:
        filing.begin(store)
        filing.commit(store)
    assert value(answered(full), "binding") == 1.0
    assert answered(full).note == ""


def test_a_request_that_waits_needs_mining(full):
    (full / "requests").mkdir(exist_ok=True)
    (full / "requests" / "000000-a.json").write_text("{}")
    assert value(answered(full), "binding") == 0.4


def test_a_transcript_that_is_gone_is_degraded(full, log):
    log.unlink()
    answer = answered(full)
    assert value(answer, "binding") == 0.15
    assert "a transcript is gone that this was read from" in answer.envelope.reasons


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(shutil.rmtree, id="the index is gone"),
        pytest.param(lambda index: (index / "meta.json").write_text("{"), id="the index is damaged"),
    ],
)
def test_the_newest_in_place_of_the_nearest_are_degraded(full, damage):
    damage(full / "index")
    with open_reader(str(full)) as store:
        answer = search_or_recent(store, READER, ASKED, now=NOW)
    assert answer.how == "recency"
    assert value(answer, "binding") == 0.15
    assert answer.envelope.next == 'run "mempalace doctor --rebuild"'


def test_a_note_stands_on_itself(full):
    assert cli("remember", "--palace", full, "--wing", "fountain", "The spare seal is in the drawer.").exit_code == 0
    answer = answered(full, "spare seal drawer", limit=1)
    assert value(answer, "binding") == 1.0


# Freshness.


def stamped(path, at, text="x"):
    path.write_text(text)
    os.utime(path, (at, at))


@pytest.mark.parametrize(
    ("at", "reliability"),
    [
        pytest.param(BEGAN - DAY, 1.0, id="older than what was said"),
        pytest.param(BEGAN + 60, 1.0, id="changed by that very session"),
        pytest.param(BEGAN + DAY, 0.0, id="changed since"),
    ],
)
def test_a_file_that_is_named_tells_by_its_time(full, project, at, reliability):
    stamped(project / "src" / "pump.py", at)
    answer = answered(full)
    assert value(answer, "freshness") == reliability
    assert (answer.envelope.next == "check src/pump.py") == (reliability == 0.0)
    assert ("changed since: src/pump.py" in answer.envelope.reasons) == (reliability == 0.0)


def test_a_file_that_nobody_knows_says_nothing(full):
    assert value(answered(full), "freshness") is None


def test_a_folder_is_no_file(full, project):
    (project / "src" / "pump.py").mkdir()
    assert value(answered(full), "freshness") is None


@pytest.mark.parametrize("bit", ["+", "a/", "a.", "@", "~/", "../", "a-", "/", "é"])
def test_files_are_sought_in_a_time_that_does_not_grow(bit):
    assert len(named(bit * 1_000_000)) <= 8


@pytest.mark.parametrize(
    ("committed", "stands", "reliability"),
    [
        pytest.param(BEGAN - DAY, BEGAN + DAY, 1.0, id="a checkout gives a file a new time"),
        pytest.param(BEGAN + DAY, BEGAN - DAY, 0.0, id="committed since"),
        pytest.param(BEGAN - DAY, BEGAN + 30 * DAY, 0.0, id="changed, not committed"),
        pytest.param(BEGAN - DAY, 0, 0.0, id="deleted since"),
    ],
)
def test_git_tells_before_the_files_time(full, project, committed, stands, reliability):
    with open_writer(str(full)) as store:
        ledger.begin(store)
        kept = history.ensure(store, str(project), wings.named(store, "fountain").n)
        history.file_commits(store, kept.n, [history.Commit("a1" * 20, committed, ("src/pump.py", "src/gate.py"))])
        history.was_read(store, kept.n, head="a1" * 20, border="", at=BEGAN + 20 * DAY)
        filing.commit(store)
    if stands:
        stamped(project / "src" / "pump.py", stands)
    assert value(answered(full), "freshness") == reliability


def test_where_no_file_is_named_those_just_edited_tell(tmp_path, palace, project):
    session = Session("edit", cwd=str(project))
    session.user("Please mend the lantern.")
    session.tool("Edit", {"file_path": str(project / "src" / "lantern.py")})
    session.result()
    session.agent("The lantern is mended and burns until morning.")
    session.tool("Edit", {"file_path": str(project / "src" / "later.py")})
    session.result()
    session.agent("That is all.")
    assert cli("mine", "-q", "--palace", palace, session.write(tmp_path / "log" / "e.jsonl")).exit_code == 0
    stamped(project / "src" / "lantern.py", BEGAN)
    stamped(project / "src" / "later.py", NOW)
    asked = {"role": "narration", "limit": 1}
    assert value(answered(palace, "lantern burns until morning", **asked), "freshness") == 1.0
    stamped(project / "src" / "lantern.py", NOW)
    assert value(answered(palace, "lantern burns until morning", **asked), "freshness") == 0.0


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("see src/lamp.py:42.", ["src/lamp.py"]),
        ("open ./a/b.txt, ../c/d and /etc/hosts", ["./a/b.txt", "../c/d", "/etc/hosts"]),
        ("~/notes/x.md (twice: ~/notes/x.md)", ["~/notes/x.md"]),
        ("https://example.org/a/b.html is no file", []),
        ("lamp.toml and Makefile", ["lamp.toml"]),
        ("version 2.3.1 of 1.5 and e.g. this", []),
        ("in `pkg/mod.rs` and \"other-dir/x_y.ts\"", ["pkg/mod.rs", "other-dir/x_y.ts"]),
        ("ask me@example.org", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_reads_like_a_file(text, files):
    assert named(text) == files


# Supersession.


def claimed(palace, drawer, *, retired, effect=""):
    with open_writer(str(palace)) as store:
        filing.begin(store)
        store.db.execute(
            """INSERT INTO beliefs (id, wing, glob, kind, subject, option, polarity, claim, origin, created_at,
               changed_at, retired_at, generation) VALUES (?, 0, '', 'k', '', 'o', 'prefer', 'use brass seals', 'user',
               1, 1, ?, 1)""",
            (f"{retired:024x}", retired),
        )
        store.db.execute(
            "INSERT INTO evidence (belief, key, agrees, weight, origin, at, said, drawer, effect)"
            " VALUES ((SELECT max(n) FROM beliefs), 'x', 1, 1.0, 'user', 1, 'said', ?, ?)",
            (drawer, effect),
        )
        filing.commit(store)


@pytest.mark.parametrize(
    ("retired", "effect", "reliability"),
    [
        pytest.param(0, "", 1.0, id="it stands"),
        pytest.param(NOW - DAY, "", 0.0, id="it is retired"),
        pytest.param(NOW - DAY, "withdraws", None, id="it was withdrawn in these very words"),
    ],
)
def test_a_retired_claim_speaks_against_its_passage(full, retired, effect, reliability):
    assert value(answered(full), "supersession") is None
    claimed(full, first(full), retired=retired, effect=effect)
    answer = answered(full)
    assert value(answer, "supersession") == reliability
    assert ("no longer holds: use brass seals" in answer.envelope.reasons) == (reliability == 0.0)


# Re-rank.


@pytest.fixture
def twins(tmp_path, palace, project):
    """Return a palace of two sessions that answer nearly alike."""
    paths = []
    for name, text in (("one", ANSWERED), ("two", OTHER)):
        session = Session(name, cwd=str(project))
        session.user("Please look into it.")
        session.agent(text)
        paths.append(session.write(tmp_path / "log" / f"{name}.jsonl"))
    assert cli("mine", "-q", "--palace", palace, *paths).exit_code == 0
    return palace


def test_what_misled_is_demoted_and_says_so(twins):
    asked = {"role": "report"}
    before = answered(twins, **asked)
    one, two = before.hits
    assert two.score / one.score > 0.82, "near enough for the test to mean something"
    assert cli("learn", "--palace", twins, one.citation.id, "wrong").exit_code == 0
    after = answered(twins, **asked)
    assert [hit.id for hit in after.hits] == [two.id, one.id]
    demoted = after.hits[1]
    assert demoted.score == pytest.approx(one.score * (1 - 0.2 * 0.95), rel=1e-6)
    assert sum(demoted.parts.values()) == pytest.approx(demoted.score)
    assert after.hits[0].score == two.score
    shown = cli("search", "--palace", twins, "--explain", "--role", "report", ASKED).stdout
    assert re.search(r"trust -0\.\d+", shown)


def test_a_demoted_hit_gives_its_place_to_one_that_was_not_asked_for(twins):
    one, two = answered(twins, role="report").hits
    told(twins, one.id, "wrong", at=NOW - 1)
    assert [hit.id for hit in answered(twins, role="report", limit=1).hits] == [two.id]


def test_a_tremor_takes_at_most_a_tenth(full):
    before = answered(full).hits[0]
    told(full, before.id, "correct", "correct", "correct")
    with open_writer(str(full)) as store:
        ledger.begin(store)
        seen = [shakes.Shake(NOW - 100 * n, 50.0 - n, 4.0) for n in range(5)]
        shakes.add(store, f"drawer::{before.id}", 0, seen)
        filing.commit(store)
    after = next(hit for hit in answered(full).hits if hit.id == before.id)
    assert after.score == pytest.approx(before.score * 0.9)
    assert (after.parts["trust"], after.parts["tremor"]) == (0.0, pytest.approx(-0.1 * before.score))


# Calibration, from end to end.


def keeper(n):
    """Return a name that stands in one passage alone."""
    syllables = "bor kel dim fut gas hoz jun lap miv nex".split()
    return (syllables[n % 10] + syllables[n // 10 % 10] + syllables[n // 100]).title()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Return a palace of 150 notes of one kind each, mined from one session's reports."""
    folder = tmp_path_factory.mktemp("many")
    session = Session("many", cwd=str(folder))
    for n in range(150):
        session.agent(f"Valve number {n} was set to {n * 7 % 90} degrees by {keeper(n)} of the fountain.", id=f"m{n}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        path = session.write(folder / "log" / "many.jsonl")
        assert cli("mine", "-q", "--palace", folder / "palace", path).exit_code == 0
    return folder / "palace"


@pytest.fixture
def tried(many, palace):
    """Return a copy in which much was relied on: most of it held, every fourth misled."""
    shutil.copytree(many, palace)
    with open_writer(str(palace)) as store:
        ids = [row[0] for row in store.db.execute("SELECT id FROM drawers ORDER BY n")]
        generation = ledger.begin(store)
        for n, id in enumerate(ids):
            outcomes = ["wrong"] if n % 4 == 3 else ["correct"] * 3
            for k, outcome in enumerate(outcomes):
                at = NOW - DAY + n * 10 + k
                event = ledger.Outcome(f"{id}{k}", f"drawer::{id}", 0, outcome, 1.0, at, "learned")
                ledger.add(store, event, generation=generation)
        filing.commit(store)
    return palace


CLEAN = "to how many degrees was valve number 100 set?"


def measured(palace, *, alpha=0.1, now=NOW):
    with open_writer(str(palace)) as store:
        return calibrate_envelope(store, alpha=alpha, now=now)


def test_without_a_label_there_is_no_row(full):
    told = measured(full)
    assert (told.row, told.labels, told.unarmed) == (None, 0, "envelope_uncalibrated")
    assert answered(full).envelope.reasons[-1] == "envelope_uncalibrated"


def test_a_label_of_which_too_little_is_known_measures_nothing(full):
    told(full, first(full), "correct")
    done = measured(full)
    assert (done.row, done.labels, done.cases) == (None, 1, 0)


def test_an_alpha_that_is_none_is_refused_before_anything_changes(tried):
    for alpha in (0.0, 0.6, float("nan")):
        with pytest.raises(PalaceError, match="alpha"):
            measured(tried, alpha=alpha)
    with open_reader(str(tried)) as store:
        assert calibrations.read(store, calibrations.ENVELOPE, 0) is None


def test_once_calibrated_the_same_clean_search_may_act(tried):
    before = answered(tried, CLEAN)
    assert before.hits[0].text.startswith("Valve number 100 ")
    assert (before.envelope.verdict, before.envelope.calibrated) == ("reverify", False)
    done = measured(tried)
    assert done.unarmed == ""
    assert done.row.tau == pytest.approx(0.6)
    assert (done.labels, done.cases, done.parts) == (150, 150, (50, 50, 50))
    assert (done.row.precision, done.row.n) == (1.0, 38)
    after = answered(tried, CLEAN, limit=1)
    assert (after.envelope.verdict, after.envelope.calibrated, after.envelope.next) == ("act", True, "")
    assert line(after.envelope) == "act: what was relied on here held"
    misled = answered(tried, "to how many degrees was valve number 103 set?", limit=1)
    assert misled.envelope.verdict == "reverify"


def test_drift_caps_the_verdict_until_it_is_calibrated_anew(tried):
    measured(tried)
    assert answered(tried, CLEAN, limit=1).envelope.verdict == "act"
    late = NOW + 91 * DAY
    aged = answered(tried, CLEAN, limit=1, now=late).envelope
    assert (aged.verdict, aged.reasons[-1], aged.next) == (
        "reverify", "envelope_stale", 'run "mempalace calibrate envelope"',
    )  # fmt: skip
    for hit in answered(tried, CLEAN, limit=100).hits[:90]:
        told(tried, hit.id, "correct", at=NOW + 5, key="more")
    assert answered(tried, CLEAN, limit=1).envelope.reasons[-1] == "envelope_stale"
    measured(tried)
    assert answered(tried, CLEAN, limit=1).envelope.verdict == "act"


def test_a_row_that_is_refused_is_named_and_caps(tried):
    measured(tried)
    with open_writer(str(tried)) as store:
        store.db.execute("UPDATE calibrations SET version = 9")
    told = answered(tried, CLEAN, limit=1).envelope
    assert told.verdict == "reverify"
    assert "the calibration is refused: its version is 9" in told.reasons[-1]
    assert "refused" in measured(tried).note


def test_few_labels_make_a_row_that_arms_nothing(full):
    told(full, first(full), "wrong")
    done = measured(full)
    assert done.cases == 1
    assert "too few misses" in done.unarmed
    assert answered(full).envelope.reasons[-1] == "envelope_unarmed"


# Verdicts in use.


@pytest.mark.parametrize(
    ("least", "kept"),
    [
        pytest.param("abstain", {"act", "reverify", "abstain"}, id="abstain"),
        pytest.param("reverify", {"act", "reverify"}, id="reverify"),
        pytest.param("act", {"act"}, id="act"),
    ],
)
def test_what_may_be_relied_on_less_is_left_out(tried, least, kept):
    measured(tried)
    for id in [hit.id for hit in answered(tried, CLEAN, limit=4).hits]:
        claimed(tried, id, retired=int(id[:6], 16) + 1)  # these fall behind the others
    asked = answered(tried, CLEAN, limit=30)
    verdicts = {hit.id: answered(tried, hit.text, limit=1).envelope.verdict for hit in asked.hits}
    answer = answered(tried, CLEAN, limit=30, least=least)
    assert {verdicts[hit.id] for hit in answer.hits} <= kept
    assert len(answer.hits) + sum(verdict not in kept for verdict in verdicts.values()) == len(asked.hits)
    ran = cli("search", "--palace", tried, "--limit", "30", "--min-verdict", least, "--json", CLEAN)
    assert len(json.loads(ran.stdout).get("sources", ())) <= len(asked.hits)


def test_a_cold_palace_has_nothing_to_act_on_and_says_so(full):
    ran = cli("search", "--palace", full, "--min-verdict", "act", ASKED)
    assert ran.stdout == "nothing found\n"
    assert "4 found, but not fit for act: left out" in ran.stderr


def given_to(palace, project, prompt, session):
    """Return (the block that a prompt is given, what the hook's run notes)."""
    event = {"session_id": session, "cwd": str(project), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    run = Visit("recall", json.dumps(event).encode(), {"MEMPALACE_HOME": str(palace)}, now=NOW, began=0.0)
    return prompt_recall.answer(run), run.noted


def test_a_prompt_is_not_given_what_abstains(tried, many, monkeypatch):
    monkeypatch.setattr(prompt_recall, "DEADLINE", 60)
    asked = f"Did {keeper(103)} of the fountain set valve number 103?"
    misled = answered(tried, asked).hits[0].id
    assert "Valve number 103 " in given_to(tried, many.parent, asked, "before")[0]
    claimed(tried, misled, retired=NOW - DAY)
    (tried / "requests").mkdir(exist_ok=True)
    (tried / "requests" / "1.json").write_text("{}")  # and not all is mined
    assert "Valve number 103 " in given_to(tried, many.parent, asked, "uncalibrated")[0], "nothing was measured yet"
    measured(tried)
    with open_writer(str(tried)) as store:
        store.db.execute("UPDATE calibrations SET row = json_set(row, '$.tau', 0.6)")
    said, noted = given_to(tried, many.parent, asked, "after")
    assert "Valve number 103 " not in said
    assert noted["left"][misled] == "trust: its envelope abstains"
    held = f"Did {keeper(100)} of the fountain set valve number 100?"
    assert "Valve number 100 " in given_to(tried, many.parent, held, "other")[0]


def test_recall_is_weighed_too(full):
    with open_reader(str(full)) as store:
        assert recall(store, now=NOW).envelope.verdict == "reverify"
