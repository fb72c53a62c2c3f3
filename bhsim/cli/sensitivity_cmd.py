"""``bhsim sensitivity``: which of many numbers moves a metric most."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p

if TYPE_CHECKING:
    from bhsim.lab.sensitivity import Sensitivity
    from bhsim.lab.store import Folder


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("sensitivity")(sensitivity)


def sensitivity(
    spec: Annotated[Path, typer.Argument(help="Sensitivity spec (TOML).", metavar="SPEC.toml")],
    game: Annotated[str | None, typer.Option("--game", help="Which game, instead of the spec's.", metavar="GAME")] = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    games: Annotated[int | None, typer.Option("--games", help="Games per run, instead of the spec's.", metavar="N")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Root of all luck, instead of the spec's.", metavar="N")] = None,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Run folder; reports/<spec name> by default.", metavar="DIR")] = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Vary many numbers at once by a balanced design and say which of them moves the metric most."""
    from bhsim.cli.running import play_into
    from bhsim.games.game import find
    from bhsim.inputs.document import read_toml
    from bhsim.lab import store
    from bhsim.lab.factors import parse_sensitivity, planned
    from bhsim.lab.spec import game_of, overridden

    p.check_once(force, resume)
    given = {"game": game, "cardset": cardset, "board": board, "rules": rules, "games": games, "seed": seed}
    p.check_numbers(games, seed, threads, block)
    document = read_toml(spec)
    read = parse_sensitivity(document.data, document)
    merged = overridden(read, given, variant or (), set_ or (), document)
    with p.as_options("game"):
        found = find(game) if game else game_of(merged, document)
    plan = planned(merged, found, document)
    command = p.command_line(
        ["sensitivity", str(spec)], [*((f"--{k}", v) for k, v in given.items()), ("--variant", variant), ("--set", set_)]
    )
    target = out or Path("reports") / merged.folder_name
    asked = merged.model_dump(mode="json") | {"design": plan.record()}
    manifest = store.manifest_of(merged.name, "sensitivity", plan.contests, merged.seed, asked, command)
    again = f"{command} --out {shlex.quote(str(out))} --resume" if out else f"{command} --resume"
    p.say(f"{len(plan.factors)} factors in {plan.design.runs} runs, {len(plan.contests)} contests")
    with p.workers(found, executor, threads, scheduler) as workers:
        folder = play_into(target, manifest, plan.contests, force, resume, workers, block, again)
    _finish(folder, format_)


def _finish(folder: Folder, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.sensitivity import measure, write_effects
    from bhsim.report.matters import sensitivity_grids, sensitivity_plots, write_plots

    found = measure(folder)
    write_effects(folder, found)
    manifest = folder.manifest
    write_plots(folder.path, sensitivity_plots(found, "house values" if manifest["house_values"] else ""))
    resolved = {k: manifest[k] for k in ("engine", "data_digest", "seed", "house_values", "command")}
    lines = tables.manifest_lines(manifest)
    if format_ is p.Format.json:
        tables.print_json({"schema": 1, "game": manifest["game"], **resolved, "folder": str(folder.path), **_as_data(found)})
        p.say("\n".join(lines))
    else:
        for grid in sensitivity_grids(found):
            tables.print_grid(grid)
        print("\n".join(lines))
    p.say(f"written to {folder.path}: effects.parquet, plots/tornado.svg")


def _as_data(found: Sensitivity) -> dict[str, Any]:
    from bhsim.lab.sensitivity import rows

    skipped = [{"path": path, "why": why} for path, why in found.skipped]
    both = rows(found)
    main = [row for row in both if row["with"] is None]
    pairs = [row for row in both if row["with"] is not None]
    return {
        "metric": found.metric,
        "runs": found.runs,
        "opponents": list(found.opponents),
        "effects": main,
        "pairs": pairs,
        "beyond": found.beyond,
        "skipped": skipped,
    }
