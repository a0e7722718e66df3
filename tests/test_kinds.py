"""What commands, files and words choose."""

import json

import pytest

from mempalace import kinds
from mempalace.commands import commands
from mempalace.kinds import Choice

TABLE = kinds.load()


def options(line, branch=""):
    """Return all options that a line's commands choose, but for the slots that every use of git fills."""
    found = [choice for command in commands(line) for choice in TABLE.of_command(command, branch)]
    return [one.option for one in found if one.subject not in ("tool", "commit", "push")]


CHOSEN = [
    ("npm install", ["npm"]), ("npm ci", ["npm"]), ("npm run build", ["npm"]), ("npm -w a test", ["npm"]),
    ("npm view x", []), ("npm --version", []), ("npm whoami", []), ("npm i -g x", []), ("npm run", []),
    ("npm install --help", []), ("npm install --dry-run", []), ("npm publish", ["npm publish"]),
    ("/usr/bin/npm i", ["npm"]), ("pnpm i", ["pnpm"]), ("pnpm lint", ["pnpm"]), ("pnpm -v", []), ("pnpm", []),
    ("pnpm vitest run", ["pnpm", "vitest"]), ("yarn", ["yarn"]), ("yarn -v", []), ("yarn jest", ["yarn", "jest"]),
    ("bun run build", ["bun"]), ("bun run a.ts", ["bun"]), ("bun test", ["bun test"]),
    ("npx prettier -w .", ["npx", "prettier"]), ("npx --yes -p x eslint .", ["npx", "eslint"]),
    ("pnpm dlx x", ["pnpm dlx"]), ("bunx biome lint", ["bunx", "biome"]),
    ("pip install x", ["pip"]), ("pip3.12 install x", ["pip"]), ("python -m pip install x", ["pip"]),
    ("pip install uv", []), ("pip list", []), ("uv pip install x", ["uv"]), ("uv run pytest", ["uv", "pytest"]),
    ("uv run --with x python -m pytest -q", ["uv", "pytest"]), ("poetry run mypy .", ["poetry", "mypy"]),
    ("python3.11 -m unittest", ["unittest"]), ("python -m build", ["python -m build"]), ("build", []),
    ("pytest -k npm", ["pytest"]), (".venv/bin/pytest", ["pytest"]), ("pytest --version", []),
    ("bundle exec rspec", ["rspec"]), ("cargo nextest run", ["cargo nextest"]), ("ruff format", ["ruff format"]),
    ("ruff check .", ["ruff"]), ("make test", ["make"]), ("make -n test", []), ("./gradlew test", ["gradle"]),
    ("git push origin main", ["push to main"]), ("git push origin HEAD:main", ["push to main"]),
    ("git push -u origin a main", ["push to main"]), ("git push origin maintenance", []),
    ("git push -f", ["force push"]), ("git push -fu origin a", ["force push"]), ("git push origin +a", ["force push"]),
    ("git push --force-with-lease=a", ["force push", "force push with lease"]), ("git push", []),
    ("git commit --no-verify -m x", ["skip the commit hooks"]), ("git commit -m --amend", []),
    ("git commit --amend", ["amend"]), ("git commit -am x", ["commit all"]), ("git add -A", ["stage everything"]),
    ("git add a.py", []), ("git pull --rebase", ["rebase"]), ("git rebase --abort", []),
    ("git reset --hard HEAD", ["discard work"]), ("terraform apply", ["terraform", "terraform apply"]),
    ("kubectl -n a apply -f b", ["kubectl apply"]), ("kubectl get pods", []), ("docker ps", []),
    ("vercel --prod", ["vercel --prod", "vercel"]), ("rm -rf a", ["rm -rf"]), ("rm a", []),
    ("cat package-lock.json", []), ("which npm", []), ("man npm install", []), ("unknown npm install", []),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), CHOSEN, ids=[line for line, _ in CHOSEN])
def test_a_command_chooses(line, expected):
    assert options(line) == expected


