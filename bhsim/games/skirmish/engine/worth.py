"""What an effect row is worth to a bot, by what it does: any card, also a made-up one, is valued by its rows.

A text is valued through a frame that is not on the stack (the first unused one), so targets and ranges come from
the same code that plays it.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, drop_lowest, lowest
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import effects as fx
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import sight as si
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine import weave
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, RUNNERS, seat_of

NEVER = -1.0e9
OWN, OPPONENT, BOTH = range(len(v.PLAYERS))


@inner
def fake_frame(S, seat, src, origin):
    """Describes a text in the first unused frame, for valuing only; returns its number."""
    f = S.sp
    S.stack[f, st.F_SIDE] = seat
    S.stack[f, st.F_SRC] = src
    S.stack[f, st.F_ORIGIN] = origin
    S.stack[f, st.T_PREV] = -1
    S.stack[f, st.T_TARGET] = -1
    S.stack[f, st.T_CULPRIT] = -1
    return f


@inner
def text_worth(T, D, S, W, seat, src, origin, first, rows, trigger):
    """Worth for ``seat`` of resolving the rows of one trigger of a text."""
    if S.sp >= a.MAX_STACK:
        return 0.0
    f = fake_frame(S, seat, src, origin)
    total = 0.0
    for row in range(first, first + rows):
        if T.fx[row, tb.TRIG] == trigger and nm.holds(T, S, row, seat, src, origin, 0):
            total += row_worth(T, D, S, W, f, row)
    return total


@inner
def row_worth(T, D, S, W, f, row):
    """Worth of one row with its best choices."""
    op = T.fx[row, tb.OP]
    seat = S.stack[f, st.F_SIDE]
    w = D.weights
    amount = T.fx[row, tb.AMOUNT]
    if op == tg.OP_HACK or op == tg.OP_CHANGE:
        return weave.quick_plan(T, D, S, W, f, row)
    if op == tg.OP_DRAW or op == tg.OP_DISCARD or op == tg.OP_RETURN:
        return _cards_worth(T, D, S, row, op, seat)
    if op == tg.OP_SCORE:
        player = T.fx[row, tb.PLAYER]
        worth = 0.0
        if player != OPPONENT:
            worth += si.gain(T, D, S, seat, amount) + si.sure_win(T, S, seat, amount)
        if player != OWN:
            worth -= si.gain(T, D, S, 1 - seat, amount) + si.sure_win(T, S, 1 - seat, amount)
        return worth
    if op == tg.OP_ANOTHER:
        return w[si.TURN] if S.passed[1 - seat] == 0 else 0.0  # when the other has passed every turn is ours anyway
    if op == tg.OP_SIGNAL:
        return _signal_worth(T, D, S, W, row, seat)
    if op == tg.OP_ATTACK:
        return attack_worth(T, D, S, W, f, row)
    if op == tg.OP_DAMAGE and T.fx[row, tb.WHO] == nm.W_OWN_DATA:
        if tg.carrier(S, 1 - seat) < 0:
            return 0.0
        signal = S.data_s[1 - seat]
        dealt = min(max(amount - (0 if T.fx[row, tb.PAST] else signal), 0), signal)
        return w[si.HUNT] * W.stakes[1 - seat] * dealt / max(signal, 1)
    if op == tg.OP_BONUS or op == tg.OP_BYPASS or op == tg.OP_FLIP:
        return 0.0
    mask = tg.receivers(T, S, f, row) if op == tg.OP_TRANSFER else tg.candidates(T, S, f, row)
    if mask == 0:
        return 0.0
    if T.fx[row, tb.ALL] == 0:
        return _best_target(T, D, S, W, f, row, mask)
    if T.fx[row, tb.WITHIN] != nm.IN_CHOSEN:
        return sum_worth(T, D, S, W, f, row, mask)
    best = NEVER
    left = mask
    for g in range(RUNNERS):
        if left >> g & 1:
            lo, hi = si.net(W, S.node[g])
            part = mask & nm.runners_in(S, lo, hi)
            left &= ~part
            best = max(best, sum_worth(T, D, S, W, f, row, part))
    return best


@inner
def _best_target(T, D, S, W, f, row, mask):
    best = NEVER
    best_g = -1
    for g in range(RUNNERS):
        if mask >> g & 1:
            worth = target_worth(T, D, S, W, f, row, g)
            if worth > best:
                best = worth
                best_g = g
    S.stack[f, st.T_PREV] = best_g
    if T.fx[row, tb.OPTIONAL]:
        best = max(best, 0.0)
    return best


@inner
def sum_worth(T, D, S, W, f, row, mask):
    """Worth of doing a row to all runners of a mask."""
    total = 0.0
    for g in range(RUNNERS):
        if mask >> g & 1:
            total += target_worth(T, D, S, W, f, row, g)
    return total


@inner
def _cards_worth(T, D, S, row, op, seat):
    w = D.weights
    total = 0.0
    player = T.fx[row, tb.PLAYER]
    for i in range(2):
        s = seat ^ i
        if (i == 0 and player == OPPONENT) or (i == 1 and player == OWN):
            continue
        sign = 1.0 if i == 0 else -1.0
        n = T.fx[row, tb.COUNT]
        if op == tg.OP_DRAW:
            total += sign * w[si.DRAW] * min(n, S.n_deck[s] + S.n_disc[s])
        elif op == tg.OP_RETURN:
            total += sign * w[si.DRAW] * min(n, S.n_disc[s])
        else:
            total -= sign * w[si.DISCARD] * min(n, S.n_hand[s])
    return total


@inner
def _signal_worth(T, D, S, W, row, seat):
    who = seat if T.fx[row, tb.WHO] == nm.W_OWN_CARRIER else 1 - seat
    c = tg.carrier(S, who)
    if c < 0:
        return 0.0
    after = min(S.data_s[who] + T.fx[row, tb.AMOUNT], T.data_signal_max)
    change = si.secure_worth(T, D, S, who, after) - si.secure_worth(T, D, S, who, S.data_s[who])
    near = si.closeness(W.field[who, S.node[c]])
    return change * near if who == seat else -change * near * D.weights[si.HUNT]


@inner
def attack_worth(T, D, S, W, f, row):
    """Worth of an attack by a row: the best attacker against its best victim."""
    mask = tg.attackers(T, S, f, row)
    best = 0.0
    for g in range(RUNNERS):
        if mask >> g & 1:
            best = max(best, best_victim(T, D, S, W, f, row, g))
    return best


@inner
def best_victim(T, D, S, W, f, row, attacker):
    """Worth of the best victim of a row's attack by ``attacker``."""
    targets = tg.victims(T, S, f, row, attacker)
    best = 0.0
    for t in range(RUNNERS + 2):
        if targets >> t & 1:
            best = max(best, si.strike_worth(T, D, S, W, attacker, t, T.fx[row, tb.AMOUNT], T.fx[row, tb.BYPASS]))
    return best


