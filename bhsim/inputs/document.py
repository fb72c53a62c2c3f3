"""A file as text and as TOML, with a fault that names the place for each way in which that can fail."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.inputs.scan import Lines, scan, split_path

LARGEST_FILE = 8_000_000  # bytes; a card set of the largest size stays below a tenth of it


@dataclass(frozen=True)
class Document:
    """A TOML file: its path, its data and the line of each field."""

    path: Path
    data: dict[str, Any]
    lines: Lines

    def located(self, fault: Fault) -> Fault:
        """``fault`` with this file's name and the line of its field."""
        line = self.lines.line(split_path(fault.field)) if fault.field else None
        return dataclasses.replace(fault, file=str(self.path), line=fault.line or line)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; ``BadInput`` when it is missing, binary, empty or otherwise encoded."""
    name = str(path)
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
        return Document(path, tomllib.loads(text), scan(text))
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        number = re.search(r"line (\d+)", place)
        line = int(number.group(1)) if number else text.rstrip().count("\n") + 1
        raise BadInput(Fault(f"is not valid TOML: {message or place}", str(path), line)) from None
    except RecursionError:
        raise BadInput(Fault("is nested too deeply", str(path))) from None
