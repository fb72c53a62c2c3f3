"""``play``, ``sweep``, ``compare``, ``baseline`` and ``check`` as functions."""
# ruff: noqa: A002 (the parameter ``set`` is called as the option is)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bhsim.api.answers import CheckResult, CompareResult, match_up_change, pair_changes
from bhsim.api.asking import (
    OPTIONS,
    TABLE,
    Changes,
    Named,
    PerSide,
    Specified,
    asked,
    name_of,
    names_of,
    overrides,
    renamed,
    rows_of,
    seating_of,
    spec_command,
    spec_data,
    typed,
)
from bhsim.api.results import BaselineResult, PlayResult, RunResult, SweepResult, facts_of, run_result
from bhsim.api.work import Place, Work, carry_out, check_force
from bhsim.errors import BadInput, Fault
from bhsim.games.game import find
from bhsim.games.usual import DEFAULT_GAME
from bhsim.inputs.command import command_line
from bhsim.inputs.output import refuse_existing, write_files
from bhsim.lab import defaults
from bhsim.lab import gate as gates
from bhsim.lab.again import spec_of, spec_of_baseline
from bhsim.lab.compare import compare_rows, compare_runs
from bhsim.lab.manifest import joint_digest, manifest_of
from bhsim.lab.memory import Kept
from bhsim.lab.spec import game_of, overridden, parse_spec
from bhsim.lab.store import Folder, open_folder
from bhsim.lab.sweep import contests_of, spec_in
from bhsim.report.gate import OUTPUTS, gate_files

Stored = Named | RunResult  # a run folder, or a run as a function has returned it


@typed
def play(
    crew_a: Named | None = None,
    crew_b: Named | None = None,
    *,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    players: int | None = None,
    deck: Named | None = None,
    decks: PerSide = None,
    bots: PerSide | Iterable[Named] = None,
    games: int = defaults.GAMES,
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
) -> PlayResult:
    """Plays two crews against each other, or a table of bots.

    game: None for the one that has the files named. set: path to value, for this run. decks, bots: one for both crews, or a pair.
    deck, players, bots: of a table without crews; bots are repeated or cut to the number of players. games: rounded up to whole keys.
    threads: None for all cores; executor "dask" with the address of a scheduler, or with as many processes here as threads. out: a run
    folder; without it nothing is written. BadInput lists what is wrong with any of it.
    """
    table = seating_of((crew_a, crew_b), players, deck, decks, bots)
    a = asked(game, cardset, board, rules, variants, set, table)
    spec = spec_of(a.game, a.options, table.sides(a.found), games, seed)
    contests = contests_of(spec, a.found)
    command = command_line(["play", *table.crews], [*a.words, *table.words, ("--games", games), ("--seed", seed)])
    manifest = manifest_of(contests[0].label, "play", contests, seed, spec.model_dump(mode="json", exclude_unset=True), command)
    return run_result(PlayResult, carry_out(manifest, contests, Work(threads, executor, scheduler), Place(out, force)))


@typed
def sweep(
    spec: Specified,
    *,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
    resume: bool = False,
) -> SweepResult:
    """Plays the contests of a spec: a file, or a mapping with what would stand in one (docs/sweeps.md; its name may be left out).

    What is given beside it wins over the spec; variants and changes are added. The rest is as for ``play``. resume: goes on with a
    stopped run in ``out``.
    """
    data, document = spec_data(spec, "sweep")
    a = asked(game or DEFAULT_GAME, cardset, board, rules, variants, set)
    given = overrides(a, game, games, seed)
    read = spec_in(document) if document else parse_spec(data)
    with renamed(**OPTIONS):
        merged = overridden(read, given, a.options.variants, a.options.sets, document)
    found = find(merged.game) if game or document is None else game_of(merged, document)
    changed = any((*given.values(), *a.options.variants, *a.options.sets))
    contests = contests_of(merged, found, None if changed else document)
    command = spec_command("sweep", spec, merged, given, a.options)
    manifest = manifest_of(merged.name, "sweep", contests, merged.seed, merged.model_dump(mode="json"), command)
    return run_result(SweepResult, carry_out(manifest, contests, Work(threads, executor, scheduler), Place(out, force, resume)))


def compare(first: Stored, second: Stored | None = None, *, rows: Sequence[int] | None = None) -> CompareResult:
    """Says what a second run changes against a first, or contests of one run against the first of ``rows``, key by key where it can.

    first, second: results of ``play``, ``sweep`` or ``baseline``, or run folders. BadInput for runs that have nothing in common.
    """
    if (second is None) == (rows is None):
        raise BadInput(Fault("what is compared?", field="second", allowed="two runs, or one with rows"))
    ours = _run(first)
    theirs = ours if second is None else _run(second)
    with renamed(rows="rows"):
        found = compare_rows(ours, rows_of(rows)) if rows is not None else compare_runs(ours, theirs)
    facts = facts_of(theirs) | {"house_values": ours.manifest["house_values"] or theirs.manifest["house_values"]}
    played = {id(r): r.contest.games for pair in found.pairs for r in (pair.first, pair.second)}
    facts["games"] = sum(played.values())
    return CompareResult(
        **facts, changes=pair_changes(found), only_first=tuple(found.only_first), only_second=tuple(found.only_second), comparison=found
    )


