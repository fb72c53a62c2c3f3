"""A whole run of a metagame, planned and carried out: the match-ups of the field, then, if wanted, further crews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, SideNames
from bhsim.games.spaces import Freedom, Space
from bhsim.lab import carry, metatables
from bhsim.lab.contest import Contest, keys_for
from bhsim.lab.entrants import FOUND, NAMED, Asked, Entrant, entrants
from bhsim.lab.executors import Executor
from bhsim.lab.grow import Growth, Oracle, Step, checked, write_steps
from bhsim.lab.ledger import Ledger
from bhsim.lab.manifest import manifest_of
from bhsim.lab.memory import Kept
from bhsim.lab.metagame import Metagame, measure
from bhsim.lab.pool import contests_of, pool_of
from bhsim.lab.store import Folder, write_bytes

FEWEST_KEYS = 10  # of a match-up: the errors come from how keys differ
CREWS = "crews"


@dataclass(frozen=True)
class Plan:
    """What is played. space: of sampled and grown crews, None if there are none. contests: of the field at the start."""

    game: Game
    bundle: Any
    crews: tuple[Entrant, ...]
    keys: int
    seed: int
    freedom: Freedom | None
    space: Space | None
    growth: Growth | None
    contests: tuple[Contest, ...] = field(repr=False)

    def manifest(self, command: str) -> dict[str, Any]:
        """The manifest of the run that is about to begin."""
        spec: dict[str, Any] = {"games": self.contests[0].games, "seed": self.seed}
        spec["crews"] = [{"label": crew.label, "origin": crew.origin} for crew in self.crews]
        spec["freedom"] = self.freedom.record() if self.space and self.freedom else None
        spec["start"] = self.space.key(self.space.start) if self.space else None
        spec["grow"] = asdict(self.growth) if self.growth else None
        name = f"metagame of {len(self.crews)} crews{', grown' if self.growth else ''}"
        return manifest_of(name, "meta", self.contests, self.seed, spec, command)


@dataclass(frozen=True)
class Outcome:
    """What a run says. steps: of growing, none without."""

    metagame: Metagame
    steps: tuple[Step, ...]


def planned(
    game: Game, bundle: Any, asked: Asked, everybody: Sequence[str], games: int, seed: int, start: str | None, freedom: Freedom | None,
    growth: Growth | None,
) -> Plan:  # fmt: skip
    """What is to be played. everybody: names of all crews. start: crew that drawn and grown ones begin from. freedom: what may change.

    BadInput for everything that cannot be: see ``entrants``, the game's ``space``, ``grow.checked``.
    """
    if game.usual or 2 not in game.sizes:
        raise BadInput(Fault("its sides have no crews of their own", field="game", value=game.name, allowed="a game of two crews"))
    keys = keys_for(games, game.seatings(2))
    if keys < FEWEST_KEYS:
        least = FEWEST_KEYS * game.seatings(2)
        raise BadInput(Fault("too few to tell how keys differ", field="games", value=games, allowed=f"{least} or more"))
    if asked.sample < 0:
        raise BadInput(Fault("out of range", field="sample", value=asked.sample, allowed="0 or more"))
    space = None
    if asked.sample or growth:
        assert freedom is not None and start is not None
        space = game.builds.space(bundle, game.side(bundle, SideNames(start, asked.deck, asked.bot), 0), freedom)
    crews = tuple(entrants(game, bundle, asked, everybody, space, seed))
    if growth:
        growth = checked(growth, len(crews), game.seatings(2))
    contests = tuple(contests_of(game, bundle, crews, keys))
    return Plan(game, bundle, crews, keys, seed, freedom, space, growth, contests)


def carried_out(plan: Plan, folder: Folder, executor: Executor, block: int | None = None, stage: carry.Stage = carry.silent) -> Outcome:
    """Plays a run and closes its folder; then what it says, stored there too unless the run is in memory.

    stage: told what is done. Stopped and started again, it goes on where it was.
    """
    stored = not isinstance(folder, Kept)
    ledger = Ledger(folder.path if stored else None) if plan.growth else None
    steps: list[Step] = []
    answers: list[Entrant] = []

    with carry.opened(folder, plan.seed, block=block, executor=executor) as play:

        def played(text: str) -> None:
            with stage(text, folder.games_left()) as advance:
                play(advance)

        played(f"{len(plan.contests):,} match-ups of {len(plan.crews)} crews")
        if plan.growth:
            assert plan.space is not None and plan.freedom is not None and ledger is not None
            oracle = Oracle(folder, pool_of(folder), plan.space, plan.freedom, plan.growth, executor, ledger, block, played, stage)
            while not oracle.ended:
                oracle.step()
                if stored:
                    write_steps(folder.path, oracle.steps)
            steps, answers = oracle.steps, oracle.answers
    found = measure(pool_of(folder), plan.seed)
    if stored:
        metatables.write(folder.path, found)
        _write_crews(plan, folder, answers)
    return Outcome(found, tuple(steps))


def _write_crews(plan: Plan, folder: Folder, answers: Sequence[Entrant]) -> None:
    """Files of all crews that came from the space, ready to play with."""
    made = [crew for crew in (*plan.crews, *answers) if crew.origin not in (NAMED, FOUND)]
    if not made:
        return
    assert plan.space is not None
    place = Path(folder.path / CREWS)
    place.mkdir(exist_ok=True)
    manifest = folder.manifest
    house = "; house values" if manifest["house_values"] else ""
    source = f"engine {manifest['engine']}, data {manifest['data_digest']}, seed {plan.seed}{house}\n{manifest['command']}"
    for crew in made:
        for name, text in plan.space.files(crew.side, f"{crew.label} of a metagame: {source}").items():
            write_bytes(place / name, text.encode())
