"""What actions tell of the tools a project uses."""

import pytest

from mempalace import kinds
from mempalace.beliefs.observed import CUT, observations

TABLE = kinds.load()


def seen(target, *, tool="Bash", inside="", key="k"):
    return observations(tool, target, inside=inside, wing=3, at=1_800_000_000, key=key, kinds=TABLE)


@pytest.mark.parametrize(
    ("target", "inside", "expected"),
    [
        pytest.param("pnpm install", "", [("pnpm", "")], id="a choice"),
        pytest.param("pnpm i && pnpm test", "", [("pnpm", "")], id="once an action"),
        pytest.param("uv run pytest -q", "", [("uv", ""), ("pytest", "")], id="two choices"),
        pytest.param("cd packages/legacy && yarn", "", [("yarn", "packages/legacy/**")], id="in a folder"),
        pytest.param("yarn", "packages/legacy", [("yarn", "packages/legacy/**")], id="session in a folder"),
        pytest.param("cd .. && yarn", "packages", [("yarn", "")], id="back to the top"),
        pytest.param("cd .. && yarn", "", [], id="outside"),
        pytest.param("cd /tmp && yarn", "", [], id="elsewhere"),
        pytest.param("cd $X && yarn", "", [], id="who knows where"),
        pytest.param("git push -f origin main", "", [], id="a habit"),
        pytest.param("echo pnpm i", "", [], id="a mention"),
    ],
)
def test_an_action_tells(target, inside, expected):
    assert [(one.option, one.glob) for one in seen(target, inside=inside)] == expected


def test_what_may_be_cut_off_tells_nothing():
    line = "pnpm i && npm run " + "x" * CUT
    assert [one.option for one in seen(line[:CUT])] == ["pnpm"]


def test_only_commands_tell():
    assert seen("pnpm install", tool="Read") == []


def test_every_observation_has_a_key_of_its_own():
    keys = [one.key for one in seen("uv run pytest; cd a; pytest") + seen("uv run pytest", key="l")]
    assert len(set(keys)) == len(keys) == 5


@pytest.mark.parametrize(
    ("command", "globs"),
    [
        pytest.param("cd /work/shop && pnpm install", [""], id="the project's own top"),
        pytest.param("cd /work/shop/packages/legacy && yarn install", ["packages/legacy/**"], id="a folder of it"),
        pytest.param("cd /work/shopping && pnpm install", [], id="another project with a longer name"),
        pytest.param("cd /tmp && npm install", [], id="outside"),
    ],
)
def test_a_folder_that_is_named_from_the_root_is_known(command, globs):
    found = observations(
        "Bash", command, inside="src", wing=1, at=9, key="k", kinds=kinds.load(), root="/work/shop/"
    )  # fmt: skip
    assert [one.glob for one in found] == globs
