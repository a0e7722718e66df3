"""The hooks in the client's own settings: put there without the plugin, and taken out again to the byte.

Standard library only.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Tuple

from mempalace import clientfile, receipts
from mempalace.errors import PalaceError
from mempalace.paths import shown
from mempalace.receipts import Receipt

HERE = os.path.dirname(os.path.abspath(__file__))
DOORS = "wake_up.py recall.py guard.py file_away.py command.py".split()
BARE = ["-I", "-S"]  # how the hooks are started
SCRIPT = "${CLAUDE_PLUGIN_ROOT}/hooks/"
Groups = Dict[str, List[Dict[str, Any]]]


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
    for event, handler in _handlers(clientfile.read(path)[1].get("hooks")):
        if not _door(handler):
            args = handler.get("args")
            words = [handler.get("command"), *(args if isinstance(args, list) else ())]
            found.append((event, " ".join(str(word) for word in words if word)))
    return found


def wired(path: str) -> List[str]:
    """Return the doorways of ours that a settings file names, as `event: script`, in its order."""
    hooks = clientfile.read(path)[1].get("hooks")
    return ["%s: %s" % (event, _door(handler)) for event, handler in _handlers(hooks) if _door(handler)]


def gone(path: str) -> List[str]:
    """Return what the hooks of ours in a settings file need and is there no more: programs and scripts, each once."""
    ours = [one for _, one in _handlers(clientfile.read(path)[1].get("hooks")) if _door(one)]
    needed = dict.fromkeys(str(word) for one in ours for word in (one.get("command"), one["args"][-1]))
    return [word for word in needed if os.path.isabs(word) and not os.path.exists(word)]


def wire(path: str, palace: str, python: str) -> Receipt:
    """Put the hooks into the settings file, keep the receipt in the palace, and return it.

    Raises PalaceError where they are there already, where the file is no JSON object, and where it
    cannot be written. A kill at any moment leaves what unwire can undo.
    """
    text, settings = clientfile.read(path, strict=True)
    if wired(path):
        raise PalaceError('%s has the hooks already: run "mempalace uninstall" first' % shown(path))
    ours = groups(python)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in ours):
        raise PalaceError('"hooks" in %s is not as the client writes it: nothing was changed' % shown(path))
    settings["hooks"] = {**hooks, **{event: [*hooks.get(event, []), *found] for event, found in ours.items()}}
    written = clientfile.dumped(settings, text or "")
    missing = _missing(os.path.dirname(os.path.realpath(path)))
    others = [one for one in receipts.kept(palace) if one.path != path]
    made = [folder for one in receipts.kept(palace) if one.path == path and text is None for folder in one.made]
    receipt = Receipt(path, text, receipts.mark(written), tuple(dict.fromkeys([*made, *missing])))
    receipts.keep(palace, [*others, receipt])
    try:
        for folder in missing:
            os.mkdir(folder, 0o700)
        clientfile.write(path, written)
    except (OSError, PalaceError) as error:
        _remove_folders(tuple(missing), dry_run=False)
        receipts.keep(palace, others)
        why = str(error) if isinstance(error, PalaceError) else "cannot write %s: %s" % (shown(path), error)
        raise PalaceError("%s; nothing was changed" % why) from error
    return receipt


def unwire(path: str, palace: str, *, dry_run: bool = False) -> List[str]:
    """Take the hooks out of this settings file and all others that setup changed; return what was done, a line each.

    A file that nobody changed since gets its former bytes back, or goes where there was none; in
    another only our handlers go. What cannot be written raises PalaceError and stays on the receipt.
    dry_run: change nothing, and return the same lines.
    """
    kept = receipts.kept(palace)
    done: List[str] = []
    for one in kept:
        done += _undone(one, dry_run)
        if not dry_run:
            receipts.keep(palace, kept[kept.index(one) + 1 :])
    if path not in [one.path for one in kept]:
        done += _taken_out(path, dry_run)
    return done


def _undone(receipt: Receipt, dry_run: bool) -> List[str]:
    path = receipt.path
    if not dry_run:
        clientfile.tidy(path)
    text = clientfile.read(path)[0]
    if text is None and not os.path.lexists(path):  # killed before it was written, or removed by somebody
        return _remove_folders(receipt.made, dry_run)
    if text is None or receipts.mark(text) != receipt.after:
        return _taken_out(path, dry_run)
    if receipt.before is not None:
        if not dry_run:
            clientfile.write(path, receipt.before)
        return ["put %s back as it was" % shown(path)]
    if not dry_run:
        try:
            os.unlink(os.path.realpath(path))  # a link of the user's stays
        except OSError as error:
            raise PalaceError("cannot remove %s: %s" % (shown(path), (error.strerror or str(error)).lower())) from error
    return ["removed %s" % shown(path), *_remove_folders(receipt.made, dry_run, but=os.path.realpath(path))]


def _taken_out(path: str, dry_run: bool) -> List[str]:
    if not wired(path):
        return []
    text, settings = clientfile.read(path)
    if not dry_run:
        clientfile.write(path, clientfile.dumped(_without(settings), text or ""))
    return ["taken our hooks out of %s, which was changed since" % shown(path)]


def _without(settings: Dict[str, Any]) -> Dict[str, Any]:
    """Return settings without our handlers, and without what they alone kept in being."""
    hooks: Dict[str, Any] = {}
    for event, found in settings["hooks"].items():
        if not isinstance(found, list):  # nothing of ours, whatever it is
            hooks[event] = found
            continue
        rest = []
        for group in found:
            had = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(had, list):
                rest.append(group)
                continue
            others = [one for one in had if not (isinstance(one, dict) and _door(one))]
            if others or not had:
                rest.append({**group, "hooks": others})
        if rest or not found:
            hooks[event] = rest
    rest_of = {name: value for name, value in settings.items() if name != "hooks"}
    return {**rest_of, "hooks": hooks} if hooks else rest_of


def _handlers(hooks: Any) -> Iterator[Tuple[str, Dict[str, Any]]]:
    for event, found in hooks.items() if isinstance(hooks, dict) else ():
        for group in found if isinstance(found, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for handler in handlers if isinstance(handlers, list) else ():
                if isinstance(handler, dict):
                    yield event, handler


def _door(handler: Dict[str, Any]) -> str:
    """Return which doorway of ours a handler runs, "" for another's.

    One that is there has its second half beside it; one that is gone is known by how we start it.
    """
    args = handler.get("args")
    last = args[-1] if isinstance(args, list) and args and isinstance(args[-1], str) else ""
    folder, name = os.path.split(last)
    if name not in DOORS or os.path.basename(folder) != "hooks":
        return ""
    started = isinstance(args, list) and args[:-1] == BARE
    return name if os.path.isfile(os.path.join(folder, "inside.py")) or (started and not os.path.exists(last)) else ""


def _missing(folder: str) -> List[str]:
    """Return the folders that have to be made for one to be there, outermost first."""
    found: List[str] = []
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def _remove_folders(folders: Tuple[str, ...], dry_run: bool, but: str = "") -> List[str]:
    """Remove those of the folders that hold nothing, or nothing but one path, and say which."""
    done = []
    for folder in reversed(folders):
        try:
            if set(os.listdir(folder)) - {os.path.basename(but)}:  # somebody else's files are in it by now
                break
            if not dry_run:
                os.rmdir(folder)
        except OSError:
            break
        done.append("removed %s" % shown(folder))
        but = folder
    return done
