"""The first line of an event log of tricks (docs/tricks-replay.md): all that an auditor needs of the data files. Imports no numba."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bhsim.games.tricks.actions import HAT, JOKER
from bhsim.games.tricks.bundle import Bundle

FORMAT = 1


def header(bundle: Bundle, bots: Sequence[str], root: int, index: int, engine: str, events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The header of game ``index`` of seed ``root``. bots: names by side. engine: what plays, with its version. events: what followed."""
    deck, board = bundle.deck, bundle.board
    players = len(bots)
    rotation = index % players
    copies = Counter(deck.cards())
    cards = [JOKER, *range(1, deck.ranks + 1)]
    return {
        "event": "game",
        "format": FORMAT,
        "game": "tricks",
        "engine": engine,
        "seed": root,
        "index": index,
        "deck": deck.name,
        "board": board.name,
        "rules": bundle.rules.model_dump(exclude={"name"}),
        "cards": [{"card": card, "copies": copies[card], "penalty": deck.penalty(card)} for card in cards]
        + [{"card": HAT, "copies": 1, "penalty": deck.penalty(HAT)}],
        "spaces": {key: space.model_dump() for key, space in board.spaces.items()},
        "tiles": {key: tile.model_dump(exclude_none=True) for key, tile in board.tiles.items()},
        "starts": board.starts(),
        "sides": [{"bot": bot} for bot in bots],
        "rotation": rotation,
        "seats": [(seat - rotation) % players for seat in range(players)],
        "hands": first_hands(events, players),
    }


def first_hands(events: Sequence[dict[str, Any]], players: int) -> list[list[int]]:
    """The cards that each side begins round 1 with, as dealt, the Black Hat last."""
    hands: list[list[int]] = [[] for _ in range(players)]
    first = next(place for place, event in enumerate(events) if event["event"] == "round")
    for event in events[first + 1 : first + 1 + players]:
        hands[event["side"]] = event["cards"] + [HAT] * (event["side"] == events[first]["hat"])
    return hands
