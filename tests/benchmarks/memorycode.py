"""MemoryCode: of coding instructions that a mentor gives and changes over many sessions, do the latest stand?

`python tests/benchmarks/memorycode.py --file PATH [--half even|odd] [--misses] [--json]`. A dialogue is one
palace; the mentor's turns are the user's messages, read for standing rules and formed into beliefs.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from retrieval import DAY, WING, arguments, tell, watched, whole

from mempalace.beliefs.former import form
from mempalace.beliefs.observation import Observation
from mempalace.beliefs.standing import Reader, observations, reader
from mempalace.model import Belief
from mempalace.store import beliefs, filing, wings
from mempalace.store.connection import open_writer
from mempalace.words import stem, words

START = 1_600_000_000  # Unix seconds of a dialogue's first session
PAUSE = 60  # seconds between two turns
LIGHT = "always use the a as for to per at of never not do all when in".split()  # words of every instruction
CODED = "instruction"  # what the data calls a session's coding instructions; others are "filler-instruction"


class Gold(NamedTuple):
    """An instruction. id, version: as the data numbers them.  thing, form: what it is about, from its pattern."""

    id: int
    version: int
    topic: str
    thing: str
    form: str
    value: str


def main() -> None:
    """Read every dialogue and print the figures."""
    parser = arguments(str(__doc__), "--file")
    parser.add_argument("--half", choices=("even", "odd"), help="only the dialogues with such a number")
    parser.add_argument("--misses", action="store_true", help="print what was missed, and what was read wrongly")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    language = reader()
    for id, talk in watched(whole(given.file).items(), "dialogue"):
        if given.half is None or int(id) % 2 == (given.half == "odd"):
            told = _measured(talk, language, counts)
            if given.misses:
                print("\n".join(f"[{id}] {line}" for line in told))
    figures = _figures(counts)
    tell("MemoryCode", figures)
    if given.json:
        print(json.dumps(figures))


def _measured(talk: dict[str, Any], language: Reader, counts: Counter[str]) -> list[str]:
    """Count one dialogue's outcomes and return its misses, each a line."""
    missed: list[str] = []
    latest: dict[int, Gold] = {}
    older: dict[int, list[Gold]] = {}
    gold = list(_gold(talk))
    with tempfile.TemporaryDirectory(prefix="mempalace-bench-") as folder, open_writer(folder) as store:
        generation = filing.begin(store)
        wing = wings.create(store, WING).n
        for n, session in enumerate(talk["sessions"]):
            read = list(_read(talk, session, n, wing, language))
            form(store, read, now=START + (n + 1) * DAY, generation=generation)
            wanted = gold[n]
            missed += _extraction(read, wanted, session, counts)
            for one in wanted:
                if one.id in latest and latest[one.id].version != one.version:
                    older.setdefault(one.id, []).append(latest[one.id])
                latest[one.id] = one
        held = beliefs.every(store, now=START + len(gold) * DAY)
        filing.commit(store)
    return missed + _standing(held, latest, older, counts)


def _standing(
    held: list[Belief], latest: dict[int, Gold], older: dict[int, list[Gold]], counts: Counter[str]
) -> list[str]:
    missed = []
    up = [one for one in held if not one.retired_at]
    for id, one in latest.items():
        new = any(_is(belief.subject, belief.option, one) for belief in up)
        former = [gone for gone in older.get(id, []) if gone.value != one.value]
        old = [gone for gone in former if any(_is(belief.subject, belief.option, gone) for belief in up)]
        counts["kept"] += new
        counts["instructions"] += 1
        if former:
            counts["updated"] += 1
            counts["latest_wins"] += new and not old
            counts["old_retired"] += not old
            if not new or old:
                missed.append(f"LATEST {one.topic}: {'stands' if new else 'missing'}, old up: {[x.value for x in old]}")
        retired = [b for b in held if b.retired_at and _is(b.subject, b.option, one)]
        if not former and retired:
            counts["falsely_superseded"] += not new
            if not new:
                missed.append(f"FALSE {one.topic}: {retired[0].why} by {retired[0].superseded_by}")
        counts["not_updated"] += not former
    return missed


def _extraction(
    read: list[Observation], wanted: list[Gold], session: dict[str, Any], counts: Counter[str]
) -> list[str]:
    missed = []
    fillers = [
        topic for sort, topic in zip(session["type"], session["topic"], strict=True) if sort.startswith("filler-instr")
    ]
    for one in read:
        right = any(_is(one.subject, one.option, gold) for gold in wanted)
        coded = one.kind != ""
        filler = not right and any(_about(one.said, topic) for topic in fillers)
        counts["extracted"] += 1
        counts["right"] += right or filler
        counts["coded"] += coded
        counts["coded_right"] += coded and right
        if not (right or filler):
            missed.append(f"WRONG {one.subject} | {one.option} | {one.said} || {[g.topic for g in wanted]} {fillers}")
    for gold in wanted:
        found = any(_is(one.subject, one.option, gold) for one in read)
        counts["told"] += 1
        counts["found"] += found
        if not found:
            missed.append(f"UNREAD {gold.topic} || {_around(session, gold)}")
    return missed


