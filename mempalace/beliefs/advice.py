"""What memory says of a choice, how far a pick rests on it, and whether the pick overrides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mempalace.beliefs import slots
from mempalace.beliefs.answer import Option
from mempalace.beliefs.memory import Entry, named
from mempalace.model import AVOID

STRONG = 0.8  # confidence from which a belief that is not pinned is not overridden in silence
FOLLOWED, TRUNCATED, IGNORED, SILENT = "followed", "truncated", "ignored", "silent"


class Advice(NamedTuple):
    """What beliefs, read best first, say of a choice.

    option: the id they name, None for none.  entry: the belief that names it, or that leaves it
    as the only one.  avoided: by option, the belief that speaks against it.
    """

    option: str | None
    entry: Entry | None
    avoided: dict[str, Entry]


class Support(NamedTuple):
    """The belief that a pick rests on or, where the pick goes against memory, that should have decided.

    fit: followed; truncated (it should have decided and was not shown); ignored (it should have
    decided and was shown); silent: memory settles nothing here, and there is no entry.
    """

    fit: str
    entry: Entry | None


def advice(entries: Sequence[Entry], options: Sequence[Option]) -> Advice:
    """Return what the beliefs that apply say: the first that names an option not yet spoken against decides.

    Where none does and all options but one are spoken against, it is that one.
    """
    avoided: dict[str, Entry] = {}
    for entry, id in _naming(entries, options):
        if id is None:
            continue
        if entry["polarity"] == AVOID:
            avoided.setdefault(id, entry)
        elif id not in avoided:
            return Advice(id, entry, avoided)
    left = [option.id for option in options if option.id not in avoided]
    if len(left) == 1 and avoided:
        return Advice(left[0], next(iter(avoided.values())), avoided)
    return Advice(None, None, avoided)


def favoured(entries: Sequence[Entry], options: Sequence[Option]) -> dict[str, Entry]:
    """Return, by option, the first belief that applies and prefers it."""
    found: dict[str, Entry] = {}
    for entry, id in _naming(entries, options):
        if id is not None and entry["polarity"] != AVOID:
            found.setdefault(id, entry)
    return found


def support(pick: str | None, entries: Sequence[Entry], options: Sequence[Option]) -> Support:
    """Return what a pick rests on, of all beliefs that could have been shown, best first."""
    said = advice(entries, options)
    if pick is not None and pick in said.avoided:
        against: Entry | None = said.avoided[pick]
    else:
        against = said.entry if said.option not in (None, pick) else None
    if against is not None:
        return Support(IGNORED if against["shown"] else TRUNCATED, against)
    return Support(FOLLOWED, said.entry) if said.option is not None else Support(SILENT, None)


def override(pick: str | None, entries: Sequence[Entry], options: Sequence[Option]) -> Entry | None:
    """Return the pinned or strong belief that a pick goes against, None for none.

    It applies and names another option than the pick, offered or not, or says to avoid the pick.
    One that stands behind a belief for the pick (a default behind a local exception) does not count,
    nor does anything where nothing was picked.
    """
    for entry, id in _naming(entries, options) if pick is not None else ():
        avoids = entry["polarity"] == AVOID
        if id == pick and not avoids:
            return None
        if (id == pick) == avoids and (entry["pinned"] or entry["confidence"] >= STRONG):
            return entry
    return None


def _naming(entries: Sequence[Entry], options: Sequence[Option]) -> Iterator[tuple[Entry, str | None]]:
    """Yield each belief that applies and names something, with the offered option it names, best first."""
    names = named(options)
    for entry in entries:
        if entry["applies"] and entry["option"]:
            yield entry, names.get(slots.plain(entry["option"]))
