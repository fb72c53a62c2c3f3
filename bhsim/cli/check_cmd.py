"""``bhsim baseline`` and ``bhsim check``: a stored run, and whether today's data moves it."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bhsim.cli import playing as p
from bhsim.cli.running import play_into
from bhsim.lab import defaults

if TYPE_CHECKING:
    from bhsim.lab.executors import Executor
    from bhsim.lab.gate import CellResult, Gate

EXIT_MOVED, EXIT_UNDECIDED = 1, 3


class Undecided(enum.StrEnum):
    """What an undecided gate counts as."""

    passes = "pass"
    fails = "fail"


def register(app: typer.Typer) -> None:
    """Adds the verbs to the app."""
    app.command("baseline")(baseline)
    app.command("check")(check)


def baseline(
    out: Annotated[Path, typer.Option("--out", help="Run folder to write; commit it.", metavar="DIR")],
    crews: Annotated[
        list[str] | None,
        typer.Argument(help="Two crews, none in a game of bots; of three or more, each meets every other.", metavar="[CREW_A CREW_B]"),
    ] = None,
    game: p.PlayedGameOption = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    players: p.PlayersOption = None,
    deck: p.DeckOption = None,
    bots: p.BotsOption = None,
    deck_a: p.DeckAOption = None,
    deck_b: p.DeckBOption = None,
    bot_a: p.BotAOption = None,
    bot_b: p.BotBOption = None,
    games: p.GamesOption = defaults.GAMES,
    seed: p.SeedOption = defaults.SEED,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    force: p.ForceOption = False,
    resume: p.ResumeOption = False,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Play match-ups and store the whole run, for `bhsim check` to compare later data with."""
    from bhsim.games.game import Options
    from bhsim.lab import store
    from bhsim.lab.again import spec_of_baseline
    from bhsim.lab.sweep import contests_of

    p.check_numbers(games, seed, threads, block)
    p.check_once(force, resume)
    seating = p.seating_of(crews or (), players, deck, bots, (deck_a, deck_b), (bot_a, bot_b))
    found, options = p.game_for(game, seating, Options(cardset, board, rules, tuple(variant or ()), tuple(set_ or ())))
    with p.as_options("players"):
        spec = spec_of_baseline(found.name, options, seating, games, seed)
    contests = contests_of(spec, found)
    asked = [*p.match_options(found, options, seating), ("--games", games), ("--seed", seed), ("--out", out)]
    command = p.command_line(["baseline", *seating.crews], asked)
    manifest = store.manifest_of(spec.name, "baseline", contests, seed, spec.model_dump(mode="json", exclude_unset=True), command)
    with p.workers(found, executor, threads, scheduler) as workers:
        folder = play_into(out, manifest, contests, force, resume, workers, block, f"{command} --resume")
    _say_baseline(folder, out, format_)


