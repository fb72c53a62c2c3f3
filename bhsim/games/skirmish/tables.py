"""Models -> flat numpy records: one for pool, board and rules (``TABLES``), one per side (``SIDE``).

Nothing in a kernel is a number of the game: every one is read from these records, which are arguments. Raises
``BadInput`` for what does not fit the arrays. Imports numpy only, so digests and checks need no numba.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import actions as a
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import Board, CardSet, Condition, Crew, Deck, Effect, Rules

# Columns of an effect row.
(
    OP, TRIG, WHO, ALL, WITHIN, DIST, FILTER, OPTIONAL, AMOUNT, COUNT, UP_TO, CONNECTED, STATES, PAST, BY, DATA, BYPASS,
    PLAYER, HOW, DIRECTION, TO, OTHER, STAT, WHAT, DURATION, N_COND, COND,
) = range(27)  # fmt: skip
COND_WIDTH = 3  # kind, negate, count
COLUMNS = COND + COND_WIDTH * a.MAX_CONDITIONS
NO_WHO = len(v.WHO)

RULE_NUMBERS = (
    "points_to_win", "disconnect_points", "opening_hand", "round_draw", "max_turns", "max_rounds", "data_signal", "data_signal_max",
    "border_crossings", "minimum_damage",
)  # fmt: skip
# Each switch is True for the value given here and False for the other one.
RULE_SWITCHES = {
    "single_group": ("connected_hack", "single_group"),
    "short_nothing": ("hack_short", "nothing"),
    "each_state": ("hack_states", "each"),
    "flip_each": ("flip_timing", "each"),
    "own_scores": ("own_disconnect_scores", True),
    "data_kept": ("data_on_disconnect", "kept"),
    "refill_late": ("refill", "when_needed"),
    "heal_refresh": ("heal_on_refresh", True),
}

_i2, _i8, _u8 = np.int16, np.int64, np.uint64
TABLES = np.dtype(
    [
        ("bit", _u8, (a.MAX_NODES, 2)),
        ("nb", _u8, (a.MAX_NODES, 2)),  # neighbours of each node
        ("board", _u8, (2,)),  # every node but the servers
        ("home", _u8, (2, 2)),  # home row by seat, servers excluded
        ("beside", _u8, (2, 2)),  # nodes next to the server of each seat
        ("distance", np.uint8, (a.MAX_NODES, a.MAX_NODES)),  # steps over all hexes, 255 = none
        ("state", np.int8, (a.MAX_NODES,)),
        ("server_distance", np.uint8, (2, a.MAX_NODES)),  # steps to the nearest node beside a server
        ("fx", _i8, (a.MAX_ROWS, COLUMNS)),
        ("run", _i8, (a.MAX_POOL, 4)),  # attack, first row, rows, triggers as bits
        ("rig", _i8, (a.MAX_POOL, 6)),  # signal, security, speed, first row, rows, triggers
        ("card", _i8, (a.MAX_TITLES, 4)),  # damage, first row, rows, triggers
        ("common", _i8, (a.MAX_COMMON, 2)),  # first row, rows
        ("n_nodes", _i8),
        ("n_common", _i8),
        ("n_titles", _i8),
        *[(name, _i8) for name in RULE_NUMBERS],
        *[(name, _i8) for name in RULE_SWITCHES],
    ],
    align=True,
)

N_WEIGHTS = 64
MAX_FLIPS = 16  # cards of one attack that a bot's odds tell apart
MAX_SUM = 48  # damage sums that they tell apart
MAX_REVEAL = 21  # cards revealed by a secure, and damage values
SIDE = np.dtype(
    [
        ("weights", np.float64, (N_WEIGHTS,)),
        ("tail", np.float64, (MAX_FLIPS, MAX_SUM)),  # chance that k flips of the own deck sum to x or more
        ("best", np.float64, (MAX_REVEAL, MAX_REVEAL)),  # chance that the highest of n revealed cards is x or more
        ("style", _i8),  # 0 = uniformly random, 1 = weights
        ("n_crew", _i8),
        ("runner", _i8, (a.MAX_CREW,)),
        ("rig", _i8, (a.MAX_CREW,)),
        ("n_deck", _i8),
        ("deck", _i2, (a.MAX_DECK,)),
        ("never", _u8, (2,)),  # titles of the deck that the bot never plays, as bits
        ("always", _u8, (2,)),  # titles that it plays whenever it may
    ],
    align=True,
)
MAX_PASSIVES = 64  # passive rows of one side


def compile_tables(cardset: CardSet, board: Board, rules: Rules) -> np.recarray:
    """The ``TABLES`` record, shape (1,), of a pool, a board and rules."""
    tables = np.zeros(1, TABLES).view(np.recarray)
    t = tables[0]
    _fill_board(t, board)
    rows = _Rows(t)
    for i, runner in enumerate(cardset.runners.values()):
        t.run[i] = (runner.attack, *rows.add(runner.effects))
    for i, rig in enumerate(cardset.rigs.values()):
        t.rig[i] = (rig.signal, rig.security, rig.speed, *rows.add(rig.effects))
    for i, card in enumerate(cardset.cards.values()):
        t.card[i] = (card.damage, *rows.add(card.effects))
    for i, action in enumerate(rules.common_actions):
        t.common[i] = rows.add(action.effects)[:2]
    t.n_common = len(rules.common_actions)
    t.n_titles = len(cardset.cards)
    for name in RULE_NUMBERS:
        t[name] = getattr(rules, name)
    for name, (field, value) in RULE_SWITCHES.items():
        t[name] = getattr(rules, field) == value
    return tables


class _Rows:
    """Appends texts to the effect table."""

    def __init__(self, t: np.record) -> None:
        self.t, self.n = t, 0

    def add(self, effects: list[Effect]) -> tuple[int, int, int]:
        """First row, number of rows and the text's triggers as a bit set."""
        first, triggers = self.n, 0
        if first + len(effects) > a.MAX_ROWS:
            raise BadInput(Fault("too many effect rows in the card set", value=first + len(effects), allowed=f"up to {a.MAX_ROWS}"))
        for effect in effects:
            self.t.fx[self.n] = encode_row(effect)
            triggers |= 1 << v.TRIGGERS.index(effect.trigger)
            self.n += 1
        return first, len(effects), triggers


