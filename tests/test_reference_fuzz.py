"""Random games on random cards: what must be true of the plain engine at every decision, whatever the cards say."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from bhsim.games.skirmish import actions, fuzz, legality
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.model import Effect
from bhsim.games.skirmish.reference import Game

SEEDS = 300


def start(seed: int, log=None) -> Game:
    cardset, board, rules, crews, decks = fuzz.random_case(seed)
    return Game(Bundle(cardset, board, rules), crews, decks, root=1, key=seed, game=seed % 2, log=log)


def play(game: Game, seed: int, check=lambda game: None) -> list[int]:
    """Plays at random to the end; the actions taken."""
    rng, taken = random.Random(seed), []
    while not game.over:
        check(game)
        taken.append(fuzz.random_choice(rng, game.legal()))
        game.apply(taken[-1])
    return taken


def hacks_between_turns(game: Game) -> bool:
    texts = [text for crew in game.crew for r in crew for text in (r.card, r.rig)]
    return any(row.op == "hack" and row.trigger in v.EVENT_TRIGGERS for text in texts for row in text.effects)


def check_table(game: Game, cards: list[Counter]) -> None:
    view, legal = game.view(), game.legal()
    assert len(legal) >= 2 and legal == sorted(set(legal))
    assert view["seat"] in (0, 1)
    for seat in (0, 1):
        piles = (view[name][seat] for name in ("deck", "hand", "discard", "flight"))
        assert sum(map(Counter, piles), Counter()) == cards[seat]
        assert 0 <= view["points"][seat] < game.rules.points_to_win
        data = view["data"][seat]
        assert data["signal"] <= game.rules.data_signal_max
        if data["carrier"] >= 0:
            status = view["runners"][seat][data["carrier"]]["status"]
            assert data["signal"] > 0
            assert status == "board" or (status == "off" and game.rules.data_on_disconnect == "kept")
    there = [r for crew in view["runners"] for r in crew if r["status"] == "board"]
    nodes = [r["node"] for r in there]
    assert len(set(nodes)) == len(nodes)
    assert all(v.STATES[view["states"][n]] in v.ONLINE for n in nodes)
    assert all(r["signal"] > 0 for r in there)
    for runner in (r for crew in view["runners"] for r in crew if r["status"] != "board"):
        assert runner["node"] == -1 and not runner["temps"] and not any(runner["bans"].values())
    kind = actions.decode(legal[0])[0]
    if kind in (actions.PLACE, actions.TOKEN):  # SK-6.9, 9.1: the locks went, and only an end-of-round text can have made new ones
        assert not view["locks"] or hacks_between_turns(game)
        assert all("round" not in stat for r in there for stat in r["temps"])
    assert all(v.STATES[view["states"][n]] not in ("server0", "server1") for n in view["locks"])


@pytest.mark.parametrize("first", range(0, SEEDS, 50))
def test_random_games_keep_the_table_in_order(first):
    for seed in range(first, first + 50):
        game = start(seed)
        cards = [Counter(pile) + Counter(hand) for pile, hand in zip(game.deck, game.hand, strict=True)]
        servers = [n for n, s in enumerate(game.network.states) if s.startswith("server")]

        def check(game, cards=cards, servers=servers):
            check_table(game, cards)
            assert [n for n, s in enumerate(game.network.states) if s.startswith("server")] == servers

        play(game, seed, check)
        assert game.legal() == [] and game.seat == -1 and game.view()["over"]
        if game.reason == "points":
            assert game.points[game.winner] >= game.rules.points_to_win
        else:
            assert game.reason == "max_rounds" and game.winner is None and game.round == game.rules.max_rounds


def test_the_same_address_and_actions_give_the_same_game():
    for seed in range(30):
        first, second = start(seed), start(seed)
        for action in play(first, seed):
            second.apply(action)
        assert first.view() == second.view()


def test_the_log_does_not_change_the_game_and_carries_its_result():
    for seed in range(60):
        lines: list[dict] = []
        game, told = start(seed), start(seed, lines.append)
        play(game, seed)
        play(told, seed)
        assert game.view() == told.view()
        assert lines == json.loads(json.dumps(lines))
        assert lines[0]["event"] == "game" and lines[-1]["event"] == "end"
        scored = Counter()
        for line in lines:
            if line["event"] == "score":
                scored[line["side"]] += line["points"]
        assert [scored[0], scored[1]] == lines[-1]["points"]


def test_the_log_places_every_runner_where_it_stands():
    for seed in range(60):
        lines: list[dict] = []
        game = start(seed, lines.append)
        play(game, seed)
        where = {}
        for line in lines:
            match line["event"]:
                case "deploy" | "place" | "reconnect":
                    where[line["side"], line["runner"]] = line["node"]
                case "move":
                    assert line["path"][0] == where[line["side"], line["runner"]]
                    where[line["side"], line["runner"]] = line["path"][-1]
                case "disconnect":
                    where[line["side"], line["runner"]] = None
        assert where == {(game.side_at[r.seat], r.id): r.node for crew in game.crew for r in crew}


def test_another_action_is_refused():
    game = start(1)
    before = game.view()
    with pytest.raises(ValueError, match="not legal"):
        game.apply(actions.encode(actions.CHOOSE, 0, 99))
    assert game.view() == before


def test_cases_follow_from_their_seed_and_fit_the_capacities():
    for seed in range(40):
        case, again = fuzz.random_case(seed), fuzz.random_case(seed)
        assert case == again
        cardset, board, rules, crews, decks = case
        assert 10 <= len(board.states) <= actions.MAX_NODES
        assert all(n in board.neighbors[m] for n, near in enumerate(board.neighbors) for m in near)
        assert board.servers(0) and board.servers(1)
        for crew, home in zip(crews, board.home, strict=True):
            assert 1 <= len(crew.members) <= sum(board.states[n] in v.ONLINE for n in home)
        assert all(len(deck.slots()) == rules.deck_size for deck in decks)
        texts = [*cardset.runners.values(), *cardset.rigs.values(), *cardset.cards.values(), *rules.common_actions]
        assert sum(len(text.effects) for text in texts) <= actions.MAX_ROWS


def test_cases_are_legal():
    for seed in range(40):
        cardset, board, rules, crews, decks = fuzz.random_case(seed)
        faults = legality.check_cardset(cardset) + legality.check_rows(cardset, rules) + legality.check_board(board)
        faults += [f for crew in crews for f in legality.check_crew(crew, cardset, rules, board)]
        faults += [f for deck in decks for f in legality.check_deck(deck, cardset, rules)]
        assert not faults, seed


def test_the_whole_vocabulary_turns_up():
    seen: dict[str, set] = {name: set() for name in ("op", "trigger", "target", "within", "duration", "stat", "to", "other", "how", "by")}
    filters, conditions, bans = set(), set(), set()

    def see(row: Effect) -> None:
        for name, words in seen.items():
            words.add(getattr(row, name))
        filters.update(row.filter)
        conditions.update(c.kind for c in row.conditions)
        bans.update(row.what if row.op == "forbid" else [])

    for seed in range(80):
        cardset, _, rules, _, _ = fuzz.random_case(seed)
        for text in (*cardset.runners.values(), *cardset.rigs.values(), *cardset.cards.values(), *rules.common_actions):
            for row in text.effects:
                see(row)
    expected = {"op": v.OPS, "trigger": v.TRIGGERS, "target": v.WHO, "within": v.WITHIN, "duration": v.DURATIONS, "stat": v.STATS}
    expected |= {"to": v.PLACES, "how": v.HOW, "by": ("self", "own", "ally"), "other": ("self", "own", "ally", "enemy", "any", "other")}
    for name, words in expected.items():
        assert seen[name] >= set(words), name
    assert (filters, conditions, bans) == (set(v.FILTERS), set(v.CONDITIONS), set(v.FORBIDDABLE))


@pytest.mark.rule("SK-5.5")
def test_some_games_reach_the_limit_of_triggers():
    """Restless rigs set everybody in motion: beyond 64 texts in a turn the rest is dropped and counted."""
    dropped = []
    for seed in range(120):
        if any(e.op == "move" and e.all and e.trigger == "after_moving" for e in fuzz.random_case(seed)[0].rigs["rig_0"].effects):
            game = start(seed)
            play(game, seed)
            dropped.append(game.dropped)
    assert dropped and max(dropped) > 0
