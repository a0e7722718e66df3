"""Palaces and transcripts to measure on: as many drawers as asked, the same ones for the same seed.

The proportions are those of 62 MB of real Claude Code transcripts, mined (79 sessions, 2,402
drawers): 16 % prompts of 240 characters, 14 % reports of 460, 70 % narration of 160.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mempalace.identity import drawer_id, number
from mempalace.layers.fallback import chosen, full_lexicon
from mempalace.projects import project_of
from mempalace.salience import salience
from mempalace.store import filing, wings
from mempalace.store import story as stored
from mempalace.store.connection import Store, open_reader, open_writer
from mempalace.store.schema import MIGRATIONS

SEED = 20260101
RECIPE = 1  # change it whenever the same seed would give another palace
NOW = 1_767_225_600  # 2026-01-01: when every generated palace was filed
PER_SESSION = 40  # drawers
BATCH = 200  # sessions written at once
# Wings and their shares of the drawers: one large project, a few others.
WINGS = (("harbour", 60), ("lantern", 16), ("quarry", 10), ("meadow", 8), ("ferry", 6))
LARGE = WINGS[0][0]
# Where generated palaces are kept; read when this is loaded, for a test's environment is not the user's.
OWNER = os.getuid() if hasattr(os, "getuid") else "user"
CACHE = Path(os.environ.get("MEMPALACE_BENCH_CACHE") or Path(tempfile.gettempdir()) / f"mempalace-bench-{OWNER}")
MADE_AS = number(f"{RECIPE}\n{MIGRATIONS}")  # another recipe or schema is another palace
WORDS, TOPICS, PER_TOPIC, VARIANTS = 4000, 120, 400, 40
ONSETS = "b br c ch d dr f fl g gr h k l m n p pl qu r s sh sl st t tr v w z".split()
VOWELS = "a e i o u ai ea ou".split()
CODAS = ["", "", "", "n", "r", "l", "s", "t", "m", "nd", "ck", "rt"]
SMALL = "the of and to in a for with on by from as into over after before between under".split()
OPENINGS = "The A This Each Every Another Our Its".split()
TOLD = (
    "We fixed the {0} in the {1} and the {2} passed.",
    "The {0} crashed because the {1} ran out of memory in the {2}.",
    "Merged the {0} branch, the {1} is deployed with a new {2}.",
    "Decided to keep the {0} and replaced the {1} by a plain {2}.",
    "The root cause was a deadlock between the {0} and the {1} of the {2}.",
    "Reverted the {0} since the {1} timed out on every {2}.",
)
ASKED = (
    "Please look at the {0} of the {1} and tell me what the {2} does.",
    "I want the {0} to use the {1}, never the {2}.",
    "Now add a {0} to the {1} for the {2} we talked about.",
)
ON_THE_WAY = (
    "Let me read the {0} first and see how the {1} uses the {2}.",
    "Now I will look for the {0} that calls the {1} with the {2}.",
)


class Topic(NamedTuple):
    """What a session is about: its own sentences, by how they read."""

    chatter: list[str]
    outcomes: list[str]
    prompts: list[str]
    narration: list[str]


class Palace(NamedTuple):
    """A generated palace: its folder, how many drawers it holds, and each wing's project folder."""

    folder: str
    drawers: int
    roots: dict[str, str]


class Told(NamedTuple):
    """A message to be: its kind, text and salience."""

    kind: str
    room: str
    text: str
    tier: int


def palace(drawers: int, *, seed: int = SEED) -> Palace:
    """Return the palace of that many drawers, generated where it is not cached yet.

    The story of its large wing is chosen anew by the code as it stands; the other wings have none.
    """
    kept = CACHE / f"palace-{seed}-{drawers}-{MADE_AS:016x}"
    if not (kept / "palace").is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=CACHE))
        _build(draft / "palace", _projects(), drawers, random.Random(seed))
        try:
            os.replace(draft, kept)
        except OSError:  # another run was faster
            shutil.rmtree(draft)
    found = Palace(str(kept / "palace"), drawers, _projects())
    tell(found, LARGE)
    return found


def _projects() -> dict[str, str]:
    """Return each wing's project folder, a git repository as far as the wake-up looks at one."""
    roots = {}
    for name, _ in WINGS:
        git = CACHE / "projects" / name / ".git"
        (git / "logs").mkdir(parents=True, exist_ok=True)
        (git / "logs" / "HEAD").write_text(f"{number(name):040x} {number(name):040x} A <a@b.example> 1 +0000\tclone\n")
        (git / "config").write_text(f'[remote "origin"]\n\turl = https://example.org/{name}.git\n')
        roots[name] = str(git.parent)
    return roots


