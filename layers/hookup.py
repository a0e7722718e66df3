"""How mempalace is heard: its hooks in the client, what else remembers there, their runs, the settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from mempalace import config, kinds, plugin, trajectory, wiring
from mempalace.layers.findings import HOOKS, OK, SETTINGS, WARN, Finding, Place, ago
from mempalace.paths import shown
from mempalace.settings import OFF, told

RUNS = 50  # of each hook, the last: what failed before is past
SETTLED = 10  # runs after which a wired hook that never ran is not merely new
BUDGETS = {"wake-up": 100, "recall": 300, "guard": 100, "file-away": 50}  # milliseconds; docs/hooks.md
MEMORIES = ("letta", "zep", "cognee", "graphiti", "episodic", "recall")  # other memories whose names hold no "mem"
NEITHER = 'run "mempalace setup", or "claude plugin marketplace add" and "claude plugin install mempalace@mempalace"'


def hooks(place: Place) -> Iterator[Finding]:
    """Yield how the hooks are wired into the client, what else remembers there, and how each hook does."""
    path = plugin.client_settings(place.env)
    plugins = [name for name in plugin.every(place.env, place.cwd) if name.partition("@")[0] == plugin.PLUGIN]
    by_setup = wiring.wired(path)
    yield from _wired(place, path, plugins, by_setup)
    beside = _memories(place, path)
    if beside:
        yield Finding(HOOKS, OK, f"another memory speaks in the client too: {', '.join(beside)}")
    yield from _firing(place, wired=bool(plugins or by_setup))


def _wired(place: Place, path: str, plugins: list[str], by_setup: list[str]) -> Iterator[Finding]:
    lost = wiring.gone(path)
    if plugins and by_setup:
        what = f"the hooks are wired twice: by the plugin, and in {shown(path)}; the plugin's alone run"
        yield Finding(HOOKS, WARN, what, 'run "mempalace uninstall" (the palace stays)')
    elif len(plugins) > 1:
        what = f"the plugin is enabled twice: {', '.join(plugins)}"
        yield Finding(HOOKS, WARN, what, f'run "claude plugin uninstall {plugins[-1]}"')
    elif plugins:
        yield Finding(HOOKS, OK, f"the plugin is enabled, {plugins[0]}")
    elif lost:
        what = f"the hooks in {shown(path)} need {shown(lost[0])}, which is gone"
        yield Finding(HOOKS, WARN, what, 'run "mempalace uninstall", then "mempalace setup"')
    elif by_setup and set(by_setup) < _declared():
        what = f"{len(by_setup)} of {len(_declared())} hooks are in {shown(path)}"
        yield Finding(HOOKS, WARN, what, 'run "mempalace uninstall", then "mempalace setup"')
    elif by_setup:
        yield Finding(HOOKS, OK, f"{len(by_setup)} hooks are in {shown(path)}")
    elif _at_home(path):
        yield Finding(HOOKS, WARN, "Claude Code has no hook of mempalace: nothing is told or filed by itself", NEITHER)
    dead = [words for _, words in wiring.others(path) if words.replace(os.sep, "/").endswith(_doors())]
    if dead:
        what = f"{shown(path)} names {len(dead)} hooks of a mempalace that is gone"
        yield Finding(HOOKS, WARN, what, "take them out there")


def _doors() -> tuple[str, ...]:
    return tuple("/mempalace/hooks/" + name for name in wiring.DOORS)


def _declared() -> set[str]:
    """Return the hooks that setup wires, as `event: script`."""
    found = wiring.groups("").items()
    scripts = ((event, one["args"][-1]) for event, groups in found for group in groups for one in group["hooks"])
    return {f"{event}: {os.path.basename(script)}" for event, script in scripts}


def _at_home(path: str) -> bool:
    """Tell whether the client is used here at all: it has settings, or the file that it always writes."""
    folder = os.path.dirname(path)
    beside = (path, os.path.join(folder, ".claude.json"), folder + ".json")
    return any(os.path.exists(one) for one in beside)


def _memories(place: Place, path: str) -> list[str]:
    """Return what looks like another memory in the client: enabled plugins, and hooks by their files' names."""
    found = [name for name in plugin.every(place.env, place.cwd) if _remembers(name.partition("@")[0])]
    for _, words in wiring.others(path):
        names = [os.path.basename(word) for word in words.replace('"', " ").replace("\\", "/").split()]
        if not words.replace(os.sep, "/").endswith(_doors()):
            found += [name for name in names if _remembers(name)]
    return list(dict.fromkeys(found))


