"""What lies in a palace is what the page on privacy lists, and it is there for its owner alone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import Repo
from transcripts import talk

ROOT = Path(__file__).parents[1]
EVENTS = {
    "wake_up.py": {"hook_event_name": "SessionStart", "source": "startup"},
    "recall.py": {"hook_event_name": "UserPromptSubmit", "prompt": "which lens of the lamp was polished?"},
    "guard.py": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "npm install"}},
    "command.py": {"hook_event_name": "UserPromptExpansion", "command_name": "mempalace:status", "command_args": ""},
    "file_away.py": {"hook_event_name": "SessionEnd", "reason": "other"},
}
WORDS = [
    ["mine", "--quiet", "{log}"], ["setup"], ["config", "set", "budget", "3000"], ["off", "serve"],
    ["remember", "The lamp is lit at dusk."], ["belief", "add", "--pin", "always use pnpm"],
    ["decide", "install the lamp", "--kind", "package-manager", "--option", "npm=npm", "--option", "pnpm=pnpm"],
    ["calibrate", "predict", "--plot", "{out}/plot.svg"], ["backup", "{out}/copy.db"], ["export", "{out}/all.jsonl"],
    ["doctor", "--rebuild"], ["forget", "--match", "lens number 1"],
]  # fmt: skip


@pytest.fixture
def lived_in(tmp_path, palace):
    """Return the palace after every command and hook that writes has run, with files open to anybody by default."""
    repo = Repo(tmp_path / "lighthouse")
    for nr in range(8):
        repo.commit(f"Fix the lamp, part {nr}", "lamp.py", "lens.py")
    log = talk(cwd=repo.root).write(tmp_path / "log" / "s1.jsonl")
    out = tmp_path / "out"
    out.mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    how = {"umask": 0, "env": env, "capture_output": True, "timeout": 120, "cwd": repo.root}

    def run(words):
        given = [word.format(log=log, out=out) for word in words]
        done = subprocess.run([sys.executable, "-m", "mempalace", *given], **how)
        assert done.returncode == 0, done.stderr.decode()

    for words in WORDS:
        run(words)
    for hook, event in EVENTS.items():
        told = {**event, "session_id": "other", "cwd": repo.root, "transcript_path": str(log)}
        words = [sys.executable, "-I", "-S", str(ROOT / "hooks" / hook)]
        done = subprocess.run(words, input=json.dumps(told).encode(), **how)
        assert (done.returncode, done.stderr) == (0, b"")
    run(WORDS[0])  # after the miner that the last hook started
    return palace


@pytest.mark.skipif(os.name != "posix", reason="needs the rights of POSIX")
def test_nobody_else_may_read_it_and_the_page_lists_it_all(lived_in, tmp_path):
    open_to_others = [
        str(path)
        for place in (lived_in, lived_in / "sessions", lived_in / "requests", lived_in / "turns", tmp_path / "out")
        for path in [*place.glob("*"), lived_in]
        if path.stat().st_mode & 0o077 and path.suffix != ".svg"
    ]
    assert open_to_others == []
    page = (ROOT / "website" / "docs" / "privacy.md").read_text("utf-8")
    listed = set(re.findall(r"`([^`]+)`", page.split("| in it |")[1].split("\n\n")[0]))
    there = {f"{path.name}/" if path.is_dir() else path.name for path in lived_in.iterdir()}
    of_the_database = {name for name in there if name.startswith("palace.db-")}
    assert there - of_the_database - listed == set()
    assert {"palace.db", "config.toml", "config.cache.json", "setup.json", "sessions/"} <= there


@pytest.mark.skipif(os.name != "posix", reason="needs the rights of POSIX")
def test_the_folders_above_a_new_palace_are_its_owners_too(tmp_path):
    place = tmp_path / "a" / "b" / "palace"
    code = f"import os; os.umask(0); from mempalace.paths import make_private; make_private({str(place)!r})"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    assert [(tmp_path / path).stat().st_mode & 0o777 for path in ("a", "a/b", "a/b/palace")] == [0o700] * 3
