"""The rules of "Black Hats" once more, in plain Python: slow, readable, and independent of the compiled engine.

Written from the rules page and docs/decisions.md alone. `bhsim verify` plays both engines in step and compares
the legal decisions and the whole state at every decision.

Read it in this order: ``network`` (nodes and subnets, and which nodes one hack may take), ``table`` (what lies on the
table, the numbers that follow from it, and the card piles), ``rows`` (what an effect row does), ``game`` (setup, turns,
actions, end of the round).
"""

from bhsim.games.skirmish.reference.game import Game

__all__ = ["Game"]
