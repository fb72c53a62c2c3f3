"""Spaces, pawns and tiles: where pawns can go, what a landing does to them, how tiles change the board (TR-6, TR-7).

Sets of spaces are words with a bit for each space.
"""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.bits import U0, U1, cttz
from bhsim.games.engine.rng import RANDOM_EFFECT, SETUP, below
from bhsim.games.luck import DRAWS_PER_SHUFFLE
from bhsim.games.tricks import actions as a
from bhsim.games.tricks import tables as tb
from bhsim.games.tricks.engine.jit import inner


@inner
def bit(space):
    """The set of one space."""
    return U1 << np.uint64(space)


@inner
def blocked(T, S):
    """Spaces that have to be jumped: those with a pawn, but for starts and Critical Assets (TR-1.4, 6.2)."""
    occupied = U0
    for pawn in range(S.players * a.PAWNS):
        occupied |= bit(S.pawn[pawn])
    return occupied & ~T.open


@inner
def landings(S, barred, space):
    """Where one step from a space ends: along its arrows, on along those of each space that is jumped (TR-6.1, 6.2)."""
    found = U0
    ahead = S.arrows[space]
    while ahead != U0:
        found |= ahead & ~barred
        jumped = ahead & barred
        ahead = U0
        while jumped != U0:
            ahead |= S.arrows[cttz(jumped)]
            jumped &= jumped - U1
    return found


@inner
def is_twin(S, pawn):
    """Whether the other pawn of its player, with a lower number, stands on the same space: then that one stands for both."""
    return pawn % a.PAWNS != 0 and S.pawn[pawn - 1] == S.pawn[pawn]


@inner
def list_moves(T, S, seat, out):
    """Writes the moves of the trick's winner (TR-6.1 to 6.4); returns their number."""
    barred = blocked(T, S)
    n = 0
    for pawn in range(S.players * a.PAWNS):
        space = S.pawn[pawn]
        if S.stuck[pawn] != 0 or (pawn // a.PAWNS != seat and S.value[space] >= 0) or is_twin(S, pawn):
            continue
        ends = landings(S, barred, space)
        while ends != U0:
            out[n] = a.MOVE << 24 | pawn << 12 | cttz(ends)
            ends &= ends - U1
            n += 1
    if n > 0 and T.must_move == 0:
        out[n] = a.STAY << 24
        n += 1
    return n


@inner
def list_backflips(T, S, out):
    """Writes the ways of all pawns back along one arrow to a free space (TR-7.3)."""
    barred = blocked(T, S)
    n = 0
    for pawn in range(S.players * a.PAWNS):
        if S.stuck[pawn] != 0 or is_twin(S, pawn):
            continue
        here = bit(S.pawn[pawn])
        for space in range(T.n_spaces):
            if S.arrows[space] & here != U0 and barred & bit(space) == U0:
                out[n] = a.BACK << 24 | pawn << 12 | space
                n += 1
    return n


@inner
def list_exploits(T, S, out):
    """Writes the changes by one that leave a value within bounds (TR-7.2)."""
    n = 0
    for space in range(T.n_spaces):
        if abs(S.value[space] - 1) <= a.MAX_VALUE:
            out[n] = a.EXPLOIT << 24 | a.DOWN << 12 | space
            n += 1
    for space in range(T.n_spaces):
        if abs(S.value[space] + 1) <= a.MAX_VALUE:
            out[n] = a.EXPLOIT << 24 | a.UP << 12 | space
            n += 1
    return n


@inner
def can_anything_move(T, S):
    """Whether any pawn, whoever's, can still move (TR-8.4)."""
    barred = blocked(T, S)
    for pawn in range(S.players * a.PAWNS):
        if S.stuck[pawn] == 0 and landings(S, barred, S.pawn[pawn]) != U0:
            return True
    return False


@inner
def put(S, W, seat, pawn, space):
    """``seat`` brings a pawn to a space, where a trap gets it (TR-6.3, 7.1)."""
    S.pawn[pawn] = space
    W.landed[pawn // a.PAWNS, space] += 1
    spring_traps(S, W, seat)


@inner
def spring_traps(S, W, seat):
    """Pawns on traps are stuck for good; ``seat`` made it so, -1 = setup."""
    for pawn in range(S.players * a.PAWNS):
        if S.stuck[pawn] == 0 and S.kind[S.pawn[pawn]] == tb.TRAP:
            S.stuck[pawn] = 1
            owner = pawn // a.PAWNS
            W.trapped[owner] += 1
            if seat >= 0 and seat != owner:
                W.trapped_others[seat] += 1


@inner
def exploit(S, space, amount):
    """Changes the value of a space for the rest of the game (TR-7.2)."""
    S.shift[space] += amount
    S.value[space] += amount
    S.layout += 1


@inner
def lay(T, S, tile):
    """Lays a tile on its place; one that lies there goes (TR-7.5)."""
    S.laid = S.laid & ~T.overlap[tile] | 1 << tile
    spread_out(T, S)


@inner
def spread_out(T, S):
    """Values, kinds and arrows of the board with the tiles that lie on it; exploits stay with their spaces."""
    for space in range(T.n_spaces):
        S.arrows[space] = T.arrows[space]
        S.value[space] = T.value[space]
        S.kind[space] = T.kind[space]
    for tile in range(T.n_tiles):
        if S.laid >> tile & 1 != 0:
            for i in range(T.tile_n[tile]):
                space = T.tile_space[tile, i]
                if T.tile_changes[tile, i] & tb.CHANGES_VALUE != 0:
                    S.value[space] = T.tile_value[tile, i]
                if T.tile_changes[tile, i] & tb.CHANGES_ARROWS != 0:
                    S.arrows[space] = T.tile_arrows[tile, i]
                if T.tile_kind[tile, i] != tb.AS_PRINTED:
                    S.kind[space] = T.tile_kind[tile, i]
    for space in range(T.n_spaces):
        S.value[space] += S.shift[space]
    S.layout += 1


@inner
def lay_first_tiles(T, S):
    """The tiles that lie there from the beginning: listed, or by luck (TR-7.5)."""
    spread_out(T, S)
    if T.random_tiles == 0:
        for i in range(T.n_listed):
            lay(T, S, T.listed[i])
        return
    order = 0  # four bits for each tile, the first lowest
    for tile in range(T.n_tiles):
        order |= tile << 4 * tile
    for i in range(T.n_tiles - 1, 0, -1):
        j = below(S.key, SETUP, T.n_tiles - 1 - i, i + 1)
        swap = (order >> 4 * i ^ order >> 4 * j) & 15
        order ^= swap << 4 * i | swap << 4 * j
    for i in range(T.n_tiles):
        tile = order >> 4 * i & 15
        if S.laid & T.overlap[tile] == 0 and below(S.key, SETUP, DRAWS_PER_SHUFFLE + i, 2) == 1:
            lay(T, S, tile)


@inner
def lay_random_tile(T, S, W, seat):
    """A randomizer: one of the tiles that do not lie on the board, if there is one (TR-7.4)."""
    free = 0
    for tile in range(T.n_tiles):
        free += 1 - (S.laid >> tile & 1)
    if free == 0:
        return
    chosen = below(S.key, RANDOM_EFFECT + seat, S.draws[seat], free)
    S.draws[seat] += 1
    for tile in range(T.n_tiles):
        if S.laid >> tile & 1 == 0:
            if chosen == 0:
                lay(T, S, tile)
                spring_traps(S, W, seat)
                return
            chosen -= 1
