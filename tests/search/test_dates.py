import re
import time
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace.lexicon import languages, load
from mempalace.search import dates
from mempalace.search.dates import Times, _fold

NOW = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp())  # a Monday
LEXICONS = {language: load(language) for language in languages()}
TIMES = Times(LEXICONS.values())

# Of a month or day without its year, the later of the two readings.
SPOKEN = [
    ("en", "What did we do ten days ago?", "2026-11-19", "2026-11-21"),
    ("en", "who broke it the day before yesterday", "2026-11-28", "2026-11-28"),
    ("en", "a couple of weeks ago we chose a parser", "2026-11-14", "2026-11-18"),
    ("en", "what changed in the last 3 weeks", "2026-11-08", "2026-11-30"),
    ("en", "the crash 1.5 years ago", "2025-01-23", "2025-10-06"),
    ("en", "what was said last March", "2026-02-28", "2026-04-10"),
    ("en", "the outage of December", "2025-11-30", "2026-01-10"),
    ("en", "notes from 25 February 2024", "2024-02-24", "2024-03-06"),
    ("en", "notes from March 3rd, 2025", "2025-03-02", "2025-03-13"),
    ("en", "the release on Friday", "2026-11-27", "2026-11-27"),
    ("en", "what failed on 2024-02-25T10:00", "2024-02-24", "2024-03-06"),
    ("de", "Was haben wir vor zehn Tagen entschieden?", "2026-11-19", "2026-11-21"),
    ("de", "Woran hing es letzte Woche?", "2026-11-17", "2026-11-26"),
    ("de", "Was lief im letzten März schief?", "2026-02-28", "2026-04-10"),
    ("de", "Das Protokoll vom 25. Februar 2024", "2024-02-24", "2024-03-06"),
    ("de", "Wer hat das vorgestern gemergt?", "2026-11-28", "2026-11-28"),
    ("de", "Was geschah in den letzten drei Wochen?", "2026-11-08", "2026-11-30"),
    ("de", "Vor dreißig Tagen war es noch grün", "2026-10-30", "2026-11-01"),
    ("de", "Worum ging es am Mittwoch?", "2026-11-25", "2026-11-25"),
    ("de", "der Absturz am 3.2.2025", "2025-02-02", "2025-02-13"),
    ("fr", "Qu'avons-nous choisi il y a dix jours ?", "2026-11-19", "2026-11-21"),
    ("fr", "Qu'avons-nous décidé hier ?", "2026-11-29", "2026-11-29"),
    ("fr", "Qui a cassé le build avant-hier ?", "2026-11-28", "2026-11-28"),
    ("fr", "la panne de la semaine dernière", "2026-11-17", "2026-11-26"),
    ("fr", "les choix de ces trois derniers mois", "2026-08-30", "2026-11-30"),
    ("fr", "le compte rendu du 1er mars 2025", "2025-02-28", "2025-03-11"),
    ("fr", "la migration faite en août", "2026-07-31", "2026-09-10"),
    ("fr", "ce qu’on a fait aujourd’hui", "2026-11-30", "2026-11-30"),
    ("fr", "la réunion de lundi dernier", "2026-11-23", "2026-11-23"),
    ("es", "¿Qué decidimos hace 10 días?", "2026-11-19", "2026-11-21"),
    ("es", "¿Qué falló la semana pasada?", "2026-11-17", "2026-11-26"),
    ("es", "¿Quién lo rompió anteayer?", "2026-11-28", "2026-11-28"),
    ("es", "lo que hablamos en marzo", "2026-02-28", "2026-04-10"),
    ("es", "la nota del 25 de febrero de 2024", "2024-02-24", "2024-03-06"),
    ("es", "los cambios de los últimos tres meses", "2026-08-30", "2026-11-30"),
    ("es", "el despliegue de hace un par de semanas", "2026-11-14", "2026-11-18"),
    ("es", "la caída en mayo", "2026-04-30", "2026-06-10"),
    ("es", "¿Qué se rompió el viernes?", "2026-11-27", "2026-11-27"),
    ("it", "Cosa abbiamo deciso dieci giorni fa?", "2026-11-19", "2026-11-21"),
    ("it", "Cosa si è rotto la settimana scorsa?", "2026-11-17", "2026-11-26"),
    ("it", "chi l'ha fatto l'altro ieri", "2026-11-28", "2026-11-28"),
    ("it", "la migrazione di marzo", "2026-02-28", "2026-04-10"),
    ("it", "le note del 25 febbraio 2024", "2024-02-24", "2024-03-06"),
    ("it", "i guasti negli ultimi tre mesi", "2026-08-30", "2026-11-30"),
    ("it", "un paio di settimane fa", "2026-11-14", "2026-11-18"),
    ("it", "la scelta dell'anno scorso", "2024-11-30", "2026-03-25"),
    ("pt", "O que decidimos há 10 dias?", "2026-11-19", "2026-11-21"),
    ("pt", "O que quebrou na semana passada?", "2026-11-17", "2026-11-26"),
    ("pt", "quem mexeu nisso anteontem", "2026-11-28", "2026-11-28"),
    ("pt", "a migração em março", "2026-02-28", "2026-04-10"),
    ("pt", "a nota de 25 de fevereiro de 2024", "2024-02-24", "2024-03-06"),
    ("pt", "as falhas nos últimos 3 meses", "2026-08-30", "2026-11-30"),
    ("pt", "duas semanas atrás", "2026-11-14", "2026-11-18"),
    ("pt", "a reunião na sexta-feira", "2026-11-27", "2026-11-27"),
    ("pt", "o que caiu faz um mês", "2026-10-20", "2026-11-10"),
    ("ru", "Что мы решили 10 дней назад?", "2026-11-19", "2026-11-21"),
    ("ru", "Что сломалось на прошлой неделе?", "2026-11-17", "2026-11-26"),
    ("ru", "кто это сделал позавчера", "2026-11-28", "2026-11-28"),
    ("ru", "о чём говорили в марте", "2026-02-28", "2026-04-10"),
    ("ru", "заметка от 25 февраля 2024 года", "2024-02-24", "2024-03-06"),
    ("ru", "что изменилось за последние три месяца", "2026-08-30", "2026-11-30"),
    ("ru", "мы выбрали это неделю назад", "2026-11-21", "2026-11-25"),
    ("ru", "падение в прошлую среду", "2026-11-25", "2026-11-25"),
    ("ru", "релиз 25.02.2024", "2024-02-24", "2024-03-06"),
    ("zh", "10天前我们决定了什么", "2026-11-19", "2026-11-21"),
    ("zh", "那个bug昨天修好了吗", "2026-11-29", "2026-11-29"),
    ("zh", "我们大前天讨论了什么", "2026-11-27", "2026-11-27"),
    ("zh", "上周的部署为什么失败", "2026-11-17", "2026-11-26"),
    ("zh", "上周三谁改了配置", "2026-11-25", "2026-11-25"),
    ("zh", "三月二十五日的会议", "2026-03-24", "2026-04-04"),
    ("zh", "二〇二四年二月的决定", "2024-01-31", "2024-03-12"),
    ("zh", "2024年2月25日的记录", "2024-02-24", "2024-03-06"),
    ("zh", "我們兩個星期前選了什麼", "2026-11-14", "2026-11-18"),
    ("zh", "最近三天有什么变化", "2026-11-26", "2026-11-30"),
    ("ja", "十日前に何を決めた？", "2026-11-19", "2026-11-21"),
    ("ja", "１０日前に何を決めましたか", "2026-11-19", "2026-11-21"),
    ("ja", "先週のデプロイはなぜ失敗した", "2026-11-17", "2026-11-26"),
    ("ja", "昨日の障害について", "2026-11-29", "2026-11-29"),
    ("ja", "一昨日マージしたのは誰", "2026-11-28", "2026-11-28"),
    ("ja", "3月に話したこと", "2026-02-28", "2026-04-10"),
    ("ja", "2024年2月25日のメモ", "2024-02-24", "2024-03-06"),
    ("ja", "過去3か月の変更", "2026-08-30", "2026-11-30"),
    ("ja", "先週の金曜日に直したバグ", "2026-11-27", "2026-11-27"),
    ("ko", "10일 전에 무엇을 결정했나요?", "2026-11-19", "2026-11-21"),
    ("ko", "지난주에 왜 실패했지?", "2026-11-17", "2026-11-26"),
    ("ko", "어제는 누가 배포했어?", "2026-11-29", "2026-11-29"),
    ("ko", "그저께 고친 버그", "2026-11-28", "2026-11-28"),
    ("ko", "3월에 이야기한 것", "2026-02-28", "2026-04-10"),
    ("ko", "2024년 2월 25일 회의", "2024-02-24", "2024-03-06"),
    ("ko", "최근 3개월 동안의 변경", "2026-08-30", "2026-11-30"),
    ("ko", "세 달 전에 고른 것", "2026-08-20", "2026-09-10"),
    ("ko", "지난주 금요일에 한 일", "2026-11-27", "2026-11-27"),
    ("ar", "ماذا قررنا قبل 10 أيام؟", "2026-11-19", "2026-11-21"),
    ("ar", "ماذا قررنا قبل ١٠ أيام؟", "2026-11-19", "2026-11-21"),
    ("ar", "ماذا اخترنا منذ ثلاثة أسابيع", "2026-11-07", "2026-11-11"),
    ("ar", "ماذا حدث الأسبوع الماضي؟", "2026-11-17", "2026-11-26"),
    ("ar", "من فعل ذلك أول أمس", "2026-11-28", "2026-11-28"),
    ("ar", "ما قلناه في مارس", "2026-02-28", "2026-04-10"),
    ("ar", "ملاحظات ٢٥ فبراير ٢٠٢٤", "2024-02-24", "2024-03-06"),
    ("ar", "التغييرات خلال آخر ٣ أشهر", "2026-08-30", "2026-11-30"),
    ("ar", "أصلحناه قبل يومين", "2026-11-27", "2026-11-29"),
    ("ar", "اجتماع يوم الجمعة الماضي", "2026-11-27", "2026-11-27"),
    ("hi", "हमने दस दिन पहले क्या तय किया?", "2026-11-19", "2026-11-21"),
    ("hi", "हमने १० दिन पहले क्या तय किया?", "2026-11-19", "2026-11-21"),
    ("hi", "पिछले हफ़्ते क्या टूटा?", "2026-11-17", "2026-11-26"),
    ("hi", "कल किसने बदला", "2026-11-29", "2026-11-29"),
    ("hi", "परसों क्या हुआ था", "2026-11-28", "2026-11-28"),
    ("hi", "मार्च में क्या कहा था", "2026-02-28", "2026-04-10"),
    ("hi", "२५ फरवरी २०२४ की बैठक", "2024-02-24", "2024-03-06"),
    ("hi", "पिछले तीन महीनों में क्या बदला", "2026-08-30", "2026-11-30"),
    ("hi", "पिछले शुक्रवार को क्या हुआ", "2026-11-27", "2026-11-27"),
    ("nl", "Wat besloten we tien dagen geleden?", "2026-11-19", "2026-11-21"),
    ("nl", "Wat ging er vorige week mis?", "2026-11-17", "2026-11-26"),
    ("nl", "de notities van 25 februari 2024", "2024-02-24", "2024-03-06"),
    ("nl", "wat zeiden we in mei", "2026-04-30", "2026-06-10"),
    ("uk", "Що ми вирішили п’ять днів тому?", "2026-11-24", "2026-11-26"),
    ("uk", "Що зламалося минулого тижня?", "2026-11-17", "2026-11-26"),
    ("uk", "про що говорили у березні", "2026-02-28", "2026-04-10"),
    ("uk", "нотатка від 25 лютого 2024 року", "2024-02-24", "2024-03-06"),
    ("pl", "Co ustaliliśmy 10 dni temu?", "2026-11-19", "2026-11-21"),
    ("pl", "Co się zepsuło w zeszłym tygodniu?", "2026-11-17", "2026-11-26"),
    ("pl", "wybraliśmy to tydzień temu", "2026-11-21", "2026-11-25"),
    ("pl", "notatka z 25 lutego 2024", "2024-02-24", "2024-03-06"),
    ("tr", "İki hafta önce neye karar verdik?", "2026-11-14", "2026-11-18"),
    ("tr", "Geçen hafta ne bozuldu?", "2026-11-17", "2026-11-26"),
    ("tr", "Mart'ta ne konuştuk", "2026-02-28", "2026-04-10"),
    ("tr", "25 Şubat 2024 notları", "2024-02-24", "2024-03-06"),
    ("th", "๑๐ วันก่อนเราตัดสินใจอะไร", "2026-11-19", "2026-11-21"),
    ("th", "สัปดาห์ที่แล้วอะไรพัง", "2026-11-17", "2026-11-26"),
    ("th", "บันทึกวันที่ 25 กุมภาพันธ์ 2567", "2024-02-24", "2024-03-06"),
    ("vi", "Năm ngày trước chúng ta quyết định gì?", "2026-11-24", "2026-11-26"),
    ("vi", "Tuần trước cái gì hỏng?", "2026-11-17", "2026-11-26"),
    ("vi", "ghi chú ngày 25 tháng 2 năm 2024", "2024-02-24", "2024-03-06"),
    ("vi", "chúng ta nói gì hồi tháng 12", "2025-11-30", "2026-01-10"),
]
SILENT = [
    ("en", "may I ask"),
    ("en", "march on"),
    ("en", "this step took two days and it may break"),
    ("en", "why is the order of the dates wrong after an update"),
    ("en", "two out of 3 tests set 4096 tokens"),
    ("en", "the version 2024.1 and ids 9999-12-31, 1234-56"),
    ("de", "Was ist hier kaputt und warum?"),
    ("de", "Ich mag die neue Suche"),
    ("fr", "sur la planète mars"),
    ("fr", "quelle base de données avons-nous choisie"),
    ("es", "un bocadillo con mayo"),
    ("es", "qué base de datos elegimos"),
    ("pt", "na segunda tentativa funcionou"),
    ("it", "perché non ho mai visto questo errore"),
    ("nl", "hier is het kapot"),
    ("ru", "Марта сказала, что моя ветка сломана"),
    ("uk", "яку базу даних ми обрали"),
    ("pl", "Maja napisała test"),
    ("tr", "data mart nerede"),
    ("zh", "每周一次的会议在哪里"),
    ("zh", "我们选了哪个数据库"),
    ("ja", "2024年前半の計画"),
    ("ja", "どのデータベースを選んだか"),
    ("ko", "어떤 데이터베이스를 골랐나"),
    ("ar", "مارس هوايته"),
    ("ar", "أي قاعدة بيانات اخترنا"),
    ("hi", "हमने कौन सा डेटाबेस चुना"),
    ("hi", "कलम और आजमाना"),  # "yesterday" and "today" within longer words
    ("th", "เราเลือกฐานข้อมูลอะไร"),
    ("vi", "lần thứ hai chạy được"),
]


