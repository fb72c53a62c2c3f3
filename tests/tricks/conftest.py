"""The engines of tricks behind one fixture, for tests that hold on each of them."""

from __future__ import annotations

import pytest
from tricks_kit import Engine, KernelTable, ReferenceTable


@pytest.fixture(params=["reference", "kernel"])
def engine(request):
    """An engine under test. A test that asks for it and sets up no game proves nothing, and fails."""
    engine = Engine({"reference": ReferenceTable, "kernel": KernelTable}[request.param])
    yield engine
    assert engine.games, "no game was set up on the engine"
