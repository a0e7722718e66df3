import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace import lexicon as lexicons
from mempalace.outcomes import compile_lexicon
from mempalace.salience import EXCLUDED, LEAST_PROSE, NOISE, prose_ratio, ruling_share, salience

CORPORA = Path(__file__).parent / "corpora"
STORY = json.loads((CORPORA / "story.json").read_text("utf-8"))
SOUP = json.loads((CORPORA / "soup.json").read_text("utf-8"))
LEXICON = compile_lexicon([lexicons.load(code) for code in lexicons.languages()])


def of(text):
    return salience(text, LEXICON)


def normal(text):
    return " ".join(text.split())


def passages(corpus):
    return [pytest.param(text, id=f"{name}-{n}") for name, texts in corpus.items() for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        pytest.param("We shipped the pgvector backend and verified recall on the full corpus.", 4, id="outcome"),
        pytest.param("The nightly build died because the container ran out of memory.", 4, id="failure"),
        pytest.param(
            "The nightly build died with Exit code: 137, we raised the limit and it passed.", 3, id="outcome and noise"
        ),
        pytest.param("We talked through the pricing model for the hosted tier.", 2, id="chatter"),
        pytest.param("The migration is not done yet and nobody has agreed on a date.", 2, id="negated"),
        pytest.param("Should we have decided this last week?", 2, id="question"),
        pytest.param("Nothing was decided and nothing got fixed today.", 2, id="nothing"),
        pytest.param("It isn't fixed yet, but the root cause is the pool size.", 4, id="outcome elsewhere"),
        pytest.param(
            "and then the migration finished without a hitch on staging, as planned", 1, id="starts in lowercase"
        ),
        pytest.param("<system-reminder>The user shipped the fix.</system-reminder>", -1, id="wrapper opens"),
        pytest.param(
            "We shipped the fix for the <system-reminder> that was read aloud in every session.", 4, id="wrapper inside"
        ),
        pytest.param("<command-message>init</command-message> We shipped the fix.", -1, id="command opens"),
        pytest.param("<local-command-caveat>The messages below were typed.", -1, id="caveat opens"),
        pytest.param("<task-notification>The build was fixed.</task-notification>", -1, id="task opens"),
        pytest.param("[SYSTEM NOTIFICATION - the agent was merged]", -1, id="notification opens"),
        pytest.param("我们讨论了托管版本的定价模型，大家各有各的看法，没有得出一致的意见。", 2, id="Chinese chatter"),
        pytest.param("我们讨论了很久，最后发现是连接池太小，这个问题已修复，大家都很满意。", 4, id="Chinese fixed"),
        pytest.param('{"id": 42, "status": "done", "attempts": 1}', -1, id="json"),
        pytest.param("drwxr-xr-x 2 dev staff 64 Mar 4 09:11 src\n-rw-r--r-- 1 dev staff 9 Mar 4 a", -1, id="ls"),
        pytest.param("NODE_ENV=production\nPGPOOL_MAX=20\nLOG_LEVEL=debug", -1, id="environment"),
        pytest.param("https://example.org/a/b?c=1\nhttps://example.org/d/e?f=2", -1, id="urls"),
        pytest.param("2026-03-04 09:12:31 ERROR [w-3] job=export failed: TimeoutError", -1, id="log line"),
        pytest.param("| name | done |\n|------|------|\n| sync | yes  |", -1, id="table"),
        pytest.param("2026-03-04T09:12:00Z 2026-03-04T09:12:30Z", -1, id="stamps"),
        pytest.param("-" * 60, -1, id="rule"),
        pytest.param("ok thanks", -1, id="too short"),
        pytest.param("", -1, id="empty"),
        pytest.param(" \n\t ", -1, id="blank"),
    ],
)
def test_the_worked_examples_keep_their_tier(text, tier):
    assert of(text) == tier


