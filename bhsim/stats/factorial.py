"""Two-level designs: which of many factors moves a number most, from far fewer runs than every combination would take.

Each factor has a bit mask; in run r it stands at its high level when the bits that r and its mask share are odd in number. Every such
column is orthogonal to every other, so each effect is a plain contrast: mean of the runs at the high level minus mean of those at the low
one. Two effects whose masks (for a pair: the exclusive or of both) are equal cannot be told apart; the masks are chosen so that this does
not happen where it matters (Box, Hunter and Hunter, Statistics for Experimenters, on fractional factorial designs).

All runs meet the same keys. So an effect is computed key by key, and its standard error is that of a mean of independent keys: exact
clustering, whatever the runs of a key have in common.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bhsim.stats.intervals import FEW_DIVERGENT, normal_quantile

MIXER = 0x9E3779B97F4A7C15  # the golden ratio as an odd multiplier: scatters numbers that follow each other


@dataclass(frozen=True)
class Design:
    """masks: one for each factor. pairs: whether all pairs, too, are clear of each other and of the factors."""

    masks: tuple[int, ...]
    pairs: bool

    @property
    def runs(self) -> int:
        """Number of runs: a power of two."""
        return 1 << max(mask.bit_length() for mask in self.masks)

    def high(self) -> np.ndarray:
        """Whether a factor is at its high level: bool, shape (runs, factors)."""
        run = np.arange(self.runs)[:, None]
        return np.bitwise_count(run & np.array(self.masks)) % 2 == 1

    def spare_masks(self) -> list[int]:
        """Masks of the columns that show what three and more factors do together: no factor's, and no pair's."""
        known = {*self.masks, *(self.pair_masks().values() if self.pairs else ())}
        top = 0 if self.pairs else self.runs // 2
        return [mask for mask in range(1, self.runs) if mask & top == top and mask not in known]

    def pair_masks(self) -> dict[tuple[int, int], int]:
        """Mask of each pair of factors, by their numbers."""
        return {(i, j): self.masks[i] ^ self.masks[j] for i, j in itertools.combinations(range(len(self.masks)), 2)}


def two_level(factors: int, pairs: bool = False) -> Design:
    """A design for so many factors. ValueError for less than one.

    Without ``pairs`` main effects are clear of every pair (resolution IV): all masks have the top bit, so no pair has it. With ``pairs``
    all main effects and pairs are clear of each other (resolution V). What three factors do together is mixed with main effects; so some
    columns are left without a factor, a quarter of the factors' number without ``pairs``: they show how much that is.
    """
    if factors < 1:
        raise ValueError(f"{factors} factors make no design")
    if pairs:
        return Design(tuple(itertools.islice(_independent(), factors)), True)
    top = 1
    while top < factors + factors // 4:
        top *= 2
    first = [0, *itertools.takewhile(lambda mask: mask < top, _independent())]  # these are clear of each other's triples, too
    rest = sorted(set(range(top)) - set(first), key=lambda mask: mask * MIXER % (1 << 64))  # neighbours would share their triples
    return Design(tuple(top | low for low in [*first, *rest][:factors]), False)


def _independent() -> Iterator[int]:
    """The smallest masks, one after the other, that are no exclusive or of up to three earlier ones."""
    masks: list[int] = []
    two, taken = {0}, {0}  # exclusive ors of at most two, and of at most three of them
    for mask in itertools.count(1):
        if mask in taken:
            continue
        taken |= {mask ^ other for other in two} | {mask}
        two |= {mask ^ other for other in masks} | {mask}
        masks.append(mask)
        yield mask


@dataclass(frozen=True)
class Effect:
    """What goes from the low to the high level, with its interval and two-sided p-value.

    divergent: keys in which it was not 0. corrected: they were few, so one key each way, of the size of the metric's whole range, was added
    for the width.
    """

    mean: float
    low: float
    high: float
    se: float
    p: float
    keys: int
    divergent: int
    corrected: bool


def contrasts(values: np.ndarray) -> np.ndarray:
    """Walsh-Hadamard transform over the first axis: row m is the sum over runs r of values[r], with a minus where r and m share an odd
    number of bits. values: shape (runs, ...), runs a power of two; integers stay integers, so the sums are exact.
    """
    result = np.array(values, dtype=np.result_type(values, np.int64))
    runs, half = len(result), 1
    if runs & (runs - 1) or not runs:
        raise ValueError(f"{runs} runs are no power of two")
    while half < runs:
        view = result.reshape(runs // (2 * half), 2, half, *result.shape[1:])
        view[:, 0], view[:, 1] = view[:, 0] + view[:, 1], view[:, 0] - view[:, 1]
        half *= 2
    return result


@dataclass(frozen=True)
class Estimates:
    """main: in the order of the factors. pairs: in that of ``pair_masks``, empty unless the design has them clear. spare: of neither.

    A main effect is the mean at the high less the mean at the low level; a pair's is half of what the first factor's effect grows by when
    the second goes from low to high. complete: every combination of levels was played.
    """

    main: list[Effect]
    pairs: list[Effect]
    spare: list[Effect]
    complete: bool = False

    def beyond(self) -> float | None:
        """Root mean square of what the spare columns show above chance; None without any, and when every combination was played.

        What three and more factors do together falls on spare and main columns alike, so main effects may be off by as much; in a full
        design it falls on none of the main columns.
        """
        if not self.spare or self.complete:
            return None
        return math.sqrt(max(0.0, sum(e.mean**2 - e.se**2 for e in self.spare) / len(self.spare)))


def estimate(chunks: Iterable[np.ndarray], design: Design, scale: int, level: float = 0.95) -> Estimates:
    """All effects of a design.

    chunks: whole numbers, shape (runs, keys of the chunk), the key's value in each run times ``scale``. Sums are exact, so they depend on
    neither chunks nor machine. ValueError without keys.
    """
    pairs = list(design.pair_masks().values()) if design.pairs else []
    masks = np.array([*design.masks, *pairs, *design.spare_masks()])
    first, last = len(design.masks), len(design.masks) + len(pairs)
    sums, squares, divergent = ([0] * len(masks) for _ in range(3))
    keys, reach = 0, 0
    for chunk in chunks:
        found = contrasts(chunk)[masks]
        found[:first] *= -1  # a high level is a minus of the transform
        keys += found.shape[1]
        reach = max(reach, int(np.ptp(chunk)) if chunk.size else 0)
        for n, row in enumerate(found):
            sums[n] += int(row.sum())
            squares[n] += int((row * row).sum())
            divergent[n] += int(np.count_nonzero(row))
    unit = scale * design.runs / 2
    largest = reach * design.runs // 2  # what a key would show that went from the least to the greatest value in every run
    effects = [_effect(*numbers, largest, keys, unit, level) for numbers in zip(sums, squares, divergent, strict=True)]
    return Estimates(effects[:first], effects[first:last], effects[last:], design.runs == 2 ** len(design.masks))


def _effect(total: int, squares: int, divergent: int, largest: int, keys: int, unit: float, level: float) -> Effect:
    """An effect from exact sums over keys, each in ``1 / unit``."""
    from scipy.special import ndtr

    if keys < 1:
        raise ValueError("no keys to count")
    mean = total / keys / unit
    corrected = divergent < FEW_DIVERGENT
    wide, count = (squares + 2 * largest**2, keys + 2) if corrected else (squares, keys)
    centre = total / count / unit
    variance = max(wide / count / unit**2 - centre**2, 0.0)
    se = math.sqrt(variance / count)
    half = normal_quantile(level) * se
    p = float(2 * ndtr(-abs(centre) / se)) if se else float(centre == 0)
    return Effect(mean, min(centre - half, mean), max(centre + half, mean), se, p, keys, divergent, corrected)
