"""A file as text and as TOML, with a fault that names the place for each way in which that can fail."""

from __future__ import annotations

import dataclasses
import re
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.inputs.scan import Lines, scan, split_path

LARGEST_FILE = 8_000_000  # bytes; a card set of the largest size stays below a tenth of it
DEEPEST = 32  # tables and lists inside each other; what this package reads needs six
LARGEST_WHOLE = (1 << 63) - 1  # TOML promises no more, and no field wants as much
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{999}")


@dataclass(frozen=True)
class Document:
    """A TOML file: its path, its data and the line of each field."""

    path: Path
    data: dict[str, Any]
    lines: Lines

    def located(self, fault: Fault) -> Fault:
        """``fault`` with this file's name and the line of its field."""
        line = None
        if fault.field:
            keys = tuple(fault.field.split("."))  # as keys of tables, a number too
            line = self.lines.line(keys if self.lines.has(keys) else split_path(fault.field))
        return dataclasses.replace(fault, file=str(self.path), line=fault.line or line)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; ``BadInput`` when it is missing, binary, empty or otherwise encoded."""
    name = str(path)
    if reason := unreadable(path):
        raise BadInput(Fault(reason, name))
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise BadInput(Fault(f"cannot be read: {error.strerror}", name)) from None
    if len(raw) > LARGEST_FILE:
        raise BadInput(Fault("is too large", name, allowed=f"text of at most {LARGEST_FILE:,} bytes"))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(Fault("is UTF-16 text", name, allowed="text in UTF-8"))
    if b"\0" in raw:
        raise BadInput(Fault("is a binary file", name, allowed="text in UTF-8"))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadInput(Fault(f"byte {raw[error.start]:#04x} is not UTF-8", name, line, allowed="text in UTF-8")) from None
    if not text.strip():
        raise BadInput(Fault("the file is empty", name))
    return text.replace("\r\n", "\n")


def read_toml(path: Path) -> Document:
    """A TOML file; ``BadInput`` with the line of a syntax error."""
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        number = re.search(r"line (\d+)", place)
        line = int(number.group(1)) if number else text.rstrip().count("\n") + 1
        raise BadInput(Fault(f"is not valid TOML: {message or place}", str(path), line)) from None
    except RecursionError:
        raise BadInput(Fault(TOO_DEEP, str(path), allowed=f"{DEEPEST} levels")) from None
    except ValueError:  # Python turns no text of more than some thousand digits into a number
        found = _LONG_NUMBER.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else None
        raise BadInput(Fault(TOO_LARGE, str(path), line, allowed="64 bits")) from None
    faults = too_much(data)  # before the scan, whose work grows with the depth
    if any(fault.message == TOO_DEEP for fault in faults):
        raise BadInput(*(dataclasses.replace(fault, file=str(path)) for fault in faults))
    document = Document(path, data, scan(text))
    if faults:
        raise BadInput(*(document.located(fault) for fault in faults))
    return document


TOO_DEEP = "is nested too deeply"
TOO_LARGE = "is a number too large"


def too_much(data: Any) -> list[Fault]:
    """Faults of parsed data that no reader after this one should have to expect: depth, and numbers beyond 64 bits."""
    faults = []
    below: list[tuple[tuple[str, ...], Any]] = [((), data)]
    while below:
        path, value = below.pop()
        if isinstance(value, dict | list):
            if len(path) > DEEPEST:
                return [Fault(TOO_DEEP, field=path[0], allowed=f"{DEEPEST} levels")]
            items = value.items() if isinstance(value, dict) else enumerate(value)
            below += [((*path, str(key)), inner) for key, inner in items]
        elif isinstance(value, int) and not -LARGEST_WHOLE <= value <= LARGEST_WHOLE:
            faults.append(Fault(TOO_LARGE, field=".".join(path) or None, allowed="64 bits"))
    return faults[::-1]


def unreadable(path: Path) -> str | None:
    """Why something that stands at ``path`` is no file to read from; None for a plain file, and when nothing is there."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return "is a link to a file that does not exist" if path.is_symlink() else None
    if stat.S_ISDIR(mode):
        return "is a folder, not a file"
    return None if stat.S_ISREG(mode) else "is no regular file"  # a pipe would be waited for without end