def _remembers(name: str) -> bool:
    low = name.lower()
    return low != plugin.PLUGIN and ("mem" in low or any(one in low for one in MEMORIES))


def _firing(place: Place, *, wired: bool) -> Iterator[Finding]:
    """Say of each hook when it ran last, how often it failed, how long it took."""
    by_hook: dict[str, list[dict[str, Any]]] = {}
    for event in trajectory.events(place.palace):
        if isinstance(event.get("hook"), str):
            by_hook.setdefault(event["hook"], []).append(event)
    for hook, events in sorted(by_hook.items()):
        yield _runs(hook, events[-RUNS:], place.now)
    if wired and not by_hook:
        yield Finding(HOOKS, WARN, "no hook has run yet", "start a session of Claude Code")
    elif wired and len(by_hook.get("wake-up", ())) >= SETTLED:
        doors = {script.partition(": ")[2][:-3].replace("_", "-") for script in _declared()}
        for hook in sorted(doors - {"guard", *by_hook}):  # the guard records only what it says
            yield Finding(HOOKS, WARN, f"{hook} never ran", 'look at "claude --debug" for what stops it')


def _runs(hook: str, events: list[dict[str, Any]], now: int) -> Finding:
    failed = [event for event in events if event.get("failed")]
    times = sorted(float(event["took_ms"]) for event in events if isinstance(event.get("took_ms"), (int, float)))
    median = times[len(times) // 2] if times else 0.0
    last = max((event["at"] for event in events if isinstance(event.get("at"), int)), default=0)
    when = f"last {ago(now - last)}" if last else "last at an unknown time"
    if failed:
        what = f"{hook}: {len(failed)} of the last {len(events)} hook runs failed, {when}"
        return Finding(HOOKS, WARN, what, f"the last: {failed[-1]['failed']}")
    what = f"{hook}: {len(events)} runs, {when}" + (f", median {median:g} ms" if times else "")
    budget = BUDGETS.get(hook, 0)
    if budget and median > budget:
        return Finding(HOOKS, WARN, f"{what} is over its {budget} ms", "is this machine busy, or its disk slow?")
    return Finding(HOOKS, OK, what)


def settings(place: Place) -> Iterator[Finding]:
    """Yield what of the settings cannot be used, and which hooks are off."""
    said, wrong = told(place.palace, place.env)
    for why in wrong:
        yield Finding(SETTINGS, WARN, why, "correct it there")
    odd = kinds.load(place.palace).wrong
    if odd:
        yield Finding(
            SETTINGS, WARN, f"a table of yours cannot be used whole ({odd})", "the rest of it holds; correct it"
        )
    for one in said:
        if one.name == "off" and one.value is True:
            remedy = f"unset {OFF}" if one.where == OFF else 'run "mempalace on"'
            yield Finding(SETTINGS, WARN, "the hooks are off", remedy)
        elif one.name.startswith("off") and one.value:
            where, _, folder = one.name.partition(" in ")
            hooks = "every hook" if one.value is True else ", ".join(one.value)
            yield Finding(SETTINGS, OK, f"{where}{f' in {shown(folder)}' if folder else ''}: {hooks}")
    if not wrong:
        used = sum(one.where != "" for one in said)
        where = f"{used} in {shown(config.path(place.palace))}" if used else "all at their defaults"
        yield Finding(SETTINGS, OK, f"the settings can be used, {where}")
