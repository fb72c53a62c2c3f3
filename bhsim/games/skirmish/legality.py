"""What needs several parts at once: is this card set, board, crew or deck legal? Every broken rule is listed.

Each check returns faults without file and line; the readers in ``files`` add the place.
"""

from __future__ import annotations

from collections import Counter

from bhsim.errors import Fault
from bhsim.games.skirmish import actions
from bhsim.games.skirmish.model import Board, CardSet, Crew, Deck, Rules
from bhsim.inputs.models import identifier
from bhsim.inputs.names import unknown

POOLS = (("runners", "runner"), ("rigs", "rig"), ("cards", "card"))
MAX_NEIGHBORS = 6


def check_cardset(cardset: CardSet) -> list[Fault]:
    """Ids that do not follow from printed names, and capacities."""
    faults = []
    for pool, word in POOLS:
        for key, entry in getattr(cardset, pool).items():
            right = identifier(entry.name)
            if not right:
                faults.append(Fault(f"the name of a {word} needs a letter or digit a-z, 0-9", field=f"{pool}.{key}.name", value=entry.name))
            elif key != right:
                faults.append(Fault(f"the id of {entry.name!r} must be {right!r}", field=f"{pool}.{key}", value=key, allowed=right))
    return faults + check_rows(cardset)


def check_rows(cardset: CardSet, rules: Rules | None = None) -> list[Fault]:
    """Whether the effect rows of the set (and of the rules' common actions) fit the engine's table."""
    entries = [entry for pool, _ in POOLS for entry in getattr(cardset, pool).values()]
    rows = sum(len(entry.effects) for entry in [*entries, *(rules.common_actions if rules else ())])
    if rows > actions.MAX_ROWS:
        return [Fault("too many effect rows in all", value=rows, allowed=f"at most {actions.MAX_ROWS}")]
    return []


def check_board(board: Board) -> list[Fault]:
    """SK-2.1, 2.2 and what a game needs: home rows and servers of both seats, and ways to the servers."""
    count = len(board.states)
    if count > actions.MAX_NODES:
        return [Fault("SK-2.1: too many nodes", field="states", value=count, allowed=f"1 to {actions.MAX_NODES}")]
    faults = _graph_faults(board)
    if faults:
        return faults
    for side in (0, 1):
        faults += _home_faults(board, side)
        if not board.servers(side):
            faults.append(Fault(f"SK-2.2: the board has no server of seat {side}", field="states", allowed=f"a node server{side}"))
    shared = sorted(set(board.home[0]) & set(board.home[1]))
    if shared:
        faults.append(Fault("SK-2.1: the home rows overlap", field="home", value=shared, allowed="each node in one home row only"))
    return faults + _way_faults(board)


def _graph_faults(board: Board) -> list[Fault]:
    count = len(board.states)
    faults = []
    if len(board.neighbors) != count or len(board.place) != count:
        return [Fault("states, neighbors and place differ in length", field="states", value=count)]
    for node, around in enumerate(board.neighbors):
        field = f"neighbors.{node}"
        if len(around) > MAX_NEIGHBORS:
            faults.append(Fault("SK-2.1: too many neighbors", field=field, value=len(around), allowed=f"at most {MAX_NEIGHBORS}"))
        if len(set(around)) != len(around):
            faults.append(Fault("SK-2.1: a neighbor stands twice", field=field, value=around))
        for other in sorted(set(around)):
            if not 0 <= other < count:
                faults.append(Fault("SK-2.1: no such node", field=field, value=other, allowed=f"0 to {count - 1}"))
            elif other == node:
                faults.append(Fault("SK-2.1: a node is no neighbor of itself", field=field, value=other))
            elif node not in board.neighbors[other]:
                faults.append(Fault(f"SK-2.1: node {other} does not name {node} in return", field=field, value=other))
    return faults


def _home_faults(board: Board, side: int) -> list[Fault]:
    row = board.home[side]
    if any(not 0 <= node < len(board.states) for node in row):
        return [Fault(f"SK-2.1: the home row of seat {side} names a node that does not exist", field="home", value=row)]
    faults = []
    if any(board.states[node].startswith("server") for node in row):
        faults.append(Fault(f"SK-2.5: the home row of seat {side} includes a server", field="home", value=row))
    if not home_room(board, side):
        message = f"SK-3.3: the home row of seat {side} has no online node"
        faults.append(Fault(message, field="home", allowed="at least one red, blue or gray node"))
    return faults


