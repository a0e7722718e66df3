"""What every hook did, recorded loudly: one appended line a run. Standard library only."""

from __future__ import annotations

import json
import os
from typing import AbstractSet, Any, Callable, Dict, Iterator, List, Optional, Sequence

from mempalace.paths import TRAJECTORY, make_private

LARGEST = 2_000_000  # bytes; then the file is moved aside, and one older one is kept


def record(palace: str, event: Dict[str, Any]) -> bool:
    """Append the event to the palace's trajectory and tell whether it is on disk.

    One write of one line in append mode, so that hooks running side by side never mix lines
    and never wait. Where the palace cannot be written to, the line goes to `refuge()`.
    """
    line = (json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")
    return _recorded(palace, line) or _recorded(refuge(), line)


def refuge() -> str:
    """Return the folder that takes the trajectory when the palace cannot be written to."""
    import tempfile  # five milliseconds that a sound palace need not pay

    owner = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(tempfile.gettempdir(), "mempalace-%s" % owner)


def events(palace: str) -> Iterator[Dict[str, Any]]:
    """Yield the recorded events, oldest first; lines that cannot be read are passed over."""
    for folder in (refuge(), palace):
        for name in (TRAJECTORY + ".1", TRAJECTORY):
            try:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        event = _event(line)
                        if event is not None:
                            yield event
            except OSError:
                continue


def follow(palace: str, wait: Callable[[], None]) -> Iterator[Dict[str, Any]]:
    """Return the events that are recorded in the palace from now on, without end.

    wait: called where there is none for the moment.  A file that was moved aside is read to its
    end, then the new one from its start.
    """
    path = os.path.join(palace, TRAJECTORY)
    try:
        found = os.stat(path)
    except OSError:
        return _following(path, 0, 0, wait)
    return _following(path, found.st_ino, found.st_size, wait)


def _following(path: str, inode: int, offset: int, wait: Callable[[], None]) -> Iterator[Dict[str, Any]]:
    while True:
        lines: List[bytes] = []
        for name in (path + ".1", path):
            try:
                with open(name, "rb") as file:
                    found = os.fstat(file.fileno())
                    if found.st_ino != inode and name != path:
                        continue
                    if found.st_ino != inode or found.st_size < offset:
                        inode, offset = found.st_ino, 0
                    file.seek(offset)
                    whole = file.read().rpartition(b"\n")[0]  # half of a line waits for its end
            except OSError:
                continue
            if whole:
                offset += len(whole) + 1
                lines += whole.split(b"\n")
        for line in lines:
            event = _event(line.decode("utf-8", "replace"))
            if event is not None:
                yield event
        if not lines:
            wait()


def _event(line: str) -> Optional[Dict[str, Any]]:
    """Return the event of a line, None where it cannot be read."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def last_recall(palace: str, id: str) -> "tuple[int, str] | None":
    """Return (when, what became of it) of the last prompt for which a drawer was considered, or None."""
    found = None
    for event in events(palace):
        if event.get("hook") != "recall" or not isinstance(event.get("at"), int):
            continue
        if id in (event.get("ids") or ()):
            found = (event["at"], "given")
        elif id in (event.get("left") or ()):
            found = (event["at"], str(event["left"][id]))
    return found


def scrub(palace: str, ids: Sequence[str]) -> None:
    """Take every mention of the ids out of the trajectory: forgotten is forgotten here too."""
    wanted = set(ids)
    for path in _files(palace):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
        except OSError:
            continue
        kept = [_without(line, wanted) for line in lines]
        if kept != lines:
            draft = "%s.%d" % (path, os.getpid())
            with open(draft, "w", encoding="utf-8") as file:
                file.writelines(kept)
            os.chmod(draft, 0o600)
            os.replace(draft, path)


def holding(palace: str, ids: Sequence[str]) -> int:
    """Return how many lines of the trajectory mention one of the ids."""
    wanted = set(ids)
    count = 0
    for path in _files(palace):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                count += sum(_without(line, wanted) != line for line in file)
        except OSError:
            continue
    return count


def _files(palace: str) -> List[str]:
    return [os.path.join(folder, name) for folder in (palace, refuge()) for name in (TRAJECTORY, TRAJECTORY + ".1")]


def _without(line: str, ids: AbstractSet[str]) -> str:
    """Return a line without the ids."""
    event = _event(line)
    if event is None:
        return line
    told, left = event.get("ids"), event.get("left")
    told, left = told if isinstance(told, list) else [], left if isinstance(left, dict) else {}
    if not any(isinstance(id, str) and id in ids for id in [*told, *left]):
        return line
    event["ids"] = [id for id in told if id not in ids]
    event["left"] = {id: why for id, why in left.items() if id not in ids}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n"


def _recorded(folder: str, line: bytes) -> bool:
    try:
        make_private(folder)
        _append(os.path.join(folder, TRAJECTORY), line)
    except OSError:
        return False
    return True


def _append(path: str, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line)
        full = os.fstat(handle).st_size > LARGEST
    finally:
        os.close(handle)
    if full:
        os.replace(path, path + ".1")
