"""A run folder as a report: report.md with plots beside it, and one self-contained report.html with the same content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Column, Table
from bhsim.lab.derive import LETTERS, differences, evaluated
from bhsim.lab.results import Result
from bhsim.lab.store import Folder, write_bytes
from bhsim.report import grids, plots
from bhsim.report.figures import inline_svg
from bhsim.stats.intervals import ScoreInterval
from bhsim.stats.paired import Difference

MAX_RATE_ROWS = 40
MAX_DETAILS = 3
HOUSE = "house values"


@dataclass(frozen=True)
class Plot:
    """A plot under its file name, with the words for who cannot see it."""

    name: str
    alt: str
    image: dict[str, bytes]


@dataclass(frozen=True)
class Grid:
    """A table of text. numeric: which columns are set flush right."""

    caption: str
    head: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    note: str = ""


@dataclass
class Section:
    """A heading and what stands under it."""

    title: str
    text: list[str] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Everything that both forms show."""

    title: str
    house_values: bool
    facts: list[tuple[str, str]]
    command: str
    sections: list[Section]


def write_report(folder: Folder) -> list[Path]:
    """Writes report.md, report.html and plots/ into the run folder; returns what it wrote. BadInput without a finished contest."""
    report = build(folder)
    written = []
    directory = folder.path / "plots"
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise BadInput(Fault(f"cannot write there: {error.strerror or error}", file=str(directory))) from None
    for section in report.sections:
        for plot in section.plots:
            for ending, data in plot.image.items():
                written.append(directory / f"{plot.name}.{ending}")
                write_bytes(written[-1], data)
    for name, text in (("report.md", _render("report.md.j2", report)), ("report.html", _render("report.html.j2", report))):
        written.append(folder.path / name)
        write_bytes(written[-1], text.encode())
    return written


def build(folder: Folder) -> Report:
    """Reads the run and draws its plots."""
    done = folder.finished()
    if not done:
        raise BadInput(Fault("no contest of this run is finished yet", file=str(folder.path)))
    manifest = folder.manifest
    results = evaluated(folder, done)
    gaps = differences(folder, done)
    footer = HOUSE if manifest["house_values"] else ""
    sections = [_results(results, gaps, footer)]
    if any(r.contest.setting for r in results) and len(done) == len(folder.contests):
        sections += _axes(results, footer)
    for result in _chosen(results):
        sections.append(_detail(result, footer, alone=len(results) == 1))
    sections.append(_method(results))
    games = sum(r.contest.games for r in results)
    facts = [
        ("game", manifest["game"]),
        ("engine", manifest["engine"]),
        ("data digest", manifest["data_digest"]),
        ("seed", str(manifest["seed"])),
        ("contests", f"{len(done)} of {len(folder.contests)}" if len(done) < len(folder.contests) else str(len(done))),
        ("games", f"{games:,}"),
    ]
    return Report(manifest["name"], manifest["house_values"], facts, manifest["command"], sections)


def percent(share: float, digits: int = 2) -> str:
    """A share as percent."""
    return f"{100 * share:.{digits}f} %"


def interval_text(score: ScoreInterval) -> str:
    """Ends of an interval in percent, or why there is none."""
    return "exact by construction" if score.exact else f"{100 * score.low:.2f} to {100 * score.high:.2f}"


def gap_texts(gap: Difference | None) -> list[str]:
    """A difference from the base and its interval, in percent points."""
    if gap is None:
        return ["base", ""]
    return [f"{100 * gap.mean:+.2f}", "identical in every key" if gap.identical else f"{100 * gap.low:+.2f} to {100 * gap.high:+.2f}"]


