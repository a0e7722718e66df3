"""Does a sentence state a standing rule, and how: by its words, in the places where people put them."""

from __future__ import annotations

import re
from typing import NamedTuple

from mempalace.beliefs.clauses import CLOSE, STEPS, gap, opened, starts
from mempalace.beliefs.phrases import WORD, Phrases
from mempalace.model import AVOID, PREFER

LONGEST = 500  # characters of a sentence that states a rule
END = re.compile(r"\s*(?:[,.;!]|\Z)")
ASKED = re.compile(r"[?？؟]\W*\Z")
BREAK_MARK = re.compile(r"[,;:،]")
STATED, CHOSEN, TOLD = 3, 2, 1  # a rule by its words; one if it names a known choice; one if it is of a known sort


class Order(NamedTuple):
    """What a sentence orders.

    force: STATED, CHOSEN or TOLD.  core: where what is ordered begins.  corrects: it says that
    something was otherwise.  withdraws: it only takes back.  once: it speaks of one occasion.
    habit: it speaks of what is done again and again.  custom: it says what somebody uses or prefers.
    used: it says "use", or the like, and its core is what is used.  cores: where else in the
    sentence something is ordered, each with its polarity.
    """

    force: int
    polarity: str
    core: int
    corrects: bool = False
    withdraws: bool = False
    once: bool = False
    habit: bool = False
    custom: bool = False
    used: bool = False
    cores: tuple[tuple[int, str], ...] = ()


def order(folded: str, phrases: Phrases) -> Order | None:
    """Return what a lower-cased sentence orders, None where it asks, supposes, tells or quotes.

    What stands in quotation marks is blank in it.
    """
    if states_none(folded, phrases):
        return None
    every = _orders(folded, opened(folded, 0, phrases), phrases)
    found = max(every, key=lambda one: one.force, default=None)  # of several, the first
    if not found:
        return None
    return found._replace(
        corrects=bool(phrases.within("corrects", folded)),
        once=bool(phrases.within("once", folded)),
        habit=bool(phrases.within("habits", folded) or phrases.within("onward", folded)),
        cores=tuple((one.core, one.polarity) for one in every if one is not found and one.force > TOLD),
    )


def states_none(folded: str, phrases: Phrases) -> bool:
    """Tell whether a sentence cannot state a rule: it asks, supposes, reports, or is a saying, or overlong."""
    if len(folded) > LONGEST or ASKED.search(folded):
        return True
    if phrases.within("idle", folded) or phrases.within("asks_end", folded):
        return True
    first = opened(folded, 0, phrases)
    return bool(phrases.at("asks", folded, first) or phrases.at("supposes", folded, first))


def _orders(folded: str, first: int, phrases: Phrases) -> list[Order]:
    """Return what the clauses of a sentence order, up to one that says all: what holds, and in whose place."""
    if phrases.ends:
        last = _last(folded, phrases)
        return [last] if last else []
    found: list[Order] = []
    for start in starts(folded, first, phrases):
        here = _at(folded, start, phrases)
        if here and found and found[0].force == TOLD and not found[0].habit:
            here = here._replace(force=min(here.force, CHOSEN))  # "fix this and always ...": one job, mostly
        found += [here] if here else []
        if here and (here.force == STATED or (here.force == CHOSEN and compares(folded, here, phrases))):
            break
    return found


def compares(folded: str, given: Order, phrases: Phrases) -> bool:
    """Tell whether an order names what it takes the place of."""
    return bool(phrases.within("instead", folded, given.core))