def home_room(board: Board, side: int) -> int:
    """How many runners the home row of a seat holds at the start: its online nodes."""
    return sum(board.states[node] in ("red", "blue", "gray") for node in board.home[side])


def _way_faults(board: Board) -> list[Fault]:
    """Each server must be reachable from both home rows. Offline nodes count as passable, since a hack can open them."""
    faults = []
    for owner in (0, 1):
        servers = board.servers(owner)
        for side in (0, 1):
            if servers and home_room(board, side) and not _reaches(board, board.home[side], servers):
                message = f"SK-8.7, 8.9: no way from the home row of seat {side} to the server of seat {owner}"
                faults.append(Fault(message, field="states", allowed="a path over nodes that are no servers"))
    return faults


def _reaches(board: Board, start: list[int], goals: list[int]) -> bool:
    seen, frontier = set(start), list(start)
    while frontier:
        node = frontier.pop()
        for other in board.neighbors[node]:
            if other in goals:
                return True
            if other not in seen and not board.states[other].startswith("server"):
                seen.add(other)
                frontier.append(other)
    return False


def check_crew(crew: Crew, cardset: CardSet, rules: Rules, board: Board) -> list[Fault]:
    """SK-1.1 to 1.3 and 1.6: every broken rule of a crew given by ids."""
    faults = []
    printed = {pool: {key: entry.name for key, entry in getattr(cardset, pool).items()} for pool in ("runners", "rigs")}
    for number, member in enumerate(crew.members):
        for word, pool in (("runner", "runners"), ("rig", "rigs")):
            key = getattr(member, word)
            if key not in printed[pool]:
                faults.append(unknown(word, key, printed[pool], f"members.{number}.{word}"))
    for word in ("runner", "rig"):
        counted = Counter(getattr(member, word) for member in crew.members)
        for number, member in enumerate(crew.members):
            key = getattr(member, word)
            if counted[key] > 1 and key in [getattr(m, word) for m in crew.members[:number]]:
                faults.append(
                    Fault(f"SK-1.3: {word} stands twice in the crew", field=f"members.{number}.{word}", value=key, allowed="each once")
                )
    cost = bandwidth(crew, cardset)
    if cost > rules.crew_bandwidth:
        message = f"SK-1.1: the crew costs {cost} bandwidth"
        faults.append(Fault(message, field="members", allowed=f"at most {rules.crew_bandwidth}"))
    room = min(home_room(board, side) for side in (0, 1))
    if len(crew.members) > room:
        message = f"SK-1.6: {len(crew.members)} runners do not fit into a home row"
        faults.append(Fault(message, field="members", allowed=f"1 to {room} on board {board.name!r}"))
    return faults


def bandwidth(crew: Crew, cardset: CardSet) -> int:
    """Bandwidth of all runners and rigs of a crew (SK-1.1); names that the set lacks cost nothing."""
    runners = sum(cardset.runners[m.runner].bandwidth for m in crew.members if m.runner in cardset.runners)
    return runners + sum(cardset.rigs[m.rig].bandwidth for m in crew.members if m.rig in cardset.rigs)


def check_deck(deck: Deck, cardset: CardSet, rules: Rules) -> list[Fault]:
    """SK-1.4 and 1.5: every broken rule of a deck given by ids."""
    faults = []
    printed = {key: card.name for key, card in cardset.cards.items()}
    for title, copies in deck.cards.items():
        if title not in printed:
            faults.append(unknown("card", title, printed, f"cards.{title}"))
            continue
        limit = cardset.cards[title].max_copies or rules.max_copies
        if copies > limit:
            faults.append(Fault("SK-1.5: too many copies", field=f"cards.{title}", value=copies, allowed=f"at most {limit}"))
    total = sum(deck.cards.values())
    if total != rules.deck_size:
        faults.append(Fault(f"SK-1.4: the deck has {total} cards", field="cards", allowed=f"exactly {rules.deck_size}"))
    return faults
