"""What the user has set: `config.json` in the palace, and the environment over it."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, NamedTuple, Tuple

from mempalace.paths import CONFIG

GUARDS = ("warn", "ask", "deny", "off")


class Settings(NamedTuple):
    """A user's settings.

    off: every hook stays silent.  budget: characters of a wake-up.  outcome_words: words
    that count as an outcome beside the lexicons'.  wrong: what could not be used, and why.
    guard: what the guard does about a command that a belief speaks against.
    """

    off: bool = False
    budget: int = 4000
    outcome_words: Tuple[str, ...] = ()
    wrong: str = ""
    guard: str = "warn"


def read(palace: str, env: Mapping[str, str]) -> Settings:
    """Return the settings; what cannot be used is left at its default and said in `wrong`."""
    path = os.path.join(palace, CONFIG)
    given: Dict[str, Any] = {}
    wrong = ""
    if os.path.exists(path):
        try:
            with open(path, encoding="utf-8") as config:
                loaded = json.load(config)
            given = loaded if isinstance(loaded, dict) else {}
            wrong = "" if isinstance(loaded, dict) else "%s: not a JSON object" % path
        except (OSError, ValueError) as error:
            wrong = "%s: %s" % (path, error)
    off = env.get("MEMPALACE_OFF", "") not in ("", "0") or given.get("off") is True
    budget = given.get("budget", 4000)
    words = given.get("outcome_words", [])
    if not isinstance(budget, int) or isinstance(budget, bool) or not 300 <= budget <= 9500:
        wrong, budget = wrong or "%s: budget must be a whole number from 300 to 9500" % path, 4000
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        wrong, words = wrong or "%s: outcome_words must be a list of words" % path, []
    guard = given.get("guard", "warn")
    if guard not in GUARDS:
        wrong, guard = wrong or "%s: guard must be one of %s" % (path, ", ".join(GUARDS)), "warn"
    return Settings(off, budget, tuple(words), wrong, guard)
