"""The plots along a sweep's axes: curves, heat maps, the table of all against all, points drawn by lot, the crews' means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from bhsim.lab.axis import MATCH_UP_LABELS, SAMPLED
from bhsim.lab.findings import Findings
from bhsim.lab.results import Result
from bhsim.report import grids, plots
from bhsim.report.grid import Plot, Section
from bhsim.report.grids import Frame, Spot
from bhsim.stats.intervals import ScoreInterval

MAX_MAPS = 12
MAX_SPOTS = 1000  # of a line in a plot of drawn points
MAX_CREW_ROWS = 40

Groups = dict[str, list[Result]]


def along(results: Sequence[Result], design: str, footer: str) -> list[Section]:
    """What ``_along`` draws, apart for each number of players, since their rates have other middles."""
    sizes = list(dict.fromkeys(len(r.sides) for r in results))
    if len(sizes) == 1:
        return _along(results, design, footer, "")
    sections = []
    for size in sizes:
        for section in _along([r for r in results if len(r.sides) == size], design, footer, f", {size} players"):
            plots = [replace(plot, name=f"{plot.name}-{size}-players") for plot in section.plots]
            sections.append(replace(section, title=f"{section.title}, {size} players", plots=plots))
    return sections


def _along(results: Sequence[Result], design: str, footer: str, table: str) -> list[Section]:
    """A curve for one axis that has several values (of zip for all, which move together), heat maps for two, a panel an axis for points
    that were drawn by lot; and for no axis the crews against each other, or the bots. table: what titles say of it."""
    varied = _varied([r.contest.setting for r in results])
    axes = [a for a in varied if a not in MATCH_UP_LABELS]
    drawn = bool(axes) and design in SAMPLED
    if not axes:
        axes = ["crew", "opponent"] if "crew" in results[0].contest.setting else ["bot"] if "bot" in varied else []
    named = [label for label in MATCH_UP_LABELS if label in varied and label not in axes]
    groups: Groups = {}
    for r in results:
        groups.setdefault(_group(r, axes, named), []).append(r)
    unit = results[0].contest.game.score_unit
    frame = Frame("", f"{unit} of the first side, percent", 1 / len(results[0].sides), footer, _legend(named), table)
    if drawn:
        return [_scatters(axes, groups, frame)]
    if len(axes) == 1 or (axes and design == "zip"):
        return [_curves(axes, groups, frame)]
    if axes == ["crew", "opponent"]:
        return [_maps(axes, groups, replace(frame, value=f"{unit} of the crew in the row, percent"), square=True)]
    full = len(axes) == 2 and all(_is_full(group, axes) for group in groups.values())
    return [_maps(axes, groups, frame, square=False)] if full else []


def crew_plots(found: Findings, footer: str) -> list[Plot]:
    """Each crew's mean in all against all: as a list, and along the axis if there is one."""
    if not found.crews:
        return []
    unit = found.results[0].contest.game.score_unit
    frame = Frame(f"Mean {unit} against all others", f"mean {unit}, percent", 1 / len(found.results[0].sides), footer, "crew")
    varied = _varied([c.setting for c in found.crews])
    if len(varied) == 1 and varied != ["bot"]:
        lines: dict[str, list[Spot]] = {}
        for c in found.crews:
            lines.setdefault(c.crew, []).append(Spot(c.setting, c.score))
        return _curve_plots("crews", lines, varied, replace(frame, title=f"{frame.title} along {varied[0]}"))
    ordered = sorted(found.crews, key=lambda c: (*c.setting.values(), -c.score.mean))[:MAX_CREW_ROWS]
    entries = [(" ".join([c.crew, *(f"({c.setting[a]})" for a in varied)]), c.score, 0) for c in ordered]
    rest = f" (the first {MAX_CREW_ROWS} of {len(found.crews)})" if len(found.crews) > MAX_CREW_ROWS else ""
    draw = partial(plots.rates, entries, [frame.fair] * len(entries), frame.title + rest, footer)
    return [Plot("crews", f"{frame.title} with 95 % intervals", draw)]


