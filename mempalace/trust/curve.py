"""How precise the surest cases are: the precision-coverage curve, as text and as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

from mempalace.trust.conformal import Case

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # shares of the cases that the text tells of
BAR = 40  # characters of a precision of 1
MOST = 200  # points that are drawn
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 64, 24, 48, 56


class Point(NamedTuple):
    """What acting on everything of that confidence or more would have come to."""

    confidence: float
    coverage: float
    precision: float


def points(cases: Sequence[Case]) -> list[Point]:
    """Return the curve, the surest cases first: one point for each confidence that occurs.

    Cases whose confidence is not finite never act; they count in the coverage alone.
    """
    sure = sorted((case for case in cases if math.isfinite(case[0])), reverse=True)
    found, seen, hits = [], 0, 0
    for confidence, group in groupby(sure, key=lambda case: case[0]):
        told = [hit for _, hit in group]
        seen, hits = seen + len(told), hits + sum(told)
        found.append(Point(confidence, seen / len(cases), hits / seen))
    return found


def text(curve: Sequence[Point], *, tau: float | None = None) -> list[str]:
    """Return the curve in lines: for some shares of the cases, from which confidence on and how precise.

    Cases of one confidence stand or fall together, so a share may be larger than its step; where two
    steps would tell the same they are told once.
    """
    told: list[Point] = []
    for step in STEPS:
        reached = next((point for point in curve if point.coverage >= step - 1e-9), None)
        if reached and reached not in told:
            told.append(reached)
    lines = ["the surest  from  precision"]
    for point in told:
        mark = "" if tau is None or point.confidence <= tau else "  above tau"
        bar = "#" * round(point.precision * BAR)
        lines.append(
            f"{point.coverage:10.1%}  {point.confidence:.3f}  {point.precision:6.1%}  {bar:{BAR}}{mark}".rstrip()
        )
    return lines if told else []


def svg(curve: Sequence[Point], *, title: str, tau: float | None = None, goal: float | None = None) -> str:
    """Return the curve as an SVG document, the same bytes for the same curve.

    tau: where acting ends, drawn as a dot.  goal: the precision asked for, drawn as a dashed line.
    """
    drawn = _fewer(curve)
    acting = [point for point in curve if tau is not None and point.confidence > tau]
    line = " ".join(f"{_x(point.coverage)},{_y(point.precision)}" for point in drawn)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#222">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(_described(drawn, acting, goal))}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="28" font-size="16">{escape(title)}</text>',
        *_axes(),
    ]
    if goal is not None:
        parts.append(_rule(_x(0), _y(goal), _x(1), _y(goal), ' stroke="#a33" stroke-dasharray="6 4"'))
        parts.append(
            f'<text x="{_x(1)}" y="{_y(goal + 0.02)}" text-anchor="end" fill="#a33">asked for: {goal:.0%}</text>'
        )
    parts.append(f'<polyline points="{line}" fill="none" stroke="#146" stroke-width="2"/>')
    if acting:
        at = acting[-1]
        parts.append(f'<circle cx="{_x(at.coverage)}" cy="{_y(at.precision)}" r="5" fill="#146"/>')
        parts.append(
            f'<text x="{LEFT}" y="42" fill="#146">'
            f"acting above {tau:.3f}: {at.coverage:.1%} of the cases, {at.precision:.0%} of them right</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _axes() -> list[str]:
    """Return both axes with a grid and their names."""
    parts = []
    for n in range(0, 101, 20):
        share = n / 100
        parts.append(_rule(_x(share), _y(0), _x(share), _y(1), ' stroke="#ddd"'))
        parts.append(_rule(_x(0), _y(share), _x(1), _y(share), ' stroke="#ddd"'))
        parts.append(f'<text x="{_x(share)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}%</text>')
        parts.append(f'<text x="{LEFT - 8}" y="{_y(share - 0.01)}" text-anchor="end">{n}%</text>')
    middle = (TOP + HEIGHT - BOTTOM) // 2
    return [
        *parts,
        _rule(_x(0), _y(0), _x(1), _y(0), ' stroke="#222"'),
        _rule(_x(0), _y(0), _x(0), _y(1), ' stroke="#222"'),
        f'<text x="{(LEFT + WIDTH - RIGHT) // 2}" y="{HEIGHT - 14}" text-anchor="middle">'
        "coverage: share of the predictions, the surest first</text>",
        f'<text x="18" y="{middle}" text-anchor="middle" transform="rotate(-90 18 {middle})">precision</text>',
    ]


def _described(drawn: Sequence[Point], acting: Sequence[Point], goal: float | None) -> str:
    """Return the picture in words, for who cannot see it."""
    if not drawn:
        return "There are no cases to draw."
    told = f"Precision is {drawn[0].precision:.0%} at the surest {drawn[0].coverage:.1%} of the predictions"
    told += f" and {drawn[-1].precision:.0%} over all of them."
    if acting:
        told += f" Above the threshold lie {acting[-1].coverage:.1%} with a precision of {acting[-1].precision:.0%}."
    return told + (f" {goal:.0%} is asked for." if goal is not None else "")


def _fewer(curve: Sequence[Point]) -> Sequence[Point]:
    """Return at most 200 of the points, evenly spread, the first and the last among them."""
    if len(curve) <= MOST:
        return curve
    return [curve[round(n * (len(curve) - 1) / (MOST - 1))] for n in range(MOST)]


def _rule(x1: str, y1: str, x2: str, y2: str, style: str) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{style}/>'


def _x(share: float) -> str:
    return f"{LEFT + share * (WIDTH - LEFT - RIGHT):.1f}"


def _y(share: float) -> str:
    return f"{HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM):.1f}"
