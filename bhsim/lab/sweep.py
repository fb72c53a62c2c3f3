"""Sweeps: match-ups times bots times points of the axes become contests that all meet the same keys. docs/sweeps.md describes the file."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, SideNames
from bhsim.games.seats import Seating
from bhsim.inputs.document import Document, read_toml
from bhsim.lab.axis import FILE_KINDS, SIDE_KINDS, Axis, files_of, value_label
from bhsim.lab.contest import Contest, assemble
from bhsim.lab.design import points_of
from bhsim.lab.hidden import Beside, with_hidden
from bhsim.lab.overlaps import note_undone_variants
from bhsim.lab.precision import looks
from bhsim.lab.spec import MatchUps, Opponent, SweepSpec, files_of_spec, game_of, opponent_label, parse_as, parse_spec, read_spec

__all__ = [
    "MatchUps", "SweepSpec", "check_spec", "contests_of", "game_of", "opponent_label", "parse_as", "parse_spec", "read_spec", "value_label",
]  # fmt: skip

Chosen = list[tuple[Axis, Any]]


@dataclass(frozen=True)
class _MatchUp:
    """Who meets whom: what settings say of it, and the sides; none where the game's usual table plays."""

    setting: dict[str, str]
    sides: tuple[Opponent, ...]


def check_spec(path: Path) -> None:
    """Reads a spec and builds every contest of it; BadInput lists all that `bhsim sweep` would refuse."""
    document = read_toml(path)
    _build(spec_in(document), document)


def spec_in(document: Document) -> SweepSpec:
    """The spec in a file; BadInput lists its faults, and those of the contests that what is not faulty makes."""
    try:
        return parse_spec(document.data, document)
    except BadInput as error:
        raise with_hidden(error, document, _build) from None


def _build(spec: SweepSpec, document: Document) -> None:
    contests_of(spec, game_of(spec, document), document)


def contests_of(spec: SweepSpec, game: Game, document: Document | None = None) -> list[Contest]:
    """All contests: match-ups outermost, then the bots of the panel, then the points of the design, in a grid the last axis fastest.

    document: the file of the spec, for the lines. BadInput lists the faults of every contest, each once, with the settings that are
    common to the contests that have it.
    """
    contests: list[Contest] = []
    found: dict[str, tuple[Fault, dict[str, str]]] = {}
    bundles: dict[str, Any] = {}
    beside = Beside(spec, game)
    games = spec.games or spec.max_games or 0
    _check_deck_axes(spec, game, document)
    for setting, match_up, bot, chosen in _settings(spec, document):
        sides: list[SideNames] = []
        try:
            sides = _names(spec, game, match_up, bot, chosen)
            contest = assemble(game, _bundle(spec, game, chosen, bundles), sides, games, len(contests), setting)
            contests.append(dataclasses.replace(contest, looks=looks(contest.keys)) if spec.precision else contest)
        except BadInput as error:
            changes = {axis.changed_path: value for axis, value in chosen if axis.changed_path}
            for fault in (*error.faults, *beside.faults(sides, changes)):
                _, shared = found.get(str(fault), (fault, setting))
                found[str(fault)] = fault, {axis: value for axis, value in shared.items() if setting.get(axis) == value}
    if found:
        raise BadInput(*(_placed(fault, shared, spec, document) for fault, shared in found.values()))
    if faults := _faults_of_twins(contests):
        raise BadInput(*(document.located(fault) if document else fault for fault in faults))
    _note_undone(spec, game, contests)
    return contests


def _check_deck_axes(spec: SweepSpec, game: Game, document: Document | None) -> None:
    """BadInput for an axis that gives a deck to some sides of a table with one deck for all."""
    wrong = [n for n, axis in enumerate(spec.axes) if game.shared_deck and axis.kind == "deck" and axis.side not in (None, "both")]
    faults = [Fault(f"all sides of {game.name} share one deck", field=f"axes.{n}.side", allowed="leave it out") for n in wrong]
    if faults:
        raise BadInput(*(document.located(fault) if document else fault for fault in faults))


