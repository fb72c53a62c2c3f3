"""Playing a run of keys with bots: the one kernel that the lab calls (design, decisions 5 to 7)."""

from __future__ import annotations

import numpy as np

from bhsim.games.skirmish.engine import bots, counting, play, rounds
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner, kernel

MAX_DECISIONS = 200_000  # of one game; more is an engine fault


@inner
def play_game(T, sides, S, W, L, root, k, game):
    """Plays one game to its end with the sides' bots; counters stay in ``W``."""
    st.clear_work(W)
    st.set_up(T, sides, S, root, k, game)
    bots.clear_plans(W)
    play.turns.begin_game(T, S, W, L)
    play.settle(T, S, W, L)
    asked = 0
    while S.over == 0:
        seat = S.who
        action = bots.decide(T, sides[seat ^ game], S, W, seat)
        W.decisions[seat] += 1
        W.kinds[seat, action >> 24] += 1
        asked += 1
        if asked > MAX_DECISIONS:
            S.status = st.ENDLESS
            S.over = 1
        else:
            play.answer(T, S, W, L, action)
            play.settle(T, S, W, L)
    if S.reason == st.REASON_POINTS:
        rounds.count_data(S, W)


@kernel
def play_one(T, sides, S, W, L, root, k, game):
    """``play_game`` for Python: one game of key ``k``, its state and counters left in ``S`` and ``W``, its events in ``L``."""
    play_game(T, sides, S, W, L, root, k, game)


@kernel
def wake_bots(W):
    """For a game that Python goes through decision by decision: both bots begin without plans and with their first draw."""
    bots.clear_plans(W)


@kernel
def bot_decision(T, D, S, W, seat):
    """What the bot of ``seat``, side record ``D``, decides in state ``S``."""
    return bots.decide(T, D, S, W, seat)


@kernel
def _play_keys(T, sides, S, W, L, root, first_key, keys, Y, outcomes):
    i = 0
    for k in range(first_key, first_key + keys):
        score = 0
        first = 0
        for game in range(2):
            play_game(T, sides, S, W, L, root, np.int64(k), game)
            counting.count_game(T, S, W, Y, game)
            counting.note_outcome(S, outcomes, i, game)
            score += counting.half_points(S, np.int64(game))
            first += counting.half_points(S, S.first)
            i += 1
        Y.keys += 1
        Y.pair_scores[score] += 1
        Y.first_pair_scores[first] += 1


def play_block(tables, sides, root, first_key, keys, tally, outcomes, log):
    """Plays keys ``first_key`` .. ``first_key + keys - 1``, each in both seatings, and adds them to ``tally``.

    tables: TABLES (1,); sides: SIDE (2,); root: the run's seed (int); tally: TALLY (1,); outcomes: uint8 (2 * keys, 2), two bytes a
    game in key order; log: int64 (rows, LOG_WIDTH), length 0 = off. Releases the GIL; allocates two small records a call.
    """
    state, work = st.new_state(), st.new_work()
    root = np.uint64(root % 2**64)
    counts = tally.view(np.recarray)[0]
    _play_keys(tables[0], sides, state[0], work[0], log, root, np.int64(first_key), np.int64(keys), counts, outcomes)