def days(text):
    """Return the first and last day of every span of a question."""
    spans = [(span.start, span.end - 1) for span in TIMES.spans(text, NOW)]
    return sorted(tuple(datetime.fromtimestamp(end, UTC).date() for end in span) for span in spans)


@pytest.mark.parametrize(("language", "question", "first", "last"), SPOKEN)
def test_a_question_speaks_of_one_time(language, question, first, last):
    *earlier, latest = days(question)
    assert latest == (date.fromisoformat(first), date.fromisoformat(last))
    assert all(364 <= (now - then).days <= 367 for span in earlier for then, now in zip(span, latest, strict=True))


@pytest.mark.parametrize(("language", "question"), SILENT)
def test_an_ordinary_sentence_speaks_of_none(language, question):
    assert days(question) == []


def test_every_language_has_rows_for_all_it_can_say():
    for language, lexicon in LEXICONS.items():
        big = language in "en de fr es pt it ru zh ja ko ar hi".split()
        assert sum(row[0] == language for row in SPOKEN) >= (8 if big else 3)
        assert lexicon["times"].keys() == LEXICONS["en"]["times"].keys()


def test_a_slashed_date_is_read_both_ways_if_it_can_be():
    assert [first.isoformat() for first, _ in days("on 03/02/2025")] == ["2025-02-02", "2025-03-01"]
    assert [first.isoformat() for first, _ in days("on 02/25/2024")] == ["2024-02-24"]


