"""What matters, as tables and plots: tornados of effects, the largest at the top; cards by lot; restricted play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bhsim.lab import effects, sensitivity
from bhsim.lab.effects import Effects, ItemEffect
from bhsim.lab.restricted import Cost
from bhsim.lab.sensitivity import Measured, Sensitivity
from bhsim.lab.store import Folder, write_bytes
from bhsim.report.figures import FAINT, INK, SIDE_COLOURS, Image, canvas, saved
from bhsim.report.grid import Grid, Plot, Section, ends_text, percent
from bhsim.report.plots import shortened
from bhsim.stats.many import luck_of_the_best

MATTERS = ("sensitivity", "effects")  # kinds of run
MAX_BARS = 30
MAX_PAIRS = 20  # rows of a table; the file has them all
CONVINCING = 0.05  # q-value up to which a bar is filled
LABEL = 44
WARNING = (
    "Win rates of games in which a card was drawn or played only describe: winners see more cards, and cards are played when things go "
    "well, so even a harmful card can look good there. The effect comes from builds drawn by lot; trust that one."
)


@dataclass(frozen=True)
class Bar:
    """An effect with its interval, in the unit of the axis. note: small print at its right."""

    label: str
    value: float
    low: float
    high: float
    q: float
    note: str = ""


def tornado(bars: Sequence[Bar], title: str, x_label: str, footer: str, hollow: str = f"q above {CONVINCING}") -> Image:
    """Effects as bars from 0, in the order given; those with a q-value above ``CONVINCING`` are hollow. At most ``MAX_BARS`` are drawn.

    hollow: what the plot says of hollow bars, where q stands for a plain yes (0) or no (1).
    """
    shown = bars[:MAX_BARS]
    rest = f" (the first {MAX_BARS} of {len(bars)})" if len(bars) > MAX_BARS else ""
    with canvas(1.5 + 0.3 * len(shown), footer=footer) as (figure, axes):
        for at, bar in enumerate(shown):
            colour = SIDE_COLOURS[0] if bar.value >= 0 else SIDE_COLOURS[1]
            face = colour if bar.q <= CONVINCING else "none"
            axes.barh(at, bar.value, height=0.66, facecolor=face, edgecolor=colour, linewidth=1.2)
            ends = [[bar.value - bar.low], [bar.high - bar.value]]
            axes.errorbar(bar.value, at, xerr=ends, fmt="none", ecolor=INK, capsize=3, linewidth=1.1)
            axes.annotate(bar.note, (1.01, at), xycoords=("axes fraction", "data"), va="center", fontsize=8)
        axes.axvline(0, color=FAINT, linewidth=1.2)
        reach = [bar.low for bar in shown] + [bar.high for bar in shown] + [0.0]
        pad = 0.06 * (max(reach) - min(reach)) or 1.0
        axes.set(xlim=(min(reach) - pad, max(reach) + pad), ylim=(len(shown) - 0.5, -0.5), xlabel=x_label, title=title + rest)
        axes.set_title(f"hollow: {hollow}", loc="right", fontsize=8, fontweight="normal")
        axes.set_yticks(range(len(shown)), [shortened(bar.label, LABEL) for bar in shown], fontsize=9)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        return saved(figure)


def write_plots(directory: Path, drawn: Sequence[Plot]) -> None:
    """Writes each plot as SVG and PNG into the folder's plots/."""
    (directory / "plots").mkdir(exist_ok=True)
    for plot in drawn:
        for ending, data in plot.image.items():
            write_bytes(directory / "plots" / f"{plot.name}.{ending}", data)


def matters_section(folder: Folder, footer: str) -> Section:
    """What a complete run of ``sensitivity`` or ``effects`` found, for its report."""
    if folder.manifest["kind"] == "sensitivity":
        found = sensitivity.measure(folder)
        return Section("What matters", [], sensitivity_plots(found, footer), sensitivity_grids(found))
    by_lot = effects.measure_folder(folder)
    text = [WARNING] if any(row.described for row in by_lot.items) else []
    return Section(
        "What matters", text, effects_plots(by_lot, footer), [g for g in (effects_grid(by_lot), restricted_grid(by_lot)) if g.rows]
    )


# Sensitivity


def sensitivity_grids(found: Sensitivity) -> list[Grid]:
    """Effects against all opponents together, then against each; the largest pairs; what could not be varied."""
    word = found.metric.replace("_", " ")
    head = ["path", f"{word}, low to high", "95 % interval", "q", "now", "low", "high"]
    grids = []
    for opponent in [None, *found.opponents] if len(found.opponents) > 1 else [None]:
        family = found.family(opponent)
        against = f", against {family[0].opponent}" if len(found.opponents) > 1 else ""
        rows = [[_label(m), *_numbers(found, m), *map(_text, (m.factors[0].present, m.factors[0].low, m.factors[0].high))] for m in family]
        grids.append(Grid(f"Effects on {word} in {found.unit}{against}", head, rows, [False] + [True] * 6, _beyond_note(found, opponent)))
    if pairs := found.family(pairs=True):
        more = f" (the largest {MAX_PAIRS} of {len(pairs)})" if len(pairs) > MAX_PAIRS else ""
        rows = [[_label(m), *_numbers(found, m)] for m in pairs[:MAX_PAIRS]]
        caption = f"Pairs{more}: half of how much one changes the effect of the other"
        grids.append(Grid(caption, ["pair", *head[1:4]], rows, [False] + [True] * 3))
    if found.skipped:
        grids.append(Grid("Cannot be varied", ["path", "why"], [list(s) for s in found.skipped], [False, False]))
    return grids


