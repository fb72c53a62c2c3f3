"""The table as plain Python: the canonical view that both engines are compared by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bhsim.games.tricks.actions import HAT, JOKER

if TYPE_CHECKING:
    from bhsim.games.tricks.reference import Game
    from bhsim.games.tricks.reference.cards import Play

PLAIN_FIELDS = ("seat", "round", "holder", "leader", "over", "reason")


def reference_view(game: Game) -> dict[str, Any]:
    """A game of the plain engine as nested dicts and lists; all numbers by seat, pawn or space number.

    hands, picked: copies by card, jokers first, the Black Hat last. pile: the next card last. values, kinds, arrows: the board as tiles
    and exploits have made it. trick: plays so far as [seat, rank or card, naturals, jokers, hat, discarded].
    """
    cards = [JOKER, *range(1, game.deck.ranks + 1), HAT]
    board = game.board
    return {
        **{name: getattr(game, name) for name in PLAIN_FIELDS},
        "trick_number": game.trick_no,
        "trick": [_play(play) for play in game.trick.plays],
        "hands": [[hand[card] for card in cards] for hand in game.hands],
        "picked": [game.picked[card] for card in cards],
        "pile": list(game.pile),
        "pawns": [board.number[pawn.space] for pawn in board.pawns],
        "stuck": [pawn.stuck for pawn in board.pawns],
        "laid": [tile in board.laid for tile in board.printed.tiles],
        "values": [board.value(space) for space in board.ids],
        "kinds": [board.spaces[space].kind for space in board.ids],
        "arrows": [sorted(board.number[target] for target in board.spaces[space].arrows) for space in board.ids],
        "from_hand": list(game.from_hand),
        "from_spaces": list(game.from_spaces),
        "random_draws": list(game.random_draws),
        "winners": list(game.winners),
    }


def _play(play: Play) -> list[int]:
    return [play.seat, play.rank, play.naturals, play.jokers, play.hat, int(play.discarded)]
