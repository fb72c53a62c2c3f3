"""What a block of tricks games counts: exact int64 counters that add up over blocks, threads and machines.

Index s is the *side* (0 = the first bot named), whichever seat it sat in; sides and seats beyond the number of players stay 0. Every
counter has its unit and meaning in ``COUNTERS``, which reports and docs print. Imports numpy only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bhsim.games.tricks import actions as a

SIDES = a.MAX_PLAYERS
ROUND_BINS = 64  # rounds 1-63, the last bin holds all later ones
MARGIN_BINS = 201  # margins -100..100, cut off at both ends
WHOLE = 60  # a win in the unit of shares
KEY_BINS = WHOLE * a.MAX_PLAYERS + 1  # of a share summed over all rotations of a key
KINDS = 16
POINT_SOURCES = ("hand", "spaces")
REASONS = ("critical_assets", "no_moves", "max_rounds")
ROW_FIELDS = (
    "first_side", "holder_side", "rounds", "tricks", "reason", *(f"points_{'abcdef'[side]}" for side in range(SIDES)),
)  # fmt: skip


class Counter(NamedTuple):
    """A field of the tally: its shape (after the record), unit and meaning."""

    shape: tuple[int, ...]
    unit: str
    meaning: str


# Of one game, by seat; counting adds them to the tally's field of the same name, by side.
BY_SIDE: dict[str, Counter] = {
    "decisions": Counter((), "decisions", "decisions asked (two or more legal choices)"),
    "kinds": Counter((KINDS,), "decisions", "asked decisions by kind (actions.KINDS)"),
    "tricks_led": Counter((), "tricks", "tricks led"),
    "tricks_won": Counter((), "tricks", "tricks won, those with the Black Hat too"),
    "hat_tricks_won": Counter((), "tricks", "tricks with the Black Hat won"),
    "hats_played": Counter((), "times", "times that the side put the Black Hat down"),
    "discards": Counter((), "cards", "cards discarded"),
    "taken": Counter((), "cards", "cards taken up after tricks with the Black Hat"),
    "drawn": Counter((), "cards", "cards drawn for want of a move"),
    "moves": Counter((), "moves", "moves made with own pawns, backflips apart"),
    "pushes": Counter((), "moves", "moves made with pawns of others, backflips apart"),
    "trapped": Counter((), "pawns", "own pawns that a trap got"),
    "trapped_others": Counter((), "pawns", "pawns of others that this side moved into a trap, backflips and tiles too"),
    "emptied": Counter((), "rounds", "rounds that ended with this side's hand empty"),
    "ended": Counter((), "games", "games that the side ended by a move to Critical Assets"),
    "hat_rounds": Counter((), "rounds", "rounds in which luck gave the side the Black Hat"),
    "hat_points": Counter((2,), "points", "points of those rounds by source (hand, spaces)"),
    "opened_rounds": Counter((), "rounds", "rounds in which the side led the first trick"),
    "opened_points": Counter((2,), "points", "points of those rounds by source (hand, spaces)"),
    "landed": Counter((a.MAX_SPACES,), "pawns", "landings of the side's own pawns by space, whoever moved them"),
    "counted": Counter((a.MAX_SPACES,), "pawns", "own pawns by the space on which they stood when a round was counted"),
    "tempo_points": Counter((ROUND_BINS,), "points", "points of this round"),
}

COUNTERS: dict[str, Counter] = {
    "games": Counter((), "games", "games played"),
    "keys": Counter((), "keys", "keys played, each in all rotations of the seats"),
    "wins": Counter((SIDES,), "games", "games won alone, by side"),
    "shares": Counter((SIDES,), "60ths of a win", "wins by side; k winners have 1/k each, all players have a part of a game cut off"),
    "seat_shares": Counter((SIDES,), "60ths of a win", "the same by seat"),
    "draws": Counter((), "games", "games whose win was shared; round limit apart"),
    "round_limit": Counter((), "games", "games cut off by max_rounds"),
    "reasons": Counter((len(REASONS),), "games", "games by how they ended (critical_assets, no_moves, max_rounds)"),
    "first_shares": Counter((), "60ths of a win", "wins of who led the first trick of round 1"),
    "holder_shares": Counter((), "60ths of a win", "wins of who was dealt the Black Hat in round 1"),
    "ender_shares": Counter((), "60ths of a win", "wins of who ended the game by a move to Critical Assets"),
    "first_keys": Counter((KEY_BINS,), "keys", "keys by the first leader's wins over all rotations, in 60ths"),
    "points": Counter((SIDES, 2), "points", "points by side and source (hand, spaces)"),
    "seat_points": Counter((SIDES, 2), "points", "the same by seat"),
    "rounds": Counter((ROUND_BINS,), "games", "games by the round in which they ended"),
    "rounds_sum": Counter((), "rounds", "sum of those rounds"),
    "tricks": Counter((), "tricks", "tricks played"),
    "hat_tricks": Counter((), "tricks", "tricks with the Black Hat"),
    "margins": Counter((MARGIN_BINS,), "games", "games by the best other side's points minus those of side 0, plus 100"),
    "tempo_games": Counter((ROUND_BINS,), "games", "games that reached the end of this round or ended in it"),
    **{name: Counter((SIDES, *c.shape), c.unit, c.meaning) for name, c in BY_SIDE.items()},
    "status": Counter((8,), "games", "games by status code (engine.state.STATUS); all but the first are engine faults"),
}

TALLY = np.dtype([(name, np.int64, c.shape) if c.shape else (name, np.int64) for name, c in COUNTERS.items()])


def empty() -> np.ndarray:
    """A zeroed tally: shape (1,), dtype ``TALLY``."""
    return np.zeros(1, TALLY)
