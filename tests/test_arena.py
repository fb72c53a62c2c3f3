"""Search plays: the same figures as a contest's, kept and given back, and on keys that a confirmation never uses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME
from bhsim.lab.arena import Arena, Match, search_root
from bhsim.lab.contest import Contest
from bhsim.lab.executors import Threads
from bhsim.lab.ledger import PLAYS, Ledger
from bhsim.lab.runs import play_units, units_of

BUNDLE = GAME.load(Options())
PURPLE, GREEN = (GAME.side(BUNDLE, SideNames(name, bot="racer"), n) for n, name in enumerate(("purple", "green")))


@pytest.fixture
def threads():
    executor = Threads(2)
    yield executor
    executor.close()


def test_scores_are_those_of_the_contest(threads):
    counted = []
    arena = Arena(GAME, 7, threads, progress=counted.append)
    found = arena.against(BUNDLE, [PURPLE, GREEN], [GREEN], 10, 40)
    contest = Contest(0, GAME, BUNDLE, (PURPLE, GREEN), 50)
    whole = np.concatenate([contest.key_scores(u.outcomes) for u in play_units(units_of([contest]), 7, 1)])
    assert found.shape == (2, 1, 40)
    assert (found[0, 0] == whole[10:]).all()
    assert (found[1, 0] == 0.5).all()  # a mirror
    assert sum(counted) == 160


def test_kept_plays_are_not_played_again(tmp_path, threads, monkeypatch):
    first = Arena(GAME, 7, threads, Ledger(tmp_path))
    asked = [Match(BUNDLE, (PURPLE, GREEN)), Match(BUNDLE, (GREEN, PURPLE)), Match(BUNDLE, (PURPLE, GREEN))]
    once = first.scores(asked, 0, 16)
    assert (once[0] == once[2]).all()
    assert len(list((tmp_path / PLAYS).iterdir())) == 1
    monkeypatch.setattr("bhsim.lab.arena.play_units", lambda *a, **k: pytest.fail("played again"))
    counted = []
    again = Arena(GAME, 7, threads, Ledger(tmp_path), progress=counted.append)
    assert (again.scores(asked, 0, 16) == once).all()
    assert sum(counted) == 96  # told of all the same


def test_another_value_root_or_key_is_another_play(threads):
    other = GAME.patched(BUNDLE, {"runners.gh0st.attack": 4})
    arena, moved = Arena(GAME, 7, threads), Arena(GAME, 8, threads)
    plays = {
        arena._play_id(Match(BUNDLE, (PURPLE, GREEN)), 0, 8), arena._play_id(Match(other, (PURPLE, GREEN)), 0, 8),
        arena._play_id(Match(BUNDLE, (GREEN, PURPLE)), 0, 8), arena._play_id(Match(BUNDLE, (PURPLE, GREEN)), 8, 8),
        arena._play_id(Match(BUNDLE, (PURPLE, GREEN)), 0, 16), moved._play_id(Match(BUNDLE, (PURPLE, GREEN)), 0, 8),
    }  # fmt: skip
    assert len(plays) == 6


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"", lambda data: b"PAR1" + data[4:-4] + b"PAR2"])
def test_damaged_plays_are_named(tmp_path, threads, damage):
    Arena(GAME, 7, threads, Ledger(tmp_path)).against(BUNDLE, [PURPLE], [GREEN], 0, 8)
    file = next((tmp_path / PLAYS).iterdir())
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadInput) as caught:
        Ledger(tmp_path)
    assert caught.value.faults[0].file == str(file)


@pytest.mark.parametrize("outcomes", [b"\x01" * 16, b"\x01" * 15])
def test_plays_that_were_written_over_are_named(tmp_path, threads, outcomes):
    Arena(GAME, 7, threads, Ledger(tmp_path)).against(BUNDLE, [PURPLE], [GREEN], 0, 8)
    file = next((tmp_path / PLAYS).iterdir())
    pl.read_parquet(file).with_columns(outcomes=pl.lit(outcomes)).write_parquet(file)
    with pytest.raises(BadInput, match="are damaged") as caught:
        Ledger(tmp_path)
    assert caught.value.faults[0].file == str(file)


def test_search_keys_are_another_root_for_every_purpose_and_seed():
    roots = {search_root(seed, purpose) for seed in range(50) for purpose in ("optimise", "balance")}
    assert len(roots) == 100
    assert all(0 <= root < 1 << 63 for root in roots)
    assert not roots & set(range(50))
