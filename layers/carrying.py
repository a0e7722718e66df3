"""Export and import: a palace as lines of JSON, to be read, kept, and merged into another."""

from __future__ import annotations

import base64
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import orjson

from mempalace import given, trajectory
from mempalace.beliefs import former
from mempalace.errors import PalaceError
from mempalace.layers import upkeep
from mempalace.paths import shown
from mempalace.store import believing, carrying, changing, filing
from mempalace.store.connection import Store
from mempalace.store.intake import Intake

FORMAT = 1  # of the lines; a later one is refused
LONGEST_LINE = 64 * 1024 * 1024  # bytes; a longer one is counted, not read
BATCH = 20_000  # lines in one write: meanwhile nobody else can write
NAMED = 100  # bad lines that are named; all are counted


@dataclass
class Taken:
    """What an import did: what became of the records of each kind, and which lines were none.

    bad: how many lines; named: (line, why) of the first of them.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    bad: int = 0
    named: list[tuple[int, str]] = field(default_factory=list)
    erased: int = 0

    def of(self, fate: str) -> int:
        """Return how many records met that fate."""
        return sum(count for (_, met), count in self.counts.items() if met == fate)

    def spoilt(self, line: int, why: str) -> None:
        """Count a line that is no record."""
        self.bad += 1
        if len(self.named) < NAMED:
            self.named.append((line, why))


def lines(store: Store) -> Iterator[bytes]:
    """Yield the palace as lines of JSON, a header first; the same palace gives the same bytes."""
    yield orjson.dumps({"mempalace": "export", "format": FORMAT}) + b"\n"
    for kind, record in carrying.records(store):
        yield orjson.dumps({"is": kind, "record": record}, default=_encoded) + b"\n"


def write(store: Store, path: str) -> int:
    """Export into a file that appears whole or not at all, for this user alone; return its lines.

    Raises PalaceError for one that exists or cannot be written.
    """
    if os.path.lexists(path):
        raise PalaceError(f"{shown(path)} exists: name a file that does not")
    draft = ""
    try:
        handle, draft = tempfile.mkstemp(prefix=".mempalace-", dir=os.path.dirname(os.path.abspath(path)))  # 0600
        with os.fdopen(handle, "wb") as file:
            count = export(store, file)
        os.replace(draft, path)
        draft = ""
    except OSError as error:
        raise PalaceError(f"cannot write {shown(path)}: {(error.strerror or str(error)).lower()}") from error
    finally:
        if draft:
            os.unlink(draft)
    return count


def export(store: Store, out: IO[bytes]) -> int:
    """Write the palace's lines to a stream and return how many there were."""
    count = 0
    for count, line in enumerate(lines(store), 1):  # noqa: B007
        out.write(line)
    return count


def header(source: IO[bytes]) -> None:
    """Read an export's first line; raises PalaceError for what is no export, or one of a later format."""
    try:
        told = orjson.loads(source.readline(LONGEST_LINE))
    except ValueError:
        told = None
    if not isinstance(told, dict) or told.get("mempalace") != "export" or not isinstance(told.get("format"), int):
        raise PalaceError("this is no export of a palace: its first line is no header")
    if not 1 <= told["format"] <= FORMAT:
        raise PalaceError(f"this export has format {told['format']}, this mempalace knows {FORMAT}: upgrade mempalace")


def take(
    store: Store, source: IO[bytes], env: Mapping[str, str], *, now: int, tick: Callable[[int], None] = lambda n: None
) -> Taken:
    """Merge exported lines into the palace and return what became of them; what is a bad line costs no other.

    source: behind its header.  What is here stays as it is: a record known here is passed over, and
    what either side has forgotten is forgotten. No path in a record is ever opened.
    """
    taken = Taken()
    intake = Intake(store, now=now, generation=filing.begin(store))
    try:
        for number, line in enumerate(_lines(source), 2):
            _one(intake, number, line, taken)
            if number % BATCH == 0:
                _commit(store, intake)
                tick(number)
                intake.generation = filing.begin(store)
        _settle(store, intake)
        _commit(store, intake)
    except BaseException:
        filing.rollback(store)
        raise
    taken.erased = len(intake.gone)
    upkeep.refresh(store, env, now=now)
    if intake.gone:
        changing.scrub_file(store)
        trajectory.scrub(store.palace, intake.gone)
        given.drop_stories(store.palace)
    return taken


def _one(intake: Intake, number: int, line: bytes | None, taken: Taken) -> None:
    if line is None:
        taken.spoilt(number, f"longer than {LONGEST_LINE} bytes")
        return
    if not line.strip():
        return
    try:
        told = orjson.loads(line)
    except ValueError as error:
        taken.spoilt(number, f"no JSON: {error}")
        return
    kind, record = (told.get("is"), told.get("record")) if isinstance(told, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(record, dict):
        taken.spoilt(number, "no record")
        return
    try:
        taken.counts[kind, intake.take(kind, _decoded(record))] += 1
    except ValueError as error:
        taken.spoilt(number, str(error))


def _settle(store: Store, intake: Intake) -> None:
    """Settle the beliefs that evidence came for, or left."""
    families = [family for traces in intake.left for family in former.drop(store, traces)]
    families += believing.families(store, sorted(intake.beliefs))
    former.resettle(store, families, generation=intake.generation)


def _commit(store: Store, intake: Intake) -> None:
    filing.touch(store, sorted(intake.wings), generation=intake.generation)
    filing.commit(store)
    intake.wings.clear()


def _lines(source: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the lines, None for one that is too long to be read."""
    for line in iter(lambda: source.readline(LONGEST_LINE), b""):
        whole = True
        rest = line
        while len(rest) >= LONGEST_LINE and not rest.endswith(b"\n"):
            whole, rest = False, source.readline(LONGEST_LINE)
        yield line if whole else None


def _encoded(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(type(value).__name__)


def _decoded(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: base64.b64decode(value["base64"], validate=True)
        if isinstance(value, dict) and isinstance(value.get("base64"), str) else value
        for name, value in record.items()
    }  # fmt: skip
