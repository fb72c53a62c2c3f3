"""The plots of a sweep: curves with bands along an axis, heat maps over two, a panel an axis where the points were drawn by lot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bhsim.report.figures import FAINT, LINES, MARKERS, SIDE_COLOURS, canvas, saved
from bhsim.report.plots import Image, shortened
from bhsim.stats.intervals import ScoreInterval

MAX_LINES = len(SIDE_COLOURS)
FAINTEST = 8.0  # percent points from fair that take the strongest colour at least: noise shall not look like a cliff
LEGEND = 76  # letters that fit beside each other
LEGEND_COLUMNS = 3


@dataclass(frozen=True)
class Spot:
    """A score and where it stands: axis label to value label."""

    setting: Mapping[str, str]
    score: ScoreInterval


@dataclass(frozen=True)
class Frame:
    """What stands around a plot. value: what is drawn, in words. fair: 0..1. legend: what the names of lines are.

    table: what titles say of it where there are several.
    """

    title: str
    value: str
    fair: float
    footer: str
    legend: str = ""
    table: str = ""


def is_numeric(values: Sequence[str]) -> bool:
    """Whether an axis can be drawn to scale."""
    try:
        return len([float(v) for v in values]) > 1
    except ValueError:
        return False


def curve(lines: Mapping[str, Sequence[Spot]], axes: Sequence[str], frame: Frame) -> Image:
    """A line with its 95 % band for each name, along the first of ``axes``; the ticks say the others, which move with it."""
    with canvas(4.0 + 0.2 * (len(axes) - 1), footer=frame.footer) as (figure, panel):
        settings = [s.setting for s in next(iter(lines.values()))]
        places, numeric = _places([s[axes[0]] for s in settings])
        panel.axhline(100 * frame.fair, color=FAINT, linestyle="--", linewidth=1.2)
        for number, (name, spots) in enumerate(lines.items()):
            order = np.argsort(places)
            x = np.array(places)[order]
            mean, low, high = _percent([spots[i].score for i in order])
            colour = SIDE_COLOURS[number]
            panel.errorbar(x, mean, yerr=[mean - low, high - mean], fmt="none", ecolor=colour, capsize=3, linewidth=1)
            if numeric:
                panel.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)
            style = LINES[number] if numeric else ""
            panel.plot(x, mean, color=colour, marker=MARKERS[number], linestyle=style, label=shortened(name))
        panel.set(xlabel="\n".join(axes), ylabel=frame.value, title=frame.title)
        panel.set_xticks(places, ["\n".join(shortened(s[a], 18) for a in axes) for s in settings])
        if not numeric:
            panel.set_xlim(-0.5, len(settings) - 0.5)
        if not numeric and len(settings) > 5:
            panel.tick_params(axis="x", rotation=30)
        panel.grid()
        _legend(figure, panel, frame, lines)
        return saved(figure)


def scatter(lines: Mapping[str, Sequence[Spot]], axes: Sequence[str], frame: Frame) -> Image:
    """A panel for each axis: every score with its 95 % interval over the axis' value, whatever the other axes' values were."""
    columns = min(2, len(axes))
    rows = -(-len(axes) // columns)
    with canvas(1.0 + 2.7 * rows, columns, rows, frame.footer, squeeze=False, sharey=True) as (figure, grid):
        figure.suptitle(frame.title, x=0.01, ha="left", fontweight="bold", fontsize=12)
        figure.supylabel(frame.value, fontsize=10)
        panels = list(grid.flat)
        for axis, panel in zip(axes, panels, strict=False):
            _scattered(panel, lines, axis, frame)
        for panel in panels[len(axes) :]:
            panel.set_visible(False)
        _legend(figure, panels[0], frame, lines)
        return saved(figure)


def _scattered(panel: Any, lines: Mapping[str, Sequence[Spot]], axis: str, frame: Frame) -> None:
    values = sorted({s.setting[axis] for spots in lines.values() for s in spots})
    places, numeric = _places(values)
    at = dict(zip(values, places, strict=True))
    panel.axhline(100 * frame.fair, color=FAINT, linestyle="--", linewidth=1.2)
    for number, (name, spots) in enumerate(lines.items()):
        mean, low, high = _percent([s.score for s in spots])
        style = {"fmt": MARKERS[number], "color": SIDE_COLOURS[number], "markersize": 4, "elinewidth": 0.8, "alpha": 0.75}
        panel.errorbar([at[s.setting[axis]] for s in spots], mean, yerr=[mean - low, high - mean], label=shortened(name), **style)
    if not numeric:
        panel.set_xticks(places, [shortened(v, 18) for v in values])
    panel.set_xlabel(axis)
    panel.grid()


def reach_of(scores: Iterable[ScoreInterval], fair: float) -> float:
    """Percent points from fair that take the strongest colour, for maps that are to be compared."""
    return max(FAINTEST, *(100 * abs(s.mean - fair) for s in scores))


def heat_map(cells: Mapping[tuple[str, str], ScoreInterval], axes: tuple[str, str], reach: float, frame: Frame) -> Image:
    """Scores over two axes, by (row, column); each cell says rate and half the interval's width, in percent. reach: see ``reach_of``."""
    rows, columns = (list(dict.fromkeys(place[n] for place in cells)) for n in (0, 1))
    if set(rows) == set(columns):
        columns = rows  # all against all: the same order both ways
    fair = 100 * frame.fair
    grid = np.full((len(rows), len(columns)), np.nan)
    for (row, column), score in cells.items():
        grid[rows.index(row), columns.index(column)] = 100 * score.mean
    with canvas(1.9 + 0.5 * len(rows), footer=frame.footer) as (figure, panel):
        picture = panel.imshow(grid, cmap="PuOr_r", vmin=fair - reach, vmax=fair + reach, aspect="auto")
        for (row, column), score in cells.items():
            place = rows.index(row), columns.index(column)
            _cell(panel, *place, score, (grid[place] - fair) / reach, len(columns))
        panel.set_xticks(range(len(columns)), [shortened(c, 16) for c in columns])
        panel.set_yticks(range(len(rows)), [shortened(r, 24) for r in rows])
        if len(columns) > 6:
            panel.tick_params(axis="x", rotation=30)
        panel.set(xlabel=axes[1], ylabel=axes[0], title=frame.title)
        for spine in panel.spines.values():
            spine.set_visible(False)
        bar = figure.colorbar(picture, ax=panel, shrink=0.9)
        bar.set_label(frame.value)
        bar.outline.set_visible(False)
        return saved(figure)


