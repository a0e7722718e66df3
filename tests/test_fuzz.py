"""Random damage to real input: whatever comes, a reader answers or says why, and takes no long time.

The short form runs with every check; `pytest -m sweep tests/test_fuzz.py` runs ROUNDS of each, more than
100,000 inputs together, and prints how many there were.
"""

import io
import random
import time
from pathlib import Path

import pytest

from mempalace import lexicon
from mempalace.beliefs import answer, standing
from mempalace.commands import commands
from mempalace.errors import PalaceError
from mempalace.harmless import framed
from mempalace.mine.formats import FORMATS
from mempalace.mine.redact import redact
from mempalace.mine.transcript import Transcript
from mempalace.search import query
from mempalace.search.analyzer import Analyzer
from mempalace.sentences import sentences
from mempalace.visit import Visit

ROOT = Path(__file__).parents[1]
SAMPLES = sorted((ROOT / "samples" / "tidetable").glob("*.jsonl"))
FEW, ROUNDS = 60, 6000  # inputs of each target
SLOW = 5.0  # seconds in which the longest of these inputs must be read, on the slowest machine we know of
MOST = 1 << 16  # bytes of an input
SPLICES = [
    b'"', b"'", b"\\", b"\0", b"\n", b"\r\n", b"[", b"]", b"{", b"}", b"```", b"<", b"</", b"<system-reminder>", b"---",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\\ud83d", b"\x1b[2J", b"\xe2\x80\xae", b"$(", b"`", b"&&", b"|", b"<<EOF", b"#",
    b"_**User**_", b"null", b"1e999", b"-1", b"9" * 40, b"(" * 200, b"a" * 3000, b"never use ", b" AND ", b"wing:",
    b"since:2026-13-45", b"sk-ant-", b"password=", b"\xe6\x97\xa5" * 50, b"always ", b"~", b"*" * 100, b'{"a":' * 300,
]  # fmt: skip
SEEDS = [
    b"cd a && FOO=1 sudo -u x npm i --prefix 'b c' | tee log; bash -c \"git push --force origin main\" # no",
    b'why did "the export" die wing:shop since:2026-03 role:user -x ERR_CONN_7741',
    b"From now on always use pnpm, never npm. No, use uv now, not poetry.\n\n> Always use npm\n\n```\nnever\n```",
    b'{"hook_event_name": "PreToolUse", "session_id": "a", "tool_name": "Bash", "tool_input": {"command": "ls"}}',
    b"# aider chat started at 2026-01-05 10:00:00\n\n#### fix it\n\nDone.\n",
    b'[{"uuid": "1", "chat_messages": [{"sender": "human", "text": "hello", "created_at": "2026-01-05T10:00:00Z"}]}]',
    b'{"payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}}',
]


def damaged(chance, seeds):
    """Return one input: a seed with a few pieces cut out, doubled, spliced in, swapped or flipped."""
    raw = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(raw))
        until = min(len(raw), at + chance.choice([1, 2, 8, 60, 400]))
        how = chance.randrange(5)
        if how == 0:
            del raw[at:until]
        elif how == 1:
            raw[at:at] = raw[at:until] * chance.choice([1, 2, 30])
        elif how == 2:
            raw[at:at] = chance.choice(SPLICES)
        elif how == 3 and at < len(raw):
            raw[at] = chance.randrange(256)
        else:
            other = chance.choice(seeds)
            start = chance.randint(0, len(other))
            raw[at:at] = other[start : start + 200]
    return bytes(raw[:MOST])


def reading(reader):
    """Return the target that reads input as one transcript format."""

    def read(raw):
        reader.recognises("/nowhere/x.jsonl", raw[:65536])
        for _ in reader.read(Transcript("/nowhere/x.jsonl", io.BytesIO(raw))):
            pass

    return read


def text(raw):
    return raw.decode("utf-8", "surrogateescape")


def targets():
    """Return every target by its name."""
    data = [lexicon.load(code) for code in lexicon.languages()]
    analyzer = Analyzer(data)
    named = {f"reads {one.name}": reading(one) for one in FORMATS if one.name != "opencode"}
    named["a question"] = lambda raw: query.read(query.readable(text(raw)), analyzer)
    named["a prompt"] = lambda raw: query.read(query.readable(text(raw)), analyzer, prose=True)
    named["a shell line"] = lambda raw: commands(text(raw))
    named["an event"] = lambda raw: Visit("recall", raw, {"MEMPALACE_HOME": "/nowhere"}, now=0, began=0)
    named["secrets"] = lambda raw: redact(raw.decode("utf-8", "replace"))
    named["sentences"] = lambda raw: sentences(raw.decode("utf-8", "replace"))
    named["a frame"] = lambda raw: framed(raw.decode("utf-8", "replace"))
    reader = standing.reader()
    named["a standing rule"] = lambda raw: standing.observations(
        raw.decode("utf-8", "replace"), wing=1, at=1, key="k", drawer="d", reader=reader
    )
    named["a model's answer"] = lambda raw: answer.read(raw, [("a", "A"), ("b", "B")])
    return named


def survive(name, target, count):
    """Feed a target so many inputs."""
    seeds = [*SEEDS, *(path.read_bytes()[:4000] for path in SAMPLES)]
    chance = random.Random(name)
    for n in range(count):
        raw = damaged(chance, seeds)
        began = time.process_time()
        try:
            target(raw)
        except PalaceError:
            pass  # a clear line is an answer
        except Exception as error:
            raise AssertionError(f"{name}, input {n}: {raw[:300]!r}") from error
        assert time.process_time() - began < SLOW, f"{name}, input {n}: {raw[:300]!r}"


TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
def test_random_damage_is_survived(name):
    survive(name, TARGETS[name], FEW)


@pytest.mark.sweep
def test_much_random_damage_is_survived():
    for name, target in TARGETS.items():
        survive(name, target, ROUNDS)
    print(f"{len(TARGETS) * ROUNDS} inputs")
    assert len(TARGETS) * ROUNDS >= 100_000
