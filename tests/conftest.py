"""What every test stands on: a home that is not the user's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from transcripts import Session

FOREIGN = ("MEMPALACE_", "CLAUDE_", "XDG_", "GIT_", "CODEX_", "GEMINI_", "LOCALAPPDATA")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the user's real home, palace, settings and temporary folder out of reach."""
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    for name, folder in {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_STATE_HOME": home / ".local" / "state",
        "MEMPALACE_HOME": tmp_path / "palace",
        "TMPDIR": home / "tmp",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Keeper",
        "GIT_AUTHOR_EMAIL": "keeper@lighthouse.example",
        "GIT_COMMITTER_NAME": "Keeper",
        "GIT_COMMITTER_EMAIL": "keeper@lighthouse.example",
    }.items():
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)


@pytest.fixture
def palace(tmp_path: Path) -> Path:
    """Return the palace's folder, which is not there yet."""
    return tmp_path / "palace"


@pytest.fixture
def claude(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a session where Claude Code keeps it and returns the file's path."""

    def write(session: Session, name: str = "", folder: str = "-work-lighthouse") -> Path:
        place = tmp_path / "home" / ".claude" / "projects" / folder
        return session.write(place / (name or f"{session.name}.jsonl"))

    return write
