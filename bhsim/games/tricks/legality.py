"""What must hold of several values at once: a deck's penalties, a board without circles, enough cards for the players.

Every check returns all faults that it finds, with fields as the file has them; nothing is mended in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from bhsim.errors import Fault
from bhsim.games.tricks import actions as act
from bhsim.games.tricks.model import Board, Deck, Rules, Space
from bhsim.inputs.models import identifier
from bhsim.inputs.names import unknown


def check_deck(deck: Deck) -> list[Fault]:
    """Each rank has its penalty, and nothing else has one (TR-1.2)."""
    known = [str(rank) for rank in range(1, act.MAX_RANKS + 1)]
    faults = [
        Fault("is no rank", field=f"penalties.{key}", allowed=f"1 to {act.MAX_RANKS}, written without zeros before")
        for key in deck.penalties
        if key not in known
    ]
    missing = [rank for rank in known[: deck.ranks] if rank not in deck.penalties]
    return faults + [Fault("is missing", field=f"penalties.{rank}", allowed="0 to 20") for rank in missing]


def odd_penalties(deck: Deck) -> list[str]:
    """Remarks, not faults: penalties that fall while the rank rises (TR-1.2)."""
    falls = [rank for rank in range(1, deck.ranks) if deck.penalty(rank + 1) < deck.penalty(rank)]
    return [f"note: {deck.name}: rank {r + 1} costs {deck.penalty(r + 1)}, rank {r} costs {deck.penalty(r)}" for r in falls]


def check_rules(rules: Rules, deck: Deck) -> list[Fault]:
    """Rules that fit the deck (TR-3.3)."""
    rank = rules.joker_only_rank
    if rank == "chosen" or int(rank) <= deck.ranks:
        return []
    return [Fault("is above the deck's ranks", field="joker_only_rank", value=rank, allowed=f"chosen, 1 to {deck.ranks}")]


def check_table(deck: Deck, rules: Rules, players: int) -> list[Fault]:
    """A number of players that the game and the deck can serve (TR-1.3, 2.2)."""
    if not act.MIN_PLAYERS <= players <= act.MAX_PLAYERS:
        return [Fault("no table for so many", field="players", value=players, allowed=f"{act.MIN_PLAYERS} to {act.MAX_PLAYERS}")]
    dealt = players * rules.hand_size - rules.hat_counts_in_hand
    if dealt <= deck.size():
        return []
    asked = f"{players} players with hands of {rules.hand_size} need {dealt} cards; the deck has {deck.size()}"
    return [Fault(asked, field="rules.hand_size", allowed="smaller hands, fewer players or more cards")]


def check_board(board: Board) -> list[Fault]:
    """Everything wrong with a board (TR-1.4, 6.1, 7.5): ids, arrows, starts, tiles, circles, a goal out of reach."""
    faults = _id_faults(board) + _end_faults(board) + _arrow_faults(board) + _tile_faults(board)
    return faults or _way_faults(board)  # ways are sought only where every arrow leads somewhere


def layouts(board: Board) -> Iterator[frozenset[str]]:
    """Every set of tiles that can lie on the board together."""
    for count in range(len(board.tiles) + 1):
        for laid in combinations(board.tiles, count):
            if not any(board.overlap(one, other) for one, other in combinations(laid, 2)):
                yield frozenset(laid)


def _id_faults(board: Board) -> list[Fault]:
    ids = [f"spaces.{key}" for key in board.spaces] + [f"tiles.{key}" for key in board.tiles]
    wrong = [field for field in ids if identifier(field.split(".", 1)[1]) != field.split(".", 1)[1]]
    return [Fault("is no id", field=field, allowed="lower case letters and digits, joined by single _") for field in wrong]


def _end_faults(board: Board) -> list[Fault]:
    faults = []
    if len(board.starts()) != act.PAWNS:
        allowed = f"exactly {act.PAWNS}, one for each pawn of a player"
        faults.append(Fault("start spaces on the board", field="spaces", value=len(board.starts()), allowed=allowed))
    if not any(space.kind == "critical_assets" for space in board.spaces.values()):
        faults.append(Fault("no space of kind 'critical_assets'", field="spaces", allowed="one or more"))
    for key, space in board.spaces.items():
        if space.kind == "critical_assets" and space.arrows:
            faults.append(Fault("the game ends on this space", field=f"spaces.{key}.arrows", allowed="no arrows"))
    return faults


def _arrow_faults(board: Board) -> list[Fault]:
    drawn = {f"spaces.{key}": (key, space.arrows) for key, space in board.spaces.items()}
    for tile, entry in board.tiles.items():
        drawn |= {f"tiles.{tile}.spaces.{key}": (key, change.arrows or []) for key, change in entry.spaces.items()}
    names = {key: space.name for key, space in board.spaces.items()}
    faults = []
    for field, (key, arrows) in drawn.items():
        for number, target in enumerate(arrows):
            place = f"{field}.arrows.{number}"
            if target not in board.spaces:
                faults.append(unknown("space", target, names, place))
            elif target == key:
                faults.append(Fault("leads to its own space", field=place, value=target))
            elif target in arrows[:number]:
                faults.append(Fault("stands twice", field=place, value=target))
    return faults


def _tile_faults(board: Board) -> list[Fault]:
    faults = []
    fixed = ("start", "critical_assets")
    for tile, entry in board.tiles.items():
        for key, change in entry.spaces.items():
            place = f"tiles.{tile}.spaces.{key}"
            if key not in board.spaces:
                faults.append(unknown("space", key, {k: s.name for k, s in board.spaces.items()}, place))
            elif board.spaces[key].kind in fixed:
                faults.append(Fault("a tile cannot cover a start space or Critical Assets", field=place))
            if not change.model_dump(exclude_none=True):
                faults.append(Fault("changes nothing", field=place, allowed="value, kind or arrows"))
    for number, tile in enumerate(board.laid):
        place = f"laid.{number}"
        if tile not in board.tiles:
            faults.append(unknown("tile", tile, {key: entry.name for key, entry in board.tiles.items()}, place))
        elif any(other in board.tiles and board.overlap(tile, other) for other in board.laid[:number]):
            faults.append(Fault("has a space in common with a tile laid before it", field=place, value=tile))
    return faults


def _way_faults(board: Board) -> list[Fault]:
    for laid in layouts(board):
        spaces = board.layout(laid)
        under = f" with the tiles {', '.join(sorted(laid))}" if laid else ""
        field = "tiles" if laid else "spaces"
        if circle := _circle(spaces):
            return [Fault(f"the arrows lead round in a circle{under}: {' -> '.join(circle)}", field=field)]
        for start in board.starts():
            if not any(spaces[key].kind == "critical_assets" for key in _ahead(spaces, start)):
                return [Fault(f"no way leads from {start} to Critical Assets{under}", field=field)]
    return []


def _ahead(spaces: Mapping[str, Space], start: str) -> set[str]:
    """Every space to which arrows lead from ``start``."""
    found: set[str] = set()
    edge = [start]
    while edge:
        fresh = [key for key in spaces[edge.pop()].arrows if key not in found]
        found.update(fresh)
        edge += fresh
    return found


def _circle(spaces: Mapping[str, Space]) -> list[str]:
    """Spaces of one circle of arrows, the first again at the end; empty if there is none."""
    left = dict(spaces)
    while ends := [key for key, space in left.items() if not any(target in left for target in space.arrows)]:
        for key in ends:
            del left[key]
    path: list[str] = []
    key = next(iter(left), None)
    while key is not None and key not in path:
        path.append(key)
        key = next(target for target in left[key].arrows if target in left)
    return [*path[path.index(key) :], key] if key is not None else []
