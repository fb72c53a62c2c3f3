"""Deployment, turns, activations and their actions (SK-3.3, SK-4, SK-7, SK-8): the base of the machine, below all texts."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import has
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import attack as at
from bhsim.games.skirmish.engine import effects as fx
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import piles, units
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import free, put_on, reach
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, RUNNERS

PLAYED, SIGNATURE, COMMON = (v.TRIGGERS.index(t) for t in ("played", "signature", "common"))


@inner
def begin_game(T, S, W, L):
    """Shuffles and opening hands, the first player first (SK-3.2)."""
    for i in range(2):
        piles.shuffle(S, L, S.first ^ i)
    for i in range(2):
        piles.draw(T, S, W, L, S.first ^ i, T.opening_hand, 0)


@inner
def step_deploy(T, S):
    """Asks the first, then the second player to place its next runner (SK-3.3)."""
    for i in range(2):
        seat = S.first ^ i
        for p in range(S.n_crew[seat]):
            if S.on[seat * GROUP + p] == st.OFF:
                lo, hi = free(S)
                S.ask = a.DEPLOY
                S.who = seat
                S.sub = p
                S.opt[0] = lo & T.home[seat, 0]
                S.opt[1] = hi & T.home[seat, 1]
                return
    S.phase = st.PH_ROUND


@inner
def step_round(T, S, W, L):
    """A new round begins; texts "at the start of the round" are queued."""
    S.round_no += 1
    S.turn = 0
    S.accepted = 0
    S.passed[0] = 0
    S.passed[1] = 0
    S.mover = S.token
    S.phase = st.PH_TURN
    ev.emit(L, S, ev.ROUND, S.round_no, S.token, 0, 0, 0, 0, 0)
    for g in range(RUNNERS):
        if S.on[g] == BOARD:
            units.pend(T, S, W, g, units.START_OF_ROUND, -1, S.node[g])
    units.close_unit(T, S, W, L, S.token, -1, 0)


@inner
def step_turn(S):
    """Asks for a turn (SK-4.1)."""
    S.turn += 1
    S.accepted = 0
    S.ask = a.PASS
    S.who = S.mover


@inner
def may_act(T, S):
    """False from turn ``max_turns`` of a round on (SK-4.4)."""
    return S.turn < T.max_turns


@inner
def take_pass(S, W, L):
    """The seat passes for the rest of the round (SK-4.2)."""
    S.passed[S.mover] = 1
    W.passes[S.mover] += 1
    ev.emit(L, S, ev.TURN, S.mover, 0, 0, 0, 0, 0, 0)
    S.phase = st.PH_TURN_END


@inner
def take_card(T, S, W, L, title):
    """The seat plays the oldest copy of a title (SK-5.1)."""
    seat = S.mover
    W.card[seat, title, piles.PLAYED] += 1
    ev.emit(L, S, ev.TURN, seat, 1, title, 0, 0, 0, 0)
    S.phase = st.PH_TURN_END
    units.push_text(S, seat, -1, -1, ev.CAUSE_CARD + title, T.card[title, 1], T.card[title, 2], PLAYED, -1, -1)
    piles.discard_at(T, S, L, seat, piles.find_hand(S, seat, title))


@inner
def take_activation(T, S, W, L, position):
    """The seat activates a ready runner and is asked where it goes (SK-7.1, 7.2)."""
    seat = S.mover
    g = seat * GROUP + position
    S.active = g
    W.run[g, units.ACTIVATIONS] += 1
    ev.emit(L, S, ev.TURN, seat, 2, position, 0, 0, 0, 0)
    node = S.node[g]
    lo = T.bit[node, 0]
    hi = T.bit[node, 1]
    if not nm.banned(T, S, g, nm.BAN_MOVE):
        lo, hi = reach(T, S, W, seat, node, nm.value(T, S, g, nm.SPEED, 0), nm.value(T, S, g, nm.BORDERS, 0))
    S.ask = a.DEST
    S.who = seat
    S.opt[0] = lo
    S.opt[1] = hi
    S.opt_done = 0


@inner
def take_move(T, S, W, L, node):
    """The activated runner moves (SK-7.2); what that triggers comes before its action."""
    g = S.active
    fx.relocate(T, S, W, L, g, node, True, ev.CAUSE_ACTIVATION)
    S.phase = st.PH_MOVED
    units.close_unit(T, S, W, L, S.mover, -1, 0)


@inner
def step_moved(S):
    """Asks for the action, if the runner is still there."""
    if S.on[S.active] != BOARD:
        S.phase = st.PH_TURN_END
        return
    S.ask = a.ACTION
    S.who = S.mover


@inner
def list_actions(T, S, out, limit):
    """Writes the legal actions of the activated runner (SK-8.1, 8.7 to 8.10, 8.13), at most ``limit``; their number."""
    g = S.active
    seat = S.mover
    node = S.node[g]
    out[0] = a.ACTION << 24
    n = 1
    if not nm.banned(T, S, g, nm.BAN_ATTACK):
        mask = tg.plain_victims(T, S, g)
        for p in range(GROUP):
            if mask >> ((1 - seat) * GROUP + p) & 1 and n < limit:
                out[n] = a.ACTION << 24 | a.ACT_ATTACK << 12 | p
                n += 1
        if mask >> (DATA_REF + 1 - seat) & 1 and n < limit:
            out[n] = a.ACTION << 24 | a.ACT_ATTACK << 12 | a.DATA
            n += 1
    if n < limit and has(T.beside[1 - seat, 0], T.beside[1 - seat, 1], node) and not nm.banned(T, S, g, nm.BAN_EXTRACT):
        out[n] = a.ACTION << 24 | a.ACT_EXTRACT << 12
        n += 1
    if nm.carries(S, g):
        if n < limit and has(T.beside[seat, 0], T.beside[seat, 1], node) and not nm.banned(T, S, g, nm.BAN_SECURE):
            out[n] = a.ACTION << 24 | a.ACT_SECURE << 12
            n += 1
        if not nm.banned(T, S, g, nm.BAN_TRANSFER):
            allies = nm.runners_in(S, *nm.region(T, S, nm.IN_SUBNET, 0, node)) >> (seat * GROUP)
            for p in range(GROUP):
                if allies >> p & 1 and seat * GROUP + p != g and n < limit:
                    out[n] = a.ACTION << 24 | a.ACT_TRANSFER << 12 | p
                    n += 1
    if n < limit and (T.run[S.card[g, 0], 3] >> SIGNATURE) & 1 and not nm.banned(T, S, g, nm.BAN_SIGNATURE):
        out[n] = a.ACTION << 24 | a.ACT_SIGNATURE << 12
        n += 1
    if T.n_common > 0 and not nm.banned(T, S, g, nm.BAN_COMMON):
        for i in range(T.n_common):
            if n < limit:
                out[n] = a.ACTION << 24 | a.ACT_COMMON << 12 | i
                n += 1
    return n


@inner
def take_action(T, S, W, L, kind, target):
    """The activated runner's action."""
    g = S.active
    seat = S.mover
    S.phase = st.PH_ACTED
    W.acts[seat, kind] += 1
    ev.emit(L, S, ev.ACTION, seat, g - seat * GROUP, kind, target, 0, 0, 0)
    if kind == a.ACT_ATTACK:
        ref = DATA_REF + 1 - seat if target == a.DATA else (1 - seat) * GROUP + target
        at.push_attack(T, S, g, ref, 0, 0, nm.IN_SUBNET, 0)
    elif kind == a.ACT_EXTRACT:
        _extract(T, S, W, L, g, seat)
    elif kind == a.ACT_TRANSFER:
        S.data_c[seat] = target
        ev.emit(L, S, ev.DATA, seat, ev.DATA_TRANSFER, target, S.data_s[seat], 0, 0, 0)
    elif kind == a.ACT_SECURE:
        _secure(T, S, W, L, g, seat)
    elif kind == a.ACT_SIGNATURE:
        run = S.card[g, 0]
        units.push_text(S, seat, g, S.node[g], ev.CAUSE_RUNNER + run, T.run[run, 1], T.run[run, 2], SIGNATURE, -1, -1)
    elif kind == a.ACT_COMMON:
        units.push_text(S, seat, g, S.node[g], ev.CAUSE_COMMON + target, T.common[target, 0], T.common[target, 1], COMMON, -1, -1)


