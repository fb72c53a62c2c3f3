"""The ways in which the kernels can run: compiled, compiled with bounds checks (NUMBA_BOUNDSCHECK=1), as Python (NUMBA_DISABLE_JIT=1).

The suite runs in the mode that the environment names, so these tests demand in each mode what that mode promises, and hold the
integer helpers against plain Python numbers in all of them.
"""

from __future__ import annotations

import os
import random

import numba
import numpy as np
import pytest
from kernel_kit import KernelGame, number_of
from reference_kit import RED, man, start

from bhsim.games import luck
from bhsim.games.engine import bits, rng
from bhsim.games.skirmish import lockstep
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.jit import CACHE, kernel

PLAIN = bool(numba.config.DISABLE_JIT)
CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0"
WHOLE = 2**64 - 1


@kernel
def item(values, i):
    """One item of an int64 array."""
    return values[i]


@kernel
def draw_below(root, k, purpose, j, n):
    """A draw as the engine makes it."""
    return rng.below(rng.key_word(root, k), purpose, j, n)


@kernel
def set_facts(lo, hi, node):
    """Size, lowest node, whether a node is in it, and the set without its lowest node."""
    rest_lo, rest_hi = bits.drop_lowest(lo, hi)
    return bits.count(lo, hi), bits.lowest(lo, hi), bits.has(lo, hi, node), rest_lo, rest_hi


def test_the_mode_is_the_one_that_the_environment_names():
    """The figures of a run in another mode are worth nothing if the mode was not on."""
    assert (os.environ.get("NUMBA_DISABLE_JIT", "0") != "0") == PLAIN
    assert hasattr(item, "py_func") != PLAIN
    assert bool(numba.config.BOUNDSCHECK) == CHECKED


def test_a_read_beyond_an_array_is_seen_where_bounds_are_checked():
    """Read just behind a view, where its base goes on: safe memory, so that the unchecked mode can show that it does not look."""
    base = np.arange(8, dtype=np.int64)
    view = base[:4]
    assert item(view, 3) == 3
    if CHECKED or PLAIN:
        with pytest.raises(IndexError):
            item(view, 5)
    else:
        assert item(view, 5) == 5


def test_a_read_beyond_a_field_of_the_state_is_seen_where_bounds_are_checked():
    """A kernel of the engine, which the cache would hand out unchecked if its folder did not depend on the mode."""
    game = start(RED, [man(0)], [man(14)], make=KernelGame)
    assert number_of(game.tables[0], game.S, st.RUNNERS - 1, v.STATS.index("speed")) == 0
    if CHECKED or PLAIN:
        with pytest.raises(IndexError):
            number_of(game.tables[0], game.S, st.RUNNERS, v.STATS.index("speed"))
    else:
        number_of(game.tables[0], game.S, st.RUNNERS, v.STATS.index("speed"))


@pytest.mark.parametrize("name", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT"])
def test_each_mode_has_kernels_of_its_own(monkeypatch, name):
    monkeypatch.setenv(name, "0")
    off = CACHE.digest()
    monkeypatch.setenv(name, "1")
    assert CACHE.digest() != off


def test_plain_kernels_need_no_compiling(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert CACHE.is_warm()


def test_draws_are_those_of_the_plain_streams():
    """Large roots and keys too, where 64 bits wrap; the plain engine draws with Python's unbounded numbers."""
    source = random.Random(1)
    for _ in range(400):
        root, k = source.choice((source.randrange(10), source.randrange(2**64))), source.randrange(10**9)
        purpose, j, n = source.randrange(32), source.randrange(5000), source.randrange(1, 128)
        drawn = draw_below(np.uint64(root), k, purpose, j, n)
        assert drawn == luck.Stream(luck.key_of(root, k), purpose).below(j, n)


def test_sets_of_nodes_are_python_integers():
    source = random.Random(2)
    words = [(0, 1 << 62), (1 << 63, 0), (WHOLE, WHOLE >> 1), (0, 1), (1, 0)]
    words += [(source.getrandbits(64) & source.getrandbits(64), source.getrandbits(63) >> source.randrange(63)) for _ in range(300)]
    for lo, hi in words:
        whole, node = lo | hi << 64, source.randrange(127)
        count, lowest, has, rest_lo, rest_hi = set_facts(np.uint64(lo), np.uint64(hi), node)
        assert count == whole.bit_count()
        assert bool(has) == bool(whole >> node & 1)
        if whole:
            assert lowest == (whole & -whole).bit_length() - 1
            assert int(rest_lo) | int(rest_hi) << 64 == whole & (whole - 1)


def test_both_engines_agree_over_a_few_games_in_this_mode():
    report = lockstep.compare(lockstep.fuzz_source(11), 11, 0, 16)
    assert report.difference is None
    assert report.decisions > 1000
