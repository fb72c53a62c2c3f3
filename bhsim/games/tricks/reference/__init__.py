"""The rules of tricks in plain Python, slow and readable, written from the rules and not from the kernels.

``bundle`` and player count in, a ``Game`` that waits at its next decision out. Modules: ``cards`` (hands, sets, a trick), ``board``
(spaces, pawns, tiles), ``game`` (the story of a game), ``player`` (a player that chooses at random).
"""

from bhsim.games.tricks.reference.game import Game
from bhsim.games.tricks.reference.player import play_at_random

__all__ = ["Game", "play_at_random"]
