"""Random cards, boards, rules, crews and decks from the whole vocabulary: what `bhsim verify --fuzz` and the tests play.

Every effect row is proposed at random and kept if ``model.Effect`` takes it, so each op, trigger, target, range, filter,
condition and duration turns up. Numbers are small and the games short. All of it follows from one seed.
"""

from __future__ import annotations

import random
from typing import Any

from pydantic import ValidationError

from bhsim.games.skirmish import actions, model
from bhsim.games.skirmish import vocabulary as v

# Rows that end the game, prolong it or only move cards would crowd out those that meet on the board.
RARE_OPS = ("score", "another_turn", "draw", "discard", "return_card", "signal")
OPS = tuple(op for op in v.OPS for _ in range(1 if op in RARE_OPS else 4 if op in ("damage", "attack", "stat") else 2))
CARRIER_WORDS = ("own_carrier", "enemy_carrier")
Case = tuple[model.CardSet, model.Board, model.Rules, tuple[model.Crew, model.Crew], tuple[model.Deck, model.Deck]]


def random_case(seed: int) -> Case:
    """Card set, board, rules, two crews and two decks that are legal together, the same for the same seed."""
    rng = random.Random(seed)
    board = random_board(rng)
    restless = rng.random() < 0.04
    cardset = random_cardset(rng, restless)
    room = min(sum(board.states[n] in v.ONLINE for n in row) for row in board.home)
    crews = tuple(random_crew(rng, cardset, min(6, room), name) for name in ("a", "b"))
    size = rng.randint(6, 30)
    decks = tuple(random_deck(rng, cardset, size, name) for name in ("a", "b"))
    rules = random_rules(rng, size, bandwidth(cardset, crews), 4 if restless else 40)
    return cardset, board, rules, crews, decks


def random_choice(rng: random.Random, legal: list[int]) -> int:
    """One of the legal actions, often one with data, seldom a pass or doing nothing, so that a random game gets somewhere."""
    idle = (actions.encode(actions.PASS), actions.encode(actions.ACTION, actions.ACT_NONE))
    data_acts = (actions.ACT_EXTRACT, actions.ACT_TRANSFER, actions.ACT_SECURE)
    keen = [a for a in legal if actions.decode(a)[0] == actions.ACTION and actions.decode(a)[1] in data_acts]
    if keen and rng.random() < 0.5:
        return rng.choice(keen)
    action = rng.choice(legal)
    while action in idle and rng.random() < 0.9:
        action = rng.choice(legal)
    return action


def bandwidth(cardset: model.CardSet, crews: tuple[model.Crew, ...]) -> int:
    """What the dearer of the crews costs (SK-1.1)."""
    return max(sum(cardset.runners[m.runner].bandwidth + cardset.rigs[m.rig].bandwidth for m in crew.members) for crew in crews)


# Effect rows


def random_effect(rng: random.Random, triggers: tuple[str, ...], ops: tuple[str, ...] = OPS) -> model.Effect:
    """One valid row of one of these triggers."""
    while True:
        trigger = rng.choice(triggers)
        op = rng.choice(("stat", "stat", "forbid") if trigger == "passive" else ops)
        fields = _proposal(rng, op, trigger)
        try:
            return model.Effect(**fields)
        except ValidationError:
            continue


def _proposal(rng: random.Random, op: str, trigger: str) -> dict[str, Any]:
    """Fields for a row: all that the op needs, each other one now and then. May be inconsistent."""
    fields: dict[str, Any] = {"op": op, "trigger": trigger}
    for name in v.OP_FIELDS[op]:
        if name.endswith("!") or rng.random() < 0.4:
            fields[name.rstrip("!")] = _value(rng, name.rstrip("!"), op, trigger)
    if fields.get("within") != "distance":
        fields.pop("distance", None)
    if op == "attack" and trigger == "played":
        fields.setdefault("by", "own")
    if trigger == "passive":
        fields["duration"] = "always"
        fields["all"] = fields["target"] != "self"
        fields.pop("optional", None)
    if fields.get("target") == "own_data" and op == "damage":
        fields.pop("optional", None)
        fields.pop("all", None)
    if rng.random() < 0.25:
        fields["conditions"] = [_condition(rng, trigger) for _ in range(rng.randint(1, 2))]
    return fields