def _at(folded: str, at: int, phrases: Phrases) -> Order | None:
    """Return the order that begins at a place, its opening words left out."""
    frame, onward = False, False
    for _ in range(STEPS):
        at = opened(folded, at, phrases)
        if phrases.at("supposes", folded, at) or phrases.at("asks", folded, at):
            return None
        if withdrawn := phrases.at("withdraws", folded, at):
            return Order(STATED, PREFER, withdrawn.end(), withdraws=True)
        if needless := phrases.at("needless", folded, at):
            return Order(CHOSEN, PREFER, needless.end(), withdraws=True)
        for name, polarity in (("never", AVOID), ("always", PREFER), ("stop", AVOID)):
            cue = phrases.at(name, folded, at)
            if cue:
                told = name != "stop" and _tells(folded, cue.end(), phrases, framed=frame)
                return None if told else Order(STATED, polarity, gap(folded, cue.end()))
        if cue := phrases.at("onward", folded, at):
            onward, at = True, cue.end()
            continue
        if cue := phrases.at("each", folded, at):
            comma = folded.find(",", cue.end())
            if comma >= 0:
                onward, at = True, comma
                continue
        if forbidden := _forbidden(folded, at, phrases):
            return forbidden
        chosen = _chosen(folded, at, phrases)
        if chosen:
            forever = chosen.polarity == AVOID and phrases.within("ever", folded, at)
            return chosen._replace(force=STATED) if onward or forever or _later(folded, at, phrases) else chosen
        if found := phrases.at("frames", folded, at):
            frame, at = True, found.end()
            continue
        break
    verb = phrases.at("verbs", folded, at)
    if not (verb or frame or onward) or _tells(folded, at, phrases):
        return None
    if verb and (onward or _later(folded, at, phrases)):
        return Order(STATED, PREFER, at)
    return Order(TOLD, PREFER, at)


def _forbidden(folded: str, at: int, phrases: Phrases) -> Order | None:
    """Return what a verb with its `never` behind it forbids, in languages that put it there."""
    verb = phrases.at("verbs", folded, at)
    never = phrases.within("never_later", folded, verb.end()) if verb else None
    if not verb or not never or BREAK_MARK.search(folded[verb.end() : never.start()]):
        return None
    return Order(STATED, AVOID, at)


def _chosen(folded: str, at: int, phrases: Phrases) -> Order | None:
    for name, polarity in (("avoid", AVOID), ("switch", PREFER), ("prefer", PREFER)):
        cue = phrases.at(name, folded, at)
        if cue:
            return Order(CHOSEN, polarity, gap(folded, cue.end()), custom=name == "prefer", used=polarity == PREFER)
    return None


def _later(folded: str, at: int, phrases: Phrases) -> bool:
    """Tell whether a clause that began as an order says later on that it holds from now on, or always.

    Not in a clause of its own ("create a task to ensure that it always ..."); and `always` stands
    close to the verb, or at the end.
    """
    found = phrases.within("later", folded, at)
    if not found:
        return False
    far = found.start() - at > CLOSE or phrases.within("joins", folded[at : found.start()])
    if far and not END.match(folded, found.end()) and phrases.at("always", folded, found.start()):
        return False
    border = phrases.within("clauses", folded, at)
    return not border or border.start() >= found.start() or bool(phrases.at("each", folded, found.start()))


def _tells(folded: str, at: int, phrases: Phrases, *, framed: bool = False) -> bool:
    """Tell whether what follows tells how things are or were, and orders nothing.

    framed: after "make it a habit of always", the verb may have an ending that tells elsewhere.
    """
    at = gap(folded, at)
    if phrases.at("told", folded, at) or phrases.at("statements", folded, at):
        return True
    if framed:
        return False
    endings, but = phrases.told
    word = WORD.match(folded, at)
    return bool(word and endings and word[0].endswith(endings) and word[0] not in but and len(word[0]) > 3)


def _last(folded: str, phrases: Phrases) -> Order | None:
    """Return the order of a sentence whose verb comes last: a cue anywhere, and an ending that orders."""
    body = folded.rstrip(" .。！!｡~…।")
    never = phrases.within("never", body)
    stop = phrases.within("stop", body)
    cue = never or phrases.within("always", body) or phrases.within("onward", body)
    forbidden = body.endswith(phrases.ends_not)
    if not (forbidden or body.endswith(phrases.ends)):
        return None
    polarity = AVOID if never or stop or forbidden else PREFER
    if cue:
        return Order(STATED, polarity, 0)
    chosen = any(phrases.within(name, body) for name in ("instead", "prefer", "avoid", "switch"))
    return Order(CHOSEN, polarity, 0) if chosen else None
