"""Commits: does a commit's subject find the coding session that made it?

`python tests/benchmarks/commits.py --transcripts DIR --checkpoints FILE [--json]`. FILE says which
sessions each commit came from; those that do not lie in DIR do not count.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import Any

from retrieval import Palace, Tally, arguments, mined, tell, watched, whole

from mempalace.errors import NotFound
from mempalace.store import looking

MEASURES = ("hit@1", "hit@5", "session_R@10", "mrr")


def main() -> None:
    """Ask for every commit whose session was mined and print the figures."""
    given = arguments(str(__doc__), "--transcripts", "--checkpoints").parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="mempalace-bench-") as folder, mined(folder, given.transcripts) as palace:
        for subject, gold in watched(commits(whole(given.checkpoints), palace), "commit"):
            tally.add(palace.ask(subject), gold)
    figures = tally.figures(*MEASURES)
    tell("commits", figures)
    if given.json:
        print(json.dumps(figures))


def commits(told: dict[str, Any], palace: Palace) -> Iterator[tuple[str, set[str]]]:
    """Yield each commit's subject with those of its sessions that the palace holds."""
    sessions: dict[str, set[str]] = {}
    for checkpoint in told["checkpoints"]:
        sessions.setdefault(checkpoint["checkpoint_id"], set()).add(checkpoint["session_id"])
    for commit in told["commits"]:
        named = set().union(*(sessions.get(id, ()) for id in commit["checkpoints"]))
        gold = {name for name in named if _holds(palace, name)}
        if gold:
            yield commit["subject"], gold


def _holds(palace: Palace, session: str) -> bool:
    try:
        return bool(looking.source(palace.store, session))
    except NotFound:
        return False


if __name__ == "__main__":
    main()
