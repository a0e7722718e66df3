"""What a session is told at its start: the wake-up, once, and the same again when it is resumed."""

from __future__ import annotations

from mempalace import given
from mempalace.errors import NoPalace
from mempalace.layers.wake_up import wake_up
from mempalace.visit import Visit

NEWS = "rules-changed"  # the mark that keeps which changed rules were told, over all sessions
FRESH = 30 * 86400  # seconds in which a change is news


def answer(visit: Visit) -> str:
    """Return the session-start hook's output; where there is no palace yet, a line for the user.

    Never waits for a lock: a session's start must not hang on a miner at work.
    """
    if visit.silent():
        visit.note(how="off")
        return ""
    if visit.text("source") == "resume":  # the client drops what the session was told before, if it is the same
        before = given.story(visit.palace, visit.session)
        if before:
            visit.note(how="as at its start")
            return visit.context(before)
    since, known = int(visit.now) - FRESH, given.of(visit.palace, NEWS)
    try:
        told = wake_up(visit.palace, cwd=visit.cwd, env=visit.env, wait=0.0, since=since, known=known)
    except NoPalace:
        from mempalace.layers.welcome import welcome  # it needs more than a session that has a palace

        said = welcome(visit)
        visit.note(how="no palace", told=said)
        return visit.message(said)
    visit.note(
        wing=told.wing,
        how=told.how,
        shown=len(told.shown),
        considered=told.considered,
        total=told.total,
        ids=told.shown,
        rules=told.rules,
    )
    given.add(visit.palace, visit.session, [*told.shown, *("b:" + id for id in dict.fromkeys(told.rules + told.news))])
    given.add(visit.palace, NEWS, told.news)
    given.keep_story(visit.palace, visit.session, told.text)
    return visit.context(told.text)
