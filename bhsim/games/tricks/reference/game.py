"""One game from setup to the end, told in the order of the rules page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from bhsim.games import luck
from bhsim.games.asking import Asking, AskingGame
from bhsim.games.tricks import actions as act
from bhsim.games.tricks.actions import HAT, JOKER, decode, encode
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.reference.board import Board
from bhsim.games.tricks.reference.cards import Play, Trick
from bhsim.games.tricks.view import reference_view

Log = Callable[[dict[str, Any]], None]


class GameOver(Exception):
    """Ends the story wherever it is."""


class Game(AskingGame):
    """A tricks game that waits at its next decision; ``legal()`` lists at least two actions, sorted.

    bundle: must be legal for so many ``players``. root, key: the address of its luck. rotation: side s sits in seat (s + rotation) %
    players; everything here but the log speaks of seats. winners: seats, empty until the game is over. reason: 'critical_assets',
    'no_moves', 'max_rounds' or None.
    """

    def __init__(self, bundle: Bundle, players: int, root: int, key: int, rotation: int = 0, log: Log | None = None) -> None:
        self.deck, self.rules, self.players, self.log = bundle.deck, bundle.rules, players, log
        self.side_at = [(seat - rotation) % players for seat in range(players)]
        number = luck.key_of(root, key)
        self._setup_luck = luck.Stream(number, luck.SETUP)
        self._hat_luck = luck.Stream(number, luck.FIRST_PLAYER)
        self._deck_luck = luck.Stream(number, luck.DECK)
        self._effect_luck = [luck.Stream(number, luck.EFFECT + seat) for seat in range(players)]
        self.random_draws = [0] * players
        self.board = Board(bundle.board, players)
        self.round = self.trick_no = 0
        self.holder = self.leader = -1
        self.hands: list[Counter[int]] = [Counter() for _ in range(players)]
        self.pile: list[int] = []
        self.trick = Trick(self.rules, self.deck)
        self.picked: Counter[int] = Counter()
        self.from_hand, self.from_spaces = [0] * players, [0] * players
        self.winners: list[int] = []
        self.reason: str | None = None
        self.begin(self._play())

    @property
    def points(self) -> list[int]:
        """Running score by seat."""
        return [hand + spaces for hand, spaces in zip(self.from_hand, self.from_spaces, strict=True)]

    def view(self) -> dict[str, Any]:
        """The whole state as plain values, for comparison with the compiled engine."""
        return reference_view(self)

    def tell(self, event: str, seat: int | None = None, **keys: Any) -> None:
        """One line of the event log; seats become sides."""
        if self.log is not None:
            side = {} if seat is None else {"side": self.side_at[seat]}
            self.log({"event": event, **side, **keys})

    def ask(self, seat: int, options: list[int]) -> Asking:
        """The chosen one of the options; a single one is taken without asking."""
        return options[0] if len(options) == 1 else (yield seat, sorted(options))

    def _after(self, seat: int) -> int:
        return (seat + 1) % self.players

    # TR-8: the frame of a game

    def _play(self) -> Asking:
        try:
            self._lay_first_tiles()
            while self.reason is None:
                self._deal()
                yield from self._round()
                self._count()
                if not self.board.can_anything_move():  # TR-8.4
                    self.reason = "no_moves"
                elif self.round == self.rules.max_rounds:  # TR-8.6
                    self.reason = "max_rounds"
        except GameOver:  # TR-8.3
            self.reason = "critical_assets"
            self._count()
        self.winners = [seat for seat in range(self.players) if self.points[seat] == min(self.points)]  # TR-8.5
        points = [self.points[self.side_at.index(side)] for side in range(self.players)]
        self.tell("end", winners=sorted(self.side_at[s] for s in self.winners), points=points, rounds=self.round, reason=self.reason)

    def _count(self) -> None:
        """TR-8.2."""
        for seat in range(self.players):
            hand = sum(self.deck.penalty(card) * copies for card, copies in self.hands[seat].items())
            spaces = sum(self.board.value(pawn.space) for pawn in self.board.pawns if pawn.seat == seat)
            self.from_hand[seat] += hand
            self.from_spaces[seat] += spaces
            self.tell("count", seat, hand=hand, spaces=spaces, total=self.points[seat])

    # TR-2: setup

    def _lay_first_tiles(self) -> None:
        """TR-7.5: as listed; or shuffled, and a coin says of each tile whether it lies there, if its place is still empty."""
        tiles = list(self.board.printed.laid)
        if self.rules.tiles == "random":
            shuffled = list(self.board.printed.tiles)
            self._setup_luck.shuffle(shuffled, 0)
            tiles = []
            for number, tile in enumerate(shuffled):
                apart = not any(self.board.printed.overlap(tile, other) for other in tiles)
                if apart and self._setup_luck.below(luck.DRAWS_PER_SHUFFLE + number, 2):
                    tiles.append(tile)
        for tile in tiles:
            self.board.lay(tile)
            self.tell("tile", tile=tile, cause="setup")

    def _deal(self) -> None:
        self.round += 1
        self.trick_no = 0
        self.trick = Trick(self.rules, self.deck)
        self.pile = self.deck.cards()
        self._deck_luck.shuffle(self.pile, self.round - 1, act.DRAWS_PER_SHUFFLE)  # TR-2.1
        self.holder = self._hat_luck.below(self.round - 1, self.players)  # TR-2.2
        self.leader = (self.holder - 1) % self.players  # TR-2.3
        self.tell("round", self.leader, number=self.round, hat=self.side_at[self.holder])
        for seat in range(self.players):
            has_hat = seat == self.holder
            count = self.rules.hand_size - (has_hat and self.rules.hat_counts_in_hand)
            dealt = [self.pile.pop() for _ in range(count)]
            self.hands[seat] = Counter(dealt + [HAT] * has_hat)
            self.tell("deal", seat, cards=dealt)

    # TR-3 to TR-5: tricks

    def _round(self) -> Asking:
        while all(hand.total() for hand in self.hands):  # TR-8.1
            yield from self._trick()

    def _trick(self) -> Asking:
        self.trick_no += 1
        self.trick = Trick(self.rules, self.deck)
        while not (leads := self.trick.leads(self.leader, self.hands[self.leader])):  # TR-3.5
            self.tell("pass_lead", self.leader)
            self.leader = self._after(self.leader)
        yield from self._put_down(self.leader, leads)
        seat = self._after(self.leader)
        while seat != self.leader:
            if answers := self.trick.answers(seat, self.hands[seat]):
                yield from self._put_down(seat, answers)
            else:  # TR-3.5
                self.tell("skip", seat)
            seat = self._after(seat)
        winner = self.trick.winner().seat
        self.tell("trick", winner, hat=self.trick.has_hat)
        yield from self._move(winner)
        emptied = self.rules.round_end == "when_empty" and not all(hand.total() for hand in self.hands)  # TR-8.1
        if self.trick.has_hat and not emptied and self.trick_no < self.rules.max_tricks:  # TR-8.7
            yield from self._take_up(winner)
        self.leader = winner if self.rules.next_leader == "winner" else self._after(self.leader)  # TR-3.4

    def _put_down(self, seat: int, options: list[Play]) -> Asking:
        play = Play.of(seat, (yield from self.ask(seat, [option.action for option in options])))
        self.hands[seat] -= play.cards()
        self.trick.plays.append(play)
        if play.discarded:
            self.tell("discard", seat, card=play.rank)
        else:
            self.tell("play", seat, rank=play.rank, naturals=play.naturals, jokers=play.jokers, hat=play.hat)

    def _take_up(self, seat: int) -> Asking:
        """TR-5.4: everything, or the Black Hat and cards of the winner's choice; asked only if that is a difference."""
        table, count = self.trick.cards(), self.trick.to_take()
        part = encode(act.TAKE, 0, act.PART)
        options = [encode(act.TAKE, 0, act.ALL)] + [part] * (table.total() > count + 1)
        taken = table
        if (yield from self.ask(seat, options)) == part:
            yield from self._pick(seat, table, count)
            taken = self.picked + Counter({HAT: 1})
            self.picked = Counter()
        self.hands[seat] += taken
        self.tell("take", seat, cards=sorted(taken.elements()))

    def _pick(self, seat: int, table: Counter[int], count: int) -> Asking:
        """Cards by ascending rank, so that each selection is reached in one way."""
        left = +Counter({card: copies for card, copies in table.items() if card not in (JOKER, HAT)})
        for needed in range(count, 0, -1):
            fitting = [rank for rank in left if sum(left[higher] for higher in left if higher >= rank) >= needed]
            rank = decode((yield from self.ask(seat, [encode(act.PICK, 0, rank) for rank in fitting])))[2]
            self.picked[rank] += 1
            left[rank] -= 1
            left = Counter({card: copies for card, copies in left.items() if card >= rank and copies})

    # TR-6, TR-7: the board

    def _move(self, seat: int) -> Asking:
        board = self.board
        options = [encode(act.MOVE, p.number, board.number[space]) for p in board.movable(seat) for space in board.landings(p.space)]
        if not options:  # TR-6.4
            return self._draw(seat)
        if not self.rules.compulsory_move:
            options.append(encode(act.STAY))
        kind, pawn_number, landing = decode((yield from self.ask(seat, options)))
        if kind == act.STAY:
            return self.tell("stay", seat)
        pawn, space = board.pawns[pawn_number], board.ids[landing]
        self.tell("move", seat, owner=self.side_at[pawn.seat], pawn=pawn.number % act.PAWNS, start=pawn.space, end=space)
        board.put(pawn, space)
        match board.spaces[space].kind:
            case "critical_assets":
                raise GameOver
            case "exploit":
                yield from self._exploit(seat)
            case "backflip":
                yield from self._backflip(seat)
            case "randomizer":
                self._randomize(seat)

    def _draw(self, seat: int) -> None:
        if self.pile:
            card = self.pile.pop()
            self.hands[seat][card] += 1
            self.tell("draw", seat, card=card)

    def _exploit(self, seat: int) -> Asking:
        """TR-7.2."""
        ways = ((act.DOWN, -1), (act.UP, 1))
        board = self.board
        options = [encode(act.EXPLOIT, way, n) for way, amount in ways for n, key in enumerate(board.ids) if board.can_shift(key, amount)]
        _, way, number = decode((yield from self.ask(seat, options)))
        space, amount = self.board.ids[number], dict(ways)[way]
        self.board.shift[space] += amount
        self.tell("exploit", seat, space=space, amount=amount, value=self.board.value(space))

    def _backflip(self, seat: int) -> Asking:
        """TR-7.3. What lies on the space to which the pawn goes back does nothing, but for a trap."""
        board = self.board
        options = [encode(act.BACK, p.number, board.number[space]) for p in board.distinct() for space in board.ways_back(p)]
        if options:
            _, pawn_number, number = decode((yield from self.ask(seat, options)))
            pawn, space = board.pawns[pawn_number], board.ids[number]
            self.tell("back", seat, owner=self.side_at[pawn.seat], pawn=pawn.number % act.PAWNS, start=pawn.space, end=space)
            board.put(pawn, space)

    def _randomize(self, seat: int) -> None:
        """TR-7.4."""
        if tiles := self.board.can_lay():
            tile = tiles[self._effect_luck[seat].below(self.random_draws[seat], len(tiles))]
            self.random_draws[seat] += 1
            self.board.lay(tile)
            self.tell("tile", seat, tile=tile, cause="randomizer")
