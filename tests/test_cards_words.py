"""Effects in English: exact sentences, and no two different rows with the same words."""

import itertools
from pathlib import Path

import pytest
from pydantic import ValidationError

from bhsim.games.skirmish import files
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import Effect
from bhsim.games.skirmish.words import row_words, text_words

FROZEN = Path(__file__).parent / "data" / "frozen"

SENTENCES = {
    "gh0st": [
        "Passive: This runner may cross 1 more subnet border in each move.",
        "Signature action: place this runner on a free node in its own subnet.",
    ],
    "wee_rin": [
        "Passive: This runner has +1 speed while it carries data.",
        "Signature action: hack 1 node next to this runner to any one online state; then move this runner up to 1 step.",
    ],
    "sally_shortstop": [
        "Passive: Attacks on data by this runner bypass 2.",
        "Signature action: attack the enemy carrying your data in this runner's subnet or your own data there with +1 flip.",
    ],
    "james_jimmy_jester_mahoney": [
        "Passive: Enemies in this runner's subnet cannot transfer data.",
        "Signature action: swap this runner with another runner of either side in this runner's subnet.",
    ],
    "catapult": [
        "Passive: All allies next to this runner have +1 speed.",
        "Signature action: move an ally in this runner's subnet up to 3 steps.",
    ],
    "skeleton_dee": [
        "At the end of the round: restore 1 signal to this runner.",
        "Signature action: restore 2 signal to one of your runners in this runner's subnet.",
    ],
    "big_hack": ["When played: hack up to 3 connected nodes to any one online state."],
    "rm_r": ["When played: hack 1 node to offline."],
    "corporate_espionage": ["When played: make your opponent discard 1 card at random; then draw 1 card."],
    "hot_swap": [
        "When flipped: if the target is or carries data, this attack deals +1 damage.",
        "When played: swap one of your runners with another of your runners.",
    ],
    "ip_tracer": ["When flipped: this attack bypasses 1.", "When played: let attacks on an enemy bypass 2 until the end of the round."],
    "low_orbit_ion_cannon": ["When played: deal 1 damage past security to all runners in one chosen subnet."],
    "roboware_1680": [],
}


@pytest.mark.parametrize("key", SENTENCES)
def test_house_texts(key):
    cardset = files.read_cardset(FROZEN / "decks/house.toml")
    entry = {**cardset.runners, **cardset.rigs, **cardset.cards}[key]
    assert text_words(entry.effects) == SENTENCES[key]


ROWS = [
    ({"op": "exhaust", "trigger": "played", "target": "enemy", "filter": ["exhausted", "carrying"], "optional": True},
     "you may exhaust an exhausted enemy carrying data"),
    ({"op": "attack", "trigger": "played", "by": "own", "target": "own_data", "within": "anywhere", "bypass": 1},
     "attack your own data in enemy hands by one of your runners with bypass 1"),
    ({"op": "stat", "trigger": "damaged", "target": "self", "stat": "speed", "amount": -1, "duration": "turn",
      "conditions": ["behind", "not on_red"]},
     "if you are behind on points and this runner is not on a red node, give this runner -1 speed until the end of the turn"),
    ({"op": "flip", "trigger": "flipped", "amount": 2, "filter": "ready"}, "this attack flips 2 more cards if its target is ready"),
    ({"op": "damage", "trigger": "disconnected", "target": "enemy", "all": True, "within": "distance", "distance": 2, "amount": 1},
     "deal 1 damage to all enemies within 2 steps of this runner"),
    ({"op": "stat", "trigger": "passive", "target": "self", "stat": "attack", "amount": 2,
      "conditions": [{"kind": "enemies_in_subnet", "count": 2, "negate": True}]},
     "this runner has +2 attack while fewer than 2 enemies are in this runner's subnet"),
    ({"op": "score", "trigger": "securing", "player": "opponent", "amount": 1}, "give your opponent 1 point"),
    ({"op": "place", "trigger": "signature", "target": "enemy", "to": "home", "within": "neighbouring"},
     "place an enemy next to this runner on a free node of its owner's home row"),
    ({"op": "change_state", "trigger": "played", "count": 2, "states": "any"},
     "change the state of 2 connected nodes to any one state, offline too, whatever runners or locks are there"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "words"), ROWS, ids=[row["op"] for row, _ in ROWS])
def test_rows(row, words):
    assert row_words(Effect.model_validate(row)) == words


