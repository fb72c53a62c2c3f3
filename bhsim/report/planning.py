"""How many games questions need, as tables and as a plot."""

from __future__ import annotations

from collections.abc import Sequence

from bhsim.lab.plan import Step
from bhsim.report.figures import LINES, MARKERS, SIDE_COLOURS, canvas, saved
from bhsim.report.grid import Grid
from bhsim.report.plots import Image


def plan_grids(widths: Sequence[Step], shifts: Sequence[Step], power: float, alpha: float) -> list[Grid]:
    """Games by the width of an interval, and by the shift to be found with this power at this level."""
    head, numeric = ["points", "games", "pairs", "time here"], [True] * 4
    title = f"Shift found with a chance of {100 * power:g} %, false alarms {100 * alpha:g} %"
    return [
        Grid(caption, head, [_row(s) for s in steps], numeric)
        for caption, steps in (("Width of the 95 % interval", widths), (title, shifts))
    ]


def plan_plot(widths: Sequence[Step], shifts: Sequence[Step], power: float, footer: str) -> Image:
    """Games against points, both axes by powers of ten."""
    with canvas(3.6, footer=footer) as (figure, axes):
        for number, (name, steps) in enumerate((("width of the 95 % interval", widths), (f"shift found with {100 * power:g} %", shifts))):
            style = {"color": SIDE_COLOURS[number], "marker": MARKERS[number], "linestyle": LINES[number]}
            axes.plot([s.points for s in steps], [s.games for s in steps], label=name, **style)
        axes.set(xscale="log", yscale="log", xlabel="percent points", ylabel="games", title="Games needed")
        points = sorted({s.points for s in (*widths, *shifts)})
        axes.set_xticks(points, [f"{p:g}" for p in points])
        axes.minorticks_off()
        axes.grid()
        figure.legend(loc="outside upper right", ncols=2, fontsize=9)
        return saved(figure)


def duration(seconds: float) -> str:
    """Seconds in the unit that people would choose."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds"


def _row(step: Step) -> list[str]:
    return [f"{step.points:g}", f"{step.games:,}", f"{step.keys:,}", duration(step.seconds)]
