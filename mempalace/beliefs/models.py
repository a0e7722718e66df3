"""What decides: `rules`, which only looks up, or a program of the user's."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence

from mempalace.beliefs.advice import Advice, advice, favoured
from mempalace.beliefs.answer import Answer, BadAnswer, Option, encoded
from mempalace.beliefs.memory import Entry
from mempalace.beliefs.prompting import asked
from mempalace.errors import PalaceError
from mempalace.model import AVOID

RULES, COMMAND = "rules", "command:"
PATIENCE = 180.0  # seconds for a program's answer
SAID = 200  # characters of what a program that failed said

Model = Callable[[bytes], bytes]  # from the bytes sent to the bytes given


def model(name: str, *, timeout: float = PATIENCE) -> Model:
    """Return the model of that name: "rules", or "command:PROGRAM ARGUMENTS...", run without a shell.

    Raises PalaceError for any other name and for a program that is not there. Called, a program
    raises BadAnswer where it fails or takes longer than `timeout` seconds.
    """
    if name == RULES:
        return rules
    try:
        words = shlex.split(name[len(COMMAND) :]) if name.startswith(COMMAND) else []
    except ValueError as error:
        raise PalaceError(f"the model {name!r} cannot be read: {str(error).lower()}") from error
    if not words:
        raise PalaceError(f"no model {name!r}: the models are rules and command:PROGRAM")
    if shutil.which(words[0]) is None:
        raise PalaceError(f"no program {words[0]!r} to ask: install it, or give its full path")
    return lambda sent: _run(words, sent, timeout)


def rules(sent: bytes) -> bytes:
    """Return the answer that the beliefs in the sent bytes give, by nothing but lookup."""
    task, options, shown = asked(sent)
    said = advice(shown, options)
    display = {option.id: option.display for option in options}.get(said.option or "")
    if said.entry is None:
        title, summary = f"{task.kind}: nothing chosen", "no belief shown settles it"
    else:
        title, summary = f"{task.kind}: {said.option}", f"{display}, as [b:{said.entry['id'][:8]}] has it"
    return encoded(
        Answer(
            title=title, urgent=False, urgency_reason=None, summary=summary, reasoning=_reasoning(said, shown),
            considered=tuple(_considered(said, shown, options)), option_id=said.option, option_display=display,
        )._asdict(),
        indent=1,
    )  # fmt: skip


def _reasoning(said: Advice, shown: Sequence[Entry]) -> str:
    if said.entry is None:
        applying = sum(entry["applies"] for entry in shown)
        return f"{applying} of the {len(shown)} beliefs shown speak of this choice; none settles it."
    entry = said.entry
    held = "pinned" if entry["pinned"] else f"confidence {entry['confidence']:.2f}"
    why = "leaves it as the only one" if entry["polarity"] == AVOID else "names it"
    return f"The belief at rank {entry['rank']} ({held}) {why}: {entry['claim']}"


def _considered(said: Advice, shown: Sequence[Entry], options: Sequence[Option]) -> list[str]:
    names = favoured(shown, options)
    lines = []
    for option in options:
        if option.id == said.option:
            word = "chosen"
        elif option.id in said.avoided:
            word = f"[b:{said.avoided[option.id]['id'][:8]}] says to avoid it"
        elif option.id in names:
            word = f"[b:{names[option.id]['id'][:8]}] names it, at rank {names[option.id]['rank']} only"
        else:
            word = "nothing names it"
        lines.append(f"{option.id}: {word}")
    return lines


def _run(words: list[str], sent: bytes, timeout: float) -> bytes:
    """Return a program's output, literally; one that takes too long is ended with whatever it started."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise BadAnswer(f"{words[0]} cannot be run: {(error.strerror or str(error)).lower()}", b"") from error
    with process:
        try:
            raw, complaint = process.communicate(sent, timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            raw = process.communicate()[0]
            raise BadAnswer(f"{words[0]} gave no answer within {timeout:g} seconds", raw) from None
        except BaseException:
            _end(process)
            raise
    if process.returncode:
        said = " ".join(complaint.decode("utf-8", "replace").split())[-SAID:]
        raise BadAnswer(f"{words[0]} ended with status {process.returncode}{': ' + said if said else ''}", raw)
    return raw


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
