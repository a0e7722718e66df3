"""The rules of the house, read from the source: sizes, arrows, the weight of the wake-up."""

import ast
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
import transcripts
from click.testing import CliRunner

from mempalace.cli import main

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path.relative_to(ROOT) for top in ("mempalace", "layers", "hooks") for path in (ROOT / top).rglob("*.py")
)
LONGEST, LONG = 400, 250  # lines of a module: never more; more needs a reason
REASONS = {
    "mempalace/mine/filing.py": "what filing does to one message stands together, from its redaction to its room",
    "mempalace/mine/redact.py": "the tables of secrets stand beside what reads them",
}
# Where the wake-up starts, and how far it may reach: the standard library, tiers 1 and 2, itself.
DOORS = ("hooks/wake_up.py", "layers/wake_up.py", "mempalace/__init__.py", "mempalace/layers.py")
LAYERS = {
    f"layers/{name}.py"
    for name in (
        "__init__ session_start wake_up welcome l0_identity l1_story rules budget lines coverage topics fallback"
    ).split()
}
# The guard's door, and the layers it may reach.
GUARD, OBJECTING = "hooks/guard.py", {"layers/deeds.py", "layers/guard.py"}
HEAVY = {"dataclasses", "pathlib", "subprocess", "urllib", "urllib.parse", "inspect", "asyncio", "logging"}
SQL = re.compile(
    r"\s*(SELECT\b.*\b(FROM|EXISTS)\b|SELECT \w+\(|INSERT (OR \w+ )?INTO \w|REPLACE INTO \w|UPDATE \w+ SET\b"
    r"|DELETE FROM \w|(CREATE|DROP|ALTER) (UNIQUE )?(TABLE|INDEX|VIEW|TRIGGER)\b|PRAGMA \w"
    r"|BEGIN( IMMEDIATE| EXCLUSIVE)?;?$|SAVEPOINT \w)",
    re.S,
)


def ids(path):
    return str(path)


def tree(path, **options):
    return ast.parse((ROOT / path).read_text("utf-8"), str(path), **options)


def functions(path):
    return [node for node in ast.walk(tree(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def size(node):
    return node.end_lineno - min([node.lineno, *(one.lineno for one in node.decorator_list)]) + 1


def lines(path):
    return len((ROOT / path).read_text("utf-8").splitlines())


def of_module(name):
    """Return the source file of a module of ours, None for any other."""
    parts = name.split(".")
    if parts[0] != "mempalace":
        return None
    where = Path("layers", *parts[2:]) if parts[1:2] == ["layers"] else Path(*parts)
    found = [path for path in (Path(where, "__init__.py"), where.with_suffix(".py")) if (ROOT / path).is_file()]
    return found[0] if found else None


def imported(path):
    """Return (module, file of ours or None) for every import anywhere in a file, lazy ones too."""
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            ours = [name for name in inner if of_module(name)]
            found += ours if ours else [node.module]
    return [(name, of_module(name)) for name in found]


def reached(starts):
    """Return every file of ours that the given ones import, themselves included, and the other modules."""
    todo, ours, others = [Path(start) for start in starts], set(), set()
    while todo:
        path = todo.pop()
        if path in ours:
            continue
        ours.add(path)
        for name, file in imported(path):
            if file:
                todo.append(file)
            else:
                others.add(name)
    return ours, others


def test_modules_are_short():
    assert statistics.median(map(lines, SOURCES)) <= 120


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_module_is_longer_than_it_may_be(path):
    assert lines(path) <= LONGEST
    assert lines(path) <= LONG or REASONS.get(str(path)), f"{path} is longer than {LONG} lines: say why in REASONS"


def test_every_reason_is_still_needed():
    assert [path for path in REASONS if (ROOT / path).exists() and lines(path) <= LONG] == []


def test_functions_are_short():
    sizes = [size(node) for path in SOURCES for node in functions(path)]
    assert statistics.median(sizes) <= 10


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_function_is_longer_than_sixty_lines(path):
    assert {node.name: size(node) for node in functions(path) if size(node) > 60} == {}


@pytest.mark.parametrize("path", [path for path in SOURCES if path.parts[0] == "hooks"], ids=ids)
def test_a_hook_is_a_doorway(path):
    assert lines(path) <= 40


def docstrings(parsed):
    return {
        id(node.body[0].value)
        for node in ast.walk(parsed)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None
    }


@pytest.mark.parametrize("path", [path for path in SOURCES if path.parts[:2] != ("mempalace", "store")], ids=ids)
def test_only_the_store_speaks_sql(path):
    parsed = tree(path)
    told = docstrings(parsed)
    strings = [node for node in ast.walk(parsed) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [node.value for node in strings if id(node) not in told and SQL.match(node.value)] == []


@pytest.mark.parametrize("text", ["SELECT a FROM b", "\n  UPDATE a SET b = 1", "INSERT OR IGNORE INTO a", "PRAGMA x"])
def test_sql_is_known_when_seen(text):
    assert SQL.match(text)


SPEAKERS = ("cli", "mcp", "__main__.py")


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if path.parts[0] != "hooks" and path.parts[1] not in SPEAKERS],
    ids=ids,
)
def test_only_doorways_speak(path):
    """Nobody else prints, or touches the process's streams, arguments or end; to ask for the platform is fine."""
    spoken = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            spoken += [node.func.id] if node.func.id in ("print", "input", "exit", "breakpoint") else []
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys":
            spoken += [node.attr] if node.attr not in ("platform", "version_info", "executable") else []
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            spoken.append("from sys")
    assert spoken == []


def test_the_commands_speak_through_one_door():
    """What they print is made plain in mempalace/cli/speech.py; a turn's very bytes go to a file as they are."""
    speakers = [path.name for path in SOURCES if "click.echo(" in path.read_text("utf-8")]
    assert speakers == ["deciding.py", "speech.py"]


def test_the_wake_up_reaches_only_the_standard_library_and_the_lower_tiers():
    ours, others = reached(DOORS)
    assert {name.split(".")[0] for name in others} <= sys.stdlib_module_names | {"mempalace"}
    for path in map(str, ours):
        low = re.fullmatch(r"mempalace/(\w+|store/\w+|lexicon/__init__)\.py", path)
        assert path in LAYERS or path == "hooks/wake_up.py" or low, f"the wake-up reaches {path}"
    assert set(map(str, ours)) >= LAYERS - {"layers/__init__.py"}


def test_the_guard_reaches_only_the_standard_library_and_the_lower_tiers():
    ours, others = reached([GUARD])
    assert {name.split(".")[0] for name in others} <= sys.stdlib_module_names | {"mempalace"}
    assert others & HEAVY == set()
    low = re.compile(r"mempalace/(\w+|store/\w+)\.py")
    assert {str(path) for path in ours if not low.fullmatch(str(path))} == {GUARD} | OBJECTING


@pytest.mark.parametrize("path", sorted(reached([*DOORS, GUARD, "layers/__init__.py"])[0]), ids=ids)
def test_the_wake_up_and_the_guard_parse_on_python_39(path):
    parsed = tree(path, feature_version=(3, 9))
    calls = [node for node in ast.walk(parsed) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    assert not [node for node in calls if node.func.id == "zip" and any(word.arg == "strict" for word in node.keywords)]
    annotated = any(map(has_annotations, functions(path)))
    future = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in parsed.body)
    assert future or not annotated, "annotations are only free with `from __future__ import annotations`"


def has_annotations(node):
    spread = [node.args.vararg, node.args.kwarg]
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *filter(None, spread)]
    return bool(node.returns) or any(argument.annotation for argument in every)


def mine(palace, path):
    """Mine a path into a palace, as a user does."""
    result = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), str(path)])
    assert result.exit_code == 0, result.output