def _value(rng: random.Random, name: str, op: str, trigger: str) -> Any:
    choices = {
        "target": _targets(op, trigger),
        "all": (True, False),
        "within": v.WITHIN,
        "distance": (1, 2, 3),
        "optional": (True, False),
        "up_to": (True, False),
        "connected": (True, False),
        "past_security": (True, False),
        "data": (True, False),
        "by": ("self", "own", "ally"),
        "bypass": (0, 1, 2),
        "player": v.PLAYERS,
        "how": v.HOW,
        "direction": v.DIRECTIONS,
        "to": v.PLACES,
        "other": ("self", "own", "ally", "enemy", "any", "other"),
        "stat": v.STATS,
        "duration": v.DURATIONS[:-1],
        "count": (1, 1, 2, 2, 3, 4, 5),
        "amount": (1, 1, 2, 3, -1) if op in ("stat", "signal", "damage_bonus", "attack") else (1, 1, 2, 3),
    }
    match name:
        case "filter":
            return rng.sample(v.FILTERS, rng.choice((1, 1, 2)))
        case "states":
            return rng.sample(v.HACKABLE, rng.randint(1, 4))
        case "what":
            return rng.sample(v.FORBIDDABLE, rng.randint(1, 2))
    return rng.choice(choices[name])


def _targets(op: str, trigger: str) -> tuple[str, ...]:
    """The words that can fit; a uniform choice of all would seldom be valid."""
    if op in ("damage_bonus", "bypass", "flip"):
        return ("attack_target",)
    if op == "attack":
        return ("enemy", "enemy", "enemy_carrier", "own_data", "previous")
    if op == "signal":
        return CARRIER_WORDS
    if op == "transfer":
        return ("own", "ally", "self", "previous")
    return v.WHO[:6] if trigger == "passive" else v.WHO


def _condition(rng: random.Random, trigger: str) -> dict[str, Any]:
    kind = rng.choice(("behind", "ahead", "tied") if trigger == "played" else v.CONDITIONS)
    count = rng.randint(0, 2) if kind in v.COUNTED_CONDITIONS else 1
    return {"kind": kind, "negate": rng.random() < 0.4, "count": count}


def random_text(rng: random.Random, triggers: tuple[str, ...], ops: tuple[str, ...] = OPS) -> list[model.Effect]:
    """A text of one to three rows."""
    return [random_effect(rng, triggers, ops) for _ in range(rng.randint(1, 3))]


# Card sets, crews, decks


def random_cardset(rng: random.Random, restless: bool = False) -> model.CardSet:
    """Six to ten runners and rigs, eight to twenty cards.

    restless: every rig's text makes each move set everybody in motion, which reaches the limit of triggers in a turn (SK-5.5).
    """
    runners = {f"runner_{i}": _runner(rng, i) for i in range(rng.randint(6, 10))}
    rigs = {f"rig_{i}": _rig(rng, i, restless) for i in range(rng.randint(6, 10))}
    # A flipped card that attacks flips cards that attack: attacks within attacks would multiply without end, so
    # only the last title may do so, and decks carry it once.
    calm = tuple(op for op in OPS if op != "attack")
    cards = {f"card_{i}": _card(rng, f"Card {i}", calm) for i in range(rng.randint(7, 19))}
    cards["chain"] = _card(rng, "Chain", OPS, max_copies=1)
    return model.CardSet(name="fuzz", house_values=True, runners=runners, rigs=rigs, cards=cards)


def _runner(rng: random.Random, number: int) -> model.Runner:
    texts = random_text(rng, ("signature",)) if rng.random() < 0.8 else []
    if rng.random() < 0.6:
        texts += random_text(rng, v.RUNNER_TRIGGERS)
    return model.Runner(name=f"Runner {number}", bandwidth=rng.randint(0, 4), attack=rng.randint(0, 4), effects=texts)


def _rig(rng: random.Random, number: int, restless: bool) -> model.Rig:
    texts = random_text(rng, v.RIG_TRIGGERS) if rng.random() < 0.5 else []
    if restless:
        texts.append(model.Effect(op="move", trigger="after_moving", target="any", all=True, amount=1))
    return model.Rig(
        name=f"Rig {number}",
        bandwidth=rng.randint(0, 4),
        signal=rng.randint(1, 6),
        security=rng.randint(0, 3),
        speed=rng.randint(0, 4),
        effects=texts,
    )


def _card(rng: random.Random, name: str, flip_ops: tuple[str, ...], max_copies: int | None = None) -> model.Card:
    texts = random_text(rng, ("played",))
    if rng.random() < 0.6:
        texts += random_text(rng, ("flipped",), flip_ops)
    rng.shuffle(texts)
    return model.Card(name=name, damage=rng.randint(0, 3), max_copies=max_copies, effects=texts)


def random_crew(rng: random.Random, cardset: model.CardSet, most: int, name: str) -> model.Crew:
    """One to ``most`` runners, no runner and no rig twice (SK-1.3)."""
    size = rng.randint(1, most)
    pairs = zip(rng.sample(sorted(cardset.runners), size), rng.sample(sorted(cardset.rigs), size), strict=True)
    return model.Crew(name=f"crew {name}", members=[model.CrewMember(runner=runner, rig=rig) for runner, rig in pairs])