def encode_row(e: Effect) -> list[int]:
    """An effect as the ``COLUMNS`` integers of a table row; words become their place in the vocabulary."""
    row = [0] * COLUMNS
    default = "attack_target" if e.op in ("damage_bonus", "bypass", "flip") else None
    target = e.target or default
    row[OP] = v.OPS.index(e.op)
    row[TRIG] = v.TRIGGERS.index(e.trigger)
    row[WHO] = v.WHO.index(target) if target else NO_WHO
    row[ALL], row[OPTIONAL], row[UP_TO], row[CONNECTED] = e.all, e.optional, e.up_to, e.connected
    row[WITHIN], row[DIST] = v.WITHIN.index(e.within), e.distance
    row[FILTER] = _bits(e.filter, v.FILTERS)
    row[AMOUNT], row[COUNT] = e.amount, e.count
    row[STATES] = _bits(e.states, v.STATES)
    row[PAST], row[DATA], row[BYPASS] = e.past_security, e.data, e.bypass
    row[BY] = v.WHO.index(e.by)
    row[PLAYER], row[HOW] = v.PLAYERS.index(e.player), v.HOW.index(e.how)
    row[DIRECTION], row[TO] = v.DIRECTIONS.index(e.direction), v.PLACES.index(e.to)
    row[OTHER] = v.WHO.index(e.other) if e.other else NO_WHO
    row[STAT], row[WHAT] = v.STATS.index(e.stat), _bits(e.what, v.FORBIDDABLE)
    row[DURATION] = v.DURATIONS.index(e.duration)
    row[N_COND] = len(e.conditions)
    for i, c in enumerate(e.conditions):
        at = COND + COND_WIDTH * i
        row[at : at + COND_WIDTH] = _condition(c)
    return row


def _condition(c: Condition) -> list[int]:
    return [v.CONDITIONS.index(c.kind), int(c.negate), c.count]


def _bits(words: list[str], vocabulary: tuple[str, ...]) -> int:
    return sum(1 << vocabulary.index(w) for w in set(words))


def _fill_board(t: np.record, board: Board) -> None:
    n = len(board.states)
    if n > a.MAX_NODES:
        raise BadInput(Fault("too many nodes on the board", value=n, allowed=f"up to {a.MAX_NODES}"))
    t.n_nodes = n
    for node in range(a.MAX_NODES):
        t.bit[node] = node_set([node])
    for node, state in enumerate(board.states):
        t.state[node] = v.STATES.index(state)
        t.nb[node] = node_set(board.neighbors[node])
    servers = [set(board.servers(side)) for side in (0, 1)]
    t.board[:] = node_set(set(range(n)) - servers[0] - servers[1])
    steps = distances(board.neighbors)
    t.distance[:] = 255
    t.distance[:n, :n] = np.array(steps, np.uint8)
    for side in (0, 1):
        t.home[side] = node_set(set(board.home[side]) - servers[side])
        beside = {m for s in servers[side] for m in board.neighbors[s]} - servers[0] - servers[1]
        t.beside[side] = node_set(beside)
        for node in range(n):
            t.server_distance[side, node] = min((steps[node][m] for m in beside), default=255)