def test_two_times_are_two_spans():
    assert len(days("what happened yesterday and ten days ago")) == 2


@pytest.mark.parametrize("language", LEXICONS)
def test_a_lexicon_is_written_as_questions_are_read(language):
    times = LEXICONS[language]["times"]
    for words in times.values():
        assert [word for word in words if _fold(word) != word] == []
    assert set(times["months"].values()) == set(range(1, 13))
    assert all(-7 <= weekday <= 6 for weekday in times["weekdays"].values())
    assert all(first <= last for first, last in times["phrases"].values())
    assert set(times["ambiguous"]) <= {*times["months"], *times["phrases"], "sun"}


@pytest.mark.parametrize("language", LEXICONS)
def test_every_word_of_a_lexicon_is_understood(language):
    times = LEXICONS[language]["times"]
    alone = Times([LEXICONS[language]])
    for form in times["ago"] + times["past"]:
        three = form.replace("{n}", "3")
        assert all(alone.spans(three.replace("{unit}", unit), NOW) for unit in times["units"]), form
    for word in [*times["phrases"], *(f"25 {month} 2024" for month in times["months"])]:
        assert alone.spans(word, NOW), word
    for weekday in times["weekdays"]:
        assert any(alone.spans(form.replace("{weekday}", weekday), NOW) for form in times["last"]), weekday


