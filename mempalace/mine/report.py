"""What a run of the miner did, and what it could not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """What a run of the miner did, and what it could not."""

    files: int = 0
    unchanged: int = 0
    read: int = 0
    bytes: int = 0
    drawers: int = 0
    actions: int = 0
    redacted: int = 0
    repeated: int = 0
    forgotten: int = 0
    unknown: int = 0
    cited: int = 0
    never_given: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    harnesses: Counter[str] = field(default_factory=Counter)
    malformed: list[tuple[str, int, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    wings: set[int] = field(default_factory=set)


def counted(report: Report) -> dict[str, Any]:
    """Return the report as plain values, for programs."""
    values = {name: value for name, value in vars(report).items() if isinstance(value, int)}
    return {
        **values,
        "skipped": dict(report.skipped),
        "harnesses": dict(report.harnesses),
        "malformed": [{"path": path, "line": line, "why": why} for path, line, why in report.malformed],
        "problems": [{"path": path, "why": why} for path, why in report.problems],
    }
