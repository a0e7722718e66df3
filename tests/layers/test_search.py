"""What was said is found: first where the question names it, in any language, at the time it speaks of."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from transcripts import Session

from mempalace.cli import main
from mempalace.errors import PalaceError
from mempalace.layers.l3_search import Reader, as_dict, moment, search
from mempalace.store.connection import open_reader

READER = Reader()
DAY = 86_400
NOW = 1_780_000_000  # 2026-05-28
# What stands in the way: the same words, spread out, and the nearest other names.
NOISE = (
    "The beam of the lamp is steady and the lens is polished every week.",
    "We restarted the connection pool after the outage on the user table.",
    "Parsing the input of a user takes longer since the parser was upgraded.",
    "Release 2.3.1 went out, and 2.3.0 before it; 2.4.1 comes next.",
    "Error 7742 and error 7740 were seen on the connection too.",
    "Look at src/app/other.py and lib/main.py before the router is touched.",
    "The access key of the attic lies beside the secret door.",
    "AWS sent its bill again.",
)
SAID = (
    "The client failed with ERR_CONN_7741 on its second try.",
    "I rewrote parseUserInput so that it trims blanks.",
    "Tagged v2.3.1-rc4 from the branch.",
    "The fix is commit 3fa2c1d0b7e94c55aa10de12f00c9a8877665544 of main.",
    "Revision 9be77a1 broke the build.",
    "The handler lives in src/app/main.py:42 for good.",
    "Export AWS_SECRET_ACCESS_KEY before the deploy script.",
    "请看ERR_DISK_9001和config/app.yaml的说明。",
    "这是本周的工作总结，请发给经理。",
    "今週の作業まとめです。再試行の問題を修正しました。",
    "데이터베이스를 마이그레이션했습니다.",
    "เราแก้ไขปัญหาการเชื่อมต่อฐานข้อมูลแล้ว",
    "Мы перенесли базы данных на новый сервер.",
    "Ми оновили налаштування маршрутизатора.",
    "İstanbul sunucusu yavaş, ISPARTA sunucusu hızlı çalışıyor.",
    "Die Datenbankverbindung ist bei der Anmeldung abgebrochen und wir haben die Entscheidungen vertagt.",
    "Le déploiement a échoué à cause de la configuration du réseau privé.",
    "La configuración de la aplicación es incorrecta y las conexiones fallan.",
    "Os relatórios são gerados à noite pela equipe.",
    "De wijzigingen zijn hersteld door het team.",
    "Le sessioni sono state ripristinate dalle squadre.",
    "الخادم الجديد يعمل بدون مشاكل",
    "नया सर्वर बिना समस्या के चल रहा है",
    "Chúng tôi đã sửa lỗi đăng nhập hôm qua.",
    "Naprawiliśmy połączenie z drukarką.",
)


def stamp(at):
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def session(name, *texts, at=NOW - 30 * DAY, cwd="/work/lighthouse"):
    """Return a session of that time: the human and the agent in turn."""
    made = Session(name, cwd=cwd)
    for place, text in enumerate(texts):
        (made.agent if place % 2 else made.user)(text, timestamp=stamp(at + place))
    return made


def filed(folder, *sessions):
    """Mine sessions as the command does and return the palace."""
    files = [str(one.write(folder / "log" / f"{one.name}.jsonl")) for one in sessions]
    palace = folder / "palace"
    ran = CliRunner().invoke(main, ["mine", "--quiet", "--palace", str(palace), *files])
    assert (ran.exit_code, ran.output) == (0, "")
    return palace


def answered(palace, question, **how):
    with open_reader(str(palace)) as store:
        return search(store, READER, question, now=NOW, **how)


def found(palace, question, **how):
    return [hit.text for hit in answered(palace, question, **how).hits]


def cli(*words):
    return CliRunner().invoke(main, list(map(str, words)))


@pytest.fixture(scope="module")
def tower(tmp_path_factory):
    """Return a palace in which each text is a session of its own."""
    sessions = [session(f"n{place}", text) for place, text in enumerate((*NOISE, *SAID))]
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("tower")
        patch.setenv("HOME", str(folder))
        return filed(folder, *sessions)


@pytest.mark.parametrize(
    ("name", "opening"),
    [
        ("ERR_CONN_7741", "The client failed"),
        ("err_conn_7741", "The client failed"),
        ("parseUserInput", "I rewrote"),
        ("parse_user_input", "I rewrote"),
        ("v2.3.1-rc4", "Tagged"),
        ("3fa2c1d0b7e94c55aa10de12f00c9a8877665544", "The fix is commit"),
        ("3fa2c1d", "The fix is commit"),
        ("9be77a1d3344556677889900aabbccddeeff0011", "Revision"),
        ("9be77a1", "Revision"),
        ("src/app/main.py", "The handler"),
        ("src/app/main.py:42", "The handler"),
        ("AWS_SECRET_ACCESS_KEY", "Export"),
        ("ERR_DISK_9001", "请看"),
        ("config/app.yaml", "请看"),
    ],
)
@pytest.mark.parametrize(
    "question", ["{}", "what was the cause of {} in the end?", "wo steht {} nochmal?", "请问{}是什么意思？"]
)
def test_an_identifier_comes_first(tower, name, question, opening):
    assert found(tower, question.format(name))[0].startswith(opening)


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("AWS secret", "Export"),
        ("where do we set the aws secret", "Export"),
        ("工作总结", "这是本周"),
        ("请问上次的工作总结在哪里", "这是本周"),
        ("作業まとめ", "今週"),
        ("再試行の問題はどうなった？", "今週"),
        ("마이그레이션", "데이터"),
        ("데이터베이스 마이그레이션은 언제 했지?", "데이터"),
        ("ฐานข้อมูล", "เราแก้ไข"),
        ("ปัญหาฐานข้อมูลคืออะไร", "เราแก้ไข"),
        ("база данных", "Мы перенесли"),
        ("что с базой данных?", "Мы перенесли"),
        ("новых серверов", "Мы перенесли"),
        ("маршрутизатору", "Ми оновили"),
        ("istanbul", "İstanbul"),
        ("İSTANBUL", "İstanbul"),
        ("İstanbul'da", "İstanbul"),
        ("isparta", "İstanbul"),
        ("ısparta", "İstanbul"),
        ("ISPARTA", "İstanbul"),
        ("Datenbank", "Die Datenbankverbindung"),
        ("Datenbank Verbindung", "Die Datenbankverbindung"),
        ("Verbindung der Datenbank", "Die Datenbankverbindung"),
        ("Datenbank-Verbindung", "Die Datenbankverbindung"),
        ("Entscheidung", "Die Datenbankverbindung"),
        ("Warum ist die Anmeldung abgebrochen?", "Die Datenbankverbindung"),
        ("déploiements", "Le déploiement"),
        ("deploiement", "Le déploiement"),
        ("reseau prive", "Le déploiement"),
        ("configuraciones", "La configuración"),
        ("configuracion", "La configuración"),
        ("conexion", "La configuración"),
        ("relatorio", "Os relatórios"),
        ("wijziging", "De wijzigingen"),
        ("sessione", "Le sessioni"),
        ("خادم", "الخادم"),
        ("सर्वर", "नया"),
        ("đăng nhập", "Chúng"),
        ("dang nhap", "Chúng"),
        ("drukarką", "Naprawiliśmy"),
        ("polaczenie", "Naprawiliśmy"),
        ("the conection pool", "We restarted"),
        ("polised lens", "The beam"),
        ("AWS_SECRET_ACCES_KEY", "Export"),
    ],
    ids=str,
)
def test_a_word_is_found_in_other_clothes(tower, question, opening):
    """Inflected, in another case, in parts, without its accents, mistyped: in each language by its own rules."""
    assert found(tower, question)[0].startswith(opening)


def test_a_name_that_many_commands_touched_is_found_where_it_was_said(tmp_path):
    busy = Session("busy")
    for _ in range(400):
        busy.tool("Edit", {"file_path": "/work/lighthouse/src/app/main.py"})
        busy.result()
    palace = filed(tmp_path, busy, session("said", "Keep src/app/main.py free of globals."))
    assert found(palace, "src/app/main.py") == ["Keep src/app/main.py free of globals."]


@pytest.fixture
def house(tmp_path):
    """Return a palace of two wings, three months, two speakers."""
    return filed(
        tmp_path,
        session("jan", "Shall we paint the door red?", "Decision: the door is painted red.", at=moment("2026-01-10")),
        session(
            "mar", "Which colour has the door?", "The door is still red, said the painter.", at=moment("2026-03-05")
        ),
        session(
            "yard", "Paint the yard door green.", "The yard door is green.", at=moment("2026-03-20"), cwd="/work/yard"
        ),
    )


@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        ({"wing": "yard"}, {"Paint the yard door green.", "The yard door is green."}),
        ({"room": "decisions", "role": "agent"}, {"Decision: the door is painted red."}),
        (
            {"role": "user"},
            {"Shall we paint the door red?", "Which colour has the door?", "Paint the yard door green."},
        ),
        ({"role": "user", "until": "2026-01"}, {"Shall we paint the door red?"}),
        ({"since": "2026-03-06"}, {"Paint the yard door green.", "The yard door is green."}),
        ({"since": "2026-03-05", "until": "2026-03-05", "role": "user"}, {"Which colour has the door?"}),
        ({"until": "2025"}, set()),
        ({"since": "2026-05", "until": "2026-01"}, set()),
        ({"room": "attic"}, set()),
    ],
    ids=lambda value: str(value if isinstance(value, dict) else len(value)),
)
def test_filters_hold_in_the_question_and_as_options(house, filters, texts):
    assert set(found(house, "door", **filters)) == texts
    written = " ".join(f"{name}:{value}" for name, value in filters.items())
    assert set(found(house, f"{written} door")) == texts
    options = [word for name, value in filters.items() for word in (f"--{name}", value)]
    ran = json.loads(cli("search", "--palace", house, *options, "--json", "door").stdout)
    assert {source["snippet"] for source in ran.get("sources", ())} == texts


@pytest.mark.parametrize(
    ("filters", "line"),
    [
        ({"since": "tomorrow"}, "'tomorrow' is no date: write 2026, 2026-03 or 2026-03-05"),
        ({"until": "2026-02-31"}, "'2026-02-31' is no date: write 2026, 2026-03 or 2026-03-05"),
        ({"since": "2026-13"}, "'2026-13' is no date: write 2026, 2026-03 or 2026-03-05"),
        ({"since": "2026-00"}, "'2026-00' is no date: write 2026, 2026-03 or 2026-03-05"),
        ({"wing": "cellar"}, "no wing called 'cellar': the wings are lighthouse, yard"),
        ({"role": "banana"}, "no role 'banana': the roles are user, human,"),
    ],
    ids=str,
)
def test_a_filter_that_means_nothing_is_one_clear_line(house, filters, line):
    with pytest.raises(PalaceError, match="^" + line.split(":")[0]):
        answered(house, "door", **filters)
    ((name, value),) = filters.items()
    for words in ([f"--{name}", value, "door"], [f"{name}:{value} door"]):
        ran = cli("search", "--palace", house, *words)
        assert (ran.exit_code, ran.stdout) == (1, "")
        assert ran.stderr.startswith(f"mempalace: {line}")
        assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026", "2026-01-01T00:00:00", "2026-12-31T23:59:59"),
        ("2026-02", "2026-02-01T00:00:00", "2026-02-28T23:59:59"),
        ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59"),
        (" 2026-03-05 ", "2026-03-05T00:00:00", "2026-03-05T23:59:59"),
        ("0001", "0001-01-01T00:00:00", "0001-12-31T23:59:59"),
        ("9999-12-31", "9999-12-31T00:00:00", "9999-12-31T23:59:59"),
    ],
)
def test_a_date_has_a_start_and_an_end(text, first, last):
    told = [int((datetime.fromisoformat(at) - datetime(1970, 1, 1)).total_seconds()) for at in (first, last)]
    assert [moment(text), moment(text, end=True)] == told


def test_quoted_words_in_a_row_come_first(tmp_path):
    palace = filed(
        tmp_path,
        session("a", "The key of keys is old; its box is blue, blue like the sea."),
        session("b", "I found a blue key."),
    )
    assert found(palace, '"blue key"')[0] == "I found a blue key."


def test_a_relative_date_finds_that_day_first(tmp_path):
    palace = filed(
        tmp_path,
        session("old", "How do we deploy the gateway?", "We deploy the gateway by hand.", at=NOW - 60 * DAY),
        session("ten", "And the gateway?", "We rolled the gateway out with a script.", at=NOW - 10 * DAY),
        session("new", "The gateway once more.", "The gateway runs on a single node.", at=NOW - 3 * DAY),
    )
    for question, text in (
        ("what did we say of the gateway ten days ago?", "We rolled the gateway out with a script."),
        ("what did we say of the gateway 10 days ago", "We rolled the gateway out with a script."),
        ("was haben wir vor zehn Tagen über das gateway gesagt?", "We rolled the gateway out with a script."),
        ("what did we say of the gateway on 29 March 2026?", "We deploy the gateway by hand."),
        ("the gateway on 2026-05-25", "The gateway runs on a single node."),
    ):
        first = found(palace, question)[:2]
        assert text in first, question


@pytest.mark.parametrize(
    "question",
    [
        "is the beta flag of the importer active now?", "What is the current state of the beta flag?",
        "beta flag currently", "Was ist derzeit mit dem beta flag?", "what is the beta flag at the moment",
    ],
)  # fmt: skip
def test_asked_for_now_the_latest_wins(tmp_path, question):
    palace = filed(
        tmp_path,
        session("first", "The beta flag of the importer is active.", at=NOW - 60 * DAY),
        session("between", "The lamp was polished.", at=NOW - 20 * DAY),
        session("later", "The beta flag of the importer is deprecated.", at=NOW - 3 * DAY),
        session("last", "Lunch was late.", at=NOW - DAY),
    )
    assert found(palace, question)[0] == "The beta flag of the importer is deprecated."


def test_nothing_found_carries_no_sources(house):
    answer = answered(house, "xylophone")
    assert as_dict(answer) == {"how": "relevance"}
    assert json.loads(cli("search", "--palace", house, "--json", "xylophone").stdout) == {
        "query": "xylophone",
        "how": "relevance",
    }
    assert cli("search", "--palace", house, "xylophone").stdout == "nothing found\n"


def test_every_face_tells_the_same_citation(house):
    (hit, *_) = answered(house, "decision door red").hits
    told = json.loads(cli("search", "--palace", house, "--json", "decision door red").stdout)["sources"][0]
    assert told == hit.citation._asdict() == {
        "id": f"d:{hit.id[:8]}",
        "title": "Shall we paint the door red?",
        "heading": "decisions, report, 2026-01-10",
        "snippet": "Decision: the door is painted red.",
    }  # fmt: skip
    printed = cli("search", "--palace", house, "decision door red").stdout
    assert printed.startswith(f"[d:{hit.id[:8]}] decisions, report, 2026-01-10  Shall we paint the door red?\n    Deci")


def test_scores_are_told_on_request_alone_and_never_as_a_share(house):
    plain = cli("search", "--palace", house, "--json", "door").stdout
    assert set(json.loads(plain)) == {"query", "how", "sources", "envelope"}
    told = json.loads(cli("search", "--palace", house, "--json", "--explain", "door").stdout)
    assert [score["id"] for score in told["scores"]] == [source["id"] for source in told["sources"]]
    assert all({"score", "words", "session"} <= set(score) for score in told["scores"])
    assert "score " in cli("search", "--palace", house, "--explain", "door").stdout
    assert "%" not in cli("search", "--palace", house, "--explain", "door").stdout


def test_no_more_are_told_than_were_asked_for(house):
    assert len(found(house, "door", limit=2)) == 2
    assert len(json.loads(cli("search", "--palace", house, "--json", "--limit", "1", "door").stdout)["sources"]) == 1


def test_recall_tells_what_matters_without_a_question(house):
    told = json.loads(cli("recall", "--palace", house, "--wing", "lighthouse", "--room", "decisions", "--json").stdout)
    assert "Decision: the door is painted red." in [source["snippet"] for source in told["sources"]]
    assert {source["heading"].split(",")[0] for source in told["sources"]} == {"decisions"}
    assert json.loads(cli("recall", "--palace", house, "--room", "attic", "--json").stdout) == {"how": "salience"}


@pytest.mark.parametrize("bit", ['"', "*", "AND ", "OR NOT (", "\udcaf", "\0", "\\", "[~^", "a", "é", "中", "x/", "🗝"])
@pytest.mark.parametrize("size", [1, 100_000])
def test_no_query_is_too_strange(house, bit, size):
    text = (bit * size)[:size]
    answer = answered(house, text)
    json.dumps(as_dict(answer)).encode()
    for face in ([], ["--json"]):
        ran = cli("search", "--palace", house, *face, "--", text)
        assert (ran.exit_code, ran.exception) == (0, None)
        ran.stdout.encode()


def test_a_wing_no_one_can_write_is_not_there(house):
    assert cli("search", "--palace", house, "--wing", "\udcaf", "door").stderr.startswith(
        "mempalace: no wing called '?'"
    )
