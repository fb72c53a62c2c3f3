"""Playing a run of keys with bots: the one kernel that the lab calls (design, decisions 5 to 7)."""

from __future__ import annotations

import numpy as np

from bhsim.games.tricks.engine import bots, counting, play
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import kernel
from bhsim.games.tricks.tally import ROW_FIELDS, empty

NO_ROWS = np.zeros((0, len(ROW_FIELDS)), np.int64)


@kernel
def bot_decision(T, D, S, W):
    """What a bot with side record ``D`` decides in state ``S`` for the seat that is asked."""
    W.n = play.list_legal(T, S, W.legal)
    return bots.decide(T, D, S, W, S.who)


@kernel
def play_keys(T, sides, S, W, root, first_key, keys, first_game, games, Y, outcomes, rows):
    """Games ``first_game`` .. of each key, one after the other in ``S``; each is added to the tally record ``Y``.

    One function from deal to count on purpose: numba optimises all that a function calls once more for every caller on top.
    """
    i = 0
    players = sides.shape[0]
    for k in range(first_key, first_key + keys):
        first = 0
        for rotation in range(first_game, first_game + games):
            play.set_out(T, players, S, W, root, k)
            while True:
                play.settle(T, S, W)
                if S.over != 0:
                    break
                seat = S.who
                action = bots.decide(T, sides[counting.side_at(S, seat, rotation)], S, W, seat)
                W.decisions[seat] += 1
                W.kinds[seat, action >> 24] += 1
                play.answer(T, S, W, action)
            counting.count_game(T, S, W, Y, rotation)
            counting.note_outcome(S, outcomes, i, rotation)
            counting.note_row(S, W, rows, i, rotation)
            first += counting.share(S, S.first)
            i += 1
        if games == players:
            Y.keys += 1
            Y.first_keys[first] += 1


def play_block(tables, sides, root, first_key, keys, tally, outcomes, rows=NO_ROWS):
    """Plays keys ``first_key`` .. ``first_key + keys - 1``, each in all rotations of the seats, and adds them to ``tally``.

    tables: TABLES (1,); sides: SIDE (players,); root: the run's seed (int); tally: TALLY (1,); outcomes: uint8 (players * keys, 2), two
    bytes a game in key order; rows: int64 (players * keys, tally.ROW_FIELDS), off at length 0. Releases the GIL; allocates two small
    records a call.
    """
    _run(tables[0], sides, st.new_state()[0], st.new_work()[0], root, first_key, keys, 0, len(sides), tally, outcomes, rows)


def play_one(T, sides, S, W, root, k, rotation):
    """Plays one rotation of key ``k``: its state and counters are left in ``S`` and ``W``."""
    _run(T, sides, S, W, root, k, 1, rotation, 1, empty(), np.zeros((1, 2), np.uint8), NO_ROWS)


def _run(T, sides, S, W, root, first_key, keys, first_game, games, tally, outcomes, rows):
    counts = tally.view(np.recarray)[0]
    numbers = (np.int64(x) for x in (first_key, keys, first_game, games))
    play_keys(T, sides, S, W, np.uint64(int(root) % 2**64), *numbers, counts, outcomes, rows)