def node_set(nodes) -> tuple[np.uint64, np.uint64]:
    """Two words with a bit for each number (of a node or a title)."""
    whole = sum(1 << n for n in set(nodes))
    return np.uint64(whole & 0xFFFFFFFFFFFFFFFF), np.uint64(whole >> 64)


def distances(neighbors: list[list[int]]) -> list[list[int]]:
    """Steps between all nodes over all hexes, whatever their state; 255 where there is no way."""
    result = []
    for start in range(len(neighbors)):
        steps = [255] * len(neighbors)
        steps[start] = 0
        front = [start]
        while front:
            ahead = []
            for node in front:
                for m in neighbors[node]:
                    if steps[m] == 255:
                        steps[m] = steps[node] + 1
                        ahead.append(m)
            front = ahead
        result.append(steps)
    return result


def compile_side(
    cardset: CardSet,
    crew: Crew,
    deck: Deck,
    style: int,
    weights: np.ndarray,
    never: Sequence[str] = (),
    always: Sequence[str] = (),
) -> np.recarray:
    """The ``SIDE`` record, shape (1,): indices into the pool. ``weights``: float64 (N_WEIGHTS,) of the bot.

    never, always: ids of titles by which the bot is restricted; those that the deck lacks change nothing. Crew and deck must be legal
    (``legality``); only what does not fit the arrays is refused here.
    """
    side = np.zeros(1, SIDE).view(np.recarray)
    s = side[0]
    runners, rigs, titles = list(cardset.runners), list(cardset.rigs), list(cardset.cards)
    passives = 0
    for i, member in enumerate(crew.members):
        s.runner[i], s.rig[i] = runners.index(member.runner), rigs.index(member.rig)
        texts = cardset.runners[member.runner].effects + cardset.rigs[member.rig].effects
        passives += sum(e.trigger == "passive" for e in texts)
    if passives > MAX_PASSIVES:
        raise BadInput(Fault(f"crew '{crew.name}' has too many passive rows", value=passives, allowed=f"up to {MAX_PASSIVES}"))
    s.n_crew = len(crew.members)
    slots = deck.slots()
    s.n_deck = len(slots)
    s.deck[: len(slots)] = [titles.index(t) for t in slots]
    damages = tuple(cardset.cards[t].damage for t in slots)
    s.tail[:], s.best[:] = odds(tuple(sorted(damages)))
    s.style = style
    s.weights[:] = weights
    s.never[:], s.always[:] = (node_set(titles.index(t) for t in restricted if t in deck.cards) for restricted in (never, always))
    return side


@lru_cache(maxsize=4096)
def odds(damages: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Chances of attack sums and of revealed maxima, drawing without return from a whole deck.

    damages: the deck's damage values. Returns float64 (MAX_FLIPS, MAX_SUM): P(sum of k >= x), and
    (MAX_REVEAL, MAX_REVEAL): P(highest of n >= x). More cards than the deck has count as the whole deck.
    """
    n = len(damages)
    ways = np.zeros((MAX_FLIPS, MAX_SUM))  # subsets by size and sum, sums cut off at the last column
    ways[0, 0] = 1
    for d in damages:
        shifted = np.zeros_like(ways)
        shifted[1:, d:] = ways[:-1, : MAX_SUM - d]
        shifted[1:, -1] += ways[:-1, MAX_SUM - d :].sum(axis=1)
        ways += shifted
    tail = np.zeros((MAX_FLIPS, MAX_SUM))
    for k in range(MAX_FLIPS):
        size = min(k, n)
        tail[k] = np.cumsum(ways[size][::-1])[::-1] / math.comb(n, size)
    best = np.zeros((MAX_REVEAL, MAX_REVEAL))
    for k in range(MAX_REVEAL):
        size = min(k, n)
        for x in range(MAX_REVEAL):
            below = sum(d < x for d in damages)
            best[k, x] = 1 - math.comb(below, size) / math.comb(n, size)
    return tail, best
