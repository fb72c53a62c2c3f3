"""All match-ups of a field of crews as contests of a run, and what they came to.

Each unordered pair is one contest, the crew that came first on the first side; a crew against itself is one half and not played. Pairs are
ordered by their second crew, so that a further crew's contests follow on, and a run that was stopped holds a smaller field that is whole.
All contests meet the same keys. An answer of ``grow`` that joins has met crews of the field before, in more games: these contests stand
for the pairs, and the manifest says which answers joined.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Side
from bhsim.lab.contest import Contest
from bhsim.lab.entrants import GROWN, Entrant
from bhsim.lab.manifest import MANIFEST
from bhsim.lab.results import evaluate
from bhsim.lab.runs import Counts, units_of
from bhsim.lab.store import Folder
from bhsim.stats.equilibria import equilibrium
from bhsim.stats.intervals import ScoreInterval
from bhsim.stats.payoffs import advantage, key_draws

MATRIX = "matrix"  # what a contest is played for; others belong to ``grow``
CREW, OPPONENT, FOR = "crew", "opponent", "for"
JOINED = "joined"  # field of the manifest: labels of the answers that are in the field, in order


@dataclass(frozen=True)
class Cell:
    """A match-up. score: of the crew that came first; first: of the first player; scores: mean score of each key, shape (its keys,).

    undecided: games drawn or cut off. Key k is the same luck in all match-ups, but some have met more keys than others.
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
        """Games of each match-up, at least."""
        return min(cell.games for cell in self.cells.values())

    @property
    def keys(self) -> int:
        """Keys that all match-ups met."""
        return min(cell.scores.size for cell in self.cells.values())

    @property
    def longer(self) -> list[Cell]:
        """Match-ups that met more."""
        return [cell for cell in self.cells.values() if cell.scores.size > self.keys]

    @cached_property
    def rates(self) -> np.ndarray:
        """Row's rate against column, shape (K, K)."""
        found = np.full((len(self), len(self)), 0.5)
        for (i, j), cell in self.cells.items():
            found[i, j], found[j, i] = cell.score.mean, 1 - cell.score.mean
        return found

    @cached_property
    def effective(self) -> np.ndarray:
        """Effective games of each match-up, shape (K, K); infinite on the diagonal."""
        found = np.full((len(self), len(self)), np.inf)
        for (i, j), cell in self.cells.items():
            found[i, j] = found[j, i] = cell.score.n_eff
        return found

    @cached_property
    def scores(self) -> np.ndarray:
        """Row's mean score against column in each of the ``keys`` that all of them met, shape (K, K, keys)."""
        found = np.full((len(self), len(self), self.keys), 0.5)
        for (i, j), cell in self.cells.items():
            found[i, j], found[j, i] = cell.scores[: self.keys], 1 - cell.scores[: self.keys]
        return found

    def scores_of(self, i: int, j: int) -> np.ndarray:
        """Mean score of i against j in every key that they met, shape (their keys,)."""
        if i == j:
            return np.full(self.keys, 0.5)
        return self.cells[i, j].scores if i < j else 1 - self.cells[j, i].scores

    def draws(self, count: int, seed: int) -> np.ndarray:
        """What the rates may be, by draws of whole keys, shape (count, K, K): ``payoffs.key_draws``."""
        further = {place: cell.scores[self.keys :] for place, cell in self.cells.items() if cell.scores.size > self.keys}
        return key_draws(self.scores, count, seed, further)

    def score(self, i: int, j: int) -> ScoreInterval:
        """The score of i against j, whichever came first."""
        return self.cells[i, j].score if i < j else _turned(self.cells[j, i].score)


def pairs(crews: int, first: int = 1) -> list[tuple[int, int]]:
    """The pairs of a field in order, those alone whose second crew is ``first`` or later."""
    return [(i, j) for j in range(first, crews) for i in range(j)]


