"""The best build against a field, planned and carried out: searched on keys of its own, then confirmed on fresh ones.

docs/optimise.md explains what is done and why.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side, SideNames
from bhsim.games.spaces import Freedom, Space
from bhsim.lab import carry
from bhsim.lab.arena import Arena, search_root
from bhsim.lab.contest import MAX_GAMES, Contest
from bhsim.lab.executors import Executor
from bhsim.lab.ledger import Ledger
from bhsim.lab.manifest import manifest_of
from bhsim.lab.memory import Kept
from bhsim.lab.opponents import Opponents, blamed
from bhsim.lab.optimise_found import START, Record, record_of
from bhsim.lab.optimum import BUILD, OPPONENT, Optimum, measure, write_files
from bhsim.lab.record import write_record
from bhsim.lab.search import Goal, least_games, search
from bhsim.lab.store import Folder

CONFIRMED = 4  # every so manieth game is one of the confirmation
FEWEST_KEYS = 50  # of a confirmed match-up
MOST_KEPT = 20
PILOT_SECONDS, PILOT_KEYS = 2.0, 64
PROMPT = 0.95  # share of the minutes that are planned for, so that reading and drawing have the rest


@dataclass(frozen=True)
class Plan:
    """What is asked for. games: in all; keys: of each confirmed match-up if there are ``keep`` finalists.

    only: there is one single build to find, so nothing to choose. contests: the start's, which are known ahead.
    """

    game: Game
    bundle: Any
    space: Space
    freedom: Freedom
    opponents: Opponents
    goal: Goal
    games: int
    keys: int
    keep: int
    seed: int
    only: bool
    contests: tuple[Contest, ...] = field(repr=False)

    @property
    def search_games(self) -> int:
        """Games that the search may play: no more than it must where there is nothing to choose."""
        opponents, seatings = len(self.opponents.sides), self.contests[0].seatings
        if self.only:
            return least_games(opponents, seatings, self.keep)
        return self.games - (self.keep + 1) * opponents * seatings * self.keys

    def keys_of(self, builds: int) -> int:
        """Keys of each confirmed match-up if so many builds, with the start, share what is left to the confirmation."""
        return (self.games - self.search_games) // (builds * len(self.opponents.sides) * self.contests[0].seatings)

    def manifest(self, command: str) -> dict[str, Any]:
        """The manifest of the run that is about to begin."""
        spec = {"games": self.games, "keep": self.keep, "seed": self.seed, "goal": self.goal.kind, "weights": list(self.goal.weights)}
        spec |= {"opponents": list(self.opponents.labels), "freedom": self.freedom.record(), "start": self.space.key(self.space.start)}
        name = f"best {' and '.join(self.freedom.parts)} against {', '.join(self.opponents.labels)}"
        return manifest_of(name, "optimise", self.contests, self.seed, spec, command)


def least(game: Game, opponents: int, keep: int) -> int:
    """The fewest games in all that a search with its confirmation can do with."""
    seatings = game.seatings(2)
    confirmed = (keep + 1) * opponents * seatings
    return max(CONFIRMED * FEWEST_KEYS * confirmed, -(-CONFIRMED * least_games(opponents, seatings, keep) // (CONFIRMED - 1)))


def games_in(minutes: float, game: Game, bundle: Any, start: Side, opponents: Opponents, keep: int, executor: Executor) -> int:
    """How many games fit into so many minutes here and now, to three digits, from the speed of some seconds of play.

    BadInput for minutes that hold too few games or too many.
    """
    if not 0 < minutes < float("inf"):
        raise BadInput(Fault("out of range", field="minutes", value=minutes, allowed="above 0"))
    arena, keys, first = Arena(game, search_root(0, "pilot"), executor), PILOT_KEYS, 0
    while True:
        begun = time.perf_counter()
        arena.against(bundle, [start], opponents.sides, first, keys)
        if (seconds := time.perf_counter() - begun) >= PILOT_SECONDS:
            games = keys * len(opponents.sides) * game.seatings(2)
            return _fitting(minutes, PROMPT * 60 * games / seconds, least(game, len(opponents.sides), keep))
        first, keys = first + keys, 2 * keys


def _fitting(minutes: float, speed: float, fewest: int) -> int:
    """Games of so many minutes. speed: in games a minute. fewest: that are enough."""
    games = int(float(f"{speed * minutes:.3g}"))
    if fewest <= games <= MAX_GAMES:
        return games
    shortest, longest = ceil(101 * fewest / speed) / 100, floor(99 * MAX_GAMES / speed) / 100  # a percent of room for the three digits
    why = "too short for a search and its confirmation" if games < fewest else "out of range"
    raise BadInput(Fault(why, field="minutes", value=minutes, allowed=f"about {shortest:g} to {longest:g} here"))


def start_of(game: Game, bundle: Any, names: SideNames, opponents: Opponents) -> Side:
    """The build that the search begins from; BadInput if it is not legal, with the field "start", "deck" or "bot" for an unknown name."""
    try:
        start = game.side(bundle, names, 0)
    except BadInput as error:
        raise blamed(error, crew="start", deck="deck" if names.deck else "start", bot="bot") from None
    game.check(bundle, (start, opponents.sides[0]))
    return start


def planned(
    game: Game, bundle: Any, start: Side, opponents: Opponents, goal: Goal, freedom: Freedom, games: int, keep: int, seed: int
) -> Plan:  # fmt: skip
    """What is to be played. BadInput for a freedom without builds but the start (``Builds.space``), and for numbers that cannot be."""
    space = game.builds.space(bundle, start, freedom)
    if not 1 <= keep <= MOST_KEPT:
        raise BadInput(Fault("out of range", field="keep", value=keep, allowed=f"1 to {MOST_KEPT}"))
    fewest = least(game, len(opponents.sides), keep)
    if not fewest <= games <= MAX_GAMES:
        why = "too few for a search and its confirmation" if games < fewest else "out of range"
        allowed = f"{fewest} to {MAX_GAMES} (opponents: {len(opponents.sides)}, finalists: {keep})"
        raise BadInput(Fault(why, field="games", value=games, allowed=allowed))
    only = space.every(1)
    if only and space.key(only[0]) == space.key(start):
        raise BadInput(_nothing_to_search(freedom))
    keys = games // (CONFIRMED * (keep + 1) * len(opponents.sides) * game.seatings(2))
    contests = _contests(game, bundle, START, start, opponents, keys, 0)
    return Plan(game, bundle, space, freedom, opponents, goal, games, keys, keep, seed, only is not None, tuple(contests))


def _nothing_to_search(freedom: Freedom) -> Fault:
    """Of a freedom that holds the start alone; the field is what narrows it most likely."""
    why = "leaves nothing but the start, so there is nothing to search"
    if freedom.max_changes == 0:
        return Fault(why, field="max-changes", value=0, allowed="1 or more")
    narrowed = {"ban": freedom.ban, "fix": freedom.fix, "members": freedom.members, "max-changes": freedom.max_changes}
    field, value = next(((name, value) for name, value in narrowed.items() if value), (None, None))
    return Fault(why, field=field, value=", ".join(value) if isinstance(value, tuple) else None, allowed="what leaves two builds or more")


def carried_out(plan: Plan, folder: Folder, executor: Executor, block: int | None = None, stage: carry.Stage = carry.silent) -> Optimum:
    """Searches, confirms, and closes the folder; then what was found, stored there too unless the run is in memory.

    stage: told what is done. Stopped and started again, it goes on where it was.
    """
    stored = not isinstance(folder, Kept)
    with carry.opened(folder, plan.seed, block=block, executor=executor) as play:
        ledger = Ledger(folder.path if stored else None)
        with stage(f"searching by up to {plan.search_games:,} games", plan.search_games) as advance:
            record, sides = _searched(plan, Arena(plan.game, search_root(plan.seed, "optimise"), executor, ledger, block, advance))
        if sides:
            folder.extend(*_confirming(plan, [(seen.name, side) for seen, side in zip(record.builds[1:], sides, strict=True)]))
        if stored:
            write_record(folder.path, record)
        with stage(f"confirming {len(sides)} builds and the start on fresh keys", folder.games_left()) as advance:
            play(advance)
    found = measure(folder, record)
    if stored:
        write_files(folder, found, plan.space)
    return found


def _confirming(plan: Plan, found: Sequence[tuple[str, Side]]) -> tuple[list[Contest], int]:
    """Contests of the builds that were found, and the keys of each, which those of the start have, too."""
    keys = plan.keys_of(1 + len(found))
    contests = list(plan.contests)
    for build, side in found:
        contests += _contests(plan.game, plan.bundle, build, side, plan.opponents, keys, len(contests))
    return contests[len(plan.contests) :], keys


def _searched(plan: Plan, arena: Arena) -> tuple[Record, list[Side]]:
    found = search(
        arena, plan.bundle, plan.space, plan.opponents.sides, plan.goal, plan.search_games, plan.seed, plan.keep
    )  # fmt: skip
    return record_of(found, plan.space)


def _contests(
    game: Game, bundle: Any, build: str, side: Side, opponents: Opponents, keys: int, first: int
) -> list[Contest]:  # fmt: skip
    """A build against all opponents, numbered from ``first``."""
    pairs: Sequence[tuple[str, Side]] = list(zip(opponents.labels, opponents.sides, strict=True))
    return [
        Contest(first + place, game, bundle, (side, other), keys, {BUILD: build, OPPONENT: label})
        for place, (label, other) in enumerate(pairs)
    ]
