"""A question is read into words, phrases and filters, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon
from mempalace.search.analyzer import Analyzer
from mempalace.search.dates import Times
from mempalace.search.query import LONGEST, MOST, NAME, read, readable

DATA = [lexicon.load(code) for code in lexicon.languages()]
ANALYZER = Analyzer(DATA)
TIMES = Times(DATA)
NOW = 1_780_000_000


def words(text):
    return [term.word for term in read(text, ANALYZER).terms]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Why did we polish the lens?", ["polish", "lens"]),
        ("lens lens LENS", ["lens"]),
        ("where is it", ["where", "is", "it"]),
        ("? ! *", []),
        ("", []),
        ("请问工作总结", ["请问", "问工", "工作", "作总", "总结"]),
    ],
    ids=str,
)
def test_a_question_is_its_words_without_the_small_ones(text, asked):
    assert words(text) == asked


@pytest.mark.parametrize(
    ("text", "filters", "left"),
    [
        ("wing:shop lens", {"wing": "shop"}, ["lens"]),
        ('lens WING:"my shop" room:decisions', {"wing": "my shop", "room": "decisions"}, ["lens"]),
        ("since:2026-01 until:2026-03-05 role:user lens", {"since": "2026-01", "until": "2026-03-05", "role": "user"},
         ["lens"]),
        ("a drawing:red lens", {}, ["drawing", "red", "lens"]),
        ("room: lens", {}, ["room", "lens"]),
        (f"wing:{'w' * 5000}", {"wing": "w" * NAME}, []),
    ],
    ids=["wing", "quoted", "times and role", "within a word", "nothing behind it", "endless"],
)  # fmt: skip
def test_filters_are_taken_out_of_the_words(text, filters, left):
    asked = read(text, ANALYZER)
    assert asked.filters == filters
    assert [term.word for term in asked.terms] == left


def test_prose_holds_no_filters():
    asked = read("why is room:attic empty since:yesterday?", ANALYZER, prose=True)
    assert asked.filters == {}
    assert [term.word for term in asked.terms] == ["room", "attic", "empty", "since", "yesterday"]


@pytest.mark.parametrize("text", ['the "blue key" please', "the “blue key” please"])
def test_quoted_words_are_a_phrase(text):
    assert read(text, ANALYZER).phrases == (("blue", "key"),)


def test_a_phrase_of_one_word_is_none():
    assert read('the "key" of "the"', ANALYZER).phrases == ()


def test_bare_words_are_asked_in_every_language_with_stems():
    (term,) = read("Entscheidungen", ANALYZER).terms
    assert {"entscheidungen", "entscheid"} <= set(term.stems)
    (term,) = read("polishing", ANALYZER).terms
    assert term.stems[0] == "polish"


@pytest.mark.parametrize(
    "question",
    [
        "Which database do we use now?", "What is the port now, after the move?", "what's the current port",
        "is the flag still active", "Welche Datenbank benutzen wir derzeit?", "Quelle base utilise-t-on maintenant ?",
        "¿Cuál es la versión actual?", "Qual é a versão atual?", "Quale versione usiamo attualmente?",
        "Welke versie gebruiken we nu?", "Której wersji teraz używamy?", "Какая база сейчас?", "Яка база зараз?",
        "şu anda hangi veritabanı", "ŞİMDİ hangisi?", "ما هي قاعدة البيانات الآن؟", "अभी कौन सा डेटाबेस है?",
        "現在のデータベースは？", "지금 쓰는 DB는?", "现在用哪个数据库", "ตอนนี้ใช้ฐานข้อมูลอะไร",
        "hiện tại dùng cơ sở dữ liệu nào",
    ],
)  # fmt: skip
def test_a_question_can_ask_for_now(question):
    assert TIMES.ask_for_now(question)


@pytest.mark.parametrize(
    "question",
    [
        "when did we leave Redis",
        "I know the nowhere bug",
        "what was the actual error",
        "しています",
        "用A还是B",
        "",
        "the snow",
    ],
)
def test_other_questions_do_not(question):
    assert not TIMES.ask_for_now(question)


def test_every_language_has_words_for_now():
    assert [lex["language"] for lex in DATA if not lex["times"]["now"]] == []
    assert [word for lex in DATA for word in lex["times"]["now"] if word != word.casefold().strip()] == []


@pytest.mark.parametrize(
    "bit", ['"', "*", "AND ", "\udcaf", "\0", "(", "a", "中", "wing:x ", '"a b" ', "x/", "a_B.", "\u0301"]
)
def test_a_hundred_kilobytes_are_read_as_far_as_they_say_something(bit):
    asked = read(bit * (100_000 // len(bit)), ANALYZER)
    assert len(asked.text) <= LONGEST
    assert len(asked.terms) <= MOST >= len(asked.exact)


@given(st.text(st.characters(), max_size=300), st.booleans())
def test_any_text_is_a_question(text, prose):
    asked = read(text, ANALYZER, prose=prose)
    asked.text.encode()
    assert all(stem for term in asked.terms for stem in term.stems)
    TIMES.spans(asked.text, NOW)
    TIMES.ask_for_now(asked.text)


@given(st.text(st.characters()))
def test_a_readable_text_is_as_long_as_it_was(text):
    assert len(readable(text)) == len(text)
