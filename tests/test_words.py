import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace.words import bigrams, same, stem, word_set, words

MIGRATION = (
    "Summary of the session in the ledger project for the team: the orders table migration ran on both replicas."
)
REVERT = "Summary of the session in the ledger project for the team: the connection pool change got reverted on Friday."
RTL = "Summary of the session in the ledger project for the team: the sidebar mirrors itself in Arabic and Hebrew."


def alike(first, second):
    return same(set(word_set(first)), set(word_set(second)))


def overlapping(shared, only):
    """Return two word sets with `shared` words in common, `only` in the first or the second."""
    common = {f"word{chr(97 + n)}" for n in range(shared)}
    return common | {f"one{chr(97 + n)}" for n in range(only // 2)}, common | {
        f"two{chr(97 + n)}" for n in range(only - only // 2)
    }


@pytest.mark.parametrize(
    ("first", "second"), [(MIGRATION, REVERT), (REVERT, RTL), (MIGRATION, RTL)], ids=["1-2", "2-3", "1-3"]
)
def test_summaries_with_one_templated_opening_are_distinct(first, second):
    assert not alike(first, second)


@pytest.mark.parametrize(
    ("shared", "only", "expected"),
    [
        pytest.param(16, 3, True, id="0.842"),
        pytest.param(4, 1, True, id="0.800"),
        pytest.param(79, 20, False, id="0.798"),
        pytest.param(14, 6, False, id="0.700"),
        pytest.param(4, 11, False, id="0.266"),
        pytest.param(0, 5, False, id="nothing shared"),
        pytest.param(0, 0, False, id="both empty"),
    ],
)
def test_four_fifths_of_the_words_make_a_duplicate(shared, only, expected):
    first, second = overlapping(shared, only)
    assert same(first, second) is expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            "We decided to use Redis for the session cache of the web shop this spring",
            "We decided not to use Redis for the session cache of the web shop this spring",
            id="a negation",
        ),
        pytest.param(
            "The release of the importer went out as v1.2 to all of the customers today",
            "The release of the importer went out as v1.3 to all of the customers today",
            id="a version",
        ),
        pytest.param(
            "The median of the search went down to 35 ms on the large project",
            "The median of the search went down to 240 ms on the large project",
            id="a number",
        ),
        pytest.param(
            "Wir haben uns für den alten Speicher der Sitzungen im Laden entschieden",
            "Wir haben uns nicht für den alten Speicher der Sitzungen im Laden entschieden",
            id="a German negation",
        ),
        pytest.param(
            "Мы решили оставить старую очередь для ночного экспорта заказов магазина",
            "Мы решили не оставить старую очередь для ночного экспорта заказов магазина",
            id="a Russian negation",
        ),
        pytest.param(
            "We decided to keep the queue in Postgres because it is enough for us today",
            "We didn't decide to keep the queue in Postgres because it is enough for us today",
            id="a contraction",
        ),
    ],
)
def test_a_telling_difference_keeps_both(first, second):
    assert not alike(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            "After the review we can ship the importer to the customers on Monday",
            "After the review we can't ship the importer to the customers on Monday",
            id="English",
        ),
        pytest.param(
            "经过几轮讨论之后我们决定在新的导出服务里面使用缓存来保存会话数据",
            "经过几轮讨论之后我们决定在新的导出服务里面不使用缓存来保存会话数据",
            id="Chinese",
        ),
        pytest.param(
            "何度か話し合った結果、新しい書き出しサービスでは会話の保存にキャッシュを使うことに決めた",
            "何度か話し合った結果、新しい書き出しサービスでは会話の保存にキャッシュを使わないことに決めた",
            id="Japanese",
        ),
        pytest.param(
            "หลังจากคุยกันแล้วเราตัดสินใจใช้แคชในบริการส่งออกตัวใหม่",
            "หลังจากคุยกันแล้วเราตัดสินใจไม่ใช้แคชในบริการส่งออกตัวใหม่",
            id="Thai",
        ),
        pytest.param(
            "We hebben na de bespreking besloten om de oude wachtrij voor de export wel te houden",
            "We hebben na de bespreking besloten om de oude wachtrij voor de export niet te houden",
            id="Dutch",
        ),
        pytest.param(
            "Po rozmowie postanowiliśmy zostawić starą kolejkę dla nocnego eksportu zamówień sklepu",
            "Po rozmowie postanowiliśmy nie zostawić starą kolejkę dla nocnego eksportu zamówień sklepu",
            id="Polish",
        ),
        pytest.param(
            "Sau khi bàn bạc chúng tôi quyết định dùng bộ nhớ đệm cho dịch vụ xuất",
            "Sau khi bàn bạc chúng tôi quyết định không dùng bộ nhớ đệm cho dịch vụ xuất",
            id="Vietnamese",
        ),
        pytest.param(
            "논의 끝에 우리는 새 내보내기 서비스에서 세션 저장에 캐시를 쓰기로 했다",
            "논의 끝에 우리는 새 내보내기 서비스에서 세션 저장에 캐시를 안 쓰기로 했다",
            id="Korean",
        ),
        pytest.param(
            "بعد النقاش قررنا أن نستخدم الذاكرة المؤقتة في خدمة التصدير الجديدة للطلبات",
            "بعد النقاش قررنا أن لا نستخدم الذاكرة المؤقتة في خدمة التصدير الجديدة للطلبات",
            id="Arabic",
        ),
        pytest.param(
            "चर्चा के बाद हमने नई सेवा में पुरानी कतार को रखने का निर्णय लिया",
            "चर्चा के बाद हमने नई सेवा में पुरानी कतार को नहीं रखने का निर्णय लिया",
            id="Hindi",
        ),
        pytest.param(
            "Bu değişiklik uzun zamandır beklediğimiz kadar iyi bir çözüm oldu gibi",
            "Bu değişiklik uzun zamandır beklediğimiz kadar iyi bir çözüm değil oldu gibi",
            id="Turkish",
        ),
        pytest.param(
            "Після розмови ми вирішили залишити стару чергу для нічного експорту замовлень",
            "Після розмови ми вирішили не залишити стару чергу для нічного експорту замовлень",
            id="Ukrainian",
        ),
        pytest.param(
            "Dopo la discussione abbiamo deciso di usare la vecchia coda per il servizio",
            "Dopo la discussione abbiamo deciso di non usare la vecchia coda per il servizio",
            id="Italian",
        ),
    ],
)
def test_a_negation_tells_two_long_sentences_apart(first, second):
    assert not alike(first, second)


