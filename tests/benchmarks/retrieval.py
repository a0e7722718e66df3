"""What the retrieval benchmarks share: other people's sessions mined into a palace, and asked for.

Each haystack goes the product's own way: transcripts on disk, the miner, the index, the search.
Nothing of the data is printed; a palace is gone as soon as its questions are answered.
"""

from __future__ import annotations

import argparse
import json
import lzma
import statistics
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from mempalace import lexicon
from mempalace.layers.l3_search import LIMIT, Answer, Reader, search
from mempalace.layers.upkeep import analyzer
from mempalace.mine import finding
from mempalace.mine.filing import Language
from mempalace.mine.miner import Miner
from mempalace.search import index
from mempalace.store import looking
from mempalace.store.connection import Store, open_reader, open_writer

DAY = 86400
DEPTH = 300  # hits that are looked at for their sessions: as many as the search ever gives
PAUSE = 5  # seconds between two turns of a session
BLOCK = 1 << 22  # characters read at once
XZ = b"\xfd7zXZ\x00"
WING = "bench"
Turn = tuple[str, int]  # a session's name, and the turn's place in it, from 0


class Session(NamedTuple):
    """A session of a haystack. name: as the data calls it.  turns: (user or assistant, text)."""

    name: str
    at: int
    turns: Sequence[tuple[str, str]]


class Asked(NamedTuple):
    """What a question brought: sessions and turns by their first hit, and how long a search took."""

    sessions: list[str]
    turns: list[Turn]
    ms: float


class Palace:
    """A mined palace, open to be asked. names: the data's name of each session that was mined."""

    def __init__(self, store: Store, names: dict[str, str]) -> None:
        self.store = store
        self.names = names
        self.after = int(looking.counts(store)["newest_at"]) + DAY

    def search(self, question: str, *, now: int = 0, limit: int = LIMIT) -> Answer:
        """Return the product's answer; now: a day after the last session where it is not given."""
        return search(self.store, reader(), question, now=now or self.after, wing=WING, limit=limit)

    def ask(self, question: str, *, now: int = 0) -> Asked:
        """Return what a question brings; timed as users ask, with the usual number of hits."""
        began = time.perf_counter()
        self.search(question, now=now)
        took = time.perf_counter() - began
        turns = self.turns(self.search(question, now=now, limit=DEPTH))
        return Asked(list(dict.fromkeys(name for name, _ in turns)), turns, took * 1000)

    def turns(self, answer: Answer) -> list[Turn]:
        """Return the turns that hits are of, each once."""
        rows = looking.by_rows(self.store, [hit.n for hit in answer.hits])
        return list(
            dict.fromkeys((self.names.get(hit.session, hit.session), rows[hit.n][0].line - 1) for hit in answer.hits)
        )


class Tally:
    """The measures of many questions, shares from 0 to 1. Those about turns: where turns are known."""

    def __init__(self) -> None:
        self.held: dict[str, list[float]] = {}

    def add(self, asked: Asked, gold: Collection[str], turns: Collection[Turn] = ()) -> None:
        """Add one question's outcome; gold: the sessions, turns: the turns that answer it."""
        wanted, found = set(gold), asked.sessions
        rank = next((place for place, name in enumerate(found, 1) if name in wanted), 0)
        said = {
            "any@1": rank == 1,
            "any@5": 0 < rank <= 5,
            "all@5": wanted <= set(found[:5]),
            "hit@1": rank == 1,
            "hit@5": 0 < rank <= 5,
            "session_R@10": len(wanted & set(found[:10])) / len(wanted),
            "mrr": 1 / rank if rank else 0.0,
            "ms": asked.ms,
        }
        if turns:
            said["turn_R@10"] = len(set(turns) & set(asked.turns[:10])) / len(set(turns))
        for name, value in said.items():
            self.held.setdefault(name, []).append(float(value))

    def figures(self, *names: str) -> dict[str, float]:
        """Return the means of the named measures, then the median time and the count."""
        times = self.held.get("ms", [])
        means = {name: round(statistics.fmean(self.held[name]), 4) for name in names if self.held.get(name)}
        return {**means, "p50_ms": round(statistics.median(times), 2) if times else 0.0, "n": len(times)}


