"""``sensitivity``, ``effects`` and ``plan`` as functions."""
# ruff: noqa: A002 (the parameter ``set`` is called as the option is)

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bhsim.api.answers import EffectsResult, PlanResult, SensitivityResult, factor_effects
from bhsim.api.asking import (
    OPTIONS,
    Changes,
    Named,
    PerSide,
    Specified,
    asked,
    names_of,
    overrides,
    renamed,
    seating_of,
    spec_command,
    spec_data,
    typed,
)
from bhsim.api.results import facts_of
from bhsim.api.work import Place, Work, carry_out
from bhsim.errors import BadInput, Fault
from bhsim.games.game import engine_label, find
from bhsim.games.usual import DEFAULT_GAME
from bhsim.inputs.command import command_line
from bhsim.lab import defaults
from bhsim.lab import effects as by_lot
from bhsim.lab import plan as planning
from bhsim.lab.again import spec_of
from bhsim.lab.factors import parse_sensitivity, planned
from bhsim.lab.manifest import joint_digest, manifest_of
from bhsim.lab.restricted import panel_of
from bhsim.lab.sensitivity import measure, write_effects
from bhsim.lab.spec import game_of, overridden
from bhsim.lab.sweep import contests_of
from bhsim.report.matters import effects_plots, sensitivity_plots, write_plots


@typed
def sensitivity(
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
) -> SensitivityResult:
    """Varies many numbers at once and says which moves the metric most (docs/what-matters.md).

    spec: a file, or a mapping with what would stand in one; its name may be left out. The rest is as for ``sweep``.
    """
    data, document = spec_data(spec, "sensitivity")
    a = asked(game or DEFAULT_GAME, cardset, board, rules, variants, set)
    given = overrides(a, game, games, seed)
    with renamed(**OPTIONS):
        merged = overridden(parse_sensitivity(data, document), given, a.options.variants, a.options.sets, document)
    plan = planned(merged, find(merged.game) if game or document is None else game_of(merged, document), document)
    command = spec_command("sensitivity", spec, merged, given, a.options)
    recorded = merged.model_dump(mode="json") | {"design": plan.record()}
    manifest = manifest_of(merged.name, "sensitivity", plan.contests, merged.seed, recorded, command)
    place = Place(out, force, resume)
    run = carry_out(manifest, plan.contests, Work(threads, executor, scheduler), place)
    found = measure(run)
    result = SensitivityResult(
        **facts_of(run), metric=found.metric, unit=found.unit, effects=factor_effects(found), folder=place.path, found=found
    )
    if place.path is not None:
        write_effects(run, found)
        write_plots(place.path, sensitivity_plots(found, result.footer))
    return result


@typed
def effects(
    crew_a: Named | None = None,
    crew_b: Named | None = None,
    *,
    what: str = "cards",
    builds: int = defaults.BUILDS,
    restricted: bool | Iterable[Named] = False,
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
    games: int = defaults.GAMES_OF_BUILD,
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    out: Named | None = None,
    force: bool = False,
    resume: bool = False,
) -> EffectsResult:
    """Draws builds of the first side by lot and says what each card, runner or rig adds (docs/what-matters.md).

    what: "cards", "runners" or "rigs". builds: how many are drawn, with ``games`` each. restricted: also forbids and obliges the first
    side's bot to play each card of its deck; or the bots that this is done with, each on both sides. The rest is as for ``play``.
    """
    table = seating_of((crew_a, crew_b), players, deck, decks, bots)
    a = asked(game, cardset, board, rules, variants, set, table)
    sides = table.sides(a.found)
    match = contests_of(spec_of(a.game, a.options, sides, games, seed), a.found)[0]
    panel = () if restricted is True else names_of(restricted or (), "restricted")
    held = [match.sides] if restricted is True else panel_of(a.found, match.bundle, sides, panel)
    with renamed(decks="builds"):
        plan = by_lot.planned(a.found, match.bundle, match.sides, what, builds, match.keys, seed, held)
    asked_for = [
        ("--what", what),
        ("--decks", builds),
        ("--restricted", bool(held)),
        ("--panel", ",".join(panel) or None),
    ]
    words = [*a.words, *table.words, *asked_for, ("--games", games), ("--seed", seed)]
    command = command_line(["effects", *table.crews], words)
    place = Place(out, force, resume)
    run = carry_out(by_lot.manifest_for(plan, seed, command), plan.contests, Work(threads, executor, scheduler), place)
    with renamed(decks="builds"):
        found = by_lot.measure(plan, *by_lot.stored_scores(plan, run))
    facts = facts_of(run) | {"data_digest": match.digest()}
    result = EffectsResult(
        **facts, part=found.part, builds=found.builds, present=found.present, mean=found.mean, folder=place.path, found=found
    )
    if place.path is not None:
        by_lot.write_tables(place.path, found)
        write_plots(place.path, effects_plots(found, result.footer))
    return result


@typed
def plan(
    crew_a: Named | None = None,
    crew_b: Named | None = None,
    *,
    precision: float | None = None,
    detect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    versus_set: Changes = None,
    versus_variants: Named | Iterable[Named] = (),
    pilot: int = defaults.PILOT_GAMES,
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
    seed: int = defaults.SEED,
    threads: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
) -> PlanResult:
    """Plays a pilot and says how many games a precision or a power needs, and how long they take on this machine.

    precision: width of an interval, or detect: a shift, both in points, is the question (``PlanResult.needed``). versus_set,
    versus_variants: the question is about the change that these make. The rest is as for ``play``.
    """
    if precision is not None and detect is not None:
        raise BadInput(Fault("precision and detect are two questions: give one of them"))
    for name, points in (("precision", precision), ("detect", detect)):
        planning.checked_points(name, points)
    planning.checked_chances(alpha, power)
    planning.checked_pilot(pilot)
    table = seating_of((crew_a, crew_b), players, deck, decks, bots)
    a = asked(game, cardset, board, rules, variants, set, table)
    other = asked(a.game, cardset, board, rules, versus_variants, versus_set).options
    data = [a.options]
    if other.variants or other.sets:
        both = (*a.options.variants, *other.variants), (*a.options.sets, *other.sets)
        data.append(replace(a.options, variants=both[0], sets=both[1]))
    sides = table.sides(a.found)
    contests = [contests_of(spec_of(a.game, options, sides, pilot, seed), a.found)[0] for options in data]
    with Work(threads, executor, scheduler).workers(a.found) as workers:
        found = planning.pilot(contests, seed, executor=workers)
    widths = tuple(planning.for_width(found, points) for points in planning.with_steps(precision))
    shifts = tuple(planning.for_shift(found, points, alpha, power) for points in planning.with_steps(detect))
    answers = [s.games for steps, points in ((widths, precision), (shifts, detect)) for s in steps if s.points == points]
    return PlanResult(
        game=a.game,
        engine=engine_label(a.found),
        data_digest=joint_digest([c.digest() for c in contests]),
        seed=seed,
        house_values=any(c.game.house_values(c.bundle, c.sides) for c in contests),
        games=found.keys * found.games_per_key,
        mean=found.mean,
        saving=found.saving,
        widths=widths,
        shifts=shifts,
        needed=answers[0] if answers else None,
        power=power,
        alpha=alpha,
        pilot=found,
    )
