"""`mempalace predict` and `calibrate predict`: on real repositories, as a user calls them."""

import json
import os
import random
import time
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner
from repositories import Repo

from mempalace.cli.predicting import calibrate, predict
from mempalace.errors import NoPalace, NotFound, PalaceError
from mempalace.projects import project_of
from mempalace.store import calibrations, filing, wings
from mempalace.store.connection import open_reader, open_writer

PAIRS = 8


def pairs(count, *, shift=0, seed=1):
    """Return commits that change a module with its test, and now and then a stray file; shift: the test of another."""
    chosen = random.Random(seed)
    for _ in range(count):
        n = chosen.randrange(PAIRS)
        paths = [f"m{n}.py", f"t{(n + shift) % PAIRS}.py"]
        yield "Polish", paths + ([f"stray{chosen.randrange(40)}.md"] if chosen.random() < 0.2 else [])


@pytest.fixture
def repo(tmp_path, palace, monkeypatch):
    """Return a repository whose modules change with their tests; a palace is there, with nothing in it."""
    open_writer(str(palace)).db.close()
    made = Repo(tmp_path / "lighthouse")
    made.grow(pairs(240))
    monkeypatch.chdir(made.folder)
    return made


def run(command, *words):
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


def said(command, *words):
    result = run(command, *words)
    assert result.exit_code == 0, result.output
    return result.output


def told(*words):
    return json.loads(said(predict, *words, "--json"))


def calibrated(*words):
    return json.loads(said(calibrate, "predict", *words, "--json"))


def verdicts(path="m0.py"):
    return {one["path"]: one["verdict"] for one in told(path)["likely"]}


def spoil(repo, palace, text):
    """Put something else in the place of the kept row."""
    with open_writer(str(palace)) as store:
        store.db.execute("UPDATE calibrations SET row = ?", (text,))
        return wings.of_project(store, project_of(repo.root)).n


def test_without_a_calibration_everything_abstains_and_the_remedy_is_told(repo):
    answer = told("m0.py")
    assert answer["likely"][0]["path"] == "t0.py"
    assert {one["verdict"] for one in answer["likely"]} == {"abstain"}
    assert answer["note"] == "not calibrated: run mempalace calibrate predict"
    assert answer["calibration"] is None


def test_what_was_measured_to_hold_may_be_acted_on(repo):
    measured = calibrated()
    row = measured["row"]
    assert measured["unarmed"] == ""
    assert row["precision"] >= 0.9
    assert row["n"] >= 30
    assert measured["parts"] == [80, 80, 80]
    assert verdicts()["t0.py"] == "act"
    assert {verdict for path, verdict in verdicts().items() if path.startswith("stray")} <= {"reverify", "abstain"}
    assert told("m0.py")["note"] == ""


def test_a_prediction_in_lines(repo):
    said(calibrate, "predict")
    lines = said(predict, "m0.py").splitlines()
    assert lines[0].startswith("m0.py: touched by ")
    assert lines[0].endswith(" of 240 commits of 2 to 50 files in lighthouse")
    assert lines[1].split()[:1] == ["act"]
    assert lines[1].endswith("together  t0.py")


def test_a_calibration_in_lines(repo):
    out = said(calibrate, "predict", "--alpha", 0.05)
    lines = out.splitlines()
    assert lines[0] == "predictions in lighthouse: learned from 80 commits, set on 80, measured on 80"
    assert lines[1].startswith("tau 0.")
    assert lines[1].endswith("alpha 0.05")
    assert lines[2].startswith("armed: above 0.")
    assert lines[3] == "the surest  from  precision"


def test_the_same_history_gives_the_same_picture(repo, tmp_path):
    pictures = []
    for name in ("one.svg", "two.svg"):
        said(calibrate, "predict", "--plot", tmp_path / name)
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]
    assert ET.fromstring(pictures[0]).tag.endswith("svg")


def test_a_picture_that_cannot_be_written_is_said(repo, tmp_path):
    with pytest.raises(PalaceError, match=r"cannot write to .*gone/a\.svg: No such file"):
        run(calibrate, "predict", "--plot", tmp_path / "gone" / "a.svg")


def test_drift_makes_a_calibration_stale_and_calibrating_anew_changes_the_verdicts(repo):
    said(calibrate, "predict")
    assert verdicts()["t0.py"] == "act"
    repo.grow(pairs(60, shift=1, seed=2))
    answer = told("m0.py")
    assert answer["note"] == ("calibrated on 240 cases of evidence, now there are 300: run mempalace calibrate predict")
    assert {one["verdict"] for one in answer["likely"]} <= {"reverify", "abstain"}
    measured = calibrated()
    assert "90% is asked for" in measured["unarmed"]
    assert verdicts()["t0.py"] == "reverify"
    assert told("m0.py")["note"].startswith("nothing may act: of what lay above the threshold")
    repo.grow(pairs(1200, shift=1, seed=3))
    assert calibrated()["unarmed"] == ""
    assert verdicts()["t1.py"] == "act"
    assert verdicts()["t0.py"] != "act"


