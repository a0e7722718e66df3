"""The documentation says what the program does."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mempalace.cli import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "website" / "docs"
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "layers/README.md", "samples/README.md")
    ),
    *sorted(DOCS.glob("*.md")),
]
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
REMEDY = "run `make docs`"


def _generator():
    spec = importlib.util.spec_from_file_location("gen_cli", ROOT / "website" / "gen_cli.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gen_cli = _generator()
COMMANDS = dict(gen_cli.commands())


def _name(path):
    return str(path.relative_to(ROOT))


def _anchor(heading):
    """Return the anchor that GitHub and MkDocs give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower()).replace(" ", "-")


def test_the_command_reference_is_what_the_commands_say():
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == gen_cli.reference(), REMEDY


@pytest.mark.parametrize("words", COMMANDS)
def test_the_reference_holds_every_option(words):
    section = gen_cli.reference().split(f"\n## {words.removeprefix('mempalace ')}\n")[1].split("\n## ")[0]
    written = [option for param in COMMANDS[words].params for option in param.opts if option.startswith("-")]
    assert not [option for option in written if option not in section]


def test_the_readme_lists_the_commands_and_shows_the_sample_as_it_is_told():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == gen_cli.readme(text), REMEDY


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_command_that_a_page_names_exists(page):
    code = "\n".join(CODE.findall(page.read_text(encoding="utf-8")))
    for name, flags in re.findall(r"(?:^|`|\$ )mempalace ([a-z][a-z-]*)((?: --?[a-z][a-z-]*)*)", code, re.M):
        command = COMMANDS.get(f"mempalace {name}")
        assert command, f"mempalace {name}"
        known = {option for param in command.params for option in param.opts} | {"--help", "-h"}
        assert not set(flags.split()) - known


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_make_target_that_a_page_names_exists(page):
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    code = "\n".join(CODE.findall(page.read_text(encoding="utf-8")))
    named = re.findall(r"(?:^|`)(?:\w+=\S+ )?make ([a-z][a-z-]*)", code, re.M)
    assert not set(named) - set(targets)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_link_inside_the_project_resolves(page):
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        headings = re.findall(r"^#+ (.*)$", FENCE.sub("", target.read_text(encoding="utf-8")), re.M)
        assert not anchor or anchor in map(_anchor, headings), link


def test_the_two_commands_open_the_readme():
    opening = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    assert [line.split("#")[0].strip() for line in opening.splitlines()[1:]] == ["make wake-up", "make test"]


def test_the_help_fits_the_line_that_the_group_gives_it():
    shown = CliRunner().invoke(main, ["--help"], terminal_width=200).stdout
    assert not [words for words in COMMANDS if f"\n  {words.removeprefix('mempalace ').split()[0]} " not in shown]


def test_the_website_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("mkdocs")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        [*build, "--config-file", str(ROOT / "website" / "mkdocs.yml")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").glob("*.html"):
        loaded = re.findall(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"?([^\s\">]+)", page.read_text())
        assert not [url for url in loaded if url.startswith(("http:", "https:", "//"))]