def tell(built: Palace, wing: str) -> None:
    """Choose and store a wing's story, as `upkeep.refresh` does after mining (the index aside)."""
    with open_writer(built.folder) as store:
        found = wings.named(store, wing)
        stored.write(store, found, chosen(store, found, full_lexicon(built.folder, {})))


class untold:
    """Within: the wing's stored story is behind, so that the hook has to choose itself."""

    def __init__(self, built: Palace, wing: str) -> None:
        self.built = built
        self.wing = wing

    def __enter__(self) -> None:
        with open_writer(self.built.folder) as store:
            found = wings.named(store, self.wing)
            kept = stored.read(store, found)
            assert kept is not None
            stored.write(store, found, kept._replace(generation=-1))

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        tell(self.built, self.wing)


def _build(folder: Path, roots: dict[str, str], drawers: int, dice: random.Random) -> None:
    topics = [_topic(words, dice) for words in _vocabularies(dice)]
    _check(topics)
    with open_writer(str(folder)) as store:
        # What a miner writes in an afternoon, written in a minute: more cache, no waiting for the disk.
        for pragma in ("cache_size=-600000", "synchronous=OFF", "wal_autocheckpoint=200000"):
            store.db.execute(f"PRAGMA {pragma}")
        plan = _plan(drawers, dice)
        at, span = NOW - 2 * 365 * 86400, 2 * 365 * 86400 // (len(plan) + 1)
        for first in range(0, len(plan), BATCH):
            generation = filing.begin(store)
            ours = {name: wings.ensure(store, project_of(root)).n for name, root in roots.items()}
            for n, (wing, count) in enumerate(plan[first : first + BATCH], start=first):
                places = [i for i, (name, _) in enumerate(WINGS) if name == wing]
                about = [topics[(37 * places[0] + dice.randrange(40)) % TOPICS] for _ in range(2)]
                _session(store, n, ours[wing], roots[wing], count, at + n * span, generation, about, dice)
            filing.touch(store, sorted(ours.values()), generation=generation)
            filing.commit(store)


def _plan(drawers: int, dice: random.Random) -> list[tuple[str, int]]:
    """Return (wing, drawers) of each session, oldest first; the wings' shares are exact to one drawer."""
    whole = sum(share for _, share in WINGS)
    sizes = {name: drawers * share // whole for name, share in WINGS}
    sizes[LARGE] += drawers - sum(sizes.values())
    plan = [
        (name, min(PER_SESSION, size - done)) for name, size in sizes.items() for done in range(0, size, PER_SESSION)
    ]
    dice.shuffle(plan)
    return plan


def _session(
    store: Store, n: int, wing: int, root: str, count: int, at: int, generation: int, about: list[Topic],
    dice: random.Random,
) -> None:  # fmt: skip
    id = f"session-{n:06d}"
    path = f"/home/someone/.claude/projects/p/{id}.jsonl"
    source, wing, _ = filing.ensure_source(
        store, id=id, wing=wing, harness="claude-code", path=path, generation=generation
    )
    told = list(itertools.islice(_messages(about, dice), count))
    rows = []
    for nth, message in enumerate(told):
        key = f"{id}-{nth}"
        rows.append(
            filing.Row(
                drawer_id(source=key, ordinal=0, text=message.text), wing, source, message.room, message.kind, False,
                number(key), 0, nth * 7 + 1, at + 60 * nth, message.text, message.tier,
            )
        )  # fmt: skip
    filing.file_drawers(store, rows, now=NOW, generation=generation)
    file = f"{root}/src/{dice.choice(about[0].chatter).split()[1]}.py"
    deed = filing.Deed(number(id + "edit"), source, "Edit", file, True, "", False, 5, at + 60)
    filing.file_actions(store, [deed], generation=generation)
    outcome = next((m.text.split(". ")[0] for m in reversed(told) if m.kind == "report"), "")
    filing.describe_source(
        store, source, generation=generation, title="" if n % 3 else dice.choice(about[0].chatter)[:60], cwd=root,
        branch="main" if n % 2 else "topic", opening=told[0].text[:200], outcome=outcome[:200], first=at,
        last=at + 60 * count,
    )  # fmt: skip


def _messages(about: list[Topic], dice: random.Random) -> Iterator[Told]:
    """Yield one session's messages: turn after turn, a prompt, some narration, a report."""
    while True:
        topic = dice.choice(about)
        yield Told("prompt", "notes", " ".join(dice.choices(topic.prompts, k=dice.randint(1, 5))), 2)
        for _ in range(dice.randint(3, 6)):
            yield Told("narration", "notes", " ".join(dice.choices(topic.narration, k=dice.randint(1, 3))), 2)
        chatter = dice.choices(topic.chatter, k=dice.randint(2, 8))
        if dice.random() < 0.7:
            chatter.insert(dice.randint(0, 1), dice.choice(topic.outcomes))
            yield Told("report", "outcomes", " ".join(chatter), 4)
        else:
            yield Told("report", "notes", " ".join(chatter), 2)


def _vocabularies(dice: random.Random) -> Iterator[list[str]]:
    """Yield the words of each topic, most frequent first: some that all share, the rest its own."""
    made: dict[str, None] = {}
    while len(made) < WORDS:
        made["".join(dice.choice(part) for _ in range(dice.randint(1, 3)) for part in (ONSETS, VOWELS, CODAS))] = None
    words = [word for word in made if len(word) > 3]
    shared, rest = words[:200], words[200:]
    for _ in range(TOPICS):
        own = dice.sample(rest, 500)
        yield [word for pair in zip(own, itertools.cycle(shared), strict=False) for word in pair]


def _topic(words: list[str], dice: random.Random) -> Topic:
    weights = list(itertools.accumulate(1 / rank for rank in range(2, len(words) + 2)))  # Zipf

    def some(k: int) -> list[str]:
        return dice.choices(words, cum_weights=weights, k=k)

    def chatter() -> str:
        said = some(max(4, int(dice.gauss(9, 3))))
        parts = [word for one in said[1:] for word in (dice.choice(SMALL), one)]
        return " ".join([dice.choice(OPENINGS), said[0], "is", *parts]) + "."

    def made(patterns: tuple[str, ...], count: int) -> list[str]:
        return [dice.choice(patterns).format(*some(3)) for _ in range(count)]

    return Topic(
        [chatter() for _ in range(PER_TOPIC)], made(TOLD, VARIANTS), made(ASKED, VARIANTS), made(ON_THE_WAY, VARIANTS)
    )


def _check(topics: list[Topic]) -> None:
    """Make sure that the salience written beside each drawer is the one mining would have given it."""
    lexicon = full_lexicon("", {})
    for topic in topics[:10]:
        for texts, tier in zip(topic, (2, 4, 2, 2), strict=True):
            for text in texts[:20]:
                assert salience(text, lexicon) == tier, (text, tier)


def transcripts(folder: Path, *, files: int, turns: int, result: int, seed: int = SEED) -> int:
    """Write Claude Code transcripts below `folder` and return their bytes.

    Each file is a session of `turns` turns; every tool result is about `result` characters, as
    in real transcripts the better part of the bytes.
    """
    dice = random.Random(seed)
    topics = [_topic(words, dice) for words in itertools.islice(_vocabularies(dice), 12)]
    output = "".join(dice.choices("abcdefghij KLMNOP 0123456789 {}()[]\"'\\/\n\t.,:;=+-_", k=max(1, 2 * result)))
    folder.mkdir(parents=True, exist_ok=True)
    size = 0
    for n in range(files):
        records = _records(n, turns, result, output, [dice.choice(topics) for _ in range(2)], dice)
        body = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"session-{n:05d}.jsonl").write_text(body, encoding="utf-8")
        size += len(body.encode())
    return size


