"""Event logs and stories of tricks: against the page that describes them, against the kernel's own count, and by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tricks_logs
from tricks_kit import CHANCE

from bhsim.errors import BadInput
from bhsim.games.lockstep import EngineStopped
from bhsim.games.tricks import files, lockstep, tally
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.engine import block
from bhsim.games.tricks.replays import TricksReplay
from bhsim.games.tricks.search import SIDED_NUMBERS, TricksFinder, conditions
from bhsim.games.tricks.shadow import Shadow
from bhsim.games.tricks.view import REASONS

PAGE = (Path(__file__).parents[2] / "docs" / "tricks-replay.md").read_text(encoding="utf-8")
ROOT = 7
FUZZED = 60
BOTS = ("shark", "shedder", "lurker", "trapper", "sprinter", "random")
HAT = 16


def table(players: int, board: str = "base", sets: tuple[str, ...] = ()) -> Match:
    """The shipped bots in turn."""
    return Match(files.load_bundle(board=board, sets=sets), tuple(files.read_bot(name) for name in BOTS[:players]))


@cache
def fuzzed() -> tuple[TricksReplay, ...]:
    """Games with decks, boards, rules, players and bots drawn anew for each."""
    source = lockstep.fuzz_source(ROOT)
    return tuple(TricksReplay(source(index), ROOT, index) for index in range(FUZZED))


def rows(head: str) -> list[list[str]]:
    """The cells of the page's table that begins with these column heads; brackets left out."""
    body = PAGE.partition(f"| {head} |\n")[2].partition("\n\n")[0]
    return [[re.sub(r"\s*\(.*?\)", "", cell).strip() for cell in line.strip("| ").split("|")] for line in body.splitlines()[1:]]


def words(cell: str) -> set[str]:
    return set(re.split(r",\s*", cell.strip()))


# The log


def documented() -> dict[str, set[str]]:
    return {event: words(keys) | {"event"} for events, keys in rows("event | keys") for event in words(events)}


def test_events_have_the_keys_that_the_page_names():
    named, seen = documented(), set()
    for game in (*fuzzed(), *(tricks_logs.game_of(name) for name in tricks_logs.GAMES)):
        for event in game.events[1:]:
            keys = named[event["event"]]
            if event["event"] == "tile" and event["cause"] == "setup":
                keys = keys - {"side"}
            assert set(event) == keys, event
            seen.add(event["event"])
    assert seen == set(named)


def test_words_of_events_stand_on_the_page():
    listed = {name: words(inside) for name, inside in re.findall(r"(cause|reason) \((.*?)\)", PAGE)}
    logs = [event for game in fuzzed() for event in game.events[1:]]
    assert listed == {"cause": {e["cause"] for e in logs if "cause" in e}, "reason": set(REASONS) - {None}}
    assert {e["reason"] for e in logs if "reason" in e} == listed["reason"]


def test_header_has_the_keys_that_the_page_names():
    named = {key for keys, _ in rows("key | value") for key in words(keys)}
    match, players = table(3, "backdoor"), 3
    game = TricksReplay(match, ROOT, 10)
    head = game.events[0]
    assert set(head) == named
    assert (head["event"], head["format"], head["game"], head["seed"], head["index"]) == ("game", 1, "tricks", ROOT, 10)
    assert head["rotation"] == 1 and head["seats"] == [2, 0, 1] and [side["bot"] for side in head["sides"]] == list(BOTS[:players])
    assert sum(card["copies"] for card in head["cards"]) == match.bundle.deck.size() + 1
    assert {(card["card"], card["penalty"]) for card in head["cards"]} >= {(0, match.bundle.deck.joker_penalty), (HAT, 5), (13, 5)}
    assert head["starts"] == ["internet_cafe", "public_server"] and set(head["tiles"]) == set(match.bundle.board.tiles)
    assert head["spaces"]["router"] == {"name": "Router", "value": -1, "kind": "plain", "arrows": ["honeypot", "database"]}
    first = [event for event in game.events if event["event"] in ("round", "deal")][: players + 1]
    hands = {deal["side"]: deal["cards"] + [HAT] * (deal["side"] == first[0]["hat"]) for deal in first[1:]}
    assert head["hands"] == [hands[side] for side in range(players)]
    assert [deal["side"] for deal in first[1:]] == head["seats"]


