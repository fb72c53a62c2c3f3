"""Card set, board and rules together, and the paths by which each of their values can be read and changed.

A path names a value: ``runners.gh0st.attack``, ``cards.big_hack.effects.0.count``, ``rules.points_to_win``,
``board.states.12``. Changes make new models; nothing is written to a file.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import legality
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import Board, Card, CardSet, Condition, Crew, Deck, Effect, Rig, Rules, Runner
from bhsim.inputs.explain import explained
from bhsim.inputs.models import identifier
from bhsim.inputs.names import listing, suggestion

POOL_MODELS: dict[str, type[BaseModel]] = {"runners": Runner, "rigs": Rig, "cards": Card}
_FIXED = ("name", "text", "house_values")  # words for people, not values to vary
SIDES = {"a": 0, "b": 1}
NEAREST = 6  # paths shown when one is unknown


@dataclass(frozen=True)
class Bundle:
    """What a game is played with besides the crews, decks and bots.

    side_changes: changes by paths ``crews.a...`` and ``decks.b...``, which ``files.read_crew`` and
    ``files.read_deck`` apply to the crew and deck of that side; side_origins: where each comes from, for messages
    (``--set`` or a variant file). notes: what reading the files had to say.
    """

    cardset: CardSet
    board: Board
    rules: Rules
    side_changes: Mapping[str, Any] = field(default_factory=dict)
    side_origins: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def house_values(self) -> bool:
        """Whether any part carries numbers that were made up here."""
        return self.cardset.house_values or self.board.house_values


def effect_keys(model: type[BaseModel], data: Any) -> list[str] | None:
    """Keys that make sense in one effect row: those of its operation (for messages and paths)."""
    if model is not Effect or not isinstance(data, dict) or data.get("op") not in v.OPS:
        return None
    return ["op", "trigger", *(name.rstrip("!") for name in v.OP_FIELDS[data["op"]]), "conditions"]


def patched(bundle: Bundle, changes: Mapping[str, Any], origin: str | None = None) -> Bundle:
    """``bundle`` with ``path = value`` replaced for every change; ``BadInput`` lists every bad one.

    Paths of crews and decks (``crews.a...``) are kept in ``side_changes``; origin: what to name when they turn out bad.
    """
    faults: list[Fault] = []
    grouped: dict[tuple[str, ...], dict[tuple[str, ...], Any]] = {}
    side_changes, side_origins = dict(bundle.side_changes), dict(bundle.side_origins)
    for path, value in changes.items():
        parts = canonical(path)
        if parts[0] in ("crews", "decks"):
            faults += _side_path_faults(path, parts)
            side_changes[".".join(parts)] = value
            side_origins.pop(".".join(parts), None)
            if origin:
                side_origins[".".join(parts)] = origin
            continue
        length = 2 if parts[0] in POOL_MODELS else 1
        if len(parts) <= length or not _changeable(bundle, parts):
            faults.append(_unknown_path(bundle, path))
        else:
            grouped.setdefault(parts[:length], {})[parts[length:]] = value
    cardset, board, rules = bundle.cardset, bundle.board, bundle.rules
    pools = {pool: dict(getattr(cardset, pool)) for pool in POOL_MODELS}
    for owner, values in grouped.items():
        try:
            if owner[0] == "rules":
                rules = _rebuilt(rules, values, "rules")
            elif owner[0] == "board":
                board = _rebuilt(board, values, "board")
                faults += [dataclasses.replace(f, field=f"board.{f.field}") for f in legality.check_board(board)]
            else:
                pools[owner[0]][owner[1]] = _rebuilt(pools[owner[0]][owner[1]], values, ".".join(owner))
        except BadInput as error:
            faults += error.faults
    if not faults and any(owner[0] in POOL_MODELS for owner in grouped):
        cardset = cardset.model_copy(update=pools)
    faults = faults or legality.check_rows(cardset, rules)
    if faults:
        raise BadInput(*faults)
    return dataclasses.replace(bundle, cardset=cardset, board=board, rules=rules, side_changes=side_changes, side_origins=side_origins)


def canonical(path: str) -> tuple[str, ...]:
    """Path parts; a printed name as second part is as good as the id."""
    parts = tuple(path.split("."))
    if parts[0] in POOL_MODELS and len(parts) > 1:
        parts = (parts[0], identifier(parts[1]), *parts[2:])
    return parts


def _rebuilt(old: BaseModel, values: Mapping[tuple[str, ...], Any], prefix: str) -> Any:
    """A new model with some values replaced, validated as if it had been written so in the file."""
    data = old.model_dump(exclude_unset=True)
    for parts, value in values.items():
        _put(data, parts, value)
    try:
        return type(old).model_validate(data)
    except ValidationError as error:
        raise BadInput(*explained(error, type(old), data, prefix, effect_keys)) from None


def _put(data: Any, parts: tuple[str, ...], value: Any) -> None:
    for part in parts[:-1]:
        data = data[int(part)] if isinstance(data, (list, tuple)) else data[part]
    key = int(parts[-1]) if isinstance(data, list) else parts[-1]
    data[key] = copy.deepcopy(value)


def _changeable(bundle: Bundle, parts: tuple[str, ...]) -> bool:
    """Whether a path may be set: one that ``paths`` lists, or a whole list of rows or one row in it."""
    head, owner = parts[0], None
    if head in POOL_MODELS:
        owner, rest = getattr(bundle.cardset, head).get(parts[1]), parts[2:]
    elif head in ("rules", "board"):
        owner, rest = getattr(bundle, head), parts[1:]
    if owner is None:
        return False
    return any(rest == known for known, _ in _values(owner, whole=True))


def _values(owner: BaseModel, whole: bool = False) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Paths below a model and their values; ``whole``: also lists of rows, and rows, as one value."""
    if isinstance(owner, Board):
        for node, state in enumerate(owner.states):
            yield ("states", str(node)), state
        return
    names = effect_keys(Effect, {"op": owner.op}) if isinstance(owner, Effect) else [n for n in type(owner).model_fields if n not in _FIXED]
    for name in names or ():
        if name == "count" and isinstance(owner, Condition) and owner.kind not in v.COUNTED_CONDITIONS:
            continue
        if name == "distance" and owner.within != "distance":
            if whole:  # can be set together with within
                yield (name,), owner.distance
            continue
        value = getattr(owner, name)
        rows = isinstance(value, list) and name in ("effects", "conditions", "common_actions")
        if not rows or whole:
            yield (name,), value
        for number, row in enumerate(value if rows else ()):
            if whole:
                yield (name, str(number)), row
            for rest, inner in _values(row, whole):
                yield (name, str(number), *rest), inner


