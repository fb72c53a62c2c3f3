"""Random decks, boards, rules and numbers of players that are legal together: what both engines are compared on.

Everything follows from one seed. Numbers are small and the games short, so that rare things happen often.
"""

from __future__ import annotations

import random
from typing import Any, get_args

from bhsim.games.tricks import actions as act
from bhsim.games.tricks import legality
from bhsim.games.tricks.bundle import Bundle, checked
from bhsim.games.tricks.model import TILE_KINDS, Board, Deck, Rules, Space, Tile

SWITCHES = {
    name: list(get_args(field.annotation)) or [False, True]
    for name, field in Rules.model_fields.items()
    if field.annotation is bool or all(isinstance(word, str) for word in get_args(field.annotation) or (0,))
}
# Share of spaces that are not plain, and their kinds. Among traps everybody gets stuck now and then (TR-8.4).
MOODS = ((0.15, TILE_KINDS), (0.6, TILE_KINDS), (0.85, ("trap", "trap", "trap", "backflip")))


def random_case(seed: int) -> tuple[Bundle, int]:
    """A bundle and a number of players, the same for the same seed."""
    rng = random.Random(seed)
    deck, players = random_deck(rng), rng.randint(act.MIN_PLAYERS, act.MAX_PLAYERS)
    while True:
        rules = random_rules(rng, deck)
        if not legality.check_table(deck, rules, players):
            break
        players = max(act.MIN_PLAYERS, players - 1)
        deck = random_deck(rng)
    return checked(Bundle(deck, random_board(rng), rules)), players


def random_deck(rng: random.Random) -> Deck:
    """Any size; half of the decks have the printed ranks, and penalties in no order."""
    ranks = 13 if rng.random() < 0.5 else rng.randint(2, act.MAX_RANKS)
    penalties = {str(rank): rng.randint(0, 9) for rank in range(1, ranks + 1)}
    copies, jokers = rng.randint(1, act.MAX_COPIES), rng.choice((0, 1, 5, rng.randint(0, act.MAX_JOKERS)))
    costs = {"penalties": penalties, "joker_penalty": rng.randint(0, 9), "hat_penalty": rng.randint(0, 9)}
    return Deck(name="fuzz", house_values=True, ranks=ranks, copies=copies, jokers=jokers, **costs)


def random_rules(rng: random.Random, deck: Deck) -> Rules:
    """Each switch at random, the numbers mostly small."""
    return Rules(
        name="fuzz",
        hand_size=rng.choice((1, 2, 4, 6, 10, rng.randint(1, act.MAX_HAND))),
        joker_only_rank=rng.choice(("chosen", rng.randint(1, deck.ranks))),
        max_rounds=rng.choice((1, 3, 8, 60)),
        max_tricks=rng.choice((1, 4, 12, 60)),
        **{name: rng.choice(words) for name, words in SWITCHES.items()},
    )


def random_board(rng: random.Random) -> Board:
    """Spaces whose arrows only lead on in some order, which is not the order of the file, so that no circle arises."""
    while True:
        line = [f"s{number}" for number in range(rng.randint(5, 24))]
        mood = rng.choice(MOODS)
        spaces = {key: _space(rng, line, place, mood) for place, key in enumerate(line)}
        tiles = {f"t{n}": _tile(rng, line, f"t{n}") for n in range(rng.choice((0, 0, 1, 3, act.MAX_TILES)))}
        shuffled = dict(sorted(spaces.items(), key=lambda item: rng.random()))
        board = Board(name="fuzz", house_values=True, spaces=shuffled, tiles=tiles)
        laid: list[str] = []
        for tile in tiles:
            if rng.random() < 0.3 and not any(board.overlap(tile, other) for other in laid):
                laid.append(tile)
        board = board.model_copy(update={"laid": laid})
        if not legality.check_board(board):
            return board


def _space(rng: random.Random, line: list[str], place: int, mood: tuple[float, tuple[str, ...]]) -> Space:
    last = len(line) - 1
    share, kinds = mood
    special = rng.choice(kinds) if rng.random() < share else "plain"
    kind = "start" if place < act.PAWNS else "critical_assets" if place == last else special
    return Space(name=line[place], value=rng.randint(-3, 6), kind=kind, arrows=_arrows(rng, line, place))


def _arrows(rng: random.Random, line: list[str], place: int) -> list[str]:
    """Up to three of the next spaces; now and then a trap or another space leads nowhere."""
    ahead = line[place + 1 : place + 5]
    count = 0 if rng.random() < 0.02 else rng.choice((1, 1, 2, 3))
    return rng.sample(ahead, min(count, len(ahead)))


def _tile(rng: random.Random, line: list[str], name: str) -> Tile:
    places = rng.sample(range(act.PAWNS, len(line) - 1), min(rng.randint(1, act.MAX_TILE_SPACES), len(line) - 1 - act.PAWNS))
    spaces: dict[str, dict[str, Any]] = {}
    for place in places:
        change = {"value": rng.randint(-3, 6), "kind": rng.choice(TILE_KINDS), "arrows": _arrows(rng, line, place)}
        kept = [key for key in change if rng.random() < 0.5] or ["value"]
        spaces[line[place]] = {key: change[key] for key in kept}
    return Tile(name=name, spaces=spaces)
