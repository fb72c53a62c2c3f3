"""A run folder as a report: report.md with plots beside it, and one self-contained report.html with the same content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Column, Table
from bhsim.lab.derive import LETTERS
from bhsim.lab.findings import Findings, findings_of, spec_of_run
from bhsim.lab.notable import Notable, notable_of
from bhsim.lab.record import RECORD
from bhsim.lab.results import Result, evaluate
from bhsim.lab.spec import Limits
from bhsim.lab.store import Folder, write_bytes
from bhsim.report import plots
from bhsim.report.along import along, crew_plots
from bhsim.report.balance import balance_sections
from bhsim.report.figures import Image, inline_svg
from bhsim.report.grid import Grid, Plot, Section, deals_text, interval_text, percent, side_columns
from bhsim.report.matters import MATTERS, matters_section
from bhsim.report.metagame import meta_sections
from bhsim.report.optimise import optimise_sections
from bhsim.report.sweeps import limits_of, replay_lines, saving_note, sweep_grids

MAX_RATE_ROWS = 40
MAX_DETAILS = 3
HOUSE = "house values"
# Kind of run -> sections of its report; the text is the plots' footer.
PAGES: dict[str, Callable[[Folder, str], list[Section]]] = {
    "meta": meta_sections,
    "balance": balance_sections,
    "optimise": optimise_sections,
}
CHANCE_ONLY = "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind."


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
    finished, manifest = folder.finished(), folder.manifest
    if not finished:
        raise BadInput(Fault("no contest of this run is finished yet", file=str(folder.path)))
    footer = HOUSE if manifest["house_values"] else ""
    facts = [
        ("game", manifest["game"]),
        ("engine", manifest["engine"]),
        ("data digest", manifest["data_digest"]),
        ("seed", str(manifest["seed"])),
        ("contests", f"{len(finished)} of {len(folder.contests)}" if len(finished) < len(folder.contests) else str(len(finished))),
        ("games", f"{sum(c.games for c in finished):,}{_besides(folder)}"),
    ]
    if manifest["kind"] in MATTERS:
        sections = _what_matters(folder, len(finished) == len(folder.contests), footer)
    elif manifest["kind"] in PAGES:
        sections = PAGES[manifest["kind"]](folder, footer)
    else:
        sections, more = _sweep(folder, footer)
        facts += more
    return Report(manifest["name"], manifest["house_values"], facts, manifest["command"], sections)


def _what_matters(folder: Folder, complete: bool, footer: str) -> list[Section]:
    """Effects, and the match that they are about if the run played it: its many other contests say nothing by themselves."""
    if not complete:
        return [Section("What matters", ["Effects can be told once every contest is played; --resume goes on with the run."])]
    sections = [matters_section(folder, footer)]
    if folder.manifest["kind"] == "effects":
        result = evaluate(folder.counts(folder.contests[0]))
        detail = _detail(result, notable_of(folder, folder.contests[0]), 0, "In detail: the present match", footer)
        detail.grids.insert(0, _single_grid(result))
        sections.append(detail)
    text = ["All contests met the same keys, so effects are taken key by key. Intervals of effects have level 95 % each.", CHANCE_ONLY]
    return [*sections, Section("How to read this", text)]


def _sweep(folder: Folder, footer: str) -> tuple[list[Section], list[tuple[str, str]]]:
    """The sections of any other run, and what its head says besides."""
    found, spec = findings_of(folder), spec_of_run(folder)
    results = found.results
    sections = [_results(found, footer)]
    if len(results) == len(folder.contests) and any(r.contest.setting for r in results):
        sections += along(results, spec.design if spec else "grid", footer)
    alone = len(results) == 1
    for result in _chosen(found):
        number = result.contest.number
        title = "In detail" if alone else f"In detail: contest {number}, {result.contest.label}"
        sections.append(_detail(result, found.notable[number], None if alone else number, title, footer))
    sections.append(_method(found))
    facts = []
    if folder.rule:
        facts.append(("precision", f"95 % interval of each contest no wider than {folder.rule.width:g} points, or max_games"))
    if len(results) > 1:
        sizes = list(dict.fromkeys(len(r.sides) for r in results))
        for size in sizes:
            where = "" if len(sizes) == 1 else f", {size} players"
            tables = {_who(r) for r in results if len(r.sides) == size}
            facts += [(f"sides{where}", table) for table in tables if len(tables) == 1]
            limits = limits_of(spec.limits if spec else Limits(), size, spec is not None and spec.crews is not None)
            facts.append((f"limits{where}", limits))
    return sections, facts


def _who(result: Result) -> str:
    """All sides in order, the first first."""
    sides = [s.side for s in result.sides]
    return ", ".join(" / ".join(getattr(side, part) for part in side_columns(sides)) for side in sides)


def _results(found: Findings, footer: str) -> Section:
    results = found.results
    section = Section("Results")
    unit = results[0].contest.game.score_unit
    names = ", ".join(results[0].contest.setting)
    if len(results) == 1:
        result = results[0]
        entries = [(name, s.score, n) for n, (name, s) in enumerate(zip(plots.side_labels(result), result.sides, strict=True))]
        entries.append(("first player", result.first, max(4, len(result.sides))))
        fair = [1 / len(result.sides)] * len(entries)
        title = f"{unit.capitalize()}s"
        section.grids.append(_single_grid(result))
    else:
        entries = [(_row_label(r), r.sides[0].score, 0) for r in results[:MAX_RATE_ROWS]]
        fair = [1 / len(r.sides) for r in results[:MAX_RATE_ROWS]]
        title = f"{unit.capitalize()} of the first side"
        section.grids += sweep_grids(found)
        if len(results) > MAX_RATE_ROWS:
            section.text.append(f"The plot shows the first {MAX_RATE_ROWS} of {len(results)} contests; the table has them all.")
    section.plots.append(Plot("rates", f"{title} with 95 % intervals", partial(plots.rates, entries, fair, title, footer, names)))
    section.plots += crew_plots(found, footer)
    return section


def _single_grid(result: Result) -> Grid:
    sources, names = list(result.facts.points), side_columns([s.side for s in result.sides])
    head = [
        "side",
        *names,
        "wins",
        result.contest.game.score_unit,
        "95 % interval",
        "points a game",
        *(f"by {s}" for s in sources),
    ]
    rows = []
    for letter, s in zip(LETTERS.upper(), result.sides, strict=False):
        points = [f"{s.points_mean:.3f}", *(f"{s.points_from[x]:.3f}" for x in sources)]
        who = [getattr(s.side, name) for name in names]
        rows.append([letter, *who, f"{s.wins:,}", percent(s.score.mean), interval_text(s.score), *points])
    facts = result.facts
    note = (
        f"{facts.games:,} games in {deals_text(result.contest)}; {facts.draws:,} draws, "
        f"{facts.round_limit:,} cut off by the round limit (an equal share of the win for each side). "
        f"First player: {percent(result.first.mean)} ({interval_text(result.first)}). Mean length {facts.rounds.mean():.2f} rounds, "
        f"5 % / 50 % / 95 %: {facts.rounds.quantile(0.05)} / {facts.rounds.quantile(0.5)} / {facts.rounds.quantile(0.95)}."
    )
    return Grid("", head, rows, [name not in ("side", *names) for name in head], note)


def _chosen(found: Findings) -> list[Result]:
    """Contests shown in detail: all of a few, else the first base and both extremes."""
    if len(found.results) <= MAX_DETAILS:
        return list(found.results)
    base = next((r for r in found.results if r.contest.number not in found.differences), found.results[0])
    ordered = sorted(found.results, key=lambda r: r.sides[0].score.mean - 1 / len(r.sides))
    chosen = {r.contest.number: r for r in (base, ordered[0], ordered[-1])}
    return [chosen[n] for n in sorted(chosen)]


def _detail(result: Result, notable: Notable, number: int | None, title: str, footer: str) -> Section:
    """One contest. number: None if the run has no other."""
    facts = result.facts
    section = Section(title)
    start = "" if number is None else f"contest-{number}-"
    section.commands.append("# inside this folder")  # a path would make the report of a copied run another one
    section.commands += replay_lines(notable, ["."], [("--contest", number)])

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
        add("runners", f"{facts.tables['runners'].title}: contributions per game", plots.contributions, *given)
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


def _besides(folder: Folder) -> str:
    """That there are games beside those of the contests, if there was a search."""
    return " in contests; those of the search are told below" if (folder.path / RECORD).exists() else ""


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
    seats = " or ".join(dict.fromkeys(str(r.contest.seatings) for r in results))
    text = [
        f"Every deal of luck (key) is played {seats} times, so that each side sits once in each seat; intervals count keys, not games. "
        "They are Wilson intervals at the effective number of games; where fewer than 30 keys differ from the commonest score, "
        "one lost and one won key are added for the width.",
        saving_note(found),
        CHANCE_ONLY,
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
