"""What one sentence states: its rules, each about a convention, a known choice or anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mempalace.beliefs.chosen import chosen
from mempalace.beliefs.conventions import NEGATED, Convention, prescribes
from mempalace.beliefs.orders import STATED, TOLD, Order, order, states_none
from mempalace.beliefs.own import masked
from mempalace.beliefs.phrases import WORD, Phrases
from mempalace.beliefs.subjects import subject_of
from mempalace.kinds import Kinds
from mempalace.model import AVOID, PREFER
from mempalace.words import stem, words

CLAIM = 240  # characters of a claim
FIRST = 6  # characters in which a verb begins, where words do not stand apart
NAMED = 3  # words of a thing that is preferred to another
STYLE = "style"  # the kind of a coding convention


class Rule(NamedTuple):
    """What one sentence states. instead_of, withdraws: as of an observation."""

    kind: str
    subject: str
    option: str
    polarity: str
    claim: str
    corrects: bool = False
    instead_of: str = ""
    withdraws: bool = False


class Sentence(NamedTuple):
    """A sentence as it was said, and lower-cased with what is quoted in it blanked, place by place."""

    said: str
    folded: str


def sentence(said: str) -> Sentence:
    """Return a sentence as it is read."""
    plain = said.replace("’", "'")
    blank = masked(plain)
    folded = blank.lower()
    return Sentence(plain, folded if len(folded) == len(plain) else blank)


def rules(
    sentence: Sentence, phrases: Phrases, set_: list[Convention], *, announced: bool, kinds: Kinds | None
) -> Iterator[Rule]:
    """Yield the rules of one sentence: its conventions, else its known choices, else what it says in general.

    set_: the conventions it would set, were it to order or prescribe them.  announced: whether the
    message has spoken of conventions to come.
    """
    given = order(sentence.folded, phrases)
    if given is None:
        given = _prescribed(sentence, phrases, announced) if set_ else None
    if given is None:
        return
    if set_:
        for one in set_:
            if not given.once and (not one.weak or given.force == STATED or given.habit or announced):
                yield _convention(one, given)
        return
    if given.force == TOLD or (given.once and given.force != STATED):
        return
    known = list(_known(sentence, given, phrases, kinds)) if kinds else []
    if known:
        yield from known
    elif not given.once if given.force == STATED else given.custom and _compared(sentence, given, phrases):
        yield from _general(sentence, given, phrases)


def _prescribed(sentence: Sentence, phrases: Phrases, announced: bool) -> Order | None:
    """Return what a sentence orders that only says how things must be, or are by convention."""
    folded = sentence.folded
    if states_none(folded, phrases) or not prescribes(folded, announced):
        return None
    return Order(TOLD, AVOID if NEGATED.search(folded) else PREFER, 0, habit="emphasi" in folded)


def _convention(one: Convention, given: Order) -> Rule:
    avoid = given.polarity == AVOID
    stop = given.withdraws
    return Rule(
        STYLE, one.subject, one.option, AVOID if avoid else PREFER, ("never " if avoid else "") + one.claim,
        given.corrects or not one.adds, one.instead_of, stop,
    )  # fmt: skip


def _known(sentence: Sentence, given: Order, phrases: Phrases, kinds: Kinds) -> Iterator[Rule]:
    """Yield a rule for each known option that is chosen or ruled out, each once."""
    done = set()
    for core, polarity in sorted([(given.core, given.polarity), *given.cores]):
        clause = given._replace(core=core, polarity=polarity)
        for one in chosen(sentence.said, sentence.folded, clause, phrases, kinds):
            if one.choice not in done:
                done.add(one.choice)
                yield Rule(
                    *one.choice, one.polarity, _claim(sentence.said), given.corrects or bool(one.instead_of),
                    one.instead_of, given.withdraws,
                )  # fmt: skip


def _general(sentence: Sentence, given: Order, phrases: Phrases) -> Iterator[Rule]:
    border = phrases.within("clauses", sentence.folded, given.core)
    vague = phrases.within("vague", sentence.folded, given.core)
    if phrases.at("soft", sentence.folded, given.core) or (vague and not (border and border.start() < vague.start())):
        return
    if given.force == STATED and not given.used and not _ordered(sentence, given, phrases):
        return
    subject, option, old = _slot(sentence, given, phrases)
    if subject and option:
        yield Rule("", subject, option, given.polarity, _claim(sentence.said), given.corrects, old, given.withdraws)


def _slot(sentence: Sentence, given: Order, phrases: Phrases) -> tuple[str, str, str]:
    """Return (subject, option, what it takes the place of) of a rule about no known choice."""
    said, folded = sentence
    tongue = phrases.within("tongues", folded) if phrases.within("speaks", folded) else None
    if tongue:
        return "spoken language", tongue[0], ""
    cue = phrases.within("instead", folded, given.core) if given.polarity != AVOID else None
    wanted = said[given.core : cue.start() if cue else None]
    if phrases.ends or not phrases.spaces:  # there the cue stands in the middle of what is ordered
        for name in ("always", "never", "onward"):
            wanted = phrases.lists[name].sub(" ", wanted)
    subject, option = subject_of("use " + wanted if given.used else wanted, phrases.small)
    return subject, option, subject_of(said[cue.end() :], phrases.small)[1] if cue else ""


def _compared(sentence: Sentence, given: Order, phrases: Phrases) -> bool:
    """Tell whether one thing is named that is used, or preferred, rather than another: "tabs, not spaces"."""
    cue = phrases.within("instead", sentence.folded, given.core)
    if not cue or phrases.at("statements", sentence.folded, given.core):
        return False
    return len(words(sentence.folded[given.core : cue.start()])) <= NAMED


def _ordered(sentence: Sentence, given: Order, phrases: Phrases) -> bool:
    """Tell whether what is ordered begins with a verb that people order, in languages whose verbs are known."""
    first = WORD.match(sentence.folded, given.core)
    if not phrases.spaces and not phrases.ends:
        verb = phrases.within("verbs", sentence.folded, given.core)
        return bool(verb and verb.start() - given.core < FIRST)
    if phrases.ends or phrases.at("verbs", sentence.folded, given.core):
        return True
    return bool(first and stem(first[0]) in phrases.verbs)


def _claim(said: str) -> str:
    told = said.strip().rstrip(".。!！ ")
    return told if len(told) <= CLAIM else told[: CLAIM - 3].rsplit(" ", 1)[0] + "..."
