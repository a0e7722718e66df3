"""One table at the end: what was measured, its goal, and how the two compare.

`python -m tests.benchmarks.table [PYTEST ARGUMENTS]` runs every benchmark, the expensive ones too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

PROPERTY = "benchmark row"  # what a test's report carries its rows as, across xdist's workers


class Row(NamedTuple):
    """One figure. goal: 0 for none.  least: the goal is a floor, not a ceiling."""

    measure: str
    figure: float
    unit: str
    goal: float = 0.0
    least: bool = False

    @property
    def met(self) -> bool:
        """Tell whether the goal is met."""
        return self.figure >= self.goal if self.least else self.figure <= self.goal


def rendered(rows: Sequence[Row]) -> str:
    """Return the rows as a table; the ratio is figure over goal, so above 1 is over a ceiling."""
    cells = [("measure", "figure", "goal", "figure/goal", "")]
    for row in rows:
        sign = ">=" if row.least else "<="
        goal = (f"{sign} {_number(row.goal)}", f"{row.figure / row.goal:.2f}") if row.goal else ("", "")
        cells.append((row.measure, f"{_number(row.figure)} {row.unit}".strip(), *goal, _verdict(row)))
    widths = [max(len(line[i]) for line in cells) for i in range(5)]
    ruled = [cells[0], ("-" * widths[0], "-" * widths[1], "-" * widths[2], "-" * widths[3], ""), *cells[1:]]
    return "\n".join(_line(line, widths) for line in ruled)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([cells[0].ljust(widths[0]), *aligned[1:4], cells[4]]).rstrip()


def _verdict(row: Row) -> str:
    return "" if not row.goal else "met" if row.met else "MISSED"


def _number(value: float) -> str:
    """Return a figure with as many digits as it deserves.

    >>> _number(1234.5), _number(24.14), _number(1.503)
    ('1,234', '24.1', '1.50')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    import pytest

    words = ["tests/benchmarks", "-m", "sweep or not sweep", "-s", "-o", "python_files=bench_*.py", *sys.argv[1:]]
    sys.exit(pytest.main(words))
