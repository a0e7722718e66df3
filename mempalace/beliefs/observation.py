"""What beliefs are formed from: one thing that was said or done, about one choice."""

from __future__ import annotations

from typing import NamedTuple

from mempalace.model import PREFER

# What one observation weighs: a user's own standing instruction lifts a new belief over 0.8 at once.
STATED, DONE = 4.0, 1.0


class Observation(NamedTuple):
    """One observation of a choice.

    kind, subject, option, polarity, glob: as of the belief it speaks of.  wing: the row of the
    wing, 0 for every project.  claim: the words a reader is shown.  origin: whose word it is.
    weight: above 0.  at: Unix seconds, known.  key: what it is known by, so that it counts once.
    said: the words as they were.  drawer: the passage they stand in, "" for none.
    corrects: the speaker takes an earlier instruction about the same slot back with it.
    instead_of: the option (or words) that the speaker named as what no longer holds, "" for none.
    withdraws: nothing takes the place of what is taken back ("you can stop adding X").
    """

    kind: str
    subject: str
    option: str
    wing: int
    claim: str
    origin: str
    weight: float
    at: int
    key: str
    said: str
    drawer: str = ""
    polarity: str = PREFER
    glob: str = ""
    corrects: bool = False
    instead_of: str = ""
    withdraws: bool = False
