"""The first session: what the user is told while there is no palace yet."""

from __future__ import annotations

from mempalace import environment, errand, runtime
from mempalace.visit import Visit


def welcome(visit: Visit) -> str:
    """Return one line for the user: that it is being set up, or why it cannot be, with the remedy."""
    why = environment.failure(visit.env)
    if why:
        return (
            "mempalace could not set itself up: %s. It tries again after an hour; "
            "to install it yourself: uv tool install %s" % (why.rstrip("."), _folder(visit))
        )
    if runtime.command(visit.palace, visit.cwd, visit.env):
        return "mempalace is reading this machine's transcripts; the next session starts with what they hold."
    if errand.settler(visit.env):
        return (
            "mempalace is setting itself up in the background and then reads this machine's transcripts; "
            "the next session starts with what they hold."
        )
    return (
        "mempalace needs Python 3.11 or later, or uv, to set itself up: "
        "install one of them, or run: pipx install %s" % _folder(visit)
    )


def _folder(visit: Visit) -> str:
    """Return what to install, as a shell wants it written: the plugin's own folder, where there is one."""
    root = visit.env.get("CLAUDE_PLUGIN_ROOT", "")
    return '"%s"' % root if root else "mempalace"
