"""The best, the worst and the median game of a contest by the margin of its first side: games worth a replay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LOWEST, MARGINS = -128, 256  # margins are int8


@dataclass(frozen=True)
class Notable:
    """Indices of games, as replay takes them; the lowest index where several games have that margin. margins: of these three games."""

    best: int
    worst: int
    median: int
    margins: tuple[int, int, int]

    @property
    def games(self) -> dict[str, int]:
        """Index by name."""
        return {"best": self.best, "worst": self.worst, "median": self.median}


class Margins:
    """Counts games by margin and keeps the first of each; outcomes come in key order."""

    def __init__(self) -> None:
        self.counts = np.zeros(MARGINS, np.int64)
        self.first = np.full(MARGINS, -1, np.int64)
        self.games = 0

    def add(self, outcomes: np.ndarray) -> None:
        """The next outcomes of the contest: uint8, shape (games, 2), margin as int8 in the second column."""
        places = outcomes[:, 1].view(np.int8).astype(np.int64) - LOWEST
        self.counts += np.bincount(places, minlength=MARGINS)
        seen, at = np.unique(places, return_index=True)
        new = self.first[seen] < 0
        self.first[seen[new]] = self.games + at[new]
        self.games += len(outcomes)

    def notable(self) -> Notable:
        """The three games; with an even number of games the median is the lower of the two in the middle. ValueError without games."""
        if not self.games:
            raise ValueError("no games to choose from")
        used = np.flatnonzero(self.counts)
        middle = int(np.searchsorted(np.cumsum(self.counts), (self.games + 1) // 2))
        chosen = (int(used[-1]), int(used[0]), middle)
        best, worst, median = (int(self.first[place]) for place in chosen)
        return Notable(best, worst, median, (chosen[0] + LOWEST, chosen[1] + LOWEST, chosen[2] + LOWEST))
