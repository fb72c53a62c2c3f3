"""The plots of a sweep: a curve with its band for one axis, a heat map for two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bhsim.lab.results import Result
from bhsim.report.figures import FAINT, LINES, MARKERS, SIDE_COLOURS, canvas, saved
from bhsim.report.plots import Image, shortened

MAX_LINES = len(SIDE_COLOURS)
FAINTEST = 8.0  # percent points from fair that take the strongest colour at least: noise shall not look like a cliff


def is_numeric(values: Sequence[str]) -> bool:
    """Whether an axis can be drawn to scale."""
    try:
        return len([float(v) for v in values]) > 1
    except ValueError:
        return False


def curve(lines: dict[str, Sequence[Result]], axis: str, title: str, footer: str) -> Image:
    """Rate of the first side along one axis, a line with its 95 % band for each opponent (lines: name -> contests in axis order)."""
    with canvas(4.0, footer=footer) as (figure, axes):
        values = [r.contest.setting[axis] for r in next(iter(lines.values()))]
        numeric = is_numeric(values)
        fair = 1 / len(next(iter(lines.values()))[0].sides)
        axes.axhline(100 * fair, color=FAINT, linestyle="--", linewidth=1.2)
        for number, (name, results) in enumerate(lines.items()):
            x = [float(v) for v in values] if numeric else list(range(len(values)))
            order = np.argsort(x)
            x = np.array(x)[order]
            scores = [results[i].sides[0].score for i in order]
            mean, low, high = (100 * np.array([getattr(s, part) for s in scores]) for part in ("mean", "low", "high"))
            colour = SIDE_COLOURS[number]
            axes.errorbar(x, mean, yerr=[mean - low, high - mean], fmt="none", ecolor=colour, capsize=3, linewidth=1)
            if numeric:
                axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)
            style = LINES[number] if numeric else ""
            axes.plot(x, mean, color=colour, marker=MARKERS[number], linestyle=style, label=shortened(name))
        axes.set(xlabel=axis, ylabel=f"{_unit(next(iter(lines.values())))} of the first side, percent", title=title)
        axes.set_xticks([float(v) for v in values] if numeric else range(len(values)), [shortened(v, 18) for v in values])
        if not numeric:
            axes.set_xlim(-0.5, len(values) - 0.5)
        if not numeric and len(values) > 5:
            axes.tick_params(axis="x", rotation=30)
        axes.grid()
        if len(lines) > 1:
            figure.legend(loc="outside lower center", ncols=min(3, len(lines)), title="against")
        return saved(figure)


def heat_map(results: Sequence[Result], row_axis: str, column_axis: str, title: str, footer: str) -> Image:
    """Rate of the first side over two axes; each cell says rate and half the interval's width, in percent."""
    rows, columns = (list(dict.fromkeys(r.contest.setting[a] for r in results)) for a in (row_axis, column_axis))
    cells: dict[tuple[int, int], Result] = {}
    for r in results:
        cells[rows.index(r.contest.setting[row_axis]), columns.index(r.contest.setting[column_axis])] = r
    fair = 100 / len(results[0].sides)
    grid = np.full((len(rows), len(columns)), np.nan)
    for place, r in cells.items():
        grid[place] = 100 * r.sides[0].score.mean
    reach = max(FAINTEST, float(np.nanmax(np.abs(grid - fair))))
    with canvas(1.9 + 0.5 * len(rows), footer=footer) as (figure, axes):
        picture = axes.imshow(grid, cmap="PuOr_r", vmin=fair - reach, vmax=fair + reach, aspect="auto")
        for (row, column), r in cells.items():
            _cell(axes, row, column, r, (grid[row, column] - fair) / reach, len(columns))
        axes.set_xticks(range(len(columns)), [shortened(c, 16) for c in columns])
        axes.set_yticks(range(len(rows)), [shortened(r, 24) for r in rows])
        if len(columns) > 6:
            axes.tick_params(axis="x", rotation=30)
        axes.set(xlabel=column_axis, ylabel=row_axis, title=title)
        for spine in axes.spines.values():
            spine.set_visible(False)
        bar = figure.colorbar(picture, ax=axes, shrink=0.9)
        bar.set_label(f"{_unit(results)} of the first side, percent")
        bar.outline.set_visible(False)
        return saved(figure)


def _unit(results: Sequence[Result]) -> str:
    return results[0].contest.game.score_unit


def _cell(axes: Any, row: int, column: int, result: Result, strength: float, columns: int) -> None:
    score = result.sides[0].score
    half = 50 * (score.high - score.low)
    text = f"{100 * score.mean:.1f}" if columns > 12 else f"{100 * score.mean:.1f}\n±{half:.1f}"
    size = 9 if columns <= 8 else 7
    axes.text(column, row, text, ha="center", va="center", fontsize=size, color="#ffffff" if abs(strength) > 0.62 else "#000000")
