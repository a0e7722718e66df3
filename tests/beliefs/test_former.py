"""The former: what observations become, in whatever order they come."""

import itertools

import pytest
from claims import DAY, NOW, T0, claimed, palace, said, seen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mempalace.model import AGENT, AVOID, USER
from mempalace.store import beliefs, believing, filing


@pytest.fixture
def house():
    with palace() as made:
        yield made


def test_an_observation_makes_a_belief(house):
    formed = house.form(seen("pnpm", 0, "a"))
    (one,) = house.held().values()
    assert formed.created == (one.id,)
    assert (one.kind, one.option, one.claim, one.origin, one.retired_at) == (
        "package-manager", "pnpm", "use pnpm", "tool", 0,
    )  # fmt: skip
    assert (one.created_at, one.changed_at) == (T0, T0)


def test_what_a_user_states_is_believed_at_once(house):
    house.form(said("pnpm", 0, "a"), now=T0)
    assert house.held(T0)["pnpm"].confidence == pytest.approx(5 / 6)


def test_the_same_observation_counts_once(house):
    house.form(seen("pnpm", 0, "a"), seen("npm", 1, "b"))
    before = house.dump()
    formed = house.form(seen("pnpm", 0, "a"), seen("npm", 1, "b"))
    assert (formed.known, formed.created, formed.attached) == (2, (), 0)
    assert house.dump() == before


@pytest.mark.parametrize("wording", ["PNPM", "`pnpm`", "  pnpm. ", "“pnpm”"])
def test_an_option_is_the_same_however_it_is_written(house, wording):
    house.form(seen("pnpm", 0, "a"))
    assert house.form(seen(wording, 1, "b")).attached == 1
    assert house.held()["pnpm"].support == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Write short functions.", "please write short functions", True),
        ("always write docstrings for public functions", "write docstrings for public functions", True),
        ("write docstrings for public functions", "write docstrings for public funtions", True),
        ("indent by 2 spaces in every file", "indent by 4 spaces in every file", False),
        ("end every variable with _x in tests", "end every variable with _y in tests", False),
        ("never commit to main without asking", "commit to main without asking", False),
        ("write tests before the code", "write docs before the code", False),
    ],
)
def test_a_claim_without_an_option_is_matched_by_its_words(house, one, other, same):
    house.form(claimed(one, 0, "a"), claimed(other, 1, "b"))
    assert len(house.held()) == (1 if same else 2)
    assert all(not held.retired_at for held in house.held().values()), "similar words never retire anything"


def test_claims_that_stand_by_themselves_do_not_count_against_each_other(house):
    house.form(claimed("write short functions", 0, "a"), claimed("name things in full", 1, "b"))
    assert [one.against for one in house.held().values()] == [0, 0]


def test_an_option_counts_against_the_others_of_its_slot(house):
    house.form(seen("npm", 0, "a"), seen("npm", 1, "b"), seen("pnpm", 2, "c"))
    assert house.evidence("npm") == [("a", True), ("b", True), ("c", False)]
    assert house.evidence("pnpm") == [("a", False), ("b", False), ("c", True)]
    assert house.standing() == {"npm", "pnpm"}
    held = house.held()
    assert held["npm"].confidence > 0.5 > held["pnpm"].confidence


def test_to_avoid_one_option_says_nothing_against_another(house):
    house.form(said("npm", 0, "a", polarity=AVOID), said("pnpm", 1, "b"), said("yarn", 2, "c", polarity=AVOID))
    assert house.standing() == {"not npm", "pnpm", "not yarn"}
    assert all(one.against == 0 for one in house.held().values())


def test_to_avoid_an_option_is_the_opposite_of_preferring_it(house):
    house.form(seen("npm", 0, "a"), said("npm", 1, "b", polarity=AVOID), seen("npm", 2, "c"))
    assert house.standing() == {"not npm"}
    assert house.evidence("not npm") == [("b", True), ("c", False)]


def test_the_latest_statement_of_a_user_wins(house):
    house.form(said("poetry", 0, "a"))
    formed = house.form(said("uv", 5, "b", corrects=True, instead_of="poetry"))
    held = house.held()
    assert formed.superseded == ((held["poetry"].id, held["uv"].id),)
    assert (held["poetry"].retired_at, held["poetry"].superseded_by) == (T0 + 5, held["uv"].id)
    assert held["uv"].against == 0, "what was said before it is settled"
    assert [(old.option, new.option) for old, new in beliefs.superseded(house.store, 0, since=T0)] == [("poetry", "uv")]


