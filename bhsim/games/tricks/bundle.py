"""Deck, board and rules together, and the paths by which each of their values can be read and changed.

A path names a value: ``deck.jokers``, ``deck.penalties.13``, ``board.spaces.root_access.value``, ``rules.follow``. Changes make new
models; nothing is written to a file.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.tricks import legality
from bhsim.games.tricks.model import Board, Deck, Rules
from bhsim.inputs.explain import explained
from bhsim.inputs.models import identifier
from bhsim.inputs.names import listing, suggestion

_FIXED = ("name", "house_values")  # words for people, not values to vary
NEAREST = 6  # paths shown when one is unknown


@dataclass(frozen=True)
class Bundle:
    """What a game is played with besides the bots. notes: what reading the files had to say."""

    deck: Deck
    board: Board
    rules: Rules
    notes: tuple[str, ...] = ()

    @property
    def house_values(self) -> bool:
        """Whether any part carries numbers that were made up here."""
        return self.deck.house_values or self.board.house_values


def canonical(path: str) -> tuple[str, ...]:
    """Path parts; a printed name is as good as the id."""
    return tuple(identifier(part) for part in path.split("."))


def paths(bundle: Bundle) -> Iterator[tuple[str, Any]]:
    """Every path that can be changed, with its present value, in the order of the files."""
    for head in ("deck", "board", "rules"):
        for rest, value in _values(getattr(bundle, head)):
            yield ".".join((head, *rest)), value


def value_at(bundle: Bundle, path: str) -> Any:
    """The present value of a path as ``paths`` gives it; ``BadInput`` with near paths if there is none."""
    known = dict(paths(bundle))
    wanted = ".".join(canonical(path))
    if wanted not in known:
        raise BadInput(_unknown_path(known, path))
    return known[wanted]


def patched(bundle: Bundle, changes: Mapping[str, Any]) -> Bundle:
    """``bundle`` with ``path = value`` replaced for every change; ``BadInput`` lists every bad one."""
    known = dict(paths(bundle))
    faults: list[Fault] = []
    grouped: dict[str, dict[tuple[str, ...], Any]] = {}
    for path, value in changes.items():
        head, *rest = canonical(path)
        if ".".join((head, *rest)) in known:
            grouped.setdefault(head, {})[tuple(rest)] = value
        else:
            faults.append(_unknown_path(known, path))
    rebuilt: dict[str, Any] = {}
    for head, values in grouped.items():
        try:
            rebuilt[head] = _rebuilt(getattr(bundle, head), values, head)
        except BadInput as error:
            faults += error.faults
    if faults:
        raise BadInput(*faults)
    return checked(dataclasses.replace(bundle, **rebuilt))


def checked(bundle: Bundle) -> Bundle:
    """The bundle, if its parts are legal and fit together; else ``BadInput`` with every fault, its field written as a path."""
    faults = [dataclasses.replace(f, field=f"board.{f.field}") for f in legality.check_board(bundle.board)]
    faults += [dataclasses.replace(f, field=f"deck.{f.field}") for f in legality.check_deck(bundle.deck)]
    faults += [dataclasses.replace(f, field=f"rules.{f.field}") for f in legality.check_rules(bundle.rules, bundle.deck)]
    if faults:
        raise BadInput(*faults)
    return bundle


def _values(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Paths below a value; what a tile leaves as printed has none."""
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields if name not in _FIXED}
    if not isinstance(value, dict):
        yield (), value
        return
    for key, inner in value.items():
        if inner is not None:
            for rest, leaf in _values(inner):
                yield (key, *rest), leaf


def _rebuilt(old: BaseModel, values: Mapping[tuple[str, ...], Any], prefix: str) -> Any:
    """A new model with some values replaced, validated as if it had been written so in the file."""
    data = old.model_dump(exclude_unset=True)
    for parts, value in values.items():
        owner = data
        for part in parts[:-1]:
            owner = owner[part]
        owner[parts[-1]] = copy.deepcopy(value)
    try:
        return type(old).model_validate(data)
    except ValidationError as error:
        raise BadInput(*explained(error, type(old), data, prefix)) from None


def _unknown_path(known: Mapping[str, Any], path: str) -> Fault:
    parts = canonical(path)
    if parts[-1] in _FIXED and len(parts) > 1:
        return Fault("names cannot be changed by a path", field=path, allowed="edit the file instead")
    near = [name for name in known if name.startswith(".".join(parts[:-1]) + ".")][:NEAREST]
    near = near or ["deck.NUMBER", "deck.penalties.RANK", "board.spaces.ID.FIELD", "board.tiles.ID.spaces.ID.FIELD", "rules.SWITCH"]
    return Fault(f"unknown path{suggestion('.'.join(parts), known)}", field=path, allowed=listing(near))
