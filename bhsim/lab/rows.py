"""One row per game as parquet, on request."""

from __future__ import annotations

import numpy as np

from bhsim.games.game import WHOLE, shares
from bhsim.lab.contest import Contest
from bhsim.lab.runs import UnitResult
from bhsim.lab.store import parquet_bytes


class RowWriter:
    """Collects every game's outcome and numbers and writes them out as readable columns.

    Columns: game (index, as replay takes it), key, seating, winner (side number; null when it is shared or cut off), cut_off, margin
    (points, first side minus second), share_a, share_b ... (1, 0 or a fraction), and the game's own ``row_fields``.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.parts: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []

    def add(self, result: UnitResult) -> None:
        """Takes a finished unit; units come in key order."""
        self.parts.append(result.outcomes)
        self.numbers.append(result.rows.astype(np.int32))

    def parquet(self) -> bytes:
        """The file's bytes."""
        import polars as pl

        outcomes = np.concatenate(self.parts)
        game = np.arange(len(outcomes), dtype=np.int64)
        score = shares(outcomes[:, 0], len(self.contest.sides))
        alone = score.max(axis=1) == WHOLE
        winner = (
            pl.Series(score.argmax(axis=1).astype(np.int8)).to_frame("w").select(pl.when(pl.Series(alone)).then(pl.col("w"))).to_series()
        )
        columns = {
            "game": game,
            "key": game // self.contest.seatings,
            "seating": (game % self.contest.seatings).astype(np.int8),
            "winner": winner,
            "cut_off": outcomes[:, 0] == 0,
            "margin": outcomes[:, 1].view(np.int8),
        }
        columns |= {f"share_{'abcdef'[side]}": (score[:, side] / WHOLE).astype(np.float32) for side in range(score.shape[1])}
        numbers = np.concatenate(self.numbers)
        columns |= {name: numbers[:, i] for i, name in enumerate(self.contest.game.row_fields)}
        return parquet_bytes(pl.DataFrame(columns))