def words():
    """Return everything the lexicons call a time, and figures, to be thrown together."""
    said = [word for lexicon in LEXICONS.values() for part in lexicon["times"].values() for word in part]
    return sorted({*said, *"0 1 31 99 2024 2567 9999 ٣ 三 十 年 月 日 - / . , 25.02.2024 2024-02-30".split()})


@given(
    st.one_of(
        st.text(), st.lists(st.sampled_from(words())).map(" ".join), st.lists(st.sampled_from(words())).map("".join)
    )
)
def test_no_text_is_too_odd(text):
    assert all(span.start <= span.end for span in TIMES.spans(text, NOW))


@given(st.text(alphabet="0123456789-/.年月日 十", max_size=30), st.integers(0, 4_000_000_000))
def test_no_figure_is_too_odd(text, now):
    assert all(span.start <= span.end for span in TIMES.spans(text, now))


def test_languages_that_are_not_asked_for_cost_nothing():
    took = []
    for _ in range(5):
        began = time.perf_counter()
        Times(LEXICONS.values())
        took.append(time.perf_counter() - began)
    assert min(took) < 0.015


@given(st.text(alphabet="az ßɏA1_가힣年のกаяةअ\u093f\u0301ḀỿÀπ", max_size=6))
def test_a_word_starts_and_ends_by_hand_where_the_patterns_say(text):
    starts, ends = re.compile(dates.START), re.compile(dates.END)
    for at in range(len(text) + 1):
        assert bool(starts.match(text, at)) is not dates._inside(text, at, dates.LETTERS_AND_HANGUL)
        assert bool(ends.match(text, at)) is not dates._inside(text, at, dates.LETTERS)
