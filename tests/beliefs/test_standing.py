"""Which rules a user's own message states, in what slot, and how far they reach."""

import pytest
from claims import DAY, T0

from mempalace import kinds, standing
from mempalace.beliefs import phrases
from mempalace.beliefs.former import form
from mempalace.beliefs.slots import same_slot
from mempalace.beliefs.standing import MOST, Reader, observations, reader
from mempalace.model import AVOID, PREFER, USER
from mempalace.store import beliefs, filing, wings
from mempalace.store.connection import open_writer

READER, KINDS = reader(), kinds.load()


def rules(text, **more):
    given = {"wing": 1, "at": T0, "key": "m", "drawer": "d1", "reader": READER, "kinds": KINDS, **more}
    return observations(text, **given)


def one(text, **more):
    (found,) = rules(text, **more)
    return found


@pytest.mark.parametrize(
    ("text", "option", "polarity", "instead_of"),
    [
        ("Always use pnpm.", "pnpm", PREFER, ""),
        ("please always use pnpm", "pnpm", PREFER, ""),
        ("Never use npm!", "npm", AVOID, ""),
        ("don't ever use npm", "npm", AVOID, ""),
        ("don't use npm", "npm", AVOID, ""),
        ("from now on use pnpm", "pnpm", PREFER, ""),
        ("Going forward, we use pnpm.", "pnpm", PREFER, ""),
        ("use pnpm from now on", "pnpm", PREFER, ""),
        ("We use pnpm, not npm.", "pnpm", PREFER, "npm"),
        ("We use pnpm here, never npm", "pnpm", PREFER, "npm"),
        ("use pnpm instead of npm", "pnpm", PREFER, "npm"),
        ("I prefer pnpm over npm", "pnpm", PREFER, "npm"),
        ("no, use uv now, not poetry", "uv", PREFER, "poetry"),
        ("we've switched to uv", "uv", PREFER, ""),
        ("remember that we use `pnpm`", "pnpm", PREFER, ""),
        ("make sure you always install with pnpm", "pnpm", PREFER, ""),
        ("Fix the login page. Also, always use pnpm.", "pnpm", PREFER, ""),
        ("- fix the login page\n- never push to main", "push to main", AVOID, ""),
        ("you should never force push", "force push", AVOID, ""),
        ("always run the tests with pytest before you push to main", "pytest", PREFER, ""),
    ],
)
def test_a_rule_about_a_known_choice_is_filed_under_its_kind(text, option, polarity, instead_of):
    found = one(text)
    assert (found.option, found.polarity, found.instead_of) == (option, polarity, instead_of)
    assert found.kind
    assert found.origin == USER
    assert found.weight == 4
    assert found.corrects >= bool(instead_of)


def test_stopping_one_thing_and_using_another_are_two_rules():
    gone, new = rules("stop using poetry, use uv")
    assert (gone.option, gone.polarity) == ("poetry", AVOID)
    assert (new.option, new.polarity, new.instead_of) == ("uv", PREFER, "poetry")
    assert (gone.kind, gone.subject) == (new.kind, new.subject)


@pytest.mark.parametrize(
    "text",
    [
        "always write tests for the npm package",
        "always check package.json and the npm registry first",
        "never touch pnpm-lock.yaml",
        "always ask me about yarn",
    ],
)
def test_a_tool_that_is_only_mentioned_is_not_chosen(text):
    assert {found.option for found in rules(text)}.isdisjoint({"npm", "pnpm", "yarn"})


@pytest.mark.parametrize(
    ("text", "wing", "glob"),
    [
        ("always use pnpm", 1, ""),
        ("In packages/legacy we use yarn.", 1, "packages/legacy"),
        ("For files under src/api, always use pytest", 1, "src/api"),
        ("always use yarn in packages/legacy/", 1, "packages/legacy"),
        ("always use pnpm everywhere", 0, ""),
        ("In all my projects, always use pnpm.", 0, ""),
        ("always use pnpm, globally", 0, ""),
        ("Benutze überall immer pnpm.", 0, ""),
    ],
)
def test_a_rule_reaches_as_far_as_it_says(text, wing, glob):
    found = one(text)
    assert (found.wing, found.glob) == (wing, glob)


SLOTS = {
    "the start of method names": [
        "Always start method names with 'x_'.",
        "From now on begin method names with 'y_' instead.",
        "When naming methods, I'd like you to use the prefix `z_`.",
        "All method names should start with 'w_'.",
        "Now, about method names. I want you to start them with 'v_'.",
    ],
    "the end of method names": [
        "Always end method names with '_x'.",
        "Going forward, method names must end with '_y'.",
    ],
    "the start of variable names": [
        "start your variable names with 'x_'",
        "for variable names, please start them with 'y_'",
    ],
    "the start of function names": ["Always start function names with 'x_'."],
    "the start of argument names": [
        "start function argument names with 'a_'",
        "When naming function arguments, start the variable name with 'b_'.",
        "From now on, start the argument names of your functions with 'c_'.",
    ],
    "the case of class names": [
        "Always use snake_case for class names.",
        "Use PascalCase for class names from now on.",
    ],
    "docstrings of functions": ["Always use docstrings in your functions.", "Never write docstrings in functions."],
    "docstrings of methods": ["Remember to always include docstrings in all your methods."],
    "the chat": ["From now on use Slack for team communication.", "Going forward, use Discord for team communication."],
    "the language": ["Always answer in German.", "From now on answer in English."],
    "breaks": ["Always take a break every 50 minutes.", "From now on take a break every 70 minutes."],
}


