"""What holds of every game, whatever the deck, the board, the rules and the number of players: checked by recounting the event log."""

from __future__ import annotations

from collections import Counter

import pytest
from tricks_kit import Engine, ReferenceTable, Table, number_of

from bhsim.games.tricks import files, fuzz
from bhsim.games.tricks.actions import HAT, JOKER, MAX_PLAYERS
from bhsim.games.tricks.reference import Game, play_at_random

CASES = 150


class Recount:
    """Keeps hands, table, pawns and points from the events alone, and checks each event against them."""

    def __init__(self, table: Table) -> None:
        self.deck, self.board = table.bundle.deck, table.bundle.board
        self.players = table.game.players
        self.hands: list[Counter[int]] = []
        self.table: Counter[int] = Counter()
        self.out: Counter[int] = Counter()
        self.rest: Counter[int] = Counter()
        self.pawns = [self.board.starts()[n % 2] for n in range(2 * self.players)]
        self.stuck = [False] * len(self.pawns)
        self.laid: set[str] = set()
        self.shift: Counter[str] = Counter()
        self.points = [0] * self.players

    def read(self, log: list[dict]) -> None:
        for line in log:
            getattr(self, f"_{line['event']}")(line)

    def _nothing(self, line: dict) -> None:
        pass

    _skip = _pass_lead = _trick = _stay = _nothing

    def _round(self, line: dict) -> None:
        self.hands = [Counter() for _ in range(self.players)]
        self.hands[line["hat"]][HAT] = 1
        self.table, self.out, self.rest = Counter(), Counter(), Counter(self.deck.cards())

    def _deal(self, line: dict) -> None:
        self._from_pile(line["side"], line["cards"])

    def _draw(self, line: dict) -> None:
        self._from_pile(line["side"], [line["card"]])

    def _from_pile(self, side: int, cards: list[int]) -> None:
        for card in cards:
            assert self.rest[card] > 0
            self.rest[card] -= 1
            self.hands[side][card] += 1

    def _lay_down(self, side: int, cards: Counter[int]) -> None:
        assert cards <= self.hands[side]
        self.hands[side] -= cards
        self.table += cards

    def _play(self, line: dict) -> None:
        self._lay_down(
            line["side"], Counter({line["rank"]: line["naturals"]}) + Counter({JOKER: line["jokers"]}) + Counter({HAT: line["hat"]})
        )

    def _discard(self, line: dict) -> None:
        assert line["card"] != HAT
        self._lay_down(line["side"], Counter({line["card"]: 1}))

    def _take(self, line: dict) -> None:
        cards = Counter(line["cards"])
        assert cards[HAT] == 1 and cards <= self.table
        self.hands[line["side"]] += cards
        self.table -= cards

    def clear_table(self) -> None:
        """What nobody took is out of the round."""
        self.out, self.table = self.out + self.table, Counter()

    def spaces(self) -> dict:
        return self.board.layout(self.laid)

    def _free(self, space: str) -> bool:
        return self.spaces()[space].kind in ("start", "critical_assets") or space not in self.pawns

    def _go(self, line: dict) -> None:
        pawn = 2 * line["owner"] + line["pawn"]
        assert self.pawns[pawn] == line["start"] and not self.stuck[pawn] and self._free(line["end"])
        self.pawns[pawn] = line["end"]
        self._spring()

    def _move(self, line: dict) -> None:
        assert line["owner"] == line["side"] or self._value(line["start"]) < 0
        self._go(line)

    def _back(self, line: dict) -> None:
        assert line["start"] in self.spaces()[line["end"]].arrows
        self._go(line)

    def _spring(self) -> None:
        self.stuck = [stuck or self.spaces()[space].kind == "trap" for stuck, space in zip(self.stuck, self.pawns, strict=True)]

    def _tile(self, line: dict) -> None:
        assert line["tile"] not in self.laid
        self.laid = {tile for tile in self.laid if not self.board.overlap(tile, line["tile"])} | {line["tile"]}
        self._spring()

    def _exploit(self, line: dict) -> None:
        assert abs(line["amount"]) == 1
        self.shift[line["space"]] += line["amount"]
        assert self._value(line["space"]) == line["value"]

    def _value(self, space: str) -> int:
        return self.spaces()[space].value + self.shift[space]

    def _count(self, line: dict) -> None:
        side = line["side"]
        assert line["hand"] == sum(self.deck.penalty(card) for card in self.hands[side].elements())
        assert line["spaces"] == sum(self._value(space) for space in self.pawns[2 * side : 2 * side + 2])
        self.points[side] += line["hand"] + line["spaces"]
        assert line["total"] == self.points[side]

    def _end(self, line: dict) -> None:
        assert line["points"] == self.points
        assert line["winners"] == [side for side, points in enumerate(self.points) if points == min(self.points)]
        at_goal = [space for space in self.pawns if self.spaces()[space].kind == "critical_assets"]
        assert bool(at_goal) == (line["reason"] == "critical_assets")