def paths(bundle: Bundle) -> Iterator[tuple[str, Any]]:
    """Every path that can be changed, with its present value, in the order of the files."""
    for pool in POOL_MODELS:
        for key, entry in getattr(bundle.cardset, pool).items():
            for rest, value in _values(entry):
                yield ".".join((pool, key, *rest)), value
    for head in ("rules", "board"):
        for rest, value in _values(getattr(bundle, head)):
            yield ".".join((head, *rest)), value


def value_at(bundle: Bundle, path: str) -> Any:
    """The present value of a path as ``paths`` gives it; ``BadInput`` with near paths if there is none."""
    wanted = ".".join(canonical(path))
    for known, value in paths(bundle):
        if known == wanted:
            return value
    raise BadInput(_unknown_path(bundle, path))


def _unknown_path(bundle: Bundle, path: str) -> Fault:
    known = [name for name, _ in paths(bundle)]
    parts = canonical(path)
    if parts[0] in _FIXED or (parts[-1] in _FIXED and len(parts) > 1):
        return Fault("names and texts cannot be changed by a path", field=path, allowed="edit the file instead")
    near = [name for name in known if name.startswith(".".join(parts[:2]) + ".")][:NEAREST]
    if not near:
        words = _near_words(parts, known)
        near = words or ["runners.ID.FIELD", "rigs.ID.FIELD", "cards.ID.FIELD", "rules.SWITCH", "board.states.NODE"]
    return Fault(f"unknown path{suggestion('.'.join(parts), known)}", field=path, allowed=listing(near) + "; see bhsim cards paths")


