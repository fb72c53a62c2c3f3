"""Replay and find: the very game of a run, its story, and the way from a number to a game that shows it."""

import json
import shutil

import pytest
from frozen_kit import frozen_match
from typer.testing import CliRunner

from bhsim.cli.app import app
from bhsim.games.skirmish import eventlog, lockstep, search
from bhsim.games.skirmish.replays import outcome, replayed
from bhsim.games.skirmish.shadow import Shadow
from bhsim.games.skirmish.story import Story

RUN_GAMES = 60


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run folder of 30 keys."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    result = call("play", "purple", "green", "--games", RUN_GAMES, "--bot-b", "racer", "--seed", 5, "--out", folder)
    assert result.exit_code == 0, result.output
    return folder


def outcomes(run):
    import numpy as np
    import polars as pl

    row = pl.read_parquet(next((run / "units").glob("*.parquet"))).row(0, named=True)
    return np.frombuffer(row["outcomes"], np.uint8).reshape(-1, 2)


# The game


def test_replays_are_the_games_that_the_run_played(run):
    from bhsim.lab.store import open_folder

    contest = open_folder(run).contests[0]
    match = lockstep.Match(
        contest.bundle,
        tuple(s.crew_model for s in contest.sides),
        tuple(s.deck_model for s in contest.sides),
        tuple(s.bot_model for s in contest.sides),
    )
    stored = outcomes(run)
    assert len(stored) == RUN_GAMES
    replays = [outcome(replayed(match, 5, index)) for index in range(RUN_GAMES)]
    assert replays == [(int(mask), int(margin.astype("int8"))) for mask, margin in stored]
    assert len(set(replays)) > 4


def test_same_game_from_crews_and_from_the_run(run, tmp_path):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    words = ("--bot-b", "racer", "--seed", 5)
    first = call("replay", "purple", "green", "--index", 7, "--events", one, *words)
    second = call("replay", run, "--contest", 0, "--index", 7, "--events", other)
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout
    assert one.read_text() == other.read_text()
    events = [json.loads(line) for line in one.read_text().splitlines()]
    assert events[0]["event"] == "game" and events[0]["index"] == 7 and events[0]["seed"] == 5
    assert [s["bot"] for s in events[0]["sides"]] == ["fixer", "racer"]
    assert events[-1]["event"] == "end"


def test_a_run_of_another_engine_is_noticed(run, monkeypatch):
    monkeypatch.setattr("bhsim.games.skirmish.replays.outcome", lambda game: (3, 0))
    result = call("replay", run, "--index", 1)
    assert result.exit_code == 2 and "another end" in result.stderr and not result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("purple",), "neither a run folder nor two crews"),
        (("purple", "green", "--index", -1), "--index"),
        (("purple", "green", "--contest", 0), "--contest"),
        (("RUN", "--index", RUN_GAMES), f"0 to {RUN_GAMES - 1}"),
        (("RUN", "--contest", 4), "no such contest"),
        (("RUN", "--seed", 1), "--seed"),
        (("RUN", "--set", "rules.points_to_win=3"), "--set"),
        (("purple", "green", "--events", "RUN/run.json"), "exists already"),
        (("purple", "nobody"), "nobody"),
    ],
)
def test_bad_input(run, words, said):
    result = call("replay", *(str(word).replace("RUN", str(run)) for word in words))
    assert result.exit_code == 2
    assert said in result.stderr and not result.stdout


# The story


def test_story_tells_every_turn_and_the_end():
    game = replayed(frozen_match(("fixer", "racer")), 3, 4)
    events = eventlog.events_of(game)
    story = list(Story(game.match.bundle, events[0]).tell(events[1:]))
    turns = [e for e in events if e["event"] == "turn"]
    assert sum(line[:3].strip() != "" and ". A " in line or ". B " in line for line in story) == len(turns)
    rounds = [line for line in story if line.startswith("== Round")]
    assert len(rounds) == events[-1]["rounds"]
    assert any("wins in round" in line for line in story)
    pictures = sum(line.count("[SRV A]") for line in story)
    assert pictures == len(rounds) + 1


