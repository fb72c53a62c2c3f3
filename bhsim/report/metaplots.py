"""The plots of a metagame: heat map, ratings, mixture, alpha-rank, usage, growing. Crews stand in the order of their ratings.

Where there are many crews they are called by their rank, which the table of ratings explains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bhsim.lab.grow import Growth, Step
from bhsim.lab.metagame import ALPHAS, CrewFigures, Metagame, Use, varied
from bhsim.report.figures import FAINT, INK, LINES, MARKERS, SIDE_COLOURS, Image, canvas, saved
from bhsim.report.grids import FAINTEST
from bhsim.report.plots import shortened
from bhsim.stats.evolution import EPSILON

NAMED = 16  # crews up to which cells say their rate and axes the crews' names
MAX_ROWS = 40
MAX_LINES = len(SIDE_COLOURS)
WORTH_SHOWING = 0.05  # share of the draws in which a crew without a share has one
SELECTED = SIDE_COLOURS[0]
OTHERS = SIDE_COLOURS[1]


def names_of(found: Metagame, length: int = 16) -> dict[int, str]:
    """What plots call each crew, by its place: its name where there are few, else its rank."""
    if len(found.crews) <= NAMED:
        return {crew.place: shortened(found.label(crew.place), length) for crew in found.crews}
    return {crew.place: str(rank) for rank, crew in enumerate(found.ranked, start=1)}


def heat_map(found: Metagame, footer: str) -> Image:
    """Who beats whom: the row's rate against the column."""
    order = [crew.place for crew in found.ranked]
    count, names = len(order), names_of(found)
    grid = 100 * found.pool.rates[np.ix_(order, order)]
    np.fill_diagonal(grid, np.nan)
    reach = max(FAINTEST, float(np.nanmax(np.abs(grid - 50))))
    with canvas(min(8.5, 1.9 + 0.45 * count), footer=footer) as (figure, axes):
        picture = axes.imshow(grid, cmap="PuOr_r", vmin=50 - reach, vmax=50 + reach, aspect="auto")
        if count <= NAMED:
            for row, column in np.ndindex(count, count):
                if row != column:
                    _cell(axes, found, order[row], order[column], row, column, reach, count)
        size = 9 if count <= NAMED else 7 if count <= 60 else 5
        step = 1 if count <= 60 else 5
        ticks = range(0, count, step)
        axes.set_xticks(ticks, [names[order[n]] for n in ticks], fontsize=size)
        axes.set_yticks(ticks, [names[order[n]] for n in ticks], fontsize=size)
        if 6 < count <= NAMED:
            axes.tick_params(axis="x", rotation=30)
        what = "" if count <= NAMED else ", by rank"
        axes.set(xlabel=f"against{what}", ylabel=f"crew{what}, the strongest first", title="Who beats whom")
        for spine in axes.spines.values():
            spine.set_visible(False)
        bar = figure.colorbar(picture, ax=axes, shrink=0.9)
        bar.set_label("win rate of the row, percent")
        bar.outline.set_visible(False)
        return saved(figure)


def _cell(axes: Any, found: Metagame, i: int, j: int, row: int, column: int, reach: float, count: int) -> None:
    score = found.pool.score(i, j)
    text = f"{100 * score.mean:.1f}" + (f"\n±{50 * (score.high - score.low):.1f}" if count <= 12 else "")
    dark = abs(100 * score.mean - 50) / reach > 0.62
    size = 9 if count <= 8 else 7
    axes.text(column, row, text, ha="center", va="center", fontsize=size, color="#ffffff" if dark else "#000000")