def _results(results: Sequence[Result], gaps: dict[int, Difference], footer: str) -> Section:
    section = Section("Results")
    unit = results[0].contest.game.score_unit
    fair, names = 1 / len(results[0].sides), ", ".join(results[0].contest.setting)
    if len(results) == 1:
        result = results[0]
        entries = [(name, s.score, n) for n, (name, s) in enumerate(zip(plots.side_labels(result), result.sides, strict=True))]
        entries.append(("first player", result.first, 4))
        title = f"{unit.capitalize()}s"
        section.grids.append(_single_grid(result))
    else:
        entries = [(_row_label(r), r.sides[0].score, 0) for r in results[:MAX_RATE_ROWS]]
        title = f"{unit.capitalize()} of the first side"
        section.grids.append(_sweep_grid(results, gaps))
        if len(results) > MAX_RATE_ROWS:
            section.text.append(f"The plot shows the first {MAX_RATE_ROWS} of {len(results)} contests; the table has them all.")
    section.plots.append(Plot("rates", f"{title} with 95 % intervals", plots.rates(entries, fair, title, footer, names)))
    return section


def _single_grid(result: Result) -> Grid:
    sources = list(result.facts.points)
    head = [
        "side",
        "crew",
        "deck",
        "bot",
        "wins",
        result.contest.game.score_unit,
        "95 % interval",
        "points a game",
        *(f"by {s}" for s in sources),
    ]
    rows = []
    for letter, s in zip(LETTERS.upper(), result.sides, strict=False):
        points = [f"{s.points_mean:.3f}", *(f"{s.points_from[x]:.3f}" for x in sources)]
        rows.append([letter, s.side.crew, s.side.deck, s.side.bot, f"{s.wins:,}", percent(s.score.mean), interval_text(s.score), *points])
    facts = result.facts
    note = (
        f"{facts.games:,} games in {result.contest.keys:,} pairs; {facts.draws:,} draws, "
        f"{facts.round_limit:,} cut off by the round limit (half a win each). "
        f"First player: {percent(result.first.mean)} ({interval_text(result.first)}). Mean length {facts.rounds.mean():.2f} rounds, "
        f"5 % / 50 % / 95 %: {facts.rounds.quantile(0.05)} / {facts.rounds.quantile(0.5)} / {facts.rounds.quantile(0.95)}."
    )
    return Grid("", head, rows, [False] * 4 + [True] * (len(head) - 4), note)


def _sweep_grid(results: Sequence[Result], gaps: dict[int, Difference]) -> Grid:
    axes = list(results[0].contest.setting)
    head = [
        "#",
        *(axes or ["contest"]),
        results[0].contest.game.score_unit,
        "95 % interval",
        "against base",
        "95 % interval",
        "first player",
        "rounds",
        "games",
    ]
    rows = []
    for r in results:
        gap = gaps.get(r.contest.number)
        change = gap_texts(gap)
        setting = list(r.contest.setting.values()) or [r.contest.label]
        score = r.sides[0].score
        numbers = [
            percent(score.mean),
            interval_text(score),
            *change,
            percent(r.first.mean),
            f"{r.facts.rounds.mean():.2f}",
            f"{r.contest.games:,}",
        ]
        rows.append([str(r.contest.number), *setting, *numbers])
    note = (
        f"{results[0].contest.game.score_unit.capitalize()} of the first side. The base is the first contest with the same opponent; "
        "differences are taken key by key, in percent points."
    )
    return Grid("", head, rows, [True, *[False] * len(axes or [0]), *[True] * 7], note)


def _axes(results: Sequence[Result], footer: str) -> list[Section]:
    """Curve or heat map, when the sweep has one or two axes with more than one value."""
    axes = [a for a in results[0].contest.setting if a != "opponent" and len({r.contest.setting[a] for r in results}) > 1]
    unit = results[0].contest.game.score_unit.capitalize()
    groups: dict[str, list[Result]] = {}
    for r in results:
        groups.setdefault(r.contest.setting.get("opponent", r.sides[1].side.crew if len(r.sides) > 1 else ""), []).append(r)
    if len(axes) == 1:
        section = Section(f"Along {axes[0]}")
        title = f"{unit} along {axes[0]}"
        names = list(groups)
        for number, first in enumerate(range(0, len(names), grids.MAX_LINES)):
            lines = {n: groups[n] for n in names[first : first + grids.MAX_LINES]}
            section.plots.append(Plot(f"curve-{number}" if number else "curve", title, grids.curve(lines, axes[0], title, footer)))
        return [section]
    if len(axes) == 2:
        section = Section(f"{axes[0]} by {axes[1]}")
        for number, (name, group) in enumerate(groups.items()):
            title = f"{unit} against {name}" if name else unit
            image = grids.heat_map(group, axes[0], axes[1], title, footer)
            section.plots.append(Plot(f"heat-map-{number}" if number else "heat-map", f"{title} by {axes[0]} and {axes[1]}", image))
        return [section]
    return []


