"""What an index that is damaged raises, told in words that name the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mempalace.errors import PalaceError


class Damaged(PalaceError):
    """The index's files are not what was written there."""


@contextmanager
def told() -> Iterator[None]:
    """Raise Damaged for what the index's library raises within, its panics too, which are no Exception."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise Damaged(_said(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Damaged(_said(error)) from error


def _said(error: BaseException) -> str:
    reason = " ".join(str(error).split())
    return f'the search index is damaged: run "mempalace doctor --rebuild" ({reason[:80]})'
