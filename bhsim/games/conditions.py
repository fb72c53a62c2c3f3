"""Conditions on finished games: ``FIELD OP VALUE``, several joined by ``and``. A game says which fields there are."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bhsim.errors import BadInput, Fault

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, "!=": operator.ne, "=": operator.eq, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
DIGITS = 18  # of a number in a condition; no counter of a game comes near
_CONDITION = re.compile(r"^\s*([\w.]+)\s*(>=|<=|!=|=|>|<)\s*([\w-]+)\s*$")

Words = Mapping[str, tuple[str, ...]]  # field -> the words that it can be
Reader = Callable[[Any], int]  # a number of a finished game


@dataclass(frozen=True)
class Condition:
    """One comparison. read: the field's value of a finished game."""

    field: str
    compare: str
    value: Any
    read: Callable[[Any], Any]

    def holds(self, game: Any) -> bool:
        """Whether a finished game fits."""
        return OPERATORS[self.compare](self.read(game), self.value)


def conditions(text: str, words: Words, reader: Callable[[str], Reader]) -> list[Condition]:
    """The conditions of ``text``; ``BadInput`` names the first that means nothing.

    words: fields that are attributes of a finished game and hold a word. reader: gives what reads a number; ``BadInput`` for an unknown
    field.
    """
    return [_condition(part, words, reader) for part in re.split(r"\s+and\s+", text.strip())]


def _condition(text: str, words: Words, reader: Callable[[str], Reader]) -> Condition:
    found = _CONDITION.match(text)
    if not found:
        message = f"{text.strip()!r} is no condition"
        raise BadInput(Fault(message, field="--where", allowed='FIELD OP VALUE, for example "winner = b and rounds >= 10"'))
    name, compare, value = found.groups()
    if name in words:
        if value not in words[name] or compare not in ("=", "!="):
            raise BadInput(Fault(f"{name} is a word", field="--where", value=text.strip(), allowed=f"= or != {', '.join(words[name])}"))
        return Condition(name, compare, value, operator.attrgetter(name))
    read = reader(name)  # first, since of an unknown field nobody knows what it is compared with
    if not re.fullmatch(rf"-?[0-9]{{1,{DIGITS}}}", value):
        allowed = f"a whole number of at most {DIGITS} digits"
        raise BadInput(Fault(f"{name} is compared with a number", field="--where", value=value[:40], allowed=allowed))
    return Condition(name, compare, int(value), read)
