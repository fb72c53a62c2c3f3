"""A comparison of runs as a table of text and as JSON."""

from __future__ import annotations

from typing import Any

from bhsim.lab.compare import Comparison, Pair
from bhsim.report.grid import Grid, gap_texts, percent
from bhsim.report.matters import Bar, tornado
from bhsim.report.plots import Image
from bhsim.report.sweeps import verdict_text

MAX_PATHS = 6


def comparison_grid(comparison: Comparison) -> Grid:
    """One line for each pair of contests."""
    unit = comparison.pairs[0].first.contest.game.score_unit
    head = [
        "contest",
        f"{unit} first",
        "second",
        "change",
        "95 % interval",
        "verdict",
        "q",
        "first player",
        "round limit",
        "keys",
        "variance left",
    ]
    rows = []
    for pair in comparison.pairs:
        gap = pair.difference
        sides = pair.first.sides[0].score, pair.second.sides[0].score
        change = gap_texts(gap)
        row = [pair.label, percent(sides[0].mean), percent(sides[1].mean), *change, verdict_text(pair.judged), f"{pair.judged.q:.3f}"]
        row += [f"{100 * (pair.second.first.mean - pair.first.first.mean):+.2f}", f"{100 * _cut_off(pair):+.2f}", f"{gap.keys:,}"]
        rows.append([*row, f"{100 * gap.saving:.0f} %" if pair.paired else "not paired"])
    reach = 100 * comparison.pairs[0].judged.limits[1]
    note = (
        f"Second minus first, in percent points; ok is up to {reach:g} either way. Variance left: of the difference, against separate keys."
    )
    return Grid("", head, rows, [False, *[True] * 4, False, *[True] * 5], note)


def comparison_plot(comparison: Comparison, footer: str) -> Image:
    """What changes in each pair of contests, as bars."""
    bars = []
    for pair in comparison.pairs:
        gap = pair.difference
        bars.append(Bar(pair.label, 100 * gap.mean, 100 * gap.low, 100 * gap.high, pair.judged.q, pair.judged.verdict))
    unit = comparison.pairs[0].first.contest.game.score_unit
    return tornado(bars, "What changes", f"{unit} of the first side, second minus first in percent points, with 95 % interval", footer)


def path_lines(comparison: Comparison) -> list[str]:
    """What differs in the data, the paths that contests have in common said once."""
    lines: dict[str, None] = {}
    for pair in comparison.pairs:
        shown = [f"{path}: {old} -> {new}" for path, old, new in pair.paths[:MAX_PATHS]]
        if len(pair.paths) > MAX_PATHS:
            shown.append(f"and {len(pair.paths) - MAX_PATHS} more in {pair.label}")
        lines |= dict.fromkeys(shown)
    return list(lines) or ["nothing"]


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """All of it, shares as fractions."""
    return {
        "schema": 1,
        "contests": [_pair_json(pair) for pair in comparison.pairs],
        "only_first": comparison.only_first,
        "only_second": comparison.only_second,
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    gap = pair.difference
    return {
        "label": pair.label,
        "contests": [pair.first.contest.number, pair.second.contest.number],
        "win_rate": [pair.first.sides[0].score.mean, pair.second.sides[0].score.mean],
        "first_player": [pair.first.first.mean, pair.second.first.mean],
        "round_limit": [pair.first.facts.round_limit, pair.second.facts.round_limit],
        "difference": gap.mean, "low": gap.low, "high": gap.high, "q": pair.judged.q, "verdict": pair.judged.verdict,
        "paired": pair.paired, "keys": gap.keys, "saving": gap.saving, "identical": gap.identical,
        "paths": [{"path": path, "first": old, "second": new} for path, old, new in pair.paths],
    }  # fmt: skip


def _cut_off(pair: Pair) -> float:
    shares = [r.facts.round_limit / max(r.facts.games, 1) for r in (pair.first, pair.second)]
    return shares[1] - shares[0]
