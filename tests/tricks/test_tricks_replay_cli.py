"""``bhsim replay`` and ``bhsim find`` for tricks, as processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from bhsim.cli.app import app

COMMAND = [sys.executable, "-c", "from bhsim.cli.app import main; main()"]
TABLE = ("--game", "tricks", "--players", 3, "--bots", "shark,random,lurker", "--deck", "lean", "--board", "backdoor", "--seed", 4)
GAMES = 30


def call(*words):
    return subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run folder of 10 keys."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    done = call("play", *TABLE, "--games", GAMES, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_same_game_from_bots_and_from_the_run(run, tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    first = call("replay", *TABLE, "--index", 7, "--events", one)
    second = call("replay", run, "--contest", 0, "--index", 7, "--events", other)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout == second.stdout and one.read_text() == other.read_text()
    events = [json.loads(line) for line in one.read_text().splitlines()]
    head, end = events[0], events[-1]
    assert (head["index"], head["seed"], head["deck"], head["rotation"]) == (7, 4, "Lean", 1)
    assert [side["bot"] for side in head["sides"]] == ["shark", "random", "lurker"]
    assert end["event"] == "end" and f"{len(events)} events written to {one}" in first.stderr
    assert "A: played by shark, in seat 1" in first.stdout and f"in round {end['rounds']}" in first.stdout


def test_boards(run):
    lines = {boards: call("replay", run, "--index", 2, "--boards", boards).stdout.splitlines() for boards in ("none", "round", "turn")}
    assert 0 < len(lines["none"]) < len(lines["round"]) < len(lines["turn"])


def test_found_games_are_those_that_replays_show(run):
    done = call("find", run, "--where", "winner = c and b.trapped >= 1", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["games"] == GAMES and 0 < found["fitting"] < GAMES
    game = found["found"][0]
    story = call("replay", run, "--index", game["game"], "--boards", "none").stdout
    assert "C (lurker) wins in round" in story and sum(" is trapped on " in line for line in story.splitlines()) >= game["b.trapped"]
    shown = call("find", run, "--where", "winner = c and b.trapped >= 1")
    assert f"bhsim replay {run} --index {game['game']}" in shown.stdout.replace("'", "")


def test_a_run_of_another_engine_is_noticed(run, monkeypatch):
    """In this process, since the engine has to be another one."""
    monkeypatch.setattr("bhsim.games.tricks.replays.outcome", lambda game: (7, 0))
    result = CliRunner().invoke(app, ["replay", str(run), "--index", "1"])
    assert result.exit_code == 2 and "another end" in result.stderr and not result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--game", "tricks", "--players", 7), "2 to 6"),
        (("--game", "tricks", "--bots", "shark,nobody"), "nobody"),
        (("--game", "tricks", "--at", 3, "--position", "x.toml"), "only games of skirmish have positions"),
        (("--game", "tricks", "--contest", 0), "--contest"),
        (("RUN", "--players", 3), "--players"),
        (("RUN", "--bots", "shark"), "--bots"),
        (("RUN", "--game", "skirmish"), "--game"),
        (("RUN", "--index", GAMES), f"0 to {GAMES - 1}"),
        (("RUN", "--at", 3, "--position", "x.toml"), "only games of skirmish have positions"),
        ((), "crew"),
    ],
)
def test_bad_input(run, words, said):
    done = call("replay", *(run if word == "RUN" else word for word in words))
    assert done.returncode == 2 and said in done.stderr and not done.stdout and "Traceback" not in done.stderr


def test_the_runs_own_game_may_be_named(run):
    assert call("replay", run, "--index", 1, "--game", "tricks").returncode == 0