def test_the_stored_story_is_read_without_anything_heavy(tmp_path, palace):
    project = tmp_path / "lighthouse"
    project.mkdir()
    session = transcripts.talk("light", cwd=str(project))
    mine(palace, session.write(tmp_path / "log" / "light.jsonl"))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", str(ROOT / "hooks" / "wake_up.py")],
        input=json.dumps({"cwd": str(project), "session_id": "a"}).encode(),
        env={"MEMPALACE_HOME": str(palace), "HOME": os.environ["HOME"]}, capture_output=True, check=True,
    )  # fmt: skip
    assert b"beam is steady" in done.stdout
    report = [line for line in done.stderr.decode().splitlines() if line.startswith("import time")]
    told = {line.rsplit("|", 1)[-1].strip() for line in report}
    assert told & HEAVY == set()
    assert not [name for name in told if name.startswith("mempalace.") and name.split(".")[1] in ("mine", "search")]
    assert "mempalace.layers.fallback" not in told, "the stored story needs no choosing"
    assert "contextlib" not in told - known_to_typing(), "contextlib costs a millisecond"


def known_to_typing():
    """Return what `typing` alone imports in this Python: some versions' takes contextlib along."""
    words = [sys.executable, "-I", "-S", "-c", "import typing, sqlite3, json, re, sys; print(*sys.modules)"]
    return set(subprocess.run(words, capture_output=True, check=True, text=True).stdout.split())


def test_the_layers_package_is_its_docstring():
    """A clone never executes it, so nothing may depend on it."""
    (only,) = tree("layers/__init__.py").body
    assert isinstance(only, ast.Expr)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_every_module_is_named_for_what_it_holds(path):
    assert path.stem not in ("utils", "util", "helpers", "common", "misc", "base", "core", "manager")


def test_no_import_goes_in_a_circle():
    graph = {path: {file for _, file in imported(path) if file and file != path} for path in SOURCES}
    done, trail = set(), []

    def visit(path):
        assert path not in trail, " -> ".join(map(str, [*trail[trail.index(path) :], path]))
        if path not in done:
            trail.append(path)
            for other in graph.get(path, ()):
                visit(other)
            trail.pop()
            done.add(path)

    for path in SOURCES:
        visit(path)


def public(parsed):
    """Yield the public functions, classes and methods of a module."""
    for node in parsed.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef) and not node.name[0].islower():
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                        yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name != "__main__.py"], ids=ids)
def test_everything_public_says_what_it_is(path):
    parsed = tree(path)
    wrong = {}
    for name, node in [("the module", parsed), *public(parsed)]:
        first = (ast.get_docstring(node) or "").split("\n")[0]
        if not first.endswith("."):
            wrong[name] = first
    assert wrong == {}