def random_deck(rng: random.Random, cardset: model.CardSet, size: int, name: str) -> model.Deck:
    """``size`` cards in random order and numbers of copies; a title with its own limit at most once."""
    titles = [t for t, card in cardset.cards.items() if card.max_copies is None]
    copies: dict[str, int] = {}
    if rng.random() < 0.5:
        copies["chain"] = 1
    while sum(copies.values()) < size:
        title = rng.choice(titles)
        copies[title] = copies.get(title, 0) + 1
    order = sorted(copies)
    rng.shuffle(order)
    return model.Deck(name=f"deck {name}", cards={title: copies[title] for title in order})


# Rules


def random_rules(rng: random.Random, deck_size: int, crew_bandwidth: int, most_rounds: int = 40) -> model.Rules:
    """Every switch at random; 1 to 5 points and 3 to 40 rounds, so that short games and long ones turn up."""
    common = [{"name": f"Common {i}", "effects": random_text(rng, ("common",))} for i in range(rng.choice((0, 0, 1, 2)))]
    signal = rng.randint(1, 6)
    return model.Rules(
        name="fuzz",
        crew_bandwidth=crew_bandwidth,
        deck_size=deck_size,
        max_copies=deck_size,
        opening_hand=rng.randint(0, 8),
        round_draw=rng.randint(0, 4),
        points_to_win=rng.choice((1, 2, 3, 4, *(5,) * 8)),
        disconnect_points=rng.choice((0, 0, 1, 1, 1, 1, 2)),
        max_turns=rng.choice((200, 200, 50, rng.randint(5, 30))),
        max_rounds=min(most_rounds, rng.choice((3, 6, 12, 20, 40, 40))),
        data_signal=signal,
        data_signal_max=rng.randint(signal, 8),
        border_crossings=rng.choice((0, 1, 1, 2)),
        minimum_damage=rng.choice((0, 1, 1, 2)),
        connected_hack=rng.choice(("touching", "single_group")),
        hack_short=rng.choice(("as_many", "nothing")),
        hack_states=rng.choice(("same", "each")),
        flip_timing=rng.choice(("after_all", "each")),
        own_disconnect_scores=rng.random() < 0.5,
        data_on_disconnect=rng.choice(("destroyed", "kept")),
        refill=rng.choice(("at_once", "when_needed")),
        heal_on_refresh=rng.random() < 0.3,
        common_actions=common,
    )


# Boards


def random_board(rng: random.Random) -> model.Board:
    """A patch of 10 to 127 hexes with holes, its first and last row the home rows, each with a server of one or two nodes."""
    while True:
        places = _patch(rng)
        rows = sorted({row for row, _ in places})
        if not 10 <= len(places) <= actions.MAX_NODES or len(rows) < 3:
            continue
        edges = [[i for i, (row, _) in enumerate(places) if row == end] for end in (rows[0], rows[-1])]
        if min(map(len, edges)) >= 3:
            return _states_on(rng, places, edges)


def _patch(rng: random.Random) -> list[tuple[int, int]]:
    """The largest connected part of a grid with holes, as (row, column); odd rows are shifted by half a hex."""
    height, width = rng.choice((3, 4, 5, 6, 9, 11, 18)), rng.choice((4, 5, 6, 7, 11))
    holes = rng.choice((0.0, 0.05, 0.15))
    left = {(r, c) for r in range(height) for c in range(width) if rng.random() >= holes}
    largest: set[tuple[int, int]] = set()
    while left:
        start = min(left)
        part, edge = {start}, [start]
        for place in edge:
            fresh = [p for p in _around(place) if p in left and p not in part]
            part.update(fresh)
            edge.extend(fresh)
        left -= part
        largest = max(largest, part, key=len)
    return sorted(largest)


def _around(place: tuple[int, int]) -> list[tuple[int, int]]:
    row, col = place
    shift = col if row % 2 else col - 1
    return [(row, col - 1), (row, col + 1), (row - 1, shift), (row - 1, shift + 1), (row + 1, shift), (row + 1, shift + 1)]


def _states_on(rng: random.Random, places: list[tuple[int, int]], edges: list[list[int]]) -> model.Board:
    number = {place: i for i, place in enumerate(places)}
    neighbors = [sorted(number[p] for p in _around(place) if p in number) for place in places]
    palette = [*v.ONLINE, "offline"] if rng.random() < 0.6 else list(v.ONLINE)
    states = [rng.choice(palette) for _ in places]
    for node, near in enumerate(neighbors):  # clumps, so that subnets are worth the name
        if rng.random() < 0.5:
            states[node] = states[rng.choice(near)]
    home = []
    for seat, row in enumerate(edges):
        server = rng.sample(row, rng.randint(1, 2) if len(row) > 3 else 1)
        rest = [n for n in row if n not in server]
        for node in server:
            states[node] = f"server{seat}"
        if all(states[n] == "offline" for n in rest):
            states[rest[0]] = "red"
        home.append(rest)
    return model.Board(name="fuzz", house_values=True, states=states, neighbors=neighbors, home=tuple(home), place=places)