def test_a_statement_older_than_the_one_in_place_supersedes_nothing(house):
    house.form(said("uv", 5, "b"))
    formed = house.form(said("poetry", 0, "a"))
    assert house.standing() == {"uv"}
    assert house.held()["poetry"].superseded_by == house.held()["uv"].id
    assert formed.restored == ()


def test_what_is_done_supersedes_nothing_that_was_said(house):
    house.form(said("uv", 0, "a"), *(seen("pip", 1 + n, f"b{n}") for n in range(9)))
    held = house.held()
    assert house.standing() == {"uv"}
    assert held["uv"].confidence < 0.5, "but it counts"
    assert held["pip"].superseded_by == held["uv"].id
    assert beliefs.superseded(house.store, 0, since=0) == [], "a habit that a rule outranks is no news"


def test_to_say_it_again_settles_what_was_done_in_between(house):
    house.form(said("uv", 0, "a"), *(seen("pip", 1 + n, f"b{n}") for n in range(9)), said("uv", 20, "c"))
    assert house.held()["uv"].against == 0


def test_an_agents_word_outranks_what_was_done_but_no_users_word(house):
    house.form(seen("pip", 0, "a"), said("uv", 1, "b", origin=AGENT))
    assert house.standing() == {"uv"}
    house.form(said("poetry", 2, "c"), said("uv", 3, "d", origin=AGENT))
    assert house.standing() == {"poetry"}


def test_what_was_taken_back_stands_no_more_until_it_is_said_again(house):
    house.form(said("uv", 0, "a"))
    assert house.form(said("uv", 5, "b", withdraws=True)).withdrawn == (house.held()["uv"].id,)
    assert house.standing() == set()
    house.form(seen("uv", 6, "c"))
    assert house.standing() == set(), "doing it is not saying it"
    assert house.form(said("uv", 9, "d")).restored == (house.held()["uv"].id,)
    assert house.standing() == {"uv"}


def test_what_is_taken_back_may_be_named_in_other_fields(house):
    house.form(said("uv", 0, "a"), claimed("use docstrings", 0, "b", subject="functions"))
    house.form(said("", 5, "c", withdraws=True, instead_of="uv"))
    house.form(claimed("you can stop with those", 5, "d", subject="the function", withdraws=True))
    assert house.standing() == set()


def test_a_superseded_belief_said_again_stands_again(house):
    house.form(said("poetry", 0, "a"), said("uv", 5, "b"))
    house.form(said("poetry", 9, "c"))
    held = house.held()
    assert house.standing() == {"poetry"}
    assert held["uv"].superseded_by == held["poetry"].id


def test_a_correction_takes_back_all_of_its_slot(house):
    house.form(claimed("end names with _x", 0, "a", subject="variable names", polarity=AVOID))
    house.form(claimed("start names with q", 5, "b", subject="names of variables", corrects=True))
    assert house.standing() == {"start names with q"}


def test_a_correction_reaches_what_it_names_in_other_slots_of_its_kind(house):
    house.form(claimed("write long poems", 0, "a"))
    house.form(claimed("write haikus", 5, "b", corrects=True, instead_of="Write long poems."))
    assert house.standing() == {"write haikus"}


NARROW = [seen("yarn", n, f"n{n}", glob="packages/legacy") for n in range(10)]
OTHER = [seen("npm", n, f"o{n}", kind="deploy") for n in range(9)]


def test_what_is_special_never_touches_the_default(house):
    house.form(said("pnpm", 0, "a"))
    before = house.held()["pnpm"]
    house.form(*NARROW, *OTHER)
    assert len(NARROW + OTHER) == 19
    assert house.held()["pnpm"] == before
    assert house.evidence("pnpm") == [("a", True)]
    assert "yarn in packages/legacy" in house.standing()


def test_another_wing_is_another_scope(house):
    house.form(said("pnpm", 0, "a"), said("yarn", 1, "b", wing=house.wing))
    assert house.standing() == {"pnpm", "yarn"}


def pinned(house, name, confidence):
    generation = filing.begin(house.store)
    believing.pin(house.store, house.held()[name].id, confidence, generation=generation)
    filing.commit(house.store)


