import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mempalace.mine.chunk import LARGEST, chunks

FENCE = "```sh\n" + "polish --lens\n" * 20 + "```\n"
PROSE = "The lamp burns. " * 30
pieces = st.sampled_from(
    ["The lamp burns. ", "word ", "\n", "\n\n", " \n \n", "```\n", "~~~\n", "长明灯。", "x" * 50, "!?", "\t", "🔦"]
)
messages = st.lists(st.one_of(pieces, st.text(max_size=20)), max_size=150).map("".join)


@given(messages)
@example("")
@example("x" * 5000)
@example("\n" * 5000)
@example("```\n" + "line of code\n" * 400 + "```")
def test_drawers_joined_are_the_message(text):
    assert "".join(chunks(text)) == text


@given(messages, st.integers(1, 300))
def test_no_drawer_is_empty_or_too_large(text, largest):
    assert all(0 < len(piece) <= largest for piece in chunks(text, largest))


@given(messages)
def test_no_drawer_opens_or_ends_inside_a_word_that_fits(text):
    cut = chunks(text)
    for before, after in pairwise(cut):
        ends = re.search(r"\w*\Z", before).group(0)
        opens = re.match(r"\w*", after).group(0)
        assert not ends or not opens or len(ends + opens) > LARGEST


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_a_code_fence_that_fits_is_never_cut(sizes):
    fences = ["```py\n" + "".join(f"lamp({n}, {size})\n" for n in range(size)) + "```\n" for size in sizes]
    fences = [fence for fence in fences if len(fence) <= LARGEST]
    text = "".join(f"{PROSE}\n\n{fence}\n" for fence in fences)
    for fence in fences:
        assert any(fence in piece for piece in chunks(text))


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        pytest.param("short", ["short"], id="one that fits"),
        pytest.param("", [], id="nothing"),
        pytest.param(f"{PROSE}\n\n{PROSE}\n\n{PROSE}", [f"{PROSE}\n\n{PROSE}\n\n", PROSE], id="at paragraphs"),
        pytest.param("The lamp.\n" * 130, ["The lamp.\n" * 120, "The lamp.\n" * 10], id="at lines"),
        pytest.param("A lamp.. " * 140, ["A lamp.." + " A lamp.." * 132, " A lamp.." * 7 + " "], id="at sentences"),
        pytest.param("lamp " * 250, ["lamp " * 240, "lamp " * 10], id="at words"),
        pytest.param("x" * 1300, ["x" * 1200, "x" * 100], id="inside a word that fits nowhere"),
        pytest.param(f"{PROSE * 2}\n\n{FENCE}", [f"{PROSE * 2}\n\n", FENCE], id="before a fence"),
    ],
)
def test_a_message_is_cut_as_gently_as_it_goes(text, cuts):
    assert chunks(text) == cuts
