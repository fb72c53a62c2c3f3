"""Changes that another change undoes: two axes of one value, a ``--set`` of what an axis sets, a variant that changes it.

Axes and factors come after variants and ``--set``, so what these say of the same path would be lost without a word.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from bhsim.errors import BadInput
from bhsim.games.game import Game, Options, SideNames

UNDONE = "is set anew by an axis or factor in every contest, so this would change nothing"
_log = logging.getLogger("bhsim.lab")


def within(path: str, other: str) -> bool:
    """Whether a path is another one or lies inside it; printed names and ids are the same."""
    inner, outer = _parts(path), _parts(other)
    return inner[: len(outer)] == outer


def overlapping(paths: Sequence[tuple[str, str]]) -> list[str]:
    """Faults of places and their paths that change the same value, each worded with the place first."""
    faults = []
    for (earlier, one), (place, other) in itertools.combinations(paths, 2):
        if within(other, one) or within(one, other):
            same = "is" if within(one, other) and within(other, one) else "overlaps"
            faults.append(f"{place}: {other} {same} what {earlier} changes ({one}), and only one of them would count")
    return faults


def undone_sets(sets: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Faults of ``PATH=VALUE`` texts that one of the paths, set later, undoes."""
    given = [(number, text.partition("=")[0].strip()) for number, text in enumerate(sets)]
    return [f"sets.{number}: {path} {UNDONE}" for number, path in given if any(within(path, other) for other in paths)]


def note_undone_variants(game: Game, options: Options, names: Sequence[SideNames], paths: Sequence[str]) -> None:
    """Says which changes of variant files one of the paths, set later, undoes. Variants may hold other changes, so it is no fault."""
    if not options.variants or not paths:
        return
    try:
        plain, changed = (_values(game, replace(options, variants=variants), names) for variants in ((), options.variants))
    except BadInput:  # told elsewhere, with its place
        return
    for path in changed:
        if changed[path] != plain.get(path) and any(within(path, other) for other in paths):
            _log.warning("note: %s of a variant %s", path, UNDONE)


def _values(game: Game, options: Options, names: Sequence[SideNames]) -> dict[str, object]:
    bundle = game.load(options)
    return game.values(bundle, [game.side(bundle, side, place) for place, side in enumerate(names)])


def _parts(path: str) -> list[str]:
    return [re.sub("[^a-z0-9]+", "_", part.casefold()).strip("_") for part in path.split(".")]
