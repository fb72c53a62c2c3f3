"""Contests that end when their interval is narrow enough, and the games of a contest that are worth a replay."""

import json

import numpy as np
import polars as pl
import pytest
from coinflip import GAME, CoinFlip
from test_lab_sweep import content

from bhsim.errors import BadInput
from bhsim.lab import carry, store
from bhsim.lab.findings import findings_of
from bhsim.lab.notable import Margins
from bhsim.lab.precision import lasting, looks
from bhsim.lab.runs import UNIT_KEYS, units_of
from bhsim.lab.sweep import contests_of, parse_spec
from bhsim.stats.intervals import from_keys

# Against 53 nearly all keys are one win each, so the interval is narrow at once; against 99 it takes more than max_games.
SPEC = {"name": "p", "game": "coinflip", "seed": 5, "crew": "50", "opponents": ["53", "65", "99"], "precision": 1.78, "max_games": 6000}


def run(path, resume=False, spec=SPEC, **options):
    parsed = parse_spec(spec)
    contests = contests_of(parsed, GAME)
    manifest = store.manifest_of(parsed.name, "sweep", contests, parsed.seed, parsed.model_dump(mode="json"), "bhsim sweep p.toml")
    folder = store.resume(path, manifest, contests) if resume else store.create(path, manifest, contests, False)
    carry.run(folder, parsed.seed, **options)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return run(tmp_path_factory.mktemp("runs") / "whole", threads=1, block=300)


def test_looks_double():
    assert looks(6000) == (1024, 2048, 4096, 6000)
    assert looks(4096) == (1024, 2048, 4096)
    assert looks(10) == (10,)


def test_units_end_at_looks_and_stay_below_their_largest_size():
    spec = parse_spec({**SPEC, "max_games": 600_000})
    contest = contests_of(spec, GAME)[0]
    units = list(units_of([contest]))
    ends = {u.first_key + u.keys for u in units}
    assert ends >= set(contest.looks)
    assert [u.part for u in units] == list(range(len(units)))
    assert sum(u.keys for u in units) == contest.keys == 300_000
    assert max(u.keys for u in units) == UNIT_KEYS


def test_contests_end_at_the_first_look_that_is_narrow_enough(whole):
    frame = pl.read_parquet(whole.path / "contests.parquet")
    assert frame["games"].to_list() == [2 * k for k in (1024, 2048, 3000)]
    assert frame["ended_by"].to_list() == ["precision", "precision", "max_games"]
    widths = (frame["high_a"] - frame["low_a"]).to_list()
    assert widths[0] <= 0.0178
    assert widths[1] <= 0.0178 < widths[2]
    assert (frame["lasting_low_a"] < frame["low_a"]).all()
    assert (frame["lasting_high_a"] > frame["high_a"]).all()
    assert [c.games for c in whole.finished()] == frame["games"].to_list()


def test_the_rule_and_its_looks_stand_in_the_manifest_before_the_first_game(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "r", progress=lambda games: (_ for _ in ()).throw(KeyboardInterrupt))
    manifest = json.loads((tmp_path / "r" / "run.json").read_text())
    assert manifest["stop"]["precision"] == 1.78
    assert manifest["contests"][0]["looks"] == [1024, 2048, 3000]
    assert not (tmp_path / "r" / "contests.parquet").exists()


@pytest.mark.parametrize("stop", [1500, 3500, 7000])
def test_resumed_at_any_point_it_comes_to_the_same_bytes(whole, tmp_path, stop):
    seen = []

    def interrupt(games):
        seen.append(games)
        if sum(seen) >= stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "r", threads=1, block=100, progress=interrupt)
    again = []
    run(tmp_path / "r", resume=True, threads=2, block=77, progress=again.append)
    assert content(tmp_path / "r") == content(whole.path)
    assert sum(again) < 12_192


