"""Sensitivity: specs, designs over contests, effects from a run folder, the verb."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from coinflip import GAME
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.game import find
from bhsim.lab import carry, store
from bhsim.lab.factors import parse_sensitivity, planned
from bhsim.lab.findings import key_scores
from bhsim.lab.sensitivity import POOLED, measure, rows, write_effects
from bhsim.stats.factorial import two_level

SPEC = {
    "name": "coins", "game": "coinflip", "games": 2400, "seed": 3, "crew": "60", "opponents": ["40", "50"], "pairs": True,
    "factors": [{"path": "rules.edge", "low": 0, "high": 40}, {"path": "rules.draw", "low": 0, "high": 30}],
}  # fmt: skip


def run(folder, **changes):
    spec = parse_sensitivity(SPEC | changes)
    plan = planned(spec, GAME)
    asked = spec.model_dump(mode="json") | {"design": plan.record()}
    manifest = store.manifest_of(spec.name, "sensitivity", plan.contests, spec.seed, asked, "bhsim sensitivity coins.toml")
    carry.run(store.create(folder, manifest, plan.contests, False), spec.seed, 1)
    return store.open_folder(folder)


def test_contests_are_the_runs_of_the_design():
    plan = planned(parse_sensitivity(SPEC), GAME)
    assert [c.setting for c in plan.contests[:3]] == [
        {"opponent": "40", "levels": "--"}, {"opponent": "50", "levels": "--"}, {"opponent": "40", "levels": "+-"},
    ]  # fmt: skip
    assert [(c.bundle.edge, c.bundle.draw) for c in plan.contests[::2]] == [(0, 0), (40, 0), (0, 30), (40, 30)]
    assert plan.contests[2].bundle is plan.contests[3].bundle
    assert [(f.present, f.low, f.high) for f in plan.factors] == [(10, 0, 40), (0, 0, 30)]


def test_effects_are_differences_of_rates(tmp_path):
    folder = run(tmp_path / "run")
    found = measure(folder)
    scores = {tuple(c.setting.values()): key_scores(folder, c) for c in folder.contests}
    for rival in ("40", "50"):
        by_path = {m.factors[0].path: m.effect for m in found.family(rival)}
        high = (scores[rival, "-+"] + scores[rival, "++"]) / 2
        low = (scores[rival, "--"] + scores[rival, "+-"]) / 2
        assert by_path["rules.draw"].mean == pytest.approx((high - low).mean())
        assert by_path["rules.draw"].se == pytest.approx((high - low).std() / np.sqrt(1200))
        assert by_path["rules.draw"].mean < 0  # the better coin loses by draws
    pooled = {m.factors[0].path: m.effect.mean for m in found.family()}
    for path, mean in pooled.items():
        each = [m.effect.mean for m in found.main if m.factors[0].path == path and m.opponent != POOLED]
        assert mean == pytest.approx(np.mean(each))
    sizes = [abs(m.effect.mean) for m in found.family("40")]
    assert sizes == sorted(sizes, reverse=True)
    assert len(found.pairs) == 3


def test_margin_and_distance(tmp_path):
    folder = run(tmp_path / "margin", metric="margin", opponents=["40"])
    found = measure(folder)
    means = {c.setting["levels"]: np.concatenate(list(folder.outcomes(c)))[:, 1].view(np.int8).mean() for c in folder.contests}
    effect = next(m.effect for m in found.family() if m.factors[0].path == "rules.edge")
    assert effect.mean == pytest.approx((means["++"] + means["+-"] - means["-+"] - means["--"]) / 2)
    assert found.unit == "points a game"

    folder = run(tmp_path / "distance", metric="distance from one half", crew="40", opponents=["60"])
    far = {c.setting["levels"]: abs(key_scores(folder, c).mean() - 0.5) for c in folder.contests}
    effect = next(m.effect for m in measure(folder).family() if m.factors[0].path == "rules.draw")
    assert effect.mean == pytest.approx((far["++"] + far["-+"] - far["+-"] - far["--"]) / 2)
    assert effect.mean < 0  # draws bring both nearer to one half, although the rate of the weaker side rises


def test_table_has_every_effect(tmp_path):
    folder = run(tmp_path / "run")
    found = measure(folder)
    write_effects(folder, found)
    frame = pl.read_parquet(tmp_path / "run" / "effects.parquet")
    assert frame.height == len(rows(found)) == 9
    assert frame.filter(pl.col("with").is_null())["low_level"].to_list() == ["0"] * 6
    assert (frame["low"] <= frame["effect"]).all()
    assert (frame["p"] <= frame["q"] + 1e-12).all()


def test_pattern_takes_what_can_be_varied():
    spec = parse_sensitivity(SPEC | {"factors": [{"paths": "rules.*", "step": 5}, {"paths": "crews.*", "step": 1}, SPEC["factors"][1]]})
    plan = planned(spec, GAME)
    assert [(f.path, f.low, f.high) for f in plan.factors] == [("rules.edge", 5, 15), ("rules.fault", -6, 4), ("rules.draw", 0, 30)]
    assert plan.skipped == (("crews.*", "2 of 2 values that match are no numbers"),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"factors": [{"path": "rules.edge", "low": 1}]}, "factors.0.path: goes with high and low"),
        ({"factors": [{"path": "rules.edge", "low": 1, "high": 1}]}, "factors.0.high: 1 is the low value"),
        ({"factors": [{"paths": "rules.*"}]}, "factors.0.paths: goes with step"),
        ({"factors": [{"low": 1, "high": 2}]}, "has either path"),
        ({"factors": [{"paths": "rules.*", "step": 0}]}, "factors.0.step"),
        ({"factors": []}, "factors: has 0 entries"),
        ({"axes": []}, "axes: unknown key"),
        ({"metric": "luck"}, "metric: unknown word"),
        ({"factors": [{"path": "rules.none", "low": 1, "high": 2}]}, "factors.0.path"),
        ({"factors": [SPEC["factors"][0]] * 2}, "factors.1.path: rules.edge: stands twice"),
        ({"factors": [{"paths": "rulez.*", "step": 1}]}, "matches no value"),
        ({"factors": [{"paths": "crews.*", "step": 1}]}, "nothing that matches can be varied"),
    ],
)
def test_bad_specs(changes, words):
    with pytest.raises(BadInput) as caught:
        planned(parse_sensitivity(SPEC | changes), GAME)
    assert len(caught.value.faults) == 1
    assert re.search(re.escape(words), str(caught.value)), str(caught.value)


def test_too_many_runs_are_refused_with_the_figure(monkeypatch):
    monkeypatch.setattr("bhsim.lab.factors.MAX_RUNS", 2)
    with pytest.raises(BadInput, match="2 factors with all pairs need 4 runs against each of 2 opponents: 8 contests, 19,200 games"):
        planned(parse_sensitivity(SPEC), GAME)


TOML = """
name = "coins"
game = "coinflip"
games = 400
crew = "60"
opponents = ["40"]
[[factors]]
path = "rules.edge"
low = 0
high = 40
[[factors]]
path = "rules.draw"
low = 0
high = 30
"""


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def content(folder):
    found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    manifest = json.loads(found.pop("run.json"))
    manifest.pop("times")
    return found, manifest


def test_verb_writes_the_same_folder_whatever_the_threads(tmp_path):
    (tmp_path / "s.toml").write_text(TOML)
    one = call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "a", "--threads", 1, "--format", "json")
    assert one.exit_code == 0, one.output
    two = call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "b", "--threads", 2, "--block", 7)
    assert two.exit_code == 0, two.output
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert {"effects.parquet", "plots/tornado.svg", "plots/tornado.png"} <= set(content(tmp_path / "a")[0])
    found = json.loads(one.stdout)
    assert {e["path"]: (e["present"], e["low_level"], e["high_level"]) for e in found["effects"]} == {
        "rules.draw": ("0", "0", "30"), "rules.edge": ("10", "0", "40"),
    }  # fmt: skip
    assert found["pairs"] == []
    assert "rules.draw" in two.stdout
    assert "now" in two.stdout


def test_verb_resumes_to_the_same_bytes(tmp_path):
    (tmp_path / "s.toml").write_text(TOML)
    assert call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "a").exit_code == 0
    assert call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "b").exit_code == 0
    (tmp_path / "b" / "effects.parquet").unlink()
    for unit in sorted((tmp_path / "b" / "units").iterdir())[2:]:
        unit.unlink()
    resumed = call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "b", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert "2 of 4 contests are finished already" in resumed.stderr
    assert content(tmp_path / "a") == content(tmp_path / "b")
    (tmp_path / "s.toml").write_text(TOML.replace("high = 30", "high = 31"))
    assert call("sensitivity", tmp_path / "s.toml", "--out", tmp_path / "b", "--resume").exit_code == 2
    both = call("sensitivity", tmp_path / "s.toml", "--resume", "--force")
    assert both.exit_code == 2


SKIRMISH = """
name = "attack"
games = 8
crew = "purple"
opponents = ["green"]
pairs = true
[[factors]]
paths = "runners.w*.attack"
step = 1
[[factors]]
path = "rules.hack_states"
low = "same"
high = "each"
"""
ROOT = Path(__file__).parent.parent


def bhsim(*words):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bhsim", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)


def test_skirmish_in_a_process_of_its_own(tmp_path):
    spec = tmp_path / "attack.toml"
    spec.write_text(SKIRMISH)
    checked = bhsim("validate", spec)
    assert (checked.returncode, checked.stdout) == (0, f"{spec}: sensitivity, no fault\n"), checked.stderr
    played = bhsim("sensitivity", spec, "--out", tmp_path / "run", "--format", "json")
    assert played.returncode == 0, played.stderr
    found = json.loads(played.stdout)
    levels = {row["path"]: (row["present"], row["low_level"], row["high_level"]) for row in found["effects"]}
    assert levels == {
        "runners.wee_rin.attack": ("3", "2", "4"), "runners.wyld_chyld.attack": ("2", "1", "3"),
        "rules.hack_states": ("same", "same", "each"),
    }  # fmt: skip
    assert (found["runs"], len(found["pairs"])) == (8, 3)
    reported = bhsim("report", tmp_path / "run")
    assert reported.returncode == 0, reported.stderr
    assert "## What matters" in (tmp_path / "run" / "report.md").read_text()


def test_a_level_out_of_range_has_its_line(tmp_path):
    spec = tmp_path / "attack.toml"
    spec.write_text(SKIRMISH.replace('high = "each"', 'high = "some"'))
    for verb in ("validate", "sensitivity"):
        done = bhsim(verb, spec)
        assert done.returncode == 2
        assert f"{spec}:11: factors.1.path: rules.hack_states: unknown word" in done.stderr, done.stderr


def test_what_the_bandwidth_refuses_is_kept_at_its_value():
    """Purple costs 20 of 20 bandwidth: dearer runners are refused, cheaper ones are not; and two rules that clash are named together."""
    game = find("skirmish")
    spec = {
        "name": "cost",
        "games": 2,
        "crew": "purple",
        "opponents": ["green"],
        "factors": [{"paths": "runners.gh0st.bandwidth", "step": 1}],
    }
    plan = planned(parse_sensitivity(spec), game)
    assert [(f.path, f.low, f.present, f.high) for f in plan.factors] == [("runners.gh0st.bandwidth", 2, 3, 3)]
    clash = [{"path": "rules.data_signal", "low": 5, "high": 6}, {"path": "rules.data_signal_max", "low": 5, "high": 6}]
    with pytest.raises(BadInput, match=r"when together: rules.data_signal = 6, rules.data_signal_max = 5"):
        planned(parse_sensitivity(spec | {"factors": clash}), game)


def test_the_page_has_a_spec_that_runs():
    page = (ROOT / "docs" / "what-matters.md").read_text()
    spec = tomllib.loads(page.split("```toml")[1].split("```")[0])
    plan = planned(parse_sensitivity(spec | {"games": 2}), find("skirmish"))
    assert plan.design.runs == 128
    assert {f.path for f in plan.factors} > {"rules.points_to_win", "runners.gh0st.attack"}
    rows = [
        line.strip("| ").split(" | ")
        for line in page.splitlines()
        if re.match(r"\| (factors|runs|factors with pairs)(, up to)? \| \d", line)
    ]
    for (_, *factors), (_, *runs), pairs in ((rows[0], rows[1], False), (rows[2], rows[3], True)):
        assert [two_level(int(k), pairs).runs for k in factors] == [int(r) for r in runs]
        most = [int(k) for k in factors if int(k) < 100]
        assert all(two_level(k + 1, pairs).runs > two_level(k, pairs).runs for k in most)