def test_the_same_words_in_another_order_and_case_are_the_same():
    assert alike("The retry bug is fixed now.", "FIXED: now the retry bug is.")


def test_chinese_is_compared_by_character_pairs():
    assert alike("我们决定把队列继续放在数据库里因为这样最简单", "我们决定把队列继续放在数据库里因为这样最简单。")
    assert not alike("我们决定把队列继续放在数据库里", "夜间导出因为内存不足而失败")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("parseUserInput", ["parse", "user", "input"], id="humps"),
        pytest.param("HTTPServer", ["http", "server"], id="capitals"),
        pytest.param("ERR_CONN_7741", ["err", "conn", "7741"], id="underscores"),
        pytest.param("v1.2", ["v1", "2"], id="version"),
        pytest.param("修正済み", ["修正", "正済", "済み"], id="pairs"),
        pytest.param("v2に移行", ["v2", "に移", "移行"], id="mixed"),
        pytest.param("निर्णय लिया", ["निर्णय", "लिया"], id="marks stay in their word"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_text_has_these_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (("migration", "migrations"), "migratio"),
        (("retry", "retries"), "retry"),
        (("merged", "merge"), "merg"),
        (("pass", "passes"), "pass"),
    ],
    ids=["plural", "ies", "ed", "es"],
)
def test_forms_of_a_word_share_their_stem(forms, expected):
    assert stem(forms[0])[: len(expected)] == stem(forms[1])[: len(expected)] == expected


@given(st.sets(st.text(min_size=1, max_size=4), max_size=12), st.sets(st.text(min_size=1, max_size=4), max_size=12))
def test_sameness_has_no_direction(first, second):
    assert same(first, second) == same(second, first)


@given(st.text(max_size=200))
def test_any_text_has_words(text):
    assert all(word and word == word.strip() for word in words(text))
    assert all(len(stem(word)) <= 8 for word in words(text))


@given(st.text(alphabet="漢字仮名あいう", min_size=1, max_size=20))
def test_pairs_cover_their_run(run):
    pairs = bigrams(run)
    assert pairs[0] + "".join(pair[-1] for pair in pairs[1:]) == run
