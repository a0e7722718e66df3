"""What can go wrong in a way a user can mend."""

from __future__ import annotations


class PalaceError(Exception):
    """Something a user can mend; the message names the thing and the remedy."""


class NoPalace(PalaceError):
    """There is no palace at the given place yet."""


class PalaceLocked(PalaceError):
    """Another process holds the palace for longer than we may wait."""


class PalaceCorrupt(PalaceError):
    """The palace's file is not a sound database."""


class PalaceTooNew(PalaceError):
    """The palace was written by a newer mempalace than this one."""


class NotFound(PalaceError):
    """Nothing in the palace answers to that name or id."""
