"""Files of any game and kind, checked for every fault: what ``bhsim validate`` does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import MODULES, Game, Options, find
from bhsim.games.kinds import SPECS, keys_in
from bhsim.inputs.document import read_toml
from bhsim.lab.balance_problem import check_balance
from bhsim.lab.factors import check_sensitivity
from bhsim.lab.sweep import check_spec

# Of each kind of spec; it names its game itself.
SPEC_CHECKS: dict[str, Callable[[Path], None]] = {"sensitivity": check_sensitivity, "balance": check_balance, "sweep": check_spec}


@dataclass(frozen=True)
class Checked:
    """A file with its faults. kind: None if it cannot be told. game: None then, and for specs."""

    path: Path
    kind: str | None
    game: str | None
    faults: list[Fault]


def kinds_of(games: Sequence[Game]) -> list[str]:
    """Every kind that a file of these games can be."""
    return list(dict.fromkeys([kind for game in games for kind in game.data_files.KINDS] + list(SPECS)))


def check_files(paths: Sequence[Path], game: str | None, kind: str | None, options: Options, note: Callable[[str], None]) -> list[Checked]:
    """Every file with its faults. game, kind: what the files are; None where their content has to tell.

    options: what files are checked against that only mean something with others, crews or variants for example; what it leaves open is
    taken from the files themselves if the game finds it among them. note: gets what reading those had to say. BadInput for an unknown
    game or kind.
    """
    games = [find(name) for name in ([game] if game else MODULES)]
    if kind is not None and kind not in kinds_of(games):
        raise BadInput(Fault("--kind names no kind of file", value=kind, allowed=", ".join(kinds_of(games))))

    @cache
    def bundle(name: str) -> Any:
        owner = find(name)
        found = owner.load(dataclasses.replace(_meant_for(owner, games, options), **_open(options, owner.data_files.found_among(paths))))
        for text in found.notes:
            note(text)
        return found

    return [_checked(path, games, kind, bundle) for path in paths]


def _checked(path: Path, games: Sequence[Game], kind: str | None, bundle: Callable[[str], Any]) -> Checked:
    found, owner = kind, None
    try:
        game, found = told(path, games, kind)
        if found in SPEC_CHECKS:
            SPEC_CHECKS[found](path)
        else:
            owner = game.name
            game.data_files.check_file(path, found, lambda: bundle(game.name))
    except BadInput as error:
        return Checked(path, found, owner, list(error.faults))
    return Checked(path, found, owner, [])


def told(path: Path, games: Sequence[Game], kind: str | None = None) -> tuple[Game, str]:
    """Game and kind of a file; of several games that could read it, the one that knows most of its keys, and the first if they are equal.

    kind: what it is, if that is known. BadInput when the file cannot be read or its content tells nothing.
    """
    meant = [(game, kind or game.data_files.kind_of_path(path)) for game in games]
    fitting = [(game, found) for game, found in meant if found in SPECS or found in game.data_files.KINDS]
    if not fitting:
        message = "cannot tell what kind of file this is; name it with --kind"
        raise BadInput(Fault(message, str(path), allowed=", ".join(kinds_of(games))))
    if len(fitting) == 1:
        return fitting[0]
    keys = keys_in(read_toml(path).data) if path.suffix == ".toml" else frozenset()
    return max(fitting, key=lambda one: len(keys & one[0].data_files.KEYS))


def _meant_for(game: Game, games: Sequence[Game], options: Options) -> Options:
    """Options without the files that only other games have; a name that none of them knows stays, to be refused."""
    named = {kind: getattr(options, kind) for kind in ("cardset", "board", "rules") if getattr(options, kind) is not None}
    others = [kind for kind, name in named.items() if not game.has(kind, name) and any(one.has(kind, name) for one in games)]
    return dataclasses.replace(options, **dict.fromkeys(others))


def _open(options: Options, found: dict[str, str]) -> dict[str, str]:
    """What is found for kinds that the options leave open."""
    return {kind: name for kind, name in found.items() if getattr(options, kind) is None}
