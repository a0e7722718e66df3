"""remember, forget, refile: changes to the palace on request, each followed by its upkeep."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mempalace import given, trajectory
from mempalace import lexicon as lexicons
from mempalace.beliefs import former
from mempalace.errors import PalaceError
from mempalace.harmless import plain
from mempalace.identity import drawer_id, number
from mempalace.layers import believing, upkeep
from mempalace.mine.chunk import chunks
from mempalace.mine.filing import Language
from mempalace.mine.redact import redact, without_private
from mempalace.model import AGENT, NOTE
from mempalace.projects import project_of
from mempalace.salience import salience
from mempalace.search import index
from mempalace.search.query import readable
from mempalace.settings import read as read_settings
from mempalace.store import changing, filing, ledger, looking, turns, wings, witness
from mempalace.store.connection import Store
from mempalace.store.witness import Heard

SMALL = 50_000  # drawers up to which forgetting rebuilds the index, so that no byte is left in it


class Remembered(NamedTuple):
    """A note as it was filed."""

    ids: tuple[str, ...]
    wing: str
    room: str
    redacted: int


class Target(NamedTuple):
    """What a forget or a refile is about: rows of drawers, of whole sources, of actions; the text they hold; a wing."""

    rows: tuple[int, ...]
    sources: tuple[int, ...]
    deeds: tuple[int, ...] = ()
    text: str = ""
    wing: int = 0


class Receipt(NamedTuple):
    """What was forgotten, and the proof: how much of it is still found, which must be nothing."""

    drawers: int
    actions: int
    sources: int
    in_store: int
    in_index: int
    in_trajectory: int


def remember(
    store: Store, env: Mapping[str, str], text: str, *, cwd: str = "", wing: str = "", room: str = "",
    importance: float = 4.0, pinned: bool = False, kind: str = "", option: str = "", origin: str = AGENT, now: int,
) -> Remembered:  # fmt: skip
    """File a note of the user's or the agent's, and return where it went. Raises PalaceError for none.

    kind, option: the note also states what to choose; else what rules it states are read from it.
    origin: whose word it is.
    """
    kept, hidden = redact(without_private(readable(text)).strip())
    if not kept:
        raise PalaceError("nothing to remember: the text is empty or private")
    data = [lexicons.load(code) for code in lexicons.languages()]
    language = Language(data, read_settings(store.palace, env).outcome_words)
    generation = filing.begin(store)
    try:
        found = wings.create(store, wing) if wing else wings.ensure(store, project_of(cwd))
        place = room or language.rooms.of(kept)
        key = f"note\x1f{uuid.uuid4()}"
        note: list[Heard] = []
        for part, piece in enumerate(chunks(kept)):
            id = drawer_id(source=key, ordinal=part, text=piece)
            note.append(Heard(id, found.n, NOTE, piece, now, witness.message_key(number(key), part)))
            changing.add_note(
                store, id=id, wing=found.n, room=place, text=piece, message=number(key), part=part,
                salience=max(0, salience(piece, language.lexicon)), importance=importance, pinned=pinned, now=now,
                generation=generation,
            )  # fmt: skip
        stated = believing.noted(store.palace, note, kind=kind, option=option, origin=origin)
        former.form(store, stated, now=now, generation=generation)
        filing.touch(store, [found.n], generation=generation)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    upkeep.refresh(store, env, now=now)
    return Remembered(tuple(one.id for one in note), found.name, place, hidden)


def target(store: Store, *, id: str = "", source: str = "", wing: str = "", match: str = "") -> Target:
    """Return what one of the four ways of naming it means. Raises NotFound, or PalaceError for none or two."""
    if sum(map(bool, (id, source, wing, match))) != 1:
        raise PalaceError("name one thing: an ID, --source, --wing or --match")
    if id and not id.strip("[]").startswith("s:"):
        return Target((looking.drawer(store, id).n,), ())
    if id or source:
        n, _ = looking.source(store, id or source)
        return Target(tuple(changing.rows_of_source(store, n)), (n,))
    if wing:
        n = wings.named(store, wing).n
        return Target(tuple(changing.rows_of_wing(store, n)), tuple(changing.sources_of_wing(store, n)), wing=n)
    return Target(tuple(changing.rows_holding(store, match)), (), tuple(changing.deeds_holding(store, match)), match)


def forget(store: Store, env: Mapping[str, str], what: Target, *, now: int) -> Receipt:
    """Delete what is named from store, index and trajectory, and return the receipt.

    What rested on it goes too: evidence, beliefs that rested on nothing else, outcomes, decisions
    that hold the text, kept wake-ups.
    """
    generation = filing.begin(store)
    try:
        left = witness.left_by(store, what.rows, what.sources, what.deeds, what.text, what.wing)
        gone = changing.forget(store, what.rows, what.sources, what.deeds, what.text, now=now, generation=generation)
        former.resettle(store, former.drop(store, left), generation=generation)
        ledger.forget(store, [(ledger.subject_of(ledger.DRAWER, id), 0) for id in gone.ids])
        ledger.silence(store, what.text)
        turns.forget_holding(store, what.text)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    changing.scrub_file(store)
    few = looking.counts(store)["drawers"] <= SMALL
    upkeep.refresh(store, env, now=now, rebuild=few)
    changing.scrub_file(store)
    trajectory.scrub(store.palace, gone.ids)
    given.drop_stories(store.palace)
    return Receipt(
        gone.drawers, gone.actions, gone.sources, changing.holding(store, gone.ids),
        index.holding(store.palace, gone.ids), trajectory.holding(store.palace, gone.ids),
    )  # fmt: skip


def refile(store: Store, env: Mapping[str, str], what: Target, wing: str, *, now: int) -> int:
    """Move what is named to a wing, made where missing; return how many drawers moved.

    Rules that prompts state, and choices seen in actions, go along, for these are read again; a
    belief that a note states, or that was told by itself, stays where it was told.
    """
    generation = filing.begin(store)
    try:
        count = changing.move(store, what.rows, what.sources, wings.create(store, wing).n, generation=generation)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    upkeep.refresh(store, env, now=now)
    return count


def described(store: Store, what: Target, most: int) -> Sequence[str]:
    """Return a line for each of the first drawers that are meant, for a dry run."""
    found = looking.by_rows(store, what.rows[:most])
    return [f"[d:{drawer.id[:8]}] {plain(' '.join(drawer.text.split()))[:100]}" for drawer, _ in found.values()]
