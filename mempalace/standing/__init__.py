"""The words with which people state standing rules, a data file per language.

`language` is its code, `spaces` whether its words stand apart. All else are lists of lower-case
phrases, each of which may be missing:

- What states a rule: `always`, `never`, `stop`, `onward` ("from now on"), `each` ("whenever");
  `later`, `never_later`, `ever`: what does so behind the verb. `prefer` ("we use"), `avoid`, `switch`
  ("use", "switch to"): what does so where it names a known option. `withdraws`, `needless`: what
  takes back. `instead`, or `replacing` where the old comes first: what stands between two options.
- How it is built: `openers` and `frames` may stand before an order ("please", "make sure to"),
  `verbs` are what is ordered, `joins` begin a clause, `fronts` a sentence that says when or where,
  `clauses` one that says what for, `within` a place, `by` a means; `apart` keeps an option from its
  verb. Where the verb comes last, `ends` and `ends_not` are how a sentence ends that orders or forbids.
- What is none: `idle` sayings, `asks`, `asks_end`, `supposes`, `once` (one occasion), what `told` and
  `statements` go on with, `told_endings` but `told_except`, what is `vague` or `soft`; `nouns` behind
  an option that is only mentioned; `pasted`: what announces another's words.
- The rest: `corrects`, `everywhere`, `habits`, `announces` (conventions to come), `conventions`
  (what a convention may be about), `small` words; `speaks` and `tongues`: "answer", and the
  languages in which one may.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))


def languages() -> List[str]:
    """Return the codes of the languages that ship, in alphabetical order."""
    return sorted(name[:-5] for name in os.listdir(HERE) if name.endswith(".json"))


def load(language: str) -> Dict[str, Any]:
    """Return one language's words as its file has them."""
    with open(os.path.join(HERE, language + ".json"), encoding="utf-8") as data:
        words: Dict[str, Any] = json.load(data)
    return words
