"""What a tricks tally says, as the tables, distributions and series that the lab and reports understand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bhsim.games.game import WHOLE, Column, Distribution, Facts, Series, Side, Table
from bhsim.games.tricks import actions as act
from bhsim.games.tricks.bundle import Bundle
from bhsim.games.tricks.model import SPACE_KINDS
from bhsim.games.tricks.tally import BY_SIDE, MARGIN_BINS, POINT_SOURCES, REASONS, ROUND_BINS

CONTRIBUTION = ("tricks_won", "hat_tricks_won", "taken", "moves", "trapped")  # columns of the table "runners" that the report draws
_PER_BOT = (
    "tricks_led", "tricks_won", "hat_tricks_won", "hats_played", "discards", "taken", "drawn", "moves", "pushes", "trapped",
    "trapped_others", "emptied", "ended", "decisions",
)  # fmt: skip
_SIDE = Column("side", "", "0 is the first bot")


def read_facts(tally: np.ndarray, bundle: Bundle, sides: Sequence[Side]) -> Facts:
    """Facts of a contest; ``tally``: shape (1,), dtype ``tally.TALLY``."""
    t = tally[0]
    games, players = int(t["games"]), len(sides)
    per_game = t["points"][:players] / max(games, 1)
    return Facts(
        games=games,
        draws=int(t["draws"]),
        round_limit=int(t["round_limit"]),
        points={source: tuple(per_game[:, i].tolist()) for i, source in enumerate(POINT_SOURCES)},
        first_keys=t["first_keys"][: WHOLE * players + 1].copy(),
        rounds=Distribution("Round in which the game ended", "round", np.arange(1, ROUND_BINS), t["rounds"][1:].copy(), open_end=True),
        margins=_margins(t),
        tempo=(_tempo(t, players),),
        tables={
            "runners": _bots(t, sides),
            "seats": _seats(t, players),
            "edges": _edges(t, players),
            "ends": _ends(t),
            "spaces": _spaces(t, bundle, players),
            "decisions": _decisions(t, players),
        },
        points_unit="points per game (fewest win)",
    )


def _margins(t: Any) -> Distribution:
    """Fewest points win, so a positive margin is good for side 0."""
    half = MARGIN_BINS // 2
    title = "Margin in points: the best other side's minus the first side's (fewest win)"
    return Distribution(title, "points", np.arange(-half, half + 1), t["margins"].copy())


def _tempo(t: Any, players: int) -> Series:
    reached = t["tempo_games"]
    rounds = np.flatnonzero(reached)
    points = t["tempo_points"][:players, rounds] / reached[rounds]
    return Series("Points by round", "round", "points per game still running", rounds, points, reached[rounds])


def _bots(t: Any, sides: Sequence[Side]) -> Table:
    columns = (_SIDE, Column("name", "", "bot"), *(Column(f, BY_SIDE[f].unit, BY_SIDE[f].meaning, total=True) for f in _PER_BOT))
    rows = tuple((number, side.bot, *(int(t[f][number]) for f in _PER_BOT)) for number, side in enumerate(sides))
    return Table("Bots", columns, rows)


def _seats(t: Any, players: int) -> Table:
    """By seat, where each side sat equally often: what is left is luck's, and that of who leads first and holds the Black Hat."""
    games = max(int(t["games"]), 1)
    columns = (
        Column("seat", "", "place at the table"),
        Column("win_share", "share", "wins, those shared as fractions"),
        Column("hand", "points", "points per game from cards in hand"),
        Column("spaces", "points", "points per game from spaces"),
    )
    rows = [(seat, int(t["seat_shares"][seat]) / (WHOLE * games), *(t["seat_points"][seat] / games).tolist()) for seat in range(players)]
    return Table("Seats", columns, tuple(rows), "Every side sits equally often in every seat.")


def _edges(t: Any, players: int) -> Table:
    """How much the Black Hat, the first lead and ending the game decide."""
    games, fair = max(int(t["games"]), 1), 1 / players
    ended = int(t["reasons"][REASONS.index("critical_assets")])
    rounds = max(int(t["hat_rounds"].sum()), 1)
    everyone = t["points"].sum(axis=0) / (players * rounds)
    columns = (
        Column("who", "", "one player of each game"),
        Column("win_share", "share", "wins, those shared as fractions"),
        Column("edge", "share", "the same minus the fair share"),
        Column("hand_edge", "points", "points from cards in hand in such a round, minus those of the average player"),
        Column("spaces_edge", "points", "the same from spaces"),
    )
    rows = [
        ("holder of the Black Hat", *_edge(t["holder_shares"], games, fair), *(t["hat_points"].sum(axis=0) / rounds - everyone).tolist()),
        ("first to lead", *_edge(t["first_shares"], games, fair), *(t["opened_points"].sum(axis=0) / rounds - everyone).tolist()),
        ("who ended the game", *(_edge(t["ender_shares"], ended, fair) if ended else (None, None)), None, None),
    ]
    note = "Win shares go by who held the Black Hat and who led in round 1; points by who did in each round."
    return Table("Edges", columns, tuple(rows), note)


def _edge(shares: int, games: int, fair: float) -> tuple[float, float]:
    share = int(shares) / (WHOLE * games)
    return share, share - fair


def _ends(t: Any) -> Table:
    words = {"critical_assets": "a pawn reached Critical Assets", "no_moves": "no pawn could move", "max_rounds": "the last round was over"}
    columns = (Column("end", "", "what ended the game"), Column("games", "share", "of all games"))
    rows = [(words[reason], int(t["reasons"][i]) / max(int(t["games"]), 1)) for i, reason in enumerate(REASONS)]
    return Table("Ends", columns, tuple(rows))


def _spaces(t: Any, bundle: Bundle, players: int) -> Table:
    columns = (
        Column("space", "", "id"),
        Column("name", "", "printed name"),
        Column("kind", "", SPACE_KINDS[0] + " or what it does"),
        Column("value", "points", "as printed"),
        Column("landed", "pawns", "landings of any pawn", total=True),
        Column("counted", "pawns", "pawns that stood there when a round was counted", total=True),
    )
    rows = [
        (key, space.name, space.kind, space.value, int(t["landed"][:players, n].sum()), int(t["counted"][:players, n].sum()))
        for n, (key, space) in enumerate(bundle.board.spaces.items())
    ]
    return Table("Spaces", columns, tuple(rows))


def _decisions(t: Any, players: int) -> Table:
    """Decisions with a choice by their kind; kinds that nobody was asked for are left out."""
    asked = [kind for kind in act.KINDS if t["kinds"][:players, kind].any()]
    columns = (_SIDE, *(Column(act.KINDS[kind], "decisions", "", total=True) for kind in asked))
    return Table("Decisions", columns, tuple((side, *t["kinds"][side, asked].tolist()) for side in range(players)))
