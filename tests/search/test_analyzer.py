"""Texts become the terms they are asked by, in every language that ships."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon
from mempalace.search.analyzer import LONGEST, Analyzer, fold, identifiers, split

ANALYZER = Analyzer([lexicon.load(code) for code in lexicon.languages()])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parseUserInput of HTTPServer", ["parse", "user", "input", "of", "http", "server"]),
        ("ERR_CONN_7741", ["err", "conn", "7741"]),
        ("v2.3.1-rc4", ["v2", "3", "1", "rc4"]),
        ("src/app/main.py", ["src", "app", "main", "py"]),
        ("工作总结", ["工作", "作总", "总结"]),
        ("用ERR_7看", ["用", "err", "7", "看"]),
        ("서버가 느려", ["서버", "버가", "느려"]),
        ("ﬁle ＡＢＣ", ["file", "abc"]),
        ("", []),
        ("-- .. ::", []),
    ],
    ids=str,
)
def test_a_text_is_split(text, words):
    assert split(text) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see ERR_CONN_7741.", ["errconn7741"]),
        ("parseUserInput trims", ["parseuserinput"]),
        ("tagged v2.3.1-rc4, then left", ["v2.3.1rc4"]),
        ("in src/app/main.py:42:7", ["src/app/main.py", "main.py"]),
        ("请看ERR_DISK_9001和config/app.yaml的说明", ["errdisk9001", "config/app.yaml", "app.yaml"]),
        ("fixed in 3fa2c1d0", ["3fa2c1d0"]),
        ("map std::vector to C++", ["std::vector"]),
        ("plain words, no more; 42 and 7", []),
        ("a_", []),
    ],
    ids=str,
)
def test_identifiers_stay_whole(text, found):
    assert identifiers(text) == found


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "the beam of the lamp is steady"),
        ("de", "die Lampe ist wieder an und der Strahl steht"),
        ("fr", "la lampe est dans la tour avec les autres"),
        ("es", "la lámpara está en la torre con los otros"),
        ("ru", "лампа снова горит"),
        ("ar", "المصباح يعمل"),
        ("hi", "दीपक जल रहा है"),
        ("ko", "등대의 불빛"),
        ("en", "lens beam lamp"),
    ],
)
def test_a_language_is_chosen_per_text(code, text):
    assert ANALYZER.language(text, split(text)) == code


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("en", "polished", "polishing"),
        ("de", "Verbindungen", "Verbindung"),
        ("de", "Häuser", "Haus"),
        ("fr", "configurations", "configuration"),
        ("es", "conexiones", "conexión"),
        ("pt", "relatórios", "relatório"),
        ("it", "connessioni", "connessione"),
        ("nl", "verbindingen", "verbinding"),
        ("ru", "базами", "базы"),
        ("uk", "сервера", "сервером"),
        ("tr", "kitaplar", "kitap"),
        ("ar", "الخادم", "خادم"),
        ("hi", "लड़के", "लड़का"),
    ],
)
def test_each_language_has_its_own_stems(code, one, other):
    assert ANALYZER.stem(one.casefold(), code) == ANALYZER.stem(other.casefold(), code)


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("café", "cafe"),
        ("naïve", "naive"),
        ("größe", "grosse"),
        ("ısparta", "isparta"),
        ("đăng", "dang"),
        ("łódź", "lodz"),
        ("й", "и"),
    ],
)
def test_accents_are_left_out(word, bare):
    assert fold(word) == bare


@given(st.text(max_size=400))
def test_any_text_has_terms_that_an_index_can_take(text):
    terms = ANALYZER.terms(text)
    assert all(len(term) <= LONGEST and not set(term) & set(" \t\n\r") for term in terms)
    assert terms == ANALYZER.terms(text)
    assert all(len(word) <= LONGEST for word in identifiers(text))
