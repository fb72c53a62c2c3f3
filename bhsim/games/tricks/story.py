"""A game of tricks told for people: round by round and trick by trick, from its event log. Imports no numba."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.picture import LEGEND, LETTERS, board_picture, card_words, label
from bhsim.games.tricks.shadow import Shadow, played

IN_TRICK = ("play", "discard", "skip", "pass_lead", "trick", "move", "back", "stay", "draw", "exploit", "take")
REASONS = {"critical_assets": "a pawn reached Critical Assets", "no_moves": "no pawn can move any more", "max_rounds": "the round limit"}
Event = Mapping[str, Any]


class Story:
    """Tells a log in lines. boards: one of ``bhsim.games.replay.BOARDS``; a turn is a trick. Ids get the printed names of ``bundle``."""

    def __init__(self, bundle: Bundle, header: Event, boards: str = "round") -> None:
        self.bundle, self.header, self.boards = bundle, header, boards
        self.shadow = Shadow(bundle, len(header["sides"]))
        self.board = self.shadow.board
        self.told_trick = (0, 0)  # round and trick of the last number printed
        self.explained = False

    def tell(self, events: Iterable[Event]) -> Iterator[str]:
        """The story of the events that follow the header."""
        yield from self._opening()
        for event in events:
            if event["event"] == "round":
                yield from self._round(event)
            number = self._number(event)
            if number > 1 and self.boards == "turn":
                yield from self._picture()
            line = getattr(self, f"_tell_{event['event']}")(event)  # before the event, so that what was is still there
            trapped = {pawn.number for pawn in self.board.pawns if pawn.stuck}
            self.shadow.follow(event)
            yield f"{self._margin(event, number)}{line}"
            for pawn in self.board.pawns:
                if pawn.stuck and pawn.number not in trapped:
                    yield f"       {label(pawn)} is trapped on {self._space(pawn.space)}"
            if event["event"] == "end":
                yield from self._picture()

    # The frame

    def _opening(self) -> Iterator[str]:
        head = self.header
        yield f"Game {head['index']} of seed {head['seed']} on {head['board']}, deck {head['deck']}, engine {head['engine']}"
        for side, entry in enumerate(head["sides"]):
            yield f"{LETTERS[side]}: played by {entry['bot']}, in seat {head['seats'].index(side)}"
        yield "Play goes by seat. Fewest points win."

    def _round(self, event: Event) -> Iterator[str]:
        points = ", ".join(f"{letter} {points}" for letter, points in zip(LETTERS, self.shadow.points, strict=False))
        yield ""
        yield f"== Round {event['number']} == points {points}"
        yield from self._picture()

    def _picture(self) -> Iterator[str]:
        if self.boards == "none":
            return
        for line in board_picture(self.board).splitlines():
            yield f"    {line}"
        if not self.explained:
            self.explained = True
            yield f"    ({LEGEND})"

    def _number(self, event: Event) -> int:
        """The trick's number if this is the first that is told of it, else 0."""
        now = (self.shadow.round, self.shadow.trick)
        if event["event"] not in ("play", "pass_lead") or now == self.told_trick:
            return 0
        self.told_trick = now
        return now[1]

    def _margin(self, event: Event, number: int) -> str:
        return f"{number:>3}. " if number else "     " if event["event"] in IN_TRICK else "  "

    # Words

    def _space(self, key: str) -> str:
        return f"{self.board.spaces[key].name} ({self.board.value(key)})"

    def _tell_tile(self, event):
        tile = self.bundle.board.tiles[event["tile"]]
        changes = []
        for key, change in tile.spaces.items():
            new = change.model_dump(exclude_none=True)
            words = [str(new["kind"]).replace("_", " ")] if "kind" in new else []
            words += [f"value {new['value']}"] if "value" in new else []
            words += [f"to {' or '.join(self.bundle.board.spaces[a].name for a in new['arrows']) or 'nowhere'}"] if "arrows" in new else []
            changes.append(f"{self.bundle.board.spaces[key].name} {', '.join(words)}")
        who = "" if event["cause"] == "setup" else f"   {LETTERS[event['side']]} draws a tile: "
        return f"{who}{tile.name} is laid ({'; '.join(changes)})"

    def _tell_round(self, event):
        return f"{LETTERS[event['hat']]} has the Black Hat, so {LETTERS[event['side']]} leads"

    def _tell_deal(self, event):
        hat = " and the Black Hat" if event["side"] == self.shadow.holder else ""
        return f"{LETTERS[event['side']]} is dealt {card_words(event['cards'])}{hat}"

    def _tell_play(self, event):
        cards = played(event)
        rank = f" as {event['rank']}" if cards[event["rank"]] < cards.total() else ""
        return f"{LETTERS[event['side']]} {'follows with' if self.shadow.size else 'leads'} {card_words(cards.elements())}{rank}"

    def _tell_discard(self, event):
        return f"{LETTERS[event['side']]} discards {card_words([event['card']])}"

    def _tell_skip(self, event):
        return f"{LETTERS[event['side']]} holds only the Black Hat and plays nothing"

    def _tell_pass_lead(self, event):
        return f"{LETTERS[event['side']]} holds only the Black Hat and passes the lead"

    def _tell_trick(self, event):
        how = ": the lowest set, since the Black Hat is there" if event["hat"] else ""
        return f"{LETTERS[event['side']]} wins the trick{how}"

    def _tell_move(self, event):
        jumps = event["end"] not in self.board.spaces[event["start"]].arrows
        pawn = label(self.shadow.pawn(event["owner"], event["pawn"]))
        way = f"from {self._space(event['start'])} to {self._space(event['end'])}"
        return f"{LETTERS[event['side']]} moves {pawn} {way}{', jumping' if jumps else ''}"

    def _tell_back(self, event):
        pawn = label(self.shadow.pawn(event["owner"], event["pawn"]))
        return f"{LETTERS[event['side']]} sends {pawn} back from {self._space(event['start'])} to {self._space(event['end'])}"

    def _tell_stay(self, event):
        return f"{LETTERS[event['side']]} moves nothing"

    def _tell_draw(self, event):
        return f"{LETTERS[event['side']]} has no move and draws {card_words([event['card']])}"

    def _tell_exploit(self, event):
        name = self.board.spaces[event["space"]].name
        return f"{LETTERS[event['side']]} uses the exploit: {name} is now worth {event['value']} ({event['amount']:+d})"

    def _tell_take(self, event):
        return f"{LETTERS[event['side']]} takes up {card_words(event['cards'])}"

    def _tell_count(self, event):
        side = event["side"]
        held = card_words(self.shadow.hands[side].elements())
        stands = " and ".join(self._space(pawn.space) for pawn in self.board.pawns if pawn.seat == side)
        return f"{LETTERS[side]} counts {event['hand']} for {held} in hand and {event['spaces']} for {stands}: {event['total']} in all"

    def _tell_end(self, event):
        points = ", ".join(f"{letter} {points}" for letter, points in zip(LETTERS, event["points"], strict=False))
        why = REASONS[event["reason"]]
        if event["reason"] == "max_rounds":
            return f"Stopped in round {event['rounds']} ({why}): {points}. Nobody wins."
        names = [f"{LETTERS[side]} ({self.header['sides'][side]['bot']})" for side in event["winners"]]
        wins = f"{names[0]} wins" if len(names) == 1 else f"{' and '.join(names)} share the win"
        return f"{wins} in round {event['rounds']}, as {why}: {points}."
