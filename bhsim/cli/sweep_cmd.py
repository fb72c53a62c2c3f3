"""``bhsim sweep``: a grid of contests from a spec file, into a run folder that can be resumed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.cli.running import play_into

if TYPE_CHECKING:
    from bhsim.lab.spec import SweepSpec


def register(app: typer.Typer) -> None:
    """Adds the verb to the app."""
    app.command("sweep")(sweep)


def sweep(
    spec: Annotated[Path, typer.Argument(help="Sweep spec (TOML).", metavar="SPEC.toml")],
    game: Annotated[str | None, typer.Option("--game", help="Which game, instead of the spec's.", metavar="GAME")] = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    games: Annotated[int | None, typer.Option("--games", help="Games per contest, instead of the spec's.", metavar="N")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Root of all luck, instead of the spec's.", metavar="N")] = None,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Run folder; reports/<spec name> by default.", metavar="DIR")] = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play a grid of contests that all meet the same luck."""
    from bhsim.games.game import find
    from bhsim.inputs.document import read_toml
    from bhsim.lab import store
    from bhsim.lab.spec import overridden
    from bhsim.lab.sweep import contests_of, game_of, parse_spec

    p.check_once(force, resume)
    given = {"game": game, "cardset": cardset, "board": board, "rules": rules, "games": games, "seed": seed}
    p.check_numbers(games, seed, threads, block)
    document = read_toml(spec)
    read = parse_spec(document.data, document)
    merged = overridden(read, given, variant or (), set_ or (), document)
    options = [(f"--{k}", v) for k, v in given.items()]
    command = p.command_line(["sweep", str(spec)], [*options, ("--variant", variant), ("--set", set_)])
    target = out or Path("reports") / merged.folder_name
    with p.as_options("game"):
        found = find(game) if game else game_of(merged, document)
    changed = any((cardset, board, rules, variant, set_))  # then a fault may come from the command line as well as from the file
    contests = contests_of(merged, found, None if changed else document)
    _say_extent(merged)
    manifest = store.manifest_of(merged.name, "sweep", contests, merged.seed, merged.model_dump(mode="json"), command)
    again = f"{command} --out {shlex.quote(str(out))} --resume" if out else f"{command} --resume"
    with p.workers(found, executor, threads, scheduler) as workers:
        folder = play_into(target, manifest, contests, force, resume, workers, block, again)
    _show(folder, target, format_)


def _say_extent(spec: SweepSpec) -> None:
    """What cannot be read off the spec: points that were drawn twice, and when contests end."""
    from bhsim.lab.design import points_of

    distinct = len(points_of(spec))
    if spec.points and distinct < spec.points:
        p.say(f"{spec.points} points of the design, {distinct} of them distinct; each is played once")
    if spec.precision:
        p.say(f"each contest ends at an interval of {spec.precision:g} points, at the latest after {spec.max_games:,} games")


def _show(folder: Any, target: Path, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.derive import contest_row, crew_row
    from bhsim.lab.findings import findings_of

    manifest = folder.manifest
    found = findings_of(folder)
    resolved = {k: manifest[k] for k in ("game", "engine", "data_digest", "seed", "house_values")}
    lines = tables.manifest_lines(manifest)
    if format_ is p.Format.json:
        rows = [{"label": r.contest.label, **contest_row(r, found)} for r in found.results]
        crews = {"crews": [crew_row(c) for c in found.crews]} if found.crews else {}
        tables.print_json({"schema": 1, **resolved, "folder": str(target), "contests": rows, **crews})
        p.say("\n".join(lines))
    else:
        tables.print_sweep(found, str(target))
        print("\n".join(lines))
    p.say(f"written to {target}; `{p.command_line(['report', str(target)], [])}` draws it")
