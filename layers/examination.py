"""Looking the palace over: its installation, its hooks, its file, its index, its place on disk."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator

from mempalace import trajectory
from mempalace.errors import NoPalace, PalaceError, PalaceLocked
from mempalace.layers import hookup, interpreters
from mempalace.layers.findings import BAD, INDEX, OK, PALACE, SECTIONS, WARN, Finding, Place, ago
from mempalace.mine import turnstile
from mempalace.paths import LOCK, shown
from mempalace.search import state
from mempalace.search.engine import Engine
from mempalace.store import backup, beliefs, looking, reading, signs
from mempalace.store.connection import Store, open_reader
from mempalace.store.schema import VERSION

DAY = 86_400
LONG = 3600  # seconds that a request may wait for the miner at work
ROOMY, LEAST = 3, 100_000_000  # times the palace, and bytes, that are to be free
LARGE = 20_000_000  # bytes of an index; a smaller one is mostly what any index needs
MINE, REBUILD = 'run "mempalace mine"', 'run "mempalace doctor --rebuild"'
RESTORE = 'restore a backup with "mempalace restore FILE"'


def examination(place: Place) -> list[Finding]:
    """Return what is found, section by section; changes nothing. Raises NoPalace where there is none."""
    held = _held(place)  # first: what every command says where there is no palace
    found = [*interpreters.interpreters(place), *hookup.hooks(place), *hookup.settings(place), *held]
    found += [*_rights(place.palace), *_room(place.palace), *_waiting(place)]
    return sorted(found, key=lambda one: SECTIONS.index(one.section))


def _held(place: Place) -> list[Finding]:
    """Look at the palace's file, and where it is sound at what it holds."""
    found: list[Finding] = []
    try:
        with open_reader(place.palace) as store:
            problems = backup.examine(store)
            if problems:
                return [Finding(PALACE, BAD, f"palace.db is damaged ({problems[0]})", RESTORE)]
            found.append(Finding(PALACE, OK, f"palace.db at {shown(store.palace)} is sound"))
            if store.version < VERSION:
                what = f"palace.db is of schema {store.version}, not yet of {VERSION}"
                found.append(Finding(PALACE, WARN, what, MINE))
            found.append(_holding(store, place.now))
            found += [*_clock(store, place), *_index(store)]
    except NoPalace:
        raise
    except PalaceError as error:
        found.append(Finding(PALACE, BAD, str(error), RESTORE + " where it is damaged"))
    return found


def _holding(store: Store, now: int) -> Finding:
    told = looking.counts(store)
    believed = len(beliefs.every(store, now=now, retired=False))
    numbers = {"drawer": told["drawers"], "session": told["sources"], "wing": told["wings"]}
    numbers.update(belief=believed, outcome=signs.outcomes(store))
    what = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in numbers.items())
    return Finding(PALACE, OK, f"it holds {what}")


def _clock(store: Store, place: Place) -> Iterator[Finding]:
    """Say where something happened later than now: ages are wrong then, and nothing else is."""
    runs = (event.get("at") for event in trajectory.events(place.palace))
    times = [at for at in runs if isinstance(at, int)]
    newest = max(looking.counts(store)["newest_at"], looking.last_filed_at(store), *times[-1:])
    if newest > place.now + DAY:
        when = time.strftime("%Y-%m-%d", time.gmtime(newest))
        what = f"the newest that is recorded is of {when}, {ago(place.now - newest)}: was the clock set back?"
        yield Finding(PALACE, WARN, what, "set this machine's clock")


def _index(store: Store) -> Iterator[Finding]:
    held = state.read(store.palace)
    if held is None:
        yield Finding(INDEX, WARN, "the index is missing or unreadable", REBUILD)
        return
    if not state.usable(held):
        yield Finding(INDEX, WARN, "the index was built by another version", REBUILD)
        return
    try:
        Engine(store.palace)
    except PalaceError as error:
        yield Finding(INDEX, WARN, str(error).partition(":")[0], REBUILD)
        return
    if reading.behind(store, held.generation):
        yield Finding(INDEX, WARN, "the index is behind the palace", MINE)
    else:
        yield Finding(INDEX, OK, "the index is current")
    size = _size(state.folder(store.palace))
    if size > LARGE and size > 3 * looking.text_bytes(store):
        yield Finding(INDEX, WARN, f"the index has grown to {size / 1e6:.0f} MB, over 3 times the text", REBUILD)


def _rights(palace: str) -> Iterator[Finding]:
    """Say where others may read: a folder that nobody else may enter guards all that lies in it."""
    if os.name != "posix":
        return
    if not os.access(palace, os.W_OK):
        yield Finding(
            PALACE, WARN, "the palace cannot be written to: nothing new is filed", f"chmod u+w {shown(palace)}"
        )
    if _open_to_others(palace):
        wide = sum(_open_to_others(path) for path in _files(palace))
        what = f"others on this machine can look into {shown(palace)}, and read {wide} files in it"
        yield Finding(PALACE, WARN, what, f"chmod -R go-rwx {shown(palace)}")


def _open_to_others(path: str) -> bool:
    try:
        return bool(stat.S_IMODE(os.stat(path).st_mode) & 0o055)
    except OSError:
        return False


def _room(palace: str) -> Iterator[Finding]:
    size, free = _size(palace), shutil.disk_usage(palace).free
    what = f"{size / 1e6:.1f} MB on a disk with {free / 1e6:,.0f} MB free"
    if free < max(LEAST, ROOMY * size):
        yield Finding(PALACE, WARN, f"the disk is nearly full: {what}", "make room; a full disk loses nothing filed")
    else:
        yield Finding(PALACE, OK, what)


def _waiting(place: Place) -> Iterator[Finding]:
    """Look at what is asked of the miner and not done; the lock itself goes with the process that holds it."""
    waiting = turnstile.pending(place.palace)
    if not waiting:
        return
    try:
        with turnstile.turn(place.palace, 0):
            pass
        yield Finding(PALACE, WARN, f"{len(waiting)} requests to mine are waiting", MINE)
    except PalaceLocked:
        age = place.now - _asked_at(waiting[0], place.now)
        if age > LONG:
            what = f"{len(waiting)} requests to mine are waiting, the first since {ago(age)}, for a miner at work"
            lock = shown(os.path.join(place.palace, LOCK))
            yield Finding(PALACE, WARN, what, f"end it where it hangs (it holds {lock}), then {MINE}")
        else:
            yield Finding(PALACE, OK, f"a miner is at work, {len(waiting)} requests are waiting for it")
    except PalaceError as error:
        yield Finding(PALACE, WARN, f"{len(waiting)} requests to mine are waiting", str(error))


def _asked_at(path: str, now: int) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:  # done meanwhile
        return now


def _files(folder: str) -> Iterator[str]:
    for inside, _, names in os.walk(folder):
        yield from (os.path.join(inside, name) for name in names)


def _size(folder: str) -> int:
    """Return the bytes of all files in a folder; what goes meanwhile counts nothing."""
    total = 0
    for path in _files(folder):
        try:
            total += os.lstat(path).st_size
        except OSError:
            continue
    return total