def _say_baseline(folder: Any, out: Path, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.derive import evaluated
    from bhsim.report.page import interval_text, percent

    results, manifest = evaluated(folder, folder.contests), folder.manifest
    resolved = {k: manifest[k] for k in ("game", "engine", "data_digest", "seed", "house_values")}
    if format_ is p.Format.json:
        cells = [
            {"contest": r.contest.number, "label": r.contest.label, "games": r.contest.games, "digest": r.contest.digest(),
             "win_rate": r.sides[0].score.mean, "low": r.sides[0].score.low, "high": r.sides[0].score.high}
            for r in results
        ]  # fmt: skip
        tables.print_json({"schema": 1, **resolved, "folder": str(out), "contests": cells})
    else:
        rows = [
            [r.contest.number, r.contest.label, percent(r.sides[0].score.mean), interval_text(r.sides[0].score), f"{r.contest.games:,}"]
            for r in results
        ]
        unit = folder.game.score_unit
        tables.print_table("", ["#", "match-up", unit, "95 % interval", "games"], rows, [True, False, True, True, True])
        print("\n".join(tables.manifest_lines(manifest)))
    p.say(f"written to {out}; `{p.command_line(['check', str(out)], [])}` says whether later data moves it")


def check(
    directory: Annotated[Path, typer.Argument(help="The baseline: a run folder.", metavar="BASELINE")],
    margin: Annotated[float, typer.Option("--margin", help="Points of change that count as moved.", metavar="POINTS")] = 2.0,
    resolution: Annotated[
        float, typer.Option("--resolution", help="Points around the margin in which either answer is right.", metavar="POINTS")
    ] = 1.0,
    alpha: Annotated[float, typer.Option("--alpha", help="Chance that the gate alarms though nothing moved that far.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="Chance to miss a move beyond margin + resolution.")] = 0.05,
    max_games: Annotated[int | None, typer.Option("--max-games", help="Most games in a match-up, 100000 by default.", metavar="N")] = None,
    games: Annotated[
        int | None, typer.Option("--games", help="Exactly so many games, with tests of that size (TOST at level beta).", metavar="N")
    ] = None,
    undecided: Annotated[
        Undecided | None, typer.Option("--undecided", help="Exit code of an undecided gate: 0 or 1; 3 without this option.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", help="The baseline's game: no other is accepted.", metavar="GAME")] = None,
    cardset: p.CardsetOption = None,
    board: p.BoardOption = None,
    rules: p.RulesOption = None,
    variant: p.VariantOption = None,
    set_: p.SetOption = None,
    players: p.PlayersOption = None,
    deck: p.DeckOption = None,
    bots: p.BotsOption = None,
    deck_a: p.DeckAOption = None,
    deck_b: Annotated[str | None, typer.Option("--deck-b", help="Deck of the other sides.", metavar="NAME")] = None,
    bot_a: p.BotAOption = None,
    bot_b: Annotated[str | None, typer.Option("--bot-b", help="Bot of the other sides.", metavar="NAME")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Other luck than the baseline's: then all is played.", metavar="N")] = None,
    threads: p.ThreadsOption = None,
    block: p.BlockOption = None,
    executor: p.ExecutorOption = p.Where.local,
    scheduler: p.SchedulerOption = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for check.json, check.xml, check.md.", metavar="DIR")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite those files.")] = False,
    format_: p.FormatOption = p.Format.table,
) -> None:
    """Say whether today's files move a stored run: exit code 0 no, 1 yes, 3 undecided."""
    from bhsim.inputs.output import make_folder, refuse_existing, write_files
    from bhsim.lab import gate as g
    from bhsim.lab.store import open_folder
    from bhsim.report.gate import OUTPUTS, gate_files, gate_json
    from bhsim.stats.gate import Verdict

    p.check_numbers(None, seed, threads, block)
    p.check_force(force, "--out", out)
    refuse_existing([out / name for name in OUTPUTS] if out else [], force)
    folder = open_folder(directory)
    given = {"cardset": cardset, "board": board, "rules": rules, "variants": variant, "sets": set_}
    table = {"players": players, "deck": deck, "bots": p.names_in(bots, "--bots")}
    sides = {"deck_a": deck_a, "deck_b": deck_b, "bot_a": bot_a, "bot_b": bot_b}
    with p.as_options("game", "players"):
        spec = g.spec_now(g.spec_then(folder), game, {k: v for k, v in {**given, **table, **sides}.items() if v})
    with p.as_options("margin", "resolution", "alpha", "beta", "games", "max-games"):
        terms = g.checked_terms(margin, resolution, alpha, beta)
        keys = g.checked_keys(games, max_games, folder.contests[0].seatings)
    root = folder.manifest["seed"] if seed is None else seed
    opened = g.open_gate(folder, spec, g.Question(terms, keys, root, games is not None))
    if out:
        make_folder(out)  # before an hour of play rather than after it
    with p.workers(folder.game, executor, threads, scheduler) as workers:
        results = _carry_out(opened, workers, block)
    asked = [
        ("--margin", margin), ("--resolution", resolution), ("--alpha", alpha), ("--beta", beta), ("--max-games", max_games),
        ("--games", games), *((f"--{k}", v) for k, v in given.items() if k not in ("variants", "sets")), ("--variant", variant),
        ("--set", set_), ("--players", players), ("--deck", deck), ("--bots", bots),
        *((f"--{k.replace('_', '-')}", v) for k, v in sides.items()), ("--seed", seed),
    ]  # fmt: skip
    _print(opened, results, gate_json(opened, results), p.command_line(["check", str(directory)], asked), format_)
    if out:
        texts = gate_files(opened, results, undecided is Undecided.fails)
        write_files({out / name: text for name, text in texts.items()}, force)
    verdict = g.overall(results)
    if verdict is Verdict.moved:
        raise typer.Exit(EXIT_MOVED)
    if verdict is Verdict.undecided and undecided is not Undecided.passes:
        raise typer.Exit(EXIT_MOVED if undecided else EXIT_UNDECIDED)


def _carry_out(gate: Gate, workers: Executor, block: int | None) -> list[CellResult]:
    """Plays every cell; what a test did not need of its games is taken from the total."""
    from bhsim.lab.gate import check, key_limit

    if gate.to_play:
        p.ready(gate.folder.game, workers)
    most = {c.now.number: key_limit(gate, c) * c.now.seatings for c in gate.to_play}
    results = []
    with p.progress_of_most(sum(most.values())) as shown:
        for result in check(gate, shown.add, executor=workers, block=block):
            results.append(result)
            if not result.cell.identical:
                shown.spare(most[result.cell.now.number] - result.keys * result.cell.now.seatings)
    return results


def _print(gate: Gate, results: list[CellResult], document: dict[str, Any], command: str, format_: p.Format) -> None:
    from bhsim.cli import tables
    from bhsim.lab.gate import overall
    from bhsim.lab.manifest import joint_digest
    from bhsim.report.gate import SHOWN_PATHS, differing, gate_grid, path_lines, replay_commands, sentence
    from bhsim.stats.gate import Verdict

    engine = gate.engine_now if gate.engine_now == gate.engine_then else f"{gate.engine_now}, the baseline's {gate.engine_then}"
    digest = joint_digest([c.now.digest() for c in gate.cells])
    lines = tables.resolved_lines(engine, digest, gate.question.seed, document["house_values"], command)
    if format_ is p.Format.json:
        tables.print_json(document)
        p.say("\n".join(lines))
        return
    grid = gate_grid(gate, results)
    tables.print_table(grid.caption, grid.head, grid.rows, grid.numeric)
    for paths, labels in differing(results):
        print("\n".join([f"what differs ({', '.join(labels)}):", *(f"  {line}" for line in path_lines(paths, SHOWN_PATHS))]))
    for result in results:
        if result.verdict is Verdict.undecided:
            print(f"{result.cell.now.label}: {sentence(gate, result)}")
        for witness in result.witnesses:
            print("  then  " + replay_commands(gate, result, witness)[0])
            print("  now   " + replay_commands(gate, result, witness)[1])
    print("\n".join(lines))
    print(f"baseline      {gate.folder.path}, data {gate.folder.manifest['data_digest']}")
    print(f"verdict       {overall(results).value}")
