"""Evidence: what a user says of a memory that was relied on, and what sessions tell by themselves."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import lru_cache
from typing import List, NamedTuple

from mempalace import lexicon as lexicons
from mempalace.errors import NotFound, PalaceError
from mempalace.layers import subjects
from mempalace.layers.subjects import Subject
from mempalace.mine.redact import redact, without_private
from mempalace.model import TOOL
from mempalace.store import believing, cited, filing, ledger, shakes
from mempalace.store.connection import Store
from mempalace.trust.corrections import Corrections, judged
from mempalace.trust.ledger import CITED, CORRECTED, LEARNED, STRENGTHS, WEIGHTS, Standing, read

QUIET = 6 * 3600  # seconds after which a session that said nothing more is taken to be over
WHY = 300  # characters of a reason that are kept
DOUBTS = "doubts"  # evidence against a belief that takes nothing's part


class Learned(NamedTuple):
    """What one thing stands at after it was learned about."""

    subject: Subject
    standing: Standing


class Told(NamedTuple):
    """What sessions told by themselves: how many memories held, how many were taken back."""

    correct: int = 0
    wrong: int = 0


def learn(store: Store, ids: Sequence[str], outcome: str, *, why: str = "", cwd: str = "", now: int) -> List[Learned]:
    """Record whether memories held when they were relied on, and return how each stands now.

    ids: `d:ID`, `b:ID` or files of the project that `cwd` lies in, each counted once.  Raises
    PalaceError for another word than correct, wrong or partial, and NotFound for what is not
    there, before anything changes.
    """
    if outcome not in ledger.OUTCOMES:
        raise PalaceError("%r is no outcome: say correct, wrong or partial" % outcome)
    found = list(dict.fromkeys(subjects.named(store, id, cwd=cwd, now=now) for id in ids))
    if not found:
        raise PalaceError("nothing to learn about: name a drawer, a belief or a file")
    said = redact(without_private(why))[0].strip()[:WHY]
    generation = ledger.begin(store)
    try:
        for one in found:
            _record(store, one, outcome, LEARNED, key=str(uuid.uuid4()), at=now, why=said, generation=generation,
                    together=len(found))  # fmt: skip
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    return [Learned(one, read(ledger.of(store, [one.subject], one.wing).get(one.subject), now)) for one in found]


def learn_from_sessions(store: Store, now: int) -> Told:
    """Record what became of the given memories that sessions cited, as far as it is known now; return how many.

    One that the user's next words took back was wrong; one that nobody took back by the time the
    session fell quiet was correct. Each citation counts once, however often this is called. With
    nothing new it asks one small question.  store: open for writing.
    """
    seen = filing.generation(store)
    waiting = cited.undecided(store, quiet_since=now - QUIET)
    if not waiting:
        return Told()
    fates = [_fate(store, one, quiet=one.ended_at <= now - QUIET, now=now) for one in waiting]
    counts = {ledger.CORRECT: 0, ledger.WRONG: 0}
    generation = ledger.begin(store)
    try:
        for one, fate in zip(waiting, fates, strict=True):
            if fate is not None:
                cited.decide(store, one)
            if fate is not None and fate.outcome:
                counts[fate.outcome] += _heard(store, one, fate, now=now, generation=generation)
        cited.looked(store, seen)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    return Told(counts[ledger.CORRECT], counts[ledger.WRONG])


class _Fate(NamedTuple):
    outcome: str
    at: int


def _fate(store: Store, one: cited.Citation, *, quiet: bool, now: int) -> "_Fate | None":
    """Return what became of a cited memory ("": nobody can tell), None while it is open."""
    if not one.source:
        return _Fate("", 0)
    sign, id = one.id.split(":") if ":" in one.id else ("d", one.id)
    reactions = cited.reactions(store, one.source, "%s:%s" % (sign, id[:8]))
    outcome = judged(reactions, _words(), quiet=quiet)
    at = max((reaction.at for reaction in reactions), default=0) or one.ended_at
    return None if outcome is None else _Fate(outcome, at if 0 < at < now else now)


def _heard(store: Store, one: cited.Citation, fate: _Fate, *, now: int, generation: int) -> bool:
    origin = CORRECTED if fate.outcome == ledger.WRONG else CITED
    try:
        subject = subjects.named(store, one.id if ":" in one.id else "d:" + one.id, cwd="", now=now)
    except NotFound:  # forgotten since
        return False
    key = "\x1f".join(("session", one.session, one.id))
    return _record(store, subject, fate.outcome, origin, key=key, at=fate.at, why="", generation=generation)


def _record(
    store: Store, one: Subject, outcome: str, origin: str, *, key: str, at: int, why: str, generation: int,
    together: int = 1,
) -> bool:  # fmt: skip
    """Write one event down, with what it shakes and what it says of a belief; tell whether it was new."""
    weight = WEIGHTS[origin]
    event = ledger.Outcome(key, one.subject, one.wing, outcome, weight, at, origin, why)
    if not ledger.add(store, event, generation=generation):
        return False
    shakes.add(store, one.subject, one.wing, [shakes.Shake(at, STRENGTHS[outcome] * weight, together)])
    if one.kind == ledger.BELIEF and outcome != ledger.PARTIAL:
        # As a tool's, so that it moves the confidence and retires nothing: nobody restated a rule.
        effect = DOUBTS if outcome == ledger.WRONG else ""
        believing.observe(store, believing.Event(one.id, key, weight, TOOL, at, why or origin, effect=effect))
    return True


@lru_cache(maxsize=1)
def _words() -> Corrections:
    return Corrections(lexicons.load(code) for code in lexicons.languages())