def test_pictures_on_request():
    game = replayed(frozen_match(("fixer", "racer")), 3, 4)
    events = eventlog.events_of(game)

    def pictures(boards):
        return sum("[SRV A]" in line for line in Story(game.match.bundle, events[0], boards).tell(events[1:]))

    assert pictures("none") == 0 < pictures("round") < pictures("turn")


def test_stories_of_fuzz_games_name_everything():
    source = lockstep.fuzz_source(9)
    for index in range(40):
        game = replayed(source(index), 9, index)
        events = eventlog.events_of(game)
        lines = list(Story(game.match.bundle, events[0]).tell(events[1:]))
        assert not any("None" in line or "{" in line for line in lines)
        points = [e for e in events if e["event"] == "score"]
        assert sum(" scores " in line for line in lines) == len(points)


def test_a_log_is_enough_to_know_the_table():
    source = lockstep.fuzz_source(10)
    for index in range(60):
        game = replayed(source(index), 10, index)
        events = eventlog.events_of(game)
        shadow = Shadow(events[0])
        for event in events[1:]:
            shadow.follow(event)
        engine, told = game.view(), shadow.view
        assert told["round"] == engine["round"] and set(told["locks"]) == set(engine["locks"])
        for side, seat in enumerate(game.side_at):
            assert told["points"][side] == engine["points"][seat]
            assert sorted(told["hand"][side]) == sorted(engine["hand"][seat])
            assert told["data"][side] == engine["data"][seat]
            for mine, its in zip(told["runners"][side], engine["runners"][seat], strict=True):
                assert mine == {key: its[key] for key in mine}


# Finding games


def find(run, where, *words):
    result = call("find", run, "--where", where, "--format", "json", "--limit", 1000, *words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_winner_and_margin_agree_with_the_run(run):
    stored = outcomes(run)
    for word, mask in (("a", 1), ("b", 2)):
        found = find(run, f"winner = {word}")
        assert [g["game"] for g in found["found"]] == [i for i in range(RUN_GAMES) if stored[i, 0] == mask]
        assert found["fitting"] == len(found["found"]) and found["games"] == RUN_GAMES
    margins = stored[:, 1].astype("int8")
    assert [g["game"] for g in find(run, "margin <= -3")["found"]] == [i for i in range(RUN_GAMES) if margins[i] <= -3]


def test_counters_agree_with_the_event_logs(run, tmp_path):
    where = "cards.huge_hack.played >= 1 and a.runners.gh0st.disconnects_suffered >= 1"
    fitting = {g["game"]: g for g in find(run, where)["found"]}
    assert 0 < len(fitting) < RUN_GAMES
    for index in range(0, RUN_GAMES, 3):
        file = tmp_path / f"{index}.jsonl"
        assert call("replay", run, "--index", index, "--events", file, "--boards", "none").exit_code == 0
        events = [json.loads(line) for line in file.read_text().splitlines()]
        played = sum(e["event"] == "turn" and e.get("card") == "huge_hack" for e in events)
        lost = sum(e["event"] == "disconnect" and e["runner"] == "gh0st" and e["side"] == 0 for e in events)
        assert (index in fitting) == (played >= 1 and lost >= 1)
        if index in fitting:
            assert fitting[index]["cards.huge_hack.played"] == played
            assert fitting[index]["rounds"] == events[-1]["rounds"]


def test_every_operator_and_field(run):
    everything = find(run, "rounds >= 1 and decisions > 0 and reason = points")
    assert everything["fitting"] == RUN_GAMES
    assert find(run, "winner = none")["fitting"] == 0
    rounds = [g["rounds"] for g in everything["found"]]
    middle = sorted(rounds)[RUN_GAMES // 2]
    for compare, expected in (
        ("=", rounds.count(middle)),
        ("!=", RUN_GAMES - rounds.count(middle)),
        ("<", sum(r < middle for r in rounds)),
        (">", sum(r > middle for r in rounds)),
        ("<=", sum(r <= middle for r in rounds)),
        (">=", sum(r >= middle for r in rounds)),
    ):
        assert find(run, f"rounds {compare} {middle}")["fitting"] == expected
    both = find(run, "a.points >= 0 and b.points >= 0 and points >= 0")["found"]
    assert all(g["a.points"] - g["b.points"] == g["margin"] and g["points"] == g["a.points"] + g["b.points"] for g in both)


def test_limit_and_the_way_to_a_replay(run):
    result = call("find", run, "--where", "rounds >= 1", "--limit", 3)
    assert result.exit_code == 0
    assert f"{RUN_GAMES} of {RUN_GAMES} games of contest 0 fit, the first 3 shown" in result.stdout
    assert f"bhsim replay {run} --index 0" in result.stdout.replace("'", "")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "is no condition"),
        ("rounds", "is no condition"),
        ("rounds > many", "whole number"),
        ("winner = me", "a, b, none"),
        ("winer = b", "did you mean 'winner'"),
        ("rounds > " + "7" * 5000, "whole number of at most"),
        ("rounds > \u0663", "whole number"),
        ("winner > a", "= or !="),
        ("runds > 3", "rounds"),
        ("a.margin > 3", "unknown field"),
        ("b.runners.gh0st.points > 1", "no such runner"),
        ("cards.hug_hack.played > 1", "huge_hack"),
        ("cards.huge_hack.eaten > 1", "drawn, played, flipped"),
    ],
)
def test_bad_conditions(run, where, said):
    result = call("find", run, "--where", where)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --where") and said in result.stderr and not result.stdout


