"""The words that carry meaning for the palace, a data file per language."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))


def languages() -> List[str]:
    """Return the codes of the languages that ship, in alphabetical order."""
    return sorted(name[:-5] for name in os.listdir(HERE) if name.endswith(".json"))


def load(language: str) -> Dict[str, Any]:
    """Return one language's lexicon as its file has it."""
    with open(os.path.join(HERE, language + ".json"), encoding="utf-8") as data:
        lexicon: Dict[str, Any] = json.load(data)
    return lexicon
