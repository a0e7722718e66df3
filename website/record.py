"""Record a new user's first minutes: `python website/record.py`.

Runs the commands of docs/getting-started.md for real, in a home of its own with mempalace installed as
a package there, and writes what was typed, what was printed and how long it took:
docs/img/first-session.svg, the same as text beside it, and the table of times in the page.
"""

from __future__ import annotations

import io
import os
import pty
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "website" / "docs"
SVG, TEXT, PAGE = DOCS / "img" / "first-session.svg", DOCS / "img" / "first-session.txt", DOCS / "getting-started.md"
WIDTH = 104  # characters
STEPS = (
    "mempalace mine samples/tidetable",
    "mempalace wake-up --wing tidetable | head -n 16",
    'mempalace search "why did the server hang every afternoon?" --limit 2',
    "mempalace show d:e5667316 --around 1",
    "mempalace setup",
    "mempalace doctor",
)
TITLE = "mempalace, the first minutes"
# The drawing loads no font: whatever monospace the reader has, each run of text is set to its width.
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img"
aria-label="mempalace, the first minutes">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


class Step(NamedTuple):
    """A command that was run: what it printed, with its colours, and how many seconds it took."""

    command: str
    printed: str
    seconds: float


def install(home: Path) -> dict[str, str]:
    """Install the package in a home as pipx does, with a sample to mine, and return the environment there.

    What it needs is taken from the Python that runs this, so that no network is asked.
    """
    place = home / ".local" / "pipx" / "venvs" / "mempalace"
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    (site / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    clean = shutil.ignore_patterns("__pycache__", "layers.py")
    shutil.copytree(ROOT / "mempalace", site / "mempalace", ignore=clean)
    for folder in ("layers", "hooks"):
        shutil.copytree(ROOT / folder, site / "mempalace" / folder, ignore=clean)
    shutil.copytree(ROOT / "samples", home / "samples")
    program = home / ".local" / "bin" / "mempalace"
    program.parent.mkdir()
    program.write_text(f"#!{python}\nfrom mempalace.cli import main\nmain(prog_name='mempalace')\n", encoding="utf-8")
    program.chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{program.parent}:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    subprocess.run([python, "-m", "compileall", "-q", site / "mempalace"], check=True, env=env)
    return env


def run(command: str, home: Path, env: dict[str, str]) -> Step:
    """Run a command in a terminal and return what it did; raises where it fails."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    child = subprocess.Popen(["sh", "-c", command], cwd=home, env=env, stdout=theirs, stderr=subprocess.STDOUT)
    os.close(theirs)
    printed = b""
    while block := _read(ours):
        printed += block
    os.close(ours)
    if child.wait():
        raise SystemExit(f"{command}: {printed.decode('utf-8', 'replace')}")
    told = printed.decode("utf-8").replace("\r\n", "\n").replace(str(home), "~")
    shown = [line.rpartition("\r")[2] for line in told.split("\n")]  # of a progress bar its last state
    return Step(command, "\n".join(shown).rstrip("\n"), time.perf_counter() - began)


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65_536)
    except OSError:  # how Linux says that the other end was closed
        return b""


def recorded() -> list[Step]:
    """Return all steps, run one after the other in a new home."""
    with tempfile.TemporaryDirectory(prefix="home-") as folder:
        home = Path(folder).resolve()
        env = install(home)
        (home / ".claude.json").write_text("{}", encoding="utf-8")  # the client is used here
        return [run(step, home, env) for step in STEPS]


def lines(steps: list[Step]) -> list[Text]:
    """Return the recording, line by line: prompts, what was printed, the time each took."""
    told = []
    for step in steps:
        told.append(Text.assemble(("$ ", "bold green"), (step.command, "bold")))
        told += [Text.from_ansi(line) for line in step.printed.splitlines()]
        told += [Text(f"{step.seconds:.1f} s", "dim italic"), Text("")]
    return told[:-1]


def drawn(told: list[Text]) -> str:
    """Return the recording as an SVG that loads nothing."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in told:
        console.print(line, highlight=False, overflow="fold")
    return console.export_svg(title=TITLE, code_format=FRAME, unique_id="first")


def table(steps: list[Step]) -> str:
    """Return the steps with their times as a Markdown table."""
    rows = [f"| `{step.command.partition(' |')[0]}` | {step.seconds:.1f} s |" for step in steps]
    return "\n".join(["| step | took |", "|---|---|", *rows])


def filled(text: str, body: str) -> str:
    """Return the page with its table of times brought up to date."""
    start, end = "<!-- --8<-- [start:times] -->", "<!-- --8<-- [end:times] -->"
    before, rest = text.split(start)
    return f"{before}{start}\n\n{body}\n\n{end}{rest.split(end)[1]}"


if __name__ == "__main__":
    steps = recorded()
    told = lines(steps)
    SVG.parent.mkdir(exist_ok=True)
    SVG.write_text(drawn(told), encoding="utf-8")
    TEXT.write_text("\n".join(line.plain.rstrip() for line in told) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(filled(page, table(steps)), encoding="utf-8")
    sys.stdout.write(TEXT.read_text(encoding="utf-8"))
