"""What a bot sees at the start of its turn: who reaches where, how far it is to the servers, what an attack is worth.

Everything here is open information (SK-3.4): the board, both crews, points, sizes of hands. Odds of flips come from the
bot's own deck list; it uses the same odds for the enemy, whose list is hidden. All results live in the scratch record.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, cttz, drop_lowest, lowest
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish.engine import attack as at
from bhsim.games.skirmish.engine import numbers as nm
from bhsim.games.skirmish.engine import targets as tg
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.network import flood, reach, spread
from bhsim.games.skirmish.engine.state import BOARD, DATA_REF, GROUP, RUNNERS, seat_of
from bhsim.games.skirmish.features import FEATURES

(
    POINT, WIN, KILL, DAMAGE, EXTRACT, CARRY, HUNT, DANGER, ADVANCE, HOME, CHASE, GUARD, BRAWL, ESCORT, TRANSFER, DRAW, HOLD, DISCARD,
    OPEN, LINK, DENY, SHIELD, EXHAUST, READY, HEAL, BOOST, BAN, TURN, ACT, NOISE,
) = range(len(FEATURES))  # fmt: skip

CROSSING = 2  # steps that a subnet border counts for in distances: an activation crosses only one
FAR = 60
SURE = 1000.0
CERTAIN = 0.9999
LATER = 0.4  # an exhausted enemy, or one that has passed, strikes in the next round at the earliest


@inner
def field(T, S, W, seat):
    """Fills ``W.field[seat]``: cost from each node to the nodes beside the seat's server, a border counting extra.

    A flood by rising cost over node sets, ring by ring; runners are not in the way. FAR where there is no way.
    """
    for n in range(T.n_nodes):
        W.field[seat, n] = FAR
    span = CROSSING + 2
    for i in range(span):
        W.ring[i, 0] = U0
        W.ring[i, 1] = U0
    on_lo = S.mask[0, 0] | S.mask[1, 0] | S.mask[2, 0]
    on_hi = S.mask[0, 1] | S.mask[1, 1] | S.mask[2, 1]
    W.ring[0, 0] = T.beside[seat, 0] & on_lo
    W.ring[0, 1] = T.beside[seat, 1] & on_hi
    seen_lo = U0
    seen_hi = U0
    empty = 0
    cost = 0
    while empty < span:
        i = cost % span
        lo = W.ring[i, 0] & ~seen_lo
        hi = W.ring[i, 1] & ~seen_hi
        W.ring[i, 0] = U0
        W.ring[i, 1] = U0
        if (lo | hi) == U0:
            empty += 1
            cost += 1
            continue
        empty = 0
        seen_lo |= lo
        seen_hi |= hi
        for s in range(3):
            p_lo = lo & S.mask[s, 0]
            p_hi = hi & S.mask[s, 1]
            if (p_lo | p_hi) == U0:
                continue
            n_lo, n_hi = spread(T, p_lo, p_hi)
            n_lo &= on_lo & ~seen_lo
            n_hi &= on_hi & ~seen_hi
            j = (cost + 1) % span
            W.ring[j, 0] |= n_lo & S.mask[s, 0]
            W.ring[j, 1] |= n_hi & S.mask[s, 1]
            j = (cost + 1 + CROSSING) % span
            W.ring[j, 0] |= n_lo & ~S.mask[s, 0]
            W.ring[j, 1] |= n_hi & ~S.mask[s, 1]
        while lo != U0:
            W.field[seat, cttz(lo)] = cost
            lo &= lo - np.uint64(1)
        while hi != U0:
            W.field[seat, cttz(hi) + 64] = cost
            hi &= hi - np.uint64(1)
        cost += 1


@inner
def look(T, D, S, W, seat):
    """Renews everything that a turn's plan is made from."""
    news = _news(S, W, seat)
    if news == 0:
        return
    if news == 2:
        _label_subnets(T, S, W)
        field(T, S, W, np.int64(0))
        field(T, S, W, np.int64(1))
    enemy = 1 - seat
    _renew_odds(S, W, seat)
    W.weave_of[0, 0] = -1
    W.weave_of[1, 0] = -1
    for g in range(RUNNERS):
        W.zone[g, 0] = U0
        W.zone[g, 1] = U0
        if S.on[g] == BOARD and (S.ready[g] == 1 or seat_of(g) == enemy):
            zone(T, S, W, g)
    W.stakes[seat] = data_stake(T, D, S, W, seat)
    W.stakes[enemy] = data_stake(T, D, S, W, enemy)
    _lures(T, D, S, W, seat)


