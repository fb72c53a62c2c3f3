"""The table that people play at: its documented example, and that it is the same game as everywhere else."""

from __future__ import annotations

import doctest
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bhsim.errors import BadInput
from bhsim.games.skirmish import files, new_game
from bhsim.games.skirmish import picture as pictures
from bhsim.games.skirmish.reference import Game

ROOT = Path(__file__).resolve().parents[1]


def test_the_notebook_page_shows_what_happens():
    found = doctest.testfile(str(ROOT / "docs" / "notebook.md"), module_relative=False)
    assert found.attempted > 10 and found.failed == 0


def test_numba_is_imported_only_when_a_game_is_wanted():
    code = "import sys, bhsim.games.skirmish as s; print('numba' in sys.modules, 'new_game' in s.__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("index", [6, 7])
def test_it_is_the_same_game_as_on_the_plain_engine(index):
    """Move for move, in both seatings, with every decision in words of its own."""
    bundle = files.load_bundle()
    table = new_game(seed=5, index=index, bundle=bundle)
    plain = Game(bundle, table.crews, table.decks, 5, index // 2, index % 2)
    rng = random.Random(index)
    while not table.over:
        decisions = table.decisions()
        assert sorted(d.action for d in decisions) == plain.legal()
        assert len({d.words for d in decisions}) == len(decisions), "two decisions read alike"
        assert table.view() == plain.view()
        chosen = rng.choice(decisions)
        table.apply(chosen)
        plain.apply(chosen.action)
    assert (table.seat, table.side, table.decisions()) == (-1, -1, [])
    assert table.winner == (None if plain.winner is None else (plain.winner ^ index & 1))
    assert table.points == tuple(plain.points[seat ^ index & 1] for seat in (0, 1))


def test_an_illegal_decision_is_refused_and_changes_nothing():
    table = new_game()
    before = table.view()
    with pytest.raises(ValueError, match="not legal"):
        table.apply(before["round"])
    assert table.view() == before


def test_a_copy_goes_its_own_way():
    table = new_game()
    before, twin = table.view(), table.copy()
    twin.apply(twin.decisions()[0])
    assert table.view() == before != twin.view()
    table.apply(table.decisions()[0])
    assert table.view() == twin.view()


@pytest.mark.parametrize("index", [0, 1])
def test_the_picture_shows_each_side_at_its_own_home(index):
    """In the second game of a key the sides change places, and their letters go with them."""
    table = new_game(index=index)
    while table.view()["round"] == 0:
        table.apply(table.decisions()[0])
    rows = table.picture().splitlines()
    assert ("A" if index == 0 else "B") in rows[1] and f"[SRV {'AB'[index]}]" in rows[1]
    assert rows[2].startswith(" " * 4), "odd rows stand half a node to the right"
    assert [row.split()[0] for row in rows if row.startswith("  A")] == ["A0", "A1", "A2", "A3"]


def test_the_picture_marks_locks_exhaustion_and_data():
    table = new_game()
    while table.view()["round"] == 0:
        table.apply(table.decisions()[0])
    view = table.view()
    view["locks"], view["runners"][0][1]["ready"], view["data"][0] = [8], False, {"carrier": 1, "signal": 3}
    text = pictures.board_picture(table.bundle.board, view, table.sides)
    assert "8g*" in text and " a1+" in text and " A0 " in text
    assert any(line.endswith("carries data 3") for line in pictures.side_lines(table.bundle.cardset, table.crews, view, table.sides))


def test_every_fault_of_both_sides_is_listed():
    bundle = files.load_bundle(sets=["rules.crew_bandwidth=19"])
    with pytest.raises(BadInput) as caught:
        new_game("purple", "green", deck_b="nowhere", bundle=bundle)
    assert [("SK-1.1" in str(f), "nowhere" in str(f)) for f in caught.value.faults] == [(True, False), (True, False), (False, True)]
    with pytest.raises(BadInput, match="index"):
        new_game(index=-1)
    with pytest.raises(BadInput, match="seed"):
        new_game(seed=-1)
