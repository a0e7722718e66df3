"""Killed at any moment, or two at once: what one clean run files, no more and no less."""

import json
import os
import random
import subprocess
import sys
import time

import pytest
from transcripts import content, mine, talk

from mempalace.mine import turnstile

# A miner that commits after every file, so that a kill may fall between any two.
MINER = "import mempalace.mine.miner as m; m.BATCH_SECONDS = 0.0; from mempalace.cli import main; main()"


def start(palace, *places):
    words = [sys.executable, "-c", MINER, "mine", "--json", "--palace", *map(str, (palace, *places))]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(palace, *places):
    miner = start(palace, *places)
    out, err = miner.communicate(timeout=120)
    assert (miner.returncode, err) == (0, b"")
    return json.loads(out[: out.index(b"\n}") + 2])


@pytest.fixture
def many(claude):
    for n in range(40):
        path = claude(talk(f"s{n}", turns=12))
    return path.parent


@pytest.fixture
def clean(many, tmp_path):
    mine(tmp_path / "clean", many)
    return content(tmp_path / "clean")


def killed_at_random_moments(palace, many, clean, seed, kills):
    chance = random.Random(seed)
    began = time.monotonic()
    finished(palace.with_name("pace"), many)
    whole = time.monotonic() - began
    for _ in range(kills):
        miner = start(palace, many)
        try:
            miner.wait(timeout=chance.uniform(0.1, 1.0) * whole)
        except subprocess.TimeoutExpired:
            miner.kill()
        miner.communicate()
    finished(palace, many)
    assert content(palace) == clean
    assert turnstile.pending(str(palace)) == []


@pytest.mark.parametrize("seed", range(4))
def test_a_miner_killed_three_times_is_completed_by_the_next(palace, many, clean, seed):
    killed_at_random_moments(palace, many, clean, seed, 3)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 140))
def test_a_miner_killed_once_is_completed_by_the_next(palace, many, clean, seed):
    killed_at_random_moments(palace, many, clean, seed, 1)


def test_two_miners_at_once_file_what_one_files(palace, many, clean):
    miners = [start(palace, many) for _ in range(2)]
    told = [miner.communicate(timeout=120) for miner in miners]
    assert [(miner.returncode, err) for miner, (_, err) in zip(miners, told, strict=True)] == [(0, b"")] * 2
    assert content(palace) == clean
    assert turnstile.pending(str(palace)) == []


def test_what_is_asked_for_while_a_miner_works_is_filed_by_it(palace, claude, many, clean):
    late = claude(talk("late"), folder="-work-harbour")
    asked = []

    def work(request):
        asked.append(request["places"])
        if len(asked) == 1:
            told = finished(palace, late)  # another process, while we hold the palace
            assert told == {"queued": True}
        mine(palace, *request["places"])

    assert turnstile.pass_through(str(palace), {"places": [str(many)]}, work)
    assert asked == [[str(many)], [str(late)]]
    assert len(content(palace)["sources"]) == len(clean["sources"]) + 1


def test_a_request_that_a_killed_miner_left_is_taken_up(palace, claude, many):
    left = claude(talk("left"), folder="-work-harbour")

    def killed(request):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        turnstile.pass_through(str(palace), {"places": [str(left)]}, killed)
    assert len(turnstile.pending(str(palace))) == 1
    finished(palace, many)
    assert "left" in [source[0] for source in content(palace)["sources"]]
    assert turnstile.pending(str(palace)) == []


def test_a_request_that_cannot_be_read_is_passed_over(palace, claude):
    folder = palace / "requests"
    folder.mkdir(parents=True)
    (folder / "000000-torn.json").write_text('{"places": [')
    (folder / "000001-list.json").write_text("[]")
    (folder / "000002-draft").write_text("{}")
    finished(palace, claude(talk()))
    assert len(content(palace)["drawers"]) == 9
    assert turnstile.pending(str(palace)) == []


def test_requests_are_done_in_the_order_they_came(tmp_path):
    done = []

    def work(request):
        done.append(request["n"])
        if request["n"] == 0:
            for n in range(1, 4):
                turnstile._leave(str(tmp_path), {"n": n})

    assert turnstile.pass_through(str(tmp_path), {"n": 0}, work)
    assert done == [0, 1, 2, 3]


def test_an_index_behind_the_store_is_caught_up_by_the_next_run(palace, claude):
    path = claude(talk())
    mine(palace, path)  # the store alone: as if killed before the index was written
    assert not (palace / "index").exists()
    finished(palace, path)
    generation = json.loads((palace / "index" / "state.json").read_text())["generation"]
    assert generation > 0


def test_everything_a_miner_leaves_is_for_this_user_alone(palace, claude):
    finished(palace, claude(talk()))
    for here, folders, names in os.walk(palace):
        for name in folders:
            assert os.stat(os.path.join(here, name)).st_mode & 0o777 == 0o700, name
        for name in names:
            if os.path.basename(here) != "index":  # tantivy's own files lie in a folder that is 0700
                assert os.stat(os.path.join(here, name)).st_mode & 0o777 == 0o600, name
    assert os.stat(palace).st_mode & 0o777 == 0o700