@inner
def _label_subnets(T, S, W):
    """Numbers the subnets, so that each is flooded once for all questions of the turns to come."""
    label = 0
    for s in range(3):
        lo = S.mask[s, 0]
        hi = S.mask[s, 1]
        while (lo | hi) != U0:
            n = lowest(lo, hi)
            n_lo, n_hi = flood(T, T.bit[n, 0], T.bit[n, 1], S.mask[s, 0], S.mask[s, 1])
            lo &= ~n_lo
            hi &= ~n_hi
            W.nets[label, 0] = n_lo
            W.nets[label, 1] = n_hi
            while (n_lo | n_hi) != U0:
                W.net_of[lowest(n_lo, n_hi)] = label
                n_lo, n_hi = drop_lowest(n_lo, n_hi)
            label += 1


@inner
def net(W, node):
    """The subnet of an online node, as it was at the last look."""
    i = W.net_of[node]
    return W.nets[i, 0], W.nets[i, 1]


@inner
def _renew_odds(S, W, seat):
    """Forgets the chances of attacks when something has changed that they depend on."""
    temps = S.temps_on[0] + S.temps_on[1] + S.temps_on[2] + S.pas_local
    stale = temps > 0
    for g in range(RUNNERS + 4):
        if g < RUNNERS:
            x = S.signal[g]
        elif g == RUNNERS:
            x = seat
        elif g == RUNNERS + 1:
            x = temps
        else:
            s = g - RUNNERS - 2
            x = S.data_c[s] * 64 + S.data_s[s]
        if W.odds_of[g] != x:
            W.odds_of[g] = x
            stale = True
    if stale:
        W.kill[:] = -1.0
        W.fear[:] = -1.0


@inner
def _lures(T, D, S, W, seat):
    """Worth of every node to an own runner without data, by its distances to servers, carriers and enemies."""
    enemy = 1 - seat
    w = D.weights
    n = T.n_nodes
    for i in range(n):
        W.near[i] = 255
    for p in range(S.n_crew[enemy]):
        g = enemy * GROUP + p
        if S.on[g] == BOARD:
            e = S.node[g]
            for i in range(n):
                W.near[i] = min(W.near[i], T.distance[e, i])
    mine = tg.carrier(S, seat)
    thief = tg.carrier(S, enemy)
    advance = w[ADVANCE] if mine < 0 else 0.0
    guard = w[GUARD] if thief < 0 else 0.0
    escort = w[ESCORT] if mine >= 0 else 0.0
    chase = w[CHASE] if thief >= 0 else 0.0
    x = S.node[mine] if mine >= 0 else 0
    y = S.node[thief] if thief >= 0 else 0
    for i in range(n):
        far = advance * W.field[enemy, i] + guard * W.field[seat, i] + w[BRAWL] * W.near[i]
        W.lure[i] = -far - escort * T.distance[x, i] - chase * T.distance[y, i]


@inner
def forget(W):
    """Makes the next look a fresh one."""
    for i in range(5):
        W.saw_mask[i, 0] = U0
        W.saw_mask[i, 1] = U0
    W.saw[RUNNERS] = -1
    W.odds_of[RUNNERS] = -1


@inner
def _news(S, W, seat):
    """0 if nothing that a look depends on has changed since the last one, 2 if node states have, else 1."""
    news = 0
    for j in range(2):
        for i in range(3):
            if W.saw_mask[i, j] != S.mask[i, j]:
                W.saw_mask[i, j] = S.mask[i, j]
                news = 2
        for i in range(2):
            if W.saw_mask[3 + i, j] != S.occ[i, j]:
                W.saw_mask[3 + i, j] = S.occ[i, j]
                news = max(news, 1)
    temps = S.temps_on[0] + S.temps_on[1] + S.temps_on[2]
    for g in range(RUNNERS + 8):
        if g < RUNNERS:
            x = (S.node[g] * 128 + S.signal[g]) * 2 + S.ready[g]
        elif g == RUNNERS:
            x = seat
        elif g == RUNNERS + 1:  # temporary numbers are not compared one by one: each turn looks anew
            x = (S.round_no * 1024 + S.turn) * 1024 + temps * 64 + S.sp if temps > 0 else 0
            x = x * 4 + S.passed[0] * 2 + S.passed[1]
        elif g < RUNNERS + 4:
            x = S.points[g - RUNNERS - 2]
        elif g < RUNNERS + 6:
            x = S.data_c[g - RUNNERS - 4]
        else:
            x = S.data_s[g - RUNNERS - 6]
        if W.saw[g] != x:
            W.saw[g] = x
            news = max(news, 1)
    return news