@typed
def baseline(
    *crews: Named,
    out: Named,
    game: str | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    players: int | None = None,
    deck: Named | None = None,
    decks: PerSide = None,
    bots: PerSide | Iterable[Named] = None,
    games: int = defaults.GAMES,
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    force: bool = False,
) -> BaselineResult:
    """Plays two crews, every pair of more, or a table of bots, and stores the run in ``out``, for ``check``.

    Decks and bots only with two crews or none. The rest is as for ``play``.
    """
    table = seating_of(names_of(crews, "crews"), players, deck, decks, bots)
    a = asked(game, cardset, board, rules, variants, set, table)
    spec = spec_of_baseline(a.game, a.options, table, games, seed)
    contests = contests_of(spec, a.found)
    options = [*a.words, *table.words, ("--games", games), ("--seed", seed), ("--out", name_of(out, "out"))]
    asked_for = spec.model_dump(mode="json", exclude_unset=True)
    manifest = manifest_of(spec.name, "baseline", contests, seed, asked_for, command_line(["baseline", *table.crews], options))
    return run_result(BaselineResult, carry_out(manifest, contests, Work(threads, executor, scheduler), Place(out, force)))


@typed
def check(
    baseline: Stored,
    *,
    margin: float = 2.0,
    resolution: float = 1.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_games: int | None = None,
    games: int | None = None,
    cardset: Named | None = None,
    board: Named | None = None,
    rules: Named | None = None,
    variants: Named | Iterable[Named] = (),
    set: Changes = None,
    players: int | None = None,
    deck: Named | None = None,
    decks: PerSide = None,
    bots: PerSide | Iterable[Named] = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
) -> CheckResult:
    """Says whether today's data, with the changes given, moves a stored run (docs/gate.md).

    margin, resolution: in points. max_games: of a match-up, 100,000 by default; games: exactly so many, with a test of fixed size.
    seed: other luck than the baseline's. out: a folder for check.json, check.xml and check.md. BadInput for a run that is no baseline.
    """
    folder = _run(baseline)
    if isinstance(folder, Kept):
        raise BadInput(Fault("this run is in memory only, so no later check could find it", field="baseline", allowed="a run with out"))
    files = [Path(name_of(out, "out")) / name for name in OUTPUTS] if out is not None else []
    check_force(force, out)
    refuse_existing(files, force)
    a = asked(folder.game.name, cardset, board, rules, variants, set)
    named = {"cardset": a.options.cardset, "board": a.options.board, "rules": a.options.rules}
    crews = [side.who for side in folder.contests[0].sides]
    table = seating_of([crew or None for crew in crews], players, deck, decks, bots)
    sides = {"players": players, "deck": table.deck, "bots": list(table.bots)}
    for part, pair in (("deck", table.decks), ("bot", table.own_bots)):
        sides |= {f"{part}_{letter}": name for letter, name in zip("ab", pair, strict=False)}
    given = {**named, **sides, "variants": a.options.variants, "sets": a.options.sets}
    with renamed(deck_a="decks", deck_b="decks", bot_a="bots", bot_b="bots", **TABLE, **OPTIONS):
        spec = gates.spec_now(gates.spec_then(folder), None, {field: value for field, value in given.items() if value})
    terms = gates.checked_terms(margin, resolution, alpha, beta)
    with renamed(max_games="max_games"):
        keys = gates.checked_keys(games, max_games, folder.contests[0].seatings)
    root = folder.manifest["seed"] if seed is None else seed
    opened = gates.open_gate(folder, spec, gates.Question(terms, keys, root, games is not None))
    work = Work(threads, executor, scheduler)
    if opened.to_play:
        with work.workers(folder.game) as workers:
            results = tuple(gates.check(opened, executor=workers))
    else:
        results = tuple(gates.check(opened))
    if files:
        write_files(dict(zip(files, gate_files(opened, results, False).values(), strict=True)), force)
    return _checked(opened, results)


def _checked(gate: gates.Gate, results: tuple[gates.CellResult, ...]) -> CheckResult:
    cells = tuple(match_up_change(r) for r in results)
    now = [c.now for c in gate.cells]
    house = gate.folder.manifest["house_values"] or any(c.game.house_values(c.bundle, c.sides) for c in now)
    return CheckResult(
        game=gate.folder.game.name,
        engine=gate.engine_now,
        data_digest=joint_digest([c.digest() for c in now]),
        seed=gate.question.seed,
        house_values=house,
        games=sum(c.games for c in cells),
        verdict=gates.overall(results).value,
        cells=cells,
        gate=gate,
        results=results,
    )


def _run(stored: Stored) -> Folder:
    """The run behind a result, or in a folder."""
    return stored.run if isinstance(stored, RunResult) else open_folder(Path(name_of(stored, "run")))
