"""The tables derived at the end of a run: contests, crews, and the game's own (runners, cards), one frame each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bhsim.games.game import Table
from bhsim.lab.contest import Contest
from bhsim.lab.findings import CrewResult, Findings, findings_of
from bhsim.lab.results import Result, evaluate
from bhsim.lab.verdicts import Judged

if TYPE_CHECKING:
    from bhsim.lab.store import Folder

LETTERS = "abcdef"
STORED_TABLES = ("runners", "cards")


def evaluated(folder: Folder, contests: Sequence[Contest]) -> list[Result]:
    """Every finished contest evaluated."""
    return [evaluate(folder.counts(c)) for c in contests]


def derived_tables(folder: Folder) -> dict[str, Any]:
    """Polars frames by file name: "contests", "crews" of all against all, and those of ``STORED_TABLES`` that the game has.

    Empty without finished contests.
    """
    import polars as pl

    found = findings_of(folder)
    if not found.results:
        return {}
    frames = {"contests": pl.DataFrame([contest_row(r, found) for r in found.results], infer_schema_length=None)}
    if found.crews:
        frames["crews"] = pl.DataFrame([crew_row(c) for c in found.crews], infer_schema_length=None)
    for name in STORED_TABLES:
        rows = [row for r in found.results if name in r.facts.tables for row in _rows(r, r.facts.tables[name])]
        if rows:
            frames[name] = pl.DataFrame(rows, infer_schema_length=None)
    return frames


def contest_row(result: Result, found: Findings) -> dict[str, Any]:
    """A contest as one row of numbers: docs/run-folder.md lists the columns."""
    contest, facts = result.contest, result.facts
    number = contest.number
    row: dict[str, Any] = {"contest": number}
    row |= {f"axis: {axis}": value for axis, value in contest.setting.items()}
    row |= {"games": contest.games, "pairs": contest.keys, "digest": contest.digest()}
    for letter, s in zip(LETTERS, result.sides, strict=False):
        row |= {f"crew_{letter}": s.side.crew, f"deck_{letter}": s.side.deck, f"bot_{letter}": s.side.bot, f"wins_{letter}": s.wins}
        row |= {f"win_rate_{letter}": s.score.mean, f"low_{letter}": s.score.low, f"high_{letter}": s.score.high}
        row |= {f"points_mean_{letter}": s.points_mean, **{f"points_{source}_{letter}": v for source, v in s.points_from.items()}}
    row |= _judged("", found.cell[number])
    if found.ended:
        row |= {"lasting_low_a": found.lasting[number].low, "lasting_high_a": found.lasting[number].high, "ended_by": found.ended[number]}
    row |= {"draws": facts.draws, "round_limit": facts.round_limit}
    row |= {"first_player": result.first.mean, "first_player_low": result.first.low, "first_player_high": result.first.high}
    row |= _judged("first_player_", found.first[number])
    row |= {"rounds_mean": facts.rounds.mean(), **{f"rounds_p{q:02d}": facts.rounds.quantile(q / 100) for q in (5, 50, 95)}}
    row |= {"margin_mean": facts.margins.mean() if facts.margins else None, "seat_saving": result.saving}
    row |= {"n_eff": result.sides[0].score.n_eff if not result.sides[0].score.exact else None}
    gap = found.differences.get(number)
    row |= {
        "difference": gap.mean if gap else None,
        "difference_low": gap.low if gap else None,
        "difference_high": gap.high if gap else None,
        "difference_saving": gap.saving if gap else None,
    }
    row |= _judged("difference_", found.difference.get(number))
    row |= {f"{name}_game": index for name, index in found.notable[number].games.items()}
    return row


def crew_row(crew: CrewResult) -> dict[str, Any]:
    """A crew's mean over its contests as one row."""
    row: dict[str, Any] = {"crew": crew.crew, **{f"axis: {axis}": value for axis, value in crew.setting.items()}}
    row |= {"contests": crew.contests, "games": crew.games}
    row |= {"win_rate": crew.score.mean, "low": crew.score.low, "high": crew.score.high, **_judged("", crew.judged)}
    return row


def _judged(start: str, judged: Judged | None) -> dict[str, Any]:
    return {f"{start}verdict": judged.verdict if judged else None, f"{start}q": judged.q if judged else None}


def _rows(result: Result, table: Table) -> list[dict[str, Any]]:
    names = [c.name for c in table.columns]
    head = {"contest": result.contest.number}
    return [head | dict(zip(names, row, strict=True)) for row in table.rows]
