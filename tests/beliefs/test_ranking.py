"""The ranking: what a choice has in view first."""

import math

import pytest
from claims import belief
from hypothesis import given
from hypothesis import strategies as st

from mempalace.beliefs.ranking import NO_KIND, OTHER_KIND, RIGHT_KIND, exceptions, lookup, rank
from mempalace.model import AVOID

KIND = "package-manager"


def order(*beliefs, **task):
    return [one.belief.id for one in rank(beliefs, **{"kind": KIND, **task})]


def test_the_right_belief_is_not_lost_to_a_linked_one_of_another_kind():
    """What happened once: by confidence x log2(2 + evidence) + 1 where linked, the wrong one won, 1.91 to 0.81."""
    right = belief("right", confidence=0.806, support=0.0)
    wrong = belief("wrong", confidence=0.576, support=1.0, kind="style", subject="the task's own")

    def old(one, linked):
        return one.confidence * math.log2(2 + one.support) + linked

    assert round(old(wrong, True), 2) == 1.91
    assert round(old(right, False), 2) == 0.81
    assert order(wrong, right, subject="the task's own", task="the task's own") == ["right", "wrong"]


def test_right_kind_before_no_kind_before_other_kind():
    one, none, other = belief("a", confidence=0.1), belief("b", kind="", confidence=0.5), belief("c", kind="style")
    ranked = rank([other, none, one], kind=KIND)
    assert [(row.belief.id, row.kind, row.rank) for row in ranked] == [
        ("a", RIGHT_KIND, 1), ("b", NO_KIND, 2), ("c", OTHER_KIND, 3),
    ]  # fmt: skip


def test_no_pin_and_no_exception_lifts_another_kind():
    right = belief("right", confidence=0.2)
    pinned = belief("pinned", kind="style", pinned=True, confidence=0.99)
    wide, narrow = belief("w", kind="style", option="x"), belief("n", kind="style", option="y", glob="src")
    assert order(pinned, narrow, wide, right, path="src/a.py")[0] == "right"


def test_a_local_exception_beats_the_pinned_default_there_and_only_there():
    default = belief("pnpm", pinned=True, confidence=0.95)
    local = belief("yarn", glob="packages/legacy/**", confidence=0.6)
    assert order(default, local, path="packages/legacy/app/index.js") == ["yarn", "pnpm"]
    assert order(default, local, path="packages/new/index.js") == ["pnpm"]
    assert order(default, local) == ["pnpm"]
    assert lookup([default, local], KIND, "", "packages/legacy/app").option == "yarn"
    assert lookup([default, local], KIND, "", "packages/new").option == "pnpm"


def test_what_says_the_same_in_a_narrower_scope_is_no_exception():
    default, same = belief("pnpm", pinned=True), belief("local", option="pnpm", glob="packages", confidence=0.99)
    assert exceptions([default, same]) == []
    assert order(default, same, path="packages/a") == ["pnpm", "local"]
    assert [row.local for row in rank([default, same], kind=KIND, path="packages/a")] == [0, 0]


def test_a_wings_belief_is_an_exception_to_the_global_one():
    everywhere, here = belief("npm", wing="", pinned=True), belief("pnpm")
    assert [(one.id, wider.id) for one, wider in exceptions([everywhere, here])] == [("pnpm", "npm")]
    assert order(everywhere, here) == ["pnpm", "npm"]


def test_an_exception_differs_from_the_next_wider_scope():
    everywhere, wing = belief("npm", wing=""), belief("pnpm")
    folder, file = belief("c", option="pnpm", glob="web"), belief("d", option="npm", glob="web/old")
    pairs = {one.id: wider.id for one, wider in exceptions([everywhere, wing, folder, file])}
    assert pairs == {"pnpm": "npm", "d": "c"}


def test_to_avoid_another_option_is_no_exception():
    assert exceptions([belief("pnpm"), belief("npm", polarity=AVOID, glob="web")]) == []
    assert len(exceptions([belief("pnpm"), belief("not", option="pnpm", polarity=AVOID, glob="web")])) == 1


def test_pinned_before_confidence_before_weight_before_id():
    pinned = belief("d", pinned=True, confidence=0.3)
    sure = belief("c", confidence=0.9)
    heavy, light, later = (belief(id, confidence=0.8, support=weight) for id, weight in (("z", 9), ("a", 2), ("b", 2)))
    assert order(later, light, heavy, sure, pinned) == ["d", "c", "z", "a", "b"]


def test_linkage_counts_within_the_right_kind_alone():
    linked = belief("linked", subject="node", confidence=0.55)
    other = belief("other", subject="python", confidence=0.9)
    assert order(linked, other) == ["other", "linked"]
    assert order(linked, other, subject="node") == ["linked", "other"]
    assert order(linked, other, task="add a node module") == ["linked", "other"]
    style = belief("style", kind="style", subject="node", confidence=0.99)
    assert not rank([style], kind=KIND, subject="node")[0].linked


def test_all_terms_come_back_and_none_is_cut_off():
    many = [belief(f"{n:03}", confidence=0.5 + n / 1000, support=float(n)) for n in range(60)]
    ranked = rank(many, kind=KIND)
    assert len(ranked) == 60
    first = ranked[0]
    assert (first.rank, first.kind, first.linked, first.local, first.pinned) == (1, RIGHT_KIND, False, 0, False)
    assert (first.confidence, first.weight) == (pytest.approx(0.559), 59.0)


def test_what_stands_no_more_is_not_ranked_nor_looked_up():
    gone = belief("npm", retired_at=1)
    assert order(gone) == []
    assert lookup([gone], KIND) is None


def test_a_lookup_asks_for_one_slot():
    node, python = belief("pnpm", subject="node"), belief("uv", subject="python")
    assert lookup([node, python], KIND, "python").option == "uv"
    assert lookup([node, python], KIND) is None, "which of the two?"
    assert lookup([node], KIND).option == "pnpm"
    assert lookup([node, python], "style") is None


def test_what_is_to_be_avoided_is_no_choice():
    assert lookup([belief("npm", polarity=AVOID)], KIND) is None


BELIEFS = st.lists(
    st.builds(
        belief, option=st.sampled_from(["npm", "pnpm"]), id=st.uuids().map(str), pinned=st.booleans(),
        kind=st.sampled_from([KIND, "", "style"]), glob=st.sampled_from(["", "src"]),
        confidence=st.sampled_from([0.4, 0.8]),
    ),
    max_size=8,
)  # fmt: skip


@given(BELIEFS, st.randoms(use_true_random=False))
def test_the_order_is_total(beliefs, chance):
    shuffled = list(beliefs)
    chance.shuffle(shuffled)
    assert order(*shuffled, path="src") == order(*beliefs, path="src")
    assert len(order(*beliefs, path="src")) == len(beliefs)
