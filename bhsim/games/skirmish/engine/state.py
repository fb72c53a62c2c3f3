"""The state of one game as a flat record, the scratch record beside it, and how a game is set up.

Runners are numbered g = seat * 10 + crew position throughout the engine; -1 is "none". A target may also be data:
DATA_REF + extracting seat.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.rng import FIRST_PLAYER, below, key_word
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import tables as tb
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine.jit import inner
from bhsim.games.skirmish.tally import ROUND_BINS, RUNNER_FIELDS

GROUP = a.MAX_CREW
RUNNERS = 2 * GROUP
DATA_REF = RUNNERS
N_STATS = len(v.STATS)
N_TEMPS = 3  # durations turn, round, next_attack

# Status of a game; all but OK are faults of the engine, never of a bot or a player.
STATUS = ("ok", "stack overflow", "queue overflow", "illegal decision", "no legal decision", "endless loop")
OK, STACK_OVERFLOW, QUEUE_OVERFLOW, ILLEGAL, STUCK, ENDLESS = range(6)

# Phases of the base machine (turns.py, rounds.py).
(
    PH_DEPLOY, PH_ROUND, PH_TURN, PH_MOVED, PH_ACTED, PH_TURN_END, PH_ROUND_END, PH_ABILITIES, PH_RECONNECT, PH_REFRESH, PH_TOKEN,
) = range(11)  # fmt: skip

# Frames of the stack: columns shared by all kinds, then those of a text and of an attack.
F_KIND, F_SIDE, F_SRC, F_ORIGIN, F_STEP, F_CAUSE = range(6)
TEXT, ATTACK, DRAIN = 1, 2, 3
# T_CULPRIT: of a flipped card's text the attacked runner (of data: its carrier then).
(T_ROW, T_END, T_TRIG, T_PREV, T_TARGET, T_CULPRIT, T_SEL, T_MASK, T_LEFT, T_AUX) = range(6, 16)
(A_TARGET, A_LEFT, A_DONE, A_BONUS, A_BYPASS, A_BASE, A_WITHIN, A_DIST, A_VICTIM, A_OWNBYPASS) = range(6, 16)
FRAME = 16

REASON_POINTS, REASON_ROUNDS = 1, 2
OFF, BOARD, GONE = 0, 1, 2

# Why points were scored: columns of points_from.
BY_DISCONNECT, BY_SECURE, BY_EFFECT = range(3)

# Whatever kernels pass on as an argument is int64, so that every kernel has one signature; only bulk is narrow.
_i1, _i2, _i8, _u8 = np.int8, np.int16, np.int64, np.uint64
STATE = np.dtype(
    [
        ("key", _u8),
        ("mask", _u8, (3, 2)),  # nodes by online state
        ("lock", _u8, (2,)),
        ("occ", _u8, (2, 2)),  # nodes with a runner, by seat
        ("pick", _u8, (2,)),  # nodes chosen so far by a hack
        ("opt", _u8, (2,)),  # nodes among which the asked seat chooses
        ("opt_mask", _i8),  # runners (bit g; DATA_REF + seat), states or abilities among which it chooses
        ("opt_done", _i8),
        ("log_n", _i8),
        ("ask", _i8),  # kind of the pending decision, 0 = none
        ("who", _i8),  # seat that decides
        ("sub", _i8),  # what the pending decision is about (deployed crew position)
        ("over", _i8),
        ("winner", _i8),
        ("reason", _i8),
        ("status", _i8),
        ("phase", _i8),
        ("round_no", _i8),
        ("turn", _i8),
        ("mover", _i8),  # seat whose turn it is; outside turns the token holder
        ("active", _i8),  # runner being activated
        ("token", _i8),
        ("first", _i8),  # token holder of round 1
        ("alternate", _i8),  # seat to resolve the next ability or placement
        ("passed", _i8, (2,)),
        ("extra", _i8, (2,)),
        ("points", _i8, (2,)),
        ("points_from", _i8, (2, 3)),
        ("dropped", _i8),
        ("accepted", _i8),  # triggered texts of this turn
        ("abilities", _i8, (2,)),  # end-of-round texts done: bit 2 * position + part
        ("temps_on", _i8, (3,)),  # whether any temporary number or ban of that duration may exist
        ("shuffles", _i8, (2,)),
        ("draws", _i8, (2,)),
        ("data_c", _i8, (2,)),  # carrier (crew position) of the data extracted by a seat
        ("data_s", _i8, (2,)),
        ("n_crew", _i8, (2,)),
        ("printed", _i8, (RUNNERS, 4)),  # attack, signal, security, speed as printed
        ("card", _i8, (RUNNERS, 2)),  # runner and rig number in the pool
        ("node", _i8, (RUNNERS,)),
        ("last", _i8, (RUNNERS,)),  # where it stood when it was disconnected
        ("signal", _i8, (RUNNERS,)),
        ("on", _i8, (RUNNERS,)),
        ("ready", _i8, (RUNNERS,)),
        ("temp", _i2, (RUNNERS, N_STATS, N_TEMPS)),
        ("ban", _i2, (RUNNERS, 2)),
        ("n_pas", _i8),
        ("pas_local", _i8),  # some passive on the numbers of an attack depends on where runners stand
        ("pas_kinds", _i8),  # numbers that some passive changes, as bits; bit N_STATS: some passive forbids
        ("pas", _i2, (2 * tb.MAX_PASSIVES, 3)),  # runner, row, stat (or N_STATS for a ban)
        ("state", _i1, (a.MAX_NODES,)),
        ("n_deck", _i8, (2,)),
        ("n_hand", _i8, (2,)),
        ("n_disc", _i8, (2,)),
        ("n_flight", _i8, (2,)),
        ("deck", _i1, (2, a.MAX_DECK)),
        ("hand", _i1, (2, a.MAX_DECK)),
        ("disc", _i1, (2, a.MAX_DECK)),
        ("flight", _i1, (2, a.MAX_DECK)),
        ("sp", _i8),
        ("drains", _i8),
        ("stack", _i8, (a.MAX_STACK, FRAME)),
        ("q_head", _i8),
        ("q_n", _i8),
        ("queue", _i2, (a.MAX_TRIGGERS, 5)),  # runner, part, trigger, culprit, node
        ("pick_n", _i8),
        ("pick_open", _i8),  # first node of a group that still needs its partner
        ("pick_max", _i8),
        ("pick_state", _i8),
        ("pick_nodes", _i8, (a.MAX_PICK, 2)),  # node, state
    ],
    align=True,
)

PENDING = 128
MAX_LEGAL = 2 + a.MAX_CREW * a.MAX_NODES  # the longest list: placing any of a crew on any node
WORK = np.dtype(
    [
        ("front", _u8, (a.MAX_BORDERS + 1, 2)),
        ("seen", _u8, (a.MAX_BORDERS + 1, 2)),
        ("next", _u8, (a.MAX_BORDERS + 1, 2)),
        ("hit", _i8),  # runners that lost signal in this unit
        ("dirty", _i8),  # the unit changed signals, data or points
        ("shield", _i8, (RUNNERS,)),
        ("told", _i8, (RUNNERS, N_STATS)),  # passive amounts as the log told them last
        ("n_pend", _i8),
        ("pend", _i8, (PENDING, 6)),  # sort key, runner, part, trigger, culprit, node
        ("run", _i8, (RUNNERS, len(RUNNER_FIELDS))),
        ("card", _i8, (2, a.MAX_TITLES, 3)),  # drawn, played, flipped
        ("acts", _i8, (2, 8)),
        ("kinds", _i8, (2, 16)),
        ("turns", _i8, (2,)),
        ("passes", _i8, (2,)),
        ("decisions", _i8, (2,)),
        ("tempo_points", _i8, (2, ROUND_BINS)),
        ("tempo_data", _i8, (2, ROUND_BINS)),
        # What a bot sees and plans (sight.py, plans.py).
        ("bot_draws", _i8, (2,)),
        ("ring", _u8, (4, 2)),
        ("field", _i8, (2, a.MAX_NODES)),
        ("saw_mask", _u8, (5, 2)),  # what the last look was at: online states, runners of both seats
        ("saw", _i8, (RUNNERS + 8,)),
        ("zone", _u8, (RUNNERS, 2)),
        ("speed", _i8, (RUNNERS,)),
        ("borders", _i8, (RUNNERS,)),
        ("net_of", np.uint8, (a.MAX_NODES,)),  # number of the subnet of each online node
        ("nets", _u8, (a.MAX_NODES, 2)),  # the subnets as sets
        ("lure", np.float64, (a.MAX_NODES,)),  # worth of a node to an own runner without data
        ("weave_of", _i8, (2, 3)),  # per manner: operation and states, nodes of the general plan, n of the special one
        ("weave_worth", np.float64, (2, 2)),
        ("limit", _i8),
        ("stakes", np.float64, (2,)),
        ("near", np.uint8, (a.MAX_NODES,)),  # steps from each node to the nearest enemy
        ("kill", np.float64, (GROUP, GROUP)),  # chance that own runner i removes enemy j by the attack action, -1 = not yet reckoned
        ("part", np.float64, (GROUP, GROUP)),  # and the share of its signal that it is expected to take
        ("fear", np.float64, (GROUP, GROUP)),  # chance that enemy i removes own runner j
        ("odds_of", _i8, (RUNNERS + 4,)),  # what those chances were reckoned for
        ("spot", _i8),
        ("dest", _i8),  # where the activated runner goes
        ("deed", _i8),  # and what it does there
        ("deed_n", _i8),  # nodes planned for a hack
        ("deed_state", _i8),
        ("deed_nodes", _u8, (2,)),
        ("deed_worth", np.float64),
        ("deed_row", _i8),  # round, turn and row that the plan was made for
        ("path", _i8, (a.MAX_NODES,)),
        ("undo", _i8, (a.MAX_NODES,)),
        ("legal", np.int64, (MAX_LEGAL,)),
    ],
    align=True,
)


def new_state() -> np.recarray:
    """One blank game, shape (1,)."""
    return np.zeros(1, STATE).view(np.recarray)


def new_work() -> np.recarray:
    """Scratch and per-game counters, shape (1,)."""
    return np.zeros(1, WORK).view(np.recarray)


@inner
def seat_of(g):
    """Seat of runner ``g``."""
    if g >= GROUP:
        return 1
    return 0


@inner
def clear_work(W):
    """Zeroes the per-game counters."""
    W.hit = 0
    W.dirty = 0
    W.n_pend = 0
    W.told[:] = 0
    W.run[:] = 0
    W.card[:] = 0
    W.acts[:] = 0
    W.kinds[:] = 0
    W.turns[:] = 0
    W.passes[:] = 0
    W.decisions[:] = 0
    W.tempo_points[:] = 0
    W.tempo_data[:] = 0


@inner
def set_up(T, sides, S, root, k, game):
    """A fresh game of key ``k``: side 0 sits in seat ``game``. Decks lie in list order, nothing is shuffled yet (SK-3)."""
    S.key = key_word(root, k)
    for i in range(3):
        S.mask[i, 0] = np.uint64(0)
        S.mask[i, 1] = np.uint64(0)
    for n in range(T.n_nodes):
        s = np.int64(T.state[n])
        S.state[n] = s
        if s < 3:
            S.mask[s, 0] |= T.bit[n, 0]
            S.mask[s, 1] |= T.bit[n, 1]
    for i in range(2):
        S.lock[i] = np.uint64(0)
        S.pick[i] = np.uint64(0)
        S.opt[i] = np.uint64(0)
        S.occ[i, 0] = np.uint64(0)
        S.occ[i, 1] = np.uint64(0)
        S.passed[i] = 0
        S.extra[i] = 0
        S.points[i] = 0
        S.points_from[i, :] = 0
        S.abilities[i] = 0
        S.shuffles[i] = 0
        S.draws[i] = 0
        S.data_c[i] = -1
        S.data_s[i] = 0
        S.n_hand[i] = 0
        S.n_disc[i] = 0
        S.n_flight[i] = 0
    S.opt_mask = 0
    S.opt_done = 0
    S.log_n = 0
    S.ask = 0
    S.sub = 0
    S.over = 0
    S.winner = -1
    S.reason = 0
    S.status = OK
    S.phase = PH_DEPLOY
    S.round_no = 0
    S.turn = 0
    S.active = -1
    S.first = below(S.key, FIRST_PLAYER, 0, 2)
    S.token = S.first
    S.who = S.first
    S.mover = S.first
    S.alternate = S.first
    S.dropped = 0
    S.accepted = 0
    S.sp = 0
    S.drains = 0
    S.q_head = 0
    S.q_n = 0
    S.pick_n = 0
    S.pick_open = -1
    S.pick_max = 0
    S.pick_state = -1
    S.temps_on[:] = 0
    S.temp[:] = 0
    S.ban[:] = 0
    S.n_pas = 0
    S.pas_kinds = 0
    S.pas_local = 0
    for seat in range(2):
        _seat_side(T, sides[seat ^ game], S, seat)


@inner
def _seat_side(T, D, S, seat):
    S.n_crew[seat] = D.n_crew
    S.n_deck[seat] = D.n_deck
    for i in range(D.n_deck):
        S.deck[seat, i] = D.deck[i]
    for p in range(GROUP):
        g = seat * GROUP + p
        S.on[g] = OFF
        S.ready[g] = 0
        S.node[g] = -1
        S.last[g] = -1
        S.signal[g] = 0
        if p >= D.n_crew:
            S.on[g] = GONE
            continue
        run = D.runner[p]
        rig = D.rig[p]
        S.card[g, 0] = run
        S.card[g, 1] = rig
        S.printed[g, 0] = T.run[run, 0]
        S.printed[g, 1] = T.rig[rig, 0]
        S.printed[g, 2] = T.rig[rig, 1]
        S.printed[g, 3] = T.rig[rig, 2]
        S.signal[g] = T.rig[rig, 0]
        S.ready[g] = 1
        _list_passives(T, S, g, T.run[run, 1], T.run[run, 2])
        _list_passives(T, S, g, T.rig[rig, 3], T.rig[rig, 4])


@inner
def _list_passives(T, S, g, first, rows):
    for row in range(first, first + rows):
        if T.fx[row, tb.TRIG] == PASSIVE:
            S.pas[S.n_pas, 0] = g
            S.pas[S.n_pas, 1] = row
            S.pas[S.n_pas, 2] = T.fx[row, tb.STAT] if T.fx[row, tb.OP] == OP_STAT else N_STATS
            if T.fx[row, tb.WITHIN] != 0 or T.fx[row, tb.N_COND] > 1 or T.fx[row, tb.FILTER] > 0:
                S.pas_local = 1
            elif T.fx[row, tb.N_COND] == 1 and T.fx[row, tb.COND] > LAST_PLACELESS:
                S.pas_local = 1
            S.pas_kinds |= 1 << np.int64(S.pas[S.n_pas, 2])
            S.n_pas += 1


PASSIVE = v.TRIGGERS.index("passive")
OP_STAT = v.OPS.index("stat")
LAST_PLACELESS = v.CONDITIONS.index("target_carries")  # conditions up to here do not depend on places or points
