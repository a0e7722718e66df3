"""Which files there are to mine."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mempalace.mine.formats import FORMATS

# Folders that hold other people's files or machines' output, never this project's story.
PASSED_OVER = frozenset(
    (
        ".git .hg .svn .venv venv node_modules vendor .terraform __pycache__ .tox .nox .mypy_cache "
        ".ruff_cache .pytest_cache dist build target .next .nuxt .gradle .idea .cache site-packages "
        "bower_components Pods"
    ).split()
)
ENDINGS = (".jsonl", ".json", ".md", ".markdown", ".txt", ".rst")


class Found(NamedTuple):
    """A file to mine, or why it cannot be."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    why: str = ""


def stores(home: str) -> dict[str, list[str]]:
    """Return the transcript stores that exist below `home`, by harness."""
    places = {harness.name: [p for p in harness.stores(home) if os.path.exists(p)] for harness in FORMATS}
    return {name: found for name, found in places.items() if found}


def files(places: Iterable[str], *, everything: bool = False) -> Iterator[Found]:
    """Yield every file to mine below the places, each once, in path order.

    A place that is a file is taken whatever its name. In a folder only transcripts and notes
    by their endings, and neither ignored nor foreign ones unless `everything`.
    """
    seen: set[str] = set()
    for place in places:
        place = os.path.abspath(os.path.expanduser(place))
        for path in sorted(_below(place, everything)) if os.path.isdir(place) else [place]:
            found = look(path)
            real = os.path.realpath(path) if os.path.islink(path) else path
            if real not in seen:
                seen.add(real)
                yield found


def look(path: str) -> Found:
    """Return the file's size and time, or why it cannot be mined. Never opens it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Found(path.encode("utf-8", "backslashreplace").decode(), why="its name is not UTF-8: rename it")
    try:
        state = os.stat(path)
    except OSError as error:
        return Found(path, why=(error.strerror or str(error)).lower())
    if not stat.S_ISREG(state.st_mode):
        return Found(path, why="not a regular file")
    newest = state.st_mtime_ns
    if path.endswith((".db", ".sqlite")):  # what was written last stands in its log
        with contextlib.suppress(OSError):
            newest = max(newest, os.stat(path + "-wal").st_mtime_ns)
    return Found(path, state.st_size, newest)


def _below(folder: str, everything: bool) -> Iterator[str]:
    kept = None if everything else _kept_by_git(folder)
    for here, folders, names in os.walk(folder, followlinks=False):
        if not everything:
            folders[:] = [name for name in folders if name not in PASSED_OVER]
        for name in names:
            path = os.path.join(here, name)
            if name.endswith(ENDINGS) and (kept is None or path in kept):
                yield path


def _kept_by_git(folder: str) -> frozenset[str] | None:
    """Return the files of a work tree that git does not ignore; None outside of one."""
    if not os.path.exists(os.path.join(folder, ".git")):
        return None
    try:
        told = subprocess.run(
            ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=True, timeout=60, stdin=subprocess.DEVNULL,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    names = told.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(os.path.join(folder, name) for name in names if name)
