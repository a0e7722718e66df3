"""A JSON file of the client's: read with all that tells its style, written back in it. Standard library only."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, Optional, Tuple

from mempalace.errors import PalaceError
from mempalace.paths import private, shown

MARK = "\ufeff"  # some editors begin a file with it
DRAFT = ".mempalace"  # behind the name of what is being written; a kill may leave it


def read(path: str, *, strict: bool = False) -> "Tuple[Optional[str], Dict[str, Any]]":
    """Return a file's text as it is, and its object; None and nothing for a file that is not there.

    An empty file holds an empty object, as the client takes it.  strict: raise PalaceError for what
    cannot be understood; otherwise that is nothing.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        bare = text[1:] if text.startswith(MARK) else text
        found = json.loads(bare) if bare.strip() else {}
    except FileNotFoundError:
        return None, {}
    except (OSError, ValueError, RecursionError) as error:
        if strict:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            hint = " (it may hold no comments)" if isinstance(error, json.JSONDecodeError) else ""
            raise PalaceError(
                "%s cannot be read: %s%s: mend it first; nothing was changed" % (shown(path), why, hint)
            ) from None
        return None, {}
    if strict and not isinstance(found, dict):
        raise PalaceError("%s is no JSON object: mend it first; nothing was changed" % shown(path))
    return text, found if isinstance(found, dict) else {}


def dumped(told: Dict[str, Any], like: str) -> str:
    """Return an object as text in the style of another: its indentation, its line ends, its first and last signs.

    >>> dumped({"a": {"b": 1}}, '{\\n\\t"a": 2}')
    '{\\n\\t"a": {\\n\\t\\t"b": 1\\n\\t}\\n}'
    """
    inner = re.search(r"\n([ \t]+)\S", like)
    indent = inner[1] if inner else "  "
    text = json.dumps(told, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which JSON can hold and a file cannot
        text = json.dumps(told, indent=indent)
    bare = like.lstrip(MARK).strip()
    text += "\n" if like.endswith("\n") or not bare else ""
    return (MARK if like.startswith(MARK) else "") + (text.replace("\n", "\r\n") if "\r\n" in like else text)


def write(path: str, text: str) -> None:
    """Replace a file in one step, or raise PalaceError; a link is written through, and the file's mode stays."""
    real = os.path.realpath(path)
    draft = real + DRAFT
    try:
        with open(draft, "w", encoding="utf-8", newline="", opener=private) as file:
            file.write(text)
        if os.path.exists(real):
            os.chmod(draft, os.stat(real).st_mode & 0o777)
        os.replace(draft, real)
    except OSError as error:
        tidy(path)
        raise PalaceError("cannot write %s: %s" % (shown(path), (error.strerror or str(error)).lower())) from error


def tidy(path: str) -> None:
    """Remove what a write that was killed left beside a file."""
    try:
        os.unlink(os.path.realpath(path) + DRAFT)
    except OSError:
        return
