"""Perft: how many sequences of legal decisions of a given length a position has, chance being fixed by the seed.

Chess engines are checked so: one wrong legal list anywhere below the position changes the number. A game that ends earlier
has no sequence of that length.
"""

from __future__ import annotations

from collections.abc import Callable

from bhsim.games.skirmish.driver import KernelGame
from bhsim.games.skirmish.reference import Game


def kernel_perft(game: KernelGame, depth: int) -> int:
    """Sequences of ``depth`` decisions from where the game stands; it is left as it is."""
    if depth == 0:
        return 1
    legal = game.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for action in legal:
        beyond = game.copy()
        beyond.apply(action)
        total += kernel_perft(beyond, depth - 1)
    return total


def reference_perft(start: Callable[[], Game], depth: int, taken: tuple[int, ...] = ()) -> int:
    """The same on the reference engine, which cannot be copied: ``start`` sets it up anew for every sequence."""
    if depth == 0:
        return 1
    game = start()
    for action in taken:
        game.apply(action)
    legal = game.legal()
    if depth == 1:
        return len(legal)
    return sum(reference_perft(start, depth - 1, (*taken, action)) for action in legal)


def divided(game: KernelGame, depth: int) -> dict[int, int]:
    """The kernel's count below each first decision; depth: 1 or more."""
    counts = {}
    for action in game.legal():
        beyond = game.copy()
        beyond.apply(action)
        counts[action] = kernel_perft(beyond, depth - 1)
    return counts
