"""Where the name of a card set, crew, deck, board, rules, bot or variant file is looked up."""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish.model import identifier
from bhsim.inputs.document import unreadable
from bhsim.inputs.names import listing, suggestion

FOLDERS = {
    "cardset": "decks", "deck": "decks", "crew": "crews",
    "board": "boards", "rules": "rules", "bot": "bots", "variant": "variants",
}  # fmt: skip
WORDS = {"cardset": "card set", "rules": "rules file", "variant": "variant file"}

_PACKAGE = Path(__file__).resolve().parents[2]  # the folder bhsim/
_log = logging.getLogger("bhsim.files")


def resolve(kind: str, name: str, announce: bool = True) -> tuple[Path, list[str]]:
    """The file that ``name`` means, and notes about files of the same name that it hides.

    kind: a key of ``FOLDERS``. A name is tried as a path, then in the folder of its kind below the working
    directory, then in the packaged copy, then in the repository beside an editable install. A hidden file
    with other content is announced once (as a warning of the logger ``bhsim.files``, so on stderr) unless
    ``announce`` is false because the caller passes the notes on.
    Raises ``BadInput`` with the nearest names when nothing is found.
    """
    if _is_path(name):
        path = Path(name)
        if not path.is_file():
            raise BadInput(Fault(unreadable(path) or f"no such {WORDS.get(kind, kind)}", str(path)))
        return path, []
    tried = [path for folder in folders(kind) for path in _candidates(kind, folder, name)]
    found = [path for path in tried if path.is_file()]
    if not found:
        if blocked := [Fault(reason, str(path)) for path in tried if (reason := unreadable(path))]:
            raise BadInput(*blocked)
        known = names(kind)
        word = WORDS.get(kind, kind)
        allowed = f"a path or one of {listing(known)}" if known else f"a path; no {word} is known by name"
        raise BadInput(Fault(f"unknown {word} {name!r}{suggestion(name, known)}", allowed=allowed))
    notes = [f"note: {found[0]} hides {other}" for other in found[1:] if _differ(found[0], other)]
    for note in notes if announce else ():
        _announce(note)
    return found[0], notes


def folders(kind: str) -> list[Path]:
    """The folders in which names of this kind are looked up, nearest first; each once, whether it exists or not."""
    sub = FOLDERS[kind]
    every = [Path(sub), _PACKAGE / "data" / sub, _PACKAGE.parent / sub]
    kept: list[Path] = []
    for folder in every:
        if all(folder.resolve() != other.resolve() for other in kept):
            kept.append(folder)
    return kept


def names(kind: str) -> list[str]:
    """Every name of this kind that ``resolve`` finds, sorted."""
    from bhsim.games.skirmish.kinds import kind_of_file  # reads the files, so only when a list is wanted

    found = set()
    for folder in folders(kind):
        if folder.is_dir():
            found |= {p.stem for p in folder.iterdir() if p.suffix in _suffixes(kind) and kind_of_file(p) == kind}
    return sorted(found)


def _suffixes(kind: str) -> tuple[str, ...]:
    return (".toml", ".txt") if kind == "deck" else (".toml",)


def _candidates(kind: str, folder: Path, name: str) -> list[Path]:
    stems = dict.fromkeys((name, identifier(name)))
    return [folder / (stem + suffix) for stem in stems for suffix in _suffixes(kind)]


def _is_path(name: str) -> bool:
    separators = [s for s in (os.sep, os.altsep) if s]
    return any(s in name for s in separators) or name.endswith((".toml", ".txt")) or Path(name).is_file()


def _differ(one: Path, other: Path) -> bool:
    return not os.path.samefile(one, other) and one.read_bytes() != other.read_bytes()


@cache
def _announce(note: str) -> None:
    """Says each note once, however often the same name is looked up."""
    _log.warning(note)
