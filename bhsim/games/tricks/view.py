"""The table as plain Python: the canonical view that both engines are compared by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bhsim.games.tricks.actions import HAT, JOKER, PAWNS
from bhsim.games.tricks.model import SPACE_KINDS

if TYPE_CHECKING:
    import numpy as np

    from bhsim.games.tricks.bundle import Bundle
    from bhsim.games.tricks.reference.cards import Play

PLAIN_FIELDS = ("seat", "round", "holder", "leader", "over", "reason")
REASONS = (None, "critical_assets", "no_moves", "max_rounds")  # by the kernels' number


def reference_view(game: Any) -> dict[str, Any]:
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


def kernel_view(S: np.record, bundle: Bundle) -> dict[str, Any]:
    """The compiled engine's ``STATE`` record in the same form."""
    cards = [JOKER, *range(1, bundle.deck.ranks + 1), HAT]
    players, spaces = int(S.players), len(bundle.board.spaces)
    laid, winners = int(S.laid), int(S.winners)
    return {
        "seat": -1 if S.over else int(S.who),
        "round": int(S.round_no),
        "holder": int(S.holder),
        "leader": int(S.leader),
        "over": bool(S.over),
        "reason": REASONS[int(S.reason)],
        "trick_number": int(S.trick_no),
        "trick": S.plays[: int(S.n_plays)].tolist(),
        "hands": S.hand[:players, cards].tolist(),
        "picked": S.picked[cards].tolist(),
        "pile": S.pile[: int(S.n_pile)].tolist(),
        "pawns": S.pawn[: players * PAWNS].tolist(),
        "stuck": S.stuck[: players * PAWNS].astype(bool).tolist(),
        "laid": [bool(laid >> tile & 1) for tile in range(len(bundle.board.tiles))],
        "values": S.value[:spaces].tolist(),
        "kinds": [SPACE_KINDS[kind] for kind in S.kind[:spaces].tolist()],
        "arrows": [[n for n in range(spaces) if arrows >> n & 1] for arrows in S.arrows[:spaces].tolist()],
        "from_hand": S.points_from[:players, 0].tolist(),
        "from_spaces": S.points_from[:players, 1].tolist(),
        "random_draws": S.draws[:players].tolist(),
        "winners": [seat for seat in range(players) if winners >> seat & 1],
    }
