"""The end of a round, step by step in its order (SK-9), and the round limit (SK-10.3)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import piles, units
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import free, put_on
from bhsim.games.skirmish.engine.state import BOARD, GONE, GROUP, OFF, RUNNERS, seat_of
from bhsim.games.skirmish.engine.turns import end_durations
from bhsim.games.skirmish.tally import ROUND_BINS


@inner
def step_round_end(T, S, W, L):
    """The limit, then locks go (SK-10.3, SK-9.1)."""
    count_data(S, W)
    if S.round_no >= T.max_rounds:
        units.finish(S, L, -1, st.REASON_ROUNDS)
        return
    S.lock[0] = U0
    S.lock[1] = U0
    S.accepted = 0
    S.abilities[0] = 0
    S.abilities[1] = 0
    S.alternate = S.token
    S.phase = st.PH_ABILITIES
    ev.emit(L, S, ev.UNLOCK, 0, 0, 0, 0, 0, 0, 0)


@inner
def count_data(S, W):
    """For the tempo curve: who carries data when a round (or the game) ends."""
    for seat in range(2):
        if S.data_c[seat] >= 0:
            W.tempo_data[seat, min(S.round_no, ROUND_BINS - 1)] = 1


@inner
def open_abilities(T, S, seat):
    """End-of-round texts that a seat still has to resolve: bit 2 * position + part."""
    mask = 0
    for p in range(S.n_crew[seat]):
        g = seat * GROUP + p
        if S.on[g] != BOARD:
            continue
        mask |= (T.run[S.card[g, 0], 3] >> units.END_OF_ROUND & 1) << (2 * p)
        mask |= (T.rig[S.card[g, 1], 5] >> units.END_OF_ROUND & 1) << (2 * p + 1)
    return mask & ~S.abilities[seat]


@inner
def step_abilities(T, S):
    """The seats alternate in choosing an end-of-round text (SK-9.2); after the last, durations end (SK-5.4)."""
    for i in range(2):
        seat = S.alternate ^ i
        mask = open_abilities(T, S, seat)
        if mask != 0:
            S.ask = a.ABILITY
            S.who = seat
            S.opt_mask = mask
            return
    end_durations(S, np.int64(1))
    end_durations(S, np.int64(2))
    S.alternate = S.token
    S.phase = st.PH_RECONNECT


@inner
def take_ability(T, S, position, part):
    """Resolves one end-of-round text."""
    seat = S.who
    g = seat * GROUP + position
    S.abilities[seat] |= 1 << (2 * position + part)
    S.alternate = 1 - seat
    units.part_text(T, S, g, part, units.END_OF_ROUND, -1, S.node[g])


@inner
def step_reconnect(T, S):
    """The seats alternate in placing opposing disconnected runners (SK-9.3)."""
    for i in range(2):
        seat = S.alternate ^ i
        owner = 1 - seat
        for p in range(S.n_crew[owner]):
            if S.on[owner * GROUP + p] == OFF:
                lo, hi = free(S)
                S.ask = a.PLACE
                S.who = seat
                S.opt[0] = lo & T.home[owner, 0]
                S.opt[1] = hi & T.home[owner, 1]
                return
    S.phase = st.PH_REFRESH


@inner
def take_place(T, S, L, position, node):
    """An opposing runner returns at full signal, or is out for good when its home row is full."""
    owner = 1 - S.who
    g = owner * GROUP + position
    S.alternate = owner
    if node == a.NOWHERE:
        S.on[g] = GONE
        ev.emit(L, S, ev.RECONNECT, owner, position, -1, 0, 0, 0, 0)
        if S.data_c[owner] == position:
            units.lose_data(S, L, owner, 0)
        return
    S.on[g] = BOARD
    S.signal[g] = S.printed[g, 1]
    put_on(T, S, g, owner, node)
    ev.emit(L, S, ev.RECONNECT, owner, position, node, 0, 0, 0, 0)


@inner
def step_refresh(T, S, W, L):
    """All runners are ready, both players draw (SK-9.4, 9.5)."""
    for g in range(RUNNERS):
        if S.on[g] == BOARD:
            S.ready[g] = 1
            if T.heal_refresh != 0:
                healed = S.printed[g, 1] - S.signal[g]
                S.signal[g] = S.printed[g, 1]
                if healed > 0:
                    seat = seat_of(g)
                    ev.emit(L, S, ev.HEAL, seat, g - seat * GROUP, healed, S.signal[g], 0, 0, ev.CAUSE_NONE)
    ev.emit(L, S, ev.REFRESH, 0, 0, 0, 0, 0, 0, 0)
    for i in range(2):
        piles.draw(T, S, W, L, S.token ^ i, T.round_draw, 0)
    S.phase = st.PH_TOKEN


@inner
def step_token(S, L):
    """Who has fewer points decides who holds the token; on equal points it changes hands (SK-9.6)."""
    if S.points[0] == S.points[1]:
        take_token(S, L, 1 - S.token)
        return
    S.ask = a.TOKEN
    S.who = 0 if S.points[0] < S.points[1] else 1


@inner
def take_token(S, L, seat):
    """The token goes to a seat, and the next round begins."""
    if seat != S.token:
        ev.emit(L, S, ev.TOKEN, seat, 0, 0, 0, 0, 0, 0)
    S.token = seat
    S.phase = st.PH_ROUND
