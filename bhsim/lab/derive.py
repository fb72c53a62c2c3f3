"""The tables derived at the end of a run: contests, and the game's own (runners, cards), one frame each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bhsim.games.game import WHOLE, Table, shares
from bhsim.lab.contest import Contest
from bhsim.lab.results import Result, evaluate
from bhsim.stats.paired import Difference, paired_difference

if TYPE_CHECKING:
    from bhsim.lab.store import Folder

LETTERS = "abcdef"
STORED_TABLES = ("runners", "cards")


def evaluated(folder: Folder, contests: Sequence[Contest]) -> list[Result]:
    """Every finished contest evaluated."""
    return [evaluate(folder.counts(c)) for c in contests]


def differences(folder: Folder, contests: Sequence[Contest]) -> dict[int, Difference]:
    """Score of the first side in each contest minus that in the first contest with the same opponent, key by key.

    By contest number; the first contests themselves are left out. All contests of a run met the same keys.
    """
    found: dict[int, Difference] = {}
    bases: dict[str, np.ndarray] = {}
    for contest in contests:
        scores = key_scores(folder, contest)
        opponent = contest.setting.get("opponent", "")
        if opponent not in bases:
            bases[opponent] = scores
        elif bases[opponent].shape == scores.shape:
            found[contest.number] = paired_difference(scores, bases[opponent])
    return found


def key_scores(folder: Folder, contest: Contest, side: int = 0) -> np.ndarray:
    """Mean score of a side in each key, shape (keys,), floats in 0..1."""
    parts = [shares(o[:, 0], len(contest.sides))[:, side].reshape(-1, contest.seatings).sum(axis=1) for o in folder.outcomes(contest)]
    return np.concatenate(parts) / (WHOLE * contest.seatings)


def derived_tables(folder: Folder, contests: Sequence[Contest]) -> dict[str, Any]:
    """Polars frames by file name: "contests" and those of ``STORED_TABLES`` that the game has. Empty without finished contests."""
    import polars as pl

    if not contests:
        return {}
    results = evaluated(folder, contests)
    gaps = differences(folder, contests)
    frames = {"contests": pl.DataFrame([contest_row(r, gaps.get(r.contest.number)) for r in results], infer_schema_length=None)}
    for name in STORED_TABLES:
        rows = [row for r in results if name in r.facts.tables for row in _rows(r, r.facts.tables[name])]
        if rows:
            frames[name] = pl.DataFrame(rows, infer_schema_length=None)
    return frames


def contest_row(result: Result, gap: Difference | None) -> dict[str, Any]:
    """A contest as one row of numbers: docs/run-folder.md lists the columns."""
    contest, facts = result.contest, result.facts
    row: dict[str, Any] = {"contest": contest.number}
    row |= {f"axis: {axis}": value for axis, value in contest.setting.items()}
    row |= {"games": contest.games, "pairs": contest.keys, "digest": contest.digest()}
    for letter, s in zip(LETTERS, result.sides, strict=False):
        row |= {f"crew_{letter}": s.side.crew, f"deck_{letter}": s.side.deck, f"bot_{letter}": s.side.bot, f"wins_{letter}": s.wins}
        row |= {f"win_rate_{letter}": s.score.mean, f"low_{letter}": s.score.low, f"high_{letter}": s.score.high}
        row |= {f"points_mean_{letter}": s.points_mean, **{f"points_{source}_{letter}": v for source, v in s.points_from.items()}}
    row |= {"draws": facts.draws, "round_limit": facts.round_limit}
    row |= {"first_player": result.first.mean, "first_player_low": result.first.low, "first_player_high": result.first.high}
    row |= {"rounds_mean": facts.rounds.mean(), **{f"rounds_p{q:02d}": facts.rounds.quantile(q / 100) for q in (5, 50, 95)}}
    row |= {"margin_mean": facts.margins.mean() if facts.margins else None, "seat_saving": result.saving}
    row |= {"n_eff": result.sides[0].score.n_eff if not result.sides[0].score.exact else None}
    row |= {
        "difference": gap.mean if gap else None,
        "difference_low": gap.low if gap else None,
        "difference_high": gap.high if gap else None,
    }
    return row


def _rows(result: Result, table: Table) -> list[dict[str, Any]]:
    names = [c.name for c in table.columns]
    head = {"contest": result.contest.number}
    return [head | dict(zip(names, row, strict=True)) for row in table.rows]
