"""The plots of one contest: rates, points by source, rounds, margins, tempo, contributions. Each returns {"svg": ..., "png": ...}."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from bhsim.games.game import Distribution, Series, Table
from bhsim.lab.results import Result
from bhsim.report.figures import FAINT, INK, LINES, MARKERS, SIDE_COLOURS, SOURCE_COLOURS, SOURCE_HATCHES, Image, canvas, saved
from bhsim.stats.intervals import ScoreInterval

MAX_LABEL = 34
RATE_COLOURS = (*SIDE_COLOURS, INK)  # one more than there are sides
MARGIN_COLOURS = SIDE_COLOURS[:2]  # of the first side, and of whoever is ahead of it


def side_labels(result: Result) -> list[str]:
    """Names of the sides, as short as they can be while they differ; equal ones get their letter."""
    sides = [s.side for s in result.sides]
    for parts in (("crew",), ("crew", "deck"), ("crew", "bot"), ("crew", "deck", "bot")):
        names = [" / ".join(getattr(s, p) for p in parts) for s in sides]
        if len(set(names)) == len(names):
            return names
    return [f"{n} ({letter})" for n, letter in zip((s.crew for s in sides), "ABCDEF", strict=False)]


def shortened(text: str, length: int = MAX_LABEL) -> str:
    """The text, cut in its middle when it is too long for an axis."""
    keep = (length - 1) // 2
    return text if len(text) <= length else f"{text[:keep]}…{text[-keep:]}"


def rates(entries: Sequence[tuple[str, ScoreInterval, int]], fair: Sequence[float], title: str, footer: str, names: str = "") -> Image:
    """Rates with their intervals. entries: label, interval, colour number. fair: where the line stands in each row, 0..1.

    names: what labels list.
    """
    with canvas(1.5 + 0.34 * len(entries), footer=footer) as (figure, axes):
        if len(set(fair)) == 1:
            axes.axvline(100 * fair[0], color=FAINT, linewidth=1.2, linestyle="--", zorder=1)
        else:
            for row, even in enumerate(fair):
                axes.plot([100 * even] * 2, [row - 0.5, row + 0.5], color=FAINT, linewidth=1.2, linestyle="--", zorder=1)
        low, high = 100 * min(fair), 100 * max(fair)
        for row, (_, score, colour) in enumerate(entries):
            mean, ends = 100 * score.mean, (100 * score.low, 100 * score.high)
            low, high = min(low, ends[0]), max(high, ends[1])
            errors = [[mean - ends[0]], [ends[1] - mean]]
            axes.errorbar(
                mean, row, xerr=errors, fmt=MARKERS[colour % len(MARKERS)], color=RATE_COLOURS[colour % len(RATE_COLOURS)],
                markersize=6, capsize=4, linewidth=2,
            )  # fmt: skip
            text = f"{mean:.2f} %" + (" exact" if score.exact else f"  [{ends[0]:.2f}, {ends[1]:.2f}]")
            axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=9)
        pad = max(0.5, 0.12 * (high - low))
        axes.set(xlim=(low - pad, high + pad), ylim=(len(entries) - 0.5, -0.5), xlabel="percent, with 95 % interval", title=title)
        axes.set_ylabel(textwrap.fill(names, max(16, 4 * len(entries))))  # about four letters fit beside a row
        axes.set_yticks(range(len(entries)), [shortened(label) for label, _, _ in entries])
        axes.grid(axis="x")
        return saved(figure)


def points_by_source(result: Result, footer: str) -> Image:
    """Points per game of every side, stacked by where they came from."""
    labels = side_labels(result)
    with canvas(1.5 + 0.62 * len(labels), footer=footer) as (figure, axes):
        ends = {1: np.zeros(len(labels)), -1: np.zeros(len(labels))}  # of the bars right and left of 0
        longest = max(sum(abs(v) for v in s.points_from.values()) for s in result.sides)
        for number, source in enumerate(result.facts.points):
            values = np.array([s.points_from[source] for s in result.sides])
            style: dict[str, Any] = {"hatch": SOURCE_HATCHES[number % 5], "edgecolor": "white", "height": 0.62}
            left = np.where(values < 0, ends[-1], ends[1])
            axes.barh(range(len(labels)), values, left=left, color=SOURCE_COLOURS[number % 5], label=source, **style)
            for row, value in enumerate(values):
                if abs(value) > 0.07 * longest:
                    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85}
                    axes.text(left[row] + value / 2, row, f"{value:.2f}", ha="center", va="center", fontsize=9, color="#000000", bbox=box)
            ends[1] += np.maximum(values, 0)
            ends[-1] += np.minimum(values, 0)
        for row, side in enumerate(result.sides):
            axes.text(ends[1][row] + 0.01 * longest, row, f"{side.points_mean:.2f}", va="center", fontweight="bold")
        reach = (1.02 * ends[-1].min(), ends[1].max() + 0.1 * max(longest, 1e-9))
        axes.set(ylim=(len(labels) - 0.5, -0.5), xlim=reach, xlabel=result.facts.points_unit, title="Points by source")
        axes.set_yticks(range(len(labels)), [shortened(label) for label in labels])
        figure.legend(loc="outside upper right", ncols=len(result.facts.points))
        return saved(figure)


def histogram(d: Distribution, footer: str, result: Result | None = None) -> Image:
    """Share of games by value with mean and quantiles. result: given for margins, so that bars take the winner's colour."""
    used = np.flatnonzero(d.counts)
    values, counts = d.values[used[0] : used[-1] + 1], d.counts[used[0] : used[-1] + 1]
    percent = 100 * counts / counts.sum()
    colours = [_margin_colour(v) for v in values] if result else [SIDE_COLOURS[0]] * len(values)
    with canvas(3.4, footer=footer) as (figure, axes):
        axes.bar(values, percent, width=0.86, color=colours, edgecolor="white", linewidth=0.4)
        mean = d.mean()
        axes.axvline(mean, color=INK, linewidth=1.4, linestyle="--")
        axes.annotate(
            f"mean {mean:.2f}", (mean, 1.0), xycoords=("data", "axes fraction"), xytext=(5, -2), textcoords="offset points", va="top"
        )
        axes.set(xlabel=d.unit, ylabel="percent of games", title=d.title, ylim=(0, 1.18 * percent.max()))
        _whole_ticks(axes, values, d)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        if result:
            from matplotlib.patches import Patch

            first, second = side_labels(result)[:2]
            names = (first, second if len(result.sides) == 2 else "another side")
            patches = [Patch(color=colour, label=f"{shortened(name)} ahead") for colour, name in zip(MARGIN_COLOURS, names, strict=True)]
            if percent[values == 0].any():
                patches.append(Patch(color=FAINT, label="level"))
            figure.legend(handles=patches, loc="outside upper right", ncols=3, fontsize=9)
        else:
            text = "   ".join(f"{q} %: {d.quantile(q / 100)}" for q in (5, 50, 95))
            axes.set_title(f"quantiles   {text}", loc="right", fontsize=9, fontweight="normal")
        return saved(figure)