def contests_of(
    game: Game, bundle: Any, crews: Sequence[Entrant], keys: int, first: int = 1, number: int = 0, played: Collection[int] = ()
) -> list[Contest]:
    """The contests of ``pairs``, numbered from ``number``, but for those against the crews at the places ``played``."""
    wanted = [(i, j) for i, j in pairs(len(crews), first) if i not in played]
    return [contest_between(game, bundle, crews[i], crews[j], keys, number + n, MATRIX) for n, (i, j) in enumerate(wanted)]


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
    labels, contests = _field_in(folder)
    finished = {c.number for c in folder.finished()}
    whole = min((j for (_, j), c in contests.items() if c.number not in finished), default=len(labels))
    if whole < 3:
        raise BadInput(Fault("too few match-ups are played yet for a metagame; --resume goes on with the run", file=str(folder.path)))
    origins = {crew["label"]: crew["origin"] for crew in folder.manifest["spec"]["crews"]}
    return assembled(folder, labels[:whole], {place: c for place, c in contests.items() if place[1] < whole}, origins)


def assembled(folder: Folder, labels: Sequence[str], contests: Mapping[tuple[int, int], Contest], origins: Mapping[str, str]) -> Pool:
    """The field of the crews of these labels. contests: finished, of every pair, whichever of both is their first side."""
    sides = {c.setting[name]: side for c in contests.values() for name, side in zip((CREW, OPPONENT), c.sides, strict=True)}
    crews = [Entrant(sides[label], label, origins.get(label, GROWN)) for label in labels]
    cells = {place: _cell(folder, c, labels[place[0]]) for place, c in contests.items()}
    return Pool(folder.game, contests[0, 1].bundle, tuple(crews), cells)


def field_of(folder: Folder) -> tuple[list[Side], list[float]]:
    """The crews of the equilibrium mixture of a run, and their shares, which add up to 1."""
    pool = pool_of(folder)
    mixture = equilibrium(advantage(pool.rates)).mixture
    held = np.flatnonzero(mixture)
    return [pool.sides[i] for i in held], [float(mixture[i]) for i in held]


def _field_in(folder: Folder) -> tuple[list[str], dict[tuple[int, int], Contest]]:
    """The crews of a run, and for each pair of them in order the contest of most keys. BadInput if some pair has none."""
    labels = [crew["label"] for crew in folder.manifest["spec"]["crews"]] + list(folder.manifest.get(JOINED, ()))
    place_of = {label: place for place, label in enumerate(labels)}
    most: dict[tuple[int, int], Contest] = {}
    for contest in folder.contests:
        places = sorted(place_of.get(contest.setting[name], -1) for name in (CREW, OPPONENT))
        place = (places[0], places[1])
        if places[0] >= 0 and (place not in most or contest.keys > most[place].keys):
            most[place] = contest
    wanted = pairs(len(labels))
    if set(most) != set(wanted):
        raise BadInput(Fault("the manifest is damaged: contests: are not those of every pair of crews", file=str(folder.path / MANIFEST)))
    return labels, {place: most[place] for place in wanted}


def _turned(score: ScoreInterval) -> ScoreInterval:
    """The opponent's."""
    return replace(score, mean=1 - score.mean, low=1 - score.high, high=1 - score.low)


def _cell(folder: Folder, contest: Contest, crew: str) -> Cell:
    """Everything of a contest as its crew of that label sees it, whichever side that is; its units are read once."""
    counts, parts = Counts.empty(contest), []
    for unit in units_of([contest]):
        tally, outcomes = folder.read_unit(unit)
        counts.add(tally, outcomes)
        parts.append(contest.key_scores(outcomes))
    result, scores = evaluate(counts), np.concatenate(parts)
    score, undecided = result.sides[0].score, result.facts.draws + result.facts.round_limit
    if contest.setting[CREW] != crew:
        score, scores = _turned(score), 1 - scores
    return Cell(contest.number, contest.games, score, result.first, undecided, scores)


def joined(pool: Pool, crew: Entrant, folder: Folder, contests: Mapping[int, Contest]) -> Pool:
    """The field with a further crew. contests: its finished ones, by the place of each crew that was there before."""
    more = {(i, len(pool)): _cell(folder, contests[i], pool.crews[i].label) for i in range(len(pool))}
    return Pool(pool.game, pool.bundle, (*pool.crews, crew), pool.cells | more)
