"""Cards and the board as text. Imports no numba."""

from __future__ import annotations

from collections.abc import Iterable

from bhsim.games.tricks.actions import HAT, JOKER, PAWNS
from bhsim.games.tricks.reference.board import Board, Pawn

LETTERS = "ABCDEF"  # of the sides
LEGEND = "the spaces with pawns, their value and kind; A0 and A1 are A's pawns, * is trapped"


def label(pawn: Pawn) -> str:
    """A0 is the first pawn of the first side, on a board whose seats are sides."""
    return f"{LETTERS[pawn.seat]}{pawn.number % PAWNS}"


def card_words(cards: Iterable[int]) -> str:
    """Ranks in ascending order, jokers and the Black Hat after them."""
    cards = sorted(cards, key=lambda card: (card == HAT, card == JOKER, card))
    return " ".join({JOKER: "joker", HAT: "Black-Hat"}.get(card, str(card)) for card in cards) or "nothing"


def board_picture(board: Board) -> str:
    """A line for each space with pawns, in the board file's order."""
    width = max(len(space.name) for space in board.spaces.values())
    lines = []
    for key, space in board.spaces.items():
        pawns = [label(pawn) + "*" * pawn.stuck for pawn in board.pawns if pawn.space == key]
        if pawns:
            kind = "" if space.kind == "plain" else space.kind.replace("_", " ")
            lines.append(f"{space.name:<{width}} {board.value(key):>4}  {kind:<16}{' '.join(pawns)}")
    return "\n".join(lines)
