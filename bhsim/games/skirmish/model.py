"""What a designer writes, as pydantic models: card set, runner, rig, card, effect, board, rules, crew, deck, variant.

The models check each value on its own and each effect row against the vocabulary; what needs several
files at once (a crew within its bandwidth, a reachable server) is checked in ``legality``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bhsim.games.skirmish import actions
from bhsim.games.skirmish import vocabulary as v
from bhsim.inputs.models import Flag, Name


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_assignment=False)


def _one_of(words: tuple[str, ...]) -> Any:
    return Literal[words]


class Condition(_Model):
    """The row does nothing (a passive: does not apply) while this is false. A bare word is short for one."""

    kind: _one_of(v.CONDITIONS)
    count: Annotated[int, Field(strict=True, ge=0, le=actions.MAX_CREW)] = 1
    negate: Flag = False

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"kind": value.removeprefix("not "), "negate": value.startswith("not ")}
        return value


class Effect(_Model):
    """One row of a text. ``docs/effects.md`` explains every field; each operation reads only some of them."""

    op: _one_of(v.OPS)
    trigger: _one_of(v.TRIGGERS)
    target: _one_of(v.WHO) | None = None
    all: Flag = False
    within: _one_of(v.WITHIN) = "anywhere"
    distance: Annotated[int, Field(strict=True, ge=1, le=126)] = 1
    filter: list[_one_of(v.FILTERS)] = []
    optional: Flag = False
    conditions: Annotated[list[Condition], Field(max_length=actions.MAX_CONDITIONS)] = []
    amount: Annotated[int, Field(strict=True, ge=-20, le=20)] = 0
    count: Annotated[int, Field(strict=True, ge=1, le=20)] = 1
    up_to: Flag = False
    connected: Flag = True
    states: list[_one_of(v.HACKABLE)] = []
    past_security: Flag = False
    by: Literal["self", "own", "ally"] = "self"
    data: Flag = True
    bypass: Annotated[int, Field(strict=True, ge=0, le=20)] = 0
    player: _one_of(v.PLAYERS) = "own"
    how: _one_of(v.HOW) = "random"
    direction: _one_of(v.DIRECTIONS) = "any"
    to: _one_of(v.PLACES) = "subnet"
    other: Literal["self", "own", "ally", "enemy", "any", "other"] | None = None
    stat: _one_of(v.STATS) = "attack"
    what: Annotated[list[_one_of(v.FORBIDDABLE)], Field(min_length=1)] = ["attack"]
    duration: _one_of(v.DURATIONS) = "turn"

    @field_validator("states", mode="before")
    @classmethod
    def _state_words(cls, value: Any) -> Any:
        if value == "any":
            return list(v.HACKABLE)
        if value == "any_online":
            return list(v.ONLINE)
        return [value] if isinstance(value, str) else value

    @field_validator("what", "filter", mode="before")
    @classmethod
    def _single_word(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("op") == "attack":
            value = {"target": "enemy", "within": "subnet", **value}
        if isinstance(value, dict) and value.get("trigger") == "passive":
            value = {"duration": "always", **value}
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Effect:
        if faults := effect_faults(self):
            raise ValueError("\n".join(faults))
        return self


def effect_faults(e: Effect) -> list[str]:
    """Every reason why a row can never mean anything, in words that name the field and what is allowed."""
    faults = []
    known = {name.rstrip("!") for name in v.OP_FIELDS[e.op]} | {"op", "trigger", "conditions"}
    for name in sorted(e.model_fields_set - known - {"duration"}):
        faults.append(f"{name}: not a field of op '{e.op}' (allowed: {', '.join(sorted(known))})")
    if "duration" in e.model_fields_set and "duration" not in known and e.trigger != "passive":
        faults.append(f"duration: not a field of op '{e.op}'")
    for name in v.OP_FIELDS[e.op]:
        if name.endswith("!") and name[:-1] not in e.model_fields_set:
            faults.append(f"{name[:-1]}: op '{e.op}' needs it")
    faults += _target_faults(e) + _trigger_faults(e) + _number_faults(e) + _duration_faults(e)
    return faults


def _target_faults(e: Effect) -> list[str]:
    faults = []
    lone = e.trigger == "played"
    if lone and (e.target == "self" or (e.op == "attack" and e.by == "self")):
        faults.append("target: a played card has no runner of its own, so 'self' is impossible; use 'own' (attack: by)")
    if lone and e.op not in ("attack", "transfer") and e.within not in ("anywhere", "chosen_subnet"):
        faults.append(f"within: a played card stands nowhere, so '{e.within}' is impossible; use 'anywhere' or 'chosen_subnet'")
    if e.target == "self" and e.within == "neighbouring" and e.op != "transfer":
        faults.append("target: a runner is not next to itself; leave 'within' out")
    if lone and e.op == "place" and e.to == "beside":
        faults.append("to: a played card has no runner to be placed beside; use subnet, neighbouring or home")
    if e.target == "attack_target" and e.trigger != "flipped":
        faults.append("target: 'attack_target' exists only in a flipped card's text")
    if e.target == "culprit" and e.trigger not in ("damaged", "disconnected"):
        faults.append("target: 'culprit' exists only for the triggers damaged and disconnected")
    if e.target == "own_data" and e.op not in ("attack", "damage"):
        faults.append("target: 'own_data' can only be attacked or damaged")
    if e.op in ("damage_bonus", "bypass", "flip") and e.target not in (None, "attack_target"):
        faults.append("target: of this op only 'attack_target' (the default)")
    if e.op == "attack" and e.target not in ("enemy", "enemy_carrier", "own_data", "previous"):
        faults.append("target: an attack hits enemy, enemy_carrier, own_data or previous")
    if e.op == "attack" and e.within == "chosen_subnet":
        faults.append("within: of an attack one of anywhere, subnet, neighbouring, distance")
    if e.op == "transfer" and e.target not in ("own", "ally", "self", "previous"):
        faults.append("target: data can be passed to self, own, ally or previous")
    if e.op == "signal" and e.target not in ("own_carrier", "enemy_carrier"):
        faults.append("target: the data of own_carrier or enemy_carrier")
    if e.within == "chosen_subnet" and e.op not in ("hack", "change_state") and not e.all:
        faults.append("within: 'chosen_subnet' needs all = true")
    if e.within == "chosen_subnet" and e.op in ("hack", "change_state", "swap", "transfer"):
        faults.append("within: 'chosen_subnet' is for effects on all runners of a subnet")
    if e.distance != 1 and e.within != "distance":
        faults.append("distance: only with within = 'distance'")
    if e.all and e.optional:
        faults.append("optional: an effect on all has nothing to choose")
    if e.op == "damage" and e.target == "own_data" and (e.optional or e.all):
        faults.append(f"{'all' if e.all else 'optional'}: there is one own data, and damage to it is no choice")
    return faults


def _trigger_faults(e: Effect) -> list[str]:
    faults = []
    if e.op in ("damage_bonus", "bypass", "flip") and e.trigger != "flipped":
        hint = "; for other texts use op 'stat'" if e.op != "flip" else "; elsewhere use stat 'attack'"
        faults.append(f"trigger: op '{e.op}' works on the attack that flipped the card, so only 'flipped'{hint}")
    if e.trigger == "passive":
        if e.op not in ("stat", "forbid"):
            faults.append("op: a passive is a 'stat' or a 'forbid'; for one that acts use an event trigger")
        if e.target not in ("self", "own", "ally", "enemy", "any", "other"):
            faults.append("target: of a passive self, own, ally, enemy, any or other")
        elif e.target != "self" and not e.all:
            faults.append("all: a passive on others applies to all of them, so all = true")
        if e.within == "chosen_subnet":
            faults.append("within: a passive chooses nothing; use subnet, neighbouring, distance or anywhere")
        if e.optional:
            faults.append("optional: a passive chooses nothing")
    source_free = ("behind", "ahead", "tied")
    for c in e.conditions:
        if c.kind == "target_carries":
            attack_stat = e.op == "stat" and e.stat in ("attack", "bypass", "damage", "data_bypass")
            if not (e.trigger == "flipped" or (e.trigger == "passive" and attack_stat and e.target == "self")):
                faults.append(
                    "conditions: 'target_carries' needs an attack: a flipped card, or a passive on the own attack, bypass or damage"
                )
        elif e.trigger == "played" and c.kind not in source_free:
            faults.append(f"conditions: a played card has no runner, so '{c.kind}' is impossible (allowed: {', '.join(source_free)})")
        if c.count != 1 and c.kind not in v.COUNTED_CONDITIONS:
            faults.append(f"conditions: count belongs to {' and '.join(v.COUNTED_CONDITIONS)}")
    return faults


def _number_faults(e: Effect) -> list[str]:
    faults = []
    positive = ("damage", "heal", "move", "score", "flip", "bypass")
    if e.op in positive and e.amount < 1 and "amount" in e.model_fields_set:
        faults.append(f"amount: {e.amount} is out of range (1 to 20)")
    if e.op in ("signal", "stat", "damage_bonus") and e.amount == 0:
        faults.append("amount: 0 would do nothing (-20 to 20)")
    if e.op == "stat" and e.stat in v.LARGEST and e.amount < 1:
        faults.append(f"amount: {e.amount} is out of range for {e.stat} (1 to 20)")
    if e.op in ("hack", "change_state"):
        if e.count > actions.MAX_PICK:
            faults.append(f"count: {e.count} is out of range (1 to {actions.MAX_PICK} nodes)")
        if not e.states:
            faults.append(f"states: empty (allowed: any, any_online or some of {', '.join(v.HACKABLE)})")
        if len(set(e.states)) != len(e.states):
            faults.append("states: a state stands twice")
    return faults


def _duration_faults(e: Effect) -> list[str]:
    faults = []
    if e.op in ("stat", "forbid"):
        if (e.duration == "always") != (e.trigger == "passive"):
            faults.append("duration: 'always' is for passives and passives are 'always'; else turn, round or next_attack")
        if e.duration == "next_attack" and (e.op == "forbid" or e.stat in ("speed", "borders")):
            faults.append("duration: 'next_attack' fits the numbers of an attack only; use turn or round")
    return faults


def _with_trigger(default: str, allowed: tuple[str, ...], kind: str) -> Any:
    """A before-validator that fills in the usual trigger and refuses one that this kind of text cannot have."""

    def check(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        rows, faults = [], []
        for number, row in enumerate(value):
            if isinstance(row, dict):
                row = {"trigger": default, **row}
                if row["trigger"] in v.TRIGGERS and row["trigger"] not in allowed:
                    faults.append(f"{number}.trigger: '{row['trigger']}' is not for a {kind} (allowed: {', '.join(allowed)})")
            rows.append(row)
        if faults:
            raise ValueError("\n".join(faults))
        return rows

    return check


class Runner(_Model):
    """A runner card: bandwidth, attack (cards flipped) and its text."""

    name: Name
    bandwidth: Annotated[int, Field(strict=True, ge=0, le=99)]
    attack: Annotated[int, Field(strict=True, ge=0, le=20)]
    effects: Annotated[list[Effect], Field(max_length=12)] = []
    text: str = ""

    _rows = field_validator("effects", mode="before")(_with_trigger("signature", v.RUNNER_TRIGGERS, "runner"))


class Rig(_Model):
    """A rig card: bandwidth, signal, security, speed and, rarely, a text."""

    name: Name
    bandwidth: Annotated[int, Field(strict=True, ge=0, le=99)]
    signal: Annotated[int, Field(strict=True, ge=1, le=99)]
    security: Annotated[int, Field(strict=True, ge=0, le=30)]
    speed: Annotated[int, Field(strict=True, ge=0, le=30)]
    effects: Annotated[list[Effect], Field(max_length=12)] = []
    text: str = ""

    _rows = field_validator("effects", mode="before")(_with_trigger("passive", v.RIG_TRIGGERS, "rig"))


class Card(_Model):
    """A cyberdeck card: damage value, own copy limit (SK-1.5), what it does when played and when flipped."""

    name: Name
    damage: Annotated[int, Field(strict=True, ge=0, le=20)]
    max_copies: Annotated[int, Field(strict=True, ge=1, le=actions.MAX_DECK)] | None = None
    effects: Annotated[list[Effect], Field(max_length=12)] = []
    text: str = ""

    _rows = field_validator("effects", mode="before")(_with_trigger("played", v.CARD_TRIGGERS, "card"))


class CardSet(_Model):
    """The pool of cards, runners and rigs, each under its id."""

    name: Name
    house_values: Flag = False
    runners: Annotated[dict[str, Runner], Field(max_length=actions.MAX_POOL)] = {}
    rigs: Annotated[dict[str, Rig], Field(max_length=actions.MAX_POOL)] = {}
    cards: Annotated[dict[str, Card], Field(max_length=actions.MAX_TITLES)] = {}


class CommonAction(_Model):
    """An action open to every runner (SK-8.13)."""

    name: Name
    effects: Annotated[list[Effect], Field(min_length=1, max_length=12)]

    _rows = field_validator("effects", mode="before")(_with_trigger("common", ("common",), "common action"))


Small = Annotated[int, Field(strict=True, ge=0, le=99)]
Positive = Annotated[int, Field(strict=True, ge=1, le=99)]


class Rules(_Model):
    """Every number and switch of the rules page; the defaults are its defaults."""

    name: Name = "standard"
    crew_bandwidth: Annotated[int, Field(strict=True, ge=0, le=999)] = 20
    deck_size: Annotated[int, Field(strict=True, ge=1, le=actions.MAX_DECK)] = 20
    max_copies: Annotated[int, Field(strict=True, ge=1, le=actions.MAX_DECK)] = 2
    opening_hand: Annotated[int, Field(strict=True, ge=0, le=actions.MAX_DECK)] = 6
    round_draw: Annotated[int, Field(strict=True, ge=0, le=actions.MAX_DECK)] = 2
    points_to_win: Positive = 5
    disconnect_points: Small = 1
    max_turns: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 200
    max_rounds: Annotated[int, Field(strict=True, ge=1, le=1_000)] = 40
    data_signal: Annotated[int, Field(strict=True, ge=1, le=20)] = 5
    data_signal_max: Annotated[int, Field(strict=True, ge=1, le=20)] = 6
    border_crossings: Annotated[int, Field(strict=True, ge=0, le=actions.MAX_BORDERS)] = 1
    minimum_damage: Annotated[int, Field(strict=True, ge=0, le=20)] = 1
    connected_hack: Literal["touching", "single_group"] = "touching"
    hack_short: Literal["as_many", "nothing"] = "as_many"
    hack_states: Literal["same", "each"] = "same"
    flip_timing: Literal["after_all", "each"] = "after_all"
    own_disconnect_scores: Flag = True
    data_on_disconnect: Literal["destroyed", "kept"] = "destroyed"
    refill: Literal["at_once", "when_needed"] = "at_once"
    heal_on_refresh: Flag = False
    common_actions: Annotated[list[CommonAction], Field(max_length=actions.MAX_COMMON)] = []

    @model_validator(mode="after")
    def _die(self) -> Rules:
        if self.data_signal > self.data_signal_max:
            raise ValueError(f"data_signal: {self.data_signal} is above data_signal_max {self.data_signal_max}")
        return self


class Board(_Model):
    """A board as nodes and neighbours, read from its text picture (``files.read_board``).

    states: one of ``vocabulary.STATES`` per node, ``server0`` and ``server1`` being the two servers.
    home: node numbers of both home rows, servers excluded. place: (row, column) of each node, for drawing.
    """

    name: Name
    house_values: Flag = False
    states: list[_one_of(v.STATES)]
    neighbors: list[list[int]]
    home: tuple[list[int], list[int]]
    place: list[tuple[int, int]]

    def servers(self, side: int) -> list[int]:
        """Node numbers of one side's server."""
        return [n for n, s in enumerate(self.states) if s == f"server{side}"]


class CrewMember(_Model):
    """A runner and its rig, by id."""

    runner: str
    rig: str


class Crew(_Model):
    """A crew: runner and rig pairs, and the deck it is usually played with."""

    name: Name
    members: Annotated[list[CrewMember], Field(min_length=1, max_length=actions.MAX_CREW)]
    deck: str | None = None
    house_values: Flag = False


class Deck(_Model):
    """A cyberdeck: title ids with their number of copies, in the file's order."""

    name: Name
    cards: dict[str, Annotated[int, Field(strict=True, ge=1, le=actions.MAX_DECK)]]
    house_values: Flag = False

    def slots(self) -> list[str]:
        """Title ids slot by slot, copies side by side, in the file's order."""
        return [title for title, copies in self.cards.items() for _ in range(copies)]
