"""Prompts that say nothing are known for it in every language; a question never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon
from mempalace.prompts import WORDS, says_nothing

NOTHING = {
    "en": "hi|Hello!|hey there|Good morning|Thank you so much!|yes|Yes, please.|ok|okay thanks|Sure, go ahead.|LGTM!",
    "go-aheads": "go on|continue|Continue.|proceed|do it|Hi there, thanks!|Thanks. Continue.|no|stop",
    "de": "Guten Morgen!|Vielen Dank!|ja bitte|weiter|mach weiter|passt",
    "fr": "bonjour|Merci beaucoup !|oui|d’accord|vas-y|c'est bon",
    "es": "hola|¡Muchas gracias!|sí|vale|continúa|adelante",
    "pt": "olá|Obrigada!|sim|bom dia",
    "it": "ciao|Grazie mille!|sì|va bene",
    "nl": "hoi|dank je|ja graag|ga door",
    "pl": "cześć|Dziękuję!|tak|dzień dobry",
    "ru": "привет|Спасибо большое!|хорошо|продолжай|давай",
    "uk": "привіт|дякую|так",
    "tr": "merhaba|teşekkürler|evet|tamam|devam et",
    "ar": "مرحبا|شكرا|شكراً جزيلاً|نعم|تابع",
    "hi": "नमस्ते|धन्यवाद|हाँ|ठीक है",
    "ja": "こんにちは|ありがとうございます！|はい|続けて|お願いします",
    "ko": "안녕하세요|감사합니다!|네|계속해 주세요",
    "zh": "你好|谢谢！|好的|继续|嗯，继续|没问题",
    "th": "สวัสดี|ขอบคุณครับ|ทำต่อ",
    "vi": "xin chào|cảm ơn|tiếp tục|được",
    "signs": "👍|👍👍👍|🚀🚀🚀|❤️|...|???|1|2.|12, 3",
    "commands": "/clear|/compact now|/mempalace:search blue key",
    "machines": (
        "<task-notification><id>7</id></task-notification>|<command-name>/x</command-name>|<bash-input>ls</bash-input>"
        "|<local-command-stdout>done</local-command-stdout>|<system-reminder>be brief</system-reminder>"
        "|[Request interrupted by user]"
    ),
}
SOMETHING = {
    "en": "why did we leave Redis?|fix the login bug|hello world fails to build|what is 42|stop the server|OOM",
    "after a greeting": "ok but why is the export slow?|thanks, now fix the retry loop|continue with the retry loop",
    "with an answer": "yes, use Postgres|no, use SQLite instead|danke, aber warum ist der Export langsam?",
    "paths and marks": "/etc/hosts is wrong, why?|/src/app/main.py|#7741 came back|# Task\nmend the export",
    "other scripts": "数据库为什么慢|请继续重构日志模块|なぜRedisをやめた？|почему упал экспорт?|왜 내보내기가 느려?",
}


def table(groups):
    return [pytest.param(prompt, id=f"{name}: {prompt}") for name, told in groups.items() for prompt in told.split("|")]


@pytest.mark.parametrize("prompt", table(NOTHING))
def test_small_talk_says_nothing(prompt):
    assert says_nothing(prompt)
    assert says_nothing(f"  {prompt}\n")


@pytest.mark.parametrize("prompt", table(SOMETHING))
def test_a_question_says_something(prompt):
    assert not says_nothing(prompt)


@pytest.mark.parametrize("prompt", ["", " ", "\n\t ", "\0", "⠀"])
def test_an_empty_prompt_says_nothing(prompt):
    assert says_nothing(prompt)


@pytest.mark.parametrize("code", lexicon.languages())
def test_every_word_of_small_talk_is_known_in_either_case(code):
    said = lexicon.load(code)["small_talk"]
    assert [word for word in said if not says_nothing(word)] == []
    assert [word for word in said if word.upper().casefold() == word and not says_nothing(word.upper() + "!")] == []


def test_a_long_prompt_says_something_even_if_it_opens_with_thanks():
    assert not says_nothing("thanks, " * 20)
    assert says_nothing("!" * 200)


@given(st.text(max_size=300))
def test_no_prompt_is_too_strange(prompt):
    assert says_nothing(prompt) in (True, False)


def test_no_small_talk_is_longer_than_what_is_looked_up():
    told = [words for code in lexicon.languages() for words in lexicon.load(code)["small_talk"]]
    assert max(len(words.split()) for words in told) <= WORDS
