"""All match-ups of a field of crews as contests of a run, and what they came to.

Each unordered pair is one contest, the crew that came first on the first side; a crew against itself is one half and not played. Pairs are
ordered by their second crew, so that a further crew's contests follow on, and a run that was stopped holds a smaller field that is whole.
All contests meet the same keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side
from bhsim.lab.contest import Contest
from bhsim.lab.entrants import Entrant
from bhsim.lab.manifest import MANIFEST
from bhsim.lab.results import evaluate
from bhsim.lab.runs import Counts, units_of
from bhsim.lab.store import Folder
from bhsim.stats.equilibria import equilibrium
from bhsim.stats.intervals import ScoreInterval
from bhsim.stats.payoffs import advantage

MATRIX = "matrix"  # what a contest is played for; others belong to ``grow``
CREW, OPPONENT, FOR = "crew", "opponent", "for"


@dataclass(frozen=True)
class Cell:
    """A match-up. score: of the crew that came first; first: of the first player; scores: mean score of each key, shape (keys,).

    undecided: games drawn or cut off.
    """

    contest: int
    games: int
    score: ScoreInterval
    first: ScoreInterval
    undecided: int
    scores: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Pool:
    """Crews and all their match-ups, by the places (i, j) of both crews, i before j."""

    game: Game
    bundle: Any
    crews: tuple[Entrant, ...]
    cells: dict[tuple[int, int], Cell]

    def __len__(self) -> int:
        return len(self.crews)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What the crews play with."""
        return tuple(crew.side for crew in self.crews)

    @property
    def labels(self) -> list[str]:
        """What the crews are called."""
        return [crew.label for crew in self.crews]

    @property
    def games(self) -> int:
        """Games of each match-up."""
        return self.cells[0, 1].games

    @cached_property
    def rates(self) -> np.ndarray:
        """Row's rate against column, shape (K, K)."""
        return self._square(lambda cell: cell.score.mean)

    @cached_property
    def effective(self) -> np.ndarray:
        """Effective games of each match-up, shape (K, K); infinite on the diagonal."""
        found = np.full((len(self), len(self)), np.inf)
        for (i, j), cell in self.cells.items():
            found[i, j] = found[j, i] = cell.score.n_eff
        return found

    @cached_property
    def scores(self) -> np.ndarray:
        """Row's mean score against column in each key, shape (K, K, keys); all of them met the same keys."""
        found = np.full((len(self), len(self), self.cells[0, 1].scores.size), 0.5)
        for (i, j), cell in self.cells.items():
            found[i, j], found[j, i] = cell.scores, 1 - cell.scores
        return found

    def score(self, i: int, j: int) -> ScoreInterval:
        """The score of i against j, whichever came first."""
        if i < j:
            return self.cells[i, j].score
        other = self.cells[j, i].score
        return replace(other, mean=1 - other.mean, low=1 - other.high, high=1 - other.low)

    def _square(self, value: Any) -> np.ndarray:
        found = np.full((len(self), len(self)), 0.5)
        for (i, j), cell in self.cells.items():
            found[i, j], found[j, i] = value(cell), 1 - value(cell)
        return found


def pairs(crews: int, first: int = 1) -> list[tuple[int, int]]:
    """The pairs of a field in order, those alone whose second crew is ``first`` or later."""
    return [(i, j) for j in range(first, crews) for i in range(j)]


def contests_of(game: Game, bundle: Any, crews: Sequence[Entrant], keys: int, first: int = 1, number: int = 0) -> list[Contest]:
    """The contests of ``pairs``, numbered from ``number``."""
    return [
        contest_between(game, bundle, crews[i], crews[j], keys, number + n, MATRIX) for n, (i, j) in enumerate(pairs(len(crews), first))
    ]


def contest_between(game: Game, bundle: Any, crew: Entrant, other: Entrant, keys: int, number: int, purpose: str) -> Contest:
    """One contest, with a setting that says whose it is and what it is played for."""
    setting = {CREW: crew.label, OPPONENT: other.label, FOR: purpose}
    return Contest(number, game, bundle, (crew.side, other.side), keys, setting)