def _records(
    n: int, turns: int, result: int, output: str, about: list[Topic], dice: random.Random
) -> Iterator[dict[str, object]]:
    at = NOW - 86400 * 200 + 3600 * n
    count = itertools.count()
    told = _messages(about, dice)
    calls = 0
    for _ in range(turns):
        for message in told:
            i = next(count)
            base = {
                "sessionId": f"bench-{n:05d}", "uuid": f"{n:05d}-{i:05d}", "parentUuid": None, "isSidechain": False,
                "userType": "external", "cwd": f"/home/someone/work/p{n % 4}", "version": "2.1.45",
                "gitBranch": "main", "timestamp": _stamp(at + 20 * i),
            }  # fmt: skip
            if message.kind == "prompt":
                yield {**base, "type": "user", "message": {"role": "user", "content": message.text}}
                continue
            said: list[dict[str, object]] = [{"type": "text", "text": message.text}]
            if message.kind == "narration":
                calls += 1
                call = f"toolu_{n:05d}_{calls:05d}"
                said.append({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"cat part{i}.txt"}})
            answer = {"id": f"msg_{n:05d}_{i:05d}", "role": "assistant", "model": "bench", "content": said}
            yield {**base, "type": "assistant", "message": answer}
            if message.kind == "report":
                break
            start = dice.randrange(max(1, result))
            size = int(result * math.exp(dice.gauss(0, 0.7)) / 1.28)  # of log-normal size, `result` on average
            got = {"type": "tool_result", "tool_use_id": call, "content": output[start : start + size]}
            told_back = {"role": "user", "content": [got]}
            yield {**base, "uuid": f"{n:05d}-{i:05d}-r", "type": "user", "message": told_back, "toolUseResult": got}


def _stamp(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))


def wing_of(built: Palace, name: str) -> wings.Wing:
    """Return a wing of a generated palace as it stands."""
    with open_reader(built.folder) as store:
        return wings.named(store, name)
