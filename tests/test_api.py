"""The Python interface, mostly with a game of coins: the same numbers as the command line, typed, and nothing written unasked."""

import dataclasses
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import coinflip
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.api.asking import per_side, sets_of, toml_text
from bhsim.cli.app import app

ROOT = Path(__file__).parents[1]
COINS = {"game": coinflip.GAME.name}
SWEEP = {**COINS, "games": 400, "crew": "60", "opponents": ["40", "50"], "axes": [{"path": "edge", "values": [0, 10, 20]}]}
FACTORS = {**COINS, "games": 400, "crew": "60", "opponents": ["40"], "factors": [{"path": "rules.edge", "low": 0, "high": 40}]}
PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def match():
    return bhsim.play("60", "40", games=2000, seed=3, **COINS)


def cli(*words):
    done = CliRunner().invoke(app, [str(w) for w in words])
    assert done.exit_code == 0, done.stderr
    return done


def files(folder):
    """Bytes of a run folder without the times."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    manifest = json.loads(found["run.json"])
    assert manifest.pop("times")
    return found | {"run.json": manifest}


def faults(function, *given, **named):
    with pytest.raises(bhsim.BadInput) as caught:
        function(*given, **named)
    return str(caught.value)


def test_the_import_is_light_and_complete():
    heavy = ("numba", "numpy", "polars", "scipy", "matplotlib", "rich", "pydantic")
    code = f"import sys, bhsim; print([m for m in {heavy} if m in sys.modules], {{*bhsim.__all__}} <= {{*dir(bhsim)}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[] True"
    assert all(getattr(bhsim, name) for name in bhsim.__all__)
    assert (Path(bhsim.__file__).parent / "py.typed").exists()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        bhsim.nonsense  # noqa: B018


def test_play_says_what_the_command_says(match):
    found = json.loads(cli("play", "60", "40", "--game", "coinflip", "--games", 2000, "--seed", 3, "--format", "json").stdout)
    for name in ("game", "engine", "data_digest", "seed", "house_values", "games", "pairs"):
        assert getattr(match, name) == found[name]
    assert [dataclasses.asdict(side) for side in match.sides] == found["sides"]
    assert dataclasses.asdict(match.first_player) == found["first_player"]
    assert (match.contest.draws, match.contest.round_limit, match.contest.rounds) == (found["draws"], found["round_limit"], found["rounds"])
    assert (match.win_rate, match.low, match.high) == tuple(found["sides"][0][n] for n in ("win_rate", "low", "high"))
    assert match.folder is None
    assert match.frame["wins"].to_list() == [side["wins"] for side in found["sides"]]


def test_results_are_frozen(match):
    with pytest.raises(dataclasses.FrozenInstanceError):
        match.seed = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        match.contest.win_rate = 1.0


def test_folders_are_those_of_the_command_line(empty_folder):
    words = ("60", "40", "--game", "coinflip", "--set", "edge=20", "--deck-b", "old", "--games", 300, "--seed", 7)
    cli("play", *words, "--out", "cli_play")
    bhsim.play("60", "40", set={"edge": 20}, decks=(None, "old"), games=300, seed=7, out=empty_folder / "api_play", **COINS)
    cli("baseline", "60", "40", "50", "--game", "coinflip", "--games", 300, "--out", "cli_base")
    bhsim.baseline("60", "40", "50", games=300, out="api_base", **COINS)
    Path("coins.toml").write_text(
        'name = "coins"\ngame = "coinflip"\ncrew = "60"\nopponents = ["40"]\n[[axes]]\npath = "edge"\nvalues = [0, 9]\n'
    )
    cli("sweep", "coins.toml", "--games", 200, "--set", "draw=5", "--out", "cli_sweep")
    bhsim.sweep("coins.toml", games=200, set={"draw": 5}, out="api_sweep")
    for kind in ("play", "sweep"):
        assert files(empty_folder / f"api_{kind}") == files(empty_folder / f"cli_{kind}")
    ours, theirs = (files(empty_folder / f"{who}_base") for who in ("api", "cli"))
    assert ours["run.json"].pop("command") == theirs["run.json"].pop("command").replace("cli_base", "api_base")
    assert ours == theirs


def test_nothing_is_written_unasked(empty_folder, match):
    bhsim.sweep(SWEEP).plot()
    bhsim.sensitivity(FACTORS).plot()
    bhsim.plan("60", "40", pilot=200, **COINS).plot()
    bhsim.compare(match, match).plot()
    assert list(empty_folder.iterdir()) == []


def test_a_run_in_memory_is_the_stored_run(empty_folder):
    kept, stored = bhsim.sweep(SWEEP), bhsim.sweep(SWEEP, out="run", threads=1)
    assert kept.contests == stored.contests
    assert kept.frame.equals(pl.read_parquet("run/contests.parquet"))
    assert kept.tables["runners"].equals(pl.read_parquet("run/runners.parquet"))
    assert (kept.folder, stored.folder) == (None, Path("run"))
    assert [c.setting["edge"] for c in kept.contests] == ["0", "10", "20"] * 2
    assert kept.frame["win_rate_a"].to_list() == [c.win_rate for c in kept.contests]
    assert kept.games == 2400
    spec = {**COINS, "crew": "75", "opponents": ["45"], "precision": 1.5, "max_games": 40_000}
    precise = bhsim.sweep(spec)
    assert bhsim.sweep(spec, games=400).games == 400
    assert 2048 < precise.games < 40_000
    assert precise.contests[0].high - precise.contests[0].low <= 0.015
    assert precise.frame["ended_by"].to_list() == ["precision"]


def test_changes_reach_the_data(match):
    assert bhsim.play("60", "40", games=2000, seed=3, set={"edge": 0}, **COINS).data_digest != match.data_digest
    assert bhsim.play("60", "40", games=2000, seed=3, set={"edge": 10}, **COINS).win_rate == match.win_rate
    assert bhsim.play("60", "40", games=2000, seed=4, **COINS).win_rate != match.win_rate
    mirror = bhsim.play("60", "60", games=200, **COINS)
    assert (mirror.win_rate, mirror.low, mirror.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "value",
    [3, -2.5, 1e300, True, False, "", "two words", 'a "b"\n\\ c\x7f é', [1, [2, "x"]], {"op": "draw", "count": 1, "odd key": [True]}],
)
def test_values_as_toml(value):
    assert tomllib.loads(f"value = {toml_text(value, 'x')}") == {"value": value}
    assert "\n" not in toml_text(value, "x")


def test_small_types():
    assert sets_of({"a.b": np.int64(3), "c": np.float64(0.5), "d": (1, 2)}) == ("a.b=3", "c=0.5", "d=[1, 2]")
    assert per_side("x", "decks") == ("x", "x")
    assert per_side([None, Path("a/b.txt")], "decks") == (None, "a/b.txt")


def test_compare_is_paired_and_names_what_differs(match):
    other = bhsim.play("60", "40", games=2000, seed=3, set={"edge": 30}, **COINS)
    found = bhsim.compare(match, other)
    (change,) = found.changes
    assert change.difference == pytest.approx(other.win_rate - match.win_rate)
    assert change.low < change.difference < change.high
    assert (change.paired, change.pairs, change.paths) == (True, 1000, (("rules.edge", 10, 30),))
    assert found.frame["paths"].to_list() == [["rules.edge: 10 -> 30"]]
    assert (found.games, found.seed, found.data_digest) == (4000, 3, other.data_digest)
    assert not bhsim.compare(match, bhsim.play("60", "40", games=2000, seed=4, **COINS)).changes[0].paired
    sweep = bhsim.sweep(SWEEP)
    rows = bhsim.compare(sweep, rows=[0, 2])
    assert rows.changes[0].first == sweep.contests[0].win_rate
    assert rows.changes[0].second == sweep.contests[2].win_rate
    assert rows.games == 800


def test_the_gate(empty_folder):
    base = bhsim.baseline("55", "50", games=2000, out="base", **COINS)
    same = bhsim.check(base)
    assert (same.verdict, same.moved, same.games) == ("identical", False, 0)
    assert same.data_digest == base.data_digest
    assert same.frame.schema["then"] == pl.Float64
    moved = bhsim.check("base", set={"edge": 90}, max_games=8000, out="answer")
    document = json.loads(Path("answer/check.json").read_text())
    assert moved.verdict == document["verdict"]
    assert moved.document == document
    assert Path("answer/check.md").read_text() == moved.markdown
    assert moved.cells[0].paths == (("rules.edge", 10, 90),)
    assert moved.cells[0].change == document["cells"][0]["sides"][0]["change"]
    assert moved.games == document["cells"][0]["games"]
    assert moved.data_digest != base.data_digest
    assert moved.plot()._repr_png_().startswith(PNG)
    assert "exists already" in faults(bhsim.check, "base", out="answer")
    assert "in memory only" in faults(bhsim.check, bhsim.play("55", "50", games=200, **COINS))
    bhsim.baseline("55", "50", "45", games=600, out="all", **COINS)
    assert faults(bhsim.check, "all", decks="x").startswith("decks: ")


def test_sensitivity(empty_folder):
    found = bhsim.sensitivity(FACTORS, out="run")
    (effect,) = found.effects
    assert (effect.path, effect.now, effect.low_level, effect.high_level) == ("rules.edge", 10, 0, 40)
    low, high = (bhsim.play("60", "40", games=400, set={"edge": edge}, **COINS).win_rate for edge in (0, 40))
    assert effect.effect == pytest.approx(100 * (high - low))
    assert effect.low <= effect.effect <= effect.high
    assert found.frame.equals(pl.read_parquet("run/effects.parquet"))
    assert found.plot()._repr_png_() == Path("run/plots/tornado.png").read_bytes()
    assert "tornado" in faults(found.plot, "other")
    again = bhsim.sensitivity(FACTORS, out="run", resume=True)
    assert again.effects == found.effects


def test_plan():
    found = bhsim.plan("60", "40", precision=2, pilot=400, versus_set={"edge": 30}, seed=2, **COINS)
    asked = next(step for step in found.widths if step.points == 2)
    assert (found.needed, found.games) == (asked.games, 800)
    assert found.frame.filter(pl.col("question") == "width", pl.col("points") == 2)["games"].to_list() == [asked.games]
    assert found.saving is not None
    assert bhsim.plan("60", "40", pilot=400, **COINS).needed is None


def test_effects_of_cards(empty_folder):
    found = bhsim.effects("purple", "green", builds=40, games=8, bots="random", out="run")
    assert found.frame.equals(pl.read_parquet("run/effects.parquet"))
    assert (found.part, found.builds, found.games, len(found.restricted)) == ("cards", 40, 41 * 8, 0)
    assert found.plot()._repr_png_().startswith(PNG)
    assert faults(bhsim.effects, "purple", "green", builds=2).startswith("builds: ")
    runs = bhsim.effects("purple", "green", builds=40, games=4, bots="random", restricted=["racer"]).restricted
    assert set(runs["bot"]) == {"racer"}
    assert set(runs["how"]) == {"never", "always"}


def test_plots_and_what_a_notebook_shows(match):
    assert match.plots == ["rates", "points", "rounds", "margins", "tempo", "runners"]
    figure = match.plot()
    assert figure.axes[0].get_title(loc="left") == "Win rates"
    assert match.plot("margins").axes[0].get_title(loc="left") == "Margin"
    assert figure._repr_png_().startswith(PNG)
    sweep = bhsim.sweep(SWEEP)
    assert sweep.plot().axes[0].get_xlabel() == "edge"
    assert "rates" in faults(sweep.plot, "nothing")
    change = bhsim.compare(match, match)
    answers = (match, sweep, change, bhsim.sensitivity(FACTORS), bhsim.plan("60", "40", pilot=200, **COINS))
    for answer in answers:
        assert "house values" in answer._repr_html_()
        assert "<table>" in answer._repr_html_()
        assert "house values" in repr(answer)
    assert f"{100 * match.win_rate:.2f} %" in repr(match)
    named = bhsim.sweep({**SWEEP, "axes": [{"path": "edge", "values": [1, 2], "name": "<b>&"}]})
    assert "&lt;b&gt;&amp;" in named._repr_html_()
    assert "<b>" not in named._repr_html_()


def test_threads_change_nothing(match):
    assert bhsim.play("60", "40", games=2000, seed=3, threads=1, **COINS).contests == match.contests
    assert bhsim.play("60", "40", games=2000, seed=3, threads=2, **COINS).contests == match.contests


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"games": 0}, "games: is out of range, got 0"),
        ({"games": "10"}, "games: must be a whole number"),
        ({"seed": -1}, "seed: is out of range, got -1"),
        ({"threads": 0}, "threads: out of range"),
        ({"executor": "grid"}, "executor: no such executor, got 'grid' (allowed: local, dask)"),
        ({"scheduler": "tcp://x"}, "scheduler: goes with the executor dask only"),
        ({"set": {"edgy": 1}}, "edgy: no such path"),
        ({"set": {"edge": None}}, "edge: is no value"),
        ({"set": ["edge=1"]}, "set: are no changes"),
        ({"variants": 3}, "variants: are no names"),
        ({"cardset": 3}, "cardset: is no name, got 3"),
        ({"decks": ("a", "b", "c")}, "decks: is not for two sides"),
        ({"bots": 3}, "bots: is not for two sides"),
        ({"game": "chess"}, "game: no such game"),
    ],
)
def test_what_is_wrong_is_said(empty_folder, given, said):
    assert said in faults(bhsim.play, "60", "40", out="run", **{**COINS, **given})
    assert list(empty_folder.iterdir()) == []


def test_what_else_is_wrong(match, empty_folder):
    assert "no bias, got 'heads'" in faults(bhsim.play, "heads", "40", **COINS)
    assert "crew_b: is no name" in faults(bhsim.play, "60", 40, **COINS)
    assert "two crews or more" in faults(bhsim.baseline, "60", out="x", **COINS)
    assert "second: what is compared?" in faults(bhsim.compare, match)
    assert faults(bhsim.compare, match, rows=[0, 0]).startswith("rows: ")
    assert "no run folder" in faults(bhsim.compare, "nowhere", match)
    assert "opponents: is missing" in faults(bhsim.sweep, {**COINS, "crew": "60"})
    assert "resume: goes on with the folder of out" in faults(bhsim.sweep, SWEEP, resume=True)
    assert "two questions" in faults(bhsim.plan, "60", "40", precision=1, detect=1, **COINS)
    assert "pilot: out of range" in faults(bhsim.plan, "60", "40", pilot=1, **COINS)
    bhsim.play("60", "40", games=200, out="run", **COINS)
    assert "the folder exists" in faults(bhsim.play, "60", "40", games=200, out="run", **COINS)
    assert bhsim.play("60", "40", games=400, out="run", force=True, **COINS).games == 400
