"""How many games questions need, as tables and as a plot."""

from __future__ import annotations

from collections.abc import Sequence

from bhsim.lab.plan import GATE, GateStep, Pilot, Step, for_fixed_gate
from bhsim.report.figures import LINES, MARKERS, SIDE_COLOURS, canvas, saved
from bhsim.report.grid import Grid
from bhsim.report.plots import Image
from bhsim.stats.gate import LOOK_EVERY


def plan_grids(widths: Sequence[Step], shifts: Sequence[Step], power: float, alpha: float, deals: str = "pairs") -> list[Grid]:
    """Games by the width of an interval, and by the shift to be found with this power at this level."""
    head, numeric = ["points", "games", deals, "time here"], [True] * 4
    title = f"Shift found with a chance of {100 * power:g} %, false alarms {100 * alpha:g} %"
    return [
        Grid(caption, head, [_row(s) for s in steps], numeric)
        for caption, steps in (("Width of the 95 % interval", widths), (title, shifts))
    ]


def gate_grid(steps: Sequence[GateStep], found: Pilot) -> Grid:
    """What the gate takes, by the size of the change. steps: of ``lab.plan.for_gate``."""
    head = ["change in points", "says moved", "games", found.deals, "time here"]
    rows = [[f"{s.points:g}", f"{100 * s.moved:.1f} %", f"{s.games:,}", f"{s.keys:,}", duration(s.seconds)] for s in steps]
    note = (
        "Games of the new data on average, by a Brownian approximation of each direction alone, as if looks were not "
        f"{LOOK_EVERY} {found.deals} apart.\nOf a fixed number (--games) it takes {for_fixed_gate(found):,} to show that nothing changed, "
        f"with a chance of {100 * (1 - GATE.alpha):g} %."
    )
    if found.separate is None:
        note += "\nThis is as if old and new games had no luck in common; a pilot with --versus-set says what a change leaves."
    caption = f"Gate: bhsim check, margin {100 * GATE.margin:g}, resolution {100 * GATE.resolution:g} points"
    return Grid(caption, head, rows, [True] * len(head), note)


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
