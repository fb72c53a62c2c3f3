"""The kernel's event log against the reference engine's own, and against the replay format."""

import json
import random

import pytest
from frozen_kit import frozen_match

from bhsim.games.replay import to_jsonl
from bhsim.games.skirmish import eventlog, fuzz, lockstep
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.driver import KernelGame
from bhsim.games.skirmish.engine import events as raw_events
from bhsim.games.skirmish.reference import Game

FUZZ_GAMES = 80
SEED = 5


def both_logs(match, index):
    """The kernel's events and the reference engine's, of the same game."""
    told = []
    reference = Game(match.bundle, match.crews, match.decks, SEED, index // 2, index % 2, told.append)
    kernel = KernelGame(match, SEED, index, logged=True)
    rng = random.Random(f"{SEED} {index}")
    by_bots = lockstep.plays_by_bots(index)
    while not reference.over:
        action = kernel.bot_decision() if by_bots else fuzz.random_choice(rng, reference.legal())
        reference.apply(action)
        kernel.apply(action)
    return eventlog.events_of(kernel), told


@pytest.fixture(scope="module")
def fuzzed():
    source = lockstep.fuzz_source(SEED)
    return [(source(index), *both_logs(source(index), index)) for index in range(FUZZ_GAMES)]


def bare(event):
    """Without what the engines may tell differently: which of several ways a move takes; names in the header."""
    if event["event"] == "move":
        path = event["path"]
        return {**event, "path": (path[0], path[-1])}
    if event["event"] == "game":
        return {k: x for k, x in event.items() if k not in ("engine", "sides")} | {
            "sides": [{k: x for k, x in side.items() if k != "bot"} for side in event["sides"]]
        }
    return event


def test_same_events_as_the_reference_engine(fuzzed):
    for number, (_, kernel, reference) in enumerate(fuzzed):
        for place, (one, other) in enumerate(zip(kernel, reference, strict=False)):
            assert bare(one) == bare(other), (number, place)
        assert len(kernel) == len(reference), number


def test_every_event_occurs(fuzzed):
    seen = {event["event"] for _, kernel, _ in fuzzed for event in kernel}
    assert seen == set(raw_events.NAMES) - {"picked"} | {"game"}


def test_paths_are_legal_moves(fuzzed):
    """Steps to neighbours, online, past no enemy, and never longer than the reference engine's way."""
    moves = 0
    for match, kernel, reference in fuzzed:
        board = match.bundle.board
        states, stands = list(board.states), {}
        for event, other in zip(kernel, reference, strict=True):
            who = (event.get("side"), event.get("runner"))
            match event["event"]:
                case "hack" | "change":
                    for node, state in zip(event["nodes"], event["states"], strict=True):
                        states[node] = state
                case "deploy" | "place" | "reconnect":
                    stands[who] = event["node"]
                case "disconnect":
                    del stands[who]
                case "move":
                    path = event["path"]
                    moves += 1
                    assert path[0] == stands[who] and len(path) == len(other["path"])
                    assert all(b in board.neighbors[a] for a, b in zip(path, path[1:], strict=False))
                    enemies = {node for (side, _), node in stands.items() if side != event["side"]}
                    assert all(states[n] in v.ONLINE and n not in enemies for n in path[1:])
                    stands[who] = path[-1]
    assert moves > 500


def test_points_are_the_score_events(fuzzed):
    for _, kernel, _ in fuzzed:
        points = [0, 0]
        for event in kernel:
            if event["event"] == "score":
                points[event["side"]] += event["points"]
                assert event["total"] == points[event["side"]]
        assert kernel[-1]["event"] == "end" and kernel[-1]["points"] == points


def test_json_lines_read_back(fuzzed):
    _, kernel, _ = fuzzed[0]
    lines = to_jsonl(kernel).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(kernel))


def test_a_log_that_is_off_stays_empty():
    match = lockstep.fuzz_source(SEED)(0)
    game = KernelGame(match, SEED, 0)
    assert game.raw_log().shape == (0, raw_events.LOG_WIDTH)


def test_a_long_game_outgrows_the_first_log(monkeypatch):
    whole = both_logs(frozen_match(), 0)[0]
    monkeypatch.setattr("bhsim.games.skirmish.driver.LOG_ROWS", 200)
    assert len(whole) > 400
    assert both_logs(frozen_match(), 0)[0] == whole