def test_a_pinned_belief_keeps_its_confidence_and_shows_the_dispute(house):
    house.form(*(seen("pnpm", n, f"a{n}") for n in range(8)))
    pinned(house, "pnpm", 0.9)
    house.form(*(seen("npm", 100 + n, f"b{n}") for n in range(10)))
    for now in (NOW, NOW + 900 * DAY):
        one = house.held(now)["pnpm"]
        assert (one.confidence, one.disputed, one.retired_at) == (0.9, True, 0)
        assert (one.support, one.against) == (8, 10), "nothing of it fades"
    assert sum(not agrees for _, agrees in house.evidence("pnpm")) == 10


def test_a_pinned_belief_is_superseded_by_nothing_that_is_observed(house):
    house.form(said("pnpm", 0, "a"))
    pinned(house, "pnpm", 0.83)
    house.form(said("npm", 5, "b", corrects=True, instead_of="pnpm"))
    assert house.standing() == {"pnpm"}
    assert house.evidence("pnpm") == [("a", True), ("b", False)]
    pinned(house, "pnpm", None)
    house.form(seen("npm", 6, "c"))
    assert house.standing() == {"npm"}, "unpinned, the latest word holds"


def test_eight_confirmations_reach_nine_tenths(house):
    house.form(*(seen("pnpm", 0, f"a{n}") for n in range(8)), now=T0)
    assert house.held(T0)["pnpm"].confidence == pytest.approx(0.9)


def test_what_has_no_time_is_not_used(house):
    formed = house.form(seen("pnpm", -T0, "a"))
    assert (formed.undated, formed.created) == (1, ())
    assert house.held() == {}


def test_what_claims_to_come_later_than_now_comes_now(house):
    house.form(seen("pnpm", 900 * DAY, "a"))
    assert house.held()["pnpm"].created_at == NOW


def test_the_words_are_those_of_the_last_statement(house):
    house.form(said("pnpm", 5, "b", claim="pnpm it is"), said("pnpm", 0, "a", claim="take pnpm"))
    house.form(seen("pnpm", 9, "c", claim="pnpm was used"))
    assert house.held()["pnpm"].claim == "pnpm it is"


OBSERVED = st.builds(
    lambda option, at, rank, turn, kind, glob: (said if rank else seen)(
        option, at, f"{option}{at}{rank}{turn}{kind}{glob}", kind=kind, glob=glob,
        polarity=AVOID if turn == "avoid" else "prefer",
        **({"origin": rank} if rank else {}),
        **({turn: True} if turn in ("withdraws", "corrects") and rank else {}),
        instead_of="npm" if turn == "instead" and rank else "",
    ),
    option=st.sampled_from(["npm", "pnpm", "yarn"]), at=st.integers(1, 6),
    rank=st.sampled_from(["", "", USER, USER, AGENT]),
    turn=st.sampled_from(["", "", "avoid", "withdraws", "corrects", "instead"]),
    kind=st.sampled_from(["package-manager", "package-manager", "deploy"]),
    glob=st.sampled_from(["", "", "legacy"]),
)  # fmt: skip
SOME = st.lists(OBSERVED, max_size=8, unique_by=lambda one: one.key)
MODEST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(SOME, st.randoms(use_true_random=False))
@MODEST
def test_the_order_of_mining_changes_nothing(some, chance):
    with palace() as one, palace() as other:
        one.form(*some)
        shuffled = list(some)
        chance.shuffle(shuffled)
        for observation in shuffled:
            other.form(observation)
        assert other.dump() == one.dump()


@given(SOME)
@MODEST
def test_filing_twice_equals_once(some):
    with palace() as house:
        house.form(*some)
        before = house.dump()
        again = house.form(*some)
        assert house.dump() == before
        assert (again.known, again.attached, again.created) == (len(some), 0, ())


@given(SOME, OBSERVED)
@MODEST
def test_a_confirmation_never_lowers_a_confidence(some, more):
    if more.withdraws:
        more = more._replace(withdraws=False)
    more = more._replace(key="more")
    with palace() as house:
        house.form(*some)
        before = {one.id: one for one, _ in house.dump()}
        house.form(more)
        (own,) = [one for one, evidence in house.dump() if any(e.key == "more" and e.agrees for e in evidence)]
        assert 0 < own.confidence < 1
        assert own.id not in before or own.confidence >= before[own.id].confidence - 1e-12


@given(SOME)
@MODEST
def test_rivals_that_were_stated_never_stand_side_by_side(some):
    with palace() as house:
        house.form(*some)
        stated = [
            one for one, evidence in house.dump()
            if not one.retired_at and one.polarity == "prefer" and one.origin != "tool"
        ]  # fmt: skip
        for one, other in itertools.combinations(stated, 2):
            assert (one.kind, one.glob) != (other.kind, other.glob)
