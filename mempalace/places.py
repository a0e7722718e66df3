"""Where a belief holds: path globs. Pure, standard library only."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Sequence, Tuple


def covers(glob: str, path: str) -> bool:
    """Tell whether a glob covers a path; both are relative to the project, with forward slashes.

    `*` and `?` stay within a folder, `**` does not; what is covered is so with all beneath it. A
    glob without a slash matches at any depth. The empty glob covers everything, even no path.

    >>> covers("packages/legacy", "packages/legacy/src/a.js"), covers("*.md", "docs/a.md")
    (True, True)
    """
    if not glob:
        return True
    return bool(path) and _fits(_folders(glob), _clean(path).split("/"), DEEP, _name_fits)


def narrowness(glob: str) -> int:
    """Return how narrow a glob is, by its literal characters; 0 for the empty one."""
    return len(glob) - glob.count("*") - glob.count("?") if glob else 0


def _clean(path: str) -> str:
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path.strip("/")


DEEP = "**"


@lru_cache(maxsize=512)
def _folders(glob: str) -> Tuple[str, ...]:
    """Return the names a glob asks for, `**` for any number of folders; what lies beneath is covered too."""
    told = _clean(glob)
    names = told.split("/") if "/" in told else [DEEP, told]
    found = []
    for name in names:
        deep = name.startswith(DEEP) or name == DEEP
        found += [DEEP] if deep else []
        if name != DEEP:
            found.append(name.replace(DEEP, "*"))
            found += [DEEP] if name.endswith(DEEP) else []
    return (*found, DEEP)


def _name_fits(pattern: str, name: str) -> bool:
    return pattern == name or (("*" in pattern or "?" in pattern) and _fits(pattern, name, "*", _letter_fits))


def _letter_fits(pattern: str, letter: str) -> bool:
    return pattern in ("?", letter)


def _fits(pattern: Sequence[str], text: Sequence[str], star: str, fits: Callable[[str, str], bool]) -> bool:
    """Tell whether a pattern fits the whole text; its length times the text's at the most, however many stars.

    On a mismatch only the last star takes one more: whatever an earlier one could take, it could as well.
    """
    at = here = 0
    last, taken = -1, 0
    while here < len(text):
        if at < len(pattern) and pattern[at] == star:
            last, taken, at = at, here, at + 1
        elif at < len(pattern) and fits(pattern[at], text[here]):
            at, here = at + 1, here + 1
        elif last >= 0:
            taken += 1
            at, here = last + 1, taken
        else:
            return False
    return all(one == star for one in pattern[at:])