def pool_of(folder: Folder) -> Pool:
    """The field of a run, as far as its match-ups are played: the longest row of crews that have all met.

    BadInput if fewer than three have, or for a run of another kind.
    """
    if folder.manifest["kind"] != "meta":
        raise BadInput(Fault("is no run of a metagame", file=str(folder.path / MANIFEST), value=folder.manifest["kind"], allowed="meta"))
    finished = {c.number for c in folder.finished()}
    matrix = [c for c in folder.contests if c.setting[FOR] == MATRIX]
    places = pairs(_crews_in(len(matrix)))
    if [_labels(c) for c in matrix] != [_labels_at(matrix, i, j) for i, j in places]:
        raise BadInput(Fault("the manifest is damaged: contests: are not those of every pair of crews", file=str(folder.path / MANIFEST)))
    open_crews = [j for (_, j), c in zip(places, matrix, strict=True) if c.number not in finished]
    whole = min(open_crews, default=_crews_in(len(matrix)))
    if whole < 3:
        raise BadInput(Fault("too few match-ups are played yet for a metagame; --resume goes on with the run", file=str(folder.path)))
    origins = {crew["label"]: crew["origin"] for crew in folder.manifest["spec"]["crews"]}
    crews = [_entrant_at(matrix, place, origins) for place in range(whole)]
    cells = {place: _cell(folder, c) for place, c in zip(places, matrix, strict=True) if place[1] < whole}
    return Pool(folder.game, matrix[0].bundle, tuple(crews), cells)


def field_of(folder: Folder) -> tuple[list[Side], list[float]]:
    """The crews of the equilibrium mixture of a run, and their shares, which add up to 1."""
    pool = pool_of(folder)
    mixture = equilibrium(advantage(pool.rates)).mixture
    held = np.flatnonzero(mixture)
    return [pool.sides[i] for i in held], [float(mixture[i]) for i in held]


def _crews_in(contests: int) -> int:
    """Crews that have so many pairs, or the most that have fewer."""
    crews = 1
    while (crews + 1) * crews // 2 <= contests:
        crews += 1
    return crews


def _entrant_at(matrix: Sequence[Contest], place: int, origins: dict[str, str]) -> Entrant:
    contest = matrix[place * (place - 1) // 2] if place else matrix[0]
    side, label = (contest.sides[1], contest.setting[OPPONENT]) if place else (contest.sides[0], contest.setting[CREW])
    return Entrant(side, label, origins.get(label, "grown"))


def _labels(contest: Contest) -> tuple[str, str]:
    return contest.setting[CREW], contest.setting[OPPONENT]


def _labels_at(matrix: Sequence[Contest], i: int, j: int) -> tuple[str, str]:
    names = [_labels(matrix[place * (place - 1) // 2])[1] if place else _labels(matrix[0])[0] for place in (i, j)]
    return names[0], names[1]


def _cell(folder: Folder, contest: Contest) -> Cell:
    """Everything of a contest, its units read once."""
    counts, scores = Counts.empty(contest), []
    for unit in units_of([contest]):
        tally, outcomes = folder.read_unit(unit)
        counts.add(tally, outcomes)
        scores.append(contest.key_scores(outcomes))
    result = evaluate(counts)
    undecided = result.facts.draws + result.facts.round_limit
    return Cell(contest.number, contest.games, result.sides[0].score, result.first, undecided, np.concatenate(scores))


def joined(pool: Pool, crew: Entrant, folder: Folder, contests: Sequence[Contest]) -> Pool:
    """The field with a further crew. contests: its finished ones, in the order of the crews that were there before."""
    more = {(i, len(pool)): _cell(folder, contest) for i, contest in enumerate(contests)}
    return Pool(pool.game, pool.bundle, (*pool.crews, crew), pool.cells | more)
