"""The work behind `mempalace mine`, loaded when there is something to mine."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import click

from mempalace import given, lexicon, runtime
from mempalace.layers import upkeep
from mempalace.mine import finding, formats, turnstile
from mempalace.mine.filing import Language
from mempalace.mine.finding import Found
from mempalace.mine.miner import Miner
from mempalace.mine.report import Report
from mempalace.settings import read as read_settings
from mempalace.store.connection import open_writer


def run(palace: str, request: turnstile.Request, *, progress: bool = False) -> Report:
    """Mine what a request asks for, bring stories and index up to date, and return the report."""
    settings = read_settings(palace, os.environ)
    language = Language([lexicon.load(code) for code in lexicon.languages()], settings.outcome_words)
    with open_writer(palace) as store:
        name = request.get("harness")
        now = int(time.time())
        miner = Miner(
            store, language, now=now, wing=str(request.get("wing") or ""),
            harness=formats.named(name) if name else None,
        )  # fmt: skip
        found = list(finding.files(request.get("places") or [], everything=bool(request.get("everything"))))
        with _bar(found, shown=progress) as files:
            report = miner.mine(files)
        upkeep.after_mining(store, os.environ, now=now)
    runtime.remember(palace, sys.executable)
    given.prune(palace, now=time.time())
    return report


def _bar(found: list[Found], *, shown: bool) -> Any:
    return click.progressbar(
        found, label="mining", file=sys.stderr, item_show_func=_named,
        hidden=not (shown and sys.stderr.isatty()),
    )  # fmt: skip


def _named(file: Found | None) -> str:
    return os.path.basename(file.path)[:40] if file else ""