def ratings(found: Metagame, footer: str) -> Image:
    """Elo around the mean of the field with 95 % intervals; crews of the mixture are filled."""
    shown = found.ranked[:MAX_ROWS]
    with canvas(1.6 + 0.27 * len(shown), footer=footer) as (figure, axes):
        axes.axvline(0, color=FAINT, linestyle="--", linewidth=1.2)
        for row, crew in enumerate(shown):
            ends, held = crew.elo_ends, crew.nash > 0
            colour = SELECTED if held else OTHERS
            axes.errorbar(
                crew.elo, row, xerr=[[crew.elo - ends.low], [ends.high - crew.elo]], fmt="o" if held else "s", color=colour, capsize=3,
                markersize=6, markerfacecolor=colour if held else "none", linewidth=1.6,
            )  # fmt: skip
            text = f"{crew.elo:+.0f}  [{ends.low:+.0f}, {ends.high:+.0f}]"
            axes.annotate(text, (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
        labels = [shortened(found.label(crew.place), 30) for crew in shown]
        if len(found.crews) > NAMED:
            labels = [f"{rank}. {label}" for rank, label in enumerate(labels, start=1)]
        axes.set_yticks(range(len(shown)), labels, fontsize=8)
        rest = f" (the first {len(shown)} of {len(found.crews)})" if len(shown) < len(found.crews) else ""
        axes.set(ylim=(len(shown) - 0.5, -0.5), title=f"Ratings{rest}")
        axes.set_xlabel("Elo around the mean of the field, with 95 % interval\nfilled: in the equilibrium mixture")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        return saved(figure)


def mixture(found: Metagame, footer: str) -> Image:
    """Shares in the equilibrium mixture with their deviation over the draws, and how often each crew is in it."""
    shown = sorted((c for c in found.crews if c.nash or c.held >= WORTH_SHOWING), key=lambda c: (-c.nash, -c.held, c.place))[:MAX_ROWS]
    with canvas(1.6 + 0.32 * len(shown), footer=footer) as (figure, axes):
        for row, crew in enumerate(shown):
            axes.barh(row, 100 * crew.nash, height=0.62, color=SELECTED)
            axes.errorbar(100 * crew.nash, row, xerr=_within(crew.nash, crew.nash_sd), fmt="none", ecolor=INK, capsize=3, linewidth=1.1)
            axes.annotate(f"in {100 * crew.held:.0f} % of draws", (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
        axes.set_yticks(range(len(shown)), [_ranked_name(found, crew) for crew in shown], fontsize=9)
        warning = "" if found.rankable else ": too few games to rank by it"
        axes.set(ylim=(len(shown) - 0.5, -0.5), xlim=(0, None), title=f"Equilibrium mixture{warning}")
        axes.set_xlabel(f"share in percent, with its deviation over {found.draws:,} draws of the match-ups")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        return saved(figure)


def _ranked_name(found: Metagame, crew: CrewFigures) -> str:
    name = shortened(found.label(crew.place), 30)
    return name if len(found.crews) <= NAMED else f"{found.ranked.index(crew) + 1}. {name}"


def alpha(found: Metagame, footer: str) -> Image:
    """alpha-rank over the strength of selection; the crews that lead somewhere have colours."""
    top = found.alphas.max(axis=0)
    leading = [int(place) for place in np.argsort(-top, kind="stable")[:MAX_LINES]]
    finite = [n for n, alpha in enumerate(ALPHAS) if not math.isinf(alpha)]
    x = [ALPHAS[n] for n in finite]
    end = x[-1] * 10**0.6
    with canvas(4.6, footer=footer) as (figure, axes):
        for place in range(len(found.crews)):
            if place not in leading:
                axes.plot(x, 100 * found.alphas[finite, place], color=FAINT, linewidth=0.6, alpha=0.6)
        for number, place in enumerate(leading):
            shares, colour = 100 * found.alphas[:, place], SIDE_COLOURS[number]
            name = shortened(found.label(place), 24)
            axes.plot(x, shares[finite], color=colour, linestyle=LINES[number], linewidth=1.8, label=name)
            axes.plot([end], [shares[-1]], color=colour, marker=MARKERS[number], markersize=6)
        axes.set(xscale="log", ylim=(0, None), ylabel="share of time, percent", title="alpha-rank: who stays when success is copied")
        decades = [alpha for alpha in x if math.isclose(math.log10(alpha) % 1, 0, abs_tol=1e-9)]
        axes.set_xticks([*decades, end], [*(f"{alpha:g}" for alpha in decades), "∞"])
        axes.minorticks_off()
        axes.set_xlabel(
            "alpha: strength of selection\n"
            f"∞: with epsilon {EPSILON:g}, the chance of a newcomer that is behind (1/2 if equal): not the limit of the curves"
        )
        axes.grid()
        figure.legend(loc="outside lower center", ncols=min(3, len(leading)))
        return saved(figure)


def usage(found: Metagame, footer: str) -> Image:
    """Share of the mixture's crews that have each item, and of all crews; parts that all crews share are left out."""
    parts = varied(found)
    listed = [[use for use in found.usage if use.part == part] for part in parts]
    heights = [len(items) for items in listed]
    options = {"squeeze": False, "gridspec_kw": {"height_ratios": heights}, "sharex": True}
    with canvas(1.3 + sum(0.27 * n + 0.5 for n in heights), 1, len(parts), footer, **options) as (figure, grid):
        for panel, part, items in zip(grid[:, 0], parts, listed, strict=True):
            _used(panel, part, sorted(items, key=lambda use: (-use.share, -use.field)))
        grid[-1, 0].set_xlabel("percent of crews that have it\nbars: of the mixture, with deviation; circles: of the whole field")
        return saved(figure)


def _within(share: float, deviation: float) -> list[list[float]]:
    """Both arms of a deviation, in percent, as far as there are shares."""
    return [[100 * min(deviation, share)], [100 * min(deviation, 1 - share)]]


def _used(panel: Any, part: str, items: Sequence[Use]) -> None:
    for row, use in enumerate(items):
        panel.barh(row, 100 * use.share, height=0.62, color=SELECTED)
        panel.errorbar(100 * use.share, row, xerr=_within(use.share, use.sd), fmt="none", ecolor=INK, capsize=2, linewidth=0.9)
        panel.plot([100 * use.field], [row], marker="o", markerfacecolor="none", color=OTHERS, markersize=6)
    panel.set_yticks(range(len(items)), [shortened(use.item, 30) for use in items], fontsize=8)
    panel.set(ylim=(len(items) - 0.5, -0.5), xlim=(0, 101), title=f"Use of {part}")
    panel.grid(axis="x")
    panel.set_axisbelow(True)


def growing(steps: Sequence[Step], growth: Growth, footer: str) -> Image:
    """What each answer gains against the mixture of its time, and how large field and mixture were."""
    answered = [step for step in steps if step.answer]
    with canvas(5.4, 1, 2, footer, sharex=True, gridspec_kw={"height_ratios": [3, 2]}) as (figure, (top, below)):
        top.axhline(0, color=FAINT, linewidth=1.2)
        top.axhline(growth.margin, color=OTHERS, linestyle="--", linewidth=1.2, label=f"margin {growth.margin:g}")
        for step in answered:
            ends = [[100 * (step.gain - step.low)], [100 * (step.high - step.gain)]]
            top.errorbar(step.step, 100 * step.gain, yerr=ends, fmt="o", color=SELECTED, capsize=4, linewidth=1.8, markersize=6)
        if answered:
            searched = [100 * step.searched for step in answered]
            top.plot([], [], "o", color=SELECTED, label="confirmed on fresh keys")
            x = [step.step for step in answered]
            top.plot(x, searched, "s", color=FAINT, markerfacecolor="none", label="the search's own estimate")
        top.set(ylabel="gain, percent points", title="What the best answer found gains against the mixture")
        numbers = [step.step for step in steps]
        below.plot(numbers, [step.crews for step in steps], marker="s", color=OTHERS, label="crews of the field")
        below.plot(numbers, [step.support for step in steps], marker="o", color=SELECTED, label="crews of the mixture")
        below.set(ylim=(0, None), xlabel="step", ylabel="crews", xlim=(0.5, len(steps) + 0.5))
        below.set_xticks(numbers)
        below.yaxis.get_major_locator().set_params(integer=True)
        for panel in (top, below):
            panel.grid()
        figure.legend(loc="outside lower center", ncols=3, fontsize=8)
        return saved(figure)
