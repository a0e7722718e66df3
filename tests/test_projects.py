"""Which project a folder belongs to, and which wing a project has."""

import os
import subprocess

import pytest
from transcripts import ask, mine, talk

from mempalace.projects import Project, project_of
from mempalace.store import wings
from mempalace.store.connection import open_reader


def git(folder, *words):
    subprocess.run(["git", "-c", "protocol.file.allow=always", "-C", folder, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """Make a repository with one commit, as a function of its place."""

    def make(*parts, origin=""):
        folder = tmp_path.joinpath(*parts)
        folder.mkdir(parents=True)
        git(folder, "init", "-q")
        (folder / "lamp.txt").write_text(str(folder))
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", f"Light {folder.name}")
        if origin:
            git(folder, "remote", "add", "origin", origin)
        return folder

    return make


def wing_of(palace, folder):
    """Return the name of the wing that a folder's drawers are in."""
    with open_reader(str(palace)) as store:
        wing = wings.of_project(store, project_of(str(folder)))
        return wing.name if wing else None


def mined(palace, claude, folder, name="s1"):
    mine(palace, claude(talk(name, turns=1, cwd=str(folder)), folder=f"-{name}"))
    rows = ask(palace, "SELECT name FROM sources JOIN wings ON wings.n = wing WHERE sources.id = ?", [name])
    return rows[0][0]


# From the path alone.


@pytest.mark.parametrize(
    ("folder", "root", "name", "pooled"),
    [
        pytest.param("/gone/lamp", "/gone/lamp", "lamp", False, id="a folder"),
        pytest.param("/gone/lamp/", "/gone/lamp", "lamp", False, id="with a slash"),
        pytest.param("/gone//x/../lamp", "/gone/lamp", "lamp", False, id="not tidy"),
        pytest.param("/gone/lamp/.claude/worktrees/calm-owl", "/gone/lamp", "lamp", False, id="claude's worktree"),
        pytest.param("/gone/lamp/.claude/worktrees/owl/src", "/gone/lamp", "lamp", False, id="a folder in it"),
        pytest.param("/gone/lamp/.worktrees/owl", "/gone/lamp", "lamp", False, id="a hidden folder of worktrees"),
        pytest.param("/gone/lamp.worktrees/owl", "/gone/lamp", "lamp", False, id="worktrees beside, with a dot"),
        pytest.param("/gone/lamp-worktrees/owl", "/gone/lamp", "lamp", False, id="worktrees beside, with a dash"),
        pytest.param("/gone/lamp__worktrees/owl", "/gone/lamp", "lamp", False, id="worktrees beside, underscored"),
        pytest.param("/gone/worktrees/owl", "/gone/worktrees/owl", "owl", False, id="a folder called worktrees"),
        pytest.param(
            "/gone/conductor/workspaces/lamp/oslo", "/gone/conductor/workspaces/lamp", "lamp", True, id="conductor"
        ),
        pytest.param(
            "/gone/conductor/workspaces/lamp/oslo/a/b",
            "/gone/conductor/workspaces/lamp",
            "lamp",
            True,
            id="a folder in conductor's",
        ),
        pytest.param("/gone/.conductor/lamp/oslo", "/gone/.conductor/lamp", "lamp", True, id="conductor, hidden"),
        pytest.param(
            "/gone/.cursor/worktrees/lamp/x1", "/gone/.cursor/worktrees/lamp", "lamp", True, id="cursor's worktree"
        ),
        pytest.param(
            "/gone/.codex/worktrees/7af2/lamp", "/gone/.codex/worktrees/7af2/lamp", "lamp", True, id="codex's worktree"
        ),
        pytest.param("C:\\Users\\me\\lamp", "C:/Users/me/lamp", "lamp", False, id="Windows"),
        pytest.param("C:\\Users\\me\\lamp\\", "C:/Users/me/lamp", "lamp", False, id="Windows, with a backslash"),
        pytest.param("c:/Users/me/lamp", "c:/Users/me/lamp", "lamp", False, id="Windows, with slashes"),
        pytest.param("C:\\lamp\\.claude\\worktrees\\owl", "C:/lamp", "lamp", False, id="claude's worktree on Windows"),
        pytest.param("\\\\server\\share\\lamp", "//server/share/lamp", "lamp", False, id="a Windows share"),
        pytest.param("/", "/", "/", False, id="the root"),
    ],
)
def test_a_folder_that_is_gone_is_known_by_its_path(folder, root, name, pooled):
    assert project_of(folder) == Project(root, name, pooled)


@pytest.mark.parametrize("folder", ["C:\\Users\\me\\lamp", "gone/lamp", "lamp"])
def test_a_path_of_elsewhere_is_not_the_project_we_stand_in(repository, monkeypatch, folder):
    monkeypatch.chdir(repository("here"))
    assert project_of(folder).name == "lamp"


# With git.


def test_any_folder_of_a_repository_is_its_project(repository):
    root = repository("lamp")
    (root / "src" / "deep").mkdir(parents=True)
    assert project_of(str(root / "src" / "deep"))[:2] == (str(root), "lamp")
    assert project_of(str(root / "src" / "gone" / "further"))[:2] == (str(root), "lamp")


def test_a_link_to_a_repository_is_that_repository(repository, tmp_path):
    root = repository("lamp")
    (tmp_path / "link").symlink_to(root)
    assert project_of(str(tmp_path / "link")).root == str(root)


def test_a_folder_without_a_repository_is_its_own_project(tmp_path):
    (tmp_path / "plain").mkdir()
    assert project_of(str(tmp_path / "plain")) == Project(str(tmp_path / "plain"), "plain")


@pytest.mark.parametrize("place", ["elsewhere", "lamp/.claude/worktrees/owl", "lamp-worktrees/owl"])
def test_a_worktree_is_its_main_repository(repository, tmp_path, place):
    root = repository("lamp")
    worktree = tmp_path / place
    git(root, "worktree", "add", "-q", "-b", "owl", worktree)
    assert project_of(str(worktree)) == project_of(str(root))
    assert project_of(str(root)).root == str(root)


def test_a_worktree_that_was_removed_keeps_its_wing(palace, claude, repository, tmp_path):
    root = repository("lamp")
    worktree = root / ".claude" / "worktrees" / "owl"
    git(root, "worktree", "add", "-q", "-b", "owl", worktree)
    assert mined(palace, claude, worktree) == "lamp"
    git(root, "worktree", "remove", "--force", worktree)
    git(root, "branch", "-D", "owl")
    assert wing_of(palace, worktree) == wing_of(palace, root) == "lamp"


def test_a_worktree_of_a_bare_repository_is_that_repository(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repository("lamp"), "lamp.git")
    git(tmp_path / "lamp.git", "worktree", "add", "-q", tmp_path / "owl")
    assert project_of(str(tmp_path / "owl"))[:2] == (str(tmp_path / "lamp.git"), "lamp.git")


def test_a_submodule_is_a_project_of_its_own(repository):
    root = repository("tower")
    git(root, "submodule", "add", "-q", repository("origin", "lens"), "lens")
    assert project_of(str(root / "lens"))[:2] == (str(root / "lens"), "lens")


def test_a_damaged_git_file_leaves_the_folder_a_project(tmp_path):
    for n, said in enumerate((b"", b"gitdir: /nowhere", b"nonsense", b"\xff\0")):
        folder = tmp_path / f"p{n}"
        folder.mkdir()
        (folder / ".git").write_bytes(said)
        assert project_of(str(folder))[:3] == (str(folder), f"p{n}", False)


# Wings.


def test_a_renamed_folder_is_found_again_by_its_marks(palace, claude, repository, tmp_path):
    root = repository("lamp")
    assert mined(palace, claude, root) == "lamp"
    root.rename(tmp_path / "beacon")
    assert wing_of(palace, tmp_path / "beacon") == "lamp"
    assert mined(palace, claude, tmp_path / "beacon", "s2") == "lamp"


def test_two_clones_are_two_wings(palace, claude, repository, tmp_path):
    origin = repository("origin", "lamp")
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        git(tmp_path / place, "clone", "-q", origin, "lamp")
    names = [mined(palace, claude, tmp_path / place / "lamp", place) for place in ("one", "two")]
    assert names == ["lamp", "two/lamp"]
    assert [wing_of(palace, tmp_path / place / "lamp") for place in ("one", "two")] == names


def test_one_name_in_two_places_is_two_wings(palace, claude, repository):
    folders = [repository(place, "lamp") for place in ("a", "b", "c")]
    names = [mined(palace, claude, folder, f"s{n}") for n, folder in enumerate(folders)]
    assert names == ["lamp", "b/lamp", "c/lamp"]
    assert [wing_of(palace, folder) for folder in folders] == names


def test_a_pool_of_worktrees_joins_the_one_project_of_its_name(palace, claude, repository):
    root = repository("lamp")
    assert mined(palace, claude, root) == "lamp"
    assert mined(palace, claude, "/gone/conductor/workspaces/lamp/oslo", "s2") == "lamp"


def test_a_pool_that_was_mined_first_is_joined_by_its_project(palace, claude, repository):
    assert mined(palace, claude, "/gone/conductor/workspaces/lamp/oslo") == "lamp"
    assert mined(palace, claude, repository("lamp"), "s2") == "lamp"


def test_a_pool_that_could_be_any_of_two_projects_is_neither(palace, claude, repository):
    for place in ("a", "b"):
        mined(palace, claude, repository(place, "lamp"), place)
    assert mined(palace, claude, "/gone/conductor/workspaces/lamp/oslo", "s2") == "workspaces/lamp"


def test_a_session_that_names_no_folder_is_in_its_harnesss_wing(palace, claude):
    session = talk(turns=1)
    for record in session.records:
        record.pop("cwd", None)
    mine(palace, claude(session))
    assert ask(palace, "SELECT name, drawers FROM wings") == [("claude-code", 3)]


def test_a_wing_can_be_named(palace, claude):
    mine(palace, claude(talk(turns=1)), wing="my lamp")
    assert ask(palace, "SELECT name, drawers FROM wings") == [("my lamp", 3)]


def test_a_note_belongs_to_the_project_it_lies_in(palace, repository):
    root = repository("lamp")
    (root / "docs").mkdir()
    (root / "docs" / "oil.md").write_text("# Oil\n\nFill it at dawn.\n")
    mine(palace, root / "docs")
    assert ask(palace, "SELECT name FROM wings") == [("lamp",)]
    assert os.path.exists(palace)
