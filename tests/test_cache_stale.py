"""No stale kernels: what a helper, a constant or a data file says now is what the next process plays by.

A copy of the package is changed between real processes that share one cache folder. The probe compiles one small kernel on
top of the engine's own functions, so this takes seconds, and goes through the same decorator and cache as every kernel.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROBE = """
import json
import numpy as np
from bhsim.games.skirmish import files
from bhsim.games.skirmish.engine import attack, state
from bhsim.games.skirmish.engine.jit import kernel
from bhsim.games.skirmish.tables import compile_tables

@kernel
def probe(T, title):
    return attack.dealt_damage(T, T.card[title, 0], np.int64(0), np.int64(0)), state.seat_of(np.int64(10))

bundle = files.load_bundle()
tables = compile_tables(bundle.cardset, bundle.board, bundle.rules)
damage, seat = probe(tables[0], list(bundle.cardset.cards).index("huge_hack"))
print(json.dumps({"damage": damage, "seat": seat, "from_cache": sum(probe.stats.cache_hits.values()) == 1}))
"""


class Copy:
    """A copy of the package with its decks and crews, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("bhsim", "decks", "crews"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "probe.py").write_text(PROBE)

    def change(self, name: str, old: str, new: str) -> None:
        """Replaces a text that must be there, once."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def result(self) -> dict:
        """What a new process finds."""
        env = {**os.environ, "PYTHONPATH": str(self.folder), "BHSIM_CACHE_DIR": str(self.folder / "cache")}
        command = [sys.executable, "probe.py"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=env, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def package(tmp_path):
    copy = Copy(tmp_path)
    first, again = copy.result(), copy.result()
    assert first == {"damage": 3, "seat": 1, "from_cache": False}
    assert again == {"damage": 3, "seat": 1, "from_cache": True}, "the cache was not used, so the test would show nothing"
    return copy


def changed_helper(copy: Copy) -> None:
    copy.change("bhsim/games/skirmish/engine/attack.py", "dealt = max(dealt, T.minimum_damage)\n", "dealt = max(dealt, 40)\n")


def changed_constant(copy: Copy) -> None:
    copy.change("bhsim/games/skirmish/actions.py", "MAX_CREW = 10\n", "MAX_CREW = 11\n")


def changed_data(copy: Copy) -> None:
    deck = copy.folder / "decks" / "house.toml"
    text = deck.read_text(encoding="utf-8")
    start = text.index("[cards.huge_hack]")
    deck.write_text(text[:start] + text[start:].replace("damage = 3", "damage = 9", 1), encoding="utf-8")


CHANGES: list[tuple[Callable[[Copy], None], dict]] = [
    (changed_helper, {"damage": 40, "seat": 1, "from_cache": False}),
    (changed_constant, {"damage": 3, "seat": 0, "from_cache": False}),
    (changed_data, {"damage": 9, "seat": 1, "from_cache": True}),  # data are arguments: the same kernel, another result
]


@pytest.mark.parametrize(("change", "expected"), CHANGES, ids=[change.__name__ for change, _ in CHANGES])
def test_a_change_shows_in_the_next_process(package, change, expected):
    change(package)
    assert package.result() == expected


def test_switches_that_change_code_have_a_cache_of_their_own(package, monkeypatch):
    """NUMBA_BOUNDSCHECK is not part of numba's own key; a warm cache must not hide it."""
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "1")
    assert not package.result()["from_cache"]
