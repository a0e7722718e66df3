"""What in a Codex message is somebody's own words."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from mempalace.mine.shapes import blocks

TAGS = (
    "environment_context|user_instructions|permissions instructions|skill|user_shell_command|turn_aborted"
    "|subagent_notification|subagents|plugins|hook_prompt|goal_context|codex_internal_context|model_switch"
    "|collaboration_mode|personality_spec|(?:apps|skills|plugins)_instructions|recommended_plugins"
    "|application_context|external_[a-z0-9_.:-]+"
)
INJECTED = re.compile(
    rf"\s*(?:<({TAGS})\b[^>]*>.*</\1>\s*\Z"
    r"|</?image\b[^>]*>\s*\Z"
    r"|\# AGENTS\.md instructions\b.*</INSTRUCTIONS>\s*\Z"
    r"|Another language model started to solve this problem and produced a summary"
    r"|Warning: (?:The maximum number of unified exec processes|apply_patch was requested via"
    r"|Your account was flagged))",
    re.IGNORECASE | re.DOTALL,
)  # what Codex sends in the user's name; each fills a content block of its own
ASKED = "\n## My request for Codex:\n"  # its editor extension tells of the editor before this line


def words(record: dict[str, Any]) -> str:
    """Return what a message says, without what Codex put into the user's mouth."""
    texts = [_own(text) for text in blocks(record.get("message") or record.get("content") or record)]
    return "\n".join(text for text in texts if text)


def digest(role: str, text: str) -> str:
    """Return the same short digest for every copy of a message, however its blocks were joined."""
    key = "".join((role, *text.split()))
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _own(text: str) -> str:
    if INJECTED.match(text):
        return ""
    return text.partition(ASKED)[2].strip() if text.startswith("# ") and ASKED in text else text
