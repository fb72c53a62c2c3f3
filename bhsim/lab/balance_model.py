"""What changes do to rates, as far as games so far tell: a straight sum of single effects in log-odds, and what does not fit it.

The log-odds of a meeting are those of the unchanged set, plus, for each change, what it does to the strength of the first side, less what
it does to the second's. A change's effect on a crew grows with every step, by about the same; a normal prior holds both the steps and what
a meeting, or changes together, add of their own. So a change that was hardly played borrows from its neighbours, a combination that
nobody played from its parts, and a meeting from the others of the same crew; and what was played much speaks for itself.
Bayesian linear regression: Gelman et al., Bayesian Data Analysis, chapter 14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bhsim.lab.balance_problem import Combination, Problem

LEVEL = 2.0  # standard deviations of the prior, in log-odds: of a meeting's level
SLOPE = 0.2  # of one step of a number, on a crew's strength
WALK = 0.1  # of what each step may differ from the straight line by; grows with the root of its width
WORD = 0.5  # of a word
OWN = 0.08  # of what a change does in one meeting beyond the strengths; grows with the root of the number of changes
DIGITS = 9  # rounded to, so that the last bits of a machine's linear algebra decide nothing

Cell = tuple[int, Combination]  # a meeting, and the changes among those made that its games depend on


@dataclass(frozen=True)
class Seen:
    """What was played in a cell. rate: estimate. variance: of it. keys: played."""

    rate: float
    variance: float
    keys: int


class Basis:
    """Columns of the regression, in units of the prior's standard deviations: a level for each meeting, then a block for each path.

    parts: of each option, the columns of its path and its rows there, shape (C, columns). touch: shape (O, C), whether a meeting's games
    depend on an option. size: columns in all.
    """

    def __init__(self, problem: Problem) -> None:
        meetings, crews = problem.meetings, max(max(m.crews) for m in problem.meetings) + 1
        paths: dict[str, list[int]] = {}
        for number, option in enumerate(problem.options):
            paths.setdefault(option.path, []).append(number)
        found: dict[int, tuple[slice, np.ndarray]] = {}
        self.size = len(meetings)
        for numbers in paths.values():
            touched = set(problem.options[numbers[0]].touches)
            users = [a for a in range(crews) if all(n in touched for n, m in enumerate(meetings) if a in m.crews)]
            signs = np.array([[(m.crews[0] == a) - (m.crews[1] == a) for a in users] for m in meetings], float).reshape(len(meetings), -1)
            signs[[n for n in range(len(meetings)) if n not in touched]] = 0
            steps = _steps([(problem.options[n].present, problem.options[n].value) for n in numbers])
            columns = slice(self.size, self.size + steps.shape[1] * len(users))
            found |= {n: (columns, np.kron(signs, row)) for n, row in zip(numbers, steps, strict=True)}
            self.size = columns.stop
        self.parts = [found[n] for n in range(len(problem.options))]
        self.touch = np.array([[n in option.touches for n in range(len(meetings))] for option in problem.options])

    def row(self, cell: Cell) -> np.ndarray:
        """The columns of a cell, shape (P,)."""
        meeting, changes = cell
        found = np.zeros(self.size)
        found[meeting] = LEVEL
        for number in changes:
            columns, rows = self.parts[number]
            found[columns] += rows[meeting]
        return found


def _steps(changes: Sequence[tuple[object, object]]) -> np.ndarray:
    """Rows of a path's options, shape (options, columns): the straight line, then a column for each step on the way to an option."""
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for pair in changes for x in pair)
    if not numbers:
        return WORD * np.eye(len(changes))
    moves = np.array([float(value) - float(present) for present, value in changes])
    rows = np.zeros((len(moves), 1 + len(moves)))
    rows[:, 0] = SLOPE * moves
    for place, move in enumerate(moves):
        before = [abs(m) for m in moves if m * move > 0 and abs(m) < abs(move)]
        width = abs(move) - max(before, default=0.0)
        on_the_way = (moves * move > 0) & (np.abs(moves) >= abs(move))
        rows[on_the_way, 1 + place] = WALK * np.sign(move) * np.sqrt(width)
    return rows


class Model:
    """What rates may be, given what was seen."""

    def __init__(self, problem: Problem, basis: Basis, seen: Mapping[Cell, Seen]) -> None:
        self.problem, self.basis = problem, basis
        self.cells = list(seen)
        self._place = {cell: place for place, cell in enumerate(self.cells)}
        rows = np.array([basis.row(cell) for cell in self.cells])
        rates = np.array([seen[cell].rate for cell in self.cells])
        errors = np.array([seen[cell].variance for cell in self.cells]) / (rates * (1 - rates)) ** 2
        self._own = OWN**2 * np.array([len(changes) for _, changes in self.cells])
        self._noise = errors
        self._values = np.log(rates / (1 - rates))
        weight = 1 / (errors + self._own)
        inside = rows.T @ (rows * weight[:, None]) + np.eye(rows.shape[1])
        root = np.linalg.cholesky(inside)
        self._mean = np.linalg.solve(inside, rows.T @ (weight * self._values))
        self._spread = np.linalg.inv(root)  # rows of normal numbers times it have the covariance of the weights
        self._rows = rows

    def rates(self, combinations: Sequence[Combination], rng: np.random.Generator, draws: int) -> np.ndarray:
        """Draws of the meetings' rates under each combination, shape (draws, combinations, C); draw 0 is the most likely one."""
        meetings = len(self.problem.meetings)
        weights = np.vstack([self._mean, self._mean + rng.standard_normal((draws - 1, len(self._mean))) @ self._spread])
        single = np.stack([weights[:, columns] @ rows.T for columns, rows in self.basis.parts], axis=1)
        member = np.zeros((len(combinations), len(self.problem.options)))
        places = np.full((len(combinations), meetings), -1)
        for row, combination in enumerate(combinations):
            member[row, list(combination)] = 1
            for meeting in range(meetings):
                places[row, meeting] = self._place.get((meeting, self.problem.touching(combination, meeting)), -1)
        own = self._own_draws(weights, rng)
        fresh = OWN * np.sqrt(member @ self.basis.touch) * rng.standard_normal((draws, len(combinations), meetings))
        fresh[0] = 0
        rest = np.where(places >= 0, own[:, places], fresh)
        odds = LEVEL * weights[:, None, :meetings] + np.einsum("mo,doc->dmc", member, single, optimize=True) + rest
        return (1 / (1 + np.exp(-odds))).round(DIGITS)

    def _own_draws(self, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """What each cell that was played adds of its own, shape (draws, cells)."""
        left = self._values - weights @ self._rows.T
        vouched = self._own / (self._own + self._noise)
        chance = rng.standard_normal(left.shape)
        chance[0] = 0
        return vouched * left + np.sqrt(vouched * self._noise) * chance
