"""What git tells of a repository's commits. It is asked without a shell.

It never reaches the network, and runs nothing that the repository's configuration names.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mempalace.errors import PalaceError

LONGEST = 120  # seconds that one question may take
KEPT = "GIT_CONFIG"  # other variables of git's may point it at another repository or another index
HEAD, FIELD = "\x01", "\x1f"  # before a commit, and between its fields
NEXT = re.compile(rb"\0\x01(?=[0-9a-f]{40,64}\x1f)")  # where one commit ends: no path is mistaken for it
FORMAT = HEAD + FIELD.join(("%H", "%ct", "%at", "%s"))
LATEST = 100_000_000_000 - 1  # seconds; the ledger takes no later time


class Stand(NamedTuple):
    """Where a repository stands. head: "" without a commit.  cut: the commits a shallow clone is cut off at."""

    head: str
    cut: frozenset[str]

    @property
    def border(self) -> str:
        """Return what tells one border from another, "" for a whole history."""
        told = "\n".join(sorted(self.cut)).encode()
        return hashlib.blake2b(told, digest_size=12).hexdigest() if self.cut else ""


class Told(NamedTuple):
    """A commit. at: when it was committed, 0 for a time that is none; made_at: when its author made it.

    files: (path, changed lines) of each file it touched, each once; 1 line of what has none, such as an image,
    0 where git cannot tell.
    """

    hash: str
    at: int
    made_at: int
    subject: str
    files: tuple[tuple[str, int], ...]


def stand(root: str, env: Mapping[str, str]) -> Stand | None:
    """Return where the repository in that folder stands, None where there is none. Takes one process.

    Raises PalaceError where git is missing or refuses the folder.
    """
    done = _run(root, env, ["rev-parse", "--git-path", "shallow", "HEAD"])
    lines = os.fsdecode(done.stdout).split("\n")
    if done.returncode and len(lines) < 2:
        said = done.stderr.decode("utf-8", "replace")
        if "not a git repository" in said or "cannot change to" in said:
            return None
        raise PalaceError(f"git cannot read {root}: {_first(said)}")
    try:
        with open(os.path.join(root, lines[0]), encoding="ascii", errors="replace") as file:
            cut = frozenset(file.read().split())
    except OSError:
        cut = frozenset()
    return Stand("" if done.returncode else lines[1], cut)


def hashes(root: str, env: Mapping[str, str], head: str, most: int) -> list[str]:
    """Return the newest commits that lead to `head`, at most that many, oldest first; merges are left out."""
    words = ["rev-list", "--no-merges", "--reverse", f"--max-count={most}", head, "--"]
    return _asked(root, env, words).decode("ascii").split()


def told(root: str, env: Mapping[str, str], wanted: Sequence[str]) -> list[Told]:
    """Return commits by their hashes, in that order.

    A renamed file is one that goes and one that comes. Where the content is not here (a partial
    clone), the lines that changed remain untold.
    """
    try:
        return _parsed(_diffed(root, env, wanted, "--numstat"))
    except PalaceError:
        return _parsed(_diffed(root, env, wanted, "--name-only"))


def path_of(raw: bytes) -> str:
    """Return a path as it is kept: what is not UTF-8 in it is written as \\xNN."""
    return raw.decode("utf-8", "backslashreplace")


def _diffed(root: str, env: Mapping[str, str], wanted: Sequence[str], how: str) -> bytes:
    words = ["diff-tree", "--stdin", "--always", "--root", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"]
    asked = "".join(hash + "\n" for hash in wanted).encode()
    return _asked(root, env, [*words, how, "--encoding=UTF-8", "--format=" + FORMAT], asked)


def _parsed(output: bytes) -> list[Told]:
    """Read commits: after a commit's head comes a newline, then its files, each with NUL at its end."""
    found = []
    for part in NEXT.split(output) if output else []:
        head, _, rest = part.removeprefix(HEAD.encode()).partition(b"\0")
        hash, at, made_at, subject = head.decode("utf-8", "replace").split(FIELD, 3)
        files: dict[str, int] = {}
        for line in rest.removeprefix(b"\n").split(b"\0"):
            added, _, numbers = line.partition(b"\t")
            removed, _, path = numbers.partition(b"\t")
            if path:
                files[path_of(path)] = _lines(added) + _lines(removed) or 1
            elif added:
                files[path_of(added)] = 0
        found.append(Told(hash, _time(at), _time(made_at), subject, tuple(files.items())))
    return found


def _lines(count: bytes) -> int:
    return int(count) if count.isdigit() else 0


def _time(text: str) -> int:
    return max(0, min(int(text), LATEST)) if text.lstrip("-").isdigit() else 0


def _asked(root: str, env: Mapping[str, str], words: Sequence[str], given: bytes = b"") -> bytes:
    done = _run(root, env, words, given)
    if done.returncode:
        raise PalaceError(f"git cannot read {root}: {_first(done.stderr.decode('utf-8', 'replace'))}")
    return done.stdout


def _run(
    root: str, env: Mapping[str, str], words: Sequence[str], given: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    plain = {name: value for name, value in env.items() if name[:4] != "GIT_" or name.startswith(KEPT)}
    plain.update(LC_ALL="C", LANG="C", GIT_OPTIONAL_LOCKS="0", GIT_ALLOW_PROTOCOL="none", GIT_NO_LAZY_FETCH="1")
    try:
        return subprocess.run(
            ["git", "-C", root, "-c", "core.fsmonitor=false", *words],  # else its program would be run
            input=given, capture_output=True, env=plain, timeout=LONGEST, check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise PalaceError("git is not installed: a repository's history cannot be read without it") from error
    except (subprocess.TimeoutExpired, OSError) as error:
        raise PalaceError(f"git cannot read {root}: {error}") from error


def _first(said: str) -> str:
    return next((line.strip() for line in said.splitlines() if line.strip()), "it said nothing")
