"""What a transcript format has to offer to be mined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mempalace.mine.events import Event
from mempalace.mine.transcript import Transcript


class Harness(Protocol):
    """One transcript format.

    name: how `--harness` and the palace call it.
    grows: whether its files only ever grow, so that reading may continue at an offset.
    """

    name: str
    grows: bool

    def stores(self, home: str) -> list[str]:
        """Return the folders or files below `home` where this harness keeps transcripts."""
        ...

    def recognises(self, path: str, head: bytes) -> bool:
        """Tell by content (the file's first 64 KiB) whether this is one of its transcripts."""
        ...

    def read(self, transcript: Transcript) -> Iterator[Event]:
        """Yield what the transcript says, in file order; bad records as `Malformed`."""
        ...
