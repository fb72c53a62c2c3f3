"""Balancing as tables and plots: what is most out of line, the front of distance against cost, numbers before and after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from bhsim.lab.balance_files import play_command
from bhsim.lab.balance_found import FoundSingle
from bhsim.lab.balance_result import Balanced, Number, PointResult, balanced_folder
from bhsim.lab.store import Folder
from bhsim.report.figures import FAINT, INK, SIDE_COLOURS, Image, canvas, saved
from bhsim.report.grid import Grid, Plot, Section, ends_text, percent
from bhsim.report.matters import Bar, tornado
from bhsim.report.plots import shortened

MAX_SINGLES = 12
LITTLE = 0.1  # points of distance of which no number is to blame
MOST_NAMED = 4  # items of a part in a sentence
LABEL = 46
BAND = "#009E73"
COLOURS = {"reached": "#009E73", "undecided": "#E69F00", "not reached": "#D55E00"}


def balance_sections(folder: Folder, footer: str) -> list[Section]:
    """What a complete run found, for its report."""
    found = balanced_folder(folder)
    section = Section("Balance", headline(found), balance_plots(found, footer), balance_grids(found))
    if found.recommended:
        section.commands += ["# inside this folder", play_command(".", folder.manifest, found.recommended)]
    return [section, Section("How to read this", _method(found))]


def headline(found: Balanced) -> list[str]:
    """The answer in sentences: the number that is most out of line, what reaches the target, and what is hardly used there."""
    best = found.recommended or found.base
    return [*_answer(found), *(_use_lines(best) if found.base.verdict != "reached" else [])]


def answer(found: Balanced) -> str:
    """What reaches the target, in a sentence."""
    return _answer(found)[-1]


def _answer(found: Balanced) -> list[str]:
    if found.base.verdict == "reached":
        return [f"All targets hold: distance {_distance(found.base)} in {found.base.games:,} games. Nothing has to change."]
    lines, base = [], found.record.distance or 0.0
    if found.record.status == "not needed":
        held = "hold" if found.base.verdict_but_use == "reached" else "held in the first games"
        lines.append(
            f"All targets but use {held}: distance {_distance(found.base)}. Nothing was searched: use is judged, not searched for."
        )
    elif base < LITTLE:
        lines.append(f"No number lies clearly outside of its limits as it is: distance {_distance(found.base)}.")
    elif found.named and found.named.single.distance >= base:
        lines.append(
            f"No single number stands out: by the search none surely brings the distance below {base:.2f} points if it alone is changed."
        )
    elif found.named:
        single = found.named.single
        lines.append(
            f"Most out of line: {single.path} = {single.present}. With {single.value} alone the distance falls from {base:.2f} to "
            f"{single.distance:.2f} points, by the search; in {percent(found.named.share, 0)} of its draws no other path does as well."
        )
    best = found.recommended
    if best is None:
        verdict = {"undecided": "may be reached, but the games do not tell", "not reached": "is not reached"}[found.verdict]
        as_it_is = f"by the set as it is (now, distance {_distance(found.base)})"
        why = " No change that was played does better on fresh keys: none is recommended." if found.points else ""
        return [*lines, f"The target {verdict}, {as_it_is}.{why}"]
    words = {
        "reached": "The target is reached at the least cost by",
        "undecided": "The target may be reached, but the games do not tell, by",
        "not reached": "The target is not reached; nearest comes",
    }
    changes = ", ".join(c.words for c in best.changes)
    return [*lines, f"{words[best.verdict]} point {best.name}: {changes} (cost {best.cost:g}, distance {_distance(best)})."]


def _some(items: Sequence[str]) -> str:
    """The first of many; the table has all."""
    return ", ".join([*items[:MOST_NAMED], *([f"and {len(items) - MOST_NAMED} more"] if len(items) > MOST_NAMED else [])])


def _use_lines(p: PointResult) -> list[str]:
    """What is not used enough there, and what may not be."""
    lines = []
    for verdict, words in (("not ok", "Used too little there"), ("undecided", "Whether it is used enough there, the games do not tell")):
        found: dict[str, list[str]] = {}
        for n in p.numbers:
            if n.use and n.judged.verdict == verdict:
                part, _, item = n.label.removeprefix("use of ").partition(": ")
                found.setdefault(part, []).append(f"{item} {percent(n.score.mean, 1)} ({ends_text(n.score.low, n.score.high)})")
        lines += [f"{words}: of the {part} {_some(items)}." for part, items in found.items()]
    return lines


def balance_grids(found: Balanced) -> list[Grid]:
    """Points; the numbers now and at the recommended point; single changes; what was left out."""
    points = (found.base, *found.points)
    head = ["point", "changes", "cost", "distance", "intervals allow", "search", "games", "verdict"]
    rows = [_point_row(found, p) for p in points]
    note = "Distance: root mean square of how far the numbers lie outside of their limits, in percent points."
    if found.points:
        note = (
            f"{note[:-1]}, on keys that the search had not seen; beside it the search's own estimate. "
            "Of several changes the one that removes most alone stands first. * is recommended."
        )
    numeric = [False, False, True, True, False, True, True, False]
    if found.record.usage:
        head.insert(-1, "use")
        numeric.insert(-1, False)
        note += " Use is judged, not searched for"
        note += ", and was not played for (-) where the search saw that the rest of the target is far." if found.points else "."
    grids = [Grid("Points", head, rows, numeric, note)]
    shown = [found.base, *([found.recommended] if found.recommended else [])]
    grids.append(_number_grid(shown))
    if found.record.singles:
        grids.append(_single_grid(found))
    if found.record.skipped:
        grids.append(Grid("Left out", ["path", "why"], _skipped(found.record.skipped), [False, False]))
    return grids


def _point_row(found: Balanced, p: PointResult) -> list[str]:
    name = f"{p.name} *" if p is found.recommended else p.name
    search = found.record.distance if p.found is None else p.found.distance
    changes = "\n".join(c.words for c in p.changes) or "-"
    sizes = [f"{p.distance:.2f}", f"{p.low:.2f} to {p.high:.2f}", "-" if search is None else f"{search:.2f}"]
    use = [p.use or "-"] if found.record.usage else []
    return [name, changes, f"{p.cost:g}", *sizes, f"{p.games:,}", *use, p.verdict]


def _number_grid(points: Sequence[PointResult]) -> Grid:
    head = ["number", "limits"]
    for p in points:
        name = "now" if p.found is None else f"point {p.name}"
        head += [name, "95 % interval", "verdict", "games"]
    rows = []
    for first in points[0].numbers:
        low, high = first.judged.limits
        row = [first.label, f"{100 * low:g} % or more" if first.use else f"{100 * low:g} to {100 * high:g} %"]
        for p in points:
            n = next((n for n in p.numbers if n.label == first.label), None)
            row += [percent(n.score.mean), ends_text(n.score.low, n.score.high), n.judged.verdict, f"{n.games:,}"] if n else ["-"] * 4
        rows.append(row)
    level = points[0].numbers[0].judged.level
    note = f"Rates of the crew named first. Verdicts by intervals of level {percent(level)}, all numbers of all points being one family."
    used = [n for n in points[0].numbers if n.use]
    if used:
        note += (
            " Use: the share of the equilibrium mixture's crews that have the item; its interval holds what draws of whole keys make it, "
            f"and what rates that are off all at once do; a family of its own, of level {percent(used[0].judged.level)}."
        )
    return Grid("Numbers", head, rows, [False, False] + [True, True, False, True] * len(points), note)


def _single_grid(found: Balanced) -> Grid:
    singles = _best_of_each(found.record.singles)
    head = ["single change", "cost", "distance left", "95 % of draws", "nearest of all", "keys"]
    rows = [
        [s.words, f"{s.cost:g}", f"{s.distance:.2f}", f"{s.low:.2f} to {s.high:.2f}", percent(s.first, 0), f"{s.keys:,}"]
        for s in singles[:MAX_SINGLES]
    ]
    caption = "Single changes, the best value of each path"
    if len(singles) > MAX_SINGLES:
        caption += f" (the first {MAX_SINGLES} of {len(singles)})"
    size = f"{found.record.games:,} games, {found.record.tried:,} combinations"
    note = f"By the search alone: {size}; what was hardly played leans on the rest."
    return Grid(caption, head, rows, [False] + [True] * 5, note)


def _best_of_each(singles: Sequence[FoundSingle]) -> list[FoundSingle]:
    best: dict[str, FoundSingle] = {}
    for single in singles:
        best.setdefault(single.path, single)
    return list(best.values())


def _skipped(skipped: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Paths that have the same reason share a row."""
    by_reason: dict[str, list[str]] = {}
    for path, why in skipped:
        by_reason.setdefault(why, []).append(path)
    return [[", ".join(dict.fromkeys(paths)), why] for why, paths in by_reason.items()]


