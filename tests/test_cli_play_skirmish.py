"""play, sweep and report with the real engine, few games."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def play(a, b, *words, games=200):
    result = call("play", a, b, "--games", games, "--format", "json", *words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def timeless(found):
    return {k: v for k, v in found.items() if k not in ("seconds", "games_per_second")}


def test_both_orders_add_up_and_mirrors_tie():
    one, other = play("purple", "green"), play("green", "purple")
    assert one["sides"][0]["win_rate"] + other["sides"][0]["win_rate"] == pytest.approx(1)
    assert one["sides"][0]["wins"] == other["sides"][1]["wins"]
    mirror = play("purple", "purple")
    assert (mirror["sides"][0]["win_rate"], mirror["sides"][0]["low"], mirror["sides"][0]["high"]) == (0.5, 0.5, 0.5)


def test_threads_and_blocks_do_not_matter():
    first = timeless(play("purple", "green", "--threads", 1, "--block", 100))
    assert timeless(play("purple", "green", "--threads", 2, "--block", 7)) == first
    assert timeless(play("purple", "green", "--seed", 2)) != first


def test_points_and_rounds_make_sense():
    found = play("purple", "green", "--bot-b", "racer")
    for side in found["sides"]:
        assert sum(side["points_from"].values()) == pytest.approx(side["points_mean"])
        assert side["low"] <= side["win_rate"] <= side["high"]
    assert found["sides"][1]["bot"] == "racer"
    assert found["house_values"] is True
    assert 1 <= found["rounds"]["p05"] <= found["rounds"]["p50"] <= found["rounds"]["p95"] <= 40
    assert found["sides"][0]["wins"] + found["sides"][1]["wins"] + found["draws"] + found["round_limit"] == found["games"]


def test_a_changed_number_changes_digest_and_result():
    base, strong = play("purple", "green"), play("purple", "green", "--set", "runners.gh0st.attack=9")
    assert base["data_digest"] != strong["data_digest"]
    assert base["sides"] != strong["sides"]


def test_rows_agree_with_the_summary(tmp_path):
    found = play("purple", "green", "--rows", tmp_path / "r.parquet")
    frame = pl.read_parquet(tmp_path / "r.parquet")
    assert frame["share_a"].mean() == pytest.approx(found["sides"][0]["win_rate"])
    won = frame.filter(pl.col("winner") == 0)
    assert (won["margin"] > 0).mean() > 0.9
    assert frame["rounds"].mean() == pytest.approx(found["rounds"]["mean"])
    for side in (0, 1):
        assert frame[f"points_{'ab'[side]}"].mean() == pytest.approx(found["sides"][side]["points_mean"])
    assert frame["first_side"].mean() == 0.5  # both sides of a key's pair hold the token once
    assert (frame["turns"] >= frame["rounds"] * 2).all()


def test_sweep_and_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "s.toml"
    spec.write_text(
        'name = "s"\ngames = 40\ncrew = "purple"\nopponents = ["green"]\n'
        '[[axes]]\npath = "runners.gh0st.attack"\nvalues = [1, 4]\n'
        '[[axes]]\nbot = ["random", "racer"]\nside = "both"\n'
    )
    result = call("sweep", spec)
    assert result.exit_code == 0, result.output
    assert call("report", "reports/s").exit_code == 0
    frame = pl.read_parquet("reports/s/contests.parquet")
    assert frame.select("axis: runners.gh0st.attack", "bot_a", "bot_b").rows() == [
        ("1", "random", "random"),
        ("1", "racer", "racer"),
        ("4", "random", "random"),
        ("4", "racer", "racer"),
    ]
    runners = pl.read_parquet("reports/s/runners.parquet")
    assert runners.filter(pl.col("contest") == 0)["activations"].sum() > 0
    html = (tmp_path / "reports" / "s" / "report.html").read_text()
    assert "Gh0st" in html
    assert "House values" in html


@pytest.mark.parametrize(
    "words", [("purple", "nobody"), ("purple", "green", "--set", "runners.gh0st.atack=3"), ("purple", "green", "--bot-a", "genius")]
)
def test_bad_names_exit_2(words):
    result = call("play", *words, "--games", 10)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_readme_shows_the_present_data():
    """The first thing that a reader compares: the digest of the starter match-up."""
    shown = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"data digest   {play('purple', 'green', games=20)['data_digest']}\n" in shown
