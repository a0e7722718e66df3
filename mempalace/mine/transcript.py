"""One transcript file, read whole or from an offset, whatever its bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson

LONGEST_LINE = 256 * 1024 * 1024  # bytes; a longer line is reported, not read
EDGE = 4096  # bytes looked at for the end of a line that was read without it
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Line(NamedTuple):
    """One line of a JSONL transcript: its record, or why it has none."""

    number: int
    offset: int
    record: dict[str, Any] | None
    why: str = ""


class Transcript:
    """A file being mined.

    offset, line: where reading starts (a grown file continues).  end, last_line: where the last
    whole line read has ended, and its number.  torn: a last line without its end was met.
    """

    def __init__(self, path: str, handle: BinaryIO, *, offset: int = 0, line: int = 0) -> None:
        self.path = path
        self.handle = handle
        self.offset = offset
        self.line = line
        self.end = offset
        self.last_line = line
        self.torn = False

    def lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield (line number, byte offset, line) for each whole line; a torn last line waits.

        A line longer than can be read is b"".
        """
        number, offset = self.line, self._start()
        self.end = offset
        for line in iter(lambda: self.handle.readline(LONGEST_LINE), b""):
            size = len(line)
            if not line.endswith(b"\n") and size >= LONGEST_LINE:
                for rest in iter(lambda: self.handle.readline(LONGEST_LINE), b""):
                    size, line = size + len(rest), rest[-1:]
                    if line == b"\n":
                        break
                whole, line = line == b"\n", b""
            else:
                whole = line.endswith(b"\n") or _complete(line)
            if not whole:
                self.torn = True
                break
            number += 1
            yield number, offset, line
            offset += size
            self.end, self.last_line = offset, number

    def _start(self) -> int:
        """Go where reading starts: past the end of a line that had none yet when it was read."""
        self.handle.seek(max(0, self.offset - 1))
        if self.offset and self.handle.read(1) != b"\n":
            rest = self.handle.readline(EDGE)
            if rest.isspace():
                return self.offset + len(rest)
            self.handle.seek(self.offset)
        return self.offset

    def records(self) -> Iterator[Line]:
        """Yield each line's JSON object; lone surrogates are replaced, blank lines passed over."""
        for number, offset, line in self.lines():
            if line.isspace():
                continue
            if not line:
                yield Line(number, offset, None, f"longer than {LONGEST_LINE} bytes")
                continue
            try:
                record = load(line)
            except ValueError as error:
                yield Line(number, offset, None, f"not JSON: {error}")
                continue
            if isinstance(record, dict):
                yield Line(number, offset, record)
            else:
                yield Line(number, offset, None, "not a JSON object")
        if self.torn:
            yield Line(self.last_line + 1, self.end, None, "the last line is cut off; it is read when it is whole")

    def text(self) -> str:
        """Return the whole file as text: BOMs honoured, then UTF-8, then Latin-1."""
        self.handle.seek(0)
        raw = self.handle.read()
        self.end = len(raw)
        return decode(raw)


def decode(raw: bytes) -> str:
    """Return bytes as readable text, in the encoding they most likely have.

    >>> decode("caf\\u00e9".encode("latin-1"))
    'caf\\xe9'
    """
    for bom, name in BOMS:
        if raw.startswith(bom):
            return raw.decode(name, "replace")
    if raw[:200].count(0) > len(raw[:200]) // 4:  # UTF-16 without a mark
        return raw.decode("utf-16-be" if raw[:1] == b"\0" else "utf-16-le", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if len(raw.decode("utf-8", "ignore").encode()) > 0.99 * len(raw):
            return raw.decode("utf-8", "replace")
        return raw.decode("latin-1")


def load(line: bytes) -> Any:
    """Return one JSON value, forgiving what real transcripts hold; raises ValueError."""
    try:
        return orjson.loads(line)
    except ValueError:
        import json

        text = line.decode("utf-8-sig", "replace").strip("\0")  # a crash may leave a run of them
        try:
            return _mended(json.loads(text, strict=False))
        except RecursionError:
            raise ValueError("nested too deep") from None


def _mended(value: Any) -> Any:
    """Return the value with every lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def _complete(line: bytes) -> bool:
    """Tell whether a last line without a newline is whole all the same."""
    try:
        load(line)
    except ValueError:
        return False
    return True