def recount(events: list[dict]) -> None:
    """Every count of a log from nothing but its lines."""
    head, penalty = events[0], {card["card"]: card["penalty"] for card in events[0]["cards"]}
    players = len(head["sides"])
    total, hands, pawns = [0] * players, [Counter() for _ in range(players)], [list(head["starts"]) for _ in range(players)]
    shift, laid, holder, counts = Counter(), [], -1, 0
    for event in events[1:]:
        side = event.get("side")
        match event["event"]:
            case "round":
                holder = event["hat"]
            case "deal":
                hands[side] = Counter(event["cards"] + [HAT] * (side == holder))
            case "play":
                hands[side].subtract({event["rank"]: event["naturals"], 0: event["jokers"], HAT: event["hat"]})
            case "discard":
                hands[side][event["card"]] -= 1
            case "draw":
                hands[side][event["card"]] += 1
            case "take":
                hands[side].update(event["cards"])
            case "move" | "back":
                assert pawns[event["owner"]][event["pawn"]] == event["start"]
                pawns[event["owner"]][event["pawn"]] = event["end"]
            case "exploit":
                shift[event["space"]] += event["amount"]
            case "tile":
                mine = head["tiles"][event["tile"]]["spaces"]
                laid = [tile for tile in laid if not head["tiles"][tile]["spaces"].keys() & mine.keys()] + [event["tile"]]
            case "count":
                changed = {space: new for tile in laid for space, new in head["tiles"][tile]["spaces"].items()}
                values = {space: changed.get(space, {}).get("value", was["value"]) for space, was in head["spaces"].items()}
                assert min(hands[side].values(), default=0) >= 0
                assert event["hand"] == sum(penalty[card] * copies for card, copies in hands[side].items() if copies)
                assert event["spaces"] == sum(values[space] + shift[space] for space in pawns[side])
                total[side] += event["hand"] + event["spaces"]
                assert event["total"] == total[side]
                counts += 1
    end = events[-1]
    assert end["event"] == "end" and end["points"] == total and counts == players * end["rounds"]
    assert end["winners"] == [side for side in range(players) if total[side] == min(total)]


