"""Observations to test with, and a palace to form beliefs of them in."""

import contextlib
import tempfile

from mempalace.beliefs.former import form
from mempalace.beliefs.observation import DONE, STATED, Observation
from mempalace.model import TOOL, USER, Belief
from mempalace.store import beliefs, filing, wings
from mempalace.store.connection import open_writer

DAY = 86_400
T0 = 1_767_600_000  # 2026-01-05
NOW = T0 + 10 * DAY


def seen(option, at, key, **more):
    """Return an observed choice of a package manager, `at` seconds after T0."""
    given = {
        "kind": "package-manager", "subject": "", "option": option, "wing": 0, "claim": f"use {option}",
        "origin": TOOL, "weight": DONE, "at": T0 + at, "key": key, "said": f"{option} install",
    }  # fmt: skip
    return Observation(**{**given, **more})


def said(option, at, key, **more):
    """Return a user's statement about the package manager, `at` seconds after T0."""
    return seen(option, at, key, **{"origin": USER, "weight": STATED, "said": f"always use {option}", **more})


def claimed(claim, at, key, **more):
    """Return a user's standing instruction that belongs to no kind."""
    return said("", at, key, **{"kind": "", "claim": claim, "said": claim, **more})


class Palace:
    """A real palace on disk, each call a write of its own."""

    def __init__(self, store):
        self.store = store
        self.wing = wings.create(store, "lighthouse").n

    def form(self, *observations, now=NOW):
        generation = filing.begin(self.store)
        formed = form(self.store, observations, now=now, generation=generation)
        filing.commit(self.store)
        return formed

    def held(self, now=NOW):
        """Return every belief by (polarity, option or claim); of several scopes, the glob goes along."""
        found = {}
        for one in beliefs.every(self.store, now=now):
            name = f"{'not ' if one.polarity == 'avoid' else ''}{one.option or one.claim}"
            found[f"{name} in {one.glob}" if one.glob else name] = one
        return found

    def standing(self, now=NOW):
        return {name for name, one in self.held(now).items() if not one.retired_at}

    def evidence(self, name):
        return [(one.key, one.agrees) for one in beliefs.evidence(self.store, self.held()[name].id)]

    def dump(self):
        """Return all that is known, in an order of its own, without rows and generations."""
        return [(one, beliefs.evidence(self.store, one.id)) for one in beliefs.every(self.store, now=NOW)]


@contextlib.contextmanager
def palace():
    """Give a palace that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, open_writer(folder) as store:
        yield Palace(store)


def belief(id="pnpm", **more):
    """Return a belief of our own making, of no palace; it is called by its option."""
    given = {
        "id": id, "claim": f"use {id}", "kind": "package-manager", "subject": "", "option": id,
        "polarity": "prefer", "wing": "lighthouse", "glob": "", "origin": TOOL, "confidence": 0.6, "support": 1.0,
        "against": 0.0, "pinned": False, "created_at": T0, "changed_at": T0,
    }  # fmt: skip
    return Belief(**{**given, **more})
