"""One file's messages and deeds, filed: redacted, cut, weighed, put in their rooms.

Above 250 lines because a session is described while it is filed, in one pass over its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from mempalace import salience as weigh
from mempalace.identity import drawer_id, number
from mempalace.mine.chunk import chunks
from mempalace.mine.cited import Given, cited
from mempalace.mine.events import About, Handed
from mempalace.mine.injected import unwrapped
from mempalace.mine.redact import redact, without_private
from mempalace.mine.rooms import Rooms
from mempalace.mine.turns import Deed, Message
from mempalace.model import PROMPT, REPORT
from mempalace.outcomes import Lexicon, compile_lexicon
from mempalace.sentences import sentences
from mempalace.store import filing
from mempalace.store.connection import Store

UNWRAPPED = ("claude-code", "specstory")  # formats whose readers take wrappers off themselves, block by block
OPENING = 200  # characters of a session's first prompt and last outcome that its source keeps
ERROR = 300  # characters of an error that an action keeps
TARGET = 500  # characters of a command or path that an action keeps
REACH = 4000  # characters of a command or an error in which secrets are sought before it is cut
TELLING = 40  # characters; a shorter outcome ("Committed and pushed.") tells little by itself
SMALL_TALK = 12  # characters; a shorter first prompt says nothing about its session


class Language:
    """What mining knows of words: outcomes and rooms."""

    def __init__(self, lexicons: Iterable[dict[str, Any]], extra: Iterable[str] = ()) -> None:
        data = list(lexicons)
        self.lexicon: Lexicon = compile_lexicon(data, extra)
        self.rooms = Rooms(data)


@dataclass
class Filed:
    """What filing did: counts for the report."""

    drawers: int = 0
    actions: int = 0
    redacted: int = 0
    forgotten: int = 0
    repeated: int = 0
    cited: int = 0
    never_given: int = 0
    wings: set[int] = field(default_factory=set)
    sources: set[int] = field(default_factory=set)
    handed: list[tuple[str, Handed]] = field(default_factory=list)
    sessions: dict[str, int] = field(default_factory=dict)  # when each of them began, as far as it was read


@dataclass
class _Source:
    """A session being filed: its row, and what has been learned about it."""

    n: int
    wing: int
    elsewhere: str = ""
    cwd: str = ""
    opening: str = ""
    outcome: str = ""
    first: int = 0
    last: int = 0

    def seen(self, at: int) -> None:
        if at:
            self.first = min(self.first or at, at)
            self.last = max(self.last, at)


class Filer:
    """Files what one transcript says under one source after another.

    wing_of: gives the row of the wing for a working folder.  tombs: what was forgotten and stays
    so: drawers by id, actions by key, titles.  gone: whole sources.
    """

    def __init__(
        self, store: Store, language: Language, *, harness: str, path: str, now: int, generation: int,
        wing_of: Callable[[str], int], tombs: frozenset[str] = frozenset(), gone: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.store = store
        self.language = language
        self.harness = harness
        self.path = path
        self.now = now
        self.generation = generation
        self.wing_of = wing_of
        self.tombs = tombs
        self.gone = gone
        self.filed = Filed()
        self.session = ""
        self.cwd = ""
        self._source: _Source | None = None
        self._given = Given(store.palace)
        self._title = ""
        self._branch = ""

    def take(self, item: Message | Deed | About | Handed) -> None:
        """File one message or deed, or note a fact about the session."""
        if isinstance(item, About):
            self._about(item)
        elif self._id in self.gone:
            self.filed.forgotten += isinstance(item, Message)
        elif isinstance(item, Handed):
            self.filed.handed.append((self._id, item))
        elif isinstance(item, Message):
            self._message(item)
        else:
            self._deed(item)

    def _about(self, about: About) -> None:
        if about.session and about.session != self.session:
            if self.session:
                self.close()
                self._title = self._branch = ""
            self.session, self.cwd = about.session, ""
        if about.cwd and not self.cwd:
            self.cwd = about.cwd
        self._title = about.title or self._title
        self._branch = about.branch or self._branch

    @property
    def _id(self) -> str:
        return self.session or self.path

    @property
    def waiting(self) -> bool:
        """Whether a title still waits for the first words of its session."""
        return bool(self._title) and self._source is None and self._id not in self.gone

    def _open(self) -> _Source:
        if self._source is None:
            wing = self.wing_of(self.cwd)
            n, kept, path = filing.ensure_source(
                self.store, id=self._id, wing=wing, harness=self.harness, path=self.path,
                generation=self.generation,
            )  # fmt: skip
            self._source = _Source(n, kept, elsewhere="" if path == self.path else self.path, cwd=self.cwd)
        return self._source

    def close(self) -> None:
        """Write down what was learned about the session now open, if anything of it was ever filed."""
        if self._source is None and (self._title or self._branch) and filing.has_source(self.store, self._id):
            self._open()
        source, self._source = self._source, None
        if source is None:
            return
        self.filed.sources.add(source.n)
        self.filed.sessions.setdefault(self._id, source.first)
        title, hidden = redact(without_private("" if f"title {self._id}" in self.tombs else self._title))
        self.filed.redacted += hidden
        filing.describe_source(
            self.store, source.n, generation=self.generation, title=title[:OPENING], branch=self._branch,
            cwd=source.cwd, opening=source.opening, outcome=source.outcome, first=source.first, last=source.last,
        )  # fmt: skip
        self._title = self._branch = ""

    def _message(self, message: Message) -> None:
        wrapped = message.kind == PROMPT and self.harness not in UNWRAPPED
        said = unwrapped(message.text) if wrapped else message.text
        text, hidden = redact(without_private(said.replace("\0", "")))
        if not text.strip():
            return
        source = self._open()
        source.seen(message.at)
        if message.kind != PROMPT:
            self._citations(message, text)
        self.filed.redacted += hidden
        rows, known = self._rows(source, message, text)
        if not any(row.id in self.tombs for row in rows):
            self._describe(source, message, text)
        while known and _another(rows, known):
            message = message._replace(key=message.key + "\x1f")
            rows, known = self._rows(source, message, text)
        if known:
            self._again(rows, known, message.kind)
            return
        kept = [row for row in rows if row.id not in self.tombs]
        self.filed.forgotten += len(rows) - len(kept)
        self._write(source, kept)

    def _citations(self, message: Message, text: str) -> None:
        """Note which given memories the agent cites here, and what it cites without having been given it."""
        for short in cited(text):
            full = self._given.full(self.session, short)
            news = filing.note_citation(
                self.store, session=self.session, id=full or short, given=bool(full), at=message.at
            )
            self.filed.cited += news and bool(full)
            self.filed.never_given += news and not full

    def _rows(self, source: _Source, message: Message, text: str) -> tuple[list[filing.Row], list[filing.Part]]:
        """Return a message's drawers, and those that are filed under its key."""
        key = number(message.key)
        room = self.language.rooms.of(text)
        at = message.at or source.last
        rows = [
            filing.Row(
                drawer_id(source=message.key, ordinal=part, text=piece), source.wing, source.n, room, message.kind,
                message.aside, key, part, message.line, at, piece, weigh.salience(piece, self.language.lexicon),
                path=source.elsewhere,
            )
            for part, piece in enumerate(chunks(text))
        ]  # fmt: skip
        return rows, filing.filed_message(self.store, key)

    def _again(self, rows: list[filing.Row], known: list[filing.Part], kind: str) -> None:
        """Meet a message that is filed already: repeated, grown, or turned out another kind."""
        ours = known[0].source == rows[0].source
        fewer = [row for row in rows if row.id not in self.tombs]
        if not ours or [row.id for row in fewer] == [part.id for part in known]:
            self.filed.repeated += 1
            if ours and known[0].kind != kind:
                filing.set_kind(self.store, rows[0].message, kind, generation=self.generation)
                self.filed.wings.add(rows[0].wing)
            return
        filing.unfile_message(self.store, rows[0].message, generation=self.generation, now=self.now)
        self._write(self._open(), fewer)

    def _write(self, source: _Source, rows: list[filing.Row]) -> None:
        if rows:
            filing.file_drawers(self.store, rows, now=self.now, generation=self.generation)
            self.filed.drawers += len(rows)
            self.filed.wings.add(source.wing)

    def _describe(self, source: _Source, message: Message, text: str) -> None:
        if message.aside:
            return
        if message.kind == PROMPT and not source.opening and len(text.strip()) >= SMALL_TALK:
            # Without what is no word: pasted banners, boxes, bullets.
            words = [word for word in text.split() if any(map(str.isalnum, word))]
            source.opening = " ".join(words)[:OPENING]
        elif message.kind == REPORT:
            source.outcome = told_outcome(text, self.language.lexicon) or source.outcome

    def _deed(self, deed: Deed) -> None:
        source = self._open()
        source.seen(deed.at)
        # Redacted first and cut then: half a token would not be known for one.
        target, hidden = redact(without_private(_reached(deed.target)))
        error, more = redact(without_private(_reached(deed.error)))
        target, error = target[:TARGET], error[:ERROR]
        self.filed.redacted += hidden + more
        key = number(deed.key or f"{self.path}\x1f{deed.line}\x1f{deed.tool}\x1f{target}")
        if str(key) in self.tombs:
            self.filed.forgotten += 1
            return
        row = filing.Deed(key, source.n, deed.tool, target, deed.ok, error, deed.aside, deed.line, deed.at)
        self.filed.actions += filing.file_actions(self.store, [row], generation=self.generation)


