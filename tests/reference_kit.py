"""Small games for rule tests of the plain engine: boards as pictures, runners in one line, decisions as tuples.

Boards are pictures: r, b, g, - (offline), 0 and 1 (servers); odd rows are shifted right by half a hex; nodes count
row by row. Runners are put where the test wants them once they are deployed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bhsim.games import luck
from bhsim.games.skirmish import actions as act
from bhsim.games.skirmish import model
from bhsim.games.skirmish.bundle import Bundle
from bhsim.games.skirmish.reference import Game

WORDS = {"r": "red", "b": "blue", "g": "gray", "-": "offline", "0": "server0", "1": "server1"}
#   0 1 2 3 4
#    5 6 7 8 9
#  10 11 12 13 14
RED = ("r0rrr", "rrrrr", "rr1rr")
SPLIT = ("r0rbb", "rrbbb", "rr1bb")  # red: 0 2 5 6 10 11, blue: 3 4 7 8 9 13 14
Spec = dict[str, Any]


def board_of(picture: tuple[str, ...]) -> model.Board:
    places = [(r, c) for r, row in enumerate(picture) for c in range(len(row))]
    number = {place: n for n, place in enumerate(places)}
    neighbors = []
    for row, col in places:
        left = col if row % 2 else col - 1
        around = [(row, col - 1), (row, col + 1), *((r, c) for r in (row - 1, row + 1) for c in (left, left + 1))]
        neighbors.append(sorted(number[p] for p in around if p in number))
    states = [WORDS[picture[r][c]] for r, c in places]
    home = [[number[r, c] for r, c in places if r == end and picture[r][c] not in "01"] for end in (0, len(picture) - 1)]
    return model.Board(name="test", states=states, neighbors=neighbors, home=tuple(home), place=places)


def man(node: int, attack: int = 1, signal: int = 3, security: int = 0, speed: int = 2, does: tuple = (), rig: tuple = ()) -> Spec:
    """A runner standing at a node. does, rig: rows of the runner's and of the rig's text."""
    return {"node": node, "attack": attack, "does": does, "rig": {"signal": signal, "security": security, "speed": speed, "effects": rig}}


def row(op: str, **fields: Any) -> dict[str, Any]:
    return {"op": op, **fields}


def start(
    picture: tuple[str, ...],
    ours: list[Spec],
    theirs: list[Spec],
    cards: dict[str, tuple[int, list]] | None = None,
    log: Callable | None = None,
    make: Callable[..., Game] | None = None,
    **rules: Any,
) -> Game:
    """Seat 0 (ours) begins; both decks hold ten of each card; hands are empty unless the rules say otherwise.

    make: another engine, called as ``reference.Game`` is.
    """
    make = make or partial(Game, log=log)
    rules = {"opening_hand": 0, "round_draw": 0, **rules}
    pool: dict[str, dict] = {"runners": {}, "rigs": {}}
    crews = []
    for side, crew in (("a", ours), ("b", theirs)):
        members = []
        for i, spec in enumerate(crew):
            name = f"{side}{i}"
            pool["runners"][name] = {"name": name, "bandwidth": 0, "attack": spec["attack"], "effects": list(spec["does"])}
            pool["rigs"][name] = {"name": name, "bandwidth": 0, **spec["rig"], "effects": list(spec["rig"]["effects"])}
            members.append({"runner": name, "rig": name})
        crews.append(model.Crew(name=side, members=members))
    cards = cards or {"one": (1, [])}
    titles = {title: {"name": title, "damage": damage, "effects": effects} for title, (damage, effects) in cards.items()}
    cardset = model.CardSet(name="test", cards=titles, **pool)
    deck = model.Deck(name="test", cards=dict.fromkeys(titles, 10))
    key = next(k for k in range(99) if luck.Stream(luck.key_of(1, k), luck.FIRST_PLAYER).below(0, 2) == 0)
    game = make(Bundle(cardset, board_of(picture), model.Rules(**rules)), tuple(crews), (deck, deck), 1, key, 0)
    while kinds(game) == {act.DEPLOY}:
        game.apply(game.legal()[0])
    for crew, specs in zip(game.crew, (ours, theirs), strict=True):
        for runner, spec in zip(crew, specs, strict=True):
            runner.stand(spec["node"])
    return game


def kinds(game: Game) -> set[int]:
    return {act.decode(a)[0] for a in game.legal()}


def options(game: Game, kind: int) -> set[tuple[int, int]]:
    """(a, b) of the legal actions of one kind."""
    return {act.decode(a)[1:] for a in game.legal() if act.decode(a)[0] == kind}


def do(game: Game, *steps: tuple[int, ...]) -> Game:
    for step in steps:
        game.apply(act.encode(*step))
    return game


def activate(game: Game, position: int, *steps: tuple[int, ...]) -> Game:
    """Activate without moving, then the steps."""
    seat = game.seat
    do(game, (act.ACTIVATE, 0, position))
    if kinds(game) == {act.DEST}:
        do(game, (act.DEST, 0, game.crew[seat][position].node))
    return do(game, *steps)


NONE, PASS, DONE = (act.ACTION, act.ACT_NONE, 0), (act.PASS,), (act.DONE,)
SIGNATURE, EXTRACT, SECURE = (act.ACTION, act.ACT_SIGNATURE), (act.ACTION, act.ACT_EXTRACT), (act.ACTION, act.ACT_SECURE)


def attack(target: int) -> tuple[int, ...]:
    return act.ACTION, act.ACT_ATTACK, target


def finish_round(game: Game) -> None:
    """Both pass, as often as they are asked."""
    number = game.round
    while not game.over and game.round == number and act.encode(act.PASS) in game.legal():
        do(game, PASS)
