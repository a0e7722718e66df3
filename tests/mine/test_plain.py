import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mempalace.mine.events import About, Said, Skipped
from mempalace.mine.plain import HARNESS, sections
from mempalace.mine.transcript import Transcript


def read(raw, path="/nowhere/notes.md"):
    return list(HARNESS.read(Transcript(path, io.BytesIO(raw if isinstance(raw, bytes) else raw.encode()))))


def test_a_markdown_note_is_its_sections_each_with_its_heading():
    assert read("Before.\n\n# Red #\n\nBody.\n## Round\nEnd.") == [
        Said("human", "Before.\n\n", line=1),
        About(title="Red"),
        Said("human", "# Red #\n\nBody.\n", line=3),
        Said("human", "## Round\nEnd.", line=6),
    ]


def test_a_hash_in_a_code_fence_is_no_heading():
    assert len(read("# A\n```sh\n# not one\n~~~\n```\n#tag\n")) == 2


def test_only_the_first_title_is_the_notes():
    assert [event for event in read("# A\n# B\n") if isinstance(event, About)] == [About(title="A")]


def test_other_text_is_taken_whole():
    assert read("a\n# b\n", "/nowhere/notes.txt") == [Said("human", "a\n# b\n", line=1)]


@pytest.mark.parametrize("raw", ["", " \n", "\ufeff"])
def test_a_blank_note_says_nothing(raw):
    assert all(isinstance(event, Skipped) for event in read(raw, "/nowhere/notes.txt") + read(raw))


def test_a_note_is_as_old_as_its_last_change(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("a")
    os.utime(path, (1767323045, 1767323045))
    assert read("a", str(path))[0].at == 1767323045


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_any_common_encoding_is_readable(encoding):
    raw = "Schön rot".encode(encoding)
    assert HARNESS.recognises("notes.txt", raw)
    assert read(raw, "/nowhere/notes.txt")[0].text == "Schön rot"


@given(st.text(alphabet=st.sampled_from("#`~ \nab\r\t")))
def test_the_sections_joined_are_the_note(text):
    assert "".join(part for _, _, part in sections(text)) == text


@pytest.mark.parametrize(
    ("path", "head", "ours"),
    [
        pytest.param("a.md", b"# A", True, id="markdown"),
        pytest.param("A.TXT", b"text", True, id="text in capitals"),
        pytest.param("a.rst", b"", True, id="an empty note"),
        pytest.param("a.py", b"# A", False, id="code"),
        pytest.param("a.txt", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0", False, id="a binary"),
        pytest.param("a.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0", False, id="a picture"),
    ],
)
def test_a_note_is_recognised_by_its_ending_unless_it_is_no_text(path, head, ours):
    assert HARNESS.recognises(path, head) is ours