def _reached(text: str) -> str:
    """Return as much of a text as secrets are sought in, without the token that its end may halve."""
    if len(text) <= REACH:
        return text
    whole = text[:REACH].rsplit(None, 1)
    return whole[0] if len(whole) > 1 else text[:REACH]


def _another(rows: list[filing.Row], known: list[filing.Part]) -> bool:
    """Tell whether these are other words than those filed under the same key.

    An agent may speak again behind a tool call of one message. A message that has grown still
    stands in its line, or opens as it did.
    """
    if known[0].source != rows[0].source or known[0].line == rows[0].line:
        return False
    text, filed = "".join(row.text for row in rows), "".join(part.text for part in known)
    return not text.startswith(filed)


def told_outcome(text: str, lexicon: Lexicon) -> str:
    """Return the sentence of a report that best tells what came of it, "" where none tells anything.

    The first that states an outcome in enough words to be understood alone, else the longest
    that states one, else the report's first sentence.
    """
    told = [
        s for s in sentences(text, lexicon.abbreviations) if len(s) >= weigh.SHORTEST and not s.endswith((":", "："))
    ]
    stated = [s for s in told if weigh.has_outcome(s, lexicon)]
    full = [s for s in stated if len(s) >= TELLING]
    best = full[0] if full else max(stated, key=len) if stated else told[0] if told else ""
    return best[:OPENING]
