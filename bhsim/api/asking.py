"""What callers of the API give, in the words of the lab: names, changes, decks and bots by side, specs."""

from __future__ import annotations

import functools
import inspect
import json
import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, find
from bhsim.games.seats import Seating, game_of_names
from bhsim.games.spaces import CHOICES, Freedom
from bhsim.games.usual import game_words
from bhsim.inputs.document import Document, read_toml

if TYPE_CHECKING:
    from bhsim.lab.spec import MatchUps

Named = str | os.PathLike[str]
PerSide = Named | tuple[Named | None, Named | None] | None  # the same on both sides, or one for each
Changes = Mapping[str, Any] | None
Specified = Named | Mapping[str, Any]  # a spec's file, or what would stand in it
OPTIONS = {"set": "set", "variant": "variants", "cardset": "cardset", "board": "board", "rules": "rules"}  # to names of arguments
TABLE = {name: name for name in ("players", "deck", "bots")}
P, R = ParamSpec("P"), TypeVar("R")

_WHOLE, _REAL, _SWITCH = (numbers.Integral, int, "a whole number"), (numbers.Real, float, "a number"), (bool, bool, "True or False")
WHOLES = (
    "games", "seed", "threads", "max_games", "builds", "pilot", "players", "sample", "grow_games", "confirm_games", "max_crews", "keep",
    "max_changes",
)  # fmt: skip
REALS = ("margin", "resolution", "alpha", "beta", "precision", "detect", "power", "minutes")
KINDS = dict.fromkeys(WHOLES, _WHOLE) | dict.fromkeys(REALS, _REAL) | dict.fromkeys(("force", "resume", "grow"), _SWITCH)


@dataclass(frozen=True)
class Asked:
    """What is played with: game, files and changes."""

    game: str
    options: Options

    @property
    def found(self) -> Game:
        """The game; BadInput when there is none of that name."""
        return find(self.game)

    @property
    def words(self) -> list[tuple[str, Any]]:
        """The same as options of the command line."""
        o = self.options
        files = [game_words(self.game), ("--cardset", o.cardset), ("--board", o.board)]
        return [*files, ("--rules", o.rules), ("--variant", list(o.variants)), ("--set", list(o.sets))]


def asked(
    game: str | None,
    cardset: Named | None,
    board: Named | None,
    rules: Named | None,
    variants: Named | Iterable[Named],
    changes: Changes,
    seating: Seating | None = None,
) -> Asked:
    """Checks and puts together what is played with; BadInput for what is no name or no change. game: None for that of the names."""
    files = {"cardset": cardset, "board": board, "rules": rules}
    given = {field: None if value is None else name_of(value, field) for field, value in files.items()}
    options = Options(**given, variants=names_of(variants, "variants"), sets=sets_of(changes))
    seated = seating or Seating()
    found = game or game_of_names(seated, options)
    return Asked(found, replace(options, deck=seated.table_deck(find(found))))


def freedom_of(what: str, fix: Any, ban: Any, max_changes: int | None, members: Any) -> Freedom:
    """What a search may change. members: a number, or the fewest and the most; BadInput for what it cannot be."""
    if what not in CHOICES:
        raise BadInput(Fault("cannot change", field="what", value=what, allowed=", ".join(CHOICES)))
    sizes = None
    if members is not None:
        first, last = members if isinstance(members, tuple | list) and len(members) == 2 else (members, members)
        if not all(isinstance(n, int) and n > 0 for n in (first, last)) or first > last:
            raise BadInput(Fault("is no number of members", field="members", value=members, allowed="such as 4, or (3, 5)"))
        sizes = range(first, last + 1)
    return Freedom(CHOICES[what], names_of(fix, "fix"), names_of(ban, "ban"), max_changes, sizes)


@contextmanager
def renamed(**fields: str) -> Iterator[None]:
    """Faults of these fields get the names that the API has for them; a name with dashes is an option's."""
    try:
        yield
    except BadInput as error:
        names = {old.replace("_", "-"): new for old, new in fields.items()}
        raise BadInput(*(replace(f, field=names.get((f.field or "").lstrip("-"), f.field)) for f in error.faults)) from None


def dashed(*fields: str) -> AbstractContextManager[None]:
    """Faults of options whose names have dashes get the names of these arguments."""
    return renamed(**dict(zip(fields, fields, strict=True)))


def name_of(value: Any, field: str) -> str:
    """A name or path as text; BadInput for anything else, and for an empty one, which as a path would be the working directory."""
    if value == "":
        raise BadInput(Fault("is empty", field=field, value=value, allowed="a name or a path"))
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    raise BadInput(Fault("is no name", field=field, value=value, allowed="a name or a path"))


