"""Passives in the event log: a line whenever what they add to a number of a runner changes (replay format, ``while``)."""

from __future__ import annotations

import numpy as np

from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.state import BOARD, GROUP, RUNNERS, seat_of


@inner
def tell_passives(T, S, W, L):
    """Logs every passive amount that changed since it was told; nothing when the log is off.

    Numbers that count on data only, and rows that hang on the attack's target, are left to the reader of the cards.
    """
    if L.shape[0] == 0:
        return
    for g in range(RUNNERS):
        if S.on[g] != BOARD:  # a disconnect ends them without a line
            W.told[g, :] = 0
            continue
        for stat in range(nm.DATA_BYPASS):
            amount = passive_amount(T, S, g, stat)
            if amount != W.told[g, stat]:
                W.told[g, stat] = amount
                seat = seat_of(g)
                ev.emit(L, S, ev.STAT, seat, g - seat * GROUP, stat, amount, ev.UNTIL_WHILE, 0, ev.CAUSE_NONE)


@inner
def passive_amount(T, S, g, stat):
    """What passives add to a number of a runner on the board now; of bypass and exposed the largest."""
    total = 0
    for i in range(S.n_pas):
        if S.pas[i, 2] != stat:
            continue
        src = np.int64(S.pas[i, 0])
        row = np.int64(S.pas[i, 1])
        if S.on[src] == BOARD and not _hangs_on_target(T, row) and nm.passive_hits(T, S, row, src, g, 0):
            amount = T.fx[row, tb.AMOUNT]
            total = max(total, amount) if stat == nm.BYPASS or stat == nm.EXPOSED else total + amount
    return total


@inner
def _hangs_on_target(T, row):
    for i in range(T.fx[row, tb.N_COND]):
        if T.fx[row, tb.COND + tb.COND_WIDTH * i] == nm.C_TARGET_CARRIES:
            return True
    return False
