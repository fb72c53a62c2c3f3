"""``bhsim sweep``: a grid of contests from a spec file, into a run folder that can be resumed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from bhsim.cli import playing as p


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
    out: Annotated[Path | None, typer.Option("--out", help="Run folder; reports/<spec name> by default.", metavar="DIR")] = None,
    force: p.ForceOption = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped sweep.")] = False,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play a grid of contests that all meet the same luck."""
    from bhsim.errors import BadInput, Fault
    from bhsim.games.game import find
    from bhsim.inputs.document import read_toml
    from bhsim.lab import store
    from bhsim.lab.sweep import contests_of, game_of, parse_spec

    if force and resume:
        raise BadInput(Fault("--force starts afresh and --resume goes on: give one of them"))
    given = {"game": game, "cardset": cardset, "board": board, "rules": rules, "games": games, "seed": seed}
    p.check_numbers(games, seed, threads, block)
    document = read_toml(spec)
    read = parse_spec(document.data, document)
    data = read.model_dump(exclude_unset=True) | {k: v for k, v in given.items() if v is not None}
    data["variants"] = [*read.variants, *(variant or ())]
    data["sets"] = [*read.sets, *(set_ or ())]
    merged = parse_spec(data, document)
    options = [(f"--{k}", v) for k, v in given.items()]
    command = p.command_line(["sweep", str(spec)], [*options, ("--variant", variant), ("--set", set_)])
    target = out or Path("reports") / merged.folder_name
    with p.as_options("game"):
        found = find(game) if game else game_of(merged, document)
    changed = any((cardset, board, rules, variant, set_))  # then a fault may come from the command line as well as from the file
    contests = contests_of(merged, found, None if changed else document)
    manifest = store.manifest_of(merged.name, "sweep", contests, merged.seed, merged.model_dump(mode="json"), command)
    with p.as_options("out"):
        folder = store.resume(target, manifest, contests) if resume else store.create(target, manifest, contests, force)
    again = f"{command} --out {shlex.quote(str(out))} --resume" if out else f"{command} --resume"
    _carry_out(folder, merged.seed, threads, block, again)
    _show(folder, target, format_)


def _carry_out(folder: Any, seed: int, threads: int | None, block: int | None, again: str) -> None:
    from bhsim.lab import carry

    missing = folder.missing()
    games = sum(u.keys * u.contest.seatings for u in missing)
    if len(missing) and len(folder.finished()):
        p.say(f"{len(folder.finished())} of {len(folder.contests)} contests are finished already")
    if missing:
        p.ready(folder.game)
    try:
        with p.progress(games) as advance:
            carry.run(folder, seed, threads, block, advance)
    except KeyboardInterrupt:
        p.say(f"stopped: {len(folder.finished())} of {len(folder.contests)} contests are finished and kept. To go on:\n  {again}")
        raise typer.Exit(130) from None


def _show(folder: Any, target: Path, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.derive import contest_row, differences, evaluated

    manifest = folder.manifest
    results = evaluated(folder, folder.finished())
    gaps = differences(folder, folder.finished())
    resolved = {k: manifest[k] for k in ("game", "engine", "data_digest", "seed", "house_values")}
    lines = tables.resolved_lines(
        manifest["engine"], manifest["data_digest"], manifest["seed"], manifest["house_values"], manifest["command"]
    )
    if format_ is p.Format.json:
        rows = [{"label": r.contest.label, **contest_row(r, gaps.get(r.contest.number))} for r in results]
        tables.print_json({"schema": 1, **resolved, "folder": str(target), "contests": rows})
        p.say("\n".join(lines))
    else:
        tables.print_sweep(results, gaps)
        print("\n".join(lines))
    p.say(f"written to {target}; `{p.command_line(['report', str(target)], [])}` draws it")
