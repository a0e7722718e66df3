"""The tools about trust. A method's docstring is what the model is told of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mempalace.layers import calibrating, learning, predicting, standings
from mempalace.layers.soundness import soundness, worst
from mempalace.store.connection import Store, open_reader, open_writer

TOP = 20  # rows that are told unasked
MOST = 200
EVENTS = 20  # of one thing's history, the newest
ALPHA = 0.1


class Trusting:
    """How far memory held, and what of it is measured. cwd: the project's folder, for files."""

    def __init__(self, palace: str, cwd: str) -> None:
        self.palace = palace
        self.cwd = cwd

    def learn(self, ids: list[str], outcome: str, why: str = "") -> dict[str, Any]:
        """Record whether memories held when you relied on them: correct, wrong or partial.

        ids: drawers (d:1a2b3c4d), beliefs (b:1a2b3c4d) or files of this project that were relied on together.
        why: the reason in a few words. Say it when the outcome is known, not before.
        """
        with self._open() as store:
            done = learning.learn(store, ids, outcome, why=why, cwd=self.cwd, now=int(time.time()))
        return {"outcome": outcome, "learned": [_learned(one) for one in done]}

    def trust(self, id: str = "", scope: str = "", sort: str = "risk", top: int = TOP) -> dict[str, Any]:
        """Say how far memory is to be trusted: one thing by its id with its history, or all, worst first.

        scope: drawer, belief or file, or one folder.  sort: trust, risk or recency. Where the evidence is
        insufficient there is no number.
        """
        now = int(time.time())
        with open_reader(self.palace) as store:
            if id:
                one = standings.account(store, id, cwd=self.cwd, now=now)
                events = [_event(event) for event in one.events[-EVENTS:]]
                return {
                    "subject": one.subject.subject, **standings.as_dict(one.counts, one.standing), "events": events
                }  # fmt: skip
            found = standings.report(store, scope=scope, sort=sort, top_k=_within(top), now=now)
            names = standings.names_of_wings(store)
        rows = [
            {"subject": counts.subject, "wing": names.get(counts.wing, ""), **standings.as_dict(counts, standing)}
            for counts, standing in found.rows
        ]
        return {"mean_trust": None if found.mean is None else round(found.mean, 4), "rows": rows}

    def tremor(self, window: str = "30", top: int = TOP) -> dict[str, Any]:
        """List what changes faster and faster, most first. window: 7, 30 or 90 days, or all."""
        with open_reader(self.palace) as store:
            found = standings.shaken(store, window, top_k=_within(top), now=int(time.time()))
        rows = [{"subject": one.subject, "wing": one.wing, "level": one.level, **one.tremor._asdict()} for one in found]
        return {"window": window, "rows": rows}

    def predict(self, file: str) -> dict[str, Any]:
        """List the files that changed together with a file of this project, strongest first, each with a verdict.

        Act only on the verdict act; the note says what keeps verdicts back.
        """
        with self._open() as store:
            told = predicting.predict(store, os.environ, file, cwd=self.cwd, now=int(time.time()))
        likely = [{**one._asdict(), "verdict": verdict} for one, verdict in told.likely]
        row = told.calibration._asdict() if told.calibration else None
        return {**told._asdict(), "likely": likely, "calibration": row}

    def calibrate_predict(self, alpha: float = ALPHA) -> dict[str, Any]:
        """Measure the predictions on this project's own history, and keep the threshold they may be acted on above.

        alpha: how often acting may be wrong, above 0, at most 0.5.
        """
        with self._open() as store:
            told = predicting.calibrate(store, os.environ, cwd=self.cwd, alpha=alpha, now=int(time.time()))
        return calibrating.as_dict(told)

    def calibrate_envelope(self, alpha: float = ALPHA) -> dict[str, Any]:
        """Measure search's verdicts on what became of memories, and keep the threshold they may be acted on above.

        alpha: how often acting may be wrong, above 0, at most 0.5.
        """
        with self._open() as store:
            return calibrating.as_dict(calibrating.calibrate_envelope(store, alpha=alpha, now=int(time.time())))

    def trust_selftest(self) -> dict[str, Any]:
        """Look over store, index, hooks and calibration: ok, warn or blocked, each with its remedy."""
        findings = soundness(self.palace, os.environ, now=int(time.time()))
        return {"state": worst(findings), "findings": [one._asdict() for one in findings]}

    @contextmanager
    def _open(self) -> Iterator[Store]:
        """Give the palace for evidence to be written; none is made for it."""
        with open_reader(self.palace):
            pass
        with open_writer(self.palace) as store:
            yield store


def _learned(one: learning.Learned) -> dict[str, Any]:
    return {"subject": one.subject.subject, "band": one.standing.band}


def _event(event: Any) -> dict[str, Any]:
    return {name: getattr(event, name) for name in ("at", "outcome", "origin", "weight", "why")}


def _within(top: int) -> int:
    return max(1, min(top, MOST))
