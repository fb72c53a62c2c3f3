"""What a designer writes, as pydantic models: deck, board with its spaces and tiles, rules.

The models check each value on its own; what needs several of them at once (no circle on the board, enough cards) is checked in
``legality``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bhsim.games.tricks import actions as act
from bhsim.inputs.models import Flag, Name

SPACE_KINDS = ("plain", "start", "critical_assets", "trap", "exploit", "backflip", "randomizer")
TILE_KINDS = ("plain", "trap", "exploit", "backflip", "randomizer")  # starts and Critical Assets stay where they are

Penalty = Annotated[int, Field(strict=True, ge=0, le=20)]
Value = Annotated[int, Field(strict=True, ge=-20, le=20)]
Arrows = Annotated[list[str], Field(max_length=act.MAX_SPACES)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_assignment=False)


class Deck(_Model):
    """The cards (TR-1.1, 1.2). penalties: by rank, "1" to "15"; ranks above ``ranks`` may stand there and are not used."""

    name: Name
    house_values: Flag = False
    ranks: Annotated[int, Field(strict=True, ge=1, le=act.MAX_RANKS)] = 13
    copies: Annotated[int, Field(strict=True, ge=1, le=act.MAX_COPIES)] = 6
    jokers: Annotated[int, Field(strict=True, ge=0, le=act.MAX_JOKERS)] = 5
    penalties: dict[str, Penalty]
    joker_penalty: Penalty
    hat_penalty: Penalty

    def size(self) -> int:
        """Cards without the Black Hat."""
        return self.ranks * self.copies + self.jokers

    def penalty(self, card: int) -> int:
        """Points of one card in hand; ``card`` as ``actions`` numbers it."""
        return self.joker_penalty if card == act.JOKER else self.hat_penalty if card == act.HAT else self.penalties[str(card)]

    def cards(self) -> list[int]:
        """Every card, in the order from which the first shuffle starts: copies side by side by rank, then the jokers."""
        return [rank for rank in range(1, self.ranks + 1) for _ in range(self.copies)] + [act.JOKER] * self.jokers


class Space(_Model):
    """A space of the board: what it adds to a player's points, what it does (TR-7), and where its arrows lead."""

    name: Name
    value: Value = 0
    kind: Literal[SPACE_KINDS] = "plain"
    arrows: Arrows = []


class TileSpace(_Model):
    """What a tile changes of one space; what is left out stays as printed on the board."""

    value: Value | None = None
    kind: Literal[TILE_KINDS] | None = None
    arrows: Arrows | None = None


class Tile(_Model):
    """A tile, which has one place: the spaces that it changes (TR-7.5)."""

    name: Name
    spaces: Annotated[dict[str, TileSpace], Field(min_length=1, max_length=act.MAX_TILE_SPACES)]


class Board(_Model):
    """Spaces and tiles, each under its id. laid: tiles that lie there from the beginning, unless luck lays them (``Rules.tiles``)."""

    name: Name
    house_values: Flag = False
    spaces: Annotated[dict[str, Space], Field(min_length=3, max_length=act.MAX_SPACES)]
    tiles: Annotated[dict[str, Tile], Field(max_length=act.MAX_TILES)] = {}
    laid: Annotated[list[str], Field(max_length=act.MAX_TILES)] = []

    def starts(self) -> list[str]:
        """Ids of the start spaces, in the file's order: the first pawn of everybody stands on the first."""
        return [key for key, space in self.spaces.items() if space.kind == "start"]

    def overlap(self, one: str, other: str) -> bool:
        """Whether two tiles have a space in common, so that only one of them can lie there."""
        return not self.tiles[one].spaces.keys().isdisjoint(self.tiles[other].spaces)

    def layout(self, laid: set[str] | frozenset[str]) -> dict[str, Space]:
        """The spaces with these tiles on them; no two may overlap."""
        spaces = dict(self.spaces)
        for tile in laid:
            for key, change in self.tiles[tile].spaces.items():
                spaces[key] = spaces[key].model_copy(update=change.model_dump(exclude_none=True))
        return spaces


Limit = Annotated[int, Field(strict=True, ge=1, le=200)]


class Rules(_Model):
    """Every number and switch of the rules page; the defaults are its defaults."""

    name: Name = "standard"
    hand_size: Annotated[int, Field(strict=True, ge=1, le=act.MAX_HAND)] = 10
    hat_counts_in_hand: Flag = False
    hat_alone: Literal["never", "as_14"] = "never"
    joker_only_rank: int | str = "chosen"
    next_leader: Literal["winner", "clockwise"] = "winner"
    hat_only: Literal["skip", "as_14"] = "skip"
    discard: Literal["when_unable", "free"] = "when_unable"
    able_counts: Literal["with_jokers", "natural", "all"] = "with_jokers"
    follow: Literal["at_least_best", "any_rank"] = "at_least_best"
    follow_after_hat: Literal["any_rank", "as_follow"] = "any_rank"
    take_count: Literal["leader_cards", "leader_non_jokers"] = "leader_cards"
    compulsory_move: Flag = True
    tiles: Literal["listed", "random"] = "listed"
    round_end: Literal["after_trick", "when_empty"] = "after_trick"
    max_rounds: Limit = 60
    max_tricks: Limit = 60

    @field_validator("joker_only_rank", mode="before")
    @classmethod
    def _rank_or_chosen(cls, value: Any) -> Any:
        if value == "chosen" or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= act.MAX_RANKS):
            return value
        raise ValueError(f"is no rank, got {value!r} (allowed: chosen, 1 to {act.MAX_RANKS})")