@inner
def target_worth(T, D, S, W, f, row, g):
    """Worth for the text's side of doing a row to runner ``g``."""
    op = T.fx[row, tb.OP]
    seat = S.stack[f, st.F_SIDE]
    mine = seat_of(g) == seat
    sign = 1.0 if mine else -1.0
    w = D.weights
    amount = T.fx[row, tb.AMOUNT]
    if op == tg.OP_DAMAGE:
        security = 0 if T.fx[row, tb.PAST] else nm.value(T, S, g, nm.SECURITY, 0)
        dealt = max(amount - security, 0)
        if dealt >= S.signal[g]:
            if mine and T.own_scores == 0:
                return -w[si.KILL]
            return -sign * (si.removal_worth(T, D, S, W, g) + si.sure_win(T, S, 1 - seat_of(g), T.disconnect_points))
        return -sign * w[si.DAMAGE] * dealt / S.printed[g, 1] * (2.0 - S.signal[g] / S.printed[g, 1])
    if op == tg.OP_HEAL:
        return sign * w[si.HEAL] * min(amount, S.printed[g, 1] - S.signal[g])
    if op == tg.OP_EXHAUST:
        return -sign * w[si.EXHAUST] * _weight_of(S, W, g)
    if op == tg.OP_READY:
        return sign * w[si.READY] * _weight_of(S, W, g)
    if op == tg.OP_STAT:
        return sign * _stat_worth(T, D, S, W, f, row, g, mine)
    if op == tg.OP_FORBID:
        return -sign * w[si.BAN] * _weight_of(S, W, g) * (1.0 if S.ready[g] else 0.2)
    if op == tg.OP_TRANSFER:
        return pass_worth(T, D, S, W, seat, tg.carrier(S, seat), g)
    if op == tg.OP_SWAP:
        best = NEVER
        partners = tg.partners(T, S, f, row, g)
        first = 0
        if T.fx[row, tb.WHO] == T.fx[row, tb.OTHER] and T.fx[row, tb.FILTER] == 0:
            first = g + 1  # the same pair the other way round is the same swap
        for h in range(first, RUNNERS):
            if partners >> h & 1:
                best = max(best, swap_worth(T, D, S, W, seat, g, h))
        return best
    return _best_move(T, D, S, W, f, row, op, g)