def _distance(p: PointResult) -> str:
    return f"{p.distance:.2f} points, its intervals allow {p.low:.2f} to {p.high:.2f}"


def _method(found: Balanced) -> list[str]:
    used = "A use hangs on the last point of many rates, the more so the fairer the crews are; so its interval is often wide."
    return [
        "Every point was found on other luck than it is shown with: the search has a root of its own, the points have the run's seed. "
        "`bhsim play` with a point's variant file, the same seed and number of games gives its rates again exactly.",
        "A point reaches the target if every number is ok: the interval lies within the limits. It does not if one lies beyond them. Those "
        "which the search saw far from the target were played just long enough to show it.",
        *([used] if found.record.usage else []),
        "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind.",
    ]


# Plots


def balance_plots(found: Balanced, footer: str) -> list[Plot]:
    """Front, numbers before and after, and the single changes; the first and last only where something was searched."""
    numbers = Plot("numbers", "Each number now and at the recommended point, with its limits", partial(numbers_plot, found, footer))
    if not found.points:
        return [numbers]
    front = Plot("front", "Distance to the target against cost of the change", partial(front_plot, found, footer))
    return [front, numbers, Plot("screen", "What single changes remove of the distance", partial(screen_plot, found, footer))]


def front_plot(found: Balanced, footer: str) -> Image:
    """Distance against cost: confirmed with intervals, and the search's own figures hollow."""
    points = [found.base, *found.points]
    with canvas(4.2, footer=footer) as (figure, axes):
        axes.plot([p.cost for p in points], [p.distance for p in points], color=FAINT, linewidth=1.0, zorder=1)
        for p in points:
            colour = COLOURS[p.verdict]
            ends = [[max(0.0, p.distance - p.low)], [max(0.0, p.high - p.distance)]]
            axes.errorbar(p.cost, p.distance, yerr=ends, fmt="none", ecolor=INK, capsize=3, linewidth=1.0, zorder=2)
            marker = "*" if p is found.recommended else "o"
            axes.plot(p.cost, p.distance, marker, color=colour, markersize=14 if marker == "*" else 8, zorder=4)
            search = found.record.distance if p.found is None else p.found.distance
            if search is not None:
                axes.plot(p.cost, search, "o", markerfacecolor="none", markeredgecolor=INK, markersize=12, zorder=3)
        axes.set(xlabel="cost of the change", ylabel="distance to the target, points", title="How near for how much")
        top = max(max(p.high for p in points), 0.5)
        axes.set_ylim(-0.04 * top, 1.08 * top)
        axes.set_xlim(-0.05 * max(p.cost for p in points), 1.12 * max(p.cost for p in points))
        for p in points:
            name = "as it is" if p.found is None else p.name
            axes.annotate(name, (p.cost, p.distance), xytext=(9, 6), textcoords="offset points", fontsize=9)
        axes.grid()
        axes.set_axisbelow(True)
        from matplotlib.lines import Line2D

        shown = [v for v in COLOURS if any(p.verdict == v for p in points)]
        handles = [Line2D([], [], marker="o", linestyle="", color=COLOURS[v], markersize=8, label=v) for v in shown]
        if found.recommended:
            handles.append(Line2D([], [], marker="*", linestyle="", color=INK, markersize=12, label="recommended"))
        handles.append(
            Line2D([], [], marker="o", linestyle="", markerfacecolor="none", markeredgecolor=INK, markersize=10, label="by the search")
        )
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
        return saved(figure)


