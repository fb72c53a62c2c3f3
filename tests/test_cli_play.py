"""play, sweep, report and bots on the command line, with a game of coins."""

import json
import subprocess
import sys

import coinflip
import polars as pl
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app

SPEC = """
name = "coins"
game = "coinflip"
games = 400
crew = "60"
opponents = ["40"]
[[axes]]
path = "edge"
values = [0, 10, 20]
"""


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def play(*words):
    return call("play", "60", "40", "--game", "coinflip", *words)


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coins.toml").write_text(SPEC)
    return tmp_path / "coins.toml"


def test_play_json_and_the_line_to_repeat():
    result = play("--games", 301, "--seed", 5, "--set", "edge=20", "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["games"], found["pairs"], found["seed"], found["schema"]) == (302, 151, 5, 1)
    assert found["sides"][0]["win_rate"] + found["sides"][1]["win_rate"] == 1
    assert "bhsim play 60 40 --game coinflip --set edge=20 --games 301 --seed 5" in result.stderr


def test_the_line_to_repeat_has_the_options_of_both_sides():
    sides = ("--deck-a", "old", "--deck-b", "new", "--bot-a", "thumb", "--bot-b", "palm")
    result = play("--games", 10, *sides, "--set", "edge=20", "--set", "draw=1", "--format", "json")
    assert result.exit_code == 0, result.output
    assert f"--game coinflip --set edge=20 --set draw=1 {' '.join(sides)} --games 10 --seed 1" in result.stderr


def test_threads_and_block_change_nothing_but_the_time():
    seen = []
    for threads, block in ((1, 400), (2, 13)):
        found = json.loads(play("--games", 800, "--threads", threads, "--block", block, "--format", "json").stdout)
        seen.append({k: v for k, v in found.items() if k not in ("seconds", "games_per_second")})
    assert seen[0] == seen[1]


def test_play_table_says_what_was_resolved():
    result = play("--games", 200)
    assert result.exit_code == 0, result.output
    for word in ("engine", "data digest", "seed", "repeat", "house values", "first player"):
        assert word in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--games", "0"], "games"),
        (["--games", "-5"], "games"),
        (["--seed", "-1"], "--seed"),
        (["--threads", "0"], "threads"),
        (["--block", "0"], "block"),
        (["--game", "chess"], "no such game"),
        (["--rows", "/nowhere/at/all.parquet"], "cannot write"),
        (["--out", "/proc/none/x"], "cannot write"),
        (["--format", "xml"], "xml"),
        (["--games", "many"], "valid integer"),
    ],
)
def test_bad_input_exits_2(options, message):
    result = call("play", "60", "40", *(["--game", "coinflip"] if "--game" not in options else []), *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_unknown_crew_exits_2():
    assert call("play", "600", "40", "--game", "coinflip").exit_code == 2


def test_play_writes_nothing_without_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert play("--games", 20).exit_code == 0
    assert list(tmp_path.iterdir()) == []


def test_play_out_force_and_report(tmp_path):
    folder = tmp_path / "run"
    assert play("--games", 200, "--out", folder).exit_code == 0
    again = play("--games", 200, "--out", folder)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert play("--games", 100, "--out", folder, "--force").exit_code == 0
    result = call("report", folder)
    assert result.exit_code == 0, result.output
    assert (folder / "report.html").exists()
    assert str(folder / "report.md") in result.stdout
    assert call("report", tmp_path / "nothing").exit_code == 2


def test_rows_tell_the_same_as_the_summary(tmp_path):
    result = play("--games", 500, "--rows", tmp_path / "rows.parquet", "--format", "json", "--set", "draw=20")
    found, frame = json.loads(result.stdout), pl.read_parquet(tmp_path / "rows.parquet")
    assert frame.height == 500
    assert (frame["winner"] == 0).sum() == found["sides"][0]["wins"]
    assert frame["winner"].null_count() == found["draws"] > 0
    assert frame["share_a"].mean() == pytest.approx(found["sides"][0]["win_rate"])
    assert frame["key"].to_list()[:4] == [0, 0, 1, 1]


def test_sweep_writes_reports_and_prints(spec):
    result = call("sweep", spec)
    assert result.exit_code == 0, result.output
    assert (spec.parent / "reports" / "coins" / "contests.parquet").exists()
    assert call("sweep", spec).exit_code == 2
    result = call("sweep", spec, "--out", spec.parent / "x", "--format", "json", "--games", 200, "--seed", 9)
    found = json.loads(result.stdout)
    assert [c["axis: edge"] for c in found["contests"]] == ["0", "10", "20"]
    assert {c["games"] for c in found["contests"]} == {200}
    assert found["seed"] == 9


def test_interrupted_sweep_exits_130_keeps_contests_and_goes_on(spec, monkeypatch):
    whole = spec.parent / "whole"
    assert call("sweep", spec, "--out", whole).exit_code == 0
    original, calls = coinflip.CoinFlip.play_block, []

    def interrupted(self, *args):
        calls.append(args)
        if len(calls) > 5:
            raise KeyboardInterrupt
        original(self, *args)

    out = spec.parent / "cut"
    with monkeypatch.context() as patch:
        patch.setattr(coinflip.CoinFlip, "play_block", interrupted)
        result = call("sweep", spec, "--out", out, "--block", 50, "--threads", 1)
    assert result.exit_code == 130
    assert "1 of 3 contests" in result.stderr
    assert "--resume" in result.stderr
    assert pl.read_parquet(out / "contests.parquet").height == 1
    assert call("sweep", spec, "--out", out, "--force", "--resume").exit_code == 2
    assert call("sweep", spec, "--out", out, "--resume").exit_code == 0
    assert (out / "contests.parquet").read_bytes() == (whole / "contests.parquet").read_bytes()
    assert json.loads((out / "run.json").read_text())["status"] == "complete"


def test_bots_and_warmup():
    assert json.loads(call("bots", "--game", "coinflip", "--format", "json").stdout) == [
        {"bot": "thumb", "description": "flips with the thumb"}
    ]
    assert "strength" in call("bots", "--game", "coinflip", "show", "thumb").stdout
    assert call("warmup", "--game", "coinflip").exit_code == 0


def test_compiling_is_announced(monkeypatch):
    monkeypatch.setattr(coinflip.CoinFlip, "is_warm", lambda self: False)
    result = play("--games", 20)
    assert "compiling the kernels" in result.stderr
    assert "compiled in" in result.stderr


@pytest.mark.parametrize("words", [["--help"], ["play", "--help"], ["sweep", "--help"], ["report", "--help"], ["plan", "--help"]])
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys; sys.argv = ['bhsim', *sys.argv[1:]]\n"
        "from bhsim.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = [m for m in ('numba', 'polars', 'scipy', 'matplotlib', 'rich', 'jinja2') if m in sys.modules]\n"
        "sys.exit(repr(heavy) if heavy else 0)\n"
    )
    result = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Usage" in result.stdout


