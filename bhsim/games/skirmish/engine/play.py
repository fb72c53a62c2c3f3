"""The state machine as its users see it: ``start``, ``legal``, ``apply`` (design, decision 3)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, drop_lowest, lowest
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import attack, effects, picks, piles, rounds, turns, units
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner, kernel
from bhsim.games.skirmish.engine.network import subnet
from bhsim.games.skirmish.engine.numbers import runners_in
from bhsim.games.skirmish.engine.passives import tell_passives
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, MAX_LEGAL, OFF, RUNNERS

FUSE = 100_000  # steps without a decision: an engine fault, reported as a status


@inner
def _base(T, S, W, L):
    phase = S.phase
    if phase == st.PH_TURN:
        turns.step_turn(S)
    elif phase == st.PH_MOVED:
        turns.step_moved(S)
    elif phase == st.PH_ACTED:
        turns.step_acted(S, L)
    elif phase == st.PH_TURN_END:
        turns.step_turn_end(S, W)
    elif phase == st.PH_DEPLOY:
        turns.step_deploy(T, S)
    elif phase == st.PH_ROUND:
        turns.step_round(T, S, W, L)
    elif phase == st.PH_ROUND_END:
        rounds.step_round_end(T, S, W, L)
    elif phase == st.PH_ABILITIES:
        rounds.step_abilities(T, S)
    elif phase == st.PH_RECONNECT:
        rounds.step_reconnect(T, S)
    elif phase == st.PH_REFRESH:
        rounds.step_refresh(T, S, W, L)
    else:
        rounds.step_token(S, L)


@inner
def _list_nodes(S, out, limit, kind, first):
    n = 0
    lo = S.opt[0]
    hi = S.opt[1]
    while (lo | hi) != U0 and n < limit:
        out[n] = kind << 24 | first << 12 | lowest(lo, hi)
        lo, hi = drop_lowest(lo, hi)
        n += 1
    return n


@inner
def _list_turn(T, S, out, limit):
    out[0] = a.PASS << 24
    n = 1
    if not turns.may_act(T, S):
        return n
    seat = S.who
    for i in range(S.n_hand[seat]):
        if n >= limit:
            return n
        title = np.int64(S.hand[seat, i])
        if piles.find_hand(S, seat, title) == i:
            out[n] = a.CARD << 24 | title
            n += 1
    for p in range(S.n_crew[seat]):
        g = seat * GROUP + p
        if S.on[g] == BOARD and S.ready[g] == 1 and n < limit:
            out[n] = a.ACTIVATE << 24 | p
            n += 1
    return n


@inner
def _list_masked(S, out, limit):
    """Runners and data, states, or abilities, as the options mask holds them."""
    n = 0
    for i in range(RUNNERS + 2):
        if S.opt_mask >> i & 1 == 0 or n >= limit:
            continue
        if S.ask == a.TARGET:
            if i >= DATA_REF:
                out[n] = a.TARGET << 24 | (i - DATA_REF) << 12 | a.DATA
            else:
                out[n] = a.TARGET << 24 | (i // GROUP) << 12 | (i % GROUP)
        elif S.ask == a.STATE:
            out[n] = a.STATE << 24 | i
        else:
            out[n] = a.ABILITY << 24 | (i >> 1) << 12 | (i & 1)
        n += 1
    return n


@inner
def _list_places(S, out, limit):
    owner = 1 - S.who
    n = 0
    full = (S.opt[0] | S.opt[1]) == U0
    for p in range(S.n_crew[owner]):
        if S.on[owner * GROUP + p] != OFF:
            continue
        if full:
            if n < limit:
                out[n] = a.PLACE << 24 | p << 12 | a.NOWHERE
                n += 1
            continue
        lo = S.opt[0]
        hi = S.opt[1]
        while (lo | hi) != U0 and n < limit:
            out[n] = a.PLACE << 24 | p << 12 | lowest(lo, hi)
            lo, hi = drop_lowest(lo, hi)
            n += 1
    return n


@inner
def _list_titles(S, out, limit):
    seat = S.who
    n = 0
    size = S.n_hand[seat] if S.sub == 0 else S.n_disc[seat]
    for i in range(size):
        title = np.int64(S.hand[seat, i]) if S.sub == 0 else np.int64(S.disc[seat, i])
        first = piles.find_hand(S, seat, title) if S.sub == 0 else piles.find_discard(S, seat, title)
        if first == i and n < limit:
            out[n] = a.CHOOSE << 24 | title
            n += 1
    return n


@inner
def list_legal(T, S, out, limit):
    """Writes up to ``limit`` legal decisions of the seat to decide into ``out`` (int64); returns their number."""
    ask = S.ask
    if ask == a.PASS:
        return _list_turn(T, S, out, limit)
    if ask == a.ACTION:
        return turns.list_actions(T, S, out, limit)
    if ask == a.PLACE:
        return _list_places(S, out, limit)
    if ask == a.CHOOSE:
        return _list_titles(S, out, limit)
    if ask == a.TOKEN:
        out[0] = a.TOKEN << 24
        out[1] = a.TOKEN << 24 | 1
        return 2
    if ask == a.DEPLOY:
        return _list_nodes(S, out, limit, ask, S.sub)
    if ask == a.NODE or ask == a.DEST or ask == a.SUBNET:
        n = _list_nodes(S, out, limit, ask, 0)
    else:
        n = _list_masked(S, out, limit)
    if S.opt_done != 0 and n < limit and ask != a.ABILITY:
        out[n] = a.DONE << 24
        n += 1
    return n


@inner
def answer(T, S, W, L, action):
    """Carries out one decision, which must be legal; ``run`` goes on from there."""
    kind = action >> 24
    x = action >> 12 & 0xFFF
    y = action & 0xFFF
    S.ask = 0
    if kind == a.PASS:
        turns.take_pass(S, W, L)
    elif kind == a.CARD:
        turns.take_card(T, S, W, L, y)
    elif kind == a.ACTIVATE:
        turns.take_activation(T, S, W, L, y)
    elif kind == a.ACTION:
        turns.take_action(T, S, W, L, x, y)
    elif kind == a.DEPLOY:
        turns.place_runner(T, S, L, S.who, x, y)
    elif kind == a.PLACE:
        rounds.take_place(T, S, L, x, y)
    elif kind == a.TOKEN:
        rounds.take_token(S, L, y)
    elif kind == a.ABILITY:
        rounds.take_ability(T, S, x, y)
    elif kind == a.DEST and S.sp == 0:
        turns.take_move(T, S, W, L, y)
    else:
        _answer_text(T, S, L, kind, x, y)


@inner
def _answer_text(T, S, L, kind, x, y):
    """A decision within the text on top of the stack."""
    f = S.sp - 1
    row = S.stack[f, st.T_ROW]
    step = S.stack[f, st.F_STEP]
    if kind == a.TARGET:
        ref = DATA_REF + x if y == a.DATA else x * GROUP + y
        if step == effects.AWAIT_SECOND:
            S.stack[f, st.T_AUX] = ref
            S.stack[f, st.F_STEP] = effects.SECOND
        else:
            S.stack[f, st.T_SEL] = ref
            if T.fx[row, tb.OP] != effects.tg.OP_ATTACK:  # there the victim counts as chosen, not the attacker
                S.stack[f, st.T_PREV] = ref
            S.stack[f, st.F_STEP] = effects.CHOSEN
    elif kind == a.DEST:
        S.stack[f, st.T_AUX] = y
        S.stack[f, st.F_STEP] = effects.SECOND
    elif kind == a.SUBNET:
        lo, hi = subnet(T, S, y)
        S.stack[f, st.T_MASK] &= runners_in(S, lo, hi)
        S.stack[f, st.F_STEP] = effects.CHOSEN
    elif kind == a.STATE:
        S.pick_state = y
    elif kind == a.NODE:
        picks.add_pick(T, S, f, row, y)
    elif kind == a.CHOOSE:
        seat = S.who
        i = piles.find_hand(S, seat, y) if S.sub == 0 else piles.find_discard(S, seat, y)
        effects.take_card(T, S, L, f, T.fx[row, tb.OP], seat, i)
    elif step == effects.PICKING:  # DONE
        S.pick_max = S.pick_n
    else:
        S.stack[f, st.T_PREV] = -1
        S.stack[f, st.F_STEP] = effects.FINISHED


@inner
def settle(T, S, W, L):
    """Goes on to the next real decision: one with two or more legal answers; a single one is carried out unasked."""
    steps = 0
    while S.over == 0:
        if S.ask != 0:
            n = list_legal(T, S, W.legal, np.int64(2))
            if n >= 2:
                tell_passives(T, S, W, L)
                return
            if n == 1:
                answer(T, S, W, L, W.legal[0])
            else:
                S.status = st.STUCK
        elif S.sp > 0:
            f = S.sp - 1
            kind = S.stack[f, st.F_KIND]
            if kind == st.TEXT:
                effects.step_text(T, S, W, L, f)
            elif kind == st.ATTACK:
                attack.step_attack(T, S, W, L, f)
            else:
                units.step_drain(T, S, W, L)
        else:
            _base(T, S, W, L)
        steps += 1
        if steps > FUSE:
            S.status = st.ENDLESS
        if S.status != st.OK:
            S.over = 1
            S.who = -1


@kernel
def start(T, sides, S, W, L, root, k, game):
    """Sets up game ``game`` (0 or 1) of key ``k`` and goes on to its first decision.

    T: TABLES record; sides: SIDE records, shape (2,); S: STATE record; W: WORK record; L: int64 log (rows, LOG_WIDTH).
    """
    st.clear_work(W)
    st.set_up(T, sides, S, root, k, game)
    turns.begin_game(T, S, W, L)
    settle(T, S, W, L)


@kernel
def resume(T, S, W, L):
    """Goes on from a state that was written by hand, with no decision pending, to its next decision."""
    settle(T, S, W, L)


@kernel
def legal(T, S, W):
    """Writes all legal decisions into ``W.legal`` and returns their number; 0 when over."""
    if S.over != 0:
        return 0
    return list_legal(T, S, W.legal, MAX_LEGAL)


@kernel
def apply(T, S, W, L, action):
    """Carries out a legal decision and goes on to the next; illegal ones are not noticed here (see ``is_legal``)."""
    answer(T, S, W, L, action)
    settle(T, S, W, L)


@kernel
def is_legal(T, S, W, action):
    """Whether a decision is among the legal ones."""
    for i in range(list_legal(T, S, W.legal, MAX_LEGAL)):
        if W.legal[i] == action:
            return True
    return False
