"""Adds a finished game to the tally: seats become sides, numbers become counts (tally.COUNTERS)."""

from __future__ import annotations

from bhsim.games.skirmish import tally as ty
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.engine.state import GROUP

DRAWN, PLAYED, FLIPPED, G_DRAWN, G_PLAYED, G_UNPLAYED, W_DRAWN, W_PLAYED = range(len(ty.CARD_FIELDS))
HALF_MARGINS = ty.MARGIN_BINS // 2


@inner
def half_points(S, seat):
    """Score of a seat in half points: 2 for a win, 1 for nobody's game, 0 for a loss."""
    if S.winner < 0:
        return 1
    return 2 if S.winner == seat else 0


@inner
def count_game(T, S, W, Y, game):
    """Adds the game in ``S`` and its counters in ``W`` to the tally record ``Y``; side s sat in seat s ^ game."""
    Y.games += 1
    Y.status[S.status] += 1
    if S.winner >= 0:
        Y.wins[S.winner ^ game] += 1
        if S.winner == S.first:
            Y.first_wins += 1
    elif S.reason == st.REASON_ROUNDS:
        Y.round_limit += 1
    else:
        Y.draws += 1
    last = min(S.round_no, ty.ROUND_BINS - 1)
    Y.rounds[last] += 1
    Y.rounds_sum += S.round_no
    margin = S.points[game] - S.points[1 - game]  # seat of side 0 is ``game``
    Y.margins[min(max(margin + HALF_MARGINS, 0), ty.MARGIN_BINS - 1)] += 1
    Y.dropped += S.dropped
    for r in range(1, last + 1):
        Y.tempo_games[r] += 1
    for side in range(2):
        seat = side ^ game
        half = half_points(S, seat)
        for i in range(3):
            Y.points[side, i] += S.points_from[seat, i]
        Y.turns[side] += W.turns[seat]
        Y.passes[side] += W.passes[seat]
        Y.decisions[side] += W.decisions[seat]
        for i in range(16):
            Y.kinds[side, i] += W.kinds[seat, i]
        for i in range(8):
            Y.acts[side, i] += W.acts[seat, i]
        for r in range(last + 1):
            Y.tempo_points[side, r] += W.tempo_points[seat, r]
            Y.tempo_data[side, r] += W.tempo_data[seat, r]
        for p in range(S.n_crew[seat]):
            for i in range(len(ty.RUNNER_FIELDS)):
                Y.runner[side, p, i] += W.run[seat * GROUP + p, i]
        for title in range(T.n_titles):
            drawn = W.card[seat, title, DRAWN]
            played = W.card[seat, title, PLAYED]
            flipped = W.card[seat, title, FLIPPED]
            if drawn + played + flipped == 0:
                continue
            Y.card[side, title, DRAWN] += drawn
            Y.card[side, title, PLAYED] += played
            Y.card[side, title, FLIPPED] += flipped
            Y.cards_played[side] += played
            if played > 0:
                Y.card[side, title, G_PLAYED] += 1
                Y.card[side, title, W_PLAYED] += half
            elif drawn > 0:
                Y.card[side, title, G_UNPLAYED] += 1
            if drawn > 0:
                Y.card[side, title, G_DRAWN] += 1
                Y.card[side, title, W_DRAWN] += half


@inner
def note_outcome(S, outcomes, i, game):
    """The two bytes of a game: winning sides as bits (0 = cut off), and side 0's margin as int8."""
    mask = 0
    if S.winner >= 0:
        mask = 1 << (S.winner ^ game)
    elif S.reason != st.REASON_ROUNDS:
        mask = 3
    outcomes[i, 0] = mask
    margin = S.points[game] - S.points[1 - game]
    outcomes[i, 1] = min(max(margin, -128), 127) & 255


@inner
def note_row(S, W, rows, i, game):
    """The numbers of a game for whoever asked for a row each (tally.ROW_FIELDS); length 0 = nobody did."""
    if rows.shape[0] == 0:
        return
    rows[i, 0] = S.first ^ game
    rows[i, 1] = S.round_no
    rows[i, 2] = W.turns[0] + W.turns[1]
    rows[i, 3] = S.points[game]
    rows[i, 4] = S.points[1 - game]