def test_find_needs_a_run(tmp_path):
    result = call("find", tmp_path, "--where", "rounds > 3")
    assert result.exit_code == 2 and "run.json" in result.stderr


def test_conditions_are_read_against_the_match():
    match = frozen_match()
    (wanted,) = search.conditions("b.cards.Big_Hack.played >= 2", match)
    assert (wanted.field, wanted.compare, wanted.value) == ("b.cards.Big_Hack.played", ">=", 2)


def test_a_position_of_the_replay(run, tmp_path):
    file = tmp_path / "position.toml"
    assert call("replay", run, "--index", 3, "--at", 30, "--position", file, "--boards", "none").exit_code == 0
    assert 'name = "seed 5 game 3 decision 30"' in file.read_text()
    verified = call("verify", "--position", file, "--games", 4)
    assert verified.exit_code == 0 and "no difference" in verified.stdout and f"--position {file}" in verified.stdout
    counted = call("perft", "--position", file, "--depth", 2, "--engine", "both")
    assert counted.exit_code == 0, counted.output
    assert call("replay", run, "--index", 3, "--at", 30, "--position", file).exit_code == 2  # exists already


def test_a_position_of_a_game_with_a_large_seed_and_index(tmp_path):
    for words in (("--seed", 5_000_000), ("--index", 5_000_000)):
        file = tmp_path / f"{words[0][2:]}.toml"
        assert call("replay", "purple", "green", *words, "--at", 9, "--position", file, "--boards", "none").exit_code == 0
        assert call("validate", file).exit_code == 0


def test_one_file_for_events_and_position_is_refused(tmp_path):
    file = tmp_path / "both"
    result = call("replay", "purple", "green", "--events", file, "--position", tmp_path / "." / "both", "--at", 2, "--force")
    assert result.exit_code == 2 and "both" in result.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words", [("--at", 3), ("--position", "x.toml"), ("--at", -1, "--position", "x.toml"), ("--at", 99999, "--position", "x.toml")]
)
def test_bad_positions(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("replay", "purple", "green", *words)
    assert result.exit_code == 2 and result.stderr.startswith("error: ") and not list(tmp_path.iterdir())


def test_find_plays_only_games_that_the_run_holds(run, tmp_path):
    mine = tmp_path / "run"
    shutil.copytree(run, mine)
    manifest = json.loads((mine / "run.json").read_text())
    manifest["contests"][0] |= {"keys": 10**9, "games": 2 * 10**9}
    (mine / "run.json").write_text(json.dumps(manifest))
    result = call("find", mine, "--where", "rounds > 1")
    assert result.exit_code == 2
    assert "belongs to another run" in result.stderr
    shutil.rmtree(mine / "units")
    result = call("find", mine, "--where", "rounds > 1")
    assert result.exit_code == 2
    assert "no game of contest 0 is stored yet" in result.stderr
