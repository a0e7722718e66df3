"""One page on what works: each part ok, warn or blocked, with its remedy."""

import json
import os
import shutil
import sqlite3

import pytest
import transcripts
from click.testing import CliRunner

from mempalace import trajectory
from mempalace.cli import main
from mempalace.cli.testing import selftest
from mempalace.layers.soundness import Finding, worst
from mempalace.store import calibrations, filing, ledger
from mempalace.store.calibrations import ENVELOPE, PREDICT, Calibration
from mempalace.store.connection import open_writer

NOW = 2_000_000_000


@pytest.fixture
def full(palace, claude):
    path = claude(transcripts.talk("lamp", 2))
    assert CliRunner().invoke(main, ["mine", "-q", "--palace", str(palace), str(path)]).exit_code == 0
    trajectory.record(str(palace), {"at": 1, "hook": "recall"})
    return palace


def run(palace, *words):
    return CliRunner().invoke(selftest, ["--palace", str(palace), *words])


def found(palace):
    """Return (the worst state, the findings as (part, state, what, remedy))."""
    told = json.loads(run(palace, "--json").stdout)
    return told["state"], [tuple(one.values()) for one in told["findings"]]


def kept(palace, row, *, outcomes=0, version=1):
    with open_writer(str(palace)) as store:
        generation = ledger.begin(store)
        for n in range(outcomes):
            event = ledger.Outcome(str(n), "drawer::" + "a" * 24, 0, "correct", 1.0, NOW + n, "learned")
            ledger.add(store, event, generation=generation)
        if row:
            calibrations.keep(store, row, wing=0)
            store.db.execute("UPDATE calibrations SET version = ?", (version,))
        filing.commit(store)


def test_a_sound_palace_is_ok_throughout(full):
    state, findings = found(full)
    assert state == "ok", findings
    assert [part for part, *_ in findings] == ["store", "index", "hooks", "calibration"]
    page = run(full)
    assert page.exit_code == 0
    assert [line.split()[:2] for line in page.stdout.splitlines()] == [
        ["ok", "store"], ["ok", "index"], ["ok", "hooks"], ["ok", "calibration"],
    ]  # fmt: skip


def test_a_palace_without_evidence_is_told_how_to_gain_some_and_no_number(full):
    _, findings = found(full)
    assert findings[-1][2] == "no outcome is known yet, so no verdict is act"
    assert "mempalace learn" in findings[-1][3]


def behind(palace):
    with open_writer(str(palace)) as store:
        generation = filing.begin(store)
        store.db.execute("UPDATE sources SET generation = ?", (generation,))
        filing.commit(store)


def older(palace):
    db = sqlite3.connect(palace / "palace.db")
    db.execute("PRAGMA user_version=1")
    db.close()


def failed(palace):
    trajectory.record(str(palace), {"at": 2, "hook": "recall", "failed": "TooSlow: no answer"})


def failed_always(palace):
    os.unlink(palace / "trajectory.jsonl")
    failed(palace)


def request(palace):
    (palace / "requests").mkdir(exist_ok=True)
    (palace / "requests" / "1.json").write_text("{}")


ROW = Calibration(ENVELOPE, 0.6, 0.1, 1.0, 0.5, 40, 0, 1000)


@pytest.mark.parametrize(
    ("harm", "part", "state", "what", "remedy"),
    [
        pytest.param(
            lambda p: shutil.rmtree(p / "index"), "index", "blocked", "missing", "doctor --rebuild", id="no index"
        ),
        pytest.param(
            lambda p: (p / "index" / "meta.json").write_text("{"), "index", "blocked", "damaged", "doctor --rebuild",
            id="a damaged index",
        ),
        pytest.param(behind, "index", "warn", "behind", "mempalace mine", id="an index behind"),
        pytest.param(older, "store", "warn", "schema 1", "mempalace mine", id="an older palace"),
        pytest.param(
            lambda p: (p / "palace.db").write_bytes(b"no database, " * 500), "store", "blocked", "damaged", "restore",
            id="a damaged palace",
        ),
        pytest.param(request, "store", "warn", "waiting", "mempalace mine", id="requests wait"),
        pytest.param(failed, "hooks", "warn", "1 of the last 2 runs failed", "TooSlow", id="a hook failed"),
        pytest.param(failed_always, "hooks", "blocked", "1 of the last 1 runs failed", "TooSlow", id="all failed"),
        pytest.param(
            lambda p: os.unlink(p / "trajectory.jsonl"), "hooks", "warn", "no hook has run", "plugin", id="no hook ran"
        ),
        pytest.param(
            lambda p: kept(p, None, outcomes=1), "calibration", "warn", "not calibrated", "calibrate envelope",
            id="outcomes, not calibrated",
        ),
        pytest.param(
            lambda p: kept(p, ROW, version=9), "calibration", "warn", "its version is 9", "calibrate envelope",
            id="a row that is refused",
        ),
        pytest.param(
            lambda p: kept(p, ROW), "calibration", "warn", "out of date", "calibrate envelope", id="a row too old"
        ),
        pytest.param(
            lambda p: kept(p, ROW._replace(signal=PREDICT, calibrated_at=2**40)), "calibration", "warn",
            "out of date", "calibrate predict", id="a row of another signal, from the future",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_remedy(full, harm, part, state, what, remedy):
    harm(full)
    overall, findings = found(full)
    told = [one for one in findings if one[:2] == (part, state)]
    assert [one for one in told if what in one[2] and remedy in one[3]], findings
    assert overall == state
    assert run(full).exit_code == (1 if state == "blocked" else 0)


def test_it_changes_nothing(full):
    kept(full, ROW, version=9)
    before = transcripts.ask(full, "SELECT * FROM calibrations")
    run(full)
    assert transcripts.ask(full, "SELECT * FROM calibrations") == before


def test_without_a_palace_it_says_what_every_command_says(palace):
    result = run(palace)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no palace at" in str(result.exception)
    assert not palace.exists()


def test_the_worst_state_counts():
    assert worst([]) == "ok"
    assert (
        worst([Finding("store", "ok", ""), Finding("index", "blocked", ""), Finding("hooks", "warn", "")]) == "blocked"
    )
