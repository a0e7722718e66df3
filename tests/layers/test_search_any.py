"""Whatever is filed is found, cited and opened to the letter; whatever is asked gets an answer."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcripts import NOW, Session, mine

from mempalace.cli import main
from mempalace.layers.l2_recall import recall
from mempalace.layers.l3_search import Reader, as_dict, search
from mempalace.layers.upkeep import analyzer
from mempalace.search import index
from mempalace.store import looking
from mempalace.store.connection import open_reader, open_writer

READER = Reader()
OWN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
WORDS = st.sampled_from(
    'lens beam lamp key door ERR_7 src/a.py v1.2 工作 总结 база дверь İstanbul größe 데이터 \n ` # * " [d: | é'.split(
        " "
    )
)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=80)), min_size=1, max_size=60).map(" ".join)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a small palace, to be asked anything."""
    folder = tmp_path_factory.mktemp("small")
    session = Session("s")
    for text in ("Where is the blue key?", "工作总结在这里", "ERR_CONN_7741 in src/app/main.py", "База данных упала"):
        session.user(text)
        session.agent(f"About that: {text}")
    mine(folder / "palace", session.write(folder / "s.jsonl"))
    with open_writer(str(folder / "palace")) as store:
        index.catch_up(store, analyzer())
    return str(folder / "palace")


@OWN
@given(st.one_of(st.text(st.characters(), max_size=500), TEXTS), st.booleans())
def test_any_text_can_be_asked(small, question, prose):
    filters = ("wing:", "room:", "role:", "since:", "until:")
    if not prose and any(name in question.lower() for name in filters):
        return
    with open_reader(small) as store:
        answer = search(store, READER, question, now=NOW, prose=prose)
    assert len(answer.hits) <= 10
    assert len({hit.id for hit in answer.hits}) == len(answer.hits)
    assert ("sources" in as_dict(answer)) == bool(answer.hits)


@settings(OWN, max_examples=15)
@given(texts=st.lists(TEXTS, min_size=1, max_size=12))
def test_every_citation_opens_to_its_exact_words(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("cited")
    palace = str(folder / "palace")
    session = Session("s")
    for text in texts:
        session.user(text)
        session.agent(text)
    mine(palace, session.write(folder / "s.jsonl"))
    with open_writer(palace) as store:
        index.catch_up(store, analyzer())
    with open_reader(palace) as store:
        hits = {hit.id: hit for text in texts for hit in search(store, READER, text, now=NOW, prose=True).hits}
        hits.update((hit.id, hit) for hit in recall(store, now=NOW).hits)
        for hit in hits.values():
            opened = looking.drawer(store, hit.citation.id).drawer
            assert opened.id == hit.id
            assert opened.text == hit.text
            assert opened.text[:240] == hit.citation.snippet
    for hit in list(hits.values())[:2]:
        ran = CliRunner().invoke(main, ["show", hit.citation.id, "--palace", palace, "--json"])
        assert json.loads(ran.stdout)["drawer"]["text"] == hit.text
        assert ran.exit_code == 0
