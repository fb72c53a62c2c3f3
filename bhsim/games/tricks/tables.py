"""Models -> flat numpy records: one for deck, board and rules (``TABLES``), one per side (``SIDE``).

Nothing in a kernel is a number of the game: every one is read from these records, which are arguments. Imports numpy only, so
digests and checks need no numba.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bhsim.games.tricks import actions as a
from bhsim.games.tricks.model import SPACE_KINDS, Board, Deck, Rules

PLAIN, START, CRITICAL_ASSETS, TRAP, EXPLOIT, BACKFLIP, RANDOMIZER = range(len(SPACE_KINDS))
CARDS = a.HAT + 1  # card numbers: joker, ranks, Black Hat
AS_PRINTED = -1  # a tile's kind, where it leaves that of the board
ABLE = ("with_jokers", "natural", "all")  # by number
ABLE_WITH_JOKERS, ABLE_NATURAL, ABLE_ALL = range(len(ABLE))

RULE_NUMBERS = ("hand_size", "max_rounds", "max_tricks")
# Each switch is True for the value given here and False for the other one.
RULE_SWITCHES = {
    "hat_in_hand": ("hat_counts_in_hand", True),
    "hat_single": ("hat_alone", "as_14"),
    "last_hat_single": ("hat_only", "as_14"),
    "lead_clockwise": ("next_leader", "clockwise"),
    "free_discard": ("discard", "free"),
    "any_rank": ("follow", "any_rank"),
    "any_rank_after_hat": ("follow_after_hat", "any_rank"),
    "take_naturals": ("take_count", "leader_non_jokers"),
    "must_move": ("compulsory_move", True),
    "random_tiles": ("tiles", "random"),
    "when_empty": ("round_end", "when_empty"),
}

_i1, _i8, _u8 = np.int8, np.int64, np.uint64
TABLES = np.dtype(
    [
        ("arrows", _u8, (a.MAX_SPACES,)),  # spaces to which arrows lead, as a set of bits
        ("value", _i8, (a.MAX_SPACES,)),
        ("kind", _i8, (a.MAX_SPACES,)),  # place in SPACE_KINDS
        ("open", _u8),  # spaces that hold any number of pawns
        ("starts", _i8, (a.PAWNS,)),
        ("n_spaces", _i8),
        ("n_tiles", _i8),
        ("n_listed", _i8),
        ("listed", _i8, (a.MAX_TILES,)),  # tiles that lie there at first, unless luck lays them
        ("overlap", _i8, (a.MAX_TILES,)),  # tiles that have a space in common with this one, itself too, as bits
        ("tile_n", _i8, (a.MAX_TILES,)),
        ("tile_space", _i8, (a.MAX_TILES, a.MAX_TILE_SPACES)),
        ("tile_value", _i8, (a.MAX_TILES, a.MAX_TILE_SPACES)),
        ("tile_kind", _i8, (a.MAX_TILES, a.MAX_TILE_SPACES)),
        ("tile_arrows", _u8, (a.MAX_TILES, a.MAX_TILE_SPACES)),
        ("tile_changes", _i8, (a.MAX_TILES, a.MAX_TILE_SPACES)),  # bits: VALUE, ARROWS
        ("ranks", _i8),
        ("n_cards", _i8),  # without the Black Hat
        ("penalty", _i8, (CARDS,)),
        ("copies", _i8, (CARDS,)),
        ("joker_rank", _i8),  # of a set without a card of a rank; 0 = its player chooses
        ("able", _i8),  # place in ABLE
        *[(name, _i8) for name in RULE_NUMBERS],
        *[(name, _i8) for name in RULE_SWITCHES],
        ("pile", _i1, (a.MAX_CARDS,)),  # before the first shuffle
    ],
    align=True,
)
CHANGES_VALUE, CHANGES_ARROWS = 1, 2

N_WEIGHTS = 32
SIDE = np.dtype(
    [
        ("weights", np.float64, (N_WEIGHTS,)),
        ("style", _i8),  # 0 = uniformly random, 1 = weights
    ],
    align=True,
)


def compile_tables(deck: Deck, board: Board, rules: Rules) -> np.recarray:
    """The ``TABLES`` record, shape (1,), of a deck, a board and rules, which must be legal together."""
    tables = np.zeros(1, TABLES).view(np.recarray)
    t = tables[0]
    _fill_deck(t, deck)
    _fill_board(t, board)
    t.joker_rank = 0 if rules.joker_only_rank == "chosen" else int(rules.joker_only_rank)
    t.able = ABLE.index(rules.able_counts)
    for name in RULE_NUMBERS:
        t[name] = getattr(rules, name)
    for name, (field, value) in RULE_SWITCHES.items():
        t[name] = getattr(rules, field) == value
    return tables


def compile_side(style: int, weights: np.ndarray) -> np.recarray:
    """The ``SIDE`` record, shape (1,), of a bot. ``weights``: float64 (N_WEIGHTS,)."""
    side = np.zeros(1, SIDE).view(np.recarray)
    side[0].style = style
    side[0].weights[:] = weights
    return side


def _fill_deck(t: np.record, deck: Deck) -> None:
    cards = deck.cards()
    t.ranks, t.n_cards = deck.ranks, len(cards)
    t.pile[: len(cards)] = cards
    for card in (a.JOKER, *range(1, deck.ranks + 1), a.HAT):
        t.penalty[card] = deck.penalty(card)
        t.copies[card] = 1 if card == a.HAT else cards.count(card)


def _fill_board(t: np.record, board: Board) -> None:
    number = {key: n for n, key in enumerate(board.spaces)}
    t.n_spaces, t.n_tiles, t.n_listed = len(number), len(board.tiles), len(board.laid)
    for key, space in board.spaces.items():
        n = number[key]
        t.arrows[n] = space_set(number[target] for target in space.arrows)
        t.value[n], t.kind[n] = space.value, SPACE_KINDS.index(space.kind)
    t.open = space_set(number[key] for key, space in board.spaces.items() if space.kind in ("start", "critical_assets"))
    t.starts[:] = [number[key] for key in board.starts()]
    tiles = list(board.tiles)
    t.listed[: len(board.laid)] = [tiles.index(tile) for tile in board.laid]
    t.tile_kind[:] = AS_PRINTED
    for n, tile in enumerate(tiles):
        t.overlap[n] = sum(1 << m for m, other in enumerate(tiles) if board.overlap(tile, other))
        t.tile_n[n] = len(board.tiles[tile].spaces)
        for i, (key, change) in enumerate(board.tiles[tile].spaces.items()):
            t.tile_space[n, i] = number[key]
            if change.value is not None:
                t.tile_value[n, i] = change.value
                t.tile_changes[n, i] |= CHANGES_VALUE
            if change.kind is not None:
                t.tile_kind[n, i] = SPACE_KINDS.index(change.kind)
            if change.arrows is not None:
                t.tile_arrows[n, i] = space_set(number[target] for target in change.arrows)
                t.tile_changes[n, i] |= CHANGES_ARROWS


def space_set(spaces: Iterable[int]) -> np.uint64:
    """A word with a bit for each space number."""
    return np.uint64(sum(1 << n for n in set(spaces)))
