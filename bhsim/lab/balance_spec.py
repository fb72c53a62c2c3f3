"""What a balance spec may say, and reading it. docs/balance.md describes the file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bhsim.games.game import Options, SideNames
from bhsim.inputs.document import Document
from bhsim.lab.axis import SIDE_KINDS, Name, Number, meaning
from bhsim.lab.contest import MAX_GAMES
from bhsim.lab.overlaps import within
from bhsim.lab.spec import Margins, MatchUps, Opponent, Share, has_usual_table, parse_as

DEFAULT_BUDGET = 250_000
MAX_CREWS = 24
MAX_FOUND = 64
MAX_SPECS = 64
MAX_VALUES = 64  # of one path
MOST_CHANGES = 6  # at once
USAGE_GAMES = 2_000  # of a match-up, if nothing is said: below that `bhsim meta` calls shares of a mixture no ranking
WILD = "*"

Whole = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Cost = Annotated[Number, Field(ge=0, le=1_000_000)]
Least = Annotated[Number, Field(ge=0.01, le=100)]


class Target(BaseModel):
    """What is to be reached, in percent. match_ups: each pair of crews. first_player: over all pairs. found: most that found crews may win.

    A pair's rate is that of the crew named first. usage: part of a side to the least share of the metagame that each item of it must have.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    match_ups: Margins | None = None
    found: Share | None = None
    first_player: Margins | None = None
    usage: Annotated[dict[Name, Least], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _sound(self) -> Target:
        for name in ("match_ups", "first_player"):
            margins = getattr(self, name)
            if margins and margins[0] >= margins[1]:
                raise ValueError(f"{name}: the lower limit stands first, and below the other")
        if self.match_ups is None and self.found is None:
            raise ValueError("match_ups: is missing; this or found says what the search is to reach; the others are only judged")
        return self


class Change(BaseModel):
    """A path that may change, or all paths that match a pattern: to whole numbers, to values, or to numbers near the present one.

    cost: of changing a path at all; step_cost: for each step that a number moves by, and once for a word.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: Name
    low: Whole | None = None
    high: Whole | None = None
    values: Annotated[list[Any], Field(min_length=1, max_length=MAX_VALUES)] | None = None
    down: Annotated[int, Field(ge=0, le=MAX_VALUES)] | None = None
    up: Annotated[int, Field(ge=0, le=MAX_VALUES)] | None = None
    cost: Cost = 1.0
    step_cost: Cost = 0.25

    @model_validator(mode="after")
    def _one_kind(self) -> Change:
        given = self.model_fields_set & {"low", "high", "values", "down", "up"}
        if given not in ({"low", "high"}, {"values"}, {"down"}, {"up"}, {"down", "up"}):
            raise ValueError("path: goes with low and high, with values, or with down and up")
        if self.low is not None and self.high is not None and not 0 <= self.high - self.low < MAX_VALUES:
            raise ValueError(f"high: {self.high} from low {self.low} (allowed: at least as high, at most {MAX_VALUES} values)")
        if given <= {"down", "up"} and not (self.down or 0) + (self.up or 0):
            raise ValueError("down: no other value is left (allowed: down or up above 0)")
        for place, value in enumerate(self.values or ()):
            if isinstance(value, list | dict) or meaning(value) in [meaning(v) for v in self.values[:place]]:
                raise ValueError(f"values.{place}: {value!r} stands twice or is no number, word or truth value")
        if self.path.partition(".")[0].casefold() in [f"{kind}s" for kind in SIDE_KINDS]:
            raise ValueError("path: changes the crew, deck or bot of one side, not the numbers that all play with")
        return self

    @property
    def wild(self) -> bool:
        """Whether it is a pattern."""
        return WILD in self.path

    def offered(self, present: Any) -> list[Any]:
        """The values that it allows for a path; near ones only for a whole number."""
        if self.values is not None:
            return list(self.values)
        if self.low is not None and self.high is not None:
            return list(range(self.low, self.high + 1))
        if not isinstance(present, int) or isinstance(present, bool):
            return []
        return list(range(present - (self.down or 0), present + (self.up or 0) + 1))


class BalanceSpec(MatchUps):
    """Crews that all meet each other, what is to be reached, and what may change. games: for search and confirmation together.

    deck, bot: of crews that name none. meta, found: crews that may not win too much against the listed ones, and that use is counted in.
    usage_games: of each match-up of the crews in which use is counted, at least.
    """

    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = DEFAULT_BUDGET
    crews: Annotated[list[Opponent], Field(min_length=2, max_length=MAX_CREWS)]
    target: Target
    changes: Annotated[list[Change], Field(min_length=1, max_length=MAX_SPECS)]
    max_changes: Annotated[int, Field(ge=1, le=MOST_CHANGES)] = 3
    meta: Name | None = None
    found: Annotated[list[Name], Field(min_length=1, max_length=MAX_FOUND)] | None = None
    usage_games: Annotated[int, Field(ge=1, le=MAX_GAMES)] | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> BalanceSpec:
        faults = [
            f"{k}: not with crews, which say who plays" for k in ("crew", "opponents", "players", "bots") if getattr(self, k) is not None
        ]
        if has_usual_table(self.game):
            faults.append(f"game: {self.game} has no crews that could be balanced; its sides are their bots")
        labels = [meaning(c.label) for c in self.crews]
        faults += [f"crews.{n}: {self.crews[n].label} stands twice" for n, label in enumerate(labels) if label in labels[:n]]
        named = "meta" if self.meta is not None else "found" if self.found is not None else None
        if self.target.found is not None and not named:
            faults.append("target.found: goes with meta or found, which name the crews it is about")
        if named and self.target.found is None and self.target.usage is None:
            faults.append(f"{named}: names crews for target.found or target.usage, and neither is given")
        if self.usage_games is not None and self.target.usage is None:
            faults.append("usage_games: goes with target.usage, which they are played for")
        exact = [(f"changes.{n}.path", change.path) for n, change in enumerate(self.changes) if not change.wild]
        for n, (place, path) in enumerate(exact):
            twice = next((earlier for earlier, other in exact[:n] if within(path, other) or within(other, path)), None)
            if twice:
                faults.append(f"{place}: {path} is what {twice} changes, or a part of it")
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def options(self) -> Options:
        """What the crews play with before anything is changed."""
        return Options(self.cardset, self.board, self.rules, tuple(self.variants), tuple(self.sets))

    def names(self, side: Opponent) -> SideNames:
        """A crew with the deck and bot that are meant."""
        return SideNames(side.crew, side.deck or self.deck, side.bot or self.bot)


def parse_balance(data: dict[str, Any], document: Document | None = None) -> BalanceSpec:
    """A spec from a dictionary; BadInput with every fault. document: the file that it was read from, for the lines."""
    return parse_as(BalanceSpec, data, document)
