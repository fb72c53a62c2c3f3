"""baseline and check on the command line: verdicts, exit codes, files."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import coinflip
import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app

ROOT = Path(__file__).parents[1]
assert coinflip.GAME  # registers itself


def call(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


@pytest.fixture
def coins(tmp_path):
    done = call("baseline", "55", "50", "--game", "coinflip", "--games", 2000, "--out", tmp_path / "base")
    assert done.exit_code == 0, done.stderr
    assert "check" in done.stderr
    return tmp_path / "base"


def test_exit_codes(coins):
    assert call("check", coins).exit_code == 0
    unchanged = call("check", coins, "--set", "edge=11")
    assert unchanged.exit_code == 0
    assert "unchanged" in unchanged.stdout
    between = ("check", coins, "--seed", 5, "--margin", 0.4, "--resolution", 0.2, "--max-games", 1100)
    undecided = call(*between)
    assert undecided.exit_code == 3, undecided.stdout
    assert call(*between, "--undecided", "pass").exit_code == 0
    assert call(*between, "--undecided", "fail").exit_code == 1


def test_moved_in_all_forms(coins, tmp_path, monkeypatch):
    monkeypatch.setattr(coinflip.CoinFlip, "data_names", lambda self, bundle: "coins")
    bias = "crews.a"
    base = json.loads((coins / "run.json").read_text())
    base["spec"]["crew"] = "80"  # what is asked for now: another crew under the baseline's name
    (coins / "run.json").write_text(json.dumps(base))
    out = tmp_path / "out"
    done = call("check", coins, "--out", out, "--format", "json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert document == json.loads((out / "check.json").read_text())
    (cell,) = document["cells"]
    assert document["verdict"] == cell["verdict"] == "moved"
    assert cell["paths"] == [{"path": bias, "then": "55", "now": "80"}]
    (side,) = cell["sides"]
    assert side["up"]["accepted"] == "large"
    assert side["low"] < side["now"] - side["then"] < side["high"]
    assert cell["games"] == 2 * cell["pairs"] <= cell["stored_games"]
    suite = ElementTree.fromstring((out / "check.xml").read_text())
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "1", "0")
    failure = suite.find("testcase/failure")
    assert "moved" in failure.get("message") and "crews.a: 55 -> 80" in failure.text
    summary = (out / "check.md").read_text()
    assert "### Balance: moved" in summary and "`crews.a: 55 -> 80`" in summary
    assert f"bhsim replay {coins} --index {cell['replay'][0]['index']}" in summary
    again = call("check", coins, "--out", out)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    assert call("check", coins, "--out", out, "--force").exit_code == 1


def test_undecided_in_junit(coins, tmp_path):
    between = ("check", coins, "--seed", 5, "--margin", 0.4, "--resolution", 0.2, "--max-games", 1100)
    for word, counts in (("pass", ("0", "1")), ("fail", ("1", "0"))):
        call(*between, "--undecided", word, "--out", tmp_path / word)
        suite = ElementTree.fromstring((tmp_path / word / "check.xml").read_text())
        assert (suite.get("failures"), suite.get("skipped")) == counts


def test_faults(coins, tmp_path):
    for words in (
        ("--margin", 0), ("--resolution", 3), ("--alpha", 0.7), ("--max-games", 100), ("--games", 100), ("--threads", 0),
        ("--game", "skirmish"),
    ):  # fmt: skip
        done = call("check", coins, *words)
        assert done.exit_code == 2, words
        assert words[0] in done.stderr
    assert "nonsense" in call("check", coins, "--set", "nonsense=1").stderr
    assert "run.json" in call("check", tmp_path / "none").stderr
    assert call("baseline", "55", "--game", "coinflip", "--out", tmp_path / "x").exit_code == 2
    assert call("baseline", "55", "50", "45", "--deck-a", "d", "--game", "coinflip", "--out", tmp_path / "x").exit_code == 2
    assert not (tmp_path / "x").exists()
    existing = call("baseline", "55", "50", "--game", "coinflip", "--out", coins)
    assert existing.exit_code == 2
    assert "--force" in existing.stderr


def test_three_crews_meet_each_other(tmp_path):
    done = call("baseline", "50", "55", "60", "--game", "coinflip", "--games", 1200, "--out", tmp_path / "b", "--format", "json")
    assert [c["label"] for c in json.loads(done.stdout)["contests"]] == [
        "crew = 50, opponent = 55", "crew = 50, opponent = 60", "crew = 55, opponent = 60",
    ]  # fmt: skip
    checked = json.loads(call("check", tmp_path / "b", "--set", "edge=12", "--format", "json").stdout)
    assert checked["test"]["directions"] == 6


def test_a_stopped_baseline_goes_on(coins):
    whole = {p.name: p.read_bytes() for p in (coins / "units").iterdir()}
    for path in (coins / "units").iterdir():
        path.unlink()
    again = ("baseline", "55", "50", "--game", "coinflip", "--games", 2000, "--out", coins)
    assert call(*again).exit_code == 2
    assert call(*again, "--resume").exit_code == 0
    assert {p.name: p.read_bytes() for p in (coins / "units").iterdir()} == whole
    assert call(*again, "--resume", "--force").exit_code == 2


def bhsim(folder, *words):
    command = [sys.executable, "-m", "bhsim", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_a_card_project(tmp_path):
    """Real files through real processes: a re-ordered file is identical, an unrelated change too, and a strong one has moved."""
    folder = tmp_path / "p"
    assert bhsim(tmp_path, "init", folder).returncode == 0
    made = bhsim(folder, "baseline", "p_purple", "p_green", "--cardset", "p", "--games", 2000, "--out", "reports/baseline")
    assert made.returncode == 0, made.stderr
    pool = folder / "crews/p_pool.toml"
    text = pool.read_text()
    head, *entries = re.split(r"(?m)^(?=\[runners\.[a-z0-9_]+\])", text)
    runners, rest = entries[:-1], entries[-1]
    last, rigs = re.split(r"(?m)^(?=\[rigs\.)", rest, maxsplit=1)
    pool.write_text(head + "# another order\n" + "".join(reversed([*runners, last])) + rigs)
    same = bhsim(folder, "check", "reports/baseline")
    assert same.returncode == 0, same.stderr
    assert "identical" in same.stdout
    pool.write_text(re.sub(r"(\[runners\.gh0st\][^\[]*?attack = )2", r"\g<1>5", pool.read_text(), count=1))
    moved = bhsim(folder, "check", "reports/baseline")
    assert moved.returncode == 1, moved.stdout + moved.stderr
    assert "runners.gh0st.attack: 2 -> 5" in moved.stdout
    then = next(line.split() for line in moved.stdout.splitlines() if line.strip().startswith("then"))
    told = bhsim(folder, *then[2:])
    assert told.returncode == 0, told.stderr
    now = next(line.split() for line in moved.stdout.splitlines() if line.strip().startswith("now"))
    assert bhsim(folder, *now[2:]).returncode == 0
