"""The network: subnets, moves and neighbourhoods as flood fills over node sets (SK-2, SK-7.2, SK-7.3)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, cttz
from bhsim.games.skirmish.engine.jit import inner


@inner
def spread(T, lo, hi):
    """All neighbours of the nodes of a set (its own members only if they touch another)."""
    out_lo = U0
    out_hi = U0
    while lo != U0:
        n = cttz(lo)
        lo &= lo - np.uint64(1)
        out_lo |= T.nb[n, 0]
        out_hi |= T.nb[n, 1]
    while hi != U0:
        n = cttz(hi) + 64
        hi &= hi - np.uint64(1)
        out_lo |= T.nb[n, 0]
        out_hi |= T.nb[n, 1]
    return out_lo, out_hi


@inner
def flood(T, lo, hi, mask_lo, mask_hi):
    """The connected nodes of a mask that contain or touch their way from a start set; the start set included."""
    seen_lo = lo
    seen_hi = hi
    while (lo | hi) != U0:
        n_lo, n_hi = spread(T, lo, hi)
        lo = n_lo & mask_lo & ~seen_lo
        hi = n_hi & mask_hi & ~seen_hi
        seen_lo |= lo
        seen_hi |= hi
    return seen_lo, seen_hi


@inner
def subnet(T, S, node):
    """The subnet of a node (SK-2.3): empty for an offline node or a server."""
    s = np.int64(S.state[node])
    if s > 2:
        return U0, U0
    return flood(T, T.bit[node, 0], T.bit[node, 1], S.mask[s, 0], S.mask[s, 1])


@inner
def online(S):
    """Every red, blue or gray node."""
    return S.mask[0, 0] | S.mask[1, 0] | S.mask[2, 0], S.mask[0, 1] | S.mask[1, 1] | S.mask[2, 1]


@inner
def free(S):
    """Online nodes without any runner (SK-2.5)."""
    lo, hi = online(S)
    return lo & ~(S.occ[0, 0] | S.occ[1, 0]), hi & ~(S.occ[0, 1] | S.occ[1, 1])


@inner
def set_state(T, S, node, state):
    """Gives a node its new state, in the list and in the masks."""
    old = np.int64(S.state[node])
    if old < 3:
        S.mask[old, 0] &= ~T.bit[node, 0]
        S.mask[old, 1] &= ~T.bit[node, 1]
    S.state[node] = state
    if state < 3:
        S.mask[state, 0] |= T.bit[node, 0]
        S.mask[state, 1] |= T.bit[node, 1]


@inner
def reach(T, S, W, seat, node, steps, borders):
    """Nodes on which a runner of ``seat`` on ``node`` may end a move (SK-7.2, 7.3), its own node included."""
    on_lo, on_hi = online(S)
    pass_lo = on_lo & ~S.occ[1 - seat, 0]
    pass_hi = on_hi & ~S.occ[1 - seat, 1]
    if borders <= 1:
        all_lo, all_hi = _reach_one(T, S, node, steps, borders, pass_lo, pass_hi)
    else:
        all_lo, all_hi = _reach_many(T, S, W, node, steps, borders, pass_lo, pass_hi)
    all_lo &= ~(S.occ[0, 0] | S.occ[1, 0])
    all_hi &= ~(S.occ[0, 1] | S.occ[1, 1])
    return all_lo | T.bit[node, 0], all_hi | T.bit[node, 1]


@inner
def _reach_one(T, S, node, steps, borders, pass_lo, pass_hi):
    """Nodes within ``steps`` with at most one crossing: two frontiers, before (a) and after (b) it."""
    home = np.int64(S.state[node])
    in_lo = S.mask[home, 0] & pass_lo
    in_hi = S.mask[home, 1] & pass_hi
    a_lo = T.bit[node, 0]
    a_hi = T.bit[node, 1]
    seen_lo = a_lo
    seen_hi = a_hi
    b_lo = U0
    b_hi = U0
    over_lo = U0
    over_hi = U0
    for _ in range(steps):
        c_lo = U0
        c_hi = U0
        for s in range(3):
            p_lo = b_lo & S.mask[s, 0]
            p_hi = b_hi & S.mask[s, 1]
            if (p_lo | p_hi) != U0:
                n_lo, n_hi = spread(T, p_lo, p_hi)
                c_lo |= n_lo & S.mask[s, 0]
                c_hi |= n_hi & S.mask[s, 1]
        if (a_lo | a_hi) != U0:
            n_lo, n_hi = spread(T, a_lo, a_hi)
            if borders == 1:
                c_lo |= n_lo & ~S.mask[home, 0]
                c_hi |= n_hi & ~S.mask[home, 1]
            a_lo = n_lo & in_lo & ~seen_lo
            a_hi = n_hi & in_hi & ~seen_hi
            seen_lo |= a_lo
            seen_hi |= a_hi
        b_lo = c_lo & pass_lo & ~over_lo
        b_hi = c_hi & pass_hi & ~over_hi
        over_lo |= b_lo
        over_hi |= b_hi
        if (a_lo | a_hi | b_lo | b_hi) == U0:
            break
    return seen_lo | over_lo, seen_hi | over_hi


@inner
def _reach_many(T, S, W, node, steps, borders, pass_lo, pass_hi):
    """The same for any number of crossings.

    Layer c of the scratch holds what is reached with c crossings; each step expands the last frontier of every layer.
    """
    for c in range(borders + 1):
        W.front[c, 0] = U0
        W.front[c, 1] = U0
        W.seen[c, 0] = U0
        W.seen[c, 1] = U0
    W.front[0, 0] = T.bit[node, 0]
    W.front[0, 1] = T.bit[node, 1]
    W.seen[0, 0] = W.front[0, 0]
    W.seen[0, 1] = W.front[0, 1]
    all_lo = W.front[0, 0]
    all_hi = W.front[0, 1]
    for _ in range(steps):
        for c in range(borders + 1):
            W.next[c, 0] = U0
            W.next[c, 1] = U0
        grown = False
        for c in range(borders + 1):
            f_lo = W.front[c, 0]
            f_hi = W.front[c, 1]
            if (f_lo | f_hi) == U0:
                continue
            for s in range(3):
                part_lo = f_lo & S.mask[s, 0]
                part_hi = f_hi & S.mask[s, 1]
                if (part_lo | part_hi) == U0:
                    continue
                n_lo, n_hi = spread(T, part_lo, part_hi)
                n_lo &= pass_lo
                n_hi &= pass_hi
                same_lo = n_lo & S.mask[s, 0] & ~W.seen[c, 0]
                same_hi = n_hi & S.mask[s, 1] & ~W.seen[c, 1]
                if (same_lo | same_hi) != U0:
                    W.seen[c, 0] |= same_lo
                    W.seen[c, 1] |= same_hi
                    W.next[c, 0] |= same_lo
                    W.next[c, 1] |= same_hi
                    grown = True
                if c < borders:
                    over_lo = n_lo & ~S.mask[s, 0] & ~W.seen[c + 1, 0]
                    over_hi = n_hi & ~S.mask[s, 1] & ~W.seen[c + 1, 1]
                    if (over_lo | over_hi) != U0:
                        W.seen[c + 1, 0] |= over_lo
                        W.seen[c + 1, 1] |= over_hi
                        W.next[c + 1, 0] |= over_lo
                        W.next[c + 1, 1] |= over_hi
                        grown = True
        if not grown:
            break
        for c in range(borders + 1):
            W.front[c, 0] = W.next[c, 0]
            W.front[c, 1] = W.next[c, 1]
    for c in range(borders + 1):
        all_lo |= W.seen[c, 0]
        all_hi |= W.seen[c, 1]
    return all_lo, all_hi


@inner
def ball(T, node, steps):
    """Nodes at most ``steps`` away over all hexes, whatever their state; the centre included."""
    lo = T.bit[node, 0]
    hi = T.bit[node, 1]
    for _ in range(steps):
        n_lo, n_hi = spread(T, lo, hi)
        if (n_lo & ~lo) == U0 and (n_hi & ~hi) == U0:
            break
        lo |= n_lo
        hi |= n_hi
    return lo, hi


@inner
def put_on(T, S, g, seat, node):
    """Stands a runner on a node."""
    S.node[g] = node
    S.occ[seat, 0] |= T.bit[node, 0]
    S.occ[seat, 1] |= T.bit[node, 1]


@inner
def take_off(T, S, g, seat):
    """Takes a runner from its node."""
    node = S.node[g]
    S.occ[seat, 0] &= ~T.bit[node, 0]
    S.occ[seat, 1] &= ~T.bit[node, 1]
    S.node[g] = -1