def follow(table: Table) -> Recount:
    """Plays a game by changing choices to its end, recounting after every decision."""
    recount, read, turn = Recount(table), 0, 0
    while True:
        for line in table.log[read:]:
            if line["event"] in ("play", "discard") and recount.table and not _goes_on(table.log[:read]):
                recount.clear_table()
            recount.read([line])
            read += 1
        assert [+hand for hand in recount.hands] == [+hand for hand in table.game.hands]
        assert recount.rest == Counter(table.view["pile"])
        assert [table.ids.index(space) for space in recount.pawns] == table.view["pawns"] and recount.stuck == table.view["stuck"]
        everything = sum(recount.hands, Counter()) + recount.table + recount.out + recount.rest
        assert everything == Counter(recount.deck.cards()) + Counter({HAT: 1})
        if table.game.over:
            return recount
        legal = table.game.legal()
        assert len(legal) > 1 and legal == sorted(set(legal))
        table.game.apply(legal[(turn * 7 + read) % len(legal)])
        turn += 1


def _goes_on(log: list[dict]) -> bool:
    """Whether the latest trick has no winner yet."""
    return next((line["event"] for line in reversed(log) if line["event"] in ("trick", "round", "play", "discard")), None) in (
        "play",
        "discard",
    )


def test_every_game_ends_and_its_log_adds_up():
    engine, reasons, events = Engine(ReferenceTable), Counter(), Counter()
    for seed in range(CASES):
        made, players = fuzz.random_case(seed)
        table = engine.deal(made, players, key=seed)
        follow(table)
        end = table.events("end")[0]
        assert end["rounds"] <= made.rules.max_rounds
        reasons[end["reason"]] += 1
        events.update(line["event"] for line in table.log)
    assert set(reasons) == {"critical_assets", "max_rounds", "no_moves"}
    assert {"exploit", "back", "tile", "skip", "pass_lead", "stay", "take", "draw"} <= set(events)


@pytest.mark.parametrize("board", ["base", "backdoor"])
@pytest.mark.parametrize("players", [2, 4, 6])
def test_games_of_the_house_boards_add_up_too(board, players):
    made = files.load_bundle(board=board)
    for key in range(6):
        follow(Engine(ReferenceTable).deal(made, players, key=key))


def test_no_trick_lasts_longer_than_one_turn_each_and_no_round_longer_than_its_cards():
    for seed in range(40):
        made, players = fuzz.random_case(seed)
        table = Engine(ReferenceTable).deal(made, players, key=seed)
        play_at_random(table.game, 1, seed)
        rounds = "".join({"round": "R", "trick": "T"}.get(line["event"], "") for line in table.log).split("R")[1:]
        assert all(len(tricks) <= made.rules.max_tricks + made.deck.size() + 1 for tricks in rounds)
        turns = [line["event"] for line in table.log if line["event"] in ("play", "discard", "skip", "trick")]
        played = [len(part.split()) for part in " ".join(turns).split("trick")[:-1]]
        assert set(played) <= {players}


def test_games_follow_from_their_address_alone():
    made = files.load_bundle(board="backdoor")

    def told(root: int, key: int) -> list[dict]:
        log: list[dict] = []
        play_at_random(Game(made, 4, root, key, log=log.append), root, key)
        return log

    assert told(1, 5) == told(1, 5)
    assert told(1, 5) != told(1, 6) and told(1, 5) != told(2, 5)


def test_rotation_moves_sides_through_the_seats_and_nothing_else():
    made = files.load_bundle()
    ends = []
    for rotation in range(3):
        log: list[dict] = []
        game = play_at_random(Game(made, 3, 1, 4, rotation, log.append), 1, 4)
        ends.append([log[-1]["points"][(seat - rotation) % 3] for seat in range(3)])
        assert sorted(game.winners) == sorted((side + rotation) % 3 for side in log[-1]["winners"])
    assert ends[0] == ends[1] == ends[2]


def test_fuzz_reaches_every_switch_and_every_number_of_players():
    cases = [fuzz.random_case(seed) for seed in range(120)]
    assert {players for _, players in cases} == set(range(2, MAX_PLAYERS + 1))
    for switch, words in fuzz.SWITCHES.items():
        assert {getattr(made.rules, switch) for made, _ in cases} == set(words)
    assert fuzz.random_case(7) == fuzz.random_case(7)


def test_pawns_are_numbered_by_seat():
    assert [number_of(pawn) for pawn in ("0.0", "0.1", "5.1")] == [0, 1, 11]
