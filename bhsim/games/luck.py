"""Addressed randomness in plain Python integers: every draw is a function of its address, none is consumed.

An address is (root seed, key, purpose, draw number), so a bot that draws more never moves a deck, and any game can be
played again alone. docs/decisions.md, section "Luck", is the definition; the compiled engine has its own copy.
"""

from __future__ import annotations

from typing import Any

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

FIRST_PLAYER = 0
SETUP = 1  # what else luck settles before the first round
DECK = 8  # + seat; a deck that all share is that of seat 0
EFFECT = 16  # + seat
BOT = 24  # + seat; no engine reads it
DRAWS_PER_SHUFFLE = 64  # of decks of up to 65 cards


def mix(x: int) -> int:
    """Splitmix64's finaliser: a bijection of the 64-bit integers."""
    x &= MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def key_of(root: int, number: int) -> int:
    """The 64-bit key of deal ``number`` (from 0) under a root seed."""
    return mix(mix(root + GOLDEN) + (number + 1) * GOLDEN)


class Stream:
    """The draws of one purpose under one key."""

    def __init__(self, key: int, purpose: int) -> None:
        self.base = mix(key + (purpose + 1) * GOLDEN)

    def draw(self, number: int) -> int:
        """Draw ``number`` (from 0): 64 bits."""
        return mix(self.base + (number + 1) * GOLDEN)

    def below(self, number: int, n: int) -> int:
        """Draw ``number`` scaled to 0..n-1."""
        return (self.draw(number) >> 32) * n >> 32

    def shuffle(self, pile: list[Any], number: int, draws: int = DRAWS_PER_SHUFFLE) -> None:
        """Shuffle ``number`` of a pile in place: Fisher-Yates from the top, the pile's last card.

        draws: addresses kept for each shuffle, one less than the largest pile or more.
        """
        n = len(pile)
        for i in range(n - 1, 0, -1):
            j = self.below(draws * number + n - 1 - i, i + 1)
            pile[i], pile[j] = pile[j], pile[i]
