"""Where the name of a file is looked up: as a path, then in the folders of its kind, the nearest first."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.inputs.document import unreadable
from bhsim.inputs.models import identifier
from bhsim.inputs.names import listing, suggestion

_PACKAGE = Path(__file__).resolve().parents[1]  # the folder bhsim/
_log = logging.getLogger("bhsim.files")


@dataclass(frozen=True)
class Places:
    """The kinds of files of one game.

    where: the folder of each kind, below the working directory, the package's data and the repository. kind_of_file: tells what a file is,
    for lists of names. words: what to call a kind whose name says too little. suffixes: endings other than ``.toml``, nearest first.
    """

    where: Mapping[str, str]
    kind_of_file: Callable[[Path], str | None]
    words: Mapping[str, str] = field(default_factory=dict)
    suffixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def word(self, kind: str) -> str:
        """The kind as a message names it."""
        return self.words.get(kind, kind)

    def resolve(self, kind: str, name: str, announce: bool = True) -> tuple[Path, list[str]]:
        """The file that ``name`` means, and notes about files of the same name that it hides.

        kind: a key of ``where``. A name is tried as a path, then in the folder of its kind below the working
        directory, then in the packaged copy, then in the repository beside an editable install. A hidden file
        with other content is announced once (as a warning of the logger ``bhsim.files``, so on stderr) unless
        ``announce`` is false because the caller passes the notes on.
        Raises ``BadInput`` with the nearest names when nothing is found.
        """
        if _is_path(name):
            path = Path(name)
            if not path.is_file():
                raise BadInput(Fault(unreadable(path) or f"no such {self.word(kind)}", str(path)))
            return path, []
        tried = [path for folder in self.folders(kind) for path in self._candidates(kind, folder, name)]
        found = [path for path in tried if path.is_file()]
        if not found:
            if blocked := [Fault(reason, str(path)) for path in tried if (reason := unreadable(path))]:
                raise BadInput(*blocked)
            known = self.names(kind)
            message = f"unknown {self.word(kind)} {name!r}{suggestion(name, known)}"
            allowed = f"a path or one of {listing(known)}" if known else f"a path; no {self.word(kind)} is known by name"
            raise BadInput(Fault(message, allowed=allowed))
        notes = [f"note: {found[0]} hides {other}" for other in found[1:] if _differ(found[0], other)]
        for note in notes if announce else ():
            _announce(note)
        return found[0], notes

    def has(self, kind: str, name: str) -> bool:
        """Whether ``resolve`` finds a file of this kind that looks like one; False for a kind that the game has not."""
        try:
            return kind in self.where and self.kind_of_file(self.resolve(kind, name, announce=False)[0]) == kind
        except BadInput:
            return False

    def folders(self, kind: str) -> list[Path]:
        """The folders in which names of this kind are looked up, nearest first; each once, whether it exists or not."""
        sub = self.where[kind]
        kept: list[Path] = []
        for folder in (Path(sub), _PACKAGE / "data" / sub, _PACKAGE.parent / sub):
            if all(folder.resolve() != other.resolve() for other in kept):
                kept.append(folder)
        return kept

    def names(self, kind: str) -> list[str]:
        """Every name of this kind that ``resolve`` finds, sorted."""
        found = set()
        for folder in self.folders(kind):
            if folder.is_dir():
                found |= {p.stem for p in folder.iterdir() if p.suffix in self._endings(kind) and self.kind_of_file(p) == kind}
        return sorted(found)

    def _endings(self, kind: str) -> tuple[str, ...]:
        return (".toml", *self.suffixes.get(kind, ()))

    def _candidates(self, kind: str, folder: Path, name: str) -> list[Path]:
        stems = dict.fromkeys((name, identifier(name)))
        return [folder / (stem + suffix) for stem in stems for suffix in self._endings(kind)]


def _is_path(name: str) -> bool:
    separators = [s for s in (os.sep, os.altsep) if s]
    return any(s in name for s in separators) or name.endswith((".toml", ".txt")) or Path(name).is_file()


def _differ(one: Path, other: Path) -> bool:
    return not os.path.samefile(one, other) and one.read_bytes() != other.read_bytes()


@cache
def _announce(note: str) -> None:
    """Says each note once, however often the same name is looked up."""
    _log.warning(note)
