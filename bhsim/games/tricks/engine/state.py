"""The state of one game as a flat record, the scratch record beside it, and how both begin.

Everything here speaks of seats; which side sits where is the block's business. Pawns are numbered seat * 2 + 0 or 1. -1 is "none".
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.rng import key_word
from bhsim.games.tricks import actions as a
from bhsim.games.tricks.engine.jit import inner
from bhsim.games.tricks.tables import CARDS
from bhsim.games.tricks.tally import BY_SIDE

SEATS = a.MAX_PLAYERS

# Status of a game; all but OK are faults of the engine, never of a player.
STATUS = ("ok", "endless loop")
OK, ENDLESS = range(2)

# Where a game stands. A phase that asks goes on by itself when there is nothing, or only one thing, to choose.
(
    PH_ROUND, PH_TRICK, PH_LEAD, PH_FOLLOW, PH_TRICK_END, PH_MOVE, PH_EXPLOIT, PH_BACK, PH_TAKE_UP, PH_TAKE, PH_PICK, PH_NEXT,
) = range(12)  # fmt: skip

REASON_ASSETS, REASON_STUCK, REASON_ROUNDS = 1, 2, 3

# Columns of a play. A discard's rank is its card.
P_SEAT, P_RANK, P_NATURALS, P_JOKERS, P_HAT, P_DISCARDED = range(6)
BY_HAND, BY_SPACES = range(2)

# Whatever kernels pass on as an argument is int64, so that every kernel has one signature; only bulk is narrow.
_i1, _i8, _u8 = np.int8, np.int64, np.uint64
STATE = np.dtype(
    [
        ("key", _u8),
        ("players", _i8),
        ("phase", _i8),
        ("who", _i8),  # seat that decides
        ("over", _i8),
        ("reason", _i8),
        ("status", _i8),
        ("winners", _i8),  # seats as bits
        ("round_no", _i8),
        ("trick_no", _i8),
        ("holder", _i8),  # seat that was dealt the Black Hat
        ("leader", _i8),
        ("opener", _i8),  # leader of the round's first trick
        ("first", _i8),  # opener of round 1
        ("first_holder", _i8),
        ("ender", _i8),  # seat whose move ended the game
        ("hand", _i8, (SEATS, CARDS)),  # copies by card
        ("n_hand", _i8, (SEATS,)),
        ("gone", _i8, (CARDS,)),  # cards that are out of the round
        ("n_pile", _i8),
        ("n_plays", _i8),
        ("plays", _i8, (SEATS, 6)),
        ("table", _i8, (CARDS,)),  # cards of the trick
        ("lead_size", _i8),
        ("best", _i8),  # highest rank of a set in the trick
        ("hat_in", _i8),
        ("need", _i8),  # cards still to be picked
        ("least_pick", _i8),  # rank of the last one picked
        ("picked", _i8, (CARDS,)),
        ("arrows", _u8, (a.MAX_SPACES,)),  # as tiles have made them
        ("value", _i8, (a.MAX_SPACES,)),  # as tiles and exploits have made them
        ("shift", _i8, (a.MAX_SPACES,)),  # what exploits did
        ("kind", _i8, (a.MAX_SPACES,)),
        ("laid", _i8),  # tiles as bits
        ("layout", _i8),  # counts up when values, kinds or arrows change
        ("pawn", _i8, (SEATS * a.PAWNS,)),
        ("stuck", _i8, (SEATS * a.PAWNS,)),
        ("points_from", _i8, (SEATS, 2)),
        ("draws", _i8, (SEATS,)),  # of random tiles
        ("pile", _i1, (a.MAX_CARDS,)),  # the next card last
    ],
    align=True,
)

# The longest list: leads of a hand with every card; exploits and moves are fewer.
MAX_LEGAL = (a.MAX_RANKS * (a.MAX_COPIES + 1) * (a.MAX_JOKERS + 1)) * 2 + 1
SIZES = 8  # sizes of a set whose chances a bot tells apart
WORK = np.dtype(
    [
        ("n", _i8),  # legal decisions listed
        ("legal", _i8, (MAX_LEGAL,)),
        ("tricks", _i8),
        ("hat_tricks", _i8),
        *[(name, _i8, (SEATS, *c.shape)) for name, c in BY_SIDE.items()],
        # Of the bots.
        ("bot_draws", _i8, (SEATS,)),
        ("seen_layout", _i8, (SEATS,)),  # layout that ``ahead`` is of
        ("ahead", np.float64, (SEATS, a.MAX_SPACES)),  # what a seat expects of a pawn on a space
        ("prize_of", _i8, (SEATS,)),  # number of tricks after which ``prize`` was worked out
        ("prize", np.float64, (SEATS,)),  # worth of winning the trick
        ("options", _i8, (MAX_LEGAL,)),  # as long as ``legal``: numba takes arrays of another length for another type
        ("unseen", _i8, (CARDS,)),
        ("n_unseen", _i8),
        ("safe", np.float64, (SIZES + 1, CARDS + 1)),  # chance that one rival has no set of a size from a rank on
        ("safe_known", _i8, (SIZES + 1,)),
    ],
    align=True,
)


def new_state() -> np.recarray:
    """A zeroed state, shape (1,)."""
    return np.zeros(1, STATE).view(np.recarray)


def new_work() -> np.recarray:
    """A zeroed scratch record, shape (1,)."""
    return np.zeros(1, WORK).view(np.recarray)


@inner
def after(S, seat):
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < S.players else 0


@inner
def clear_counts(W):
    """Begins a game's counters and the bots' streams at nothing."""
    W.tricks = 0
    W.hat_tricks = 0
    W.decisions[:] = 0
    W.kinds[:] = 0
    W.tricks_led[:] = 0
    W.tricks_won[:] = 0
    W.hat_tricks_won[:] = 0
    W.hats_played[:] = 0
    W.discards[:] = 0
    W.taken[:] = 0
    W.drawn[:] = 0
    W.moves[:] = 0
    W.pushes[:] = 0
    W.trapped[:] = 0
    W.trapped_others[:] = 0
    W.emptied[:] = 0
    W.ended[:] = 0
    W.hat_rounds[:] = 0
    W.hat_points[:] = 0
    W.opened_rounds[:] = 0
    W.opened_points[:] = 0
    W.landed[:] = 0
    W.counted[:] = 0
    W.tempo_points[:] = 0
    W.bot_draws[:] = 0
    W.seen_layout[:] = -1
    W.prize_of[:] = -1


@inner
def set_up(T, players, S, root, k):
    """An empty table for so many players, with the luck of key ``k`` and no pawn moved (TR-1.4)."""
    S.key = key_word(root, k)
    S.players = players
    S.phase = PH_ROUND
    S.who = -1
    S.over = 0
    S.reason = 0
    S.status = OK
    S.winners = 0
    S.round_no = 0
    S.trick_no = 0
    S.holder = -1
    S.leader = -1
    S.opener = -1
    S.first = -1
    S.first_holder = -1
    S.ender = -1
    S.hand[:] = 0
    S.n_hand[:] = 0
    S.gone[:] = 0
    S.n_pile = 0
    S.need = 0
    S.least_pick = 0
    S.picked[:] = 0
    S.laid = 0
    S.layout = 0
    S.shift[:] = 0
    S.points_from[:] = 0
    S.draws[:] = 0
    for pawn in range(players * a.PAWNS):
        S.pawn[pawn] = T.starts[pawn % a.PAWNS]
        S.stuck[pawn] = 0
    clear_trick(S)


@inner
def clear_trick(S):
    """No card on the table."""
    S.n_plays = 0
    S.table[:] = 0
    S.lead_size = 0
    S.best = 0
    S.hat_in = 0