@pytest.mark.parametrize("texts", SLOTS.values(), ids=SLOTS.keys())
def test_rules_about_one_thing_share_a_slot(texts):
    first, *others = [rules(text)[-1] for text in texts]
    assert all(same_slot(first.kind, first.subject, other.kind, other.subject) for other in others)


def test_rules_about_different_things_share_none():
    found = [rules(texts[0])[-1] for texts in SLOTS.values()]
    clashes = [
        (a.subject, b.subject) for a in found for b in found
        if a is not b and same_slot(a.kind, a.subject, b.kind, b.subject)
    ]  # fmt: skip
    assert clashes == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "End function names with '_d' and method names with '_b'.",
            {"function name end": "_d", "method name end": "_b"},
        ),
        (
            "Always start function names with 'a_' and end them with '_z'.",
            {"function name start": "a_", "function name end": "_z"},
        ),
        (
            "Always include a single digit in your attribute and class names.",
            {"attribute name digit": "a digit", "class name digit": "a digit"},
        ),
        ("Use the prefix 'y_' for variable names instead of 'x_'.", {"variable name start": "y_"}),
        (
            "Always add the '@cached' decorator from the 'tools' module to all your methods.",
            {"method decorator @cached": "@cached"},
        ),
        ("Always import the 'json' module, even if it is not used.", {"import json": "json"}),
    ],
)
def test_one_sentence_may_set_several_conventions(text, expected):
    assert {found.subject: found.option for found in rules(text)} == expected


def test_decorators_stand_beside_one_another_unless_one_takes_the_others_place():
    first = one("Always add the '@cached' decorator to all methods.")
    second = one("Always add the '@traced' decorator to all methods.")
    third = one("From now on add the '@timed' decorator to methods instead of '@cached'.")
    assert not same_slot(first.kind, first.subject, second.kind, second.subject)
    assert (third.option, third.instead_of) == ("@timed", "@cached")


@pytest.mark.parametrize(
    "text",
    [
        "You can stop adding the '@cached' decorator to methods.",
        "You no longer need to start function names with 'x_'.",
    ],
)
def test_what_is_taken_back_with_nothing_in_its_place_withdraws(text):
    assert one(text).withdraws


def test_long_rules_in_unspaced_scripts_are_told_apart():
    first, second = (
        one("コミットメッセージは常に英語で書いてください"),
        one("コミットメッセージは常に短く書いてください"),
    )
    assert not same_slot(first.kind, first.subject, second.kind, second.subject)


def test_what_must_not_be_is_avoided():
    assert one("Function names must not start with 'x_'.").polarity == AVOID
    assert one("Don't start function names with 'x_'.").polarity == AVOID


def test_an_example_in_a_rule_is_no_rule_of_its_own():
    found = rules(
        "From now on, start attribute names with 'q_'. So, if you have an attribute called 'name', it becomes 'q_name'."
    )
    assert [one.option for one in found] == ["q_"]


def test_each_rule_has_a_key_of_its_own_and_the_words_it_was_read_from():
    text = "Always use pnpm. Never push to main."
    found = rules(text, key="m7")
    assert len({one.key for one in found}) == 2
    assert all(one.key.startswith("m7") and one.said in text and one.drawer == "d1" and one.at == T0 for one in found)
    assert found == rules(text, key="m7")


def test_without_the_table_of_kinds_a_rule_is_still_one():
    assert one("Always use pnpm.", kinds=None).kind == ""


