"""What every hook did, recorded loudly: one appended line a run. Standard library only."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, Iterator

from mempalace.paths import TRAJECTORY, make_private

LARGEST = 2_000_000  # bytes; then the file is moved aside, and one older one is kept


def record(palace: str, event: Dict[str, Any]) -> bool:
    """Append the event to the palace's trajectory and tell whether it is on disk.

    One write of one line in append mode, so that hooks running side by side never mix lines
    and never wait. Where the palace cannot be written to, the line goes to `refuge()`.
    """
    line = (json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")
    for folder in (palace, refuge()):
        try:
            make_private(folder)
            _append(os.path.join(folder, TRAJECTORY), line)
        except OSError:
            continue
        return True
    return False


def refuge() -> str:
    """Return the folder that takes the trajectory when the palace cannot be written to."""
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(tempfile.gettempdir(), "mempalace-%s" % owner)


def events(palace: str) -> Iterator[Dict[str, Any]]:
    """Yield the recorded events, oldest first; lines that cannot be read are passed over."""
    for folder in (refuge(), palace):
        for name in (TRAJECTORY + ".1", TRAJECTORY):
            try:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        try:
                            event = json.loads(line)
                        except ValueError:
                            continue
                        if isinstance(event, dict):
                            yield event
            except OSError:
                continue


def _append(path: str, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line)
        full = os.fstat(handle).st_size > LARGEST
    finally:
        os.close(handle)
    if full:
        os.replace(path, path + ".1")
