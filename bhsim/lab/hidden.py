"""What one fault of a spec hides: whoever mends a spec shall see all that is wrong with it, and not one stage of reading after the other.

Where fields are faulty they are left out and the rest is read on; where files or paths are, names are looked up without them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, Options, SideNames
from bhsim.inputs.document import Document
from bhsim.lab.spec import SweepSpec, files_of_spec, has_usual_table, parse_spec

ROUNDS = 5  # of leaving out what is faulty and reading the rest
DESIGN = ("design", "points", "design_seed")


def with_hidden(error: BadInput, document: Document, build: Callable[[SweepSpec, Any], object]) -> BadInput:
    """The faults of a spec and those that they hide. build: raises BadInput for a spec's contests; gets it and what places faults."""
    faults = {str(fault): fault for fault in error.faults}
    left_out: set[str] = set()
    for _ in range(ROUNDS):
        left_out |= {_part(fault.field) for fault in faults.values() if fault.field}
        rest, numbers = _rest(document.data, left_out)
        places = _Renumbered(document, numbers)
        try:
            spec = parse_spec(rest, places)
        except BadInput as again:
            more = _new(again.faults, left_out)
        else:
            more = _new(_faults_of(lambda spec=spec, places=places: build(spec, places)), left_out)
            return BadInput(*(faults | more).values())
        if not more:
            break
        faults |= more
    return BadInput(*faults.values())


def _new(faults: Sequence[Fault], left_out: set[str]) -> dict[str, Fault]:
    """Faults by their text, without those that leaving something out has made."""
    return {str(fault): fault for fault in faults if _part(fault.field or "") not in left_out}


def _part(field: str) -> str:
    """What is left out for a fault of this field: one axis, or a whole key."""
    parts = field.split(".")
    return ".".join(parts[:2]) if parts[0] == "axes" and len(parts) > 1 else parts[0]


def _rest(data: Mapping[str, Any], left_out: set[str]) -> tuple[dict[str, Any], list[int]]:
    """A spec without the parts left out, as whole as it can be, and the numbers that its axes had."""
    rest = {key: value for key, value in data.items() if key not in left_out}
    axes = data["axes"] if isinstance(data.get("axes"), list) else []
    numbers = [n for n in range(len(axes)) if f"axes.{n}" not in left_out]
    rest["axes"] = [axes[n] for n in numbers]
    if len(numbers) < len(axes):
        rest.pop("base", None)  # it may name what is gone
    if left_out & {*DESIGN, "axes"} or not numbers:
        for key in DESIGN:
            rest.pop(key, None)
        if numbers:  # each value of every axis at least once, of ranges with and without steps
            most = max(len(values) for axis in rest["axes"] for values in ([0], *axis.values()) if isinstance(values, list))
            rest |= {"design": "latin", "points": most}
    rest.setdefault("name", "spec")
    if "crews" not in rest and not has_usual_table(rest.get("game", "")):
        rest.setdefault("opponents", [rest.get("crew") or {}])
    return rest, numbers


class _Renumbered:
    """A document whose axes are counted without those left out."""

    def __init__(self, document: Document, numbers: Sequence[int]) -> None:
        self.document, self.path, self.numbers = document, document.path, numbers

    def located(self, fault: Fault) -> Fault:
        """As ``Document.located``, with the numbers of the file."""
        parts = (fault.field or "").split(".")
        if parts[0] == "axes" and len(parts) > 1 and parts[1].isdigit() and int(parts[1]) < len(self.numbers):
            parts[1] = str(self.numbers[int(parts[1])])
        return self.document.located(dataclasses.replace(fault, field=".".join(parts) or None))


class Beside:
    """Faults of sides and paths beside those of files or paths that keep a contest from being put together."""

    def __init__(self, spec: SweepSpec, game: Game) -> None:
        self.spec, self.game = spec, game
        self._plain: tuple[Any, set[str]] | None = None
        self._found: dict[str, list[Fault]] = {}

    def faults(self, sides: Sequence[SideNames], changes: Mapping[str, Any]) -> list[Fault]:
        """What can be told of a contest with the spec's files alone, of these as many as there are. changes: path to value."""
        key = repr((sides, changes))
        if key not in self._found:
            self._found[key] = self._sought(sides, changes)
        return self._found[key]

    def _sought(self, sides: Sequence[SideNames], changes: Mapping[str, Any]) -> list[Fault]:
        if self._plain is None:
            self._plain = self._loaded()
        plain, lost = self._plain
        if plain is None:
            return []
        known = {path: value for path, value in changes.items() if path.partition(".")[0] not in lost}
        tries = [lambda: self.game.patched(plain, known)] if known else []
        tries += [lambda side=side, place=place: self.game.side(plain, side, place) for place, side in enumerate(sides)]
        return [fault for one in tries for fault in _faults_of(one)]

    def _loaded(self) -> tuple[Any, set[str]]:
        """A bundle without changes, and the kinds of files that could not be read; None without a card set to look names up in."""
        given = files_of_spec(self.spec, self.game)
        lost = {kind for kind, name in given.items() if _faults_of(lambda k=kind, n=name: self.game.load(Options(**{k: n})))}
        if "cardset" in lost or any(axis.kind == "cardset" for axis in self.spec.axes):
            return None, lost
        try:
            return self.game.load(Options(**{kind: name for kind, name in given.items() if kind not in lost})), lost
        except BadInput:
            return None, lost


def _faults_of(one: Callable[[], object]) -> list[Fault]:
    try:
        one()
    except BadInput as error:
        return list(error.faults)
    return []