def _around(session: dict[str, Any], gold: Gold) -> list[str]:
    lines = re.split(r"(?<=[.!?])\s|\n", session["text"])
    return [line for line in lines if gold.value.strip("@") in line][:4]


def _is(subject: str, option: str, gold: Gold) -> bool:
    """Tell whether a belief is an instruction's: its value, of the same thing, in the same place of a name."""
    value = option.casefold().strip("@")
    about = subject.casefold().split()
    thing = gold.thing.split()[-1]
    if gold.form == "import":
        return value == gold.value and "import" in about
    if thing not in about and thing != "code":
        return False
    if gold.form in ("start", "end", "include", "decorator"):
        return value == gold.value.casefold().strip("@") and gold.form in about
    if gold.form == "digit":
        return "digit" in subject + option
    return gold.value in re.sub(r"[ _-]", "", (subject + " " + option).casefold())


def _about(said: str, topic: str) -> bool:
    """Tell whether a sentence speaks of an instruction about the work itself: the name in it, or half of its words."""
    wanted = {stem(word) for word in words(topic)} - {stem(word) for word in LIGHT}
    named = re.findall(r"(?<!\A)\b[A-Z][A-Za-z/]+", topic)
    if any(name in said for name in named):
        return True
    return 2 * len(wanted & {stem(word) for word in words(said)}) >= len(wanted)


def _read(talk: dict[str, Any], session: dict[str, Any], n: int, wing: int, language: Reader) -> Iterator[Observation]:
    for turn, text in enumerate(_said(talk, session["text"])):
        at = START + n * DAY + turn * PAUSE
        yield from observations(text, wing=wing, at=at, key=f"{n}.{turn}", drawer="", reader=language)


def _said(talk: dict[str, Any], text: str) -> Iterator[str]:
    """Yield the mentor's turns of a session."""
    names = [talk["context"]["mentor"], talk["context"]["mentee"]]
    speaker = re.compile(rf"^\W*({'|'.join(map(re.escape, names))})\W{{0,3}}:\W{{0,3}}(?=\s|\w)", re.M)
    parts = speaker.split(text)
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        if name == names[0]:
            yield said.strip(' \n"-*')


def _gold(talk: dict[str, Any]) -> Iterator[list[Gold]]:
    """Yield each session's coding instructions."""
    for numbered, session in zip(talk["instructions"], talk["sessions"], strict=True):
        topics = [
            topic for sort, topic in zip(session["type"], session["topic"], strict=True) if sort.startswith(CODED)
        ]
        given = [one for one in numbered if one != -1]
        yield [
            Gold(id, version, topic, *_form(pattern[0], pattern[1], topic))
            for (id, version), topic, pattern in zip(given, topics, session["session_regex"], strict=False)
        ]


def _form(thing: str, wanted: Any, topic: str) -> tuple[str, str, str]:
    """Return (thing, form, value) from an instruction's own pattern."""
    if isinstance(wanted, list):
        return thing.split()[0], "import" if thing == "import" else "decorator", wanted[0]
    quoted = re.findall(r"'([^']+)'", topic)
    if wanted is True:
        thing, _, what = thing.rpartition(" ")
        return thing or "code", "presence", what
    if quoted:
        return thing, "start" if wanted[0] == "^" else "end" if wanted[-1] == "$" else "include", quoted[0]
    if "digit" in topic:
        return thing, "digit", "digit"
    return thing, "case", re.sub(r"[ _-]", "", topic.split(" use ")[1].split(" for ")[0].casefold()).replace("all", "")


def _figures(counts: Counter[str]) -> dict[str, float]:
    def share(part: str, whole: str) -> float:
        return round(counts[part] / counts[whole], 4) if counts[whole] else 0.0

    return {
        "latest_wins": share("latest_wins", "updated"), "old_retired": share("old_retired", "updated"),
        "updated": counts["updated"], "kept": share("kept", "instructions"),
        "falsely_superseded": counts["falsely_superseded"], "not_updated": counts["not_updated"],
        "precision": share("right", "extracted"), "precision_coded": share("coded_right", "coded"),
        "extracted": counts["extracted"], "recall": share("found", "told"), "told": counts["told"],
    }  # fmt: skip


if __name__ == "__main__":
    main()
