"""A run folder as a report: report.md with plots beside it, and one self-contained report.html with the same content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Column, Table
from bhsim.lab.derive import LETTERS
from bhsim.lab.findings import Findings, findings_of, spec_of_run
from bhsim.lab.results import Result
from bhsim.lab.spec import Limits
from bhsim.lab.store import Folder, write_bytes
from bhsim.report import plots
from bhsim.report.along import along
from bhsim.report.figures import Image, inline_svg
from bhsim.report.grid import Grid, Plot, Section, interval_text, percent
from bhsim.report.matters import MATTERS, matters_section
from bhsim.report.sweeps import limits_of, replay_lines, saving_note, sweep_grids

MAX_RATE_ROWS = 40
MAX_DETAILS = 3
HOUSE = "house values"


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
    """Reads the run; plots are drawn when they are looked at."""
    found = findings_of(folder)
    results = found.results
    if not results:
        raise BadInput(Fault("no contest of this run is finished yet", file=str(folder.path)))
    manifest, spec = folder.manifest, spec_of_run(folder)
    footer = HOUSE if manifest["house_values"] else ""
    sections = [_results(found, footer)]
    complete = len(results) == len(folder.contests)
    if complete and manifest["kind"] in MATTERS:
        sections.insert(0, matters_section(folder, footer))
    elif complete and any(r.contest.setting for r in results):
        sections += along(results, spec.design if spec else "grid", footer)
    for result in _chosen(results):
        sections.append(_detail(result, found, footer))
    sections.append(_method(found))
    games = sum(r.contest.games for r in results)
    facts = [
        ("game", manifest["game"]),
        ("engine", manifest["engine"]),
        ("data digest", manifest["data_digest"]),
        ("seed", str(manifest["seed"])),
        ("contests", f"{len(results)} of {len(folder.contests)}" if len(results) < len(folder.contests) else str(len(results))),
        ("games", f"{games:,}"),
    ]
    if folder.rule:
        facts.append(("precision", f"95 % interval of each contest no wider than {folder.rule.width:g} points, or max_games"))
    if len(results) > 1:
        facts.append(("limits", limits_of(spec.limits if spec else Limits(), len(results[0].sides))))
    return Report(manifest["name"], manifest["house_values"], facts, manifest["command"], sections)


def _results(found: Findings, footer: str) -> Section:
    results = found.results
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
        section.grids += sweep_grids(found)
        if len(results) > MAX_RATE_ROWS:
            section.text.append(f"The plot shows the first {MAX_RATE_ROWS} of {len(results)} contests; the table has them all.")
    section.plots.append(Plot("rates", f"{title} with 95 % intervals", partial(plots.rates, entries, fair, title, footer, names)))
    if found.crews and len({tuple(c.setting.values()) for c in found.crews}) == 1:
        section.plots.append(_crew_plot(found, fair, unit, footer))
    return section


def _crew_plot(found: Findings, fair: float, unit: str, footer: str) -> Plot:
    ordered = sorted(found.crews, key=lambda c: -c.score.mean)
    title = f"Mean {unit} against all others"
    entries = [(c.crew, c.score, 0) for c in ordered]
    return Plot("crews", f"{title} with 95 % intervals", partial(plots.rates, entries, fair, title, footer))


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


def _chosen(results: Sequence[Result]) -> list[Result]:
    """Contests shown in detail: all of a few, else the base and both extremes."""
    if len(results) <= MAX_DETAILS:
        return list(results)
    ordered = sorted(results, key=lambda r: r.sides[0].score.mean)
    chosen = {r.contest.number: r for r in (results[0], ordered[0], ordered[-1])}
    return [chosen[n] for n in sorted(chosen)]


def _detail(result: Result, found: Findings, footer: str) -> Section:
    facts, number = result.facts, result.contest.number
    alone = len(found.results) == 1
    section = Section("In detail" if alone else f"In detail: contest {number}, {result.contest.label}")
    start = "" if alone else f"contest-{number}-"
    section.commands.append("# inside this folder")  # a path would make the report of a copied run another one
    section.commands += replay_lines(found.notable[number], ["."], [("--contest", None if alone else number)])

    def add(name: str, alt: str, draw: Callable[..., Image], *given: Any) -> None:
        section.plots.append(Plot(start + name, alt, partial(draw, *given)))

    add("points", "Points per game by side and source", plots.points_by_source, result, footer)
    add("rounds", "Distribution of the length of games in rounds", plots.histogram, facts.rounds, footer)
    if facts.margins:
        add("margins", "Distribution of the margin in points", plots.histogram, facts.margins, footer, result)
    if facts.tempo:
        add("tempo", "; ".join(s.title for s in facts.tempo), plots.tempo, result, footer)
    if "runners" in facts.tables:
        given = result, facts.tables["runners"], result.contest.game.contribution, footer
        add("runners", "Contribution of each runner per game", plots.contributions, *given)
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


def _method(found: Findings) -> Section:
    results = found.results
    seats = results[0].contest.seatings
    text = [
        f"Every deal of luck (key) is played {seats} times with the seats exchanged, and the intervals count keys, not games. "
        "They are Wilson intervals at the effective number of games; where fewer than 30 keys differ from the commonest score, "
        "one lost and one won key are added for the width.",
        saving_note(found),
        "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind.",
    ]
    if len(results) > 1:
        text.append(
            "All contests met the same keys, so their rates move together: compare them by the differences, "
            "not by whether intervals overlap."
        )
        text.append(
            "Verdicts: ok where the interval lies within the limits, not ok where it lies beyond one, else undecided. These intervals are "
            "wider than the 95 % ones: their level is such that at most 5 % of the verdicts of a kind are expected to be wrong "
            "(Benjamini and Hochberg)."
        )
    if found.ended:
        text.append(
            "Contests ended when their interval was narrow enough, looked at after 1,024, 2,048, 4,096 ... keys, or with max_games. "
            "The always-valid interval holds at all these looks at once."
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
