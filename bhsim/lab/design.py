"""Designs: which combinations of the axes' values a sweep plays.

grid and zip take what is listed; random, latin (hypercube) and sobol draw points of the unit cube and look up what stands there.
Sources: McKay, Beckman and Conover (1979); Sobol (1967), scrambled as by Owen (1998), both as SciPy has them.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bhsim.errors import BadInput, Fault
from bhsim.inputs.names import listing
from bhsim.lab.axis import SAMPLED, Axis, meaning, value_label
from bhsim.lab.spec import SweepSpec

DIGITS = 5  # of a drawn number, counted from the width of its range


def points_of(spec: SweepSpec) -> list[tuple[Any, ...]]:
    """The points in order, one value for each axis, each distinct point once; BadInput if the spec's base is none of them."""
    if spec.design in SAMPLED:
        drawn: Iterable[tuple[Any, ...]] = (
            tuple(_value(axis, float(u)) for axis, u in zip(spec.axes, row, strict=True)) for row in _cube(spec)
        )
    elif spec.design == "zip" and spec.axes:
        drawn = zip(*(axis.points for axis in spec.axes), strict=True)
    else:
        drawn = itertools.product(*(axis.points for axis in spec.axes))
    points = list({tuple(map(meaning, point)): point for point in drawn}.values())
    _check_base(spec, points)
    return points


def _cube(spec: SweepSpec) -> np.ndarray:
    """Points of the unit cube, shape (points, axes), each number in [0, 1)."""
    luck = np.random.default_rng(spec.seed if spec.design_seed is None else spec.design_seed)
    count, axes = spec.points or 0, len(spec.axes)
    if spec.design == "random":
        return luck.random((count, axes))
    from scipy.stats import qmc

    if spec.design == "latin":
        return qmc.LatinHypercube(axes, seed=luck).random(count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a number of points that is no power of two is less even, not wrong
        return qmc.Sobol(axes, seed=luck).random(count)


def _value(axis: Axis, u: float) -> Any:
    """What stands at ``u`` of an axis, 0 <= u < 1."""
    if axis.points:
        return axis.points[min(int(u * len(axis.points)), len(axis.points) - 1)]
    low, high = axis.range or (0.0, 1.0)
    return round(low + u * (high - low), max(0, DIGITS - 1 - math.floor(math.log10(high - low))))


def base_of(base: dict[str, Any], settings: Sequence[dict[str, str]]) -> int | None:
    """Place of the first setting that has all values of ``base`` (axis label to value or its label); None if none has."""
    wanted = {label: value_label(value) for label, value in base.items()}
    for place, setting in enumerate(settings):
        if all(setting.get(label) == value for label, value in wanted.items()):
            return place
    return None


def _check_base(spec: SweepSpec, points: Sequence[tuple[Any, ...]]) -> None:
    settings = [{a.label: value_label(v) for a, v in zip(spec.axes, point, strict=True)} for point in points]
    if not spec.base or base_of(spec.base, settings) is not None:
        return
    faults = []
    for label, value in spec.base.items():
        there = list(dict.fromkeys(setting[label] for setting in settings))
        if value_label(value) not in there:
            faults.append(Fault(f"{label!r} has no such value", field="base", value=value, allowed=listing(there)))
    raise BadInput(*(faults or [Fault("no point of the design has all these values", field="base")]))
