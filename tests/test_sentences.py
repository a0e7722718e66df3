import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon as lexicons
from mempalace.outcomes import compile_lexicon
from mempalace.sentences import FENCE, blocks, cut, sentences

ROWS = json.loads((Path(__file__).parent / "corpora" / "sentences.json").read_text("utf-8"))
ABBREVIATIONS = compile_lexicon(lexicons.load(code) for code in lexicons.languages()).abbreviations
PIECES = st.sampled_from(
    ["We fixed it", "v1.2.3", "e.g.", "main.py", ".", "!", "?", "。", "…", " ", "\n", "\n\n", "- ", "1. ", "# ", "> ",
     "`a.b`", "```\nx = 1\n```", "\n~~~", "| a | b |", "-----", "修正しました。", "هل تم؟", "(", ")",
     '"', "\t", "\u3000"]
)  # fmt: skip


def normal(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(text, told, id=f"{code}-{n}") for n, (code, text, told) in enumerate(ROWS)]
)
def test_a_text_is_cut_where_its_sentences_end(text, expected):
    assert sentences(text, ABBREVIATIONS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Look.\n```\nx = 1. Done.\n```\nIt works.", ["Look.", "It works."], id="a fence is left out"),
        pytest.param("Look.\n```\nx = 1. Done.", ["Look."], id="a fence left open"),
        pytest.param("| a | b |\n|---|---|\nText.", ["Text."], id="a table is left out"),
        pytest.param("One line\ngoes on here.", ["One line goes on here."], id="a wrapped line"),
        pytest.param("## Cause\nThe pool is small.", ["Cause", "The pool is small."], id="a heading stands alone"),
        pytest.param("Run `a. B` first. Then stop.", ["Run `a. B` first.", "Then stop."], id="code is not cut"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_what_is_no_sentence_is_left_out(text, expected):
    assert sentences(text, ABBREVIATIONS) == expected


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("A paragraph.", [""]),
        ("# A heading\nText", ["#", ""]),
        ("> a quotation", [">"]),
        ("- one\n* two\n3) three\n[x] four", ["-"] * 4),
    ],
    ids=["paragraph", "heading", "quotation", "items"],
)
def test_a_block_says_what_opened_it(text, marks):
    assert [mark for _, mark in blocks(text)] == marks


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=25).map("".join)))
def test_a_sentence_is_a_piece_of_a_paragraph_outside_of_fences(text):
    outside = [normal(block) for block, _ in blocks(text)]
    for sentence in sentences(text, ABBREVIATIONS):
        assert sentence == normal(sentence)
        assert sentence
        assert any(sentence in block for block in outside)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_block_is_a_piece_of_the_text_outside_of_fences(text):
    whole = normal(FENCE.sub("\n\n", text))
    for block, _ in blocks(text):
        assert block in whole


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=25).map("".join)))
def test_cutting_loses_nothing_but_blanks(text):
    whole = normal(text)
    assert "".join("".join(cut(whole, ABBREVIATIONS)).split()) == "".join(whole.split())