def _chosen(results: Sequence[Result]) -> list[Result]:
    """Contests shown in detail: all of a few, else the base and both extremes."""
    if len(results) <= MAX_DETAILS:
        return list(results)
    ordered = sorted(results, key=lambda r: r.sides[0].score.mean)
    chosen = {r.contest.number: r for r in (results[0], ordered[0], ordered[-1])}
    return [chosen[n] for n in sorted(chosen)]


def _detail(result: Result, footer: str, alone: bool) -> Section:
    facts = result.facts
    section = Section("In detail" if alone else f"In detail: contest {result.contest.number}, {result.contest.label}")
    start = "" if alone else f"contest-{result.contest.number}-"

    def add(name: str, alt: str, image: dict[str, bytes]) -> None:
        section.plots.append(Plot(start + name, alt, image))

    add("points", "Points per game by side and source", plots.points_by_source(result, footer))
    add("rounds", "Distribution of the length of games in rounds", plots.histogram(facts.rounds, footer))
    if facts.margins:
        add("margins", "Distribution of the margin in points", plots.histogram(facts.margins, footer, result))
    if facts.tempo:
        add("tempo", "; ".join(s.title for s in facts.tempo), plots.tempo(result, footer))
    if "runners" in facts.tables:
        image = plots.contributions(result, facts.tables["runners"], result.contest.game.contribution, footer)
        add("runners", "Contribution of each runner per game", image)
    section.grids += [_table_grid(t, result) for t in facts.tables.values()]
    return section


def _table_grid(table: Table, result: Result) -> Grid:
    head, numeric = [], []
    for column in table.columns:
        head.append(column.name.replace("_", " "))
        numeric.append(bool(column.unit))
    games = max(result.facts.games, 1)
    rows = [[_cell(value, column, games) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]
    note = " ".join(n for n in ("Counts are per game." if any(c.total for c in table.columns) else "", table.note) if n)
    return Grid(table.title, head, rows, numeric, note)


def _cell(value: Any, column: Column, games: int) -> str:
    if value is None:
        return "-"
    if column.name == "side":
        return LETTERS[value].upper()
    if column.total:
        return f"{value / games:.3f}"
    if column.unit == "share":
        return percent(value)
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _method(results: Sequence[Result]) -> Section:
    r = results[0]
    seats = r.contest.seatings
    text = [
        f"Every deal of luck (key) is played {seats} times with the seats exchanged, and the intervals count keys, not games. "
        "They are Wilson intervals at the effective number of games; where fewer than 30 keys differ from the commonest score, "
        "one lost and one won key are added for the width.",
        f"Exchanging seats leaves {100 * r.saving:.0f} % of the variance that unrelated games would have (first contest).",
        "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind.",
    ]
    if len(results) > 1:
        text.append(
            "All contests met the same keys, so their rates move together: compare them by the differences, "
            "not by whether intervals overlap."
        )
    return Section("How to read this", text)


def _row_label(result: Result) -> str:
    return ", ".join(result.contest.setting.values()) or result.contest.label


def _render(template: str, report: Report) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    html = template.endswith(".html.j2")
    environment = Environment(
        loader=PackageLoader("bhsim.report"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment.get_template(template).render(report=report, inline=_inline)


def _inline(plot: Plot) -> Any:
    from markupsafe import Markup

    return Markup(inline_svg(plot.image["svg"], plot.name, plot.alt))
