"""A player that chooses uniformly among the legal decisions, by addressed luck."""

from __future__ import annotations

from bhsim.games import luck
from bhsim.games.tricks.reference.game import Game


def play_at_random(game: Game, root: int, key: int) -> Game:
    """Plays a game to its end: decision number j of a seat is draw j of its bot stream, single legal actions not counted."""
    streams = [luck.Stream(luck.key_of(root, key), luck.BOT + seat) for seat in range(game.players)]
    asked = [0] * game.players
    while not game.over:
        seat, legal = game.seat, game.legal()
        game.apply(legal[streams[seat].below(asked[seat], len(legal))])
        asked[seat] += 1
    return game
