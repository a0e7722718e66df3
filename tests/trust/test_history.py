"""A repository's history read into the palace: all of it, what is new, what is gone; real repositories."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from repositories import DAY, START, Repo

from mempalace.errors import PalaceError
from mempalace.layers import commits
from mempalace.layers import history as layer
from mempalace.layers.history import Caught, catch_up, catch_up_wings
from mempalace.projects import project_of
from mempalace.store import filing, history, ledger, shakes, wings
from mempalace.store.connection import open_writer
from mempalace.store.history import Together

NOW = START + 400 * DAY


@pytest.fixture
def store(palace):
    with open_writer(str(palace)) as opened:
        yield opened


@pytest.fixture
def repo(tmp_path):
    made = Repo(tmp_path / "lighthouse")
    made.commit("Light the lamp", "lamp.py", "lens.py")
    made.commit("fix: steady the beam", "lamp.py", "lens.py", "wick.py")
    return made


def caught(store, repo, *, wing=1, seconds=60.0):
    return catch_up(store, os.environ, wing, repo.root, now=NOW, seconds=seconds)


def together(store, repo, path):
    return history.together(store, history.repository(store, repo.root).n, path)


def known(store, repo):
    return history.filed(store, history.repository(store, repo.root).n)


def evidence(store, path, wing=1):
    return ledger.events(store, f"file::{path}", wing)


def test_a_history_is_read_once_and_then_only_what_is_new(store, repo):
    assert caught(store, repo) == Caught(read=2, defects=3)
    assert caught(store, repo) == Caught()
    assert together(store, repo, "lamp.py") == [Together("lens.py", 2, 2), Together("wick.py", 1, 1)]
    repo.commit("Trim the wick", "lamp.py", "wick.py")
    assert caught(store, repo) == Caught(read=1)
    assert together(store, repo, "lamp.py") == [Together("lens.py", 2, 2), Together("wick.py", 2, 2)]


def test_reading_a_history_leaves_the_index_as_current_as_it_was(store, repo):
    before = filing.generation(store)
    caught(store, repo)
    assert filing.generation(store) == before


def test_nothing_new_costs_one_process(store, repo, monkeypatch):
    caught(store, repo)
    asked = []
    real = commits._run
    monkeypatch.setattr(commits, "_run", lambda *words: asked.append(words) or real(*words))
    caught(store, repo)
    assert len(asked) == 1


def test_a_repair_is_evidence_against_the_files_it_touched_and_counts_once(store, repo):
    caught(store, repo)
    (event,) = evidence(store, "wick.py")
    assert (event.outcome, event.origin, event.weight, event.at) == ("wrong", "fix-commit", 0.5, START + 2 * DAY)
    assert event.why == "fix: steady the beam"
    repo.git("commit", "-q", "--amend", "--no-edit", GIT_COMMITTER_DATE=f"{START + 9 * DAY} +0000")
    assert caught(store, repo) == Caught(read=1, gone=1)
    assert evidence(store, "wick.py") == [event]


def test_each_change_shakes_its_file_by_its_lines_and_the_files_beside_it(store, repo):
    caught(store, repo)
    found = shakes.of(store, ["file::lamp.py", "file::wick.py"], 1)
    assert found == {
        "file::lamp.py": [(START + DAY, 1, 1), (START + 2 * DAY, 1, 2)],
        "file::wick.py": [(START + 2 * DAY, 1, 2)],
    }


def test_a_commit_from_the_future_shakes_nothing_and_blames_as_of_now(store, repo):
    repo.commit("fix: the clock", "clock.py", at=NOW + DAY)
    caught(store, repo)
    assert [event.at for event in evidence(store, "clock.py")] == [NOW]
    assert shakes.of(store, ["file::clock.py"], 1) == {}


def test_a_rewritten_history_is_said_and_its_lost_commits_are_taken_out(store, repo):
    caught(store, repo)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.commit("Paint the tower", "tower.py", "lamp.py")
    done = caught(store, repo)
    assert done == Caught(read=1, gone=1)
    assert done.told == "the history was rewritten: 1 commits that it holds no more were taken out"
    assert together(store, repo, "lamp.py") == [Together("lens.py", 1, 1), Together("tower.py", 1, 1)]


def test_a_head_that_merely_goes_back_takes_nothing_out(store, repo):
    caught(store, repo)
    repo.git("checkout", "-q", "HEAD~1")
    assert caught(store, repo) == Caught()
    assert len(known(store, repo)) == 2
    repo.git("checkout", "-q", "main")
    assert caught(store, repo) == Caught()


def test_merges_are_left_out_and_what_they_bring_is_read(store, repo):
    repo.git("checkout", "-q", "-b", "horn", "HEAD~1")
    repo.commit("Add a horn", "horn.py", "valve.py")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "fix: merge the horn", "horn")
    assert caught(store, repo).read == 3
    assert together(store, repo, "horn.py") == [Together("valve.py", 1, 1)]
    assert evidence(store, "horn.py") == []


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be")
def test_any_path_a_file_can_have_is_read(store, repo):
    odd = ['a "quoted" one.py', "a\ttab.py", "a\nnewline.py", "ランプ.py", "\x01control.py", " leading", "trailing "]
    raw = os.fsencode(repo.root) + b"/od\xffd.py"
    try:
        with open(raw, "w") as file:
            file.write("x\n")
        odd.append("od\\xffd.py")
        names = odd[:-1]
    except OSError:  # this system's files have names in UTF-8 alone
        names = odd
    repo.commit("Odd names", *names)
    caught(store, repo)
    assert {one.path for one in together(store, repo, odd[0])} == set(odd[1:])


def test_what_has_no_lines_is_read_too(store, repo):
    (repo.folder / "beam.png").write_bytes(b"\0\1\2")
    (repo.folder / "empty").touch()
    os.symlink("lamp.py", repo.folder / "link")
    repo.commit("Pictures")
    repo.git("mv", "beam.png", "ray.png")
    repo.commit("Call it a ray")
    repo.commit("Nothing at all")
    assert caught(store, repo).read == 5
    assert [one.path for one in together(store, repo, "beam.png")] == ["empty", "link", "ray.png"]
    assert len(shakes.of(store, ["file::beam.png"], 1)["file::beam.png"]) == 2


def test_a_submodule_is_a_path_like_any_other(store, repo, tmp_path):
    other = Repo(tmp_path / "horn")
    other.commit("Blow", "horn.py")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.folder), "parts/horn")
    repo.commit("Add the horn")
    caught(store, repo)
    assert [one.path for one in together(store, repo, "parts/horn")] == [".gitmodules"]


def test_a_worktree_is_read_through_its_main_repository(store, repo):
    repo.git("worktree", "add", "-q", "-b", "side", str(repo.folder / ".worktrees" / "side"))
    assert project_of(str(repo.folder / ".worktrees" / "side")).root == repo.root
    assert catch_up(store, os.environ, 1, str(repo.folder / ".worktrees" / "side"), now=NOW).read == 2


def test_a_bare_repository_is_read(store, repo, tmp_path):
    subprocess.run(["git", "clone", "-q", "--bare", repo.root, str(tmp_path / "bare.git")], check=True)
    assert catch_up(store, os.environ, 1, str(tmp_path / "bare.git"), now=NOW).read == 2


def test_at_the_border_of_a_shallow_clone_nothing_is_told_until_it_is_deepened(store, repo, tmp_path):
    repo.commit("Trim the wick", "lamp.py", "wick.py")
    clone = ["git", "clone", "-q", "--depth", "2", f"file://{repo.root}", str(tmp_path / "clone")]
    subprocess.run(clone, check=True)
    shallow = Repo(tmp_path / "clone")
    assert caught(store, shallow) == Caught(read=2)
    assert together(store, shallow, "lens.py") == []
    assert together(store, shallow, "lamp.py") == [Together("wick.py", 1, 1)]
    shallow.git("fetch", "-q", "--unshallow")
    assert caught(store, shallow) == Caught(read=2, defects=3)
    assert together(store, shallow, "lens.py") == [Together("lamp.py", 2, 3), Together("wick.py", 1, 2)]


def test_where_the_content_is_elsewhere_it_is_not_fetched(store, repo, tmp_path):
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "part")]
    subprocess.run(clone, check=True)
    partial = Repo(tmp_path / "part")
    objects = sum(len(files) for _, _, files in os.walk(partial.folder / ".git" / "objects"))
    assert caught(store, partial) == Caught(read=2, defects=3)
    assert together(store, partial, "lamp.py") == [Together("lens.py", 2, 2), Together("wick.py", 1, 1)]
    assert sum(len(files) for _, _, files in os.walk(partial.folder / ".git" / "objects")) == objects
    assert shakes.of(store, ["file::lamp.py"], 1) == {}


def test_a_folder_without_a_repository_a_repository_without_commits_and_a_folder_that_is_gone(store, tmp_path):
    (tmp_path / "plain").mkdir()
    plain, empty = str(tmp_path / "plain"), Repo(tmp_path / "empty")
    assert catch_up(store, os.environ, 1, plain, now=NOW).note == f"{plain} is no git repository"
    assert catch_up(store, os.environ, 1, plain + "/gone", now=NOW).note == f"{plain}/gone is no git repository"
    assert caught(store, empty).note == f"{empty.root} has no commits yet"
    assert history.repository(store, empty.root) is None


def test_a_machine_without_git_is_said(store, repo, tmp_path):
    env = {**os.environ, "PATH": str(tmp_path)}
    done = catch_up(store, env, 1, repo.root, now=NOW)
    assert done.note == "git is not installed: a repository's history cannot be read without it"


def test_a_damaged_repository_is_said_and_leaves_what_was_read(store, repo):
    caught(store, repo)
    head = repo.commit("Trim the wick", "lamp.py", "wick.py")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    lost = repo.folder / ".git" / "objects" / tree[:2] / tree[2:]
    os.chmod(lost, 0o600)
    lost.write_bytes(b"")
    assert caught(store, repo).note.startswith(f"git cannot read {repo.root}: ")
    assert head not in known(store, repo)
    assert len(known(store, repo)) == 2


def test_variables_that_point_git_elsewhere_are_not_heeded(store, repo, tmp_path):
    other = Repo(tmp_path / "garden")
    other.commit("Plant", "rose.py", "wall.py")
    env = {**os.environ, "GIT_DIR": f"{other.root}/.git", "GIT_WORK_TREE": other.root, "LC_ALL": "de_DE.UTF-8"}
    assert catch_up(store, env, 1, repo.root, now=NOW).read == 2
    assert history.repository(store, repo.root) is not None


def test_nothing_that_a_repository_configures_is_run(store, repo, tmp_path):
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    (repo.folder / ".gitattributes").write_text("*.py diff=evil\n")
    repo.git("config", "core.pager", str(script))
    repo.git("config", "diff.external", str(script))
    repo.git("config", "diff.evil.textconv", str(script))
    repo.git("config", "diff.evil.command", str(script))
    repo.git("config", "core.hooksPath", str(tmp_path))
    repo.commit("Attributes", "lamp.py")
    repo.git("config", "core.fsmonitor", str(script))
    assert caught(store, repo).read == 3
    assert not (tmp_path / "ran").exists()


def test_a_reading_cut_short_goes_on_where_it_stopped(store, tmp_path, monkeypatch):
    repo = Repo(tmp_path / "lighthouse")
    repo.grow([("Light", ["lamp.py", f"wick{n}.py"]) for n in range(10)])
    monkeypatch.setattr(layer, "BATCH", 4)
    first = caught(store, repo, seconds=0)
    assert first == Caught(read=4, left=6)
    assert first.told == "6 commits are still to be read: they follow the next time"
    assert history.repository(store, repo.root).head == ""
    assert caught(store, repo) == Caught(read=6)
    assert len(together(store, repo, "lamp.py")) == 10


def test_a_very_long_history_is_kept_as_far_back_as_the_limit(store, tmp_path, monkeypatch):
    repo = Repo(tmp_path / "lighthouse")
    repo.grow([("Light", ["lamp.py", f"wick{n}.py"]) for n in range(10)])
    monkeypatch.setattr(layer, "MOST", 6)
    assert caught(store, repo) == Caught(read=6)
    repo.commit("Trim", "lamp.py", "tower.py")
    assert caught(store, repo) == Caught(read=1)
    assert {one.path for one in together(store, repo, "lamp.py")} == {
        "tower.py",
        *(f"wick{n}.py" for n in range(5, 10)),
    }


def test_in_whatever_steps_a_history_is_read_it_is_the_same_history(store, tmp_path, monkeypatch):
    repo = Repo(tmp_path / "lighthouse")
    repo.grow([("fix: it", ["lamp.py", f"wick{n % 3}.py"]) for n in range(9)])
    caught(store, repo, wing=1)
    whole = history.in_time(store, history.repository(store, repo.root).n), len(evidence(store, "lamp.py", 1))
    clone = Repo(tmp_path / "clone")
    monkeypatch.setattr(layer, "BATCH", 2)
    for back in (6, 3, 0):
        clone.git("fetch", "-q", repo.root, "main")
        clone.git("reset", "-q", "--hard", f"FETCH_HEAD~{back}")
        caught(store, clone, wing=2)
    parts = history.in_time(store, history.repository(store, clone.root).n), len(evidence(store, "lamp.py", 2))
    assert parts == whole


def test_two_that_catch_up_at_once_count_everything_once(store, tmp_path, palace, monkeypatch):
    repo = Repo(tmp_path / "lighthouse")
    repo.grow([("fix: it", ["lamp.py", f"wick{n % 3}.py"]) for n in range(30)])
    monkeypatch.setattr(layer, "BATCH", 3)

    def work(_):
        with open_writer(str(palace)) as mine:
            return caught(mine, repo)

    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(work, range(3)))
    assert [one.note for one in done] == [""] * 3
    assert sum(one.defects for one in done) == 60
    assert together(store, repo, "lamp.py") == [Together(f"wick{n}.py", 10, 10) for n in range(3)]
    assert len(evidence(store, "lamp.py")) == 30


def test_the_repositories_of_wings_are_caught_up_with_together(store, repo, tmp_path):
    ledger.begin(store)
    wing = wings.ensure(store, project_of(str(repo.folder)))
    plain = wings.create(store, "notes")
    filing.commit(store)
    done = catch_up_wings(store, os.environ, [wing.n, plain.n], now=NOW)
    assert done == [Caught(read=2, defects=3)]
    assert len(evidence(store, "lamp.py", wing.n)) == 1


def test_a_folder_that_git_refuses_is_an_error_to_who_asks(repo, tmp_path):
    with pytest.raises(PalaceError, match="git cannot read"):
        commits.hashes(repo.root, os.environ, "0" * 40, 10)
