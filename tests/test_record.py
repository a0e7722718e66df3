"""The recording of a new user's first minutes, and the page that tells of them."""

import importlib.util
import os
import re
import sys
from pathlib import Path
from xml.dom import minidom

import pytest

from mempalace.layers.welcome import welcome
from mempalace.visit import Visit

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "website" / "docs"
PAGE = (DOCS / "getting-started.md").read_text(encoding="utf-8")
TEXT = (DOCS / "img" / "first-session.txt").read_text(encoding="utf-8")
SVG = (DOCS / "img" / "first-session.svg").read_text(encoding="utf-8")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="recorded in a terminal of POSIX")


@pytest.fixture(scope="module")
def record():
    spec = importlib.util.spec_from_file_location("record", ROOT / "website" / "record.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["record"] = module
    spec.loader.exec_module(module)
    return module


def test_the_recording_is_of_the_steps_that_the_page_times(record):
    assert re.findall(r"^\$ (.*)$", TEXT, re.M) == list(record.STEPS)
    table = PAGE.split("[start:times] -->")[1].split("<!--")[0]
    assert re.findall(r"^\| `(mempalace .*?)` \|", table, re.M) == [step.partition(" |")[0] for step in record.STEPS]


def test_the_picture_says_what_the_text_says_and_loads_nothing():
    nodes = minidom.parseString(SVG.encode()).getElementsByTagName("text")
    told = "".join(node.firstChild.data for node in nodes if node.firstChild).replace("\xa0", " ")
    for command in re.findall(r"^\$ (.*)$", TEXT, re.M):
        assert command.replace(" ", "") in told.replace(" ", "")
    assert "@import" not in SVG
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", SVG)
    assert not [url for url in re.findall(r"https?://[^\"' )]+", SVG) if url != "http://www.w3.org/2000/svg"]


def test_no_folder_of_where_it_was_made_is_shown():
    paths = re.findall(r"(?<![\w.~:/])/(?!usr/bin)[\w.-]+(?:/[\w.-]+)+", TEXT)
    assert [path for path in paths if not path.startswith("/api/")] == []


def test_a_step_is_run_for_real_in_a_home_of_its_own(record, tmp_path):
    env = record.install(tmp_path)
    step = record.run("mempalace mine --quiet samples/tidetable && mempalace wings && pwd", tmp_path, env)
    assert "tidetable" in step.printed
    assert step.printed.endswith("~")
    assert step.seconds > 0
    assert str(tmp_path) not in step.printed
    with pytest.raises(SystemExit, match="no palace at"):
        record.run("mempalace status --palace nowhere", tmp_path, env)


def first_session(**env):
    """Return what a first session says, in an environment."""
    return welcome(Visit("wake-up", b'{"cwd": "/"}', env, now=0, began=0))


def test_the_page_says_what_the_first_session_says(tmp_path):
    (tmp_path / "python3.11").touch(mode=0o755)
    assert first_session(CLAUDE_PLUGIN_DATA=str(tmp_path), PATH=str(tmp_path)) in PAGE
    missing = first_session(PATH="", CLAUDE_PLUGIN_ROOT="/plugins/mempalace")
    assert missing.partition(":")[0] in PAGE
    assert missing.endswith('or run: pipx install "/plugins/mempalace"')
    assert "`pipx install` the folder" in PAGE
    (tmp_path / "environment.failed").write_text("no network")
    held = {"CLAUDE_PLUGIN_DATA": str(tmp_path), "CLAUDE_PLUGIN_ROOT": "/plugins/mempalace"}
    failed = first_session(PATH=str(tmp_path), **held)
    assert failed.partition(":")[0] in PAGE
    assert failed.endswith('uv tool install "/plugins/mempalace"')
    assert "`uv tool install` the folder" in PAGE
