"""The gate over stored runs, with a game of coins whose rates are known."""

from dataclasses import replace

import numpy as np
import pytest
from coinflip import GAME

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.lab import carry, store
from bhsim.lab.again import all_pairs, play_words, spec_of
from bhsim.lab.gate import Question, check, checked_keys, checked_terms, open_gate, overall, spec_now, spec_then
from bhsim.lab.spec import parse_spec
from bhsim.lab.sweep import contests_of
from bhsim.stats.gate import Terms, Verdict

MANY = 20_000  # keys
USUAL = Terms()


def stored(folder, spec, **options):
    contests = contests_of(spec, GAME)
    asked = spec.model_dump(mode="json", exclude_unset=True)
    opened = store.create(folder, store.manifest_of(spec.name, "baseline", contests, spec.seed, asked, "bhsim baseline"), contests, False)
    carry.run(opened, spec.seed, **options)
    return store.open_folder(folder)


@pytest.fixture
def baseline(tmp_path):
    return stored(tmp_path / "base", spec_of("coinflip", Options(), [SideNames("52"), SideNames("50")], 4000, 3))


def ask(folder, sets=(), *, seed=None, keys=MANY, terms=USUAL, work=None, **options):
    spec = spec_now(spec_then(folder), None, {"sets": sets})
    question = Question(terms, keys, folder.manifest["seed"] if seed is None else seed, **options)
    return list(check(open_gate(folder, spec, question), **(work or {"threads": 2})))


def test_equal_data_is_identical_without_a_game(baseline):
    (result,) = ask(baseline)
    assert result.verdict is Verdict.identical
    assert result.keys == 0


def test_the_shortcut_off_the_same_keys_differ_nowhere(baseline):
    (result,) = ask(baseline, shortcut=False)
    assert result.verdict is Verdict.unchanged
    assert result.keys == 512
    assert result.sides[0].change == 0
    assert result.paths == ()


def test_what_moves_is_named_with_its_path_and_games(baseline):
    spec = spec_now(spec_then(baseline), None, {})
    spec = parse_spec(spec.model_dump(exclude_unset=True) | {"crew": "70"})
    (result,) = check(open_gate(baseline, spec, Question(Terms(), MANY, 3)), threads=1)
    assert result.verdict is Verdict.moved
    assert result.keys <= 1024
    change = result.sides[0]
    assert change.accepted[0] == "large"
    assert change.now - change.then == pytest.approx(change.change)
    assert change.low < 0.09 < change.high
    assert result.paths == (("crews.a", "52", "70"),)
    assert result.witnesses
    assert all(w.now > w.then for w in result.witnesses)
    outcomes = np.concatenate(list(baseline.outcomes(baseline.contests[0])))
    assert all(bool(outcomes[w.index, 0] & 1) == (w.then == 1) for w in result.witnesses)


def test_a_change_for_the_worse_moves_down(baseline):
    (result,) = check(
        open_gate(baseline, spec_now(spec_then(baseline), None, {}).model_copy(update={"crew": "30"}), Question(Terms(), MANY, 3))
    )
    assert result.sides[0].accepted[1] == "large"
    assert all(w.now < w.then for w in result.witnesses)


def test_beyond_the_stored_keys_both_data_sets_are_played(tmp_path):
    """A small baseline and a large one of the same keys give the same answer: what is not stored is played."""
    small, large = (
        stored(tmp_path / f"b{games}", spec_of("coinflip", Options(), [SideNames("52"), SideNames("50")], games, 3))
        for games in (1400, 9000)
    )
    first, second = (ask(folder, ("edge=14",), terms=replace(USUAL, margin=0.012, resolution=0.002))[0] for folder in (small, large))
    assert first.stored_keys == 700
    assert first.keys == second.keys > 700
    assert first.sides == second.sides


@pytest.mark.parametrize("work", [{"threads": 1}, {"threads": 3, "block": 37}, {"threads": 2, "block": 4000}])
def test_threads_and_blocks_do_not_change_the_answer(baseline, work):
    usual = ask(baseline, ("edge=20",), seed=77)[0]
    other = ask(baseline, ("edge=20",), seed=77, work=work)[0]
    assert (other.verdict, other.keys, other.sides, other.witnesses) == (usual.verdict, usual.keys, usual.sides, usual.witnesses)


def test_other_luck_is_paired_by_position(baseline):
    (result,) = ask(baseline, seed=4)
    assert result.verdict is Verdict.unchanged
    assert result.sides[0].then != result.sides[0].now


