"""What the user has set: `config.toml` in the palace, and the environment over it. Standard library only."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from mempalace import config
from mempalace.paths import shown
from mempalace.projects import project_of

GUARDS = ("warn", "ask", "deny", "off")
HOOKS = ("wake-up", "recall", "guard", "command", "file-away", "serve")
PROJECTS = "projects"  # the table whose keys are projects' folders
OFF = "MEMPALACE_OFF"


class Key(NamedTuple):
    """A setting. must: what its value must be, in words.  help: a sentence on what it does."""

    name: str
    must: str
    default: Any
    help: str
    fits: Callable[[Any], bool]


class Settings(NamedTuple):
    """A user's settings.

    off: every hook stays silent everywhere.  budget: characters of a wake-up.  outcome_words:
    words that count as an outcome beside the lexicons'.  wrong: what could not be used, and why.
    guard: what the guard does about a command that a belief speaks against.  quiet: (hook, folder)
    of what else stays silent: "" for every hook, "" for everywhere.
    """

    off: bool = False
    budget: int = 4000
    outcome_words: Tuple[str, ...] = ()
    wrong: str = ""
    guard: str = "warn"
    quiet: Tuple[Tuple[str, str], ...] = ()

    def silent(self, hook: str, cwd: str) -> bool:
        """Tell whether a hook stays silent in a folder: everywhere, or in the project that it lies in."""
        folders = [folder for name, folder in self.quiet if name in ("", hook)]
        if self.off or "" in folders:
            return True
        if not folders:
            return False
        places = [_plain(cwd), _plain(project_of(cwd).root)]
        return any((place + os.sep).startswith(_plain(folder) + os.sep) for folder in folders for place in places)


def _is_off(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, list) and all(hook in HOOKS for hook in value))


def _is_budget(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 300 <= value <= 9500


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


KEYS = (
    Key(
        "off", "true, false or a list of hooks (%s)" % ", ".join(HOOKS), False,
        "Which hooks stay silent: all of them, or those that are listed.", _is_off,
    ),
    Key(
        "budget", "a whole number from 300 to 9500", 4000,
        "How many characters a wake-up may have; the client cuts a hook's output at 10,000.", _is_budget,
    ),
    Key(
        "outcome_words", "a list of words or phrases", [],
        "Words that state an outcome in your team, beside those of the lexicons.", _is_words,
    ),
    Key(
        "guard", "one of %s" % ", ".join(GUARDS), "warn",
        "What happens to a command that a standing rule speaks against.", lambda value: value in GUARDS,
    ),
)  # fmt: skip
BY_NAME = {key.name: key for key in KEYS}


class Said(NamedTuple):
    """A setting as it holds. where: the file or variable that says so, "" for the default."""

    name: str
    value: Any
    where: str


def read(palace: str, env: Mapping[str, str]) -> Settings:
    """Return the settings; what cannot be used is left at its default and said in `wrong`."""
    given, wrong = config.load(palace)
    if not given:
        return Settings(off=_off_by(env), wrong="; ".join(wrong))
    used = _used(given, shown(config.path(palace)), wrong)
    values = {key.name: used.get(key.name, key.default) for key in KEYS}
    quiet = [(hook, "") for hook in _hooks(values["off"])]
    for folder, project in used.get(PROJECTS, {}).items():
        quiet += [(hook, folder) for hook in _hooks(project["off"])]
    return Settings(
        off=_off_by(env) or values["off"] is True, budget=values["budget"], guard=values["guard"],
        outcome_words=tuple(values["outcome_words"]), quiet=tuple(quiet), wrong="; ".join(wrong),
    )  # fmt: skip


def told(palace: str, env: Mapping[str, str]) -> "tuple[List[Said], List[str]]":
    """Return every setting with where it comes from, the projects' own behind them, and what is wrong."""
    given, wrong = config.load(palace)
    file = config.path(palace)
    used = _used(given, shown(file), wrong)
    said = [
        Said(key.name, used.get(key.name, key.default), file if key.name in used else "") for key in KEYS
    ]  # fmt: skip
    if _off_by(env):
        said[0] = Said("off", True, OFF)
    for folder, project in sorted(used.get(PROJECTS, {}).items()):
        said.append(Said("off in %s" % folder, project["off"], file))
    return said, wrong


def _used(given: Mapping[str, Any], file: str, wrong: List[str]) -> Dict[str, Any]:
    """Return what of the given can be used; add what cannot to `wrong`."""
    used: Dict[str, Any] = {}
    for name, value in given.items():
        if name == PROJECTS and isinstance(value, dict):
            used[PROJECTS] = dict(_projects(value, file, wrong))
        elif name not in BY_NAME:
            wrong.append("%s: no setting is called %r%s" % (file, name, instead(name, [*BY_NAME, PROJECTS])))
        elif not BY_NAME[name].fits(value):
            default = json.dumps(BY_NAME[name].default)
            wrong.append("%s: %s must be %s; until then it is %s" % (file, name, BY_NAME[name].must, default))
        else:
            used[name] = value
    return used


def _projects(tables: Mapping[str, Any], file: str, wrong: List[str]) -> "Iterator[Tuple[str, Dict[str, Any]]]":
    """Yield (folder, its settings) for each project's table that can be used."""
    for folder, table in tables.items():
        own = table if isinstance(table, dict) else {}
        if set(own) != {"off"} or not _is_off(own["off"]):
            said = "%s: [%s.%r] must hold off, and nothing else: %s"
            wrong.append(said % (file, PROJECTS, folder, BY_NAME["off"].must))
        if folder and _is_off(own.get("off")):
            yield folder, own


def instead(name: str, names: Sequence[str]) -> str:
    """Return what is said behind a name that is none: the one that was meant, as far as that shows, and all.

    >>> instead("bugdet", ["off", "budget"])
    ' (did you mean budget?): there are off, budget'
    """
    near = nearest(name, names)
    return "%s: there are %s" % (" (did you mean %s?)" % near if near else "", ", ".join(names))


def nearest(name: str, names: Sequence[str]) -> str:
    """Return the one of the names that was meant, as far as that shows, "" for none."""
    import difflib  # a millisecond that only a slip pays

    return "".join(difflib.get_close_matches(name, names, 1, 0.7))


def _hooks(off: Any) -> List[str]:
    return [""] if off is True else list(off or ())


def _off_by(env: Mapping[str, str]) -> bool:
    return env.get(OFF, "") not in ("", "0")


def _plain(folder: str) -> str:
    """Return a folder in the one way it can be compared: without links, without a separator at its end."""
    return os.path.normcase(os.path.realpath(os.path.expanduser(folder))).rstrip(os.sep)
