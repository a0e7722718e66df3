"""A choice between package managers, and beliefs made by hand: as values, and held in a palace."""

import json

from mempalace.beliefs.answer import Answer, Option
from mempalace.beliefs.memory import memory
from mempalace.beliefs.prompting import Task
from mempalace.identity import belief_id
from mempalace.model import AVOID, PREFER, USER, Belief
from mempalace.store import believing, filing, wings
from mempalace.store.connection import open_writer

KIND, SUBJECT, LIMIT = "package-manager", "node", 18
TASK = Task("How are the buoys' packages installed?", KIND, SUBJECT, "harbour")
NPM, PNPM, YARN = Option("npm", "npm install"), Option("pnpm", "pnpm install"), Option("yarn", "yarn install")
OPTIONS = [NPM, PNPM, YARN]


def belief(n, option="pnpm", **more):
    """Return a belief whose id is the number, in hex digits."""
    fields = {
        "id": f"{n:024x}", "claim": f"claim {n}: {option or 'none'}", "kind": KIND, "subject": SUBJECT,
        "option": option, "polarity": PREFER, "wing": "", "glob": "", "origin": USER, "confidence": 0.7,
        "support": 4.0, "against": 0.0, "pinned": False, "created_at": 1, "changed_at": 1, **more,
    }  # fmt: skip
    return Belief(**fields)


def crowd(count, start=100):
    """Return as many beliefs that stand before any ordinary one and say nothing of the options."""
    return [belief(n, f"bower-{n}", polarity=AVOID, pinned=True, confidence=0.9) for n in range(start, start + count)]


def known(*beliefs, path="", limit=LIMIT):
    """Return the beliefs as a memory of the choice."""
    return memory(beliefs, kind=KIND, subject=SUBJECT, path=path, limit=limit)


def answer(pick=PNPM, **more):
    """Return the bytes of an answer that picks an option, None for none."""
    fields = Answer(
        title="Packages", urgent=False, urgency_reason=None, summary="Which one", reasoning="It was so before.",
        considered=("npm: no", "pnpm: yes"), option_id=pick and pick.id, option_display=pick and pick.display,
    )._asdict()  # fmt: skip
    return json.dumps({**fields, **more}).encode()


def says(raw):
    """Return a model that always gives these bytes."""
    return lambda sent: raw


def hold(palace, option="pnpm", *, now, wing="", glob="", weight=4.0, pinned=None, polarity=PREFER, **more):
    """Have a palace hold a belief, and return its id; pinned: the confidence it is pinned at."""
    fields = {"kind": KIND, "subject": SUBJECT, **more}
    id = belief_id(wing=wing, glob=glob, polarity=polarity, option=option, **fields)
    one = belief(0, option, wing=wing, glob=glob, polarity=polarity, claim=f"{polarity} {option}", **fields)
    with open_writer(str(palace)) as store:
        generation = filing.begin(store)
        row = wings.create(store, wing).n if wing else 0
        family = believing.Family(row, glob, fields["kind"])
        believing.create(store, family, one._replace(id=id), generation=generation)
        believing.observe(store, believing.Event(id, f"{id}-{weight}-{now}", weight, USER, now, "So be it."))
        if pinned is not None:
            believing.pin(store, id, pinned, generation=generation)
        filing.commit(store)
    return id


def drop(palace, id):
    """Have a palace hold a belief no longer."""
    with open_writer(str(palace)) as store:
        filing.begin(store)
        believing.remove(store, [id])
        filing.commit(store)
