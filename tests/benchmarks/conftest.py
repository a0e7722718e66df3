"""What the benchmarks share: rows for the table at the end, and an environment of their own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside this one, whatever the import mode

from table import PROPERTY, Row, rendered

T = TypeVar("T")
Note = Callable[[Row], None]


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Note:
    """Return a function that adds a row to the table at the end."""
    return lambda row: request.node.user_properties.append((PROPERTY, tuple(row)))


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return the whole environment of a program under measure: no home, no settings of the user's."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TMPDIR": str(tmp_path),
        "MEMPALACE_HOME": str(tmp_path / "palace"),
    }  # fmt: skip


@pytest.fixture
def timed(benchmark: Any) -> Callable[[Callable[[], T]], tuple[T, float]]:
    """Return a function that calls its argument often and returns (its result, median seconds of CPU).

    Once, where benchmarks are disabled: a smoke run asks whether it works, not how fast.
    """

    def measure(work: Callable[[], T]) -> tuple[T, float]:
        began = time.process_time()
        result = benchmark(work)
        took = time.process_time() - began
        return result, benchmark.stats.stats.median if benchmark.enabled else took

    return measure


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table, of what passed; the rows came with the tests' reports."""
    rows = [
        Row(*value)
        for report in terminalreporter.stats.get("passed", [])
        if report.when == "call"
        for name, value in report.user_properties
        if name == PROPERTY
    ]
    if rows:
        terminalreporter.section("speed")
        terminalreporter.write_line(rendered(rows))
