"""The benchmark script runs and counts what it says it counts."""

from __future__ import annotations

import sys

import pytest

from benchmarks import run


def test_every_pair_of_bots_is_timed_once():
    rows = run.pairings(4)
    pairs = {frozenset((row["bot_a"], row["bot_b"])) for row in rows}
    assert len(rows) == len(pairs) == 21 and set().union(*pairs) == set(run.BOTS)
    assert all(row["games"] == 4 and row["turns"] > row["games"] and row["decisions"] > row["games"] for row in rows)
    assert all(row["decisions_per_second"] > row["games_per_second"] > 0 for row in rows)


def test_processes_are_weighed_and_their_output_is_read():
    done = run.run_bhsim(["--version"])
    assert done["stdout"].startswith("bhsim ") and 5 < done["peak_mb"] < 500 and done["seconds"] > 0


def test_a_failing_process_stops_the_benchmark():
    with pytest.raises(SystemExit, match="exit code 2"):
        run.run_bhsim(["play", "nobody", "purple"])


def test_scaling_is_told_against_the_first_number_of_threads():
    rows = run.scaling(4, [1, 2])
    assert [(row["threads"], row["games"]) for row in rows] == [(1, 4), (2, 4)] and rows[0]["times_the_first"] == 1


def test_the_machine_is_named():
    told = run.machine()
    assert told["cpu"] and told["host"] is not None and told["python"] == ".".join(map(str, sys.version_info[:3]))
