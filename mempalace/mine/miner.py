"""The miner: files in, a filled palace and an honest report out."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from typing import BinaryIO

from mempalace.mine import claude_code, delivery, formats
from mempalace.mine.events import Handed
from mempalace.mine.filing import Filed, Filer, Language
from mempalace.mine.finding import Found
from mempalace.mine.harness import Harness
from mempalace.mine.report import Report
from mempalace.mine.transcript import Transcript
from mempalace.mine.turns import Reading, Turns
from mempalace.projects import project_of
from mempalace.store import filing, wings
from mempalace.store.connection import Store, speaking
from mempalace.store.filing import FileState

EDGE = 4096  # bytes at either end of what was read that are hashed to know it again
BATCH_SECONDS = 1.0  # the longest the miner keeps others from writing
# What a reader may trip over in a file of no known shape; it is that file's own misfortune.
ODD = (ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError)
BY_FOLDER = ("plain", "specstory", "aider")  # formats whose files lie in their project


class Miner:
    """Mines files into an open palace.

    wing: file everything under this name.  harness: read every file as this format.
    tick: called with each file's path before it is read.
    """

    def __init__(
        self, store: Store, language: Language, *, now: int, wing: str = "", harness: Harness | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.store = store
        self.language = language
        self.now = now
        self.wing = wing
        self.harness = harness
        self.clock = clock
        self.report = Report()
        self._tombs = frozenset().union(*(filing.tombstoned(store, kind) for kind in ("drawer", "deed", "title")))
        self._gone = filing.tombstoned(store, "source")
        self._wings: dict[str, int] = {}
        self._whole: dict[tuple[str, str, bytes], str] = {}  # files that are read whole, by their content
        self._handed: list[tuple[str, Handed]] = []
        self._sessions: dict[str, int] = {}
        self._generation = 0
        self._began = 0.0

    def mine(self, found: Iterable[Found], tick: Callable[[Found], None] = lambda found: None) -> Report:
        """Mine the files and return the report; what one file costs, no other pays."""
        with speaking(self.store.palace):
            known = filing.file_states(self.store)
            whole = {harness.name for harness in formats.FORMATS if not harness.grows}
            self._whole = {(s.harness, s.wing, s.print): path for path, s in known.items() if s.harness in whole}
            try:
                for file in found:
                    self._one(file, known.get(file.path), tick)
            finally:
                self._commit()
        delivery.note(self.store.palace, self._handed, self._sessions)
        return self.report

    def _one(self, file: Found, state: FileState | None, tick: Callable[[Found], None]) -> None:
        report = self.report
        report.files += 1
        if file.why:
            report.problems.append((file.path, file.why))
        elif state and (state.size, state.mtime_ns) == (file.size, file.mtime_ns) and not self._refiled(state):
            report.unchanged += 1
        else:
            tick(file)
            try:
                self._read(file, state)
            except OSError as error:
                report.problems.append((file.path, (error.strerror or str(error)).lower()))
            except ODD as error:
                report.problems.append((file.path, f"cannot be read ({type(error).__name__}: {error})"))

    def _refiled(self, state: FileState) -> bool:
        return bool(self.wing) and state.wing != self.wing

    def _read(self, file: Found, state: FileState | None) -> None:
        with open(file.path, "rb") as handle:
            head = handle.read(formats.HEAD)
            harness = self.harness or formats.of_file(file.path, head)
            self._batch()
            if harness is None:
                self.report.unknown += 1
                self._remember(FileState(file.path, file.size, file.mtime_ns, harness="unknown", wing=self.wing))
                return
            with filing.all_or_nothing(self.store):
                if harness.grows:
                    self._file(file, state, handle, harness)
                else:
                    self._once(file, handle, harness)

    def _once(self, file: Found, handle: BinaryIO, harness: Harness) -> None:
        """File what is read whole, unless it is a copy of a file that was."""
        mark = whole_print(handle)
        first = self._whole.get((harness.name, self.wing, mark), file.path)
        if first == file.path:
            self._file(file, None, handle, harness)
        else:
            self.report.repeated += 1
        self._remember(FileState(file.path, file.size, file.mtime_ns, 0, 0, mark, harness.name, wing=self.wing))
        self._whole[harness.name, self.wing, mark] = first

    def _file(self, file: Found, state: FileState | None, handle: BinaryIO, harness: Harness) -> None:
        offset, line, session, cwd = _resume(handle, state, harness)
        transcript = Transcript(file.path, handle, offset=offset, line=line)
        filer = Filer(
            self.store, self.language, harness=harness.name, path=file.path, now=self.now,
            generation=self._generation, wing_of=lambda cwd: self._wing(cwd, file.path, harness.name),
            tombs=self._tombs, gone=self._gone,
        )  # fmt: skip
        filer.session, filer.cwd = session, cwd
        turns = Turns(session or file.path)
        for item in turns.gather(harness.read(transcript)):
            filer.take(item)
        for item in turns.finish(end=transcript.end, end_line=transcript.last_line):
            filer.take(item)
        filer.close()
        waiting = filer.waiting
        self.report.read += 1
        self.report.bytes += transcript.end - offset
        self.report.harnesses[harness.name] += 1
        self._handed += filer.filed.handed
        if harness is claude_code.HARNESS:  # the one whose transcripts tell of hooks
            self._sessions.update(filer.filed.sessions)
        _count(self.report, file.path, filer.filed, turns.reading)
        # A title without its session's words, at a file's start, is read again with them.
        resume, line = (0, 0) if waiting else (turns.reading.resume, turns.reading.resume_line)
        self._remember(
            FileState(
                file.path, file.size, file.mtime_ns, resume, line, print_of(handle, resume), harness.name,
                filer.session, filer.cwd, wing=self.wing,
            )
        )  # fmt: skip

    def _remember(self, state: FileState) -> None:
        filing.remember_file(self.store, state)

    def _wing(self, cwd: str, path: str, harness: str) -> int:
        """Return the row of the wing that a working folder (or a file without one) belongs to."""
        if self.wing:
            key = "\0" + self.wing
        else:
            key = cwd or (os.path.dirname(path) if harness in BY_FOLDER else "\0" + harness)
        if key not in self._wings:
            named = key.startswith("\0")
            wing = wings.create(self.store, key[1:]) if named else wings.ensure(self.store, project_of(key))
            self._wings[key] = wing.n
        return self._wings[key]

    def _batch(self) -> None:
        """Have a write under way, a fresh one when this one has kept others waiting long enough."""
        if self._generation and self.clock() - self._began > BATCH_SECONDS:
            self._commit()
        if not self._generation:
            self._generation = filing.begin(self.store)
            self._began = self.clock()

    def _commit(self) -> None:
        if self._generation and filing.under_way(self.store):
            filing.touch(self.store, sorted(self.report.wings), generation=self._generation)
            filing.commit(self.store)
        self._generation = 0


def print_of(handle: BinaryIO, offset: int) -> bytes:
    """Return a hash of the first and last 4 KiB before `offset`: enough to know a file again."""
    handle.seek(0)
    edges = handle.read(min(EDGE, offset))
    handle.seek(max(0, offset - EDGE))
    edges += handle.read(min(EDGE, offset))
    return hashlib.blake2b(edges, digest_size=16).digest()


def whole_print(handle: BinaryIO) -> bytes:
    """Return a hash of a whole file."""
    handle.seek(0)
    digest = hashlib.blake2b(digest_size=16)
    for block in iter(lambda: handle.read(1 << 20), b""):
        digest.update(block)
    return digest.digest()


def _resume(handle: BinaryIO, state: FileState | None, harness: Harness) -> tuple[int, int, str, str]:
    """Return (offset, line, session, cwd) to read on from; the start for a file not known."""
    if state is None or not harness.grows or not state.offset or state.harness != harness.name:
        return 0, 0, "", ""
    if print_of(handle, state.offset) != state.print:
        return 0, 0, "", ""  # rewritten
    return state.offset, state.line, state.session, state.cwd


def _count(report: Report, path: str, filed: Filed, reading: Reading) -> None:
    """Add one file's counts to the report."""
    report.drawers += filed.drawers
    report.actions += filed.actions
    report.redacted += filed.redacted
    report.repeated += filed.repeated
    report.forgotten += filed.forgotten
    report.cited += filed.cited
    report.never_given += filed.never_given
    report.wings |= filed.wings
    report.skipped.update(reading.skipped)
    report.malformed.extend((path, bad.line, bad.why) for bad in reading.malformed)
