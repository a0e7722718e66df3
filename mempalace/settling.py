"""Making the plugin's own environment, then the first mining. Run by itself, in the background.

It may be killed at any moment: what was made by then is used by the next try.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from typing import Iterator, List, Mapping, Sequence

from mempalace import environment, runtime, trajectory
from mempalace.paths import make_private

OLDEST = (3, 11)
WHEELS = "MEMPALACE_WHEELS"  # a folder of wheels to install from, without a network
PATIENCE = 1800  # seconds for one step
TOLD = 600  # characters of an error that are kept


def settle(root: str, palace: str, places: Sequence[str], env: Mapping[str, str], *, now: int) -> int:
    """Make the environment where it is not current, mine the places and all stores; return an exit status.

    One at a time: a second one leaves at once. What failed is recorded, and kept for the next session.
    """
    home = environment.data(env)
    make_private(home)
    with _alone(os.path.join(home, environment.LOCK)) as alone:
        if not alone:
            return 0
        if not environment.current(env, root):
            try:
                _point(home, root, _made(home, root, env))
            except (OSError, subprocess.SubprocessError) as error:
                why = _reason(error)
                trajectory.record(palace, {"at": now, "hook": "settle", "failed": why})
                with open(os.path.join(home, environment.FAILED), "w", encoding="utf-8") as file:
                    file.write(why)
                return 1
            trajectory.record(palace, {"at": now, "hook": "settle", "did": "made the environment"})
        own = environment.own(env)
        assert own is not None
        _tidy(home, own)
    mine = [own.python, "-E", "-P", "-m", "mempalace", "mine", "--quiet", "--nice", "--palace", palace]
    given = runtime.child_environment(env)
    status = [subprocess.call([*mine, *these], env=given, stdin=subprocess.DEVNULL) for these in (places, [])]
    return max(status)


def _made(home: str, root: str, env: Mapping[str, str]) -> str:
    """Return the Python of an environment that holds all that is needed, made or completed now."""
    place = os.path.join(home, "environment-" + environment.needs(root))
    python = os.path.join(place, runtime.BIN, runtime.PYTHON)
    wheels = env.get(WHEELS, "")
    source = ["--no-index", "--find-links", wheels] if wheels else []
    needed = ["--require-hashes", "-r", os.path.join(root, environment.REQUIREMENTS)]
    try:
        _by_uv(place, python, [*source, *needed], env)
    except (OSError, subprocess.SubprocessError):  # none, or one that has no way to the network
        if sys.version_info < OLDEST:
            raise
        _by_pip(place, python, [*source, *needed], env)
    where = _run([python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], env).strip()
    with open(os.path.join(where, "mempalace.pth"), "w", encoding="utf-8") as file:
        file.write(root + "\n")
    _run([python, "-E", "-P", "-m", "mempalace", "--version"], env)
    return python


def _by_uv(place: str, python: str, needed: List[str], env: Mapping[str, str]) -> None:
    uv = shutil.which("uv", path=env.get("PATH", ""))
    if not uv:
        raise FileNotFoundError("neither uv nor Python 3.11 is here")
    trusting = {"UV_SYSTEM_CERTS": "1", **env}  # as pip does: a company's own certificates count
    if not os.access(python, os.X_OK):
        _run([uv, "venv", "--quiet", "--no-config", "--python", _wanted(), place], trusting)
    _run([uv, "pip", "install", "--quiet", "--no-config", "--python", python, *needed], trusting)


def _by_pip(place: str, python: str, needed: List[str], env: Mapping[str, str]) -> None:
    made = os.path.join(place, "made")
    if not os.path.exists(made):
        _run([sys.executable, "-I", "-m", "venv", "--clear", place], env)
        with open(made, "w", encoding="utf-8"):
            pass
    _run([python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needed], env)


def _wanted() -> str:
    """Return the Python that uv is to use: this one where it is new enough, else one that it finds or fetches."""
    return sys.executable if sys.version_info >= OLDEST else ">=%d.%d" % OLDEST


def _run(words: List[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(
        words, env=runtime.child_environment(env), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=True, timeout=PATIENCE,
    )  # fmt: skip
    return done.stdout


def _reason(error: Exception) -> str:
    """Return what the program said went wrong, from its first line that says so."""
    lines = [line.strip() for line in (getattr(error, "stderr", None) or "").splitlines() if line.strip()]
    first = next((n for n, line in enumerate(lines) if line.lower().startswith("error")), max(0, len(lines) - 3))
    why = " ".join(" ".join(lines[first:]).split()) or str(error)
    return why if len(why) <= TOLD else why[: TOLD - 3] + "..."


def _point(home: str, root: str, python: str) -> None:
    """Write the pointer, by which the environment counts as finished; what failed before is past."""
    path = os.path.join(home, environment.POINTER)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"python": python, "needs": environment.needs(root), "root": root}, file)
    os.replace(path + ".new", path)
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(home, environment.FAILED))


def _tidy(home: str, own: environment.Own) -> None:
    """Remove the environments of earlier versions."""
    for name in os.listdir(home):
        place = os.path.join(home, name)
        if name.startswith("environment-") and not own.python.startswith(place + os.sep):
            shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def _alone(path: str) -> Iterator[bool]:
    """Hold a lock that goes with its process, however that ends; give False where another holds it."""
    with open(path, "a", encoding="utf-8") as file:
        try:
            if runtime.WINDOWS:
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            else:
                import fcntl

                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
