"""One miner at a time in a palace; whoever comes second leaves a request and goes."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from filelock import FileLock, Timeout

from mempalace.errors import PalaceError, PalaceLocked
from mempalace.paths import LOCK, REQUESTS, make_private, private, shown

Request = dict[str, Any]


def pass_through(palace: str, request: Request, work: Callable[[Request], None]) -> bool:
    """Do the request's work, and whatever others asked for meanwhile; tell whether it was done here.

    False: another miner is at work and has taken the request over; nothing is lost, for the
    request is on disk before the lock is tried, and the holder looks again after letting go.
    """
    try:
        _leave(palace, request)
    except OSError as error:
        raise PalaceError(f"cannot write to {shown(palace)}: {(error.strerror or str(error)).lower()}") from error
    done = False
    while pending(palace):
        lock = FileLock(os.path.join(palace, LOCK), timeout=0, mode=0o600)
        try:
            with lock:
                done = True
                for path in pending(palace):
                    taken = _read(path)
                    if taken is not None:
                        work(taken)
                    os.unlink(path)
        except Timeout:
            return done
    return done


@contextlib.contextmanager
def turn(palace: str, seconds: float) -> Iterator[None]:
    """Hold the palace's lock for a short change; raises PalaceLocked after waiting so long for a miner."""
    lock = FileLock(os.path.join(palace, LOCK), timeout=seconds, mode=0o600)
    try:
        make_private(palace)
        lock.acquire()
    except OSError as error:  # Timeout is one, and comes first where it applies
        if not isinstance(error, Timeout):
            raise PalaceError(f"cannot write to {shown(palace)}: {error.strerror or error}") from error
        raise PalaceLocked("a miner is at work in this palace: try again when it is done") from None
    try:
        yield
    finally:
        lock.release()


def pending(palace: str) -> list[str]:
    """Return the files of the requests not yet done, oldest first."""
    folder = os.path.join(palace, REQUESTS)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names)]


def _leave(palace: str, request: Request) -> None:
    folder = os.path.join(palace, REQUESTS)
    make_private(palace)
    make_private(folder)
    name = f"{len(pending(palace)):06d}-{uuid.uuid4().hex}"
    draft = os.path.join(folder, name)
    with open(draft, "w", encoding="utf-8", opener=private) as file:
        json.dump(request, file)
    os.replace(draft, draft + ".json")


def _read(path: str) -> Request | None:
    try:
        with open(path, encoding="utf-8") as file:
            loaded = json.load(file)
    except (OSError, ValueError):
        return None
    return loaded if isinstance(loaded, dict) else None
