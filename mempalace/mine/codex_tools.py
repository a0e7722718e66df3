"""How Codex writes down the tools it called, and how they ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from mempalace.mine.shapes import blocks, first, listed, mapping, opening, parsed, string, target

EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
FAILED = re.compile(
    r"(?:error|failed|execution error|apply_patch verification failed|aborted|unsupported|unable to)\b",
    re.IGNORECASE,
)


class Call(NamedTuple):
    """A tool call: key pairs it with its `End`."""

    tool: str
    target: str
    key: str


class End(NamedTuple):
    """How a tool call ended."""

    key: str
    ok: bool
    error: str = ""


def called(record: dict[str, Any]) -> Call | None:
    """Return the tool call that a response item is, if it is one."""
    kind, key = record.get("type"), first(record, "call_id", "id")
    if kind == "function_call":
        return Call(string(record.get("name")), target(record.get("arguments")), key)
    if kind == "custom_tool_call":
        return Call(string(record.get("name")), target(record.get("input")), key)
    if kind == "local_shell_call":
        return Call("shell", target(mapping(record.get("action")).get("command")), key)
    if kind == "web_search_call":
        return Call("web_search", target(record.get("action")), key)
    if kind == "tool_search_call":
        return Call("tool_search", target(record.get("arguments")), key)
    return None


def ended(record: dict[str, Any]) -> End | None:
    """Return how a tool call ended, if that is what a response item tells."""
    if not string(record.get("type")).endswith("_call_output") or not first(record, "call_id"):
        return None
    output = parsed(record.get("output"))
    body, code, success = output, None, None
    if isinstance(output, dict):
        body = output.get("output", output.get("content"))
        code, success = mapping(output.get("metadata")).get("exit_code"), output.get("success")
    text = "\n".join(blocks(body))
    told, found, rest = text.partition("\nOutput:\n")
    if code is None and (exited := EXITED.search(told[:1000])):
        code = int(exited[1][:9])
    ok = code == 0 if isinstance(code, int) else success is not False and not FAILED.match(text)
    return End(first(record, "call_id"), ok, "" if ok else opening(rest if found else text))


def happened(record: dict[str, Any]) -> Iterator[Call | End]:
    """Yield the tool call that an event (`..._end`) or a completed item tells whole, then its end."""
    kind, key = string(record.get("type")), first(record, "call_id", "id")
    if kind in ("exec_command_end", "CommandExecution"):
        yield Call("shell", target(record.get("command")), key)
    elif kind in ("patch_apply_end", "FileChange"):
        yield Call("apply_patch", target(list(mapping(record.get("changes")))), key)
    elif kind in ("mcp_tool_call_end", "McpToolCall", "DynamicToolCall"):
        call = mapping(record.get("invocation")) or record
        yield Call(string(call.get("tool")), target(call.get("arguments")), key)
    elif kind == "WebSearch":
        yield Call("web_search", target(record.get("query")), key)
        return
    else:
        return
    yield _end(key, record)


def _end(key: str, record: dict[str, Any]) -> End:
    result = mapping(record.get("result"))
    code, success = record.get("exit_code"), record.get("success")
    bad = string(record.get("status")).lower() in ("failed", "declined") or "Err" in result
    bad = bad or success is False or mapping(result.get("Ok")).get("isError") is True
    if isinstance(code, int):
        bad = code != 0
    error = record.get("error")
    told = first(record, "stderr", "aggregated_output", "stdout") or first(mapping(error), "message")
    told = told or string(error) or string(result.get("Err"))
    told = told or "\n".join(blocks(listed(mapping(result.get("Ok")).get("content"))))
    return End(key, not bad, opening(told) if bad else "")
