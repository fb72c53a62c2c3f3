"""The lab's benchmark measures what it says, and tells unequal runs apart."""

import subprocess

import pytest

from benchmarks import lab
from bhsim.games.skirmish.game import GAME
from bhsim.inputs.document import read_toml
from bhsim.lab.sweep import contests_of, parse_spec


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (7, 7), (10, 10), (20, 20), (200, 200)])
def test_so_many_contests(asked, given, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(lab.spec_text(asked, 50))
    from_file = parse_spec(read_toml(spec).data)
    assert from_file == parse_spec(lab.spec_data(asked, 50))
    assert len(contests_of(from_file, GAME)) == given


def test_overhead_counts_all_games_on_both_sides(tmp_path):
    (row,) = lab.overhead(2, 40, [2], 1, tmp_path)
    assert (row["threads"], row["contests"], row["games"]) == (2, 2, 80)
    assert row["bare_games_per_second"] > 0 and row["lab_games_per_second"] > 0 and row["overhead_percent"] < 100
    assert lab.stored(tmp_path / "t2-0") == 2


def test_runs_are_compared_by_all_but_their_times(tmp_path):
    for name in ("a", "b"):
        lab.lab_seconds(lab.spec_data(1, 40), 1, tmp_path / name)
    whole = lab.contents(tmp_path / "a")
    assert whole == lab.contents(tmp_path / "b") and "units/c00000-u00000.parquet" in whole
    unit = tmp_path / "b" / "units" / "c00000-u00000.parquet"
    unit.write_bytes(unit.read_bytes()[:-1])
    assert whole != lab.contents(tmp_path / "b")


def test_a_sweep_is_killed_and_goes_on(tmp_path):
    (row,) = lab.killed(10, 200, tmp_path)
    assert row["equal"] and 5 <= row["at_kill"] < row["units"] == 10


def test_a_sweep_that_ends_too_soon_stops_the_benchmark(tmp_path):
    with pytest.raises(SystemExit, match="ended before it could be struck"):
        lab.interrupted(["true"], tmp_path, 1, subprocess.Popen.kill)
