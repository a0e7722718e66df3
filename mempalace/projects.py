"""Which project a folder belongs to. Standard library only: the wake-up asks this first."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Optional, Tuple

# Where tools put worktrees. The folder may be long gone when its transcript is mined, so the
# path alone must do: `pool` is what stands for the main repository, `name` what it is called.
WORKTREES = (
    r"^(?P<root>.+?)(?:/\.(?:claude/)?|\.|__|-)worktrees/[^/]+(?:/|$)",
    r"^(?P<pool>.*/(?:conductor/workspaces|\.cursor/worktrees|\.conductor)/(?P<name>[^/]+))/[^/]+(?:/|$)",
    r"^(?P<pool>.*/\.codex/worktrees)/[^/]+/(?P<name>[^/]+)(?:/|$)",
)


class Project(NamedTuple):
    """A project on disk.

    root: the main repository's folder, or the folder itself where there is no repository.
    name: the root's last part.  pooled: known from a worktree's path alone, the main
    repository unseen.  marks: what recognises it after a move, best first.
    """

    root: str
    name: str
    pooled: bool = False
    marks: Tuple[str, ...] = ()


def project_of(folder: str) -> Project:
    """Return the project that `folder` lies in; the folder need not exist any more."""
    path = os.path.realpath(folder) if os.path.isdir(folder) else _tidy(folder)
    here = path
    while os.path.isabs(here):  # another system's path would be looked for where we stand
        git = os.path.join(here, ".git")
        if os.path.exists(git):
            return _repository(here, git)
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    return _by_path(path)


def _tidy(folder: str) -> str:
    """Return the path without trailing or doubled separators, whatever system wrote it."""
    if re.match(r"^[A-Za-z]:[\\/]", folder) or folder.startswith("\\\\"):
        folder = folder.replace("\\", "/")
        return folder.rstrip("/") or folder
    return os.path.normpath(folder) if folder else folder


def _by_path(path: str) -> Project:
    for pattern in WORKTREES:
        found = re.match(pattern, path.replace(os.sep, "/"))
        if found:
            parts = found.groupdict()
            if parts.get("root"):
                return Project(parts["root"], _last(parts["root"]))
            return Project(
                found.group(0).rstrip("/") if "codex" in pattern else parts["pool"],
                parts["name"],
                True,
            )
    return Project(path, _last(path) or path)


def _repository(root: str, git: str) -> Project:
    if os.path.isfile(git):
        common = _common_dir(root, git)
        if common is not None:
            git = common
            root = os.path.dirname(common) if os.path.basename(common).startswith(".") else common
    return Project(root, _last(root), False, _marks(git))


def _common_dir(root: str, git: str) -> Optional[str]:
    """Return the main repository's git folder for a worktree's `.git` file, else None.

    A submodule's `.git` file has no `commondir` beside it: it stays a project of its own.
    """
    target = _first_line(git)
    if not target.startswith("gitdir:"):
        return None
    folder = os.path.join(root, target[len("gitdir:") :].strip())
    common = _first_line(os.path.join(folder, "commondir"))
    return os.path.realpath(os.path.join(folder, common)) if common else None


def _marks(git: str) -> Tuple[str, ...]:
    """Return the birth line of the clone's reflog and its remote: both outlive a rename."""
    marks = []
    birth = _first_line(os.path.join(git, "logs", "HEAD"))
    if birth:
        marks.append("birth:" + birth[:200])
    try:
        with open(os.path.join(git, "config"), encoding="utf-8", errors="replace") as lines:
            config = lines.read(65536)
    except OSError:
        config = ""
    remote = _remote(config)
    if remote:
        marks.append("remote:" + remote)
    return tuple(marks)


def _remote(config: str) -> str:
    """Return the address of `origin` in a git configuration, "" for none."""
    _, _, section = config.partition('[remote "origin"]')
    for line in section.split("\n[")[0].splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "url":
            return value.strip()
    return ""


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            return lines.readline(4096).strip()
    except OSError:
        return ""


def _last(path: str) -> str:
    return os.path.basename(path.replace("\\", "/").rstrip("/"))
