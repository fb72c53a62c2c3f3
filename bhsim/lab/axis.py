"""What an axis of a sweep may say: the values of one thing. docs/sweeps.md describes the file."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MAX_CONTESTS = 10_000
MAX_STEPS = 100_000
FARTHEST = 1 << 53  # from 0, of the ends of a range: up to here every whole number is a floating-point number, too
SIDE_KINDS = ("crew", "deck", "bot")
FILE_KINDS = ("cardset", "board", "rules", "variant")
VALUE_KINDS = ("path", "rule")
AXIS_KINDS = (*VALUE_KINDS, *SIDE_KINDS, *FILE_KINDS, "players")
MATCH_UP_LABELS = ("crew", "opponent", "bot")  # what settings call the match-up, so no axis may be called so
SAMPLED = ("random", "latin", "sobol")
NO_VARIANT = "none"


class SpecPart(BaseModel):
    """Anything in a spec."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def printable(text: str) -> str:
    """Names stand in tables, plots and file names, where control characters do harm."""
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in text):
        raise ValueError(f"{text!r} holds a control character")
    return text


Name = Annotated[str, Field(min_length=1), AfterValidator(printable)]


def listed(value: Any) -> Any:
    """Each item as a list: a single one may stand without brackets."""
    return [item if isinstance(item, list) else [item] for item in value] if isinstance(value, list) else value


def a_number(value: Any) -> Any:
    """The value, if it is a number; a truth value is none, though Python counts with it."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"must be a number, got {value!r}")
    return value


Number = Annotated[int | float, BeforeValidator(a_number)]
Names = Annotated[list[Name], Field(min_length=1, max_length=MAX_CONTESTS)]
Players = Annotated[int, Field(ge=1, le=6)]
Several = Annotated[list[Annotated[list[Name], Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=MAX_CONTESTS)]
Pair = Annotated[list[Number], Field(min_length=2, max_length=2)]


class Axis(SpecPart):
    """A list of values of one thing: ``path`` or ``rule`` with ``values`` or a ``range``, or a list of names of one other kind.

    range: lowest and highest value; whole numbers in steps of 1 if both are whole, in steps of ``step`` if it is given, else any number.
    side: which side a crew, deck or bot axis changes. players: how many sit at the table. name: the label in tables and plots.
    """

    path: Name | None = None
    rule: Name | None = None
    values: Annotated[list[Any], Field(min_length=1, max_length=MAX_CONTESTS)] | None = None
    range: Pair | None = None
    step: Number | None = None
    crew: Names | None = None
    deck: Names | None = None
    bot: Names | None = None
    cardset: Names | None = None
    board: Names | None = None
    rules: Names | None = None
    variant: Annotated[Several | None, BeforeValidator(listed)] = None
    players: Annotated[list[Players], Field(min_length=1)] | None = None
    side: Literal["a", "b", "both"] | None = None
    name: Annotated[Name, Field(max_length=80)] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Axis:
        kinds = [k for k in AXIS_KINDS if getattr(self, k) is not None]
        if len(kinds) != 1:
            raise ValueError(f"an axis has exactly one of {', '.join(AXIS_KINDS)}")
        given = (self.values is not None) + (self.range is not None)
        if given != (1 if kinds[0] in VALUE_KINDS else 0):
            raise ValueError("values: either this or range goes with path and rule, and they need one")
        if self.side is not None and kinds[0] not in SIDE_KINDS:
            raise ValueError(f"side: only for an axis of {', '.join(SIDE_KINDS)}")
        self._check_range()
        if self.range is None:
            self._check_values()
        return self

    def _check_values(self) -> None:
        for place, value in enumerate(self.points):
            if isinstance(value, str):
                try:
                    printable(value)
                except ValueError as error:
                    raise ValueError(f"{self.field}.{place}: {error}") from None
        meant = [files_of(v) for v in self.points] if self.kind == "variant" else self.points
        for same in (value_label, meaning):
            if double := double_in([same(v) for v in meant]):
                raise ValueError(f"{self.field}: {value_label(self.points[double])} stands twice")

    def _check_range(self) -> None:
        if self.range is None:
            if self.step is not None:
                raise ValueError("step: only with range")
            return
        low, high = self.range
        if not all(-FARTHEST <= end <= FARTHEST for end in self.range) or low >= high:
            raise ValueError(f"range: {low} to {high} is none (allowed: two numbers, the lower first, at most {FARTHEST} from 0)")
        if self.step is None:
            return
        if not 0 < self.step <= high - low or (high - low) / self.step >= MAX_STEPS:
            raise ValueError(f"step: {self.step} does not divide the range (allowed: above 0, up to its width, at most {MAX_STEPS} values)")

    @property
    def kind(self) -> str:
        """Which of the fields above is given."""
        return next(k for k in AXIS_KINDS if getattr(self, k) is not None)

    @property
    def field(self) -> str:
        """The field that holds the values."""
        if self.range is not None:
            return "range"
        return "values" if self.values is not None else self.kind

    @property
    def replaced(self) -> list[str]:
        """What of a contest an axis of sides, files or players chooses, whatever else says so: "board", or "deck a" and "deck b"."""
        if self.kind in SIDE_KINDS:
            return [f"{self.kind} {side}" for side in ("ab" if self.side == "both" else self.side or "a")]
        return [self.kind] if self.kind in ("cardset", "board", "rules", "players") else []

    @property
    def changed_path(self) -> str | None:
        """The path that an axis of ``path`` or ``rule`` changes."""
        return f"rules.{self.rule}" if self.kind == "rule" else self.path

    @property
    def points(self) -> Sequence[Any]:
        """The values in order; empty for a range of any number in between."""
        if self.range is None:
            return self.values if self.values is not None else getattr(self, self.kind)
        low, high = self.range
        if all(isinstance(v, int) for v in (low, high, self.step or 1)):
            return range(low, high + 1, self.step or 1)
        if self.step is None:
            return []
        return [round(low + number * self.step, 12) for number in range(int((high - low) / self.step + 1e-9) + 1)]

    @property
    def label(self) -> str:
        """Name in tables and plots."""
        if self.name:
            return self.name
        if self.kind == "path":
            return self.path or ""
        if self.kind == "rule":
            return f"rules.{self.rule}"
        return f"{self.kind} {self.side or 'a'}" if self.kind in SIDE_KINDS else self.kind


def value_label(value: Any) -> str:
    """A value as tables and plots print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return " + ".join(map(value_label, value)) if isinstance(value, list) else str(value)


def files_of(variants: Sequence[str]) -> list[str]:
    """The files of one value of an axis of variants."""
    return [name for name in variants if name != NO_VARIANT]


def meaning(value: Any) -> Any:
    """The same for values that mean the same: 2 and 2.0, a name in capitals, a path with a detour."""
    if isinstance(value, list):
        return tuple(map(meaning, value))
    if isinstance(value, str):
        path = "/" in value or value.endswith((".toml", ".txt"))
        return os.path.normpath(value) if path else value.casefold()
    return value if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)


def double_in(values: Sequence[Any]) -> int | None:
    """Place of the first value that stood before."""
    seen: set[Any] = set()
    for place, value in enumerate(values):
        if value in seen:
            return place
        seen.add(value)
    return None
