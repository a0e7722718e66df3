"""Why a drawer is, or is not, in the wake-up: every candidate's terms and fate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mempalace.harmless import framed
from mempalace.layers import coverage
from mempalace.layers.fallback import full_lexicon, stop_words
from mempalace.layers.l1_story import JUNK, SESSIONS, Choice, choose, with_pins
from mempalace.layers.lines import Line, lines_of_all, raw_line, session_terms
from mempalace.layers.wake_up import OPENING, wake_up
from mempalace.model import Drawer
from mempalace.salience import EXCLUDED, LEAST_PROSE, MOST_RULING, SHORTEST, prose_ratio, ruling_share
from mempalace.store import story as stored
from mempalace.store import wings
from mempalace.store.connection import Store


class Fate(NamedTuple):
    """What became of one candidate line. fate: shown, or the gate that kept it out."""

    id: str
    line: str
    tier: str
    weight: float
    live: float
    importance: float
    score: float
    fate: str


class Why(NamedTuple):
    """A drawer's place or gate, in a word and in a sentence."""

    gate: str
    said: str


class Explained(NamedTuple):
    """Every candidate of a wing's wake-up, shown ones first, in the order they were chosen."""

    wing: str
    total: int
    considered: int
    shown: int
    how: str
    fates: tuple[Fate, ...]


def explain(store: Store, wing: wings.Wing, env: Mapping[str, str]) -> Explained:
    """Return the fate of every line considered for a wing's wake-up."""
    lexicon = full_lexicon(store.palace, env)
    sessions = stored.sessions(store, wing, SESSIONS)
    pins = stored.pinned(store, wing)
    choice = choose(sessions, lexicon, stop_words(), pins)
    told = wake_up(store.palace, wing=wing.name, env=env)
    lines = [line for drawers in with_pins(sessions, pins) for line in lines_of_all(drawers, lexicon)]
    weights = coverage.live_terms([session_terms(drawers) for drawers in sessions], coverage.stems(stop_words()))
    visible = {(id, text) for id, text in _visible(choice, told.text)}
    chosen = {(line.drawer.id, line.text): (line, score) for line, score in choice.lines}
    if not lines:
        lines = [raw_line(drawer) for drawers in sessions for drawer in drawers]
    fates = [
        _fate(line, weights, score, "shown" if key in visible else _unseen(line, told.text))
        for key, (line, score) in chosen.items()
    ]
    taken = [line for line, _ in choice.lines]
    fates += [
        _fate(line, weights, 0.0, _kept_out(line, taken, weights, choice.how)) for line in _others(lines, set(chosen))
    ]
    ordered = sorted(fates, key=lambda fate: fate.fate != "shown")
    return Explained(wing.name, wing.drawers, len(lines), len(visible), choice.how, tuple(ordered))


def why(store: Store, drawer: Drawer, env: Mapping[str, str]) -> Why:
    """Return a drawer's place in its wing's wake-up, or the gate that kept it out."""
    wing = wings.named(store, drawer.wing)
    if drawer.aside and not drawer.pinned:
        return Why("aside", "A sub-agent said it: searched, never told as story.")
    if drawer.kind == "narration" and not drawer.pinned:
        return Why("narration", "Said on the way to a tool call: searched, never told as story.")
    if drawer.salience == EXCLUDED and not drawer.pinned:
        return Why("excluded", _excluded(drawer.text))
    explained = explain(store, wing, env)
    fates = [fate for fate in explained.fates if fate.id == drawer.id]
    if not fates:
        return Why(
            "no line",
            "No sentence of it can be a line (25 to 200 characters, no question, no heading), "
            "or its session is not among the last 100.",
        )
    best = fates[0]
    if best.fate == "shown":
        place = [fate.id for fate in explained.fates].index(drawer.id) + 1
        return Why("shown", f"Line {place} of {explained.shown}: {best.tier}, score {best.score:.3f}.\n  {best.line}")
    return Why(best.fate.split(":")[0], f"{best.fate} ({best.tier}, live weight {best.live:.2f}).\n  {best.line}")


def _others(lines: list[Line], chosen: set[tuple[str, str]]) -> Iterator[Line]:
    """Yield the lines that were not chosen; of a line said twice in a drawer one was."""
    for line in lines:
        key = (line.drawer.id, line.text)
        if key in chosen:
            chosen.remove(key)
        else:
            yield line


def _visible(choice: Choice, text: str) -> list[tuple[str, str]]:
    return [
        (line.drawer.id, line.text)
        for line, _ in choice.lines
        if f"- {framed(line.text)} [d:{line.drawer.id[:8]}]" in text
    ]


def _unseen(line: Line, text: str) -> str:
    """Return why a chosen line is not among the story's."""
    return "recent: told under its session" if framed(line.text)[:OPENING] in text else "budget"


def _fate(line: Line, weights: Mapping[str, float], score: float, fate: str) -> Fate:
    live = math.fsum(weights.get(term, 0.0) for term in line.terms)
    return Fate(
        line.drawer.id, line.text, line.tier, coverage.WEIGHTS[line.tier], live,
        coverage.importance_factor(line.drawer.importance), score, fate,
    )  # fmt: skip


def _kept_out(line: Line, taken: list[Line], weights: Mapping[str, float], how: str) -> str:
    if how == "unfiltered":
        return f"age: where all is junk the newest {JUNK} drawers are told"
    for other in taken:
        if coverage.duplicates(line, other):
            return f"duplicate of [d:{other.drawer.id[:8]}]"
    source = line.drawer.source
    if source and sum(other.drawer.source == source for other in taken) >= coverage.PER_SOURCE:
        return "cap: two lines of its session are told already"
    if how == "coverage":
        covered = {term for other in taken for term in other.terms}
        if not any(term in weights and term not in covered for term in line.terms):
            return "nothing new: its live words are told already"
    return "rank: other lines said more in fewer characters"


def _excluded(text: str) -> str:
    whole = " ".join(text.split())
    if len(whole) < SHORTEST:
        return f"Shorter than {SHORTEST} characters, and no sentence that states an outcome."
    if ruling_share(whole) > MOST_RULING:
        return f"{ruling_share(whole):.0%} of it is |-=+_ (more than {MOST_RULING:.0%}): a table, a diff or a rule."
    if prose_ratio(whole) < LEAST_PROSE:
        share = f"{prose_ratio(whole):.0%} of it is letters and blanks (less than {LEAST_PROSE:.0%})"
        return f"{share}, and no sentence in it rescues it."
    return "Opened by a harness's wrapper, or nothing but what a machine printed."
