"""What a block of skirmish games counts: exact int64 counters that add up over blocks, threads and machines.

Index s is the *side* (0 = the first crew named), whichever seat it sat in. Every counter has its unit and meaning in
``COUNTERS``, which reports and docs print. Imports numpy only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bhsim.games.skirmish import actions

ROUND_BINS = 64  # rounds 1-63, the last bin holds all later ones
MARGIN_BINS = 201  # margins -100..100, side 0 minus side 1, cut off at both ends
RUNNER_FIELDS = (
    "activations", "damage_dealt", "damage_taken", "disconnects_made", "disconnects_suffered",
    "extractions", "secures", "points",
)  # fmt: skip
CARD_FIELDS = (
    "drawn", "played", "flipped",  # copies
    "games_drawn", "games_played", "games_unplayed",  # games: drawn at least once; played; drawn but never played
    "wins_drawn", "wins_played",  # half wins (win 2, draw or round limit 1) of those games
)  # fmt: skip
ROW_FIELDS = ("first_side", "rounds", "turns", "points_a", "points_b")  # of one game, on request
POINT_SOURCES = ("disconnect", "secure", "effect")


class Counter(NamedTuple):
    """A field of the tally: its shape (after the record), unit and meaning."""

    shape: tuple[int, ...]
    unit: str
    meaning: str


COUNTERS: dict[str, Counter] = {
    "games": Counter((), "games", "games played"),
    "keys": Counter((), "keys", "keys played, each in both seatings"),
    "wins": Counter((2,), "games", "games won, by side"),
    "draws": Counter((), "games", "games that ended level by points (none in the standard rules); round limit apart"),
    "round_limit": Counter((), "games", "games cut off by max_rounds"),
    "first_wins": Counter((), "games", "games won by the token holder of round 1"),
    "pair_scores": Counter((5,), "keys", "keys by side 0's score over both seatings, in half points 0..4"),
    "first_pair_scores": Counter((5,), "keys", "keys by the first player's score over both seatings, in half points"),
    "points": Counter((2, 3), "points", "points by side and source (disconnect, secure, effect)"),
    "rounds": Counter((ROUND_BINS,), "games", "games by the round in which they ended"),
    "rounds_sum": Counter((), "rounds", "sum of those rounds"),
    "margins": Counter((MARGIN_BINS,), "games", "games by final margin, side 0 minus side 1, plus 100"),
    "turns": Counter((2,), "turns", "turns taken, passes included"),
    "decisions": Counter((2,), "decisions", "decisions asked (two or more legal choices)"),
    "kinds": Counter((2, 16), "decisions", "asked decisions by kind (actions.KINDS)"),
    "acts": Counter((2, 8), "actions", "actions of activations by kind (actions.ACTS), asked or not"),
    "passes": Counter((2,), "passes", "passes, forced ones included"),
    "cards_played": Counter((2,), "cards", "cards played"),
    "runner": Counter((2, actions.MAX_CREW, len(RUNNER_FIELDS)), "see RUNNER_FIELDS", "per runner by crew position"),
    "card": Counter((2, actions.MAX_TITLES, len(CARD_FIELDS)), "see CARD_FIELDS", "per title by number in the pool"),
    "tempo_games": Counter((ROUND_BINS,), "games", "games that reached the end of this round or ended in it"),
    "tempo_points": Counter((2, ROUND_BINS), "points", "points scored in this round"),
    "tempo_data": Counter((2, ROUND_BINS), "games", "games in which the side carried data at the end of this round"),
    "dropped": Counter((), "triggers", "triggered texts dropped after 64 in one turn (SK-5.5)"),
    "status": Counter((8,), "games", "games by status code (engine.state.STATUS); all but the first are engine faults"),
}

TALLY = np.dtype([(name, np.int64, c.shape) if c.shape else (name, np.int64) for name, c in COUNTERS.items()])


def empty() -> np.ndarray:
    """A zeroed tally: shape (1,), dtype ``TALLY``."""
    return np.zeros(1, TALLY)


def merge(into: np.ndarray, other: np.ndarray) -> None:
    """Adds ``other`` to ``into``, counter by counter (exact, in any order)."""
    for name in COUNTERS:
        into[name] += other[name]