def _near_words(parts: tuple[str, ...], known: Iterable[str]) -> list[str]:
    """Entries of the pool (or the rules) that the path starts with."""
    return list(dict.fromkeys(".".join(name.split(".")[:2]) for name in known if name.startswith(parts[0] + ".")))


def _side_path_faults(path: str, parts: tuple[str, ...]) -> list[Fault]:
    member = len(parts) == 5 and parts[2] == "members" and parts[3].isdigit() and parts[4] in ("runner", "rig")
    card = len(parts) == 4 and parts[2] == "cards"
    good = len(parts) > 2 and parts[1] in SIDES and (member if parts[0] == "crews" else card)
    if good:
        return []
    return [Fault("unknown path", field=path, allowed="crews.a.members.0.runner, crews.a.members.0.rig, decks.a.cards.ID (sides a, b)")]


def side_number(side: str | int) -> int:
    """0 or 1 for ``a``, ``b``, 0 or 1."""
    return side if isinstance(side, int) else SIDES[side]


def digest(obj: Any) -> str:
    """Twelve hex digits of a sha256 over the values of models, dataclasses, dicts and lists.

    Comments, formatting, defaults written out and the order of keys within an entry leave it unchanged; the
    order of a deck's slots counts, since it decides the shuffle (pools are sorted by id when they are read).
    """
    return hashlib.sha256(json.dumps(_plain(obj), separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()[:12]


def _plain(obj: Any) -> Any:
    if isinstance(obj, BaseModel):
        data = obj.model_dump(mode="json")
        return {**data, "cards": list(data["cards"].items())} if isinstance(obj, Deck) else data
    if isinstance(obj, Bundle):
        return [_plain(obj.cardset), _plain(obj.board), _plain(obj.rules), _plain(dict(obj.side_changes))]
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return _plain({f.name: getattr(obj, f.name) for f in dataclasses.fields(obj)})
    if isinstance(obj, Mapping):
        return {str(key): _plain(value) for key, value in sorted(obj.items(), key=lambda item: str(item[0]))}
    if isinstance(obj, (list, tuple)):
        return [_plain(value) for value in obj]
    return obj


def crew_changed(crew: Crew, changes: Mapping[str, Any], side: str | int) -> Crew:
    """``crew`` with the changes of ``crews.<side>.members.N.runner|rig`` applied."""
    members = [dict(member) for member in crew.members]
    faults = []
    for path, value in of_side(changes, "crews", side):
        number, word = int(path[3]), path[4]
        if number >= len(members):
            faults.append(Fault("no such crew member", field=".".join(path), value=number, allowed=f"0 to {len(members) - 1}"))
        elif not isinstance(value, str):
            faults.append(Fault("must be a name", field=".".join(path), value=value))
        else:
            members[number][word] = value
    if faults:
        raise BadInput(*faults)
    return Crew.model_validate({**crew.model_dump(), "members": members})


def deck_changed(deck: Deck, changes: Mapping[str, Any], side: str | int) -> Deck:
    """``deck`` with the changes of ``decks.<side>.cards.ID`` applied; 0 copies take a title out."""
    cards = dict(deck.cards)
    faults = []
    for path, value in of_side(changes, "decks", side):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 60:
            faults.append(Fault("is out of range", field=".".join(path), value=value, allowed="0 to 60 copies"))
        else:
            cards[identifier(path[3])] = value
    if faults:
        raise BadInput(*faults)
    return deck.model_copy(update={"cards": {title: copies for title, copies in cards.items() if copies}})


def of_side(changes: Mapping[str, Any], head: str, side: str | int) -> list[tuple[list[str], Any]]:
    """The changes of the crews or decks (head) of one side: path parts and value."""
    wanted = side_number(side)
    split = [(path.split("."), value) for path, value in changes.items()]
    return [(parts, value) for parts, value in split if parts[0] == head and SIDES[parts[1]] == wanted]