def tempo(result: Result, footer: str) -> Image:
    """What each side does by round, over the games that are still running; rounds that under 1 % of the games reach are left out."""
    series = result.facts.tempo
    with canvas(3.5, columns=len(series), footer=footer, squeeze=False) as (figure, axes):
        for panel, one in zip(axes[0], series, strict=True):
            _tempo_panel(panel, one)
        handles, _ = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, [shortened(name) for name in side_labels(result)], loc="outside lower center", ncols=min(3, len(handles)))
        return saved(figure)


def contributions(result: Result, table: Table, columns: Sequence[str], footer: str) -> Image:
    """One panel a column of the table "runners", one bar a row, per game, in the side's colour; rows that are sides are called as these."""
    names = [c.name for c in table.columns]
    meanings = {c.name: c for c in table.columns}
    label = names.index("name") if "name" in names else 1
    sides = side_labels(result)
    alone = [row[0] for row in table.rows] == list(range(len(sides)))
    labels = sides if alone else [str(row[label]) for row in table.rows]
    with canvas(1.7 + 0.26 * len(table.rows), columns=len(columns), footer=footer, squeeze=False, sharey=True) as (figure, axes):
        for panel, column in zip(axes[0], columns, strict=True):
            values = [row[names.index(column)] / max(result.facts.games, 1) for row in table.rows]
            longest = max(max(values), 1e-9)
            digits = 2 if longest >= 0.1 else 3 if longest >= 0.01 else 4
            for at, (row, value) in enumerate(zip(table.rows, values, strict=True)):
                side = row[0]
                panel.barh(at, value, color=SIDE_COLOURS[side], height=0.72, hatch="//" if side % 2 else "", edgecolor="white")
                panel.text(value + 0.02 * longest, at, f"{value:.{digits}f}", va="center", fontsize=8)
            panel.set_title(column.replace("_", " "), fontsize=9, loc="left")
            panel.set(xlim=(0, 1.32 * longest), xlabel=f"{meanings[column].unit} per game", ylim=(len(values) - 0.5, -0.5))
            panel.grid(axis="x")
            panel.set_axisbelow(True)
        axes[0][0].set_yticks(range(len(labels)), [shortened(text, 22) for text in labels])
        if not alone:
            from matplotlib.patches import Patch

            patches = [
                Patch(facecolor=SIDE_COLOURS[s], hatch="//" if s % 2 else "", edgecolor="white", label=shortened(n))
                for s, n in enumerate(sides)
            ]
            figure.legend(handles=patches, loc="outside lower center", ncols=min(3, len(patches)))
        return saved(figure)


def _tempo_panel(panel: Any, one: Series) -> None:
    shown = one.games >= 0.01 * one.games.max()
    x = one.x[shown]
    for side, values in enumerate(one.sides):
        panel.plot(
            x,
            values[shown],
            color=SIDE_COLOURS[side],
            marker=MARKERS[side],
            linestyle=LINES[side % len(LINES)],
            markersize=4.5,
            label=str(side),
        )
    panel.set(xlabel=one.x_label, ylabel=one.unit, ylim=(min(0.0, 1.05 * float(one.sides[:, shown].min())), None))
    panel.set_title(one.title, fontsize=10.5)
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.grid()


def _margin_colour(value: float) -> str:
    return MARGIN_COLOURS[0] if value > 0 else MARGIN_COLOURS[1] if value < 0 else FAINT


def _whole_ticks(axes: Any, values: np.ndarray, d: Distribution) -> None:
    step = max(1, -(-len(values) // 24))
    ticks = [int(v) for v in values if v % step == 0] or [int(values[0])]
    last = int(d.values[-1])
    axes.set_xticks(ticks, [f"{t}+" if d.open_end and t == last else str(t) for t in ticks])