def _beyond_note(found: Sensitivity, opponent: str | None) -> str:
    beyond = found.beyond[opponent or found.overall]
    if beyond is None:
        return ""
    size = f"{found.shown(beyond):.2f} {found.unit}"
    return (
        f"Columns without a factor show {size} of what three or more factors do together; main effects may be off by such amounts. "
        "A small figure is no proof that they are not: only some of these columns are seen."
    )


def sensitivity_plots(found: Sensitivity, footer: str) -> list[Plot]:
    """Tornados of the factors, and of the pairs where the design tells them apart; against all opponents."""
    x_label = f"{found.metric.replace('_', ' ')} in {found.unit}, from low to high, with 95 % interval"
    drawn = [_plot("tornado", "What moves it", _bars(found, False), x_label, footer)]
    return drawn + ([_plot("tornado-pairs", "What two do together", _bars(found, True), x_label, footer)] if found.pairs else [])


def _plot(name: str, title: str, bars: Sequence[Bar], x_label: str, footer: str) -> Plot:
    return Plot(name, f"{title}: {x_label}", partial(tornado, bars, title, x_label, footer))


def _bars(found: Sensitivity, pairs: bool) -> list[Bar]:
    return [
        Bar(_label(m), *map(found.shown, (m.effect.mean, m.effect.low, m.effect.high)), m.q, "" if pairs else _levels(m))
        for m in found.family(pairs=pairs)
    ]


def _label(measured: Measured) -> str:
    return " with ".join(f.path for f in measured.factors)


def _levels(measured: Measured) -> str:
    return f"{measured.factors[0].low} .. {measured.factors[0].high}"


def _numbers(found: Sensitivity, m: Measured) -> list[str]:
    e = m.effect
    return [f"{found.shown(e.mean):+.2f}", f"{found.shown(e.low):+.2f} to {found.shown(e.high):+.2f}", q_text(m.q)]


def _text(value: Any) -> str:
    return "-" if value is None else str(value)


def q_text(q: float) -> str:
    """A q-value for a table."""
    return "< 0.0001" if q < 0.0001 else f"{q:.2g}"


# Effects by lot, and restricted play


def effects_grid(found: Effects) -> Grid:
    """One row an item, the best first; what only describes stands at the right."""
    describing = list(next((row.described for row in found.items if row.described), {}))
    head = [found.part.removesuffix("s"), "effect of one", "95 % interval", "shrunk", "q", "now", "mean in builds"]
    head += [f"({name.replace('_', ' ')})" for name in describing]
    rows = [
        [row.item, f"{100 * row.effect:+.2f}", ends_text(row.low, row.high), f"{100 * row.shrunk:+.2f}", q_text(row.q)]
        + [str(row.copies), f"{row.mean:.2f}"]
        + [_rate(row, name) for name in describing]
        for row in found.items
    ]
    caption = f"Effects of {found.part} on the first side's score, in percent points"
    note = f"By {found.builds} builds drawn by lot."
    if found.contrasts:
        note += f" Every build has the same number of {found.part}, so an effect is one more in the place of an average one."
    if len(found.items) > 2:
        luck = luck_of_the_best(len(found.items))
        note += f" Of {len(found.items)} equal ones the best would look {luck:.1f} standard errors too good."
    return Grid(caption, head, rows, [False] + [True] * (len(head) - 1), note)


def restricted_grid(found: Effects) -> Grid:
    """What each restriction cost, bot by bot, the largest first."""
    head = ["bot", "card", "how", "free", "restricted - free", "95 % interval", "q"]
    ordered = sorted(
        found.costs, key=lambda c: (found.costs[0].restriction.bot != c.restriction.bot, c.restriction.bot, -abs(c.difference.mean))
    )
    rows = []
    for c in ordered:
        r, d = c.restriction, c.difference
        rows.append([r.bot, r.item, r.how, percent(c.free), f"{100 * d.mean:+.2f}", ends_text(d.low, d.high), q_text(c.q)])
    note = "On the same keys, in percent points; a bot that never plays a card still draws, holds and flips it."
    return Grid("Restricted play", head, rows, [False] * 3 + [True] * 4, note)


def effects_plots(found: Effects, footer: str) -> list[Plot]:
    """Tornados of the effects by lot, and of the restrictions if they were played."""
    x_label = "percent points of the first side's score, with 95 % interval"
    bars = [Bar(row.item, *(100 * x for x in (row.effect, row.low, row.high)), row.q) for row in found.items]
    drawn = [_plot("tornado", f"What one more of these {found.part} does", bars, x_label, footer)]
    if found.costs:
        several = len({cost.restriction.bot for cost in found.costs}) > 1
        held = [_cost_bar(cost, several) for cost in sorted(found.costs, key=lambda cost: -abs(cost.difference.mean))]
        drawn.append(_plot("tornado-restricted", "Restricted against free play", held, x_label, footer))
    return drawn


def _cost_bar(cost: Cost, several: bool) -> Bar:
    r, d = cost.restriction, cost.difference
    label = f"{r.how} {r.item}" + (f" ({r.bot})" if several else "")
    return Bar(label, 100 * d.mean, 100 * d.low, 100 * d.high, cost.q)


def _rate(row: ItemEffect, name: str) -> str:
    value = row.described.get(name)
    return "-" if value is None else percent(value)