@inner
def _weight_of(S, W, g):
    """How much an activation of runner ``g`` matters: its attack, and data that it carries."""
    return 0.5 + 0.17 * S.printed[g, 0] + (2.0 * W.stakes[seat_of(g)] if nm.carries(S, g) else 0.0)


@inner
def _opened_worth(T, D, S, W, g, amount):
    """What a bypass of ``amount`` against ``g`` adds to the two best attacks that its enemies can still make on it."""
    seat = seat_of(g)
    lo, hi = si.net(W, S.node[g])
    best = 0.0
    second = 0.0
    for p in range(S.n_crew[1 - seat]):
        e = (1 - seat) * GROUP + p
        if S.on[e] != BOARD or S.ready[e] == 0 or ((W.zone[e, 0] & lo) == U0 and (W.zone[e, 1] & hi) == U0):
            continue
        more = si.strike_worth(T, D, S, W, e, g, 0, amount) - si.strike_worth(T, D, S, W, e, g, 0, 0)
        if more > best:
            second = best
            best = more
        elif more > second:
            second = more
    return best + second


@inner
def _stat_worth(T, D, S, W, f, row, g, mine):
    """A temporary number: what an attack gains by it where that can be said, else a flat worth a point."""
    stat = T.fx[row, tb.STAT]
    amount = T.fx[row, tb.AMOUNT]
    w = D.weights
    if stat == nm.EXPOSED:
        return -_opened_worth(T, D, S, W, g, amount)
    if stat == nm.SECURITY:
        return w[si.BOOST] * amount * 0.8
    if S.ready[g] == 0:
        return 0.0  # it ends before the runner is ready again
    if mine and (stat == nm.ATTACK or stat == nm.BYPASS or stat == nm.DAMAGE or stat == nm.DATA_BYPASS):
        lo, hi = si.net(W, S.node[g])
        lasting = 1.0 - si.exposure(T, D, S, W, g, lo, hi, S.node[g])  # what falls before it strikes gains nothing
        return _attack_gain(T, D, S, W, g, stat, amount) * 2.0 * w[si.BOOST] * lasting
    return w[si.BOOST] * amount * 0.6


@inner
def _attack_gain(T, D, S, W, g, stat, amount):
    """How much better the best attack within runner ``g``'s reach becomes when one of its numbers changes by ``amount``."""
    before = _best_in_reach(T, D, S, W, g)
    old = np.int64(S.temp[g, stat, 0])
    on = S.temps_on[0]
    S.temp[g, stat, 0] = max(old, amount) if stat == nm.BYPASS or stat == nm.DATA_BYPASS else old + amount
    S.temps_on[0] = 1
    after = _best_in_reach(T, D, S, W, g)
    S.temp[g, stat, 0] = old
    S.temps_on[0] = on
    return after - before


@inner
def _best_in_reach(T, D, S, W, g):
    """Worth of the best attack that runner ``g`` can make in an activation, with its numbers as they are."""
    enemy = 1 - seat_of(g)
    lo = W.zone[g, 0]
    hi = W.zone[g, 1]
    best = 0.0
    for p in range(S.n_crew[enemy]):
        e = enemy * GROUP + p
        if S.on[e] != BOARD:
            continue
        s_lo, s_hi = si.net(W, S.node[e])
        if (s_lo & lo) != U0 or (s_hi & hi) != U0:
            best = max(best, si.strike_worth(T, D, S, W, g, e, 0, 0))
            if nm.carries(S, e):
                best = max(best, si.strike_worth(T, D, S, W, g, DATA_REF + enemy, 0, 0))
    return best


