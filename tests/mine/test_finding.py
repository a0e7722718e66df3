import os
import subprocess

import pytest
from transcripts import mine, talk, texts

from mempalace.mine import finding

FOREIGN = ["vendor", "node_modules", ".terraform", ".git", "target", "site-packages", "__pycache__", ".venv"]


def names(*places, **how):
    return [os.path.basename(found.path) for found in finding.files(map(str, places), **how)]


def put(folder, *paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("# Lamp\n\nIt burns.\n")


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_folders_are_skipped_unless_asked(tmp_path, name):
    put(tmp_path / "p", "own.md", f"{name}/foreign.md", f"deep/{name}/further/foreign.md")
    assert names(tmp_path / "p") == ["own.md"]
    assert names(tmp_path / "p", everything=True) == ["foreign.md", "foreign.md", "own.md"] or name > "own"
    assert sorted(names(tmp_path / "p", everything=True)) == ["foreign.md", "foreign.md", "own.md"]


def test_what_git_ignores_is_skipped_unless_asked(tmp_path):
    folder = tmp_path / "p"
    put(folder, "kept.md", "draft.md", "logs/run.txt", "sub/kept.txt", "été.md")
    (folder / ".gitignore").write_text("draft.md\nlogs/\n")
    subprocess.run(["git", "init", "-q", folder], check=True)
    assert names(folder) == ["kept.md", "kept.txt", "été.md"]
    assert names(folder, everything=True) == ["draft.md", "kept.md", "run.txt", "kept.txt", "été.md"]


def test_a_project_that_git_cannot_read_is_taken_whole(tmp_path):
    put(tmp_path / "p", "own.md")
    (tmp_path / "p" / ".git").write_text("nonsense")
    assert names(tmp_path / "p") == ["own.md"]


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("a.jsonl", True),
        ("a.json", True),
        ("a.md", True),
        ("a.markdown", True),
        ("a.txt", True),
        ("a.rst", True),
        ("a.py", False),
        ("a.png", False),
        ("a", False),
    ],
)
def test_in_a_folder_only_transcripts_and_notes_are_taken(tmp_path, name, taken):
    put(tmp_path / "p", name)
    assert names(tmp_path / "p") == [name] * taken
    assert names(tmp_path / "p" / name) == [name], "a file that was named is taken whatever its name"


def test_a_folder_of_sessions_is_taken_whole_and_one_session_alone_when_asked(palace, claude):
    paths = [claude(talk(f"s{n}", turns=1)) for n in range(20)]
    report = mine(palace, paths[7])
    assert (report.files, len(texts(palace))) == (1, 3)
    assert all("s7" in text for text in texts(palace))
    report = mine(palace, paths[0].parent)
    assert (report.files, report.unchanged, len(texts(palace))) == (20, 1, 60)


def test_each_file_is_taken_once_however_often_it_is_named(tmp_path):
    put(tmp_path / "p", "a.md", "b.md")
    (tmp_path / "p" / "c.md").symlink_to("a.md")
    assert names(tmp_path / "p", tmp_path / "p" / "a.md", tmp_path / "p") == ["a.md", "b.md"]


def test_files_come_in_the_order_of_their_paths(tmp_path):
    put(tmp_path / "p", "c.md", "a/z.md", "b.md", "a/b.md")
    assert names(tmp_path / "p") == ["b.md", "z.md", "b.md", "c.md"]


def test_a_home_without_transcripts_has_no_stores(tmp_path):
    assert finding.stores(str(tmp_path)) == {}


def test_the_stores_on_this_machine_are_found(tmp_path, claude):
    claude(talk())
    home = str(tmp_path / "home")
    assert finding.stores(home) == {"claude-code": [os.path.join(home, ".claude", "projects")]}
