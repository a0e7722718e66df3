import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon as lexicons
from mempalace.outcomes import compile_lexicon, mentions, outcome_sentences, states_outcome

ROWS = json.loads((Path(__file__).parent / "corpora" / "outcomes.json").read_text("utf-8"))
DATA = [lexicons.load(code) for code in lexicons.languages()]
LEXICON = compile_lexicon(DATA)


@pytest.mark.parametrize(
    ("text", "stated"), [pytest.param(text, stated, id=f"{code}-{n}") for n, (code, text, stated) in enumerate(ROWS)]
)
def test_an_outcome_is_told_from_what_is_none(text, stated):
    assert bool(outcome_sentences(text, LEXICON)) is stated


def test_every_language_that_ships_is_in_the_corpus_both_ways():
    seen = {(code, stated) for code, _, stated in ROWS}
    assert {(code, stated) for code in lexicons.languages() for stated in (True, False)} <= seen


@pytest.mark.parametrize(
    ("word", "text"),
    [
        pytest.param("landfallen", "The parcel service landfallen on Monday.", id="a word"),
        pytest.param("Went Gold", "The desktop build went gold on Monday.", id="a phrase, in any case"),
        pytest.param("上架", "新版本昨天上架，大家都看到了。", id="a script without spaces"),
        pytest.param("  zugeteilt ", "Der Platz wurde zugeteilt.", id="with blanks around it"),
    ],
)
def test_the_users_own_words_are_outcomes(word, text):
    assert not outcome_sentences(text, LEXICON)
    assert outcome_sentences(text, compile_lexicon(DATA, [word])) == [text]


def test_the_users_own_words_can_be_negated_like_any_other():
    mine = compile_lexicon(DATA, ["went gold"])
    assert not outcome_sentences("The desktop build never went gold.", mine)


def test_blank_words_of_the_user_are_no_outcomes():
    assert not outcome_sentences("We talked for a while.", compile_lexicon(DATA, ["", "  "]))


def test_an_outcome_inside_of_code_is_none():
    assert not outcome_sentences("The flag is called `is_fixed` and sits in /srv/done/merged here.", LEXICON)


def test_no_lexicon_has_no_outcomes():
    assert not outcome_sentences("We shipped it.", compile_lexicon([]))


def test_one_outcome_sentence_among_others_is_found():
    text = "We looked at it. The retry bug is fixed. Is the other one done?"
    assert outcome_sentences(text, LEXICON) == ["The retry bug is fixed."]


@given(st.text(max_size=300))
def test_no_text_is_too_strange(text):
    whole = " ".join(text.split())
    for sentence in outcome_sentences(whole, LEXICON):
        assert sentence in whole
    states_outcome(text, LEXICON)
    mentions(text.casefold(), LEXICON)


WORDS = sorted(
    {word for data in DATA for field in ("outcomes", "unmade_before", "asks", "breaks") for word in data[field]}
)


@given(st.lists(st.sampled_from([*WORDS, ",", ".", "?", "。", "—", "`"]), max_size=12))
def test_no_pile_of_lexicon_words_is_too_strange(pile):
    assert states_outcome(" ".join(pile), LEXICON) in (True, False)
    assert states_outcome("".join(pile), LEXICON) in (True, False)
