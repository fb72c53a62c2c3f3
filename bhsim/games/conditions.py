"""Conditions on finished games: ``FIELD OP VALUE``, several joined by ``and``, ``or`` and parentheses; ``and`` binds tighter.

A game says which fields there are.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bhsim.errors import BadInput, Fault

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, "!=": operator.ne, "=": operator.eq, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
DIGITS = 18  # of a number in a condition; no counter of a game comes near
DEEPEST = 20  # parentheses inside each other
EXAMPLE = 'FIELD OP VALUE, joined by and, or and parentheses, for example "winner = b and (rounds >= 10 or margin < -3)"'
_JOINTS = re.compile(r"([()]|(?<![^\s()])(?:and|or)(?![^\s()]))")
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


@dataclass(frozen=True)
class Conditions:
    """Conditions, or groups of them, of which all ("and") or one ("or") must hold. Iterates over all conditions in the order written."""

    parts: tuple[Condition | Conditions, ...]
    join: str

    def holds(self, game: Any) -> bool:
        """Whether a finished game fits."""
        return (all if self.join == "and" else any)(part.holds(game) for part in self.parts)

    def __iter__(self) -> Iterator[Condition]:
        for part in self.parts:
            yield from part if isinstance(part, Conditions) else (part,)


def conditions(text: str, words: Words, reader: Callable[[str], Reader]) -> Conditions:
    """The conditions of ``text``; ``BadInput`` names the first that means nothing.

    words: fields that are attributes of a finished game and hold a word. reader: gives what reads a number; ``BadInput`` for an unknown
    field.
    """
    tokens = [token for token in map(str.strip, _JOINTS.split(text)) if token]
    return _Parser(tokens, lambda token: _condition(token, words, reader)).whole()


class _Parser:
    """Reads tokens from the first to the last. condition: makes a condition of one."""

    def __init__(self, tokens: list[str], condition: Callable[[str], Condition]) -> None:
        self.tokens, self.condition, self.place = [*tokens, ""], condition, 0  # an empty one stands for the end

    def whole(self) -> Conditions:
        found = self._joined("or", 0)
        self._expect("")
        return found

    def _joined(self, word: str, depth: int) -> Conditions:
        parts = [self._part(word, depth)]
        while self._next() == word:
            self.place += 1
            parts.append(self._part(word, depth))
        return Conditions(tuple(parts), word)

    def _part(self, word: str, depth: int) -> Condition | Conditions:
        return self._joined("and", depth) if word == "or" else self._one(depth)

    def _one(self, depth: int) -> Condition | Conditions:
        token = self._next()
        if token == "(":
            if depth == DEEPEST:
                raise _fault("too many parentheses inside each other", f"at most {DEEPEST}")
            self.place += 1
            found = self._joined("or", depth + 1)
            self._expect(")")
        elif token in ("", "and", "or", ")") and self.place:
            raise _fault(f"{self.tokens[self.place - 1]!r} is followed by no condition")
        else:
            found = self.condition(token)
        self.place += 1
        return found

    def _expect(self, end: str) -> None:
        token = self._next()
        if token == end:
            return
        if token in ("", ")"):
            raise _fault("a ( is not closed" if end else "a ) closes nothing")
        raise _fault(f"'and' or 'or' is missing before {token!r}")

    def _next(self) -> str:
        return self.tokens[self.place]


def _fault(message: str, allowed: str = EXAMPLE) -> BadInput:
    return BadInput(Fault(message, field="--where", allowed=allowed))


def _condition(text: str, words: Words, reader: Callable[[str], Reader]) -> Condition:
    found = _CONDITION.match(text)
    if not found:
        raise _fault(f"{text.strip()!r} is no condition")
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
