"""``bhsim balance``: the smallest changes that bring a set within a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p

if TYPE_CHECKING:
    from bhsim.lab.balance import Plan
    from bhsim.lab.balance_result import Balanced
    from bhsim.lab.executors import Executor
    from bhsim.lab.store import Folder

CODES = {"reached": 0, "undecided": 3, "not reached": 1}


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("balance")(balance)


def balance(
    spec: Annotated[Path, typer.Argument(help="Balance spec (TOML): crews, a target, what may change.", metavar="SPEC.toml")],
    game: Annotated[str | None, typer.Option("--game", help="Which game, instead of the spec's.", metavar="GAME")] = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    games: Annotated[int | None, typer.Option("--games", help="Games in all, instead of the spec's.", metavar="BUDGET")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Root of all luck, instead of the spec's.", metavar="N")] = None,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write a run folder, with variant files.", metavar="DIR")] = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Find the smallest changes of numbers that bring crews within a target.

    Exit code 0 if an answer reaches the target, 1 if none does, 3 if some may.
    """
    from bhsim.games.game import find
    from bhsim.inputs.document import read_toml
    from bhsim.lab.balance import plan_of
    from bhsim.lab.balance_problem import planned
    from bhsim.lab.balance_spec import parse_balance
    from bhsim.lab.spec import game_of, overridden

    p.check_place(out, force, resume)
    p.check_numbers(games, seed, threads, block)
    given = {"game": game, "cardset": cardset, "board": board, "rules": rules, "games": games, "seed": seed}
    document = read_toml(spec)
    merged = overridden(parse_balance(document.data, document), given, variant or (), set_ or (), document)
    with p.as_options("game"):
        found = find(game) if game else game_of(merged, document)
    problem = planned(merged, found, document)
    if games is None:
        plan = plan_of(merged, problem)
    else:
        with p.as_options("games"):
            plan = plan_of(merged, problem)
    command = p.command_line(["balance", str(spec)], [*((f"--{k}", v) for k, v in given.items()), ("--variant", variant), ("--set", set_)])
    with p.workers(found, executor, threads, scheduler) as workers:
        folder, answer = _carry_out(plan, command, workers, block, (out, force, resume))
    _show(folder, answer, out, format_)
    raise typer.Exit(CODES[answer.verdict])


def _carry_out(plan: Plan, command: str, workers: Executor, block: int | None, where: tuple) -> tuple[Folder, Balanced]:
    from bhsim.cli.running import how_to_go_on, opened, stoppable
    from bhsim.lab.balance import carry_out

    out, force, resume = where
    manifest = plan.manifest(command)
    folder = opened(out, manifest, plan.contests, force, resume)
    with stoppable(lambda: how_to_go_on(command, out)), folder:
        p.ready(folder.game, workers)
        with p.progress_of_most(plan.spec.games) as shown:
            return folder, carry_out(folder, plan, workers, block, shown.add, p.say)


def _show(folder: Folder, found: Balanced, out: Path | None, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.balance_files import variant_path
    from bhsim.report.balance import balance_grids, balance_plots, headline
    from bhsim.report.matters import write_plots

    manifest = folder.manifest
    if out:
        write_plots(out, balance_plots(found, "house values" if manifest["house_values"] else ""))
    lines = tables.manifest_lines(manifest)
    if format_ is p.Format.json:
        resolved = {k: manifest[k] for k in ("engine", "data_digest", "seed", "house_values", "command")}
        where = {"folder": str(out)} if out else {}
        tables.print_json({"schema": 1, "game": manifest["game"], **resolved, **where, **_as_data(found)})
        p.say("\n".join(lines))
    else:
        print("\n".join(headline(found)) + "\n")
        for grid in balance_grids(found):
            tables.print_grid(grid)
        print("\n".join(lines))
        if out and found.recommended:
            from bhsim.lab.balance_files import play_command

            print(f"play it       {play_command(str(out), manifest, found.recommended)}")
    if out:
        files = f", {variant_path(found.points[0])} ..." if found.points else ""
        p.say(f"written to {out}: points.parquet, cells.parquet{files}; `{p.command_line(['report', str(out)], [])}` draws it")


def _as_data(found: Balanced) -> dict[str, Any]:
    """Everything, ready for JSON: docs/balance.md lists the keys."""
    from bhsim.lab.balance_result import cell_rows, point_rows, screen_rows

    named = found.named and {**found.named.single.model_dump(mode="json"), "share": found.named.share}
    points = []
    for row, point in zip(point_rows(found), (found.base, *found.points), strict=True):
        numbers = [{k: v for k, v in cell.items() if k != "point"} for cell in cell_rows(found) if cell["point"] == point.name]
        points.append(row | {"changes": [c.model_dump(mode="json") for c in point.changes], "numbers": numbers})
    return {
        "verdict": found.verdict, "most_out_of_line": named, "recommended": found.recommended and found.recommended.name,
        "points": points, "screen": screen_rows(found), "skipped": [{"path": p, "why": why} for p, why in found.record.skipped],
        "search": {"games": found.record.games, "tried": found.record.tried},
    }  # fmt: skip