@inner
def _extract(T, S, W, L, g, seat):
    """Fresh data; what the team had out is destroyed (SK-8.6, 8.7)."""
    if S.data_c[seat] >= 0:
        units.lose_data(S, L, seat, 0)
    S.data_c[seat] = g - seat * GROUP
    S.data_s[seat] = T.data_signal
    W.run[g, units.EXTRACTIONS] += 1
    ev.emit(L, S, ev.DATA, seat, ev.DATA_EXTRACT, S.data_c[seat], T.data_signal, 0, 0, 0)
    units.pend(T, S, W, g, units.EXTRACTING, -1, S.node[g])
    units.close_unit(T, S, W, L, seat, g, 0)


@inner
def _secure(T, S, W, L, g, seat):
    """Reveals as many cards as the data's signal and scores the highest (SK-8.9)."""
    base = S.n_flight[seat]
    best = 0
    for _ in range(S.data_s[seat]):
        title = piles.flip(T, S, W, L, seat, 1)
        if title < 0:
            break
        best = max(best, T.card[title, 0])
    piles.land(T, S, L, seat, base)
    ev.emit(L, S, ev.DATA, seat, ev.DATA_SECURED, S.data_c[seat], S.data_s[seat], 0, 0, 0)
    S.data_c[seat] = -1
    S.data_s[seat] = 0
    W.run[g, units.SECURES] += 1
    W.run[g, units.POINTS] += best
    units.score(S, W, L, seat, best, st.BY_SECURE, 0)
    units.pend(T, S, W, g, units.SECURING, -1, S.node[g])
    units.close_unit(T, S, W, L, seat, g, 0)