@pytest.mark.parametrize("text", ["Chose Postgres.", "Set `retry_max=5` in /etc/app.conf: p99 240ms -> 180ms, merged."])
def test_a_dense_decision_is_rescued(text):
    assert of(text) in (2, 3)


def test_what_a_decision_rescues_a_log_line_does_not():
    assert of("job=7 failed") == EXCLUDED
    assert of("FAILED tests/test_a.py::test_b - AssertionError") == EXCLUDED


def test_a_wordy_traceback_is_demoted():
    text = (
        "Traceback (most recent call last):\n"
        '  File "worker.py", line eight, in run the export\n    rows = list of every row in the table\n'
        "MemoryError: the process ran out of memory while it was reading the rows of the export"
    )
    assert of(text) <= 1


def test_a_small_diff_is_demoted():
    text = (
        "diff --git a/notes.md b/notes.md\nindex 1a2b3c..4d5e6f 100644\n--- a/notes.md\n+++ b/notes.md\n"
        "@@ -1,2 +1,2 @@\n-We merged the old branch on Monday evening\n+We merged the new branch on Tuesday morning\n"
    )
    assert of(text) <= 1


@pytest.mark.parametrize("text", passages(STORY))
def test_no_story_is_excluded(text):
    assert of(text) > EXCLUDED


@pytest.mark.parametrize("text", passages(SOUP))
def test_no_soup_scores_above_one(text):
    assert of(text) <= 1


def test_the_floor_lies_below_all_story(record_property):
    story = {name: sorted(prose_ratio(normal(text)) for text in texts) for name, texts in STORY.items()}
    soup = {name: sorted(prose_ratio(normal(text)) for text in texts) for name, texts in SOUP.items()}
    for title, ratios in (("story", story), ("soup", soup)):
        for name, found in ratios.items():
            print(f"{title:6}{name:18}{found[0]:.3f}..{found[-1]:.3f}")
            record_property(f"prose ratio of {title} {name}", f"{found[0]:.3f}..{found[-1]:.3f}")
    lowest = min(found[0] for found in story.values())
    print(f"floor {LEAST_PROSE}, lowest story {lowest:.3f}")
    assert lowest > LEAST_PROSE
    assert max(ruling_share(normal(text)) for texts in STORY.values() for text in texts) < 0.18


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("हमने कतार को पोस्टग्रेस में ही रखने का निर्णय लिया", id="Hindi"),
        pytest.param("เราตัดสินใจเก็บคิวไว้ที่เดิมเพราะไม่คุ้มที่จะดูแลเพิ่ม", id="Thai"),
        pytest.param("قَرَّرْنَا أَنْ نُبْقِيَ الطَّابُورَ فِي مَكَانِهِ", id="Arabic with vowel signs"),
    ],
)
def test_marks_count_as_letters(text):
    assert prose_ratio(text) == 1.0


@pytest.mark.parametrize("mark", NOISE)
def test_noise_costs_its_point_and_never_excludes(mark):
    outcome = "We shipped the pgvector backend and verified the recall of it on the full corpus."
    chatter = "We talked for a while about how the agent looped over and over on the very same thing"
    assert (of(outcome), of(f"{outcome} It was {mark} all along.")) == (4, 3)
    assert (of(chatter), of(f"{chatter}, which was {mark} again.")) == (2, 1)


def test_an_outcome_with_noise_outranks_clean_chatter():
    noisy = "The agent looped on tool_use until we capped it; the loop is fixed."
    assert of(noisy) > of("We talked through the pricing model for the hosted tier.")


@given(st.text(max_size=400))
def test_any_text_has_a_tier(text):
    assert of(text) in range(-1, 5)


@given(st.text(max_size=200), st.sampled_from([" ", "\n", "\t", "  "]))
def test_outer_blanks_change_nothing_of_prose(text, blank):
    spoken = f"We talked about {normal(text)} for a while."
    assert ruling_share(normal(blank + spoken + blank)) == ruling_share(spoken)
    assert prose_ratio(normal(blank + spoken + blank)) == prose_ratio(normal(spoken))
