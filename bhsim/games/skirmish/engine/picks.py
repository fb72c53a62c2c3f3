"""Choosing the nodes of a hack or a change of state (SK-6.1 to 6.8), and doing it.

Nodes come group by group: the next one touches a chosen node or opens a new group, whose partner must follow. So what
can still be completed follows from the sizes of the groups of eligible nodes, without a search.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, count, drop_lowest, lowest
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import events as ev
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import flood, set_state, spread

FREE, TOUCHING, GROUPED = range(3)
OFFLINE = 3


@inner
def eligible(T, S, f, row, state):
    """Nodes that a row may turn to ``state``."""
    src = S.stack[f, st.F_SRC]
    lo, hi = tg.spots(T, S, row, tg.centre_of(S, src, S.stack[f, st.F_ORIGIN]))
    occ_lo = S.occ[0, 0] | S.occ[1, 0]
    occ_hi = S.occ[0, 1] | S.occ[1, 1]
    if T.fx[row, tb.OP] == tg.OP_HACK:
        return lo & ~occ_lo & ~S.lock[0], hi & ~occ_hi & ~S.lock[1]
    if state == OFFLINE:
        return lo & ~occ_lo, hi & ~occ_hi
    return lo, hi


@inner
def any_eligible(T, S, f, row):
    """Nodes that a row may turn to at least one of its states."""
    lo = U0
    hi = U0
    for s in range(4):
        if T.fx[row, tb.STATES] >> s & 1:
            e_lo, e_hi = eligible(T, S, f, row, s)
            lo |= e_lo
            hi |= e_hi
    return lo, hi


@inner
def manner(T, row):
    """How the nodes of a row must hang together: FREE, TOUCHING or GROUPED (SK-6.4)."""
    if T.fx[row, tb.CONNECTED] == 0:
        return FREE
    return GROUPED if T.single_group != 0 else TOUCHING


@inner
def most(T, lo, hi, wanted, how):
    """The largest legal number of nodes, at most ``wanted``, within an eligible set."""
    total = count(lo, hi)
    if how == FREE or total <= 1 or wanted <= 1:
        return min(total, wanted)
    best = 1
    small = 0
    big = False
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        c_lo, c_hi = flood(T, T.bit[n, 0], T.bit[n, 1], lo, hi)
        size = count(c_lo, c_hi)
        lo &= ~c_lo
        hi &= ~c_hi
        if how == GROUPED:
            best = max(best, size)
        elif size >= 2:
            small += size
            big = big or size >= 3
    if how == GROUPED:
        return min(best, wanted)
    if small < 2:
        return 1
    most_touching = min(small, wanted)
    return most_touching if big else most_touching - most_touching % 2


@inner
def _can_finish(T, lo, hi, p_lo, p_hi, opened, need, how):
    """Whether ``need`` more nodes of (lo, hi) can join the chosen ones (p); ``opened``: the last node needs a partner."""
    grow = 0
    small = 0
    big = False
    while (lo | hi) != U0:
        n = lowest(lo, hi)
        c_lo, c_hi = flood(T, T.bit[n, 0], T.bit[n, 1], lo, hi)
        lo &= ~c_lo
        hi &= ~c_hi
        size = count(c_lo, c_hi)
        chosen = count(c_lo & p_lo, c_hi & p_hi)
        if chosen > 0:
            grow += size - chosen
        elif size >= 2:
            small += size
            big = big or size >= 3
    least = 1 if opened else 0
    if least <= need <= grow:
        return True
    if how == GROUPED:
        return False
    for b in range(2, need - least + 1):
        if b <= small and (big or b % 2 == 0) and need - b <= grow:
            return True
    return False


@inner
def options(T, S, f, row, state):
    """Nodes that may be chosen next for ``state``, given those chosen so far."""
    e_lo, e_hi = eligible(T, S, f, row, state)
    p_lo = S.pick[0]
    p_hi = S.pick[1]
    e_lo &= ~p_lo
    e_hi &= ~p_hi
    how = manner(T, row)
    n = S.pick_n
    if how == FREE or (e_lo | e_hi) == U0:
        return e_lo, e_hi
    exact = T.fx[row, tb.UP_TO] == 0
    need = S.pick_max - n - 1
    if n > 0 and how == GROUPED:
        t_lo, t_hi = spread(T, p_lo, p_hi)
        return e_lo & t_lo, e_hi & t_hi
    if n > 0 and S.pick_open >= 0:
        o = S.pick_open
        e_lo &= T.nb[o, 0]
        e_hi &= T.nb[o, 1]
    elif n > 0:
        u_lo, u_hi = partners(T, S, f, row, state)
        t_lo, t_hi = spread(T, p_lo, p_hi)
        x_lo = e_lo & ~t_lo
        x_hi = e_hi & ~t_hi
        e_lo &= t_lo
        e_hi &= t_hi
        if need >= 1:  # open a new group: only nodes whose partner can follow
            r_lo, r_hi = spread(T, u_lo & ~p_lo, u_hi & ~p_hi)
            e_lo |= x_lo & r_lo
            e_hi |= x_hi & r_hi
    if exact and S.pick_max > 1:
        return _completable(T, S, f, row, state, e_lo, e_hi, need, how)
    return e_lo, e_hi


@inner
def partners(T, S, f, row, state):
    """Nodes that can still join a choice in which the next one gets ``state``."""
    if _each(T, row):
        return any_eligible(T, S, f, row)
    return eligible(T, S, f, row, state)


@inner
def _completable(T, S, f, row, state, e_lo, e_hi, need, how):
    u_lo, u_hi = partners(T, S, f, row, state)
    u_lo |= S.pick[0]  # a chosen node belongs to its group even where nothing more can be done to it
    u_hi |= S.pick[1]
    t_lo, t_hi = spread(T, S.pick[0], S.pick[1])
    keep_lo = U0
    keep_hi = U0
    x_lo = e_lo
    x_hi = e_hi
    while (x_lo | x_hi) != U0:
        n = lowest(x_lo, x_hi)
        x_lo, x_hi = drop_lowest(x_lo, x_hi)
        b_lo = T.bit[n, 0]
        b_hi = T.bit[n, 1]
        opened = (b_lo & t_lo) == U0 and (b_hi & t_hi) == U0
        if _can_finish(T, u_lo, u_hi, S.pick[0] | b_lo, S.pick[1] | b_hi, opened, need, how):
            keep_lo |= b_lo
            keep_hi |= b_hi
    return keep_lo, keep_hi


@inner
def begin_picks(T, S, f, row):
    """Prepares the choice: False when the row does nothing at all."""
    S.pick[0] = U0
    S.pick[1] = U0
    S.pick_n = 0
    S.pick_open = -1
    S.pick_state = -1
    wanted = T.fx[row, tb.COUNT]
    how = manner(T, row)
    if T.fx[row, tb.UP_TO] != 0:
        lo, hi = any_eligible(T, S, f, row)
        S.pick_max = wanted
        return (lo | hi) != U0
    if _each(T, row):
        lo, hi = any_eligible(T, S, f, row)
        m = most(T, lo, hi, wanted, how)
    else:
        m = 0
        for s in range(4):
            if T.fx[row, tb.STATES] >> s & 1:
                lo, hi = eligible(T, S, f, row, s)
                m = max(m, most(T, lo, hi, wanted, how))
    S.pick_max = m
    return m > 0 and (m == wanted or T.short_nothing == 0)


@inner
def _each(T, row):
    """Whether each node of the row gets a state of its own (SK-6.6)."""
    states = T.fx[row, tb.STATES]
    return T.each_state != 0 and (states & (states - 1)) != 0


@inner
def ask_next(T, S, f, row):
    """Asks for the next state or node of the row, or returns False when the choice is finished."""
    n = S.pick_n
    if n >= S.pick_max:
        return False
    up_to = T.fx[row, tb.UP_TO] != 0
    done = 1 if up_to and (n <= 1 or S.pick_open < 0) else 0
    states = T.fx[row, tb.STATES]
    each = _each(T, row)
    S.who = S.stack[f, st.F_SIDE]
    S.opt_done = 0
    if S.pick_state < 0:
        mask = 0
        for s in range(4):
            if states >> s & 1 == 0:
                continue
            if not each and T.fx[row, tb.UP_TO] == 0:
                lo, hi = eligible(T, S, f, row, s)
                if most(T, lo, hi, T.fx[row, tb.COUNT], manner(T, row)) < S.pick_max:
                    continue
            lo, hi = options(T, S, f, row, s)
            if (lo | hi) != U0:
                mask |= 1 << s
        if each or (states & (states - 1)) != 0:
            if mask == 0:
                return False
            S.opt_mask = mask
            S.opt_done = done if each else 0
            S.ask = a.STATE
            return True
        S.pick_state = tg.lowest_bit(states)
    lo, hi = options(T, S, f, row, S.pick_state)
    if (lo | hi) == U0:
        return False
    S.opt[0] = lo
    S.opt[1] = hi
    S.opt_done = 0 if each else done
    S.ask = a.NODE
    return True


@inner
def add_pick(T, S, f, row, node):
    """Takes a node into the choice."""
    b_lo = T.bit[node, 0]
    b_hi = T.bit[node, 1]
    touches = (T.nb[node, 0] & S.pick[0]) != U0 or (T.nb[node, 1] & S.pick[1]) != U0
    if manner(T, row) == TOUCHING:
        S.pick_open = -1 if touches else node
    S.pick[0] |= b_lo
    S.pick[1] |= b_hi
    S.pick_nodes[S.pick_n, 0] = node
    S.pick_nodes[S.pick_n, 1] = S.pick_state
    S.pick_n += 1
    if _each(T, row):
        S.pick_state = -1


@inner
def do_picks(T, S, L, f, row):
    """Sets the chosen states; a hack also frees all locks and locks its own nodes (SK-6.2)."""
    n = S.pick_n
    if n == 0:
        return
    hack = T.fx[row, tb.OP] == tg.OP_HACK
    kind = ev.HACK if hack else ev.CHANGE
    cause = S.stack[f, st.F_CAUSE]
    ev.emit(L, S, kind, S.stack[f, st.F_SIDE], n, T.fx[row, tb.COUNT], T.fx[row, tb.UP_TO], T.fx[row, tb.CONNECTED], 0, cause)
    if hack:
        S.lock[0] = S.pick[0]
        S.lock[1] = S.pick[1]
    for i in range(n):
        node = S.pick_nodes[i, 0]
        state = S.pick_nodes[i, 1]
        set_state(T, S, node, state)
        ev.emit(L, S, ev.PICKED, node, state, 0, 0, 0, 0, cause)
    S.pick_n = 0
    S.pick[0] = U0
    S.pick[1] = U0
    S.pick_open = -1
    S.pick_state = -1
    S.pick_max = np.int64(0)
