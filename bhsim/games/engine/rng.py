"""Addressed luck (docs/decisions.md): draw j of stream p of key k is a pure function of (root, k, p, j)."""

from __future__ import annotations

import numpy as np

from bhsim.games.engine.jit import inner

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30 = np.uint64(30)
_S27 = np.uint64(27)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_U1 = np.uint64(1)

FIRST_PLAYER = 0
SETUP = 1
SHUFFLE = 8
RANDOM_EFFECT = 16
BOT = 24


@inner
def mix(z):
    """splitmix64's finaliser on a uint64."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@inner
def key_word(root, k):
    """The uint64 that all streams of key ``k`` (int64) start from."""
    return mix(mix(np.uint64(root) + GOLDEN) + (np.uint64(k) + _U1) * GOLDEN)


@inner
def below(key, purpose, j, n):
    """Draw ``j`` of stream ``purpose``, as an int64 in 0..n-1 (multiply-shift)."""
    stream = mix(key + (np.uint64(purpose) + _U1) * GOLDEN)
    draw = mix(stream + (np.uint64(j) + _U1) * GOLDEN)
    return np.int64(((draw >> _S32) * np.uint64(n)) >> _S32)
