"""Whether the client has the plugin enabled. Standard library only: hooks that setup wired ask it at each run."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping

PLUGIN = "mempalace"


def client_settings(env: Mapping[str, str]) -> str:
    """Return the path of the client's settings for this user."""
    home = env.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(home, "settings.json")


def every(env: Mapping[str, str], cwd: str) -> List[str]:
    """Return the plugins that the client has enabled for this user or this project, as `name@marketplace`."""
    folders = dict.fromkeys(filter(None, (cwd, env.get("CLAUDE_PROJECT_DIR"))))  # a session may move into a folder
    own = [os.path.join(one, ".claude", name) for one in folders for name in ("settings.json", "settings.local.json")]
    found: List[str] = []
    for path in [client_settings(env), *own]:
        told = _read(path).get("enabledPlugins")
        found += [name for name, on in told.items() if on is True] if isinstance(told, dict) else []
    return list(dict.fromkeys(found))


def enabled(env: Mapping[str, str], cwd: str) -> bool:
    """Tell whether the client has this plugin enabled, for this user or this project."""
    return any(name.partition("@")[0] == PLUGIN for name in every(env, cwd))


def doubled(env: Mapping[str, str], cwd: str) -> bool:
    """Tell whether this hook was wired by setup while the plugin, which has the same, is enabled."""
    return "CLAUDE_PLUGIN_ROOT" not in env and enabled(env, cwd)


def _read(path: str) -> Dict[str, Any]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
