"""Events gathered into messages, each marked by who speaks and what follows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mempalace.identity import fallback_key
from mempalace.mine.events import AGENT, HUMAN, About, Did, Event, Handed, Malformed, Outcome, Said, Skipped
from mempalace.model import NARRATION, PROMPT, REPORT


class Message(NamedTuple):
    """One message, whole.

    kind: prompt, report or narration.  key: the same wherever the message is repeated.
    """

    kind: str
    text: str
    key: str
    at: int
    line: int
    aside: bool


class Deed(NamedTuple):
    """One tool call and how it ended; ok is None where the transcript does not tell."""

    key: str
    tool: str
    target: str
    ok: bool | None
    error: str
    at: int
    line: int
    aside: bool


@dataclass
class Reading:
    """What one file said, counted while it is read.

    resume, resume_line: where the next reading has to start, so that a message still open, a
    report that may turn out narration, and a call without its outcome are read again whole.
    """

    skipped: Counter[str] = field(default_factory=Counter)
    malformed: list[Malformed] = field(default_factory=list)
    resume: int = 0
    resume_line: int = 0


@dataclass
class _Thread:
    """One speaker's thread: the messages since its last tool call or prompt."""

    tail: list[Message] = field(default_factory=list)
    offsets: list[tuple[int, int]] = field(default_factory=list)


class Turns:
    """Gathers one file's events; ask `reading` for the counts when it is done."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.reading = Reading()
        self._threads = {False: _Thread(), True: _Thread()}
        self._calls: dict[str, Did] = {}
        self._older: dict[str, Did] = {}  # made before the last prompt
        self._seen: Counter[tuple[str, str]] = Counter()

    def gather(self, events: Iterable[Event]) -> Iterator[Message | Deed | About | Handed]:
        """Yield messages, deeds and facts about the session, in the order they are settled."""
        for event in events:
            if isinstance(event, Said):
                yield from self._said(event)
            elif isinstance(event, Did):
                yield from self._close(event.aside, NARRATION)
                self._calls[event.key or f"{event.line}"] = event
            elif isinstance(event, Outcome):
                called = self._calls.pop(event.key, None) or self._older.pop(event.key, None)
                if called:
                    yield _deed(called, event.ok, event.error)
            elif isinstance(event, About):
                if event.session and event.session != self.source:
                    yield from self._settle()
                    self.source = event.session
                yield event
            elif isinstance(event, Handed):
                yield event
            elif isinstance(event, Skipped):
                self.reading.skipped[event.type] += 1
            else:
                self.reading.malformed.append(event)

    def finish(self, *, end: int, end_line: int) -> Iterator[Message | Deed | About]:
        """Yield what is still open, and note where the next reading has to start."""
        starts = [at for thread in self._threads.values() for at in thread.offsets[:1]]
        starts += [(did.offset, did.line - 1) for did in (*self._calls.values(), *self._older.values())]
        # Without keys the messages are told apart by counting their like from the start.
        self.reading.resume, self.reading.resume_line = (0, 0) if self._seen else min(starts, default=(end, end_line))
        yield from self._settle()

    def _settle(self) -> Iterator[Message | Deed | About]:
        yield from self._turn()
        yield from self._turn()

    def _turn(self) -> Iterator[Message | Deed]:
        """Close what was said. A call still waits for its outcome: a prompt may be queued meanwhile."""
        yield from self._close(False, REPORT)
        yield from self._close(True, REPORT)
        yield from (_deed(did, None, "") for did in self._older.values())
        self._calls, self._older = {}, self._calls

    def _said(self, said: Said) -> Iterator[Message | Deed | About]:
        if said.role == HUMAN:
            yield from self._turn()
            yield Message(PROMPT, said.text, self._key(said), said.at, said.line, said.aside)
            return
        thread = self._threads[said.aside]
        if thread.tail and said.key and thread.tail[-1].key == said.key:
            last = thread.tail[-1]
            thread.tail[-1] = last._replace(text=last.text + "\n\n" + said.text)
            return
        thread.tail.append(Message(REPORT, said.text, self._key(said), said.at, said.line, said.aside))
        thread.offsets.append((said.offset, said.line - 1))

    def _key(self, said: Said) -> str:
        if said.key:
            return said.key
        role = said.role if said.role in (HUMAN, AGENT) else AGENT
        self._seen[role, said.text] += 1
        return fallback_key(source=self.source, role=role, text=said.text, nth=self._seen[role, said.text])

    def _close(self, aside: bool, kind: str) -> Iterator[Message]:
        thread = self._threads[aside]
        yield from (message._replace(kind=kind) for message in thread.tail)
        self._threads[aside] = _Thread()


def _deed(did: Did, ok: bool | None, error: str) -> Deed:
    return Deed(did.key, did.tool, did.target, ok, error, did.at, did.line, did.aside)
