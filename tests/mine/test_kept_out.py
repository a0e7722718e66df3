"""Secrets and private stretches are nowhere in the palace's bytes."""

import json
import os
import subprocess
import sys

import pytest
from transcripts import Session, ask, mine, texts

# Made up here, and put together at run time so that no scanner takes this file for a leak.
AWS = "AKIA" + "Q3EGRIV7XKZ2M5WN"
GITHUB = "ghp_" + "k2J8sQw4Lm9Xv7Rt3Zb6Nc1Yd5Hf0Ga8Pe2U"
PASSWORD = "R0ckgannet4417x"
KEY = "MIIEpQIBAAKCAQEAr7Zt9Qm3Vx5Lw8Ks2Yb6Nd4Hf1Ja0Pc"
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n{KEY[::-1]}\n-----END RSA PRIVATE KEY-----"
HIDDEN = "the combination is nine gulls"


def said(session, text):
    session.user(text)


def reported(session, text):
    session.agent(text)


def titled(session, text):
    session.user("Please light the lamp.")
    session.record("custom-title", customTitle=text)


def commanded(session, text):
    session.tool("Bash", {"command": text})
    session.result()


def failed(session, text):
    session.tool("Bash", {"command": "light"})
    session.result(text, error=True)


def at_the_cut_of_an_error(session, text):
    session.tool("Bash", {"command": "light"})
    session.result("x" * 280 + " " + text, error=True)


def in_a_helpers_words(session, text):
    session.agent(text, isSidechain=True)


def queued(session, text):
    prompt = {"type": "queued_command", "prompt": text}
    session.record("attachment", attachment=prompt, uuid="q", cwd=session.cwd)


PLACES = [said, reported, titled, commanded, failed, at_the_cut_of_an_error, in_a_helpers_words, queued]
SECRETS = [
    pytest.param(f"the key {AWS} is new", AWS, id="an AWS key"),
    pytest.param(f"git clone https://keeper:{GITHUB}@github.com/x/y", GITHUB, id="a token in a URL"),
    pytest.param(f"password={PASSWORD} for the lamp", PASSWORD, id="a password"),
    pytest.param(BLOCK, KEY, id="a private key"),
    pytest.param(f"Look: <private>{HIDDEN}</private> and go on.", HIDDEN, id="a private stretch"),
    pytest.param(f"Look: <private>{HIDDEN}", HIDDEN, id="a private stretch left open"),
]


def bytes_of(palace):
    """Return every byte below the palace."""
    found = b""
    for here, _, names in os.walk(palace):
        for name in names:
            with open(os.path.join(here, name), "rb") as file:
                found += file.read() + b"\0"
    return found


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_nowhere_in_the_store(palace, claude, place, text, secret):
    session = Session()
    place(session, text)
    mine(palace, claude(session))
    found = bytes_of(palace)
    assert secret.encode() not in found
    assert secret[: len(secret) // 2 + 4].encode() not in found


def test_a_secret_across_the_reach_of_a_long_command_is_not_kept_by_half(palace, claude):
    session = Session()
    block = BLOCK.replace(KEY, f"{KEY}\n" * 29 + KEY)
    for end in range(3985, 4005):
        command = f"cat <<E\n{block}\n{block}\n{block[:500]}\n-----END RSA PRIVATE KEY-----\n"
        command += "x " * 1000
        session.tool("Bash", {"command": command[: end - 1] + " " + AWS})
        session.result()
    mine(palace, claude(session))
    assert ask(palace, "SELECT max(length(target)) FROM actions")[0][0] < 500
    assert AWS[:8].encode() not in bytes_of(palace)


@pytest.mark.parametrize("name", ["keys.md", "keys.txt"])
def test_a_file_of_keys_leaves_none_in_the_palace_nor_its_index(palace, tmp_path, name):
    note = tmp_path / name
    note.write_text(f"# {AWS}\n\n{BLOCK}\n\npassword: {PASSWORD}\n\nThe lamp is lit.\n")
    words = [sys.executable, "-m", "mempalace", "mine", note, "--palace", palace, "--json"]
    told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    assert told["redacted"] >= 3
    found = bytes_of(palace)
    assert (palace / "index").is_dir()
    for secret in (AWS, KEY, PASSWORD):
        assert secret.encode() not in found
        assert secret.lower().encode() not in found
    assert b"The lamp is lit." in found


def test_a_message_that_is_all_private_leaves_nothing(palace, claude):
    session = Session()
    session.user(f"<private>{HIDDEN}</private>")
    session.user("The lamp is lit.")
    mine(palace, claude(session))
    assert texts(palace) == ["The lamp is lit."]
    assert ask(palace, "SELECT opening FROM sources") == [("The lamp is lit.",)]


def test_the_words_around_a_secret_are_kept(palace, claude):
    session = Session()
    session.user(f"Use {AWS} for the lamp.")
    report = mine(palace, claude(session))
    assert texts(palace) == ["Use [redacted:aws-key] for the lamp."]
    assert report.redacted == 1
