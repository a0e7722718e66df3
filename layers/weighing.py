"""How far may an answer be relied on? What the palace knows of its best hits, folded into an envelope."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from mempalace.layers import freshness
from mempalace.layers.binding import binding
from mempalace.store import calibrations, ledger, signs
from mempalace.store.calibrations import Calibration, Refused
from mempalace.store.connection import Store
from mempalace.trust import envelope
from mempalace.trust.envelope import BANDS, FRESHNESS, SUPERSESSION, TRUST, Envelope, Factor
from mempalace.trust.ledger import HIGH, LOW, MEDIUM, Standing, read

BEST = 3  # hits that speak for an answer
OF_TRUST = {
    LOW: "what was relied on here held",
    MEDIUM: "part of what was relied on here did not hold",
    HIGH: "what was relied on here misled",
}
LEARN = 'check it, then tell how it held: "mempalace learn ID correct|wrong|partial"'
OPEN = 'open it with "mempalace show d:{}" and check it'
HOLDS = 'see what holds now: "mempalace belief list"'


class Passage(NamedTuple):
    """A drawer as it is weighed. n: its row."""

    n: int
    id: str
    text: str


class Scales:
    """Weighs what one palace answers at one moment.

    asked: whether the index was asked.  behind: whether it lacks what was filed last.
    """

    def __init__(self, store: Store, *, now: int, asked: bool = True, behind: bool = False) -> None:
        self.store = store
        self.now = now
        self.asked = asked
        self.behind = behind

    @cached_property
    def kept(self) -> Calibration | Refused | None:
        """The envelope's calibration, or why the one that is there is refused."""
        return calibrations.read(self.store, calibrations.ENVELOPE, 0)

    @property
    def row(self) -> Calibration | None:
        """The envelope's calibration, None where there is none that can be used."""
        return self.kept if isinstance(self.kept, Calibration) else None

    @cached_property
    def outcomes(self) -> int:
        """How much evidence there is now, for telling whether the calibration is stale."""
        return signs.outcomes(self.store)

    def weigh(self, hits: Sequence[Passage]) -> Envelope:
        """Return the envelope of an answer, by its three best hits."""
        generation = self.outcomes if self.row else 0
        told = envelope.fold(self.factors(hits[:BEST]), self.row, now=self.now, generation=generation)
        if isinstance(self.kept, Refused):
            return told._replace(reasons=(*told.reasons, f"the calibration is refused: {self.kept.why}"))
        return told

    def factors(self, best: Sequence[Passage]) -> list[Factor]:
        """Return what is known, and what is not, of the hits that speak for an answer."""
        footings = signs.footings(self.store, [hit.n for hit in best])
        return [
            _trust(best, standings(self.store, [hit.id for hit in best], now=self.now)),
            binding(self.store.palace, footings.values(), asked=self.asked, behind=self.behind),
            _freshness(
                freshness.change(self.store, [(hit.text, footings[hit.n]) for hit in best if hit.n in footings])
            ),
            _supersession(signs.claims(self.store, [hit.id for hit in best])),
        ]


def standings(store: Store, ids: Sequence[str], *, now: int) -> dict[str, Standing]:
    """Return how those of the drawers stand of which enough is known, by id."""
    subjects = {ledger.subject_of(ledger.DRAWER, id): id for id in ids}
    found = {subjects[subject]: read(row, now) for subject, row in ledger.of(store, subjects, None).items()}
    return {id: standing for id, standing in found.items() if standing.known}


def _trust(best: Sequence[Passage], known: dict[str, Standing]) -> Factor:
    """Return the factor of the worst band among the best hits.

    A hit that is not the first may speak against an answer, not for it: else an answer that
    nobody ever relied on could act by what stands third.
    """
    first = best[0].id if best else ""
    bands = {hit.id: known[hit.id].band for hit in best if hit.id in known}
    if first not in bands:
        bands = {id: band for id, band in bands.items() if band != LOW}
    if not bands:
        return Factor(TRUST, known=False, why="too little is known of how this held", next=LEARN)
    worst, band = min(bands.items(), key=lambda one: BANDS[one[1]])  # of equals the better hit
    step = "" if band == LOW else OPEN.format(worst[:8])
    return Factor(TRUST, BANDS[band], why=OF_TRUST[band], next=step)


def _freshness(change: freshness.Change) -> Factor:
    """Return the factor: the share of the files spoken of that have not changed since."""
    if not change.known:
        return Factor(FRESHNESS, known=False)
    first = ", ".join(change.changed[:2]) + (f" and {len(change.changed) - 2} more" if len(change.changed) > 2 else "")
    return Factor(
        FRESHNESS, 1 - len(change.changed) / change.known, why=f"changed since: {first}" if first else "",
        next=f"check {change.changed[0]}" if first else "",
    )  # fmt: skip


def _supersession(claims: Sequence[tuple[str, str, bool]]) -> Factor:
    """Return the factor: 0 where a claim that rests on one of the hits is retired."""
    if not claims:
        return Factor(SUPERSESSION, known=False)
    retired = [claim for _, claim, stands in claims if not stands]
    if not retired:
        return Factor(SUPERSESSION, 1.0)
    return Factor(SUPERSESSION, 0.0, why=f"no longer holds: {retired[0]}", next=HOLDS)