@inner
def pass_worth(T, D, S, W, seat, c, g):
    """Worth of handing the data from carrier ``c`` to ``g``: nearer home, sooner to move, and the danger of both places."""
    if c < 0 or g < 0:
        return 0.0
    worth = si.secure_worth(T, D, S, seat, S.data_s[seat])
    lead = nm.value(T, S, g, nm.SPEED, 0) if S.ready[g] == 1 else 0
    before = W.field[seat, S.node[c]]
    after = max(W.field[seat, S.node[g]] - lead, 0)
    if S.ready[c] == 1 and S.active != c:
        before = max(before - nm.value(T, S, c, nm.SPEED, 0), 0)
    gained = D.weights[si.TRANSFER] * worth * (si.closeness(after) - si.closeness(before))
    x_lo, x_hi = si.net(W, S.node[c])
    y_lo, y_hi = si.net(W, S.node[g])
    gained += (
        D.weights[si.CARRY]
        * W.stakes[seat]
        * (si.exposure(T, D, S, W, c, x_lo, x_hi, S.node[c]) - si.exposure(T, D, S, W, g, y_lo, y_hi, S.node[g]))
    )
    return gained


@inner
def swap_worth(T, D, S, W, seat, g, h):
    """Worth of two runners changing places."""
    x = S.node[g]
    y = S.node[h]
    return best_spot(T, D, S, W, seat, g, T.bit[y, 0], T.bit[y, 1]) + best_spot(T, D, S, W, seat, h, T.bit[x, 0], T.bit[x, 1])


@inner
def _best_move(T, D, S, W, f, row, op, g):
    centre = tg.centre_of(S, S.stack[f, st.F_SRC], S.stack[f, st.F_ORIGIN])
    if op == tg.OP_PLACE:
        lo, hi = tg.places(T, S, g, T.fx[row, tb.TO], centre)
    else:
        lo, hi = fx.move_ends(T, S, W, f, row, g, centre)
    W.spot = -1
    best = best_spot(T, D, S, W, S.stack[f, st.F_SIDE], g, lo, hi)
    return best if W.spot >= 0 else 0.0


@inner
def best_spot(T, D, S, W, seat, g, lo, hi):
    """Worth for ``seat`` of putting runner ``g`` on the best node of a set, which is left in ``W.spot``."""
    owner = seat_of(g)
    here = S.node[g]
    carried = 0.0
    if nm.carries(S, g):
        carried = si.secure_worth(T, D, S, owner, S.data_s[owner])
    home = 0.0 if carried == 0.0 or S.ready[g] == 0 or si.can_reach_server(T, W, g, owner) else 0.8 * carried
    carried *= D.weights[si.CARRY]
    sign = 1.0 if owner == seat else -1.0
    before = sign * (si.stand_worth(T, D, S, W, g, here) + carried * si.closeness(W.field[owner, here]))
    if owner == seat:
        x_lo, x_hi = si.net(W, here)
        before -= si.danger(T, D, S, W, g, x_lo, x_hi, here)
    best = NEVER
    while (lo | hi) != U0:
        x_lo, x_hi = si.net(W, lowest(lo, hi))
        n_lo = lo & x_lo
        n_hi = hi & x_hi
        lo &= ~x_lo
        hi &= ~x_hi
        fear = si.danger(T, D, S, W, g, x_lo, x_hi, lowest(n_lo, n_hi)) if owner == seat else 0.0
        while (n_lo | n_hi) != U0:
            n = lowest(n_lo, n_hi)
            n_lo, n_hi = drop_lowest(n_lo, n_hi)
            value = before
            if n != here:
                value = sign * (si.stand_worth(T, D, S, W, g, n) + carried * si.closeness(W.field[owner, n])) - fear
                if home > 0.0 and W.field[owner, n] == 0:
                    value += sign * home
            if value > best:
                best = value
                W.spot = n
    return best - before


@inner
def victim_worth(T, D, S, W, row, attacker, ref):
    """Worth of one victim of a row's attack (g, or DATA_REF + seat)."""
    return si.strike_worth(T, D, S, W, attacker, ref, T.fx[row, tb.AMOUNT], T.fx[row, tb.BYPASS])