SAID = {
    "en": ["Always use pnpm.", "From now on use uv instead of poetry.", "Never use npm."],
    "de": ["Benutze immer pnpm.", "Ab jetzt verwenden wir uv statt poetry.", "Benutz nie npm!"],
    "fr": ["Utilise toujours pnpm.", "Désormais, utilise uv au lieu de poetry.", "N'utilise jamais npm."],
    "es": ["Usa siempre pnpm.", "A partir de ahora usa uv en lugar de poetry.", "Nunca uses npm."],
    "pt": ["Sempre use pnpm.", "A partir de agora, use uv em vez de poetry.", "Nunca use npm."],
    "it": ["Usa sempre pnpm.", "D'ora in poi usa uv invece di poetry.", "Non usare mai npm."],
    "nl": ["Gebruik altijd pnpm.", "Gebruik voortaan uv in plaats van poetry.", "Gebruik nooit npm."],
    "pl": ["Zawsze używaj pnpm.", "Od teraz używaj uv zamiast poetry.", "Nigdy nie używaj npm."],
    "ru": ["Всегда используй pnpm.", "Отныне используй uv вместо poetry.", "Никогда не используй npm."],
    "uk": ["Завжди використовуй pnpm.", "Відтепер використовуй uv замість poetry.", "Ніколи не використовуй npm."],
    "tr": ["Her zaman pnpm kullan.", "Bundan sonra poetry yerine uv kullan.", "Asla npm kullanma."],
    "vi": ["Luôn dùng pnpm.", "Từ giờ dùng uv thay vì poetry.", "Đừng bao giờ dùng npm."],
    "ar": ["استخدم دائمًا pnpm.", "من الآن فصاعدًا استخدم uv بدلاً من poetry.", "لا تستخدم npm أبدًا."],
    "hi": ["हमेशा pnpm का उपयोग करो।", "अब से poetry की जगह uv इस्तेमाल करें।", "कभी भी npm का उपयोग मत करो।"],
    "ja": [
        "今後は必ず pnpm を使ってください。",
        "これからはpoetryではなくuvを使ってください。",
        "npm は絶対に使わないでください。",
    ],
    "ko": ["항상 pnpm을 사용해줘.", "앞으로는 poetry 대신 uv를 써줘.", "npm은 절대 쓰지 마세요."],
    "zh": ["以后都用 pnpm。", "从现在开始用uv而不是poetry。", "永远不要用 npm。"],
    "th": ["ใช้ pnpm เสมอ", "ต่อไปนี้ใช้ uv แทน poetry", "ห้ามใช้ npm"],
}


@pytest.mark.parametrize("language", standing.languages())
def test_every_language_says_always_from_now_on_and_never(language):
    always, instead, never = (one(text) for text in SAID[language])
    assert (always.option, always.polarity) == ("pnpm", PREFER)
    assert (instead.option, instead.polarity, instead.instead_of) == ("uv", PREFER, "poetry")
    assert instead.corrects
    assert (never.option, never.polarity) == ("npm", AVOID)


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("Always answer in German.", "german"),
        ("Antworte immer auf Deutsch.", "deutsch"),
        ("Réponds toujours en français.", "français"),
        ("Responde siempre en español.", "español"),
        ("Всегда отвечай на русском.", "русском"),
        ("常に日本語で回答してください。", "日本語"),
        ("항상 한국어로 답변해줘.", "한국어로"),
        ("请始终用中文回答。", "中文"),
    ],
)
def test_the_language_to_answer_in_is_one_slot_in_all_languages(text, tongue):
    found = one(text)
    assert (found.subject, found.option) == ("spoken language", tongue)


@pytest.mark.parametrize("language", standing.languages())
def test_a_language_reads_alone_what_it_reads_among_all(language):
    alone = Reader([standing.load(language)])
    for text in SAID[language]:
        assert one(text, reader=alone).option == one(text).option


@pytest.mark.parametrize("language", standing.languages())
def test_a_language_file_holds_only_lists_that_are_read(language):
    data = standing.load(language)
    known = {*phrases.LISTS, "language", "spaces", "small", "told_endings", "told_except", "ends", "ends_not"}
    assert set(data) <= known
    assert all(phrase == phrase.lower() and phrase.strip() for name in set(data) - {"spaces"} for phrase in data[name])


def test_a_message_without_a_cue_is_not_looked_at():
    assert READER.heard("can you look at the failing test in src/app.py?") == []


def test_whoever_states_more_rules_than_people_type_has_pasted_them():
    lines = [f"- Always add fixture{n} to the list." for n in range(MOST + 1)]
    assert len(rules("\n".join(lines[:-1]))) in (0, MOST)
    assert rules("\n".join(lines)) == []


def test_the_latest_of_a_users_rules_stands(tmp_path):
    said = [
        "Always start method names with 'a_'. Always end method names with '_z'.",
        "Please always add the '@cached' decorator to all methods. Always use poetry.",
        "From now on start method names with 'b_'.",
        "Actually, no: use uv now, not poetry. And start your method names with 'c_'.",
        "Always add the '@traced' decorator to all methods.",
    ]
    with open_writer(str(tmp_path)) as store:
        generation = filing.begin(store)
        wing = wings.create(store, "lighthouse").n
        for n, text in enumerate(said):
            form(store, rules(text, wing=wing, at=T0 + n * DAY, key=str(n)), now=T0 + 9 * DAY, generation=generation)
        filing.commit(store)
        held = beliefs.every(store, now=T0 + 9 * DAY)
    assert {one.option for one in held if not one.retired_at} == {"c_", "_z", "@cached", "@traced", "uv"}
    assert {one.option for one in held if one.retired_at} == {"a_", "b_", "poetry"}