def test_another_engine_ends_at_the_stored_keys(baseline, monkeypatch):
    monkeypatch.setattr(type(GAME), "behaviour_version", 2)
    (result,) = ask(baseline, terms=replace(USUAL, margin=0.002, resolution=0.001))
    assert result.verdict is not Verdict.identical
    assert result.keys == result.stored_keys <= 2000


def test_too_few_games_leave_it_undecided(baseline):
    (result,) = ask(baseline, seed=9, keys=520, terms=replace(USUAL, margin=0.004, resolution=0.002))
    assert result.verdict is Verdict.undecided
    assert result.keys == 520


def test_a_fixed_number_of_games(baseline):
    (result,) = ask(baseline, seed=9, keys=9000, fixed=True)
    assert result.keys == 9000
    assert result.verdict is Verdict.unchanged


def test_the_alarm_level_is_shared_by_the_cells_that_differ(tmp_path):
    folder = stored(tmp_path / "b", all_pairs("coinflip", Options(), ["40", "50", "60"], 1200, 1))
    spec = spec_now(spec_then(folder), None, {"sets": ["edge=12"]})
    gate = open_gate(folder, spec, Question(Terms(), MANY, 1))
    assert gate.question.terms.directions == 6
    same = open_gate(folder, spec_then(folder), Question(Terms(), MANY, 1))
    assert [c.identical for c in same.cells] == [True] * 3
    assert [r.cell.now.label for r in check(same)] == [c.label for c in folder.contests]


def test_overall_is_the_worst():
    class Cell:
        def __init__(self, verdict):
            self.verdict = verdict

    v = Verdict
    assert overall([Cell(v.identical), Cell(v.unchanged)]) is v.unchanged
    assert overall([Cell(v.undecided), Cell(v.unchanged)]) is v.undecided
    assert overall([Cell(v.undecided), Cell(v.moved)]) is v.moved
    assert overall([Cell(v.identical)]) is v.identical


def test_a_sweep_is_a_baseline_too(tmp_path):
    spec = parse_spec(
        {"name": "s", "game": "coinflip", "games": 1200, "crew": "60", "opponents": ["40"], "axes": [{"path": "edge", "values": [0, 10]}]}
    )
    folder = stored(tmp_path / "s", spec)
    results = ask(folder, ("draw=40",))
    assert [r.cell.now.setting for r in results] == [{"edge": "0"}, {"edge": "10"}]
    words, options = play_words(spec, folder.contests[1])
    assert words == ["60", "40"]
    assert dict(options)["--set"] == ["edge=10"]


def test_what_is_no_baseline_is_refused(tmp_path, baseline):
    (baseline.path / "units" / "c00000-u00000.parquet").unlink()
    with pytest.raises(BadInput, match="stopped"):
        ask(store.open_folder(baseline.path))
    other = stored(tmp_path / "two", all_pairs("coinflip", Options(), ["40", "50", "60"], 1200, 1))
    with pytest.raises(BadInput, match="other contests"):
        open_gate(other, all_pairs("coinflip", Options(), ["40", "60", "70"], 1200, 1), Question(Terms(), MANY, 1))
    with pytest.raises(BadInput, match="another game"):
        spec_now(spec_then(other), "skirmish", {})
    with pytest.raises(BadInput, match="no such side"):
        spec_now(spec_then(other), None, {"deck_a": "x"})


def test_numbers_out_of_range_are_listed():
    with pytest.raises(BadInput) as error:
        checked_terms(0, 1, 0.5, 0)
    assert [f.field for f in error.value.faults] == ["margin", "resolution", "alpha", "beta"]
    assert checked_terms(2, 1, 0.05, 0.1) == Terms(0.02, 0.01, 0.05, 0.1)
    with pytest.raises(BadInput, match="1024 or more"):
        checked_keys(1000, 2, "games")


def test_games_that_no_longer_end_have_moved(tmp_path, monkeypatch):
    """All games cut off make an even score; the gate must not take that for balance."""
    folder = stored(tmp_path / "b", spec_of("coinflip", Options(), [SideNames("50"), SideNames("50")], 4000, 3))
    play = type(GAME).play_block

    def endless(self, tables, sides, root, first_key, keys, tally, outcomes, rows):
        play(self, tables, sides, root, first_key, keys, tally, outcomes, rows)
        if tables.edge == 11:
            outcomes[:] = 0

    monkeypatch.setattr(type(GAME), "play_block", endless)
    (result,) = ask(folder, ("edge=11",))
    assert result.verdict is Verdict.moved
    assert (result.cut_off.then, result.cut_off.now) == (0, 1)
    assert result.sides[0].accepted == ("small", "small")
    assert result.largest is result.cut_off
    assert result.name_of(result.largest) == "cut off"
    assert result.witnesses
