"""The first line of an event log (docs/replay.md): all that an auditor needs of the data files. Imports no numba."""

from __future__ import annotations

from typing import Any

from bhsim.games.luck import FIRST_PLAYER, Stream, key_of
from bhsim.games.skirmish.model import Board, CardSet, Crew, Deck, Rules


def header(
    cardset: CardSet,
    board: Board,
    rules: Rules,
    crews: tuple[Crew, Crew],
    decks: tuple[Deck, Deck],
    root: int,
    index: int,
    engine: str,
    bots: tuple[str | None, str | None] = (None, None),
) -> dict[str, Any]:
    """The header of game ``index`` of seed ``root``. Sides, not seats, stand in ``home``, ``servers`` and the states.

    crews, decks, bots (their names): by side. engine: what plays, with its version.
    """
    key, game = divmod(index, 2)
    side_at = (game, 1 - game)  # seat -> side, and the other way round
    states = [f"server{side_at[int(s[-1])]}" if s.startswith("server") else s for s in board.states]
    first = Stream(key_of(root, key), FIRST_PLAYER).below(0, 2)
    nodes = zip(board.place, board.neighbors, states, strict=True)
    return {
        "event": "game",
        "format": 1,
        "game": "skirmish",
        "engine": engine,
        "seed": root,
        "index": index,
        "cardset": cardset.name,
        "board": board.name,
        "rules": rules.model_dump(),
        "nodes": [
            {"id": n, "row": row, "col": col, "neighbors": list(near), "state": state} for n, ((row, col), near, state) in enumerate(nodes)
        ],
        "home": [sorted(set(board.home[seat]) - set(board.servers(seat))) for seat in side_at],
        "servers": [board.servers(seat) for seat in side_at],
        "cards": {
            title: {"name": card.name, "damage": card.damage, "max_copies": card.max_copies} for title, card in cardset.cards.items()
        },
        "sides": [_side(cardset, *side) for side in zip(crews, decks, bots, strict=True)],
        "first": side_at[first],
    }


def _side(cardset: CardSet, crew: Crew, deck: Deck, bot: str | None) -> dict[str, Any]:
    entries = []
    for member in crew.members:
        runner, rig = cardset.runners[member.runner], cardset.rigs[member.rig]
        numbers = {"attack": runner.attack, "signal": rig.signal, "security": rig.security, "speed": rig.speed}
        entries.append({"runner": member.runner, "rig": member.rig, **numbers, "bandwidth": runner.bandwidth + rig.bandwidth})
    return {"crew_name": crew.name, "deck_name": deck.name, "bot": bot, "crew": entries, "deck": deck.slots()}