def test_another_precision_is_another_run(whole, tmp_path):
    run(tmp_path / "r")
    with pytest.raises(BadInput, match="another spec"):
        run(tmp_path / "r", resume=True, spec={**SPEC, "precision": 2.0})
    file = tmp_path / "r" / "run.json"
    manifest = json.loads(file.read_text())
    for looks_ in ([1024, 3001], [2048, 1024, 3000], [0, 3000], [3000, 3000]):
        manifest["contests"][0]["looks"] = looks_
        file.write_text(json.dumps(manifest))
        with pytest.raises(BadInput, match=r"contests\.0\.looks"):
            store.open_folder(tmp_path / "r")


def test_opened_again_it_knows_what_was_played(whole):
    opened = store.open_folder(whole.path)
    assert [c.keys for c in opened.finished()] == [1024, 2048, 3000]
    assert opened.missing() == []
    assert opened.games_left() == 0
    assert [c.keys for c in opened.contests] == [3000] * 3
    assert findings_of(opened).results[0].facts.games == 2048


def test_contests_of_unlike_length_are_compared_over_common_keys(tmp_path):
    spec = {**SPEC, "opponents": ["60"], "axes": [{"crew": ["99", "60"]}], "crew": None}
    found = findings_of(run(tmp_path / "r", spec={k: v for k, v in spec.items() if v is not None}))
    assert [r.contest.keys for r in found.results] == [3000, 1024]  # a mirror match is exact and ends at the first look
    assert found.differences[1].keys == 1024


def test_a_mirror_match_ends_at_the_first_look_however_fine_the_precision(tmp_path):
    folder = run(tmp_path / "r", spec={**SPEC, "opponents": ["50"], "precision": 0.05})
    assert [c.keys for c in folder.finished()] == [1024]


def test_the_lasting_interval_is_wider_and_exact_for_a_mirror():
    score = from_keys(np.array([0, 0.5, 1]), np.array([400, 200, 424]))
    found = lasting(score)
    assert found.low < score.low < score.high < found.high
    mirror = from_keys(np.array([0.5]), np.array([10]), mirror=True)
    assert lasting(mirror) == (0.5, 0.5)


def outcomes(margins):
    return np.stack([np.zeros(len(margins), np.uint8), np.array(margins, np.int8).view(np.uint8)], axis=1)


def test_best_worst_and_median_game():
    margins = [0, 3, -2, 3, -2, 1, 0, -128, 127, 1]
    whole, parts = Margins(), Margins()
    whole.add(outcomes(margins))
    for first in range(0, 10, 2):
        parts.add(outcomes(margins[first : first + 2]))
    assert whole.notable() == parts.notable()
    found = whole.notable()
    assert found.games == {"best": 8, "worst": 7, "median": 0}  # sorted: -128 -2 -2 0 0 1 1 3 3 127, the lower middle is 0
    assert found.margins == (127, -128, 0)
    odd = Margins()
    odd.add(outcomes([5, -1, 2, 2, -1]))
    assert odd.notable().games == {"best": 0, "worst": 1, "median": 2}
    with pytest.raises(ValueError, match="no games"):
        Margins().notable()


def test_notable_games_of_a_run_are_those_of_its_outcomes(whole):
    found = findings_of(whole)
    for contest in whole.finished():
        margins = np.concatenate(list(whole.outcomes(contest)))[:, 1].view(np.int8)
        games = found.notable[contest.number].games
        assert games["best"] == margins.argmax()
        assert games["worst"] == margins.argmin()
        assert margins[games["median"]] == np.sort(margins)[(len(margins) - 1) // 2]


def test_an_engine_fault_ends_the_run_and_is_not_stored(tmp_path, monkeypatch):
    original = CoinFlip.play_block

    def faulty(self, tables, sides, root, first_key, keys, tally, *rest):
        original(self, tables, sides, root, first_key, keys, tally, *rest)
        tally["bad"] += first_key >= 1024

    monkeypatch.setattr(CoinFlip, "play_block", faulty)
    with pytest.raises(RuntimeError, match="fault of the engine"):
        run(tmp_path / "r", threads=1)
    assert {p.name for p in (tmp_path / "r" / "units").iterdir()} == {f"c0000{n}-u00000.parquet" for n in range(3)}
