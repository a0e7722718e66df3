"""`mempalace wake-up --explain`: every candidate, its score terms and its fate."""

from __future__ import annotations

import os

from mempalace.cli.speech import say, say_json
from mempalace.errors import NotFound
from mempalace.layers.explain import explain
from mempalace.projects import project_of
from mempalace.store import wings
from mempalace.store.connection import open_reader


def explain_wake_up(palace: str, *, cwd: str, wing: str, as_json: bool) -> None:
    """Print the fate of every line considered for a wake-up; nothing is cut off in silence."""
    with open_reader(palace) as store:
        found = wings.named(store, wing) if wing else wings.of_project(store, project_of(cwd))
        if found is None:
            raise NotFound(f"nothing is filed for {project_of(cwd).name} yet: mine its sessions first")
        told = explain(store, found, os.environ)
    if as_json:
        say_json({**told._asdict(), "fates": [fate._asdict() for fate in told.fates]})
        return
    say(f"{told.wing}: {told.shown} shown of {told.considered} considered, {told.total} drawers; chosen by {told.how}")
    say("score = tier weight x importance factor x new live weight / (characters + 60)")
    for fate in told.fates:
        say(
            f"[d:{fate.id[:8]}] {fate.fate} | {fate.tier} {fate.weight:g} x importance {fate.importance:g}, "
            f"live {fate.live:.2f}, score {fate.score:.4f} | {fate.line}"
        )