# For each operation the fields whose every value must show in the words.
OPTIONS = {
    "target": v.WHO, "all": (False, True), "within": v.WITHIN, "optional": (False, True), "amount": (-1, 1, 2), "count": (1, 2),
    "up_to": (False, True), "connected": (True, False), "states": ("red", "offline", "any", "any_online"), "past_security": (False, True),
    "data": (True, False), "bypass": (0, 1), "by": ("self", "own", "ally"), "player": v.PLAYERS, "how": v.HOW, "direction": v.DIRECTIONS,
    "to": v.PLACES, "other": ("self", "own", "ally", "enemy", "any", "other"), "stat": v.STATS, "what": v.FORBIDDABLE,
    "duration": v.DURATIONS, "filter": ([], ["ready"], ["carrying"], ["ready", "on_red"]),
}  # fmt: skip
TRIGGERS = {"passive": ("stat", "forbid"), "flipped": v.OPS, "signature": v.OPS, "played": v.OPS}


def rows_of(op, trigger):
    """Every valid row of an operation over ``OPTIONS``, two fields at a time away from a valid start."""
    names = [name.rstrip("!") for name in v.OP_FIELDS[op] if name.rstrip("!") in OPTIONS]
    seen = []
    start = next(iter(valid(op, trigger, names)), None)
    if start is None:
        return seen
    for one, other in itertools.combinations_with_replacement(names, 2):
        for a, b in itertools.product(OPTIONS[one], OPTIONS[other]):
            row = {**start, one: a, other: b}
            effect = checked(row)
            if effect is not None:
                seen.append(effect)
    return seen


def valid(op, trigger, names):
    needed = [name.rstrip("!") for name in v.OP_FIELDS[op] if name.endswith("!")]
    if op == "attack" and trigger == "played":
        needed.append("by")
    if trigger == "passive":
        needed = ["target", "all", *(n for n in needed if n != "target")]
    for values in itertools.product(*(OPTIONS[name] for name in needed)):
        row = {"op": op, "trigger": trigger, **dict(zip(needed, values, strict=True))}
        if checked(row) is not None:
            yield row


def checked(row):
    try:
        return Effect.model_validate(row)
    except ValidationError:
        return None


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_different_rows_have_different_words(trigger):
    checked_rows = 0
    for op in TRIGGERS[trigger]:
        words = {}
        for effect in rows_of(op, trigger):
            text = row_words(effect)
            assert "None" not in text and "  " not in text and text[0].islower() and not text.endswith("."), text
            words.setdefault(text, set()).add(meaning(effect))
            checked_rows += 1
        for text, meanings in words.items():
            assert len(meanings) == 1, (text, meanings)
    assert checked_rows > 300


def meaning(effect):
    """What a row does, with everything left out that makes no difference."""
    data = effect.model_dump(exclude={"trigger", "conditions"})
    if effect.trigger == "played":
        data["target"] = {"ally": "own", "other": "any"}.get(effect.target, effect.target)
        data["other"] = {"ally": "own", "other": "any"}.get(effect.other, effect.other)
    if effect.op == "swap" and effect.target == "self":
        data["other"] = {"own": "ally", "any": "other"}.get(data["other"], data["other"])
    if effect.target == "self" and effect.op not in ("transfer", "swap"):
        data["within"] = data["all"] = None
    if effect.op in ("hack", "change_state") and effect.count == 1:
        data["connected"] = None
    if effect.op in ("damage_bonus", "bypass", "flip"):
        data["target"] = None
    if effect.op == "attack" and effect.target not in ("enemy", "enemy_carrier"):
        data["data"] = None
    if effect.op == "move" and effect.trigger == "played":
        data["direction"] = None
    return tuple(sorted((key, str(value)) for key, value in data.items()))


def test_every_trigger_and_condition_has_words():
    for trigger in v.TRIGGERS:
        op = {"op": "stat", "target": "self", "stat": "speed", "amount": 1} if trigger == "passive" else {"op": "draw", "count": 1}
        (sentence,) = text_words([Effect.model_validate({"trigger": trigger, **op})])
        assert sentence.endswith(".") and ": " in sentence
    said = set()
    for kind in v.CONDITIONS:
        for prefix in ("", "not "):
            row = {"op": "draw", "trigger": "flipped", "count": 1, "conditions": [prefix + kind]}
            said.add(row_words(Effect.model_validate(row)))
    assert len(said) == 2 * len(v.CONDITIONS)
