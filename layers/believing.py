"""Beliefs kept up to date: formed from what was said and done since they were formed last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mempalace import kinds
from mempalace.beliefs import former, observed, slots, standing
from mempalace.beliefs.former import Formed
from mempalace.beliefs.observation import STATED, Observation
from mempalace.kinds import Kinds
from mempalace.model import AGENT, NOTE, USER
from mempalace.store import filing, witness
from mempalace.store.connection import Store
from mempalace.store.witness import Heard, Traces

CLAIM = 240  # characters of a claim that a note makes


def believe(store: Store, env: Mapping[str, str], *, now: int) -> Formed:
    """Form beliefs of all that is new in the palace, in one write, and return what changed.

    A user's words are what the human said in the main thread; a note weighs as an agent's word,
    unless it was filed as the user's. What agents said, and what tools told, states nothing; what
    agents chose to run is evidence, once a session. What has changed since it was read (a fuller
    text, another wing) is read again in place of what it gave before. With nothing new it costs
    one look.
    """
    since = witness.believed(store)
    if since == filing.generation(store):
        return Formed()
    gone = witness.stale(store, since) if since else Traces((), ())
    table = kinds.load(store.palace)
    observations = [*_said(store, since, table), *_done(store, since, table)]
    if not observations and gone == Traces((), ()):
        witness.mark(store, filing.generation(store))
        return Formed()
    generation = filing.begin(store)
    try:
        touched = former.drop(store, gone)
        formed = former.form(store, observations, now=now, generation=generation)
        settled = former.resettle(store, touched, generation=generation)
        witness.mark(store, generation)
        filing.commit(store)
    except BaseException:
        filing.rollback(store)
        raise
    return former.together(formed, settled)


def subject_of(palace: str, kind: str, option: str) -> str:
    """Return the subject under which the table of kinds has an option, "" where it does not know it."""
    subjects = kinds.load(palace).table.get(kind, {}) if kind and option else {}
    wanted = slots.plain(option)
    return next((subject for subject, options in subjects.items() if wanted in map(slots.plain, options)), "")


def noted(palace: str, note: Sequence[Heard], *, kind: str, option: str, origin: str) -> list[Observation]:
    """Return what a note states, as somebody's word: that option of that kind where they are given, else its rules.

    note: its parts, in order.
    """
    if not kind and not option:
        reader = standing.reader()
        table = kinds.load(palace)
        return [rule for part in note for rule in _stated(part, reader, table, origin)]
    first = note[0]
    said = " ".join(first.text.split())
    claim = said if len(said) <= CLAIM else said[: CLAIM - 3].rsplit(" ", 1)[0] + "..."
    subject = subject_of(palace, kind, option)
    return [
        Observation(
            kind, subject, option, first.wing, claim, origin, STATED, first.at, f"{first.key}#told", said, first.id
        )
    ]  # fmt: skip


def _stated(heard: Heard, reader: standing.Reader, table: Kinds, origin: str) -> list[Observation]:
    found = standing.observations(
        heard.text, wing=heard.wing, at=heard.at, key=heard.key, drawer=heard.id, reader=reader, kinds=table
    )
    return [one._replace(origin=origin) for one in found]


def _said(store: Store, since: int, table: Kinds) -> Iterator[Observation]:
    reader = standing.reader()
    for heard in witness.heard(store, since):
        yield from _stated(heard, reader, table, AGENT if heard.kind == NOTE else USER)


def _done(store: Store, since: int, table: Kinds) -> Iterable[Observation]:
    """Return what was chosen in each changed session; doing so again in one session is one observation, the last."""
    roots = witness.roots(store)
    found: dict[str, Observation] = {}
    for deed in witness.done(store, since):
        root, inside = _within(deed.cwd, roots.get(deed.wing, ()))
        seen = observed.observations(
            deed.tool, deed.target, inside=inside, wing=deed.wing, at=deed.at, key=deed.key, kinds=table, root=root
        )
        found.update((one.key, one) for one in seen)
    return found.values()


def _within(cwd: str, roots: Sequence[tuple[str, bool]]) -> tuple[str, str]:
    """Return (the top of the working tree, the folder relative to it, "" for the top).

    roots: a project's folders, and whether each is a pool whose folders are its working trees. Where the
    top is not known, as in a working tree kept below .git, it is the folder itself.
    """
    cwd = cwd.rstrip("/")
    for root, pooled in roots:
        top = root.rstrip("/")
        inside = (cwd + "/").removeprefix(top + "/")
        if inside != cwd + "/" and not inside.startswith(".git/"):
            tree, _, below = inside.partition("/")
            return (f"{top}/{tree}", below.strip("/")) if pooled and tree else (top, inside.strip("/"))
    return cwd, ""
