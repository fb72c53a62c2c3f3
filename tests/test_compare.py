"""Comparing runs and contests, listing runs, planning a number of games."""

import json
import math

import coinflip
import numpy as np
import polars as pl
import pytest
from test_lab_sweep import SPEC, run
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.lab import plan
from bhsim.lab.compare import compare_rows, compare_runs, separate_difference
from bhsim.lab.contest import build
from bhsim.lab.findings import key_scores
from bhsim.lab.listing import listed
from bhsim.stats.intervals import difference_newcombe, from_keys
from bhsim.stats.paired import paired_difference

TWO = {**SPEC, "axes": [{"crew": ["60", "70"]}], "games": 400}


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("runs")
    changes = {"plain": {}, "edged": {"sets": ["edge=40"]}, "other_seed": {"seed": 4}, "shorter": {"games": 200}}
    return {name: run(base / name, {**TWO, **change}) for name, change in changes.items()}


def test_runs_of_one_seed_are_compared_key_by_key(folders):
    first, second = folders["plain"], folders["edged"]
    found = compare_runs(first, second)
    assert [p.label for p in found.pairs] == [c.label for c in first.contests]
    assert (found.only_first, found.only_second) == ([], [])
    for pair, ours, theirs in zip(found.pairs, first.contests, second.contests, strict=True):
        assert pair.paired
        assert pair.difference == paired_difference(key_scores(second, theirs), key_scores(first, ours))
        assert pair.paths == (("rules.edge", 10, 40),)


def test_equal_runs_are_identical_and_shorter_ones_meet_on_common_keys(folders):
    same = compare_runs(folders["plain"], folders["plain"]).pairs
    assert all(p.difference.identical and p.judged.verdict == "ok" and p.paths == () for p in same)
    short = compare_runs(folders["plain"], folders["shorter"]).pairs
    assert {(p.difference.keys, p.difference.identical) for p in short} == {(100, True)}


def test_runs_of_other_seeds_are_compared_as_separate_samples(folders):
    found = compare_runs(folders["plain"], folders["other_seed"])
    assert not any(p.paired for p in found.pairs)
    a, b = (r.sides[0].score for r in (found.pairs[0].second, found.pairs[0].first))
    assert found.pairs[0].difference == separate_difference(a, b)
    luck = np.array([0.0, 1.0])
    ours = separate_difference(from_keys(luck, np.array([480, 520])), from_keys(luck, np.array([520, 480])))
    assert (ours.low, ours.high) == pytest.approx(difference_newcombe(520, 1000, 480, 1000), abs=1e-9)


def test_rows_of_a_run(folders):
    found = compare_rows(folders["plain"], [2, 1, 0])
    assert [(p.first.contest.number, p.second.contest.number) for p in found.pairs] == [(2, 1), (2, 0)]
    assert found.pairs[0].paths == (("crews.a", "60", "70"), ("crews.b", "50", "40"))
    assert [p.label for p in found.pairs] == ["opponent = 50 -> 40, crew a = 60 -> 70", "opponent = 50 -> 40"]
    for rows, message in (([1], "two or more"), ([1, 1], "two or more"), ([0, 9], "no such finished contest")):
        with pytest.raises(BadInput, match=message):
            compare_rows(folders["plain"], rows)


def test_contests_without_a_partner_are_named(folders, tmp_path):
    less = run(tmp_path / "less", {**TWO, "axes": [{"crew": ["60", "80"]}]})
    found = compare_runs(folders["plain"], less)
    assert len(found.pairs) == 2
    assert found.only_first == ["opponent = 40, crew a = 70", "opponent = 50, crew a = 70"]
    assert found.only_second == ["opponent = 40, crew a = 80", "opponent = 50, crew a = 80"]
    other = run(tmp_path / "other", {**TWO, "axes": [{"crew": ["90", "80"]}]})
    with pytest.raises(BadInput, match="no contest is called as one of the first"):
        compare_runs(folders["plain"], other)
    alone = [run(tmp_path / crew, {**TWO, "axes": [], "opponents": [crew]}) for crew in ("40", "50")]
    assert compare_runs(*alone).pairs[0].label == "60 - 40 -> 60 - 50"


