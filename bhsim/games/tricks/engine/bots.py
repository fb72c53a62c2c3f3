"""Bots: one decision at a time, each legal one scored by the weights of a bot file (features.py), the best taken.

A bot reads only what its player may see (sight.py).
"""

from __future__ import annotations

from bhsim.games.engine.rng import BOT, below
from bhsim.games.tricks import actions as a
from bhsim.games.tricks import tables as tb
from bhsim.games.tricks.engine import board, cards
from bhsim.games.tricks.engine import sight as si
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.jit import inner
from bhsim.games.tricks.engine.play import points

CLOSE = 4.0  # a margin of so many points is half of a sure thing


@inner
def _draw(S, W, seat, n):
    j = below(S.key, BOT + seat, W.bot_draws[seat], n)
    W.bot_draws[seat] += 1
    return j


@inner
def decide(T, D, S, W, seat):
    """The decision of ``seat``'s bot ``D`` among the ``W.n`` legal ones in ``W.legal``."""
    if D.style == 0:
        return W.legal[_draw(S, W, seat, W.n)]
    phase = S.phase
    hurry = si.hurried(T, D, S)
    if phase == st.PH_LEAD or phase == st.PH_FOLLOW:
        si.count_unseen(T, S, W, seat)
        prize = win_worth(T, D, S, W, seat)
        hat_worth = D.weights[si.HAT] - D.weights[si.WAIT] * si.fullness(T, S)
    else:
        prize = 0.0
        hat_worth = 0.0
        si.look_ahead(T, D, S, W, seat)
    best = -1.0e300
    choice = W.legal[0]
    for i in range(W.n):
        action = W.legal[i]
        kind = action >> 24
        x = action >> 12 & 0xFFF
        y = action & 0xFFF
        if kind == a.PLAY:
            worth = _play_worth(T, D, S, W, seat, x, y, hurry, prize, hat_worth)
        elif kind == a.DISCARD:
            worth = _discard_worth(T, D, S, W, seat, y, hurry, prize)
        elif kind == a.MOVE:
            worth = pawn_worth(T, D, S, W, seat, x, y, D.weights[si.STEP])
        elif kind == a.BACK:
            worth = pawn_worth(T, D, S, W, seat, x, y, -D.weights[si.STEP])
        elif kind == a.EXPLOIT:
            worth = _exploit_worth(D, S, seat, y, 1 if x == a.UP else -1)
        elif kind == a.TAKE:
            worth = _take_worth(T, D, S, y, hurry)
        elif kind == a.PICK:
            worth = si.hold(T, D, y, hurry)
        else:
            worth = 0.0  # staying where one is
        if D.weights[si.NOISE] > 0.0:
            worth += D.weights[si.NOISE] * _draw(S, W, seat, 65536) / 65536.0
        if worth > best:
            best = worth
            choice = action
    return choice


@inner
def win_worth(T, D, S, W, seat):
    """Worth of winning the trick: the best move there is, as the board stands; kept until the trick is over."""
    if W.prize_of[seat] == W.tricks:
        return W.prize[seat]
    si.look_ahead(T, D, S, W, seat)
    n = board.list_moves(T, S, seat, W.options)
    best = -D.weights[si.DRAW]
    for i in range(n):
        action = W.options[i]
        worth = 0.0
        if action >> 24 == a.MOVE:
            worth = pawn_worth(T, D, S, W, seat, action >> 12 & 0xFFF, action & 0xFFF, D.weights[si.STEP])
        if i == 0 or worth > best:
            best = worth
    W.prize_of[seat] = W.tricks
    W.prize[seat] = best + D.weights[si.LEAD]
    return W.prize[seat]


@inner
def _trick_worth(T, D, S, W, seat, rank, size, hat, prize):
    """Chance to win times what it brings; with the Black Hat it brings cards, too."""
    if S.hat_in != 0 or hat != 0:
        prize -= D.weights[si.TAKE] * (T.penalty[a.HAT] + size)
    return D.weights[si.WIN] * si.chance(T, D, S, W, seat, rank, size, hat) * prize