@cache
def reader() -> Reader:
    """Return what searching needs, made once."""
    return Reader()


@cache
def language() -> Language:
    """Return what mining needs, made once."""
    return Language([lexicon.load(code) for code in lexicon.languages()])


@contextmanager
def palace_of(sessions: Iterable[Session]) -> Iterator[Palace]:
    """Give the palace into which the sessions were mined; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mempalace-bench-") as folder:
        names = {f"s{n:05}": session.name for n, session in enumerate(_written(sessions, Path(folder, "log")))}
        with mined(str(Path(folder, "palace")), str(Path(folder, "log")), names) as palace:
            yield palace


@contextmanager
def mined(folder: str, transcripts: str, names: dict[str, str] | None = None) -> Iterator[Palace]:
    """Give the palace in `folder`, with a folder of transcripts mined into it under one wing."""
    with open_writer(folder) as store:
        Miner(store, language(), now=0, wing=WING).mine(finding.files([transcripts], everything=True))
        index.catch_up(store, _analyzer())
    with open_reader(folder) as store:
        yield Palace(store, names or {})


_analyzer = cache(analyzer)


def _written(sessions: Iterable[Session], folder: Path) -> Iterator[Session]:
    """Write each session as Claude Code does, under a name that gives nothing away, and pass it on."""
    folder.mkdir()
    for n, session in enumerate(sessions):
        name = f"s{n:05}"
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8", errors="surrogatepass") as file:
            for place, (role, text) in enumerate(session.turns):
                file.write(json.dumps(_record(name, place, role, text, session.at + place * PAUSE)) + "\n")
        yield session


def _record(session: str, place: int, role: str, text: str, at: int) -> dict[str, Any]:
    own = f"{session}-{place}"
    agent = {"id": own, "content": [{"type": "text", "text": text}]}
    return {
        "type": role, "uuid": own, "parentUuid": f"{session}-{place - 1}" if place else None, "sessionId": session,
        "cwd": "/bench", "timestamp": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "message": {"role": role, **(agent if role == "assistant" else {"content": text})},
    }  # fmt: skip


def seconds(text: str, form: str) -> int:
    """Return a date as Unix seconds, UTC. Raises ValueError where it has another form."""
    return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp())


def _opened(path: str) -> TextIO:
    with open(path, "rb") as file:
        packed = file.read(len(XZ)) == XZ
    return lzma.open(path, "rt", encoding="utf-8") if packed else open(path, encoding="utf-8")


def whole(path: str) -> Any:
    """Return a JSON file's value; the file may be packed by xz, whatever it is called."""
    with _opened(path) as file:
        return json.load(file)


def each(path: str) -> Iterator[Any]:
    """Yield the items of a JSON list one by one: all of LongMemEval-S at once would be a gigabyte."""
    decoder = json.JSONDecoder()
    with _opened(path) as file:
        text = file.read(BLOCK).lstrip("\ufeff \t\r\n")
        if not text.startswith("["):
            raise SystemExit(f"{path} is no JSON list")
        text = text[1:]
        while not (text := text.lstrip(", \t\r\n")).startswith("]"):
            try:
                item, end = decoder.raw_decode(text)
            except ValueError:
                more = file.read(BLOCK)
                if not more:
                    raise SystemExit(f"{path} ends within its list") from None
                text += more
                continue
            yield item
            text = text[end:]


def arguments(about: str, *options: str) -> argparse.ArgumentParser:
    """Return a parser of a benchmark's command line: the files it needs, and --json."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    for option in options:
        parser.add_argument(option, required=True, metavar="PATH")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    return parser


def watched(items: Iterable[Any], what: str) -> Iterator[Any]:
    """Pass the items on; on a terminal, say how many have come."""
    for n, item in enumerate(items, 1):
        if sys.stderr.isatty():
            print(f"\r{what} {n}", end="", file=sys.stderr, flush=True)
        yield item
    if sys.stderr.isatty():
        print(file=sys.stderr)


def tell(label: str, figures: dict[str, float]) -> None:
    """Print one line of figures."""
    print(label, "  ".join(f"{name} {value:g}" for name, value in figures.items()), flush=True)
