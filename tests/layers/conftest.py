"""For the layers' tests. `pytest tests/layers --update-golden` writes the golden files anew."""

import contextlib

import pytest

from mempalace import lexicon as lexicons
from mempalace.layers.fallback import stop_words
from mempalace.outcomes import compile_lexicon


def pytest_addoption(parser):
    with contextlib.suppress(ValueError):  # the conftest above may have it
        parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session")
def lexicon():
    return compile_lexicon([lexicons.load(code) for code in lexicons.languages()])


@pytest.fixture(scope="session")
def stops():
    return stop_words()
