"""Running contests: exact, independent of threads and blocks, stoppable."""

import numpy as np
import pytest
from coinflip import GAME

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames, shares
from bhsim.lab import runs
from bhsim.lab.contest import build, keys_for
from bhsim.lab.results import evaluate, play_json


def contest(a="60", b="40", games=2000, *sets):
    return build(GAME, Options(sets=sets), [SideNames(a), SideNames(b)], games)


def test_whole_keys():
    assert [keys_for(g, 2) for g in (1, 2, 3, 10_000)] == [1, 1, 2, 5000]
    for games in (0, -1):
        with pytest.raises(BadInput, match="games"):
            keys_for(games, 2)


def test_shares_are_sixtieths():
    assert shares(np.array([0, 1, 2, 3]), 2).tolist() == [[30, 30], [60, 0], [0, 60], [30, 30]]
    assert shares(np.array([0, 0b111, 0b100001]), 6).sum(axis=1).tolist() == [60, 60, 60]
    assert shares(np.array([0b111]), 6).tolist() == [[20, 20, 20, 0, 0, 0]]


def test_threads_and_blocks_do_not_matter(monkeypatch):
    monkeypatch.setattr(runs, "UNIT_KEYS", 300)
    results = []
    for threads, block in ((1, 300), (3, 7), (2, 64)):
        stored = []
        counts = runs.play(
            contest(), 5, threads, block, sink=lambda r, s=stored: s.append((r.unit.name, r.tally.tobytes(), r.outcomes.tobytes()))
        )
        results.append((counts.tally.tobytes(), counts.keys.tobytes(), stored))
    assert results[0] == results[1] == results[2]
    assert [name for name, _, _ in results[0][2]] == ["c00000-u00000", "c00000-u00001", "c00000-u00002", "c00000-u00003"]


def test_known_truth_and_additive_sides():
    """Bias 60 against 40 wins 60 %, the first player 55 %; the sides' rates add up."""
    result = evaluate(runs.play(contest(games=8000), 3, 2))
    a, b = result.sides
    assert a.score.low < 0.6 < a.score.high
    assert a.score.mean + b.score.mean == 1
    assert result.first.low < 0.55 < result.first.high
    swapped = evaluate(runs.play(contest("40", "60", 8000), 3, 2))
    assert swapped.sides[1].score.mean == a.score.mean
    assert 0 < result.saving < 1


def test_mirror_is_exactly_one_half():
    result = evaluate(runs.play(contest("50", "50", 600), 1, 2))
    assert [(s.score.mean, s.score.low, s.score.high, s.score.exact) for s in result.sides] == [(0.5, 0.5, 0.5, True)] * 2


def test_draws_count_half():
    result = evaluate(runs.play(contest("50", "50", 2000, "draw=30"), 1, 2))
    a, b = result.sides
    assert 450 < result.facts.draws < 750
    assert a.wins + b.wins + result.facts.draws == 2000


def test_progress_counts_every_game_and_faults_stop_the_run():
    seen = []
    runs.play(contest(games=500), 1, 2, 10, seen.append)
    assert sum(seen) == 500
    with pytest.raises(runs.EngineFault, match="2 of the games"):
        runs.play(contest("60", "40", 500, "fault=100"), 1, 2, 10)


def test_interrupt_between_blocks():
    played = []

    def stop(games):
        played.append(games)
        if len(played) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.play(contest(games=100_000), 1, 2, 10, stop)
    assert len(played) == 3


@pytest.mark.parametrize(("threads", "block"), [(0, 1), (-2, 1), (10_000, 1), (1, 0), (1, 10**9)])
def test_bad_thread_and_block_numbers(threads, block):
    with pytest.raises(BadInput, match="out of range"):
        runs.play(contest(), 1, threads, block)


def test_json_of_play():
    found = play_json(evaluate(runs.play(contest(), 1, 1)), 1, 0.5)
    assert list(found) == [
        "schema", "game", "engine", "data_digest", "seed", "house_values", "games", "pairs", "sides", "draws", "round_limit",
        "first_player", "rounds", "seconds", "games_per_second",
    ]  # fmt: skip
    assert list(found["sides"][0]) == ["crew", "deck", "bot", "wins", "win_rate", "low", "high", "points_mean", "points_from"]
    assert list(found["rounds"]) == ["mean", "p05", "p50", "p95"]
    assert found["games_per_second"] == 4000
    assert found["pairs"] == 1000
