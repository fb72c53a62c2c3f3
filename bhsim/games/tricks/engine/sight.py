"""What a bot knows and expects: unseen cards, the chance to win a trick, its pawns' outlook. All of it a player could work out.

Hidden are the other hands and the pile. Public are hand sizes, what was played or discarded, and who has the Black Hat: it is dealt
and taken up openly.
"""

from __future__ import annotations

from bhsim.games.engine.bits import U0, U1, cttz
from bhsim.games.tricks import actions as a
from bhsim.games.tricks import tables as tb
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.engine.board import bit
from bhsim.games.tricks.engine.jit import inner
from bhsim.games.tricks.features import FEATURES

(
    SHED, CARD, HURRY, OUT, STRONG, JOKER, SPLIT, WIN, LEAD, HAT, WAIT, TAKE, UNDERBID, VALUE, AHEAD, FORESIGHT, STEP, TRAP, HARM,
    SNARE, RIVAL, FINISH, SPECIAL, DRAW, NOISE,
) = range(len(FEATURES))  # fmt: skip


@inner
def count_unseen(T, S, W, seat):
    """Leaves in ``W`` how many copies of each card may still be in other hands or in the pile, and nothing known of the odds."""
    total = 0
    for card in range(T.ranks + 1):
        left = T.copies[card] - S.hand[seat, card] - S.gone[card] - S.table[card]
        W.unseen[card] = left
        total += left
    W.n_unseen = total
    for size in range(st.SIZES + 1):
        W.safe_known[size] = 0


@inner
def rivals_to_act(S, seat):
    """How many play after this seat in the trick."""
    return S.players - 1 - S.n_plays


@inner
def _share_held(S, W, seat):
    """Chance that an unseen card is in the hand of one rival who is still to play, the average of them."""
    held = 0
    rivals = 0
    other = st.after(S, seat)
    while other != S.leader and other != seat:
        held += S.n_hand[other]
        rivals += 1
        other = st.after(S, other)
    if rivals == 0 or W.n_unseen <= 0:
        return 0.0
    return min(held / (rivals * W.n_unseen), 0.95)


@inner
def _look_at_size(T, S, W, seat, size):
    """Fills ``W.safe[size]``: the chance that one rival holds no set of this size, of a rank or higher.

    Unseen cards are taken to lie in the hand independently of one another (binomially), and jokers to be cards of every rank.
    """
    held = _share_held(S, W, seat)
    missing = 1.0 - held
    odds = held / missing
    W.safe[size, T.ranks + 1] = 1.0
    jokers = W.unseen[a.JOKER]
    safe = 1.0
    for rank in range(T.ranks, 0, -1):
        n = W.unseen[rank] + jokers
        if n >= size:
            term = 1.0
            for _ in range(n):
                term *= missing
            fewer = 0.0
            for i in range(size):  # exactly i of them held
                fewer += term
                term *= odds * (n - i) / (i + 1)
            safe *= min(fewer, 1.0)
        W.safe[size, rank] = safe
    W.safe_known[size] = 1


@inner
def chance(T, D, S, W, seat, rank, size, hat):
    """Chance that a set of this rank and size, with the Black Hat or not, wins the trick as it stands."""
    rivals = rivals_to_act(S, seat)
    if S.hat_in != 0 or hat != 0:
        if S.n_plays > 0 and _underbid(S, rank):
            return 0.0
        stays = 1.0 - D.weights[UNDERBID] * min(rank - 1, T.ranks) / T.ranks
        won = 1.0
        for _ in range(rivals):
            won *= stays
        return max(won, 0.0)
    if rank < S.best:
        return 0.0
    size = min(size, st.SIZES)
    rank = min(rank, T.ranks + 1)
    if W.safe_known[size] == 0:
        _look_at_size(T, S, W, seat, size)
    safe = W.safe[size, rank]
    won = 1.0
    for _ in range(rivals):
        won *= safe
    return won


@inner
def _underbid(S, rank):
    """Whether some play of the trick is lower than this rank and would count beside the Black Hat."""
    for i in range(S.n_plays):
        counts = S.plays[i, st.P_DISCARDED] == 0 or (S.lead_size == 1 and S.plays[i, st.P_RANK] != a.JOKER)
        if counts and S.plays[i, st.P_RANK] < rank:
            return True
    return False


@inner
def fullness(T, S):
    """The smallest hand as a share of a dealt one, at most 1."""
    least = S.n_hand[0]
    for seat in range(1, S.players):
        least = min(least, S.n_hand[seat])
    return min(least / T.hand_size, 1.0)


@inner
def hold(T, D, card, hurry):
    """Worth of having a card in hand. hurry: factor on what it costs (``hurried``)."""
    w = D.weights
    worth = -hurry * (w[SHED] * T.penalty[card] + w[CARD])
    if card == a.JOKER:
        worth += w[JOKER]
    elif card != a.HAT:
        worth += w[STRONG] * card / T.ranks
    return worth


@inner
def hurried(T, D, S):
    """Factor on the cost of cards in hand, larger as the round nears its end."""
    return 1.0 + D.weights[HURRY] * (1.0 - fullness(T, S))


@inner
def look_ahead(T, D, S, W, seat):
    """Leaves in ``W.ahead[seat]`` what a pawn can expect on each space, worked out from the ends backwards; kept while the board stays."""
    if W.seen_layout[seat] == S.layout:
        return
    W.seen_layout[seat] = S.layout
    far = D.weights[FORESIGHT]
    done = U0
    for _ in range(T.n_spaces):
        before = done
        for space in range(T.n_spaces):
            if done & bit(space) == U0 and S.arrows[space] & ~done == U0:
                W.ahead[seat, space] = _outlook(S, W, seat, space, far)
                done |= bit(space)
        if done == before:
            return


@inner
def _outlook(S, W, seat, space, far):
    here = float(S.value[space])
    ends = S.arrows[space]
    if ends == U0 or S.kind[space] == tb.TRAP:
        return here
    best = W.ahead[seat, cttz(ends)]
    ends &= ends - U1
    while ends != U0:
        best = min(best, W.ahead[seat, cttz(ends)])
        ends &= ends - U1
    return (1.0 - far) * here + far * best
