"""A clause's phrases are found as one that reads it word by word would find them."""

from hypothesis import given
from hypothesis import strategies as st

from mempalace.clauses import LONGEST, Clause

WORDS = st.sampled_from(["not", "yet", "but", "as", "of", "now"])
PHRASES = st.frozensets(st.lists(WORDS, min_size=1, max_size=LONGEST).map(" ".join), max_size=6)


def spans(tokens, phrases):
    """Return (beginning, end) of every phrase among the words."""
    places = range(len(tokens) + 1)
    return [(i, j) for i in places for j in places if i < j <= i + LONGEST and " ".join(tokens[i:j]) in phrases]


@given(st.lists(WORDS, max_size=30), PHRASES, st.integers(0, 30), st.integers(0, 30))
def test_phrases_are_found_where_they_stand(tokens, phrases, start, stop):
    clause = Clause(tokens)
    found = spans(tokens, phrases)
    assert clause.last_end(phrases, stop) == max((end for _, end in found if end <= stop), default=0)
    assert clause.first_end(phrases, start) == min((end for at, end in found if at >= start), default=len(tokens))
    assert clause.holds(phrases, start, stop) == any(at >= start and end <= stop for at, end in found)
    assert clause.holds(phrases) == bool(found)