@inner
def zone(T, S, W, g):
    """Fills ``W.zone[g]``: nodes on which runner ``g`` can stand after its next move."""
    W.speed[g] = 0 if nm.banned(T, S, g, nm.BAN_MOVE) else nm.value(T, S, g, nm.SPEED, 0)
    W.borders[g] = nm.value(T, S, g, nm.BORDERS, 0)
    lo, hi = reach(T, S, W, seat_of(g), S.node[g], W.speed[g], W.borders[g])
    W.zone[g, 0] = lo
    W.zone[g, 1] = hi


@inner
def gain(T, D, S, seat, points):
    """Worth of ``points`` for a seat: each point, and the win if they reach it."""
    if points <= 0:
        return 0.0
    worth = D.weights[POINT] * points
    if S.points[seat] + points >= T.points_to_win:
        worth += D.weights[WIN]
    return worth


@inner
def sure_win(T, S, seat, points):
    """Beyond all weights: the worth of ``points`` that are certain and end the game."""
    return SURE if points > 0 and S.points[seat] + points >= T.points_to_win else 0.0


@inner
def secure_chance(D, signal, points):
    """Chance that securing data of a signal scores ``points`` or more."""
    return D.best[min(max(signal, 0), tb.MAX_REVEAL - 1), min(max(points, 0), tb.MAX_REVEAL - 1)]


@inner
def secure_worth(T, D, S, seat, signal):
    """Expected worth for a seat of securing data of a signal: over the chances of each highest value."""
    n = min(max(signal, 0), tb.MAX_REVEAL - 1)
    worth = 0.0
    missing = T.points_to_win - S.points[seat]
    for x in range(1, tb.MAX_REVEAL):
        chance = D.best[n, x]
        if chance <= 0.0:
            break
        worth += chance * D.weights[POINT]
        if x == missing:
            worth += chance * D.weights[WIN]
    return worth


@inner
def closeness(cost):
    """How much of its worth data keeps that is ``cost`` away from home: 1 beside the server, less and less further off."""
    return 1.0 / (1.0 + 0.12 * cost)


@inner
def data_stake(T, D, S, W, seat):
    """What the data that a seat has out is worth to it, or 0."""
    c = tg.carrier(S, seat)
    if c < 0:
        return 0.0
    return secure_worth(T, D, S, seat, S.data_s[seat]) * closeness(W.field[seat, S.node[c]])


@inner
def odds(D, flips, needed):
    """Chance that ``flips`` cards sum to ``needed`` or more."""
    if needed <= 0:
        return 1.0
    return D.tail[min(max(flips, 0), tb.MAX_FLIPS - 1), min(needed, tb.MAX_SUM - 1)]


@inner
def removal_worth(T, D, S, W, target):
    """What it brings the other side to disconnect runner ``target``, or to destroy data (DATA_REF + seat)."""
    if target >= DATA_REF:
        return D.weights[HUNT] * W.stakes[target - DATA_REF]
    seat = seat_of(target)
    worth = gain(T, D, S, 1 - seat, T.disconnect_points) + D.weights[KILL]
    if nm.carries(S, target) and T.data_kept == 0:
        worth += D.weights[HUNT] * W.stakes[seat]
    return worth


@inner
def strike_odds(T, D, S, attacker, target, extra, bypass):
    """Chance that an attack removes its target, and the share of its signal that it is expected to take."""
    carries = at.target_carries(S, target)
    flips = nm.value(T, S, attacker, nm.ATTACK, carries) + extra
    pierce = max(bypass, nm.value(T, S, attacker, nm.BYPASS, carries))
    bonus = nm.value(T, S, attacker, nm.DAMAGE, carries)
    if target >= DATA_REF:
        pierce = max(pierce, nm.value(T, S, attacker, nm.DATA_BYPASS, carries))
        security = S.data_s[target - DATA_REF]
        signal = security
    else:
        pierce = max(pierce, nm.value(T, S, target, nm.EXPOSED, 0))
        security = nm.value(T, S, target, nm.SECURITY, 0)
        signal = S.signal[target]
    kept = max(security - pierce, 0)
    removed = 0.0
    expected = 0.0
    for x in range(1, signal + 1):
        needed = 1 if x <= T.minimum_damage else x + kept
        removed = odds(D, flips, needed - bonus)
        expected += removed
    return removed, expected / max(signal, 1)