@pytest.mark.parametrize("board", ["base", "backdoor"])
@pytest.mark.parametrize(("players", "max_rounds"), [(2, 60), (3, 60), (4, 4), (5, 60)])
def test_points_of_the_log_and_outcomes_of_the_run(players, max_rounds, board):
    """60 games of each board, or a few more: what the log adds up to is what the kernel kept of the very same game."""
    match, keys = table(players, board, (f"rules.max_rounds={max_rounds}",)), -(-15 // players)
    outcomes = np.zeros((players * keys, 2), np.uint8)
    block.play_block(match.tables, match.sides, ROOT, 0, keys, tally.empty(), outcomes)
    for index, (mask, margin) in enumerate(outcomes):
        game = TricksReplay(match, ROOT, index)
        recount(game.events)
        assert game.outcome == (int(mask), int(margin.astype("int8")))
        end = game.events[-1]
        assert mask == sum(1 << side for side in end["winners"]) * (end["reason"] != "max_rounds")
    assert (max_rounds == 60) == all(outcomes[:, 0])


def test_points_of_fuzzed_games():
    for game in fuzzed():
        recount(game.events)


def test_a_log_is_enough_to_know_the_table():
    for game in fuzzed():
        shadow = Shadow(game.bundle, len(game.events[0]["sides"]))
        for event in game.events[1:]:
            shadow.follow(event)
        engine, seats = game.game, game.events[0]["seats"]
        for seat, side in enumerate(seats):
            assert +shadow.hands[side] == +engine.hands[seat] and shadow.points[side] == engine.points[seat]
            for number in range(2):
                mine, its = shadow.pawn(side, number), engine.board.pawns[2 * seat + number]
                assert (mine.space, mine.stuck) == (its.space, its.stuck)
        assert [shadow.board.value(key) for key in shadow.board.ids] == [engine.board.value(key) for key in engine.board.ids]


@pytest.mark.parametrize("name", list(tricks_logs.GAMES))
def test_golden_logs_and_stories(name):
    game = tricks_logs.game_of(name)
    stored = [json.loads(line) for line in (tricks_logs.FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    played = json.loads(json.dumps(game.events))
    for events in (stored, played):
        events[0].pop("engine")  # moves with every release
    for number, (one, other) in enumerate(zip(played, stored, strict=True), 1):
        assert one == other, f"{name}.jsonl line {number}"
    story = (tricks_logs.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert list(game.story("round"))[1:] == story[1:]


def test_engines_that_part_are_noticed(monkeypatch):
    match = table(2)
    whole = KernelGame.view
    monkeypatch.setattr(KernelGame, "view", lambda self: whole(self) | {"pile": [1]})
    with pytest.raises(EngineStopped, match="game 3 of seed 7 differently"):
        TricksReplay(match, ROOT, 3)
    monkeypatch.setattr(KernelGame, "bot_decision", lambda self: 0)
    with pytest.raises(EngineStopped, match="game 4 of seed 7 differently"):
        TricksReplay(match, ROOT, 4)


# The story


@pytest.mark.parametrize("players", range(2, 7))
def test_story_tells_every_event_and_the_end(players):
    game = TricksReplay(table(players, "backdoor"), ROOT, players + 1)
    events = Counter(event["event"] for event in game.events)
    story = list(game.story("none"))
    said = Counter(
        part
        for line in story
        for part in (" wins the trick", " leads ", " moves ", " takes up ", " counts ", " is dealt ", "== Round")
        if part in line
    )
    assert said[" wins the trick"] == said[" leads "] == events["trick"] > 0
    assert (said[" moves "], said[" takes up "]) == (events["move"], events["take"])
    assert said[" counts "] == said[" is dealt "] == players * said["== Round"] == events["count"]
    assert not any("None" in line or "{" in line or "_" in line for line in story)
    letters = "ABCDEF"[:players]
    assert all(
        any(line.startswith(f"{letter}: played by {bot}, in seat ") for line in story) for letter, bot in zip(letters, BOTS, strict=False)
    )
    assert story[-1].strip().startswith(tuple(f"{letters[side]} ({BOTS[side]})" for side in game.events[-1]["winners"]))
    assert f"in round {events['round']}" in story[-1]


def test_boards_on_request():
    game = TricksReplay(table(4, "backdoor"), ROOT, 2)
    events = Counter(event["event"] for event in game.events)

    def pictures(boards: str) -> list[list[str]]:
        """Runs of lines with the four spaces of a picture in front, the legend left out."""
        runs: list[list[str]] = [[]]
        for line in game.story(boards):
            if re.match(r"    \S.* +-?\d+  .*[A-D][01]", line):
                runs[-1].append(line)
            elif runs[-1]:
                runs.append([])
        return [run for run in runs if run]

    assert not pictures("none")
    assert len(pictures("round")) == events["round"] + 1
    assert len(pictures("turn")) == events["trick"] + 1
    for run in pictures("turn"):
        assert sorted(re.findall(r"[A-D][01]", " ".join(run))) == [f"{letter}{pawn}" for letter in "ABCD" for pawn in (0, 1)]


def test_stories_of_fuzzed_games_tell_traps_and_tiles():
    told = Counter()
    for game in fuzzed():
        story = list(game.story("turn"))
        assert not any("None" in line or "{" in line for line in story)
        told["stuck"] += sum(pawn.stuck for pawn in game.game.board.pawns)
        told["trapped"] += sum(" is trapped on " in line for line in story)
        told["tiles"] += sum(event["event"] == "tile" for event in game.events)
        told["laid"] += sum(" is laid (" in line for line in story)
        last = next(place for place, line in enumerate(story) if re.search(r"(in|Stopped in) round \d+[ ,]", line))
        told["starred"] += sum(line.count("*") for line in story[last:])
    assert told["stuck"] == told["trapped"] == told["starred"] > 0 and told["tiles"] == told["laid"] > 0


# Finding games


def test_fields_agree_with_the_logs():
    match = table(3, "backdoor", ("rules.max_rounds=5",))
    where = "tricks >= 1 and hat_tricks >= 0 and b.points > -99 and points > -999 and b.trapped >= 0 and trapped >= 0 and a.pushes >= 0"
    seen = set()
    for index, found in TricksFinder(match, conditions(where, 3)).search(ROOT, 45):
        events = TricksReplay(match, ROOT, index).events
        end, tricks = events[-1], [event for event in events if event["event"] == "trick"]
        cut, moves = end["reason"] == "max_rounds", [event for event in events if event["event"] == "move"]
        winner = "none" if cut else "abc"[end["winners"][0]] if len(end["winners"]) == 1 else "shared"
        assert (found.winner, found.reason, found.rounds) == (winner, end["reason"], end["rounds"])
        assert found.margin == min(end["points"][1:]) - end["points"][0]
        assert found.ended_by == ("abc"[moves[-1]["side"]] if end["reason"] == "critical_assets" else "none")
        assert (found.tricks, found.hat_tricks) == (len(tricks), sum(trick["hat"] for trick in tricks))
        read = dict(zip(where.split(" and "), (condition.read(found) for condition in conditions(where, 3)), strict=True))
        assert read["b.points > -99"] == end["points"][1] and read["points > -999"] == sum(end["points"])
        assert read["a.pushes >= 0"] == sum(event["side"] == 0 != event["owner"] for event in moves)
        shadow = Shadow(match.bundle, 3)
        for event in events[1:]:
            shadow.follow(event)
        assert read["b.trapped >= 0"] == sum(shadow.pawn(1, number).stuck for number in (0, 1))
        assert read["trapped >= 0"] == sum(pawn.stuck for pawn in shadow.board.pawns)
        seen |= {found.winner, found.reason, found.ended_by}
    assert seen >= {"a", "b", "c", "none", "critical_assets", "max_rounds"}


def test_only_fitting_games_are_found():
    match = table(2)
    every = {index: found.winner for index, found in TricksFinder(match, conditions("rounds >= 1", 2)).search(ROOT, 30)}
    fitting = [index for index, found in TricksFinder(match, conditions("winner = b", 2)).search(ROOT, 30) if found]
    assert fitting == [index for index, winner in every.items() if winner == "b"] and 0 < len(fitting) < 30


def test_either_of_two_conditions_is_enough():
    match = table(2)
    found = TricksFinder(match, conditions("winner = b and rounds >= 3 or (winner = shared or margin > 15)", 2)).search(ROOT, 40)
    every = {index: game and (game.winner, game.rounds, game.margin) for index, game in found}
    all_games = TricksFinder(match, conditions("rounds >= 1", 2)).search(ROOT, 40)
    ends = {index: (game.winner, game.rounds, game.margin) for index, game in all_games}
    fitting = {i: end for i, end in ends.items() if (end[0] == "b" and end[1] >= 3) or end[0] == "shared" or end[2] > 15}
    assert {index: end for index, end in every.items() if end} == fitting
    assert {"a", "b"} <= {winner for winner, _, _ in fitting.values()} and len(fitting) < 40


def test_fields_stand_on_the_page():
    named = {word for cells in rows("field | value") for word in words(cells[0])}
    counters = words(PAGE.partition("| COUNTER | of a side: ")[2].partition(" |")[0])
    assert counters | {"points"} == set(SIDED_NUMBERS)
    for name in named - {"COUNTER"}:
        assert conditions(f"{name} = {'none' if name in ('winner', 'ended_by') else 'no_moves' if name == 'reason' else 1}", 2)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "is no condition"),
        ("winner = c", "a, b, shared, none"),
        ("c.points > 3", "up to b"),
        ("a.rounds > 3", "unknown field"),
        ("trapd > 1", "did you mean"),
        ("trapped > many", "whole number"),
        ("ended_by > a", "= or !="),
    ],
)
def test_bad_conditions(where, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        conditions(where, 2)


def test_the_kernels_of_a_random_table_are_told_too():
    recount(TricksReplay(Match(files.load_bundle(), (CHANCE,) * 2), 2**63 - 1, 10**9).events)
