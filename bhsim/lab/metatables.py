"""The tables of a metagame: meta, cells, alpha and usage. docs/run-folder.md lists their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bhsim.lab.metagame import ALPHAS, CrewFigures, Metagame
from bhsim.lab.pool import pairs
from bhsim.lab.store import parquet_bytes, write_bytes


def write(directory: Path, found: Metagame) -> None:
    """Stores all of them."""
    import polars as pl

    for name, rows in tables(found).items():
        write_bytes(directory / f"{name}.parquet", parquet_bytes(pl.DataFrame(rows, infer_schema_length=None)))


def tables(found: Metagame) -> dict[str, list[dict[str, Any]]]:
    """Their rows by name."""
    return {"meta": crew_rows(found), "cells": cell_rows(found), "alpha": alpha_rows(found), "usage": usage_rows(found)}


def crew_rows(found: Metagame) -> list[dict[str, Any]]:
    """meta.parquet: one row a crew, in the field's order."""
    return [_crew_row(found, crew) for crew in found.crews]


def _crew_row(found: Metagame, crew: CrewFigures) -> dict[str, Any]:
    entrant, against, mean = found.pool.crews[crew.place], crew.against, crew.mean
    side, ends = entrant.side, crew.elo_ends
    row: dict[str, Any] = {"crew": crew.place, "name": entrant.label, "origin": entrant.origin}
    row |= {"crew_file": side.crew, "deck": side.deck, "bot": side.bot, "rank": found.ranked.index(crew) + 1}
    row |= {"rating": float(found.ratings.strengths[crew.place]), "elo": crew.elo, "se": crew.elo_se, "low": ends.low, "high": ends.high}
    row |= {"nash": crew.nash, "nash_sd": crew.nash_sd, "held": crew.held}
    row |= {"against_mixture": 0.5 + against.mean, "against_low": crew.against_ends.low, "against_high": crew.against_ends.high}
    row |= {"mean_rate": mean.mean, "mean_low": mean.low, "mean_high": mean.high, "games": _games_of(found, crew.place)}
    for word, other in (("worst", crew.worst), ("best", crew.best)):
        score = found.pool.score(crew.place, other)
        row |= {f"{word}_opponent": found.label(other), f"{word}_rate": score.mean, f"{word}_low": score.low, f"{word}_high": score.high}
    row |= {"dominated_by": None if crew.dominated_by is None else found.label(crew.dominated_by), "dominated": crew.dominated}
    return row | {"cluster": crew.cluster, "circles": crew.circles}


def _games_of(found: Metagame, place: int) -> int:
    return sum(cell.games for pair, cell in found.pool.cells.items() if place in pair)


def cell_rows(found: Metagame) -> list[dict[str, Any]]:
    """cells.parquet: one row a match-up, seen from the crew that came first in the field."""
    rows, labels = [], found.pool.labels
    for i, j in pairs(len(found.crews)):
        cell = found.pool.cells[i, j]
        score, first = cell.score, cell.first
        row = {"i": i, "j": j, "crew": labels[i], "opponent": labels[j], "contest": cell.contest, "games": cell.games}
        row |= {"rate": score.mean, "low": score.low, "high": score.high, "se": score.se, "n_eff": score.n_eff}
        rows.append(row | {"first_player": first.mean, "first_player_low": first.low, "first_player_high": first.high})
    return rows


def alpha_rows(found: Metagame) -> list[dict[str, Any]]:
    """alpha.parquet: share of each crew at each strength of selection, infinity included."""
    labels = found.pool.labels
    return [
        {"alpha": alpha, "crew": place, "name": labels[place], "share": float(share)}
        for alpha, shares in zip(ALPHAS, found.alphas, strict=True)
        for place, share in enumerate(shares)
    ]


def usage_rows(found: Metagame) -> list[dict[str, Any]]:
    """usage.parquet: one row for each item of the pool."""
    return [asdict(use) for use in found.usage]


def summary(found: Metagame, steps: Sequence[Any]) -> dict[str, Any]:
    """Everything as one JSON value."""
    labels = found.pool.labels
    davidson = found.davidson
    by_seat = None
    if davidson:
        log_first, log_ties = davidson.log_first, davidson.log_ties
        by_seat = {"strengths": davidson.strengths.tolist(), "log_first": log_first, "log_ties": None if log_ties < -700 else log_ties}
        by_seat |= {"deviance": davidson.deviance, "free": davidson.free, "p": davidson.p}
    value, low, high = (None if x != x else x for x in (found.cyclic.value, found.cyclic.low, found.cyclic.high))
    return {
        "games_per_match_up": found.pool.games,
        "crews": crew_rows(found),
        "cells": cell_rows(found),
        "first_player": {"win_rate": found.first_mean, "low": found.first.low, "high": found.first.high},
        "fit": {"deviance": found.fit.deviance, "expected": found.fit.expected, "p": found.fit.p, "prior_games": found.prior},
        "by_seat": by_seat,
        "cyclic_share": {"value": value, "low": low, "high": high, "raw": found.cyclic.raw},
        "cycles": [
            {"crews": [labels[i] for i in c.cycle.crews], "rates": list(c.rates), "curl": c.cycle.curl, "sure": c.sure}
            for c in found.circles
        ],
        "nash": {
            "mixture": {labels[i]: float(found.equilibrium.mixture[i]) for i in found.equilibrium.support},
            "ranking": found.rankable, "draws": found.draws, "diversity": found.diversity,
            "supports": [{"crews": [labels[i] for i in crews], "share": share} for crews, share in found.stability.supports[:10]],
            "support_share": found.stability.share(found.equilibrium.support),
        },
        "clusters": [[labels[i] for i in members] for members in found.clusters],
        "alpha_rank": [row | {"alpha": None if row["alpha"] == float("inf") else row["alpha"]} for row in alpha_rows(found)],
        "usage": usage_rows(found),
        "grow": [asdict(step) for step in steps],
    }  # fmt: skip