@inner
def _worth_of_odds(T, D, S, W, target, removed, part):
    worth = removal_worth(T, D, S, W, target)
    share = 0.3 * worth
    if target < DATA_REF:
        share = min(D.weights[DAMAGE], worth)  # to weaken a runner is never worth more than to remove it
        if removed > CERTAIN:
            worth += sure_win(T, S, 1 - seat_of(target), T.disconnect_points)
    return removed * worth + part * share * (1.0 - removed)


@inner
def strike_worth(T, D, S, W, attacker, target, extra, bypass):
    """Expected worth of an attack: the chance to remove the target, and a share for signal taken."""
    removed, part = strike_odds(T, D, S, attacker, target, extra, bypass)
    return _worth_of_odds(T, D, S, W, target, removed, part)


@inner
def plain_strike(T, D, S, W, attacker, target):
    """``strike_worth`` of the attack action; its odds are remembered while nothing changes them."""
    if target >= DATA_REF:
        return strike_worth(T, D, S, W, attacker, target, 0, 0)
    i = attacker % GROUP
    j = target % GROUP
    if W.kill[i, j] < 0.0:
        W.kill[i, j], W.part[i, j] = strike_odds(T, D, S, attacker, target, 0, 0)
    return _worth_of_odds(T, D, S, W, target, W.kill[i, j], W.part[i, j])


@inner
def loss_chance(T, D, S, attacker, target):
    """Chance that one attack of ``attacker`` disconnects runner ``target``, and a little for what it weakens."""
    flips = nm.value(T, S, attacker, nm.ATTACK, 0)
    pierce = max(nm.value(T, S, attacker, nm.BYPASS, 0), nm.value(T, S, target, nm.EXPOSED, 0))
    kept = max(nm.value(T, S, target, nm.SECURITY, 0) - pierce, 0)
    signal = S.signal[target]
    chance = odds(D, flips, 1 if signal <= T.minimum_damage else signal + kept)
    return chance + 0.15 * odds(D, flips, kept + (signal + 1) // 2)


@inner
def exposure(T, D, S, W, g, lo, hi, node):
    """Chance that runner ``g`` is disconnected on ``node`` of a subnet (lo, hi) by the enemies that can get into it.

    In a subnet of one node nobody can attack it; ``node`` itself is taken, so an enemy needs another one.
    """
    seat = seat_of(g)
    enemy = 1 - seat
    lo &= ~T.bit[node, 0]
    hi &= ~T.bit[node, 1]
    if (lo | hi) == U0:
        return 0.0
    safe = 1.0
    for p in range(S.n_crew[enemy]):
        e = enemy * GROUP + p
        if S.on[e] != BOARD:
            continue
        if (W.zone[e, 0] & lo) == U0 and (W.zone[e, 1] & hi) == U0:
            continue
        chance = W.fear[p, g % GROUP]
        if chance < 0.0:
            chance = min(loss_chance(T, D, S, e, g), 1.0)
            W.fear[p, g % GROUP] = chance
        if S.ready[e] == 0 or S.passed[enemy] != 0:
            chance *= LATER
        safe *= 1.0 - chance
    return 1.0 - safe


@inner
def danger(T, D, S, W, g, lo, hi, node):
    """Fear for runner ``g`` on ``node`` of a subnet (lo, hi): exposure times what the enemy gains."""
    chance = exposure(T, D, S, W, g, lo, hi, node)
    if chance == 0.0:
        return 0.0
    seat = seat_of(g)
    worth = gain(T, D, S, 1 - seat, T.disconnect_points) + D.weights[KILL]
    if nm.carries(S, g):
        worth += D.weights[CARRY] * W.stakes[seat]
    return D.weights[DANGER] * chance * worth


@inner
def can_reach_server(T, W, g, seat):
    """Whether runner ``g`` can stand beside a seat's server after its next move."""
    return (W.zone[g, 0] & T.beside[seat, 0]) != U0 or (W.zone[g, 1] & T.beside[seat, 1]) != U0


@inner
def stand_worth(T, D, S, W, g, node):
    """Worth of runner ``g``'s place by its distances alone: towards the goal that its side has now."""
    seat = seat_of(g)
    w = D.weights
    if nm.carries(S, g):
        return -w[HOME] * W.field[seat, node]
    if seat == W.saw[RUNNERS]:
        return W.lure[node]
    # An enemy without data, through own eyes: how near it is to the server that it wants.
    return -w[ADVANCE] * W.field[1 - seat, node]
