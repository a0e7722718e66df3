"""XQuAD: at what rank is the paragraph that answers a question, in each language by itself?

`python tests/benchmarks/xquad.py --file PATH [--language CODE] [--json]`. PATH is {language: SQuAD}
or one plain SQuAD file. A paragraph is a session of one turn; the last line is the languages' mean.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retrieval import DAY, Session, Tally, arguments, palace_of, tell, whole

MEASURES = ("hit@1", "hit@5", "mrr")
BEGAN = 1_700_000_000  # Unix seconds of the first paragraph; they follow one another by a day


def main() -> None:
    """Ask every question of every language and print the figures."""
    parser = arguments(str(__doc__), "--file")
    parser.add_argument("--language", default="", metavar="CODE", help="this one alone")
    given = parser.parse_args()
    found = {}
    for code, articles in languages(given.file).items():
        if not given.language or code == given.language:
            found[code] = asked(articles)
            tell(f"XQuAD {code}", found[code])
    if not found:
        raise SystemExit(f"{given.file} holds no language {given.language}")
    figures = {name: round(statistics.fmean(one[name] for one in found.values()), 4) for name in (*MEASURES, "p50_ms")}
    figures["n"] = sum(one["n"] for one in found.values())
    tell("XQuAD mean", figures)
    if given.json:
        print(json.dumps(figures))


def asked(articles: list[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of one language."""
    tally = Tally()
    with palace_of(paragraphs(articles)) as palace:
        for question, name in questions(articles):
            tally.add(palace.ask(question), {name})
    return tally.figures(*MEASURES)


def languages(path: str) -> dict[str, list[dict[str, Any]]]:
    """Return the articles of each language; a plain SQuAD file is one, called by the file's name."""
    held = whole(path)
    if "data" in held:
        held = {Path(path).name.split(".")[-2 if path.endswith(".json") else 0]: held}
    return {code: one["data"] if isinstance(one, dict) else one for code, one in held.items()}


def paragraphs(articles: list[dict[str, Any]]) -> Iterator[Session]:
    """Yield each paragraph as a session."""
    for n, paragraph in enumerate(_all(articles)):
        yield Session(str(n), BEGAN + n * DAY, [("user", paragraph["context"])])


def questions(articles: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each question with the name of its paragraph."""
    for n, paragraph in enumerate(_all(articles)):
        for question in paragraph["qas"]:
            yield question["question"], str(n)


def _all(articles: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for article in articles:
        yield from article["paragraphs"]


if __name__ == "__main__":
    main()
