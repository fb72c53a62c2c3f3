"""Bad input, with its place: what every reader raises and the CLI prints (exit code 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with an input, and where; ``allowed`` lists or describes the values that would do."""

    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None
    value: object = None
    allowed: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.file and self.line:
            place += f":{self.line}"
        parts = [p for p in (place, self.field) if p]
        text = self.message
        if self.value is not None:
            text += f", got {self.value!r}"
        if self.allowed:
            text += f" (allowed: {self.allowed})"
        return ": ".join([*parts, text])


class BadInput(Exception):
    """Everything wrong with what the user gave, one ``Fault`` each."""

    def __init__(self, *faults: Fault | str) -> None:
        self.faults = [f if isinstance(f, Fault) else Fault(f) for f in faults]
        super().__init__("\n".join(str(f) for f in self.faults))


class Unusable(BadInput):
    """Something that a run has stored cannot be read again, so that the run cannot go on; the fault says what to do first."""


def refuse_idle(options: Mapping[str, Any], used: bool, needed: str) -> None:
    """BadInput for options that would do nothing, where those of them count as given that are not None. used: whether they do anything."""
    idle = {name: value for name, value in options.items() if value is not None}
    if idle and not used:
        raise BadInput(*(Fault("would do nothing", field=name, value=value, allowed=f"with {needed}") for name, value in idle.items()))