def _places(values: Sequence[str]) -> tuple[list[float], bool]:
    """Where values stand on an axis, and whether that is to scale."""
    numeric = is_numeric(values)
    return [float(v) for v in values] if numeric else [float(n) for n in range(len(values))], numeric


def _percent(scores: Sequence[ScoreInterval]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, lower and upper ends in percent."""
    mean, low, high = (100 * np.array([getattr(s, part) for s in scores]) for part in ("mean", "low", "high"))
    return mean, low, high


def _legend(figure: Any, panel: Any, frame: Frame, lines: Mapping[str, Any]) -> None:
    """Names below the plot, as many beside each other as fit."""
    if len(lines) < 2:
        return
    longest = max(len(shortened(name)) for name in lines)
    handles, labels = panel.get_legend_handles_labels()
    columns = max(1, min(LEGEND_COLUMNS, len(lines), LEGEND // (longest + 6)))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, title=frame.legend)


def _cell(panel: Any, row: int, column: int, score: ScoreInterval, strength: float, columns: int) -> None:
    half = 50 * (score.high - score.low)
    text = f"{100 * score.mean:.1f}" if columns > 12 else f"{100 * score.mean:.1f}\n±{half:.1f}"
    size = 9 if columns <= 8 else 7
    panel.text(column, row, text, ha="center", va="center", fontsize=size, color="#ffffff" if abs(strength) > 0.62 else "#000000")
