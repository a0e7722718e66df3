"""Changing `config.toml`: one setting at a time, with the user's comments and order left as they are."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import tomlkit
from filelock import FileLock, Timeout
from tomlkit.exceptions import TOMLKitError

from mempalace import config
from mempalace.errors import NotFound, PalaceError, PalaceLocked
from mempalace.paths import make_private, shown
from mempalace.projects import project_of
from mempalace.settings import BY_NAME, HOOKS, PROJECTS, Key, instead

ALONE = "config.lock"
PATIENCE = 10  # seconds for another command's change
MARK = "\ufeff"  # some editors begin a file with it


def key(name: str) -> Key:
    """Return the setting of that name; raises NotFound with the names there are."""
    if name not in BY_NAME:
        raise NotFound(f"no setting is called {name!r}{instead(name, list(BY_NAME))}")
    return BY_NAME[name]


def value_of(setting: Key, words: Sequence[str]) -> Any:
    """Return the value that words on a command line mean: as TOML, as a word, or as a list of words.

    Raises PalaceError for what the setting cannot be.
    """
    meant: list[Any] = [_as_toml(words[0]), words[0]] if len(words) == 1 else []
    for value in [*meant, list(words)]:
        if setting.fits(value):
            return value
    raise PalaceError(f"{setting.name} must be {setting.must}, not {' '.join(words)}")


def put(palace: str, setting: Key, value: Any) -> None:
    """Write a setting into the palace's file, made where missing. Raises PalaceError."""
    _edit(palace, lambda document: document.update({setting.name: value}))


def drop(palace: str, setting: Key) -> bool:
    """Take a setting out of the palace's file; tell whether it was there. Raises PalaceError."""
    return _edit(palace, lambda document: document.pop(setting.name, None)) is not None


def switch(palace: str, hook: str, folder: str, *, off: bool) -> None:
    """Switch a hook, or every one for "", off or on: everywhere, or in the project that a folder lies in.

    Raises PalaceError.
    """
    _edit(palace, lambda document: _switch(document, hook, project_of(folder).root if folder else "", off))


def _switch(document: Any, hook: str, project: str, off: bool) -> None:
    table = document
    if project:
        tables = document.setdefault(PROJECTS, tomlkit.table(is_super_table=True))
        table = tables.setdefault(project, tomlkit.table())
    held = table.get("off", False)
    value = switched(held.unwrap() if hasattr(held, "unwrap") else held, hook, off)
    if value:
        table["off"] = value
        return
    table.pop("off", None)
    if project and not table:
        del tables[project]
        if not tables:
            del document[PROJECTS]


def switched(held: Any, hook: str, off: bool) -> Any:
    """Return what `off` becomes: True for every hook, a list of some in the order of HOOKS, empty for none.

    >>> switched(True, "recall", False)
    ['wake-up', 'guard', 'command', 'file-away', 'serve']
    """
    if not hook:
        return off
    if held is True and off:
        return True
    silent = set(HOOKS if held is True else held or ())
    silent = silent | {hook} if off else silent - {hook}
    return [name for name in HOOKS if name in silent]


def _as_toml(word: str) -> Any:
    try:
        made = tomllib.loads(f"value = {word}")
    except ValueError:
        return None
    return made["value"] if len(made) == 1 else None


def _edit(palace: str, change: Callable[[Any], Any]) -> Any:
    """Change the file and return what the change returned; the file is replaced whole, or stays as it was.

    One change at a time: what another process changes meanwhile is not lost.
    """
    path = os.path.realpath(config.path(palace))  # a link to the user's own files stays one
    lock = FileLock(os.path.join(palace, ALONE), timeout=PATIENCE, mode=0o600)
    try:
        make_private(palace)
        lock.acquire()
    except Timeout:
        raise PalaceLocked(f"{shown(path)} is being changed by another command: try again") from None
    except OSError as error:
        raise PalaceError(f"cannot write {shown(path)}: {(error.strerror or str(error)).lower()}") from error
    try:
        result = _changed(path, change)
    finally:
        lock.release()
    config.load(palace)  # so that an older Python's hooks find it read
    return result


def _changed(path: str, change: Callable[[Any], Any]) -> Any:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    except (OSError, ValueError) as error:
        raise PalaceError(f"{shown(path)} cannot be read ({error}): correct it first") from error
    try:
        document = tomlkit.parse(before.removeprefix(MARK))
        result = change(document)
        after = tomlkit.dumps(document)
        tomllib.loads(after)
    except (TOMLKitError, ValueError, RecursionError, TypeError, AttributeError) as error:
        raise PalaceError(f"{shown(path)} cannot be changed ({error}): correct it first") from error
    if before.count("\r\n") == before.count("\n") > 0:  # a new line ends as the others do
        after = re.sub("\r?\n", "\r\n", after)
    after = MARK * before.startswith(MARK) + after
    if after != before:
        _write(path, after)
    return result


def _write(path: str, text: str) -> None:
    try:
        make_private(os.path.dirname(path))
        handle, draft = tempfile.mkstemp(prefix=os.path.basename(path), dir=os.path.dirname(path))  # for us alone
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError as error:
        raise PalaceError(f"cannot write {shown(path)}: {(error.strerror or str(error)).lower()}") from error


def as_toml(value: Any) -> str:
    """Return a value as it is written in the file."""
    return str(tomlkit.item(value).as_string())
