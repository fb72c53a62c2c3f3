"""Who takes part in a metagame: crews that are named, found in folders, drawn at random, or all that there are; each once.

Crews are told apart by the numbers that they play with: another name makes no other crew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side, SideNames
from bhsim.games.spaces import Space
from bhsim.lab.manifest import MANIFEST

PURPOSE = 0x6D657461  # tells the luck of drawn crews from all other luck of a seed
FEWEST, MOST = 3, 200  # two crews tell nothing of who beats whom in circles
TRIES = 50  # draws for each crew that is wanted, those that are there already included
NAMED, FOUND, SAMPLED, GROWN = "named", "found", "sampled", "grown"


@dataclass(frozen=True)
class Entrant:
    """A crew with its deck and bot. label: what tables call it, different for all. origin: one of the four words above."""

    side: Side
    label: str
    origin: str


@dataclass(frozen=True)
class Asked:
    """What a user wants in the field. found: folders of crew files. deck, bot: of all crews, None for their own and the game's."""

    crews: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    sample: int = 0
    deck: str | None = None
    bot: str | None = None


def entrants(game: Game, bundle: Any, asked: Asked, everybody: Sequence[str], space: Space | None, seed: int) -> list[Entrant]:
    """The field. everybody: names of all crews, which take part if nobody is asked for. space: of sampled crews.

    BadInput for crews that are not legal, the same crew named twice, and a field too small or too large. A crew of a folder that is there
    already is left out.
    """
    named = asked.crews or (() if asked.found or asked.sample else tuple(everybody))
    read = _Reader(game, bundle, asked)
    field = [(side, NAMED) for side in read.sides(named)]
    _refuse_twice(game, bundle, named, [side for side, _ in field])
    known = {identity(game, bundle, side) for side, _ in field}
    for side in read.sides([str(file) for folder in asked.found for file in _crew_files(game, folder)]):
        if (content := identity(game, bundle, side)) not in known:
            known.add(content)
            field.append((side, FOUND))
    if asked.sample:
        assert space is not None
        field += [(side, SAMPLED) for side in sampled(game, bundle, space, asked.sample, known, seed)]
    if not FEWEST <= len(field) <= MOST:
        raise BadInput(Fault("a metagame of so many different crews", field="crews", value=len(field), allowed=f"{FEWEST} to {MOST}"))
    labels = labelled([side for side, _ in field])
    return [Entrant(side, label, origin) for (side, origin), label in zip(field, labels, strict=True)]


def sampled(game: Game, bundle: Any, space: Space, count: int, known: Iterable[str], seed: int) -> list[Side]:
    """Different builds drawn from the space, none of them among ``known`` ones. BadInput when the space has too few."""
    rng, seen, drawn = np.random.default_rng([seed, PURPOSE]), set(known), []
    for _ in range(TRIES * count):
        if len(drawn) == count:
            break
        side = space.sample(rng)
        if (content := identity(game, bundle, side)) not in seen:
            seen.add(content)
            drawn.append(space.named(side, f"{SAMPLED} {len(drawn) + 1}"))
    if len(drawn) < count:
        raise BadInput(Fault("there are too few different crews to draw", field="sample", value=count, allowed=f"about {len(drawn)}"))
    return drawn


def identity(game: Game, bundle: Any, side: Side) -> str:
    """Tells crews apart: equal for sides that play the same games."""
    return game.digest(bundle, (side, side))


def labelled(sides: Sequence[Side]) -> list[str]:
    """A name for each, as short as they can be while they differ."""
    ways: tuple[Callable[[Side], str], ...] = (
        lambda side: Path(side.crew).stem if side.crew.endswith(".toml") else side.crew,
        lambda side: side.crew,
        lambda side: f"{side.crew} / {side.deck}",
    )
    for way in ways:
        names = [way(side) for side in sides]
        if len(set(names)) == len(names):
            return names
    return [f"{number}: {side.crew}" for number, side in enumerate(sides)]


class _Reader:
    """Reads sides, all faults at once."""

    def __init__(self, game: Game, bundle: Any, asked: Asked) -> None:
        self.game, self.bundle, self.asked = game, bundle, asked

    def sides(self, names: Sequence[str]) -> list[Side]:
        sides: list[Side] = []
        faults: list[Fault] = []
        for name in names:
            try:
                side = self.game.side(self.bundle, SideNames(name, self.asked.deck, self.asked.bot), 0)
                self.game.check(self.bundle, (side, side))
                sides.append(side)
            except BadInput as error:
                for fault in error.faults:
                    faults += [fault] if fault not in faults else []
        if faults:
            raise BadInput(*faults)
        return sides


def _refuse_twice(game: Game, bundle: Any, names: Sequence[str], sides: Sequence[Side]) -> None:
    first: dict[str, str] = {}
    faults = []
    for name, side in zip(names, sides, strict=True):
        content = identity(game, bundle, side)
        if content in first:
            faults.append(Fault(f"plays with the same numbers as {first[content]}", field="crews", value=name, allowed="different crews"))
        first.setdefault(content, name)
    if faults:
        raise BadInput(*faults)


def _crew_files(game: Game, folder: str) -> list[Path]:
    """Crew files directly in a folder, by name; of a run those that it made. BadInput when there is no such folder, or no such file."""
    path = Path(folder)
    if (path / MANIFEST).is_file():
        path /= "crews"
    if not path.is_dir():
        raise BadInput(Fault("no such folder", field="found", value=folder))
    files = [file for file in sorted(path.glob("*.toml")) if game.has("crew", str(file))]
    if not files:
        raise BadInput(Fault("no crew file lies in this folder", field="found", value=folder))
    return files