def names_of(values: Any, field: str) -> tuple[str, ...]:
    """One or several names or paths as texts."""
    if isinstance(values, str | os.PathLike):
        values = [values]
    if not isinstance(values, Iterable):
        raise BadInput(Fault("are no names", field=field, value=values, allowed="a name or path, or several"))
    return tuple(name_of(value, field) for value in values)


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """A verb whose keywords in ``KINDS`` are what they should be, numpy's numbers as Python's; BadInput lists every other one.

    None is for those alone whose default it is.
    """
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}

    @functools.wraps(function)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        faults: list[Fault] = []
        for field in KINDS.keys() & named.keys() & defaults.keys():
            value, (kind, turned, words) = named[field], KINDS[field]
            if value is None and defaults[field] is None:
                continue
            if not isinstance(value, kind) or (isinstance(value, bool) and turned is not bool):
                faults.append(Fault(f"must be {words}", field=field, value=value))
            else:
                named[field] = turned(value)
        if faults:
            raise BadInput(*sorted(faults, key=lambda fault: list(defaults).index(fault.field or "")))
        return function(*given, **named)

    return checked


def plain(value: Any) -> Any:
    """What may stand in a spec, as the same in Python's own lists, numbers and texts: tuples, ranges, arrays, numpy's numbers, paths."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(inner) for inner in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def rows_of(values: Any) -> list[int]:
    """Numbers of contests; BadInput for anything else."""
    rows = list(values) if isinstance(values, Iterable) else [values]
    if not all(isinstance(row, numbers.Integral) for row in rows):
        raise BadInput(Fault("are no numbers of contests", field="rows", value=values, allowed="such as [0, 3]"))
    return [int(row) for row in rows]


def per_side(value: Any, field: str) -> tuple[str | None, str | None]:
    """A name for both sides, or one (or None) for each."""
    if value is None or isinstance(value, str | os.PathLike):
        name = None if value is None else name_of(value, field)
        return name, name
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise BadInput(
            Fault("is not for two sides", field=field, value=value, allowed="a name for both, or a pair with a name or None for each")
        )
    first, second = (None if one is None else name_of(one, field) for one in value)
    return first, second


def seating_of(
    crews: Iterable[Named | None], players: int | None, deck: Named | None, decks: PerSide, bots: PerSide | Iterable[Named]
) -> Seating:
    """Who plays: crews with decks and bots for two sides, or a table of bots."""
    named = tuple(name_of(crew, f"crew_{chr(ord('a') + n)}") for n, crew in enumerate(crews) if crew is not None)
    shared = None if deck is None else name_of(deck, "deck")
    if named:
        return Seating(named, players, shared, (), per_side(decks, "decks"), per_side(bots, "bots"))
    return Seating((), players, shared, () if bots is None else names_of(bots, "bots"), per_side(decks, "decks"))


def sets_of(changes: Changes) -> tuple[str, ...]:
    """Changes as the texts that ``--set`` takes."""
    if changes is None:
        return ()
    if not isinstance(changes, Mapping):
        raise BadInput(Fault("are no changes", field="set", value=changes, allowed='a mapping such as {"runners.gh0st.attack": 3}'))
    return tuple(f"{name_of(path, 'set')}={toml_text(value, str(path))}" for path, value in changes.items())


def toml_text(value: Any, field: str) -> str:
    """A value as TOML on one line; BadInput for one that TOML has not, such as None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {toml_text(v, field)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_text(v, field) for v in value) + "]"
    raise BadInput(
        Fault("is no value of a card set, board or rules", field=field, value=value, allowed="numbers, texts, true, false, lists, tables")
    )


def spec_data(spec: Specified, name: str) -> tuple[dict[str, Any], Document | None]:
    """What a spec says, and its file if it has one. name: what a spec without a file is called if it does not say so itself."""
    if isinstance(spec, Mapping):
        return {"name": name, **plain(spec)}, None
    document = read_toml(Path(name_of(spec, "spec")))
    return document.data, document


def overrides(a: Asked, game: str | None, games: int | None, seed: int | None) -> dict[str, Any]:
    """What replaces fields of a spec."""
    return {"game": game, "cardset": a.options.cardset, "board": a.options.board, "rules": a.options.rules, "games": games, "seed": seed}


def spec_command(verb: str, spec: Specified, merged: MatchUps, given: Mapping[str, Any], options: Options) -> str:
    """What repeats a run of a spec: a command for a file, a call for a mapping."""
    from bhsim.inputs.command import command_line

    if isinstance(spec, Mapping):
        return f"bhsim.{verb}({merged.model_dump(mode='json', exclude_unset=True)!r})"
    more = [("--variant", list(options.variants)), ("--set", list(options.sets))]
    return command_line([verb, name_of(spec, "spec")], [*((f"--{field}", value) for field, value in given.items()), *more])
