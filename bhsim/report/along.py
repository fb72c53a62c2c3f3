"""The plots along a sweep's axes: curves, heat maps, the table of all against all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bhsim.lab.results import Result
from bhsim.lab.spec import MATCH_UP_LABELS
from bhsim.report import grids
from bhsim.report.grid import Plot, Section

MAX_MAPS = 12


def along(results: Sequence[Result], design: str, footer: str) -> list[Section]:
    """A curve for one axis that has several values, heat maps for two, and for none the crews against each other or the bots."""
    varied = [a for a in results[0].contest.setting if len({r.contest.setting[a] for r in results}) > 1]
    axes = [a for a in varied if a not in MATCH_UP_LABELS]
    if axes and design == "zip":
        axes = axes[:1]  # the others run with it
    if not axes:
        axes = ["crew", "opponent"] if "crew" in results[0].contest.setting else ["bot"] if "bot" in varied else []
    groups: dict[str, list[Result]] = {}
    for r in results:
        groups.setdefault(_match_up(r, axes, varied), []).append(r)
    if len(axes) == 1:
        return [_curves(axes[0], groups, footer)]
    full = len(axes) == 2 and all(_is_full(group, axes) for group in groups.values())
    return [_maps(axes, groups, footer)] if full or axes == ["crew", "opponent"] else []


def _match_up(result: Result, axes: Sequence[str], varied: Sequence[str]) -> str:
    """What tells a line or a map from the others: the parts of the match-up that are no axis of it."""
    setting = result.contest.setting
    parts = [setting[label] for label in MATCH_UP_LABELS if label in setting and label in varied and label not in axes]
    return " - ".join(parts) or ("" if "crew" in axes else result.sides[1].side.crew)


def _is_full(group: Sequence[Result], axes: Sequence[str]) -> bool:
    rows, columns = (len({r.contest.setting[a] for r in group}) for a in axes)
    return len(group) == rows * columns


def _curves(axis: str, groups: dict[str, list[Result]], footer: str) -> Section:
    section = Section(f"Along {axis}")
    title = f"{_unit(groups)} along {axis}"
    names = list(groups)
    for number, first in enumerate(range(0, len(names), grids.MAX_LINES)):
        lines = {n: groups[n] for n in names[first : first + grids.MAX_LINES]}
        section.plots.append(Plot(f"curve-{number}" if number else "curve", title, partial(grids.curve, lines, axis, title, footer)))
    return section


def _maps(axes: Sequence[str], groups: dict[str, list[Result]], footer: str) -> Section:
    section = Section(f"{axes[0]} by {axes[1]}")
    if len(groups) > MAX_MAPS:
        section.text.append(f"The first {MAX_MAPS} of {len(groups)} match-ups; the tables have them all.")
    for number, (name, group) in enumerate(list(groups.items())[:MAX_MAPS]):
        title = _unit(groups) if not name else f"{_unit(groups)}, {name}" if "crew" in axes else f"{_unit(groups)} against {name}"
        draw = partial(grids.heat_map, group, axes[0], axes[1], title, footer)
        section.plots.append(Plot(f"heat-map-{number}" if number else "heat-map", f"{title} by {axes[0]} and {axes[1]}", draw))
    return section


def _unit(groups: dict[str, list[Result]]) -> str:
    return next(iter(groups.values()))[0].contest.game.score_unit.capitalize()