@inner
def step_acted(S, L):
    """After everything the activated runner is exhausted (SK-7.1)."""
    g = S.active
    if S.on[g] == BOARD:
        S.ready[g] = 0
        seat = g // GROUP
        ev.emit(L, S, ev.EXHAUST, seat, g - seat * GROUP, 0, 0, 0, 0, ev.CAUSE_ACTIVATION)
    S.phase = st.PH_TURN_END


@inner
def end_durations(S, duration):
    """Temporary numbers and bans of a duration (0 turn, 1 round, 2 next attack) end (SK-5.4)."""
    if S.temps_on[duration] == 0:
        return
    S.temps_on[duration] = 0
    for g in range(RUNNERS):
        for stat in range(st.N_STATS):
            S.temp[g, stat, duration] = 0
        if duration < 2:
            S.ban[g, duration] = 0


@inner
def step_turn_end(S, W):
    """Whose turn is next: an extra turn, the other seat, or the same one again; or the round is over (SK-4.1 to 4.3)."""
    end_durations(S, np.int64(0))
    W.turns[S.mover] += 1
    S.active = -1
    seat = S.mover
    if S.passed[0] != 0 and S.passed[1] != 0:
        S.extra[0] = 0
        S.extra[1] = 0
        S.mover = S.token
        S.phase = st.PH_ROUND_END
        return
    if S.passed[seat] == 0 and S.extra[seat] > 0:
        S.extra[seat] -= 1
    elif S.passed[1 - seat] == 0:
        S.mover = 1 - seat
    S.phase = st.PH_TURN


@inner
def place_runner(T, S, L, seat, position, node):
    """A runner is deployed on its home row."""
    g = seat * GROUP + position
    S.on[g] = BOARD
    put_on(T, S, g, seat, node)
    ev.emit(L, S, ev.DEPLOY, seat, position, node, 0, 0, 0, 0)