def test_an_old_calibration_lets_nothing_act(repo, monkeypatch):
    said(calibrate, "predict")
    late = time.time() + 91 * 86400
    monkeypatch.setattr(time, "time", lambda: late)
    assert verdicts()["t0.py"] == "reverify"
    assert told("m0.py")["note"] == "calibrated 91 days ago: run mempalace calibrate predict"


def test_a_short_history_is_unarmed_and_says_why(repo, tmp_path):
    small = Repo(tmp_path / "hut")
    small.grow(pairs(6))
    measured = calibrated("--cwd", small.folder)
    assert measured["row"]["tau"] is None
    assert measured["unarmed"] == "too few misses to set a threshold at alpha 0.1"
    assert "nothing will act" in said(calibrate, "predict", "--cwd", small.folder)


def test_a_spoilt_row_is_refused_named_kept_aside_and_replaced(repo, palace):
    said(calibrate, "predict")
    wing = spoil(repo, palace, '{"tau": 0}')
    answer = told("m0.py")
    assert answer["note"] == ("the calibration is refused, missing field 'alpha': run mempalace calibrate predict")
    assert {one["verdict"] for one in answer["likely"]} == {"abstain"}
    with open_reader(str(palace)) as store:
        assert calibrations.refused(store) == [("predict", wing, "missing field 'alpha'")]
        assert store.db.execute("SELECT row, quarantined FROM calibrations").fetchall() == [
            ('{"tau": 0}', "missing field 'alpha'")
        ]
    assert calibrated()["note"] == "the row before was refused (missing field 'alpha') and is replaced"
    assert verdicts()["t0.py"] == "act"


@pytest.mark.parametrize("alpha", [0, 0.6, -1, "nan"])
def test_an_alpha_that_is_none_changes_nothing(repo, palace, alpha):
    before = (palace / "palace.db").read_bytes()
    with pytest.raises(PalaceError, match="alpha is"):
        run(calibrate, "predict", "--alpha", alpha)
    assert (palace / "palace.db").read_bytes() == before


def test_a_file_may_be_named_from_anywhere(repo, monkeypatch):
    (repo.folder / "deep").mkdir()
    whole = told(repo.folder / "m0.py")
    monkeypatch.chdir(repo.folder / "deep")
    assert told("../m0.py") == whole
    assert told("m0.py") == whole  # as git calls it
    monkeypatch.chdir("/")
    assert told("m0.py", "--cwd", repo.folder) == whole


def test_a_file_is_found_through_a_link_and_from_a_worktree(repo, tmp_path):
    os.symlink(repo.folder, tmp_path / "link")
    whole = told("m0.py")
    assert told(tmp_path / "link" / "m0.py") == whole
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert told(tmp_path / "side" / "m0.py") == whole


def test_files_that_are_gone_are_not_predicted(repo):
    assert "t0.py" in verdicts()
    (repo.folder / "t0.py").unlink()
    assert "t0.py" not in verdicts()
    (repo.folder / "m0.py").unlink()
    assert verdicts()


def test_a_file_in_no_commit_is_said_plainly(repo):
    (repo.folder / "new.py").touch()
    note = "new.py is in no commit yet: nothing is known of what changes with it"
    assert told("new.py")["note"] == note
    assert said(predict, "new.py") == f"note: {note}\n"


def test_a_file_that_never_was_is_an_error(repo):
    with pytest.raises(
        NotFound, match=r"never\.py: there is no such file, nor was there one in the history of .*lighthouse"
    ):
        run(predict, "never.py")


def test_a_file_that_always_changed_alone_has_no_companions(repo):
    repo.commit("Alone", "alone.py")
    lines = said(predict, "alone.py").splitlines()
    assert lines[0] == "alone.py: touched by 0 of 240 commits of 2 to 50 files in lighthouse"
    assert lines[1] == "nothing that is still there changed together with it"


def test_outside_of_a_repository_there_is_nothing_to_predict_from(repo, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").touch()
    for words in ([predict, plain / "a.py"], [calibrate, "predict", "--cwd", plain]):
        with pytest.raises(PalaceError, match="plain is no git repository: there is no history to predict from"):
            run(*words)


def test_no_palace_is_made_just_to_predict(tmp_path, monkeypatch):
    repo = Repo(tmp_path / "hut")
    repo.commit("Build", "a.py", "b.py")
    monkeypatch.chdir(repo.folder)
    for words in ([predict, "a.py"], [calibrate, "predict"]):
        with pytest.raises(NoPalace):
            run(*words)
    assert not (tmp_path / "palace").exists()


def test_predicting_leaves_the_index_as_current_as_it_was(repo, palace):
    def generation():
        with open_reader(str(palace)) as store:
            return filing.generation(store)

    before = generation()
    said(calibrate, "predict")
    told("m0.py")
    assert generation() == before


def test_the_envelope_is_not_calibrated_on_nothing(repo):
    lines = said(calibrate, "envelope").splitlines()
    assert lines == [
        "nothing to calibrate on: no drawer has an outcome yet",
        'next: say how memories held with "mempalace learn ID correct|wrong|partial"',
    ]
    told = json.loads(said(calibrate, "envelope", "--json"))
    assert (told["row"], told["unarmed"]) == (None, "envelope_uncalibrated")


def test_a_machine_without_git_is_told_so(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PalaceError, match="git is not installed"):
        run(predict, "m0.py")