def test_play_and_sweep_name_games_to_look_at(spec, tmp_path):
    lines = play("--games", 200, "--set", "edge=20", "--rows", tmp_path / "rows.parquet").stdout.splitlines()
    margins = pl.read_parquet(tmp_path / "rows.parquet")["margin"]
    assert f"best game     bhsim replay 60 40 --game coinflip --set edge=20 --seed 1 --index {margins.arg_max()}  (margin +1)" in lines
    assert f"worst game    bhsim replay 60 40 --game coinflip --set edge=20 --seed 1 --index {margins.arg_min()}  (margin -1)" in lines
    assert any(
        line.startswith("best game     bhsim replay out --index ") for line in play("--games", 20, "--out", "out").stdout.splitlines()
    )
    assert "best game     bhsim replay x --contest 0 --index " in call("sweep", spec, "--out", "x").stdout


def test_sweep_says_what_a_drawn_design_came_to(spec):
    spec.write_text(SPEC.replace("values = [0, 10, 20]", "range = [0, 9]").replace("[[axes]]", 'design = "random"\npoints = 8\n[[axes]]'))
    result = call("sweep", spec)
    assert result.exit_code == 0, result.output
    found = pl.read_parquet(spec.parent / "reports" / "coins" / "contests.parquet").height
    assert found < 8
    assert f"8 points of the design, {found} of them distinct" in result.stderr


def test_games_on_the_command_line_take_the_place_of_a_precision(spec):
    spec.write_text(SPEC.replace("games = 400", "precision = 8.0\nmax_games = 3000"))
    found = json.loads(call("sweep", spec, "--out", "a", "--format", "json").stdout)["contests"]
    assert {c["games"] for c in found} == {2048}
    assert {c["ended_by"] for c in found} == {"precision"}
    found = json.loads(call("sweep", spec, "--out", "b", "--format", "json", "--games", 100).stdout)["contests"]
    assert {c["games"] for c in found} == {100}
    assert "ended_by" not in found[0]
    assert "always valid" in call("sweep", spec, "--out", "c").stdout


def test_sweep_prints_verdicts_crews_and_bots(spec):
    spec.write_text('name = "all"\ngame = "coinflip"\ngames = 2000\ncrews = ["50", "52", "90"]\npanel = ["thumb", "toe"]\n')
    assert call("validate", spec).exit_code == 0
    result = call("sweep", spec)
    assert result.exit_code == 0, result.output
    for words in ("not ok: too low", "Crews against all others", "not ok: too high", "By bot", "Exchanged seats leave", "round limit"):
        assert words in result.stdout
    crews = pl.read_parquet("reports/all/crews.parquet")
    assert crews.columns == ["crew", "axis: bot", "contests", "games", "win_rate", "low", "high", "verdict", "q"]
    assert crews["games"].to_list() == [4000] * 6
    assert call("report", "reports/all").exit_code == 0
    text = (spec.parent / "reports" / "all" / "report.md").read_text()
    assert "Crews by bot" in text
    assert "# inside this folder\nbest game     bhsim replay . --contest 0 --index " in text