@pytest.mark.parametrize(
    ("line", "branch", "expected"),
    [
        ("git push", "main", ["push to main"]),
        ("git push origin HEAD", "master", ["push to main"]),
        ("git push", "topic", []),
        ("git push origin topic", "main", []),
        ("git commit -m x", "main", ["commit on main"]),
        ("git commit -m x", "", []),
    ],
)
def test_what_a_push_means_depends_on_the_branch(line, branch, expected):
    assert options(line, branch) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("package-lock.json", ["edit lock files by hand"]),
        ("packages/a/yarn.lock", ["edit lock files by hand"]),
        ("packages/a/dist/x.js", ["edit build output"]),
        ("src/distance.py", []),
        ("a/thing_pb2.py", ["edit generated code"]),
        ("web/app.min.js", ["edit minified files"]),
        (".env", ["edit secret files"]),
        ("src/app.py", []),
    ],
)
def test_editing_a_file_chooses(path, expected):
    assert [choice.option for choice in TABLE.of_path(path)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use pnpm, not NPM.", ["pnpm", "npm"]),
        ("never force-push", ["force push"]),
        ("don't push directly to main", ["push to main"]),
        ("run npm-check in pnpm's folder", ["pnpm"]),
        ("make sure it is just black and blue", []),
        ("run `make test`", ["make"]),
        ("format it with black", ["black"]),
        ("no --no-verify please", ["skip the commit hooks"]),
        ("use ruff", ["ruff format", "ruff"]),
        ("write commit messages in English", []),
        ("", []),
    ],
)
def test_prose_names(text, expected):
    assert [choice.option for _, _, choice in TABLE.mentioned(text)] == expected


def test_the_span_is_the_name_itself():
    text = "Use `make` and pnpm."
    assert [text[start:end] for start, end, _ in TABLE.mentioned(text)] == ["make", "pnpm"]


def test_what_is_observed_is_a_kind_and_no_habit():
    assert TABLE.observed <= set(TABLE.table)
    assert "version-control" not in TABLE.observed


def test_the_users_table_lies_over_the_shipped_one(tmp_path):
    mine = {
        "kinds": {"package-manager": {"node": {"vlt": {"commands": ["vlt install"], "names": ["vlt"]}, "yarn": None}}}
    }
    (tmp_path / "kinds.json").write_text(json.dumps(mine))
    table = kinds.load(str(tmp_path))
    assert table.wrong == ""
    assert table.of_command(commands("vlt install")[0]) == (Choice("package-manager", "node", "vlt"),)
    assert table.of_command(commands("yarn add x")[0]) == ()
    assert table.of_command(commands("npm i")[0])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "Expecting"),
        ("[]", "object"),
        ('{"kinds": 7}', "object"),
        ('{"kinds": {"a": 7}}', "a"),
        ('{"kinds": {"a": {"b": {"c": 7}}}}', "a/b/c"),
        ('{"kinds": {"a": {"b": {"c": {"commands": "x"}}}}}', "a/b/c"),
        ('{"observed": 7}', "observed"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_wrong_table_is_said_and_the_shipped_one_stands(tmp_path, content, said):
    (tmp_path / "kinds.json").write_text(content)
    table = kinds.load(str(tmp_path))
    assert said in table.wrong
    assert "kinds.json" in table.wrong
    assert table.of_command(commands("npm i")[0])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param('\ufeff{"kinds": {"cook": {"": {"stew": {"commands": ["stew"]}}}}}', "", id="a mark at its start"),
        pytest.param('{"colours": {}}', "colours", id="an unknown key"),
        pytest.param('{"kinds": {"cook": {"": {"stew": {"smells": ["x"]}}}}}', "cook", id="an unknown field"),
        pytest.param("{", "kinds.json", id="no JSON"),
    ],
)
def test_what_of_a_users_table_cannot_be_used_is_named(tmp_path, text, wrong):
    (tmp_path / "kinds.json").write_text(text, encoding="utf-8")
    table = kinds.load(str(tmp_path))
    assert (wrong in table.wrong) if wrong else not table.wrong
    assert "npm" in table.table["package-manager"]["node"], "what ships still holds"


def test_a_pattern_with_many_stars_is_matched_in_linear_time(tmp_path):
    (tmp_path / "kinds.json").write_text(
        json.dumps({"kinds": {"cook": {"": {"stew": {"paths": ["*a" * 60 + "b"]}}}}}), encoding="utf-8"
    )
    assert kinds.load(str(tmp_path)).of_path("a" * 4000) == ()