def _faults_of_twins(contests: list[Contest]) -> list[Fault]:
    """Crews, opponents or bots of a panel that stand there twice under two names, a file's name and its path for example."""
    crews, opponents, bots = ([c for c in contests if label in c.setting] for label in ("crew", "opponent", "bot"))
    twins = [("crews", pair) for pair, met in _grouped(crews, "crew", "opponent").items() if all(c.mirror for c in met)]
    for field, label, found in (("opponents", "opponent", [] if crews else opponents), ("panel", "bot", bots)):
        seen: dict[tuple[int, ...], str] = {}
        for (value,), met in _grouped(found, label).items():
            models = tuple(hash(repr([(s.crew_model, s.deck_model, s.bot_model) for s in c.sides])) for c in met)
            twins += [(field, (seen[models], value))] if models in seen else []
            seen.setdefault(models, value)
    return [Fault(f"{one} and {other} are the same", field=field) for field, (one, other) in twins]


def _grouped(contests: list[Contest], *labels: str) -> dict[tuple[str, ...], list[Contest]]:
    """Contests by what their settings say under these labels; in every group the rest of the settings comes in the same order."""
    groups: dict[tuple[str, ...], list[Contest]] = {}
    for contest in contests:
        groups.setdefault(tuple(contest.setting[label] for label in labels), []).append(contest)
    return groups


def _note_undone(spec: SweepSpec, game: Game, contests: list[Contest]) -> None:
    options = Options(**files_of_spec(spec, game), variants=tuple(spec.variants), sets=tuple(spec.sets))
    point = [(axis, axis.points[0]) for axis in spec.axes if axis.points]
    names = _names(spec, game, _match_ups(spec)[0], (spec.panel or (None,))[0], point)
    note_undone_variants(game, options, names, [axis.changed_path for axis in spec.axes if axis.changed_path])


def _settings(spec: SweepSpec, document: Document | None) -> Iterator[tuple[dict[str, str], _MatchUp, str | None, Chosen]]:
    """Setting, match-up, bot of the panel and chosen values of every contest in order."""
    try:
        points = points_of(spec)
    except BadInput as error:
        raise BadInput(*(document.located(f) if document else f for f in error.faults)) from None
    for match_up, bot, point in itertools.product(_match_ups(spec), spec.panel or (None,), points):
        chosen = list(zip(spec.axes, point, strict=True))
        setting = match_up.setting | ({"bot": bot} if bot else {})
        setting |= {axis.label: value_label(value) for axis, value in chosen}
        yield setting, match_up, bot, chosen


def _match_ups(spec: SweepSpec) -> list[_MatchUp]:
    """The first side against each opponent, or each pair of crews once, or the game's usual table."""
    if spec.crews is not None:
        return [_MatchUp({"crew": a.label, "opponent": b.label}, (a, b)) for a, b in itertools.combinations(spec.crews, 2)]
    if spec.opponents is None:
        return [_MatchUp({}, ())]
    first = Opponent(crew=spec.crew, deck=spec.deck, bot=spec.bot)
    several = len(spec.opponents) > 1
    return [_MatchUp({"opponent": opponent_label(o)} if several else {}, (first, *o)) for o in spec.opponents]


def _names(spec: SweepSpec, game: Game, match_up: _MatchUp, bot: str | None, chosen: Chosen) -> list[SideNames]:
    """The sides of one contest; a deck that the table shares is none of theirs."""
    if match_up.sides:
        sides = [{"crew": s.crew, "deck": s.deck, "bot": bot or s.bot} for s in match_up.sides]
    else:
        players = next((value for axis, value in chosen if axis.kind == "players"), spec.players)
        sides = [vars(s) | ({"bot": bot} if bot else {}) for s in usual_sides(spec, game, players)]
    if game.shared_deck:
        sides[0]["deck"] = None
    for axis, value in chosen:
        if axis.kind in SIDE_KINDS and not (axis.kind == "deck" and game.shared_deck):
            which = {"a": sides[:1], "b": sides[1:], "both": sides}[axis.side or "a"]
            for side in which:
                side[axis.kind] = value
    return [SideNames(**s) for s in sides]


