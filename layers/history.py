"""A repository's history, caught up in the palace: what changes together, what trembles, what was mended."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from mempalace.errors import PalaceError
from mempalace.layers import commits
from mempalace.store import filing, history, ledger, shakes
from mempalace.store.connection import Store
from mempalace.trust import repairs

MOST = 20_000  # commits that are kept, the newest
BATCH = 500  # commits that are asked for, and filed, at a time
BUDGET = 20.0  # seconds; what is left then is read the next time


class Caught(NamedTuple):
    """What catching up came to.

    read: commits filed.  left: those for another time.  gone: commits that the history holds no more, taken
    out.  defects: evidence that its repairs are.  note: why nothing could be read, "" otherwise.
    """

    read: int = 0
    left: int = 0
    gone: int = 0
    defects: int = 0
    note: str = ""

    @property
    def told(self) -> str:
        """Return what a reader must know of it, "" for nothing."""
        if self.left:
            return f"{self.left} commits are still to be read: they follow the next time"
        if self.gone:
            return f"the history was rewritten: {self.gone} commits that it holds no more were taken out"
        return self.note


def catch_up_wings(
    store: Store, env: Mapping[str, str], wings: Iterable[int], *, now: int, seconds: float = BUDGET
) -> list[Caught]:
    """Catch up with the repositories of wings, within `seconds` in all; what cannot be read is noted."""
    until = time.monotonic() + seconds
    roots = [(wing, root) for wing in wings for root in history.roots(store, wing) if os.path.isdir(root)]
    return [catch_up(store, env, wing, root, now=now, seconds=until - time.monotonic()) for wing, root in roots]


def catch_up(
    store: Store, env: Mapping[str, str], wing: int, root: str, *, now: int, seconds: float = BUDGET
) -> Caught:
    """Read what a repository's history has gained since it was read last; all of it at first.

    Costs one process where nothing is new. Each batch is filed by itself, so being stopped loses
    little, and doing it again changes nothing. store: open for writing.
    """
    until = time.monotonic() + seconds
    try:
        stand = commits.stand(root, env)
        if stand is None or not stand.head:
            return Caught(note=f"{root} is no git repository" if stand is None else f"{root} has no commits yet")
        kept = history.repository(store, root)
        if kept and (kept.wing, kept.head, kept.border) == (wing, stand.head, stand.border):
            return Caught()
        return _caught_up(_Reading(store, env, wing, root, now), stand, until)
    except PalaceError as error:
        return Caught(note=str(error))


@contextmanager
def written(store: Store) -> Iterator[int]:
    """Write what is filed within, all of it or nothing, and yield the palace's generation, which stays."""
    generation = ledger.begin(store)
    try:
        yield generation
    except BaseException:
        filing.rollback(store)
        raise
    filing.commit(store)


class _Reading(NamedTuple):
    store: Store
    env: Mapping[str, str]
    wing: int
    root: str
    now: int


def _caught_up(reading: _Reading, stand: commits.Stand, until: float) -> Caught:
    store, env, wing, root, now = reading
    n = _opened(store, wing, root, stand)
    listed = commits.hashes(root, env, stand.head, MOST)
    filed = history.filed(store, n)
    new = [hash for hash in listed if hash not in filed]
    # A head that merely went back, as in a bisection, takes nothing out: it is to come forth again.
    gone = sorted(filed.difference(listed)) if new else []
    done = defects = 0
    while done < len(new) and (time.monotonic() < until or not done):
        batch = commits.told(root, env, new[done : done + BATCH])
        with written(store) as generation:
            defects += _filed(reading, n, stand, batch, generation)
        done += len(batch)
    if done < len(new):
        return Caught(done, len(new) - done, 0, defects)
    with written(store):
        history.take_out(store, n, gone)
        history.was_read(store, n, head=stand.head, border=stand.border, at=now)
    return Caught(done, 0, len(gone) if len(listed) < MOST else 0, defects)


def _opened(store: Store, wing: int, root: str, stand: commits.Stand) -> int:
    with written(store):
        kept = history.ensure(store, root, wing)
        if kept.border != stand.border:
            history.take_out_untold(store, kept.n)
    return kept.n


def _filed(reading: _Reading, n: int, stand: commits.Stand, batch: Sequence[commits.Told], generation: int) -> int:
    """File commits with their evidence; return how many defects were new.

    At the border of a shallow clone git tells a commit as if it had made every file: it touched none.
    """
    batch = [one._replace(files=()) if one.hash in stand.cut else one for one in batch]
    rows = [history.Commit(one.hash, one.at, tuple(path for path, _ in one.files)) for one in batch]
    new = frozenset(history.file_commits(reading.store, n, rows))
    known = [one for one in batch if one.hash in new and one.at > 0]
    _shaken(reading, known)
    return sum(_mended(reading, one, generation) for one in known)


def _mended(reading: _Reading, one: commits.Told, generation: int) -> int:
    """File the evidence that a repair is; return how much of it was new."""
    paths = [path for path, _ in one.files]
    at = min(one.at, reading.now)
    found = repairs.defects(one.subject, paths, made_at=one.made_at, at=at, wing=reading.wing)
    return sum(ledger.add(reading.store, outcome, generation=generation) for outcome in found)


def _shaken(reading: _Reading, batch: Sequence[commits.Told]) -> None:
    """File what each file's changes add to its tremor: changed lines, and the commit's other files."""
    found: dict[str, list[shakes.Shake]] = {}
    for one in batch:
        for path, lines in one.files:
            if lines and one.at <= reading.now:
                found.setdefault(path, []).append(shakes.Shake(one.at, lines, len(one.files) - 1))
    for path, seen in found.items():
        shakes.add(reading.store, ledger.subject_of(ledger.FILE, path), reading.wing, seen)
