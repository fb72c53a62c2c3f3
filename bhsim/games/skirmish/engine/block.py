"""Playing a run of keys with bots: the one kernel that the lab calls (design, decisions 5 to 7)."""

from __future__ import annotations

import numpy as np

from bhsim.games.skirmish.engine import bots, counting, play, rounds
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import kernel
from bhsim.games.skirmish.tally import ROW_FIELDS, empty

NO_ROWS = np.zeros((0, len(ROW_FIELDS)), np.int64)
MAX_DECISIONS = 200_000  # of one game; more is an engine fault


@kernel
def wake_bots(W):
    """For a game that Python goes through decision by decision: both bots begin without plans and with their first draw."""
    bots.clear_plans(W)


@kernel
def bot_decision(T, D, S, W, seat):
    """What the bot of ``seat``, side record ``D``, decides in state ``S``."""
    return bots.decide(T, D, S, W, seat)


@kernel
def play_keys(T, sides, S, W, L, root, first_key, keys, first_game, games, Y, outcomes, rows):
    """Games ``first_game`` .. of each key, one after the other in ``S``; each is added to the tally record ``Y``.

    One function from deal to count on purpose: numba optimises all that a function calls once more for every caller on top.
    """
    i = 0
    for k in range(first_key, first_key + keys):
        score = 0
        first = 0
        for game in range(first_game, first_game + games):
            st.clear_work(W)
            st.set_up(T, sides, S, root, k, game)
            bots.clear_plans(W)
            play.turns.begin_game(T, S, W, L)
            asked = 0
            while True:
                play.settle(T, S, W, L)
                if S.over != 0:
                    break
                asked += 1
                if asked > MAX_DECISIONS:
                    S.status = st.ENDLESS
                    break
                seat = S.who
                action = bots.decide(T, sides[seat ^ game], S, W, seat)
                W.decisions[seat] += 1
                W.kinds[seat, action >> 24] += 1
                play.answer(T, S, W, L, action)
            if S.reason == st.REASON_POINTS:
                rounds.count_data(S, W)
            counting.count_game(T, S, W, Y, game)
            counting.note_outcome(S, outcomes, i, game)
            counting.note_row(S, W, rows, i, game)
            score += counting.half_points(S, game)
            first += counting.half_points(S, S.first)
            i += 1
        if games == 2:
            Y.keys += 1
            Y.pair_scores[score] += 1
            Y.first_pair_scores[first] += 1


def play_block(tables, sides, root, first_key, keys, tally, outcomes, log, rows=NO_ROWS):
    """Plays keys ``first_key`` .. ``first_key + keys - 1``, each in both seatings, and adds them to ``tally``.

    tables: TABLES (1,); sides: SIDE (2,); root: the run's seed (int); tally: TALLY (1,); outcomes: uint8 (2 * keys, 2), two bytes a
    game in key order; log: int64 (events, LOG_WIDTH) and rows: int64 (2 * keys, tally.ROW_FIELDS), each off at length 0. Releases the GIL;
    allocates two small records a call.
    """
    _run(tables[0], sides, st.new_state()[0], st.new_work()[0], log, root, first_key, keys, 0, 2, tally, outcomes, rows)


def play_one(T, sides, S, W, L, root, k, game):
    """Plays game ``game`` (0 or 1) of key ``k``: its state and counters are left in ``S`` and ``W``, its events in ``L``."""
    _run(T, sides, S, W, L, root, k, 1, game, 1, empty(), np.zeros((1, 2), np.uint8), NO_ROWS)


def _run(T, sides, S, W, L, root, first_key, keys, first_game, games, tally, outcomes, rows):
    counts = tally.view(np.recarray)[0]
    numbers = (np.int64(x) for x in (first_key, keys, first_game, games))
    play_keys(T, sides, S, W, L, np.uint64(int(root) % 2**64), *numbers, counts, outcomes, rows)