def _varied(settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Labels that have several values."""
    return [label for label in settings[0] if len({s[label] for s in settings}) > 1]


def _group(result: Result, axes: Sequence[str], named: Sequence[str]) -> str:
    """What tells a line or a map from the others: the parts of the match-up that are no axis of it."""
    parts = [result.contest.setting[label] for label in named]
    return " - ".join(parts) or ("" if "crew" in axes else " & ".join(filter(None, (s.side.who for s in result.sides[1:]))))


def _legend(named: Sequence[str]) -> str:
    return "against" if list(named) in ([], ["opponent"]) else " - ".join(named)


def _is_full(group: Sequence[Result], axes: Sequence[str]) -> bool:
    rows, columns = (len({r.contest.setting[a] for r in group}) for a in axes)
    return len(group) == rows * columns


def _lines(groups: Groups) -> dict[str, list[Spot]]:
    return {name: [Spot(r.contest.setting, r.sides[0].score) for r in group] for name, group in groups.items()}


def _parts(lines: dict[str, list[Spot]]) -> list[dict[str, list[Spot]]]:
    """As many lines as one plot can tell apart."""
    names = list(lines)
    return [{n: lines[n] for n in names[i : i + grids.MAX_LINES]} for i in range(0, len(names), grids.MAX_LINES)]


def _curve_plots(name: str, lines: dict[str, list[Spot]], axes: Sequence[str], frame: Frame) -> list[Plot]:
    return [Plot(_numbered(name, n), frame.title, partial(grids.curve, part, axes, frame)) for n, part in enumerate(_parts(lines))]


def _curves(axes: Sequence[str], groups: Groups, frame: Frame) -> Section:
    title = f"{_unit(groups)} along {axes[0] if len(axes) == 1 else f'{len(axes)} axes that move together'}"
    drawn = _curve_plots("curve", _lines(groups), axes, replace(frame, title=title + frame.table))
    return Section(f"Along {' and '.join(axes)}", plots=drawn)


def _scatters(axes: Sequence[str], groups: Groups, frame: Frame) -> Section:
    section = Section("Along each axis", ["Each mark is a contest with other values on the other axes, so marks scatter beyond chance."])
    if any(len(group) > MAX_SPOTS for group in groups.values()):
        section.text.append(f"The first {MAX_SPOTS} points of each match-up; the tables have them all.")
    frame = replace(frame, title=f"{_unit(groups)} along each axis, all drawn by lot{frame.table}")
    lines = {name: spots[:MAX_SPOTS] for name, spots in _lines(groups).items()}
    for n, part in enumerate(_parts(lines)):
        section.plots.append(Plot(_numbered("scatter", n), frame.title, partial(grids.scatter, part, axes, frame)))
    return section


def _maps(axes: Sequence[str], groups: Groups, frame: Frame, square: bool) -> Section:
    section = Section(f"{axes[0]} by {axes[1]}")
    if len(groups) > MAX_MAPS:
        section.text.append(f"The first {MAX_MAPS} of {len(groups)} match-ups; the tables have them all.")
    shown = dict(list(groups.items())[:MAX_MAPS])
    reach = grids.reach_of((r.sides[0].score for group in shown.values() for r in group), frame.fair)  # one scale for all
    for number, (name, group) in enumerate(shown.items()):
        title = _unit(groups) if not name else f"{_unit(groups)}, {name}" if square else f"{_unit(groups)} against {name}"
        cells = {(r.contest.setting[axes[0]], r.contest.setting[axes[1]]): r.sides[0].score for r in group}
        if square:
            cells = _both_ways(cells)
        draw = partial(grids.heat_map, cells, (axes[0], axes[1]), reach, replace(frame, title=title + frame.table))
        section.plots.append(Plot(_numbered("heat-map", number), f"{title} by {axes[0]} and {axes[1]}", draw))
    return section


def _both_ways(cells: dict[tuple[str, str], ScoreInterval]) -> dict[tuple[str, str], ScoreInterval]:
    """Each pair of crews from either side, in the crews' order: what one wins of two sides the other loses."""
    both = cells | {(b, a): replace(s, mean=1 - s.mean, low=1 - s.high, high=1 - s.low) for (a, b), s in cells.items()}
    crews = list(dict.fromkeys(name for pair in cells for name in pair))
    return {(a, b): both[a, b] for a in crews for b in crews if (a, b) in both}


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number}" if number else name


def _unit(groups: Groups) -> str:
    return next(iter(groups.values()))[0].contest.game.score_unit.capitalize()
