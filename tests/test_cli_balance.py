"""The verb on skirmish, small: what it prints and writes, variant files in `play`, threads, a kill and going on, what it refuses."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app

ROOT = Path(__file__).parents[1]
SPEC = """name = "small"
games = 6000
bot = "racer"
crews = ["purple", "green", "amber"]
sets = ["runners.gh0st.attack=12"]
[target]
match_ups = [35, 65]
[[changes]]
path = "runners.gh0st.attack"
values = [2, 6]
[[changes]]
path = "rigs.*.speed"
up = 1
"""


def balance(*words):
    return CliRunner().invoke(app, ["balance", *map(str, words)])


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    path = tmp_path_factory.mktemp("spec") / "small.toml"
    path.write_text(SPEC)
    return path


@pytest.fixture(scope="module")
def done(spec, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    return folder, balance(spec, "--out", folder, "--threads", 1)


def files_of(folder):
    found = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "run.lock"}
    manifest = json.loads(found.pop("run.json"))
    del manifest["times"]
    return found | {"run.json": manifest}


def test_the_broken_number_stands_first(done):
    folder, result = done
    assert result.exit_code in (0, 3), result.output
    assert result.stdout.startswith("Most out of line: runners.gh0st.attack = 12. With 2 alone the distance falls from ")
    assert "house values  yes" in result.stdout
    points = pl.read_parquet(folder / "points.parquet")
    assert points["point"].to_list()[0] == "now"
    assert points["verdict"][0] == "not reached"
    best = points.filter("recommended").row(0, named=True)
    assert "runners.gh0st.attack 12 -> " in best["changes"]
    assert best["distance"] < 1 < points["distance"][0]
    assert {p.name for p in (folder / "plots").iterdir()} == {f"{n}.{e}" for n in ("front", "numbers", "screen") for e in ("svg", "png")}
    cells = pl.read_parquet(folder / "cells.parquet")
    assert len(cells) == 3 * len(points)
    screen = pl.read_parquet(folder / "screen.parquet")
    assert screen["distance"][0] == pytest.approx(screen["distance"].min(), abs=0.5)


def test_a_variant_file_plays_the_confirmed_games_again(done):
    folder, result = done
    cells = pl.read_parquet(folder / "cells.parquet")
    command = next(line for line in result.stdout.splitlines() if line.startswith("play it"))
    words = shlex.split(command.removeprefix("play it").strip())[1:]
    played = CliRunner().invoke(app, [*words, "--format", "json"])
    assert played.exit_code == 0, played.output
    point = re.search(r"point-(\d+)\.toml", command).group(1)
    row = cells.filter((pl.col("point") == point) & (pl.col("target") == "purple - green")).row(0, named=True)
    found = json.loads(played.stdout)
    assert (found["sides"][0]["win_rate"], found["games"]) == (row["value"], row["games"])
    contests = pl.read_parquet(folder / "contests.parquet").filter(pl.col("contest") == int(row["contests"])).row(0, named=True)
    assert contests["digest"] == found["data_digest"]
    assert contests["axis: point"] == point
    checked = CliRunner().invoke(app, ["validate", str(folder / "variants" / f"point-{point}.toml")])
    assert (checked.exit_code, "variant, no fault" in checked.stdout) == (0, True)


def test_threads_and_blocks_change_nothing(done, spec, tmp_path):
    result = balance(spec, "--out", tmp_path / "run", "--threads", 2, "--block", 7)
    assert result.exit_code == done[1].exit_code
    assert files_of(tmp_path / "run") == files_of(done[0])
    assert result.stdout.replace(str(tmp_path / "run"), "DIR") == done[1].stdout.replace(str(done[0]), "DIR")


def test_a_killed_run_goes_on_to_the_same_bytes(done, spec, tmp_path):
    words = [sys.executable, "-m", "bhsim", "balance", spec, "--out", tmp_path / "run", "--threads", "1"]
    process = subprocess.Popen(list(map(str, words)), cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
    while not list((tmp_path / "run" / "plays").glob("p00001.parquet")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "stopped"
    assert not (tmp_path / "run" / "search.json").exists()
    assert balance(spec, "--out", tmp_path / "run", "--resume", "--threads", 2).exit_code == done[1].exit_code
    assert files_of(tmp_path / "run") == files_of(done[0])


def test_json_says_the_same_and_nothing_is_written_unasked(done, spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = balance(spec, "--format", "json")
    assert result.exit_code == done[1].exit_code
    assert not list(tmp_path.iterdir())
    found = json.loads(result.stdout)
    points = pl.read_parquet(done[0] / "points.parquet")
    assert found["most_out_of_line"]["path"] == "runners.gh0st.attack"
    assert found["most_out_of_line"]["present"] == 12
    assert [(p["point"], p["distance"], p["verdict"]) for p in found["points"]] == points.select("point", "distance", "verdict").rows()
    assert found["recommended"] == points.filter("recommended")["point"][0]
    assert {"engine", "data_digest", "seed", "house_values", "command", "screen", "skipped", "search"} <= found.keys()


def test_report_and_python_agree(done, spec):
    folder, result = done
    assert CliRunner().invoke(app, ["report", str(folder)]).exit_code == 0
    text = (folder / "report.md").read_text()
    assert result.stdout.splitlines()[0] in text
    assert "bhsim play purple green" in text
    runs = CliRunner().invoke(app, ["runs", str(folder.parent)])
    assert "balance" in runs.stdout
    found = bhsim.balance(spec)
    points = pl.read_parquet(folder / "points.parquet")
    assert found.frame.equals(points)
    assert found.most_out_of_line == "runners.gh0st.attack"
    assert found.recommended.name == points.filter("recommended")["point"][0]
    assert found.recommended.changes["runners.gh0st.attack"] in (2, 6)
    assert found.folder is None
    assert found.plot().axes
    assert "point" in repr(found)
    assert 5000 < found.games <= 6000


def test_use_is_judged_and_shown(spec, tmp_path):
    used = spec.with_name("used.toml")
    text = SPEC.replace("games = 6000", "games = 6000\nusage_games = 60").replace("[35, 65]", "[35, 65]\nusage = { runners = 5 }")
    used.write_text(text)
    result = balance(used, "--out", tmp_path / "run")
    points = pl.read_parquet(tmp_path / "run" / "points.parquet")
    cells = pl.read_parquet(tmp_path / "run" / "cells.parquet")
    verdict = json.loads(balance(used, "--format", "json").stdout)["verdict"]
    assert result.exit_code == {"reached": 0, "not reached": 1, "undecided": 3}[verdict]
    assert points["verdict"][0] == "not reached"
    uses = cells.filter(pl.col("target").str.starts_with("use of runners: "))
    now = {row["target"].removeprefix("use of runners: "): row for row in uses.filter(pl.col("point") == "now").rows(named=True)}
    assert len(now) == 8
    assert (now["gh0st"]["value"], now["gh0st"]["verdict"]) == (1, "ok")  # purple and amber have it, green does not
    assert (now["wyld_chyld"]["value"], now["wyld_chyld"]["limit_low"], now["wyld_chyld"]["limit_high"]) == (0, 0.05, 1)
    best = points.filter("recommended")["point"][0]
    assert uses.filter(pl.col("point") == best).height == 8
    played = set(uses["point"])
    rows = [line.split() for line in result.stdout.split("Points")[1].split("Distance:")[0].splitlines()]
    words = {row[0]: row for row in rows if row and row[0] in set(points["point"])}
    assert {name: "-" in row[-4:] for name, row in words.items()} == {name: name not in played for name in points["point"]}
    assert "use of runners: gh0st" in (tmp_path / "run" / "variants" / f"point-{best}.toml").read_text()
    assert CliRunner().invoke(app, ["report", str(tmp_path / "run")]).exit_code == 0
    assert "use of runners: gh0st" in (tmp_path / "run" / "report.md").read_text()
    assert bhsim.balance(used).numbers.equals(cells)
    few = balance(used, "--games", 1000)
    assert (few.exit_code, "--games: too few to search and to play what is found again, its use too" in few.stderr) == (2, True), few.stderr
    used.write_text(text.replace("runners = 5", "runner = 5"))
    result = CliRunner().invoke(app, ["validate", str(used)])
    assert "used.toml:9: target.usage.runner: unknown part 'runner'; did you mean 'runners'?" in result.stderr
    used.write_text(text.replace("runners = 5", "runners = 60"))
    result = CliRunner().invoke(app, ["validate", str(used)])
    assert "used.toml:9: target.usage.runners: no mixture of these crews gives each item so much" in result.stderr


def test_exit_codes(spec):
    wide = spec.with_name("wide.toml")
    wide.write_text(SPEC.replace("[35, 65]", "[0, 100]"))
    result = balance(wide)
    assert result.exit_code == 0
    assert result.stdout.startswith("All targets hold: distance 0.00 points")
    never = spec.with_name("never.toml")
    never.write_text(SPEC.replace("[35, 65]", "[95, 99]"))
    result = balance(never)
    assert result.exit_code == 1
    assert "The target is not reached" in result.stdout


def test_no_change_is_starred_that_does_worse_than_none(spec, tmp_path):
    worse = spec.with_name("worse.toml")
    usual = SPEC.split("[[changes]]")[0].replace("attack=12", "attack=5").replace("[35, 65]", "[48, 52]")
    worse.write_text(usual + '[[changes]]\npath = "runners.gh0st.attack"\nvalues = [12]\n')
    result = balance(worse, "--out", tmp_path / "run")
    points = pl.read_parquet(tmp_path / "run" / "points.parquet")
    assert points["point"].to_list() == ["now", "1"]
    assert points["distance"][0] < points["distance"][1]
    assert not points["recommended"].any()
    assert result.exit_code == 1
    assert "The target is not reached, by the set as it is" in result.stdout
    assert " 1 * " not in result.stdout
    assert "play it" not in result.stdout
    assert CliRunner().invoke(app, ["report", str(tmp_path / "run")]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", 100], "--games: too few to search and to play what is found again"),
        (["--set", "runners.gh0st.bandwidth=9"], "SK-1.1: the crew costs"),
        (["--resume"], "--resume goes on with the folder of --out"),
        (["--force"], "--force: replaces what is there already, but nothing is written"),
        (["--threads", 0], "--threads: out of range"),
        (["--game", "tricks"], "game: tricks has no crews that could be balanced"),
    ],
)
def test_what_cannot_be_is_refused_before_a_game_is_played(spec, words, said, monkeypatch):
    monkeypatch.setattr("bhsim.lab.balance.carry_out", lambda *_: pytest.fail("it plays"))
    result = balance(spec, *words)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


def test_validate_knows_the_spec(spec, tmp_path):
    assert "balance, no fault" in CliRunner().invoke(app, ["validate", str(spec)]).stdout
    (tmp_path / "bad.toml").write_text(SPEC.replace('gh0st.attack"', 'gh0st.atack"'))
    result = CliRunner().invoke(app, ["validate", str(tmp_path / "bad.toml")])
    assert (result.exit_code, "bad.toml:9: changes.0.path: unknown path" in result.stderr) == (2, True), result.stderr


def test_every_key_of_a_spec_stands_on_the_page():
    from bhsim.lab.balance_spec import BalanceSpec, Change, Target, parse_balance

    text = (ROOT / "docs" / "balance.md").read_text()
    rows = set(re.findall(r"[a-z_]+", " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| "))))
    refused = {"crew", "opponents", "players", "bots"}
    assert {*BalanceSpec.model_fields, *Target.model_fields, *Change.model_fields} - refused <= rows
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL).group(1)
    assert parse_balance(tomllib.loads(example)).max_changes == 3
