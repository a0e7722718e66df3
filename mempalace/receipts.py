"""What setup changed, kept in the palace until it is undone. Standard library only."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from mempalace.errors import PalaceError
from mempalace.paths import make_private, private, shown

FILE = "setup.json"  # in the palace


class Receipt(NamedTuple):
    """What setup changed. before: the file's text, None where there was none.  after: hash of what was written.

    made: folders that had to be made, outermost first.
    """

    path: str
    before: Optional[str]
    after: str
    made: Tuple[str, ...]


def kept(palace: str) -> List[Receipt]:
    """Return what setup changed and uninstall has not undone, in the order of setup: one for each file."""
    try:
        with open(os.path.join(palace, FILE), encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    found = map(_receipt, told if isinstance(told, list) else [told])
    return [one for one in found if one is not None]


def keep(palace: str, receipts: Sequence[Receipt]) -> None:
    """Keep these receipts and no others. Raises PalaceError where the palace cannot be written to."""
    path = os.path.join(palace, FILE)
    try:
        if not receipts:
            if os.path.lexists(path):
                os.unlink(path)
            return
        make_private(palace)
        with open(path + ".new", "w", encoding="utf-8", opener=private) as file:
            json.dump([one._asdict() for one in receipts], file)
        os.replace(path + ".new", path)
    except OSError as error:
        raise PalaceError("cannot write %s: %s" % (shown(path), (error.strerror or str(error)).lower())) from error


def mark(text: str) -> str:
    """Return the hash by which a text is known again."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _receipt(told: Any) -> Optional[Receipt]:
    try:
        before = told["before"]
        sound = before is None or isinstance(before, str)
        return Receipt(str(told["path"]), before, str(told["after"]), tuple(map(str, told["made"]))) if sound else None
    except (LookupError, TypeError):
        return None