def numbers_plot(found: Balanced, footer: str) -> Image:
    """Every number now and at the recommended point, against the band of its limits; uses below, on a scale of their own."""
    series = [("now", found.base, SIDE_COLOURS[1], "o")]
    if found.recommended:
        series.append((f"point {found.recommended.name}", found.recommended, SIDE_COLOURS[0], "s"))
    panels = [numbers for use in (False, True) if (numbers := [n for n in found.base.numbers if n.use == use])]
    heights = [len(numbers) for numbers in panels]
    options = {"squeeze": False, "gridspec_kw": {"height_ratios": [n + 1 for n in heights]}}
    with canvas(1.2 + sum(0.7 + 0.42 * n for n in heights), 1, len(panels), footer, **options) as (figure, grid):
        for axes, numbers in zip(grid[:, 0], panels, strict=True):
            _panel_of_numbers(axes, numbers, series)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        return saved(figure)


def _panel_of_numbers(axes: Any, shown: Sequence[Number], series: Sequence[tuple[str, PointResult, str, str]]) -> None:
    rows = {n.label: row for row, n in enumerate(shown)}
    drawn = [[n for n in point.numbers if n.label in rows] for _, point, _, _ in series]
    for n in shown:
        low, high = n.judged.limits
        axes.barh(rows[n.label], 100 * (high - low), left=100 * low, height=0.8, color=BAND, alpha=0.16, edgecolor="none")
    for place, ((label, _, colour, marker), numbers) in enumerate(zip(series, drawn, strict=True)):
        shift = 0.0 if len(series) == 1 else 0.16 * (2 * place - 1)
        _row_of_numbers(axes, numbers, [rows[n.label] + shift for n in numbers], colour, marker, label)
    ends = [100 * x for numbers in drawn for n in numbers for x in (n.score.low, n.score.high)]
    ends += [100 * x for n in shown for x in n.judged.limits if 0 < x < 1]
    pad = 0.06 * (max(ends) - min(ends)) + 0.2
    axes.set(xlim=(min(ends) - pad, max(ends) + pad), ylim=(len(shown) - 0.5, -0.5))
    if shown[0].use:
        axes.set(xlim=(-2, 102), title="Use", xlabel="percent of the mixture's crews, with 95 % interval; green: enough")
    else:
        axes.set(title="Numbers against their limits", xlabel="percent, with 95 % interval; green: the limits")
    axes.set_yticks(range(len(shown)), [shortened(n.label.removeprefix("use of ")) for n in shown])
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def _row_of_numbers(axes: Any, numbers: Sequence[Number], places: Sequence[float], colour: str, marker: str, label: str) -> None:
    for row, n in zip(places, numbers, strict=True):
        mean, low, high = (100 * x for x in (n.score.mean, n.score.low, n.score.high))
        axes.errorbar(
            mean, row, xerr=[[mean - low], [high - mean]], fmt=marker, color=colour, ecolor=colour, capsize=3, markersize=6,
            linewidth=1.2, label=label if row == places[0] else None,
        )  # fmt: skip


def screen_plot(found: Balanced, footer: str) -> Image:
    """What the best value of each path removes of the distance alone."""
    base = found.record.distance or 0.0
    bars = [
        Bar(s.words, base - s.distance, base - s.high, base - s.low, 0.0 if s.high < base else 1.0, f"{s.keys}")
        for s in _best_of_each(found.record.singles)
    ]
    label = "points of distance removed, with 95 % of the draws; right: keys played"
    return tornado(bars, "Single changes", label, footer, "may remove nothing")