def test_compare_prints(folders):
    plain, edged = folders["plain"].path, folders["edged"].path
    table = call("compare", plain, edged)
    assert table.exit_code == 0, table.output
    assert "rules.edge: 10 -> 40" in table.stdout
    found = json.loads(call("compare", plain, "--rows", "0,1", "--format", "json").stdout)
    (row,) = found["contests"]
    frame = pl.read_parquet(plain / "contests.parquet")
    assert row["difference"] == frame["difference"][1]
    assert (row["low"], row["high"], row["saving"]) == (
        frame["difference_low"][1], frame["difference_high"][1], frame["difference_saving"][1],
    )  # fmt: skip
    for words, message in (
        ((plain,), "what is compared?"), ((plain, edged, "--rows", "0,1"), "what is compared?"), ((plain, "--rows", "0,x"), "no numbers"),
        ((plain, plain / "units"), "no run folder"),
    ):  # fmt: skip
        result = call("compare", *words)
        assert result.exit_code == 2
        assert message in result.stderr


def test_runs_are_listed_and_broken_ones_named(tmp_path):
    run(tmp_path / "a", {**TWO, "games": 20})
    run(tmp_path / "deep" / "b", {**TWO, "games": 40, "seed": 8})
    run(tmp_path / "c", {**TWO, "games": 20})
    (tmp_path / "c" / "run.json").write_text("{}")
    run(tmp_path / "d", {**TWO, "games": 20})
    (tmp_path / "d" / "contests.parquet").write_bytes(b"no")
    (tmp_path / "empty").mkdir()
    found = {r.path.relative_to(tmp_path).as_posix(): r for r in listed(tmp_path)}
    assert set(found) == {"a", "c", "d", "deep/b"}
    assert (found["a"].status, found["a"].finished, found["a"].contests, found["a"].games) == ("complete", 4, 4, 80)
    assert (found["deep/b"].seed, found["deep/b"].games, found["deep/b"].kind) == (8, 160, "sweep")
    assert "not a manifest" in found["c"].why
    assert "contests.parquet" in found["d"].why
    result = call("runs", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("broken: ") == 2
    assert "4 of 4" in result.stdout
    as_json = json.loads(call("runs", tmp_path, "--format", "json").stdout)["runs"]
    assert [r["status"] for r in as_json] == ["complete", "broken", "broken", "complete"]
    assert call("runs", tmp_path / "nowhere").exit_code == 2
    assert "no run in" in call("runs", tmp_path / "empty").stdout


def coins(*crews, edge=10):
    return build(coinflip.GAME, Options(sets=(f"edge={edge}",)), [SideNames(c) for c in crews], 4000)


def test_a_pilot_measures_what_the_formulas_need():
    contest = coins("70", "40")
    found = plan.pilot([contest], 1)
    assert found.keys == 2000
    assert found.games_per_key == 2
    assert 0 < found.variance < 0.25
    step = plan.for_width(found, 1.0)
    assert step.keys == math.ceil((2 * 1.959964 / 0.01) ** 2 * found.variance)
    assert step.games == 2 * step.keys
    assert step.seconds == pytest.approx(step.games / found.games_per_second)
    halved = plan.for_width(found, 0.5)
    assert halved.keys == pytest.approx(4 * step.keys, rel=1e-3)
    known = plan.Pilot(1000, 2, 0.5, 0.125, None, 1.0)
    assert [plan.for_shift(known, d, 0.05, 0.8).keys for d in (2, 1, 0.5)] == [2453, 9812, 39245]


def test_what_the_gate_takes():
    """Against the Brownian formulas, worked out for the default terms: means 0.01 and 0.03, errors 0.025 and 0.05."""
    known = plan.Pilot(1000, 4, 0.0, 0.16, 0.4, 4.0)
    low, high = math.log(0.05 / 0.975), math.log(0.95 / 0.025)
    none, margin, beyond = plan.for_gate(known)
    assert (none.points, margin.points, beyond.points) == (0, 2, 4)
    assert margin.keys == math.ceil(-low * high / (0.02**2 / 0.16))
    assert none.keys == pytest.approx(-low * 0.16 / 0.02**2, rel=0.01)  # drift by half of the squared distance, and almost never up
    assert beyond.keys == pytest.approx(high * 0.16 / 0.02**2, rel=0.03)
    assert (none.games, none.seconds) == (2 * none.keys, 2 * none.keys / 1000)
    assert none.moved < 0.003 < 0.44 < margin.moved < 0.46 < 0.99 < beyond.moved
    assert plan.for_fixed_gate(known) == 2 * math.ceil((1.644854 + 1.959964) ** 2 * 0.16 / 0.02**2)
    alone = plan.Pilot(1000, 2, 0.5, 0.08, None, 2.0)  # the same change without common luck
    assert [s.keys for s in plan.for_gate(alone)] == [none.keys, margin.keys, beyond.keys]
    assert plan.for_gate(alone)[0].games == none.games
    unrelated = plan.Pilot(1000, 2, 0.5, 0.125, None, 2.0)  # docs/statistics.md
    assert [s.keys for s in plan.for_gate(unrelated)] == [1854, 6754, 2263]
    assert plan.for_fixed_gate(unrelated) == 2 * 8122
    assert [s.keys for s in plan.for_gate(plan.Pilot(1000, 4, 0.0, 0.001, 0.4, 4.0))] == [512] * 3
    assert plan.for_gate(plan.Pilot(1000, 2, 0.5, 0.0, None, 2.0)) == []


def test_a_pilot_of_two_data_sets_is_paired():
    contests = [coins("70", "40"), coins("71", "40")]
    found = plan.pilot(contests, 1)
    assert found.games_per_key == 4
    assert found.saving < 0.2
    assert found.mean > 0
    assert plan.for_shift(found, 1, 0.05, 0.8).keys < plan.for_shift(plan.pilot(contests[:1], 1), 1, 0.05, 0.8).keys
    assert plan.pilot([contests[0]] * 2, 1).variance == 0
    assert plan.pilot([coins("40", "40")], 1).variance == 0
    nearly = plan.pilot([coins("40", "40"), coins("40", "40", edge=11)], 1)
    assert nearly.variance > 0


def test_plan_prints_the_ladder_and_the_answer():
    words = ("plan", "70", "40", "--game", "coinflip", "--pilot", 400)
    result = call(*words, "--precision", 3)
    assert result.exit_code == 0, result.output
    assert "an interval no wider than 3 points needs" in result.stdout
    assert "Gate: bhsim check, margin 2, resolution 1 points" in result.stdout
    assert "no luck in common" in result.stdout
    result = call(*words, "--detect", 1.5, "--versus-set", "edge=12", "--format", "json")
    found = json.loads(result.stdout)
    assert [s["points"] for s in found["detect"]] == [5, 2, 1.5, 1, 0.5, 0.2, 0.1]
    assert found["asked"] == found["detect"][2]
    assert found["pilot"]["games_per_key"] == 4
    assert found["pilot"]["saving"] < 1
    assert [s["points"] for s in found["gate"]] == [0, 2, 4]
    assert found["gate"][0]["games"] == found["gate_fixed_games"] == 1024  # that little luck is left: the first look decides
    stronger = json.loads(call(*words, "--detect", 1.5, "--power", 0.95, "--versus-set", "edge=12", "--format", "json").stdout)
    assert stronger["asked"]["games"] > found["asked"]["games"]
    for option, value in (("--precision", 0), ("--detect", -1), ("--power", 1), ("--alpha", 0), ("--pilot", 5), ("--precision", "nan")):
        bad = call(*words, option, value)
        assert bad.exit_code == 2
        assert bad.stderr.startswith(f"error: {option}: out of range"), bad.stderr
    assert "give one of them" in call(*words, "--detect", 1, "--precision", 1).stderr