@inner
def _play_worth(T, D, S, W, seat, rank, b, hurry, prize, hat_worth):
    naturals = b & 15
    jokers = b >> 4 & 15
    hat = b >> 8
    size = naturals + jokers + hat
    worth = _trick_worth(T, D, S, W, seat, rank, size, hat, prize)
    if jokers > 0:
        worth -= jokers * si.hold(T, D, a.JOKER, hurry)
    if naturals > 0:
        worth -= naturals * si.hold(T, D, rank, hurry) + D.weights[si.SPLIT] * (S.hand[seat, rank] - naturals)
    if hat != 0:
        worth += hat_worth * (1.0 - si.chance(T, D, S, W, seat, rank, size, hat)) - si.hold(T, D, a.HAT, hurry)
    if size == S.n_hand[seat]:
        worth += D.weights[si.OUT]
    return worth


@inner
def _discard_worth(T, D, S, W, seat, card, hurry, prize):
    worth = -si.hold(T, D, card, hurry)
    if card != a.JOKER:
        worth -= D.weights[si.SPLIT] * (S.hand[seat, card] - 1)
        if S.lead_size == 1 and S.hat_in != 0:
            worth += _trick_worth(T, D, S, W, seat, card, 1, 0, prize)
    if S.n_hand[seat] == 1:
        worth += D.weights[si.OUT]
    return worth


@inner
def pawn_worth(T, D, S, W, seat, pawn, space, step):
    """Worth of bringing a pawn to a space; step: what the step itself is worth, if the pawn is an own one."""
    w = D.weights
    owner = pawn // a.PAWNS
    kind = S.kind[space]
    if kind == tb.CRITICAL_ASSETS:
        return w[si.FINISH] * _lead_at_the_end(T, S, W, seat, pawn, space)
    more = S.value[space] - S.value[S.pawn[pawn]]
    later = W.ahead[seat, space] - W.ahead[seat, S.pawn[pawn]]
    if owner == seat:
        worth = step - w[si.VALUE] * more - w[si.AHEAD] * later
        if kind == tb.TRAP:
            worth -= w[si.TRAP]
    else:
        worth = w[si.HARM] * (more + later)
        if kind == tb.TRAP:
            worth += w[si.SNARE]
        if owner == _front_runner(S, seat):
            worth *= 1.0 + w[si.RIVAL]
    if kind == tb.EXPLOIT or kind == tb.BACKFLIP or kind == tb.RANDOMIZER:
        worth += w[si.SPECIAL]
    return worth


@inner
def _front_runner(S, seat):
    """The rival with the fewest points."""
    best = -1
    for other in range(S.players):
        if other != seat and (best < 0 or points(S, other) < points(S, best)):
            best = other
    return best


@inner
def _lead_at_the_end(T, S, W, seat, pawn, space):
    """By how much this seat would win if the game ended with that move, from -1 to 1; other hands are guessed by their size."""
    si.count_unseen(T, S, W, seat)
    unseen = 0
    for card in range(T.ranks + 1):
        unseen += W.unseen[card] * T.penalty[card]
    usual = unseen / max(W.n_unseen, 1)
    mine = 0.0
    best = 0.0
    found = False
    for other in range(S.players):
        total = float(points(S, other))
        for p in range(other * a.PAWNS, (other + 1) * a.PAWNS):
            total += S.value[space] if p == pawn else S.value[S.pawn[p]]
        hat = S.hand[other, a.HAT]  # who has it is known to all
        total += hat * T.penalty[a.HAT]
        if other == seat:
            for card in range(T.ranks + 1):
                total += S.hand[seat, card] * T.penalty[card]
            mine = total
        else:
            total += usual * (S.n_hand[other] - hat)
            if not found or total < best:
                best = total
                found = True
    margin = best - mine
    return margin / (CLOSE + abs(margin))


@inner
def _exploit_worth(D, S, seat, space, amount):
    """Points of the pawns that stand there."""
    worth = 0.0
    for pawn in range(S.players * a.PAWNS):
        if S.pawn[pawn] == space:
            worth += -amount * D.weights[si.VALUE] if pawn // a.PAWNS == seat else amount * D.weights[si.HARM]
    return worth


@inner
def _take_worth(T, D, S, how, hurry):
    """Worth of the cards taken up; of a part, of the cheapest ones."""
    if how == a.ALL:
        worth = 0.0
        for card in range(a.HAT + 1):
            if S.table[card] > 0:
                worth += S.table[card] * si.hold(T, D, card, hurry)
        return worth
    worth = si.hold(T, D, a.HAT, hurry)
    left = cards.part(T, S)
    for rank in range(1, T.ranks + 1):
        taken = min(left, S.table[rank])
        worth += taken * si.hold(T, D, rank, hurry)
        left -= taken
    return worth
