"""What follows from the evidence: which beliefs stand. A pure function, so that no order of filing matters."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.beliefs import slots
from mempalace.beliefs.slots import Stance
from mempalace.model import AGENT, TOOL, USER, Belief
from mempalace.store.beliefs import OUTRANKED, SUPERSEDED, WITHDRAWN
from mempalace.store.believing import WITHDRAWS, Event

RANKS = (TOOL, AGENT, USER)  # whose word outranks whose, lowest first


class Fall(NamedTuple):
    """Why a belief does not stand: since when, what took its place ("" for nothing)."""

    at: int
    heir: str
    why: str


class Settled(NamedTuple):
    """What follows for one belief. fall: None while it stands.  against: rivals' evidence that counts."""

    claim: str
    origin: str
    created_at: int
    changed_at: int
    fall: "Fall | None"
    against: Tuple[Event, ...]


def settle(beliefs: Sequence[Belief], events: Iterable[Event]) -> Dict[str, Settled]:
    """Return, by id, what follows for each belief of a family from all that was observed, each having some of it.

    What is stated holds in the order of its time, then key: a statement retires its rivals, and
    what it names in their stead; a withdrawal retires without an heir. A user's word outranks an
    agent's, and either outranks what was merely done: that retires nothing. A pinned belief is
    retired by nothing. Evidence against a belief from before it was last stated is settled by that
    statement and counts no more.
    """
    by_belief: Dict[str, List[Event]] = {one.id: [] for one in beliefs}
    for event in sorted(events, key=lambda event: (event.at, event.key, event.belief)):
        by_belief[event.belief].append(event)
    support = {id: [event for event in held if event.supports] for id, held in by_belief.items()}
    stances = {one.id: slots.stance(one) for one in beliefs}
    rivals = _rivals(stances)
    falls = _Replay(beliefs, by_belief, stances, rivals).falls()
    settled = {}
    for one in beliefs:
        stated = max(((event.at, event.key) for event in support[one.id] if event.origin != TOOL), default=(0, ""))
        against = [event for rival in rivals[one.id] for event in support[rival] if _counts(event, stated)]
        telling = support[one.id] or by_belief[one.id]
        said = max(telling, key=_authority)
        settled[one.id] = Settled(
            said.claim or one.claim, said.origin, min(event.at for event in telling),
            max(event.at for event in telling), falls.get(one.id), tuple(against),
        )  # fmt: skip
    return settled


def _rivals(stances: Dict[str, Stance]) -> Dict[str, List[str]]:
    """Return, by id, the beliefs that cannot be followed beside it."""
    by_subject: Dict[object, List[str]] = {}
    for id, stance in stances.items():
        by_subject.setdefault(stance.subject, []).append(id)
    return {
        id: [other for other in by_subject[stance.subject] if slots.rivals(stance, stances[other])]
        if stance.subject is not None
        else []
        for id, stance in stances.items()
    }


def _counts(event: Event, stated: Tuple[int, str]) -> bool:
    """Tell whether evidence came after a statement; what was done in the same second did."""
    return event.at >= stated[0] if event.origin == TOOL else (event.at, event.key) > stated


def _authority(event: Event) -> Tuple[int, int, str]:
    return RANKS.index(event.origin), event.at, event.key


class _Replay:
    """What was stated, replayed in time, the highest rank first."""

    def __init__(
        self, beliefs: Sequence[Belief], events: Dict[str, List[Event]], stances: Dict[str, Stance],
        rivals: Dict[str, List[str]],
    ) -> None:  # fmt: skip
        self.stances = stances
        self.rivals = rivals
        self.seen = {id: held[0].at for id, held in events.items()}
        every = sorted(
            (event for held in events.values() for event in held),
            key=lambda event: (event.at, event.key, event.belief),
        )
        self.stated = [event for event in every if event.origin != TOOL]
        self.supported = {event.belief for event in every if event.supports}
        # What stands, and the time of the statement it stands by; what does not, and why.
        self.up: Dict[str, int] = {one.id: 0 for one in beliefs if one.pinned}
        self.fallen: Dict[str, Fall] = {}

    def falls(self) -> Dict[str, Fall]:
        """Return the beliefs that do not stand, and why."""
        for rank in (USER, AGENT):
            self._replay(rank)
        for id in sorted(set(self.stances) - set(self.up) - set(self.fallen)):
            over = self._outranked(id)
            if over:
                self.fallen[id] = over
            elif id not in self.supported:
                self.fallen[id] = Fall(self.seen[id], "", WITHDRAWN)
        return self.fallen

    def _replay(self, rank: str) -> None:
        """Replay one rank's statements, and the withdrawals of that rank and those above it."""
        standing: Dict[str, int] = {}
        fallen: Dict[str, Fall] = {}
        for event in self.stated:
            if event.origin != rank and (event.supports or RANKS.index(event.origin) < RANKS.index(rank)):
                continue
            heir = event.belief if event.supports else event.heir
            for id in self._struck(event, standing):
                standing.pop(id, None)
                fallen[id] = Fall(event.at, heir, SUPERSEDED if heir else WITHDRAWN)
            if event.supports:
                standing[event.belief] = event.at
                fallen.pop(event.belief, None)
        for id, fall in fallen.items():
            if id not in self.up:
                self.fallen.setdefault(id, fall)
        # What ranks above was settled before: a rival that stands by it, a fall later than this.
        news = {
            id: at
            for id, at in standing.items()
            if id not in self.up and not (id in self.fallen and self.fallen[id].at >= at)
        }
        yielding = {id: self._outranked(id) for id in sorted(news)}
        for id, over in yielding.items():
            if over is None:
                self.fallen.pop(id, None)
                self.up[id] = news[id]
            else:
                self.fallen.setdefault(id, over)

    def _struck(self, event: Event, standing: Dict[str, int]) -> List[str]:
        """Return the beliefs that a statement, or a withdrawal, retires."""
        own = self.stances[event.belief]
        if event.effect == WITHDRAWS:
            struck = [event.belief]
        elif event.effect:  # all of the slot
            struck = [
                id for id, one in self.stances.items()
                if own.subject is not None and (one.kind, one.subject) == (own.kind, own.subject)
            ]  # fmt: skip
        else:
            struck = [id for id in self.rivals[event.belief] if id in standing]
        if event.instead_of:
            struck += self._saying(slots.value(event.instead_of, ""), own.polarity)
        return [id for id in struck if id != event.belief or not event.supports]

    def _saying(self, value: str, polarity: str) -> List[str]:
        return [id for id, one in self.stances.items() if (one.value, one.polarity) == (value, polarity)]

    def _outranked(self, id: str) -> Optional[Fall]:
        """Return the fall of a belief that a standing one rules out, None where none does."""
        over = [rival for rival in self.rivals[id] if rival in self.up]
        if not over:
            return None
        heir = min(over, key=lambda rival: (-self.up[rival], rival))
        return Fall(max(self.seen[id], self.up[heir]), heir, OUTRANKED)
