import io

import pytest

from mempalace.mine.aider import HARNESS
from mempalace.mine.events import About, Did, Said, Skipped
from mempalace.mine.transcript import Transcript

AT = 1767323045  # 2026-01-02 03:04:05, which aider writes without a zone
STARTED = "\n# aider chat started at 2026-01-02 03:04:05\n\n"


def read(text):
    return list(HARNESS.read(Transcript("/work/app/.aider.chat.history.md", io.BytesIO(text.encode()))))


def told(text):
    return [event for event in read(text) if not isinstance(event, Skipped | About)]


def test_each_chat_is_a_session_in_the_histories_folder():
    abouts = [event for event in read(STARTED + STARTED) if isinstance(event, About)]
    assert abouts == [About("aider 2026-01-02 03:04:05", "/work/app")] * 2


def test_marked_lines_are_the_humans_quoted_ones_aiders_and_the_rest_the_models():
    text = (
        STARTED
        + "> Added a.py to the chat  \n\n#### make it red  \n#### and round  \n\n"
        + "Sure:\n\nDone.\n\n> Tokens: 1k  \n"
    )
    assert told(text) == [
        Said("human", "make it red\nand round", at=AT, line=6),
        Said("agent", "Sure:\n\nDone.", at=AT, line=9),
    ]


def test_headings_quotes_and_code_of_the_model_stay_its_own():
    answer = "Plan:\n\n#### Step one\n\n> as you said\n\n```md\n#### x\n> y\n```"
    assert told(f"{STARTED}#### go  \n\n{answer}\n\n> Tokens: 1k  \n")[1] == Said("agent", answer, at=AT, line=6)


def test_where_an_editor_took_the_spaces_the_marks_alone_must_do():
    text = f"{STARTED}> Added a.py\n\n#### go\n\n```md\n#### x\n```\n"
    assert [event.text for event in told(text)] == ["go", "```md\n#### x\n```"]


def test_edits_and_commits_are_actions():
    text = f"{STARTED}#### go  \n\n> Applied edit to a.py  \n> Commit 1a2b3c4 feat: red  \n"
    assert told(text)[1:] == [Did("edit", "a.py", at=AT, line=6), Did("commit", "feat: red", at=AT, line=7)]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        pytest.param("/add a.py", Did("add", "a.py", at=AT, line=4), id="a command"),
        pytest.param("/undo", Did("undo", "", at=AT, line=4), id="a bare command"),
        pytest.param("!make", Did("run", "make", at=AT, line=4), id="a shell command"),
        pytest.param("/ask why?", Said("human", "/ask why?", at=AT, line=4), id="a question"),
        pytest.param("<blank>", None, id="nothing"),
    ],
)
def test_commands_are_actions_and_questions_are_prose(line, event):
    assert told(f"{STARTED}#### {line}  \n") == ([event] if event else [])


def test_the_command_line_before_the_first_prompt_is_no_prose():
    assert told(f"{STARTED}> aider --message # TASK\n\n**Task ID**: 8\n\n#### go  \n")[0].text == "go"


def test_carriage_returns_are_no_part_of_a_line():
    text = f"{STARTED}#### go  \n\nYes.\n".replace("\n", "\r\n")
    assert [event.text for event in told(text)] == ["go", "Yes."]


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        pytest.param(STARTED.encode(), True, id="a history"),
        pytest.param(b"# Notes\n# aider chat started at", False, id="notes"),
        pytest.param(b"", False, id="empty"),
    ],
)
def test_a_history_is_recognised_by_content(head, ours):
    assert HARNESS.recognises("anything", head) is ours
