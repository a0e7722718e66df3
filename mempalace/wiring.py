"""The hooks in the client's own settings: put there without the plugin, and taken out again to the byte.

Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from mempalace.errors import PalaceError
from mempalace.paths import make_private, private, shown

RECEIPT = "setup.json"  # in the palace: what setup changed
HERE = os.path.dirname(os.path.abspath(__file__))
DOORS = "wake_up.py recall.py guard.py file_away.py command.py".split()
SCRIPT = "${CLAUDE_PLUGIN_ROOT}/hooks/"
Groups = Dict[str, List[Dict[str, Any]]]


class Receipt(NamedTuple):
    """What setup changed. before: the file's text, None where there was none.  after: hash of what was written.

    made: folders that had to be made, outermost first.
    """

    path: str
    before: Optional[str]
    after: str
    made: Tuple[str, ...]


def hooks_folder() -> str:
    """Return the folder of the doorways: beside the package in a clone, inside of it where installed."""
    inside = os.path.join(HERE, "hooks")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(HERE), "hooks")


def groups(python: str) -> Groups:
    """Return the hooks as the plugin declares them, run by `python` from where they are installed."""
    folder = hooks_folder()
    with open(os.path.join(folder, "hooks.json"), encoding="utf-8") as file:
        declared: Groups = json.load(file)["hooks"]
    for _, handler in _handlers(declared):
        handler["command"] = python
        handler["args"] = [one.replace(SCRIPT, folder + os.sep) for one in handler["args"]]
    declared.pop("UserPromptExpansion", None)  # the slash commands come with the plugin alone
    return declared


def others(path: str) -> List[Tuple[str, str]]:
    """Return (event, words) of every handler in a settings file that is not ours, in its order."""
    found = []
    for event, handler in _handlers(_read(path)[1].get("hooks")):
        if not _door(handler):
            args = handler.get("args")
            words = [handler.get("command"), *(args if isinstance(args, list) else ())]
            found.append((event, " ".join(str(word) for word in words if word)))
    return found


def wired(path: str) -> List[str]:
    """Return the doorways of ours that a settings file names, as `event: script`, in its order."""
    hooks = _read(path)[1].get("hooks")
    return ["%s: %s" % (event, _door(handler)) for event, handler in _handlers(hooks) if _door(handler)]


def wire(path: str, palace: str, python: str) -> Receipt:
    """Put the hooks into the settings file, keep the receipt in the palace, and return it.

    Raises PalaceError where they are there already, or where the file is no JSON object.
    """
    text, settings = _read(path, strict=True)
    if wired(path):
        raise PalaceError("%s has the hooks already: run mempalace uninstall first" % shown(path))
    ours = groups(python)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in ours):
        raise PalaceError('"hooks" in %s is not as the client writes it: nothing was changed' % shown(path))
    settings["hooks"] = {**hooks, **{event: [*hooks.get(event, []), *found] for event, found in ours.items()}}
    made = _make_folders(os.path.dirname(path))
    written = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
    receipt = Receipt(path, text, _hash(written), tuple(made))
    make_private(palace)
    with open(os.path.join(palace, RECEIPT), "w", encoding="utf-8", opener=private) as file:
        json.dump(receipt._asdict(), file)
    _write(path, written)
    return receipt


def receipt(palace: str) -> Optional[Receipt]:
    """Return what setup changed, None where it was never run, or is undone."""
    told = _read(os.path.join(palace, RECEIPT))[1]
    try:
        return Receipt(str(told["path"]), told["before"], str(told["after"]), tuple(told["made"]))
    except (LookupError, TypeError):
        return None


def unwire(path: str, palace: str) -> List[str]:
    """Take the hooks out of the settings file and return what was done, a line each.

    A file that nobody changed since gets its former bytes back, or goes where there was none; in
    another only our handlers go.
    """
    text, settings = _read(path)
    kept = receipt(palace)
    done: List[str] = []
    if text is not None and kept is not None and kept.path == path and _hash(text) == kept.after:
        if kept.before is None:
            os.unlink(path)
            done.append("removed %s" % shown(path))
        else:
            _write(path, kept.before)
            done.append("put %s back as it was" % shown(path))
        done += _remove_folders(kept.made)
    elif wired(path):
        _write(path, json.dumps(_without(settings), indent=2, ensure_ascii=False) + "\n")
        done.append("took our hooks out of %s, which was changed since" % shown(path))
    if kept is not None:
        os.unlink(os.path.join(palace, RECEIPT))
    return done


def _without(settings: Dict[str, Any]) -> Dict[str, Any]:
    """Return settings without our handlers, and without what they alone kept in being."""
    hooks: Dict[str, Any] = {}
    for event, found in settings["hooks"].items():
        rest = []
        for group in found:
            others = [one for one in group.get("hooks", []) if not _door(one)]
            if others or not group.get("hooks"):
                rest.append({**group, "hooks": others} if "hooks" in group else group)
        if rest or not found:
            hooks[event] = rest
    rest_of = {name: value for name, value in settings.items() if name != "hooks"}
    return {**rest_of, "hooks": hooks} if hooks else rest_of


def _handlers(hooks: Any) -> Iterator[Tuple[str, Dict[str, Any]]]:
    for event, found in hooks.items() if isinstance(hooks, dict) else ():
        for group in found if isinstance(found, list) else ():
            for handler in group.get("hooks") or () if isinstance(group, dict) else ():
                if isinstance(handler, dict):
                    yield event, handler


def _door(handler: Dict[str, Any]) -> str:
    """Return which doorway of ours a handler runs, "" for another's."""
    args = handler.get("args")
    last = args[-1] if isinstance(args, list) and args and isinstance(args[-1], str) else ""
    name = os.path.basename(last)
    near = os.path.basename(os.path.dirname(last)) == "hooks"
    return name if name in DOORS and near and os.path.isfile(os.path.join(os.path.dirname(last), "inside.py")) else ""


def _read(path: str, *, strict: bool = False) -> Tuple[Optional[str], Dict[str, Any]]:
    """Return a JSON file's text and object; None and nothing for a file that is not there."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        found = json.loads(text)
    except FileNotFoundError:
        return None, {}
    except (OSError, ValueError) as error:
        if strict:
            raise PalaceError(
                "%s cannot be read (%s): mend it first; nothing was changed" % (shown(path), error)
            ) from None
        return None, {}
    if strict and not isinstance(found, dict):
        raise PalaceError("%s is no JSON object: mend it first; nothing was changed" % shown(path))
    return text, found if isinstance(found, dict) else {}


def _write(path: str, text: str) -> None:
    """Replace a file in one step; a link is written through, and the file's mode stays."""
    real = os.path.realpath(path)
    draft = "%s.mempalace" % real
    with open(draft, "w", encoding="utf-8", newline="", opener=private) as file:
        file.write(text)
    if os.path.exists(real):
        os.chmod(draft, os.stat(real).st_mode & 0o777)
    os.replace(draft, real)


def _make_folders(folder: str) -> List[str]:
    made: List[str] = []
    while not os.path.isdir(folder):
        made.insert(0, folder)
        folder = os.path.dirname(folder)
    for one in made:
        os.mkdir(one, 0o700)
    return made


def _remove_folders(folders: Tuple[str, ...]) -> List[str]:
    done = []
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:  # somebody else's files are in it by now
            break
        done.append("removed %s" % shown(folder))
    return done


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
