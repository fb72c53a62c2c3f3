"""Both engines of skirmish behind one fixture, for tests that hold on either."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, before numpy is imported

from reference_kit import start

from bhsim.games.skirmish.reference import Game


class Engine:
    """An engine under test. ``make`` is called as ``reference.Game`` is; ``games`` counts what was set up."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make, self.games = make, 0
        self.start = partial(start, make=self.make)

    def make(self, *deal: Any) -> Any:
        """A game from pool, crews, decks, root, key and seating."""
        self.games += 1
        return self._make(*deal)


@pytest.fixture(params=["kernel", "reference"])
def engine(request):
    """The compiled engine, then the plain one. A test that asks for it and sets up no game proves nothing, and fails."""
    if request.param == "kernel":
        from kernel_kit import KernelGame as make  # imports numba, so only when it is wanted
    else:
        make = Game
    engine = Engine(make)
    yield engine
    assert engine.games, "no game was set up on the engine"
