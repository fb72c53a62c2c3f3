"""Growing a field until nothing new beats it: the double oracle.

Each step takes the equilibrium mixture of the field, has the best answer to it searched, and plays that answer on fresh keys against the
crews of the mixture. One that gains joins the field, with these games for its match-ups: fewer could deny by chance what they have shown.
The gain is measured against the mixture as it is; the best of all answers gains at least as much. Source: McMahan, Gordon and Blum (2003).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side
from bhsim.games.spaces import Freedom, Space
from bhsim.inputs.document import unreadable
from bhsim.lab.arena import Arena, search_root
from bhsim.lab.carry import Stage
from bhsim.lab.contest import Contest, keys_for
from bhsim.lab.entrants import GROWN, MOST, Entrant, identity
from bhsim.lab.executors import Executor
from bhsim.lab.findings import key_scores
from bhsim.lab.ledger import Ledger
from bhsim.lab.metagame import against_mixture
from bhsim.lab.pool import JOINED, Pool, contest_between, contests_of, joined
from bhsim.lab.search import Found, Goal, least_games, search
from bhsim.lab.store import Folder, parquet_bytes, write_bytes
from bhsim.stats.equilibria import equilibrium
from bhsim.stats.payoffs import advantage

TABLE = "grow.parquet"
MODELS = {"crew": "crew_model", "deck": "deck_model", "bot": "bot_model"}  # of a side, by the part that it is of
ROOM = 20  # crews that may join a field
FEWEST_CONFIRMED = 20
SPARE = 3  # builds that a search returns beyond as many as the mixture holds, which it may find again
CLOSED, FULL, UNDECIDED, NOTHING = "closed", "full", "undecided", "nothing new"  # why growing ended


@dataclass(frozen=True)
class Growth:
    """How far to grow. margin: gain, in percent points, that is as good as none. games: of a search, at least.

    confirm: games of an answer against each crew of the mixture. most: crews of the field, None for ``ROOM`` more than at the start.
    """

    margin: float
    games: int
    confirm: int
    most: int | None


@dataclass(frozen=True)
class Step:
    """One answer. crews: of the field at the time. support, mixture: how many of them the mixture held, and which, as text; outside: how
    many of those are no build of the space.

    searched: the search's own estimate of the gain. games: of the search, arms: builds it looked at. gain, low, high, se: on ``keys`` fresh
    keys against each crew of the mixture, in ``confirmed`` games. answer and its figures are empty or 0 where the search found nothing
    new. end: why growing ended with this step, or empty.
    """

    step: int
    crews: int
    support: int
    mixture: str
    outside: int
    answer: str
    build: str
    searched: float
    games: int
    arms: int
    exhaustive: bool
    gain: float
    low: float
    high: float
    se: float
    keys: int
    confirmed: int
    added: bool
    end: str


def checked(growth: Growth, crews: int, seatings: int) -> Growth:
    """The same with every number; BadInput for those that cannot be, given so many crews at the start. seatings: games of a key."""
    most = min(MOST, crews + ROOM) if growth.most is None else growth.most
    faults = []
    if not 0 < growth.margin <= 50:
        faults.append(Fault("out of range", field="margin", value=growth.margin, allowed="above 0, at most 50 (percent points)"))
    if growth.games < (least := least_games(1, seatings, 1 + SPARE)):
        faults.append(Fault("too few for a search", field="grow-games", value=growth.games, allowed=f"{least} or more"))
    if growth.confirm < FEWEST_CONFIRMED:
        allowed = f"{FEWEST_CONFIRMED} or more"
        faults.append(Fault("too few to tell a gain", field="confirm-games", value=growth.confirm, allowed=allowed))
    if not crews <= most <= MOST:
        faults.append(Fault("out of range", field="max-crews", value=most, allowed=f"{crews} to {MOST}"))
    if faults:
        raise BadInput(*faults)
    return replace(growth, most=most)


class Oracle:
    """Answers one after the other, each a step. play: plays what the folder lacks; stage: see ``carry.Stage``; ledger: of the searches."""

    def __init__(
        self, folder: Folder, pool: Pool, space: Space, freedom: Freedom, growth: Growth, executor: Executor, ledger: Ledger,
        block: int | None, play: Callable[[str], None], stage: Stage,
    ) -> None:  # fmt: skip
        self.folder, self.pool, self.space, self.freedom, self.growth = folder, pool, space, freedom, growth
        self.executor, self.ledger, self.block, self.play, self.stage = executor, ledger, block, play, stage
        self.seed = folder.manifest["seed"]
        self.steps: list[Step] = []
        self.answers: list[Entrant] = []

    @property
    def ended(self) -> bool:
        """Whether the last step was the last of all."""
        return bool(self.steps) and bool(self.steps[-1].end)

    def step(self) -> None:
        """Searches an answer, confirms it, and takes it into the field if it gains."""
        mixture = equilibrium(advantage(self.pool.rates)).mixture
        held = [int(i) for i in np.flatnonzero(mixture)]
        found = self._searched(held, mixture)
        number = len(self.steps) + 1
        shares = "; ".join(f"{self.pool.crews[i].label} {100 * mixture[i]:.1f} %" for i in held)
        head = {"step": number, "crews": len(self.pool), "support": len(held), "mixture": shares}
        head["outside"] = sum(not self._inside(self.pool.sides[i]) for i in held)
        head |= {"games": found.games, "arms": found.arms, "exhaustive": found.exhaustive}
        known = {identity(self.pool.game, self.pool.bundle, side) for side in self.pool.sides}
        new = [r for r in found.ranked if identity(self.pool.game, self.pool.bundle, r.side) not in known]
        if not new:
            nothing = {"answer": "", "build": "", "searched": 0.0, "gain": 0.0, "low": 0.0, "high": 0.0, "se": 0.0, "keys": 0}
            self.steps.append(Step(**head, **nothing, confirmed=0, added=False, end=NOTHING))
            return
        answer = self._named(new[0].side, number)
        contests = self._confirmed(answer, held)
        gain = against_mixture([key_scores(self.folder, contest) for contest in contests.values()], mixture[held])
        end = self._end(gain.mean, gain.low, gain.high)
        confirmed = sum(contest.games for contest in contests.values())
        figures = {"gain": gain.mean, "low": gain.low, "high": gain.high, "se": gain.se, "keys": gain.keys, "confirmed": confirmed}
        what = {"answer": answer.label, "build": self.space.key(answer.side), "searched": new[0].value - 0.5}
        if not end:
            self._join(answer, contests)
        self.answers.append(answer)
        self.steps.append(Step(**head, **what, **figures, added=not end, end=end))

    def _searched(self, held: Sequence[int], mixture: np.ndarray) -> Found:
        pool, root = self.pool, search_root(self.seed, f"grow {len(self.steps) + 1}")
        keep = len(held) + SPARE
        games = max(self.growth.games, least_games(len(held), pool.game.seatings(2), keep))
        with self.stage(f"searching an answer to the mixture of {len(held)} of {len(pool)} crews", games) as advance:
            arena = Arena(pool.game, root, self.executor, self.ledger, self.block, advance)
            goal = Goal("mixture", tuple(float(mixture[i]) for i in held))
            space = self._space_around(pool.sides[int(mixture.argmax())])
            return search(arena, pool.bundle, space, [pool.sides[i] for i in held], goal, games, root, keep)

    def _space_around(self, leader: Side) -> Space:
        """The space with the mixture's first crew for its start: a search that begins there is harder to satisfy.

        The same builds, so only if that crew has what may not change.
        """
        if not self._keeps(leader):
            return self.space
        return self.pool.game.builds.space(self.pool.bundle, leader, self.freedom)

    def _keeps(self, side: Side) -> bool:
        """Whether a side has all that may not change."""
        kept = [name for part, name in MODELS.items() if part not in self.freedom.parts]
        return all(getattr(side, name) == getattr(self.space.start, name) for name in kept)

    def _inside(self, side: Side) -> bool:
        """Whether a side is a build of the space."""
        return self._keeps(side) and self.space.repair(side, np.random.default_rng(0)) is side

    def _named(self, side: Side, number: int) -> Entrant:
        label = f"{GROWN} {number}"
        while label in self.pool.labels:
            label += "'"
        return Entrant(self.space.named(side, label), label, GROWN)

    def _confirmed(self, answer: Entrant, held: Sequence[int]) -> dict[int, Contest]:
        """Contests of the answer against the crews of the mixture on the run's own keys, played, by the place of the crew."""
        pool, first = self.pool, len(self.folder.contests)
        keys = keys_for(self.growth.confirm, pool.game.seatings(2))
        purpose = f"answer {len(self.steps) + 1}"
        contests = {i: contest_between(pool.game, pool.bundle, answer, pool.crews[i], keys, first + n, purpose) for n, i in enumerate(held)}
        self.folder.extend(list(contests.values()))
        self.play(f"confirming {answer.label} on fresh keys")
        return contests

    def _end(self, gain: float, low: float, high: float) -> str:
        """Why to end, or nothing: the answer gains."""
        margin = self.growth.margin / 100
        if high <= margin:
            return CLOSED
        if low <= 0 and gain <= margin:
            return UNDECIDED
        return FULL if len(self.pool) == self.growth.most else ""

    def _join(self, answer: Entrant, confirmed: Mapping[int, Contest]) -> None:
        pool, crews = self.pool, (*self.pool.crews, answer)
        kept = {i: contest for i, contest in confirmed.items() if contest.keys >= pool.keys}
        contests = contests_of(pool.game, pool.bundle, crews, pool.keys, len(pool), len(self.folder.contests), kept)
        self.folder.manifest[JOINED] = [*self.folder.manifest.get(JOINED, ()), answer.label]
        self.folder.extend(contests)
        if contests:
            self.play(f"{answer.label} meets all others")
        others = (i for i in range(len(pool)) if i not in kept)
        self.pool = joined(pool, answer, self.folder, kept | dict(zip(others, contests, strict=True)))


def write_steps(folder: Path, steps: Sequence[Step]) -> None:
    """Stores grow.parquet."""
    import polars as pl

    write_bytes(folder / TABLE, parquet_bytes(pl.DataFrame([asdict(step) for step in steps])))


def read_steps(folder: Path) -> list[Step]:
    """The steps of a stored run, none if it took none. BadInput for a file that cannot be used."""
    import polars as pl

    file = folder / TABLE
    if not file.exists():
        return []
    why = unreadable(file)
    try:
        rows = [] if why else pl.read_parquet(file).to_dicts()
        kinds = {field.name: {"int": int, "float": float, "str": str, "bool": bool}[str(field.type)] for field in fields(Step)}
        if not why and any(set(row) != set(kinds) or any(type(row[n]) is not kind for n, kind in kinds.items()) for row in rows):
            why = "holds something else"
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        why = f"cannot be read ({str(error).splitlines()[0]})"
    if why:
        raise BadInput(Fault(f"the steps of the run: the file {why}; --resume makes it anew", file=str(file)))
    return [Step(**row) for row in rows]
