"""Where a belief holds: path globs. Pure, standard library only."""

from __future__ import annotations

import re
from functools import lru_cache


def covers(glob: str, path: str) -> bool:
    """Tell whether a glob covers a path; both are relative to the project, with forward slashes.

    `*` and `?` stay within a folder, `**` does not; what is covered is so with all beneath it. A
    glob without a slash matches at any depth. The empty glob covers everything, even no path.

    >>> covers("packages/legacy", "packages/legacy/src/a.js"), covers("*.md", "docs/a.md")
    (True, True)
    """
    if not glob:
        return True
    return bool(path) and _pattern(glob).fullmatch(_clean(path)) is not None


def narrowness(glob: str) -> int:
    """Return how narrow a glob is, by its literal characters; 0 for the empty one."""
    return len(glob) - glob.count("*") - glob.count("?") if glob else 0


def _clean(path: str) -> str:
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path.strip("/")


@lru_cache(maxsize=512)
def _pattern(glob: str) -> "re.Pattern[str]":
    told = _clean(glob)
    told = told[:-3] if told.endswith("/**") else told
    told = re.sub(r"(\*\*/)+", "**/", told)  # each more would multiply the time by the path's length
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", told)
    start = "" if "/" in told else "(?:.*/)?"
    return re.compile(start + "".join(signs.get(part) or re.escape(part) for part in parts) + "(?:/.*)?", re.S)
