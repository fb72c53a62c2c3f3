"""Line numbers of everything in a TOML text.

``tomllib`` names a line only for syntax errors. This scanner walks a text that tomllib has already
accepted, so it may trust the grammar, and notes at which line each key and each array item stands.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right

Path = tuple[str | int, ...]


class Lines:
    """Where each field of a TOML text stands; ``line`` gives the best line known for a path."""

    def __init__(self, known: dict[Path, int]) -> None:
        self._known = known

    def line(self, path: Path) -> int | None:
        """Line (from 1) of ``path`` or of its nearest ancestor that stands in the text."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._known:
                return self._known[path[:length]]
        return None

    def has(self, path: Path) -> bool:
        """Whether exactly this path is written in the text."""
        return path in self._known


def scan(text: str) -> Lines:
    """Lines of every header, key and array item of ``text``, which must be valid TOML."""
    return Lines(_Scanner(text).document())


def split_path(field: str) -> Path:
    """``cards.big_hack.effects.0.count`` as a tuple, numbers as int."""
    return tuple(int(part) if part.isdigit() else part for part in field.split("."))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
        self.known: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}  # arrays of tables: how many so far

    def document(self) -> dict[Path, int]:
        base: Path = ()
        while self._skip_blank():
            if self.text.startswith("[[", self.at):
                self.at += 2
                base = self._header(array=True)
            elif self.text[self.at] == "[":
                self.at += 1
                base = self._header(array=False)
            else:
                self._pair(base)
        return self.known

    def _note(self, path: Path) -> None:
        self.known.setdefault(path, bisect_right(self.starts, self.at))

    def _skip_blank(self) -> bool:
        """Moves over spaces, line ends and comments; false at the end of the text."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char in " \t\r\n":
                self.at += 1
            else:
                return True
        return False

    def _header(self, array: bool) -> Path:
        line_start = self.at
        parts = self._key()
        end, self.at = self.at, line_start
        path: Path = ()
        for number, part in enumerate(parts):
            path = (*path, part)
            self._note(path)
            last = number == len(parts) - 1
            if last and array:
                self.tables[path] = self.tables.get(path, -1) + 1
            if path in self.tables:
                path = (*path, self.tables[path])
                self._note(path)
        self.at = end
        self._skip_blank()
        self.at += 2 if array else 1
        return path

    def _pair(self, base: Path) -> None:
        start = self.at
        parts = self._key()
        end, self.at = self.at, start
        for length in range(1, len(parts) + 1):
            self._note((*base, *parts[:length]))
        self.at = end
        self._skip_blank()
        self.at += 1  # the equals sign
        self._value((*base, *parts))

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip_blank()
            start = self.at
            if self.text[self.at] in "\"'":
                self._string()
            else:
                while self.text[self.at].isalnum() or self.text[self.at] in "-_":
                    self.at += 1
            parts.append(next(iter(tomllib.loads(self.text[start : self.at] + " = 0"))))
            self._skip_blank()
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _string(self) -> None:
        quote = self.text[self.at]
        long = self.text.startswith(quote * 3, self.at)
        mark = quote * 3 if long else quote
        self.at += len(mark)
        while not self.text.startswith(mark, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(mark)
        if long:  # up to two more quotes may belong to the content
            while self.text.startswith(quote, self.at):
                self.at += 1

    def _value(self, path: Path) -> None:
        self._skip_blank()
        char = self.text[self.at]
        if char == "[":
            self.at += 1
            self._array(path)
        elif char == "{":
            self.at += 1
            self._inline_table(path)
        elif char in "\"'":
            self._string()
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}\n#":
                self.at += 1

    def _array(self, path: Path) -> None:
        number = 0
        while self._skip_blank() and self.text[self.at] != "]":
            self._note((*path, number))
            self._value((*path, number))
            number += 1
            self._skip_blank()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        while self._skip_blank() and self.text[self.at] != "}":
            self._pair(path)
            self._skip_blank()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1
