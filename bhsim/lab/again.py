"""How a contest was asked for: every run keeps a sweep's spec, and this says a contest's own options in the words of ``play``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Options, SideNames, find
from bhsim.games.seats import Seating
from bhsim.games.usual import game_words
from bhsim.lab.axis import value_label
from bhsim.lab.contest import Contest
from bhsim.lab.spec import SweepSpec, files_of_spec, parse_spec

UNNAMED = re.compile(r"[^A-Za-z0-9 _.-]+")


def spec_of(game: str, options: Options, sides: Sequence[SideNames], games: int, seed: int) -> SweepSpec:
    """The spec of one match-up, as ``play`` asks for it. options.deck: of a table that shares one."""
    first, *others = sides
    name = UNNAMED.sub("-", " - ".join(s.crew or s.bot or "side" for s in sides)).lstrip(" _.-")[:80] or "match-up"
    opponents = [{k: v for k, v in vars(s).items() if v is not None} for s in others]
    data: dict[str, Any] = {"name": name, "game": game, "games": games, "seed": seed, "opponents": [opponents]}
    given = {"cardset": options.cardset, "board": options.board, "rules": options.rules, **vars(first)}
    given["deck"] = options.deck or first.deck
    data |= {field: value for field, value in given.items() if value is not None}
    return parse_spec(data | {"variants": list(options.variants), "sets": list(options.sets)})


def play_words(spec: SweepSpec, contest: Contest) -> tuple[list[str], list[tuple[str, Any]]]:
    """Crews and options with which ``play`` and ``replay`` meet this contest of the spec again, from today's files."""
    files = files_of_spec(spec, contest.game)
    variants, sets = list(spec.variants), list(spec.sets)
    chosen = {axis.label: axis for axis in spec.axes}
    for label, text in contest.setting.items():
        axis = chosen.get(label)
        if axis is None:
            continue
        if axis.changed_path:
            sets.append(f"{axis.changed_path}={text}")
        elif axis.kind == "variant":
            variants += next(v for v in axis.points if value_label(v) == text)
        elif axis.kind in files:
            files[axis.kind] = text
    options: list[tuple[str, Any]] = [game_words(spec.game)]
    options += [(f"--{kind}", name) for kind, name in files.items()]
    options += [("--variant", [v for v in variants if v != "none"]), ("--set", sets)]
    crews = [side.who for side in contest.sides if side.who]
    if not crews:
        return [], [*options, *Seating(bots=tuple(side.bot for side in contest.sides)).words]
    for letter, side in zip("abcdef", contest.sides, strict=False):
        options += [(f"--deck-{letter}", side.deck), (f"--bot-{letter}", side.bot)]
    return crews, options


def all_pairs(game: str, options: Options, crews: Sequence[str], games: int, seed: int) -> SweepSpec:
    """The spec of every crew against every other."""
    data: dict[str, Any] = {"name": "all pairs", "game": game, "games": games, "seed": seed, "crews": list(crews)}
    data |= {k: v for k, v in vars(options).items() if k in ("cardset", "board", "rules") and v is not None}
    return parse_spec(data | {"variants": list(options.variants), "sets": list(options.sets)})


def spec_of_baseline(game: str, options: Options, seating: Seating, games: int, seed: int) -> SweepSpec:
    """The spec of one match-up, or of every crew against every other where there are more than two.

    BadInput for a single crew, and for decks and bots of more than two, since each of these sits on either side.
    """
    found, crews = find(game), seating.crews
    if len(crews) < 2 and not found.usual:
        raise BadInput(Fault("a baseline needs two crews or more", field="crews"))
    if len(crews) <= 2:
        return spec_of(game, replace(options, deck=seating.table_deck(found)), seating.sides(found), games, seed)
    if any(value is not None for _, value in seating.words):
        raise BadInput(Fault("sides have decks and bots of their own only in a match-up of two crews", field="crews", value=len(crews)))
    return all_pairs(game, options, crews, games, seed)
