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
from bhsim.inputs.document import Document, read_toml
from bhsim.lab.contest import Contest, assemble
from bhsim.lab.design import points_of
from bhsim.lab.precision import looks
from bhsim.lab.spec import (
    FILE_KINDS,
    SIDE_KINDS,
    Axis,
    MatchUps,
    Opponent,
    SweepSpec,
    game_of,
    opponent_label,
    parse_as,
    parse_spec,
    read_spec,
    value_label,
)  # fmt: skip

__all__ = [
    "MatchUps", "SweepSpec", "check_spec", "contests_of", "game_of", "opponent_label", "parse_as", "parse_spec", "read_spec", "value_label",
]  # fmt: skip

Chosen = list[tuple[Axis, Any]]


@dataclass(frozen=True)
class _MatchUp:
    """Who meets whom: what settings say of it, and the sides."""

    setting: dict[str, str]
    sides: tuple[Opponent, ...]


def check_spec(path: Path) -> None:
    """Reads a spec and builds every contest of it; BadInput lists all that `bhsim sweep` would refuse."""
    document = read_toml(path)
    spec = parse_spec(document.data, document)
    contests_of(spec, game_of(spec, document), document)


def contests_of(spec: SweepSpec, game: Game, document: Document | None = None) -> list[Contest]:
    """All contests: match-ups outermost, then the bots of the panel, then the points of the design, in a grid the last axis fastest.

    document: the file of the spec, for the lines. BadInput lists the faults of every contest, each once, with the settings that are
    common to the contests that have it.
    """
    contests: list[Contest] = []
    found: dict[str, tuple[Fault, dict[str, str]]] = {}
    bundles: dict[str, Any] = {}
    games = spec.games or spec.max_games or 0
    for setting, sides, chosen in _settings(spec, document):
        try:
            contest = assemble(game, _bundle(spec, game, chosen, bundles), sides, games, len(contests), setting)
            contests.append(dataclasses.replace(contest, looks=looks(contest.keys)) if spec.precision else contest)
        except BadInput as error:
            for fault in error.faults:
                _, shared = found.get(str(fault), (fault, setting))
                found[str(fault)] = fault, {axis: value for axis, value in shared.items() if setting.get(axis) == value}
    if found:
        raise BadInput(*(_placed(fault, shared, spec, document) for fault, shared in found.values()))
    return contests


def _settings(spec: SweepSpec, document: Document | None) -> Iterator[tuple[dict[str, str], list[SideNames], Chosen]]:
    """Setting, sides and chosen values of every contest in order."""
    try:
        points = points_of(spec)
    except BadInput as error:
        raise BadInput(*(document.located(f) if document else f for f in error.faults)) from None
    for match_up, bot, point in itertools.product(_match_ups(spec), spec.panel or (None,), points):
        chosen = list(zip(spec.axes, point, strict=True))
        setting = match_up.setting | ({"bot": bot} if bot else {})
        setting |= {axis.label: value_label(value) for axis, value in chosen}
        yield setting, _names(match_up, bot, chosen), chosen


def _match_ups(spec: SweepSpec) -> list[_MatchUp]:
    """The first side against each opponent, or each pair of crews once."""
    if spec.crews is not None:
        return [_MatchUp({"crew": a.label, "opponent": b.label}, (a, b)) for a, b in itertools.combinations(spec.crews, 2)]
    first = Opponent(crew=spec.crew, deck=spec.deck, bot=spec.bot)
    several = len(spec.opponents or ()) > 1
    return [_MatchUp({"opponent": opponent_label(o)} if several else {}, (first, *o)) for o in spec.opponents or ()]


def _names(match_up: _MatchUp, bot: str | None, chosen: Chosen) -> list[SideNames]:
    sides = [{"crew": s.crew, "deck": s.deck, "bot": bot or s.bot} for s in match_up.sides]
    for axis, value in chosen:
        if axis.kind in SIDE_KINDS:
            which = {"a": sides[:1], "b": sides[1:], "both": sides}[axis.side or "a"]
            for side in which:
                side[axis.kind] = value
    return [SideNames(**s) for s in sides]


def _bundle(spec: SweepSpec, game: Game, chosen: Chosen, cache: dict[str, Any]) -> Any:
    """The bundle of one point; equal ones are the same object, so that they are compiled once."""
    files = {"cardset": spec.cardset, "board": spec.board, "rules": spec.rules}
    variants = list(spec.variants)
    changes: dict[str, Any] = {}
    for axis, value in chosen:
        if axis.kind == "path":
            changes[axis.path] = value
        elif axis.kind == "rule":
            changes[f"rules.{axis.rule}"] = value
        elif axis.kind == "variant":
            variants += [v for v in value if v != "none"]
        elif axis.kind in FILE_KINDS:
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
    """Field path of what all contests share and the fault speaks of, or else the fault's own field."""
    for number, axis in enumerate(spec.axes):
        if fault.field and fault.field in (axis.path, f"rules.{axis.rule}"):
            return f"axes.{number}.{axis.kind}"
    for number, text in enumerate(spec.sets):
        if fault.field and text.partition("=")[0].strip() == fault.field:
            return f"sets.{number}"
    named = (*SIDE_KINDS, "cardset", "board", "rules")
    return next((kind for kind in named if getattr(spec, kind) and repr(getattr(spec, kind)) in fault.message), fault.field)


def _placed(fault: Fault, shared: dict[str, str], spec: SweepSpec, document: Document | None) -> Fault:
    """A contest's fault with its settings, and with the line of the first of them in the spec unless it is about another file."""
    where = ", ".join(f"{axis} = {value}" for axis, value in shared.items())
    told = dataclasses.replace(fault, message=f"{fault.message} (contest {where})") if where else fault
    if fault.file or document is None:
        return told
    places = _places(spec) if shared else {}
    field = next((places[item] for item in reversed(shared.items()) if item in places), None) or _cause(fault, spec)
    line = document.located(Fault("", field=field)).line
    return dataclasses.replace(told, file=str(document.path), line=line)
