"""What a skirmish tally says, as the tables, distributions and series that the lab and reports understand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bhsim.games.game import Column, Distribution, Facts, Series, Side, Table
from bhsim.games.skirmish import actions
from bhsim.games.skirmish.model import CardSet
from bhsim.games.skirmish.tally import CARD_FIELDS, MARGIN_BINS, POINT_SOURCES, ROUND_BINS, RUNNER_FIELDS

HALF_WIN = 30  # half a point of the tally's pair scores, in 60ths
JSON_SOURCES = ("secure", "disconnect", "effect")

_RUNNER_MEANING = {
    "activations": "activations",
    "damage_dealt": "signal taken from enemies and data",
    "damage_taken": "signal lost",
    "disconnects_made": "enemies disconnected",
    "disconnects_suffered": "own disconnects",
    "extractions": "data extracted",
    "secures": "data secured",
    "points": "points scored",
}
_RUNNER_UNIT = {"damage_dealt": "signal", "damage_taken": "signal", "points": "points"}
_CARD_MEANING = {
    "drawn": "copies drawn",
    "played": "copies played",
    "flipped": "copies flipped",
    "games_drawn": "games in which it was drawn",
    "games_played": "games in which it was played",
    "games_unplayed": "games in which it was drawn and never played",
}


def read_facts(tally: np.ndarray, cardset: CardSet, sides: Sequence[Side]) -> Facts:
    """Facts of a contest; ``tally``: shape (1,), dtype ``tally.TALLY``."""
    t = tally[0]
    games = int(t["games"])
    per_game = t["points"] / max(games, 1)
    first = np.zeros(4 * HALF_WIN + 1, np.int64)
    first[::HALF_WIN] = t["first_pair_scores"]
    return Facts(
        games=games,
        draws=int(t["draws"]),
        round_limit=int(t["round_limit"]),
        points={s: tuple(float(x) for x in per_game[:, POINT_SOURCES.index(s)]) for s in JSON_SOURCES},
        first_keys=first,
        rounds=_rounds(t),
        margins=_margins(t),
        tempo=_tempo(t),
        tables={
            "runners": _runners(t, cardset, sides),
            "cards": _cards(t, cardset, sides),
            "actions": _actions(t),
            "turns": _turns(t),
        },
    )


def _rounds(t: Any) -> Distribution:
    """Bin r counts round r; no game ends in round 0."""
    return Distribution("Round in which the game ended", "round", np.arange(1, ROUND_BINS), t["rounds"][1:].copy(), open_end=True)


def _margins(t: Any) -> Distribution:
    half = MARGIN_BINS // 2
    return Distribution("Margin in points, first side minus second", "points", np.arange(-half, half + 1), t["margins"].copy())


def _tempo(t: Any) -> tuple[Series, ...]:
    reached = t["tempo_games"]
    rounds = np.flatnonzero(reached)
    games = reached[rounds]
    return (
        Series("Points scored by round", "round", "points per game still running", rounds, t["tempo_points"][:, rounds] / games, games),
        Series(
            "Data carried at the end of the round",
            "round",
            "share of games still running",
            rounds,
            t["tempo_data"][:, rounds] / games,
            games,
        ),
    )


def _runners(t: Any, cardset: CardSet, sides: Sequence[Side]) -> Table:
    columns = (
        Column("side", "", "0 is the first side"),
        Column("runner", "", "id"),
        Column("name", "", "printed name"),
        Column("rig", "", "id"),
        *(Column(f, _RUNNER_UNIT.get(f, "times"), _RUNNER_MEANING[f], total=True) for f in RUNNER_FIELDS),
    )
    rows = [
        (number, m.runner, cardset.runners[m.runner].name, m.rig, *map(int, t["runner"][number, position]))
        for number, side in enumerate(sides)
        for position, m in enumerate(side.crew_model.members)
    ]
    return Table("Runners", columns, tuple(rows))


def _cards(t: Any, cardset: CardSet, sides: Sequence[Side]) -> Table:
    counted = [f for f in CARD_FIELDS if not f.startswith("wins_")]
    columns = (
        Column("side", "", "0 is the first side"),
        Column("card", "", "id"),
        Column("name", "", "printed name"),
        Column("copies", "cards", "copies in the deck"),
        *(Column(f, "games" if f.startswith("games_") else "cards", _CARD_MEANING[f], total=True) for f in counted),
        Column("win_rate_drawn", "share", "win rate of the games in which it was drawn"),
        Column("win_rate_played", "share", "win rate of the games in which it was played"),
    )
    titles = list(cardset.cards)
    rows = []
    for number, side in enumerate(sides):
        for title, copies in side.deck_model.cards.items():
            cell = dict(zip(CARD_FIELDS, map(int, t["card"][number, titles.index(title)]), strict=True))
            rates = (_half_rate(cell["wins_drawn"], cell["games_drawn"]), _half_rate(cell["wins_played"], cell["games_played"]))
            rows.append((number, title, cardset.cards[title].name, copies, *(cell[f] for f in counted), *rates))
    note = (
        "Win rates by card only describe: winners see more cards, and cards are played when things go well. "
        "A variant without the card tells more."
    )
    return Table("Cards", columns, tuple(rows), note)


def _half_rate(half_wins: int, games: int) -> float | None:
    return half_wins / (2 * games) if games else None


def _actions(t: Any) -> Table:
    columns = (
        Column("side", "", "0 is the first side"),
        Column("action", "", "what an activation did"),
        Column("count", "times", "", total=True),
    )
    rows = [(side, name, int(t["acts"][side, kind])) for side in (0, 1) for kind, name in enumerate(actions.ACTS)]
    return Table("Actions of activations", columns, tuple(rows))


def _turns(t: Any) -> Table:
    fields = {"turns": "turns taken", "passes": "passes", "cards_played": "cards played", "decisions": "decisions with a choice"}
    columns = (Column("side", "", "0 is the first side"), *(Column(f, "times", meaning, total=True) for f, meaning in fields.items()))
    return Table("Turns", columns, tuple((side, *(int(t[f][side]) for f in fields)) for side in (0, 1)))
