"""One run of a hook: what the client sent, what was answered, what gets recorded.

Standard library only, and nothing that is slow to import: a session waits for this.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, Mapping

from mempalace import paths, plugin, trajectory
from mempalace.settings import read


class Visit:
    """A hook's run. It never raises: an event that cannot be read is an empty one, recorded.

    began: `time.perf_counter()` when the hook started.
    """

    def __init__(self, hook: str, raw: bytes, env: Mapping[str, str], *, now: float, began: float) -> None:
        self.hook = hook
        self.env = env
        self.now = now
        self.began = began
        self.noted: Dict[str, Any] = {}
        self.event = self._parse(raw)
        self.palace = paths.palace_dir(env)
        self.name = self.text("hook_event_name") or "SessionStart"
        self.session = self.text("session_id")
        self.cwd = self.text("cwd") or env.get("CLAUDE_PROJECT_DIR") or _here()

    def _parse(self, raw: bytes) -> Dict[str, Any]:
        try:
            event = json.loads(raw.decode("utf-8", "replace")) if raw.strip() else {}
        except (ValueError, RecursionError) as error:
            self.noted["failed"] = "unreadable event: %s" % error
            return {}
        if not isinstance(event, dict):
            self.noted["failed"] = "unreadable event: not a JSON object"
            return {}
        return event

    def text(self, field: str) -> str:
        """Return a field of the event as text, "" where it is missing or something else."""
        value = self.event.get(field)
        return value if isinstance(value, str) else ""

    def note(self, **facts: Any) -> None:
        """Add facts to the line that this run leaves in the trajectory."""
        self.noted.update(facts)

    def silent(self) -> bool:
        """Tell whether this hook is to stay silent here, and note why: it is off, or the plugin says the same."""
        settings = read(self.palace, self.env)
        if settings.wrong:
            self.note(settings=settings.wrong)
        if settings.silent(self.hook, self.cwd):
            self.note(did="nothing: off")
        elif plugin.doubled(self.env, self.cwd):
            self.note(did="nothing: the plugin has this hook too")
        else:
            return False
        return True

    def failed(self, error: BaseException) -> None:
        """Note what went wrong; the session goes on without us."""
        self.noted["failed"] = "%s: %s" % (type(error).__name__, error)

    def context(self, text: str) -> str:
        """Return the hook output that hands `text` to the model."""
        self.noted["characters"] = len(text)
        said = {"hookSpecificOutput": {"hookEventName": self.name, "additionalContext": text}}
        return json.dumps(said) + "\n"

    def message(self, text: str) -> str:
        """Return the hook output that the user sees, and the model does not."""
        return json.dumps({"systemMessage": text}) + "\n"

    def record(self) -> None:
        """Leave this run's line in the trajectory."""
        took = round((time.perf_counter() - self.began) * 1000, 1)
        line = {
            "at": int(self.now),
            "hook": self.hook,
            "event": self.name,
            "session": self.session,
            "took_ms": took,
        }
        trajectory.record(self.palace, {**line, **self.noted})


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return os.path.expanduser("~")