def usual_sides(spec: MatchUps, game: Game, players: int | None) -> list[SideNames]:
    """The game's usual table with what a spec without opponents says of it."""
    first, *others = Seating(players=players, bots=tuple(spec.bots or ()), own_bots=(spec.bot,)).sides(game)
    return [dataclasses.replace(first, crew=spec.crew), *others]


def _bundle(spec: SweepSpec, game: Game, chosen: Chosen, cache: dict[str, Any]) -> Any:
    """The bundle of one point; equal ones are the same object, so that they are compiled once."""
    files = files_of_spec(spec, game)
    variants = list(spec.variants)
    changes: dict[str, Any] = {}
    for axis, value in chosen:
        if axis.changed_path:
            changes[axis.changed_path] = value
        elif axis.kind == "variant":
            variants += files_of(value)
        elif axis.kind in FILE_KINDS or (axis.kind == "deck" and game.shared_deck):
            files[axis.kind] = value
    base_key = repr((sorted(files.items()), variants))
    if base_key not in cache:
        cache[base_key] = game.load(Options(**files, variants=tuple(variants), sets=tuple(spec.sets)))
    key = base_key + repr(changes)
    if key not in cache:
        cache[key] = game.patched(cache[base_key], changes) if changes else cache[base_key]
    return cache[key]


def _places(spec: SweepSpec) -> dict[tuple[str, str], str]:
    """Field path of every label with every value label."""
    places = {("opponent", opponent_label(o)): f"opponents.{number}" for number, o in enumerate(spec.opponents or ())}
    for number, crew in enumerate(spec.crews or ()):
        places |= {(label, crew.label): f"crews.{number}" for label in ("crew", "opponent")}
    places |= {("bot", bot): f"panel.{number}" for number, bot in enumerate(spec.panel or ())}
    for number, axis in enumerate(spec.axes):
        if axis.range is None:
            places |= {(axis.label, value_label(v)): f"axes.{number}.{axis.field}.{place}" for place, v in enumerate(axis.points)}
    return places


def _cause(fault: Fault, spec: SweepSpec) -> str | None:
    """Field path of the axis or change that the fault speaks of, or else the fault's own field."""
    for number, axis in enumerate(spec.axes):
        if fault.field and fault.field in (axis.path, f"rules.{axis.rule}"):
            return f"axes.{number}.{axis.kind}"
    for number, text in enumerate(spec.sets):
        if fault.field and text.partition("=")[0].strip() == fault.field:
            return f"sets.{number}"
    return fault.field


def _named(fault: Fault, spec: SweepSpec) -> str | None:
    """The field of what all contests share, if the fault names its value."""
    shared = [(kind, getattr(spec, kind)) for kind in (*SIDE_KINDS, "cardset", "board", "rules")]
    shared += [(f"bots.{number}", bot) for number, bot in enumerate(spec.bots or ())]
    found = [(fault.message.find(repr(name)), field) for field, name in shared if name and repr(name) in fault.message]
    return min(found)[1] if found else None  # a name that is suggested stands behind the wrong one


def _placed(fault: Fault, shared: dict[str, str], spec: SweepSpec, document: Document | None) -> Fault:
    """A contest's fault with its settings, and with the line of the first of them in the spec unless it is about another file."""
    named = _named(fault, spec)
    where = "" if named else ", ".join(f"{axis} = {value}" for axis, value in shared.items())
    told = dataclasses.replace(fault, message=f"{fault.message} (contest {where})") if where else fault
    if fault.file or document is None:
        return told
    places = _places(spec) if shared else {}
    field = named or next((places[item] for item in reversed(shared.items()) if item in places), None) or _cause(fault, spec)
    line = document.located(Fault("", field=field)).line
    return dataclasses.replace(told, file=str(document.path), line=line)
