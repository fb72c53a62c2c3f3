"""Bots value an effect by what it does: of every operation a made-up text that is plainly good, and one that is plainly bad.

Each row is tried as a card, as a signature and as a common action. Everybody but the runner that has the text is exhausted, and that
one, C, stands alone and cannot move: so a turn is a question about the text and nothing else.
"""

import pytest
from tactics_kit import Situation

from bhsim.games.skirmish import vocabulary as v

BOT = "fixer"
KEYS = range(3)
FLIPS_ONLY = ("damage_bonus", "bypass", "flip")
FORMS = {"card": "card it", "signature": "action signature", "common": "action common 0"}

#  A and B are ours, at home and at the border; X stands beside its server, Y near A.
PLAIN = """
x  r  H  r  x  rC
  r  rA r  r  x  x
r  r  r  r  r  r
  g  g  g  gB g  g
b  b  b  b  b  b
  b  b  bX b  bY b
b  b  E  b  b  b
"""
TIRED = {letter: {"ready": False} for letter in "ABXY"}
THIEF = {**TIRED, "X": {"data": 4, "ready": True}}
OUR_RUN = {**TIRED, "B": {"data": 4, "ready": False}}
AT_HOME = {**TIRED, "A": {"data": 4, "ready": False}}
WOUNDED = {**TIRED, "A": {"ready": False, "now": 1}}
HURT_ENEMY = {**TIRED, "X": {"ready": False, "now": 1}}
STRONG_ENEMY = {**TIRED, "Y": {"ready": True, "attack": 6}}
FRESH_ENEMY = {**TIRED, "X": {"ready": True}, "Y": {"ready": True}}
ROAD = """
x  r  H  r  x  rC
  r  rA r  rB x  x
r  r  r  r  r  r
  x  x  bX x  x  x
x  x  x  b  x  x
  x  x  x  b  x  b
r  x  x  E  x  bY
"""
#  A has an enemy in reach, and so little attack that it waits for help.
CLOSE = """
x  r  H  r  x  rC
  r  r  r  r  x  x
r  rA r  rX r  r
  g  g  g  gB g  g
b  b  b  b  b  b
  b  b  b  b  bY b
b  b  E  b  b  b
"""
WAITING = {**TIRED, "A": {"attack": 0, "speed": 0}}
WEAK = {**TIRED, "A": {"attack": 1, "speed": 0}, "X": {"ready": False, "signal": 6, "security": 3, "attack": 0}}
ARMOURED = {**TIRED, "A": {"speed": 0}, "X": {"ready": False, "now": 2, "security": 3, "attack": 0}}
NO_LEAST = {"minimum_damage": 0}
WEAK_ON_DATA = {**TIRED, "A": {"attack": 2, "speed": 0}, "X": {"ready": False, "signal": 9, "security": 9, "attack": 0, "data": 3}}
HELPFUL = {**TIRED, "X": {"ready": True}, "Y": {"ready": True}}


def row(op, **fields):
    return {"op": op, **fields}


def stat(word, amount, target="own"):
    return row("stat", target=target, stat=word, amount=amount, duration="round")


def case(good_or_bad, says, *rows, runners=TIRED, picture=PLAIN, **more):
    return pytest.param(
        good_or_bad, rows, {"runners": runners, "picture": picture, **more}, id=f"{rows[0].get('stat', rows[0]['op'])}: {says}"
    )


GOOD, BAD = True, False
CASES = [
    case(GOOD, "shuts the thief in", row("hack", count=1, states=["offline"]), runners=THIEF, picture=ROAD),
    case(BAD, "nobody is helped", row("hack", count=1, states=["offline"]), picture=ROAD),
    case(GOOD, "shuts the thief in", row("change_state", count=1, states=["offline"]), runners=THIEF, picture=ROAD),
    case(BAD, "nobody is helped", row("change_state", count=1, states=["offline"]), picture=ROAD),
    case(GOOD, "disconnects an enemy", row("damage", target="enemy", amount=1, past_security=True), runners=HURT_ENEMY),
    case(BAD, "security takes it all", row("damage", target="enemy", amount=1)),
    case(
        BAD,
        "hits more of ours",
        row("damage", target="own", all=True, amount=2, past_security=True),
        row("damage", target="enemy", amount=2),
    ),
    case(GOOD, "destroys stolen data", row("damage", target="own_data", amount=4, past_security=True), runners=THIEF),
    case(BAD, "there is no data", row("damage", target="own_data", amount=4, past_security=True)),
    case(GOOD, "restores our wounded", row("heal", target="own", amount=3), runners=WOUNDED),
    case(BAD, "nobody is wounded", row("heal", target="own", amount=3)),
    case(BAD, "only the enemy is wounded", row("heal", target="enemy", amount=3), runners=HURT_ENEMY),
    case(GOOD, "an enemy in reach is weak", row("attack", by="own", within="anywhere", amount=2), runners=HURT_ENEMY),
    case(BAD, "nobody is in reach", row("attack", by="own", amount=2)),
    case(GOOD, "we draw", row("draw", count=2)),
    case(BAD, "the enemy draws", row("draw", count=2, player="opponent")),
    case(GOOD, "the enemy discards", row("discard", count=2, player="opponent")),
    case(BAD, "we discard", row("discard", count=2), hand=["two"]),
    case(GOOD, "takes cards back", row("return_card", count=2, how="chosen"), discard=["two", "two"]),
    case(BAD, "nothing to take back", row("return_card", count=2, how="chosen")),
    case(GOOD, "a ready enemy", row("exhaust", target="enemy"), runners=FRESH_ENEMY),
    case(BAD, "one of ours", row("exhaust", target="own"), runners={**TIRED, "A": {}, "B": {}}),
    case(BAD, "they are exhausted", row("exhaust", target="enemy")),
    case(GOOD, "one of ours", row("ready", target="own")),
    case(BAD, "an enemy", row("ready", target="enemy")),
    case(GOOD, "our data gets nearer home", row("move", target="own_carrier", amount=3), runners=OUR_RUN),
    case(GOOD, "the thief gets away from home", row("move", target="enemy_carrier", amount=3), runners=THIEF),
    case(BAD, "nobody carries", row("move", target="own_carrier", amount=3)),
    case(GOOD, "our data is home", row("place", target="own_carrier", to="home"), runners=OUR_RUN),
    case(BAD, "the thief is home", row("place", target="enemy_carrier", to="home"), runners={**THIEF, "X": {}, "Y": {"data": 4}}),
    case(GOOD, "our data gets nearer home", row("swap", target="own_carrier", other="own"), runners=OUR_RUN),
    case(BAD, "the thief gets home", row("swap", target="enemy_carrier", other="enemy"), runners={**TIRED, "Y": {"data": 4}}),
    case(GOOD, "an ally nearer home", row("transfer", target="own"), runners=OUR_RUN),
    case(BAD, "away from home", row("transfer", target="own", filter=["on_gray"]), runners=AT_HOME),
    case(
        GOOD, "our data is worth more", row("signal", target="own_carrier", amount=2), runners={**TIRED, "A": {"ready": False, "data": 1}}
    ),
    case(GOOD, "stolen data is worth less", row("signal", target="enemy_carrier", amount=-4), runners=THIEF),
    case(BAD, "stolen data is worth more", row("signal", target="enemy_carrier", amount=2), runners={**TIRED, "X": {"data": 1}}),
    case(BAD, "our data is worth less", row("signal", target="own_carrier", amount=-3), runners=AT_HOME),
    case(GOOD, "we score", row("score", amount=1)),
    case(BAD, "the enemy scores", row("score", amount=1, player="opponent")),
    case(BAD, "both score and the enemy wins", row("score", amount=1, player="both"), points=(2, 4)),
    case(GOOD, "the enemy waits", row("another_turn")),
    case(BAD, "the enemy has passed, so every turn is ours", row("another_turn"), foe_passed=True),
    case(GOOD, "our runner survives better", stat("security", 2), runners=FRESH_ENEMY),
    case(BAD, "the enemy's does", stat("security", 2, "enemy")),
    case(BAD, "our runner loses it", stat("security", -2)),
    case(GOOD, "an enemy is in reach", stat("attack", 3), runners={**WAITING, "X": {"ready": False, "now": 1}}, picture=CLOSE),
    case(BAD, "no enemy is in reach", stat("attack", 3), runners=WAITING),
    case(BAD, "the enemy gets it", stat("attack", 2, "enemy"), runners=HELPFUL),
    case(BAD, "we lose it", stat("attack", -1), runners={**TIRED, "A": {"speed": 0}}),
    case(GOOD, "an enemy in reach has security", stat("bypass", 3), runners=ARMOURED, picture=CLOSE, rules=NO_LEAST),
    case(BAD, "no enemy is in reach", stat("bypass", 3), runners=WAITING),
    case(BAD, "the enemy gets it", stat("bypass", 3, "enemy"), runners=HELPFUL),
    case(GOOD, "an enemy is in reach", stat("damage", 6), runners={**WAITING, "X": {"ready": False, "now": 3}}, picture=CLOSE),
    case(BAD, "no enemy is in reach", stat("damage", 6), runners=WAITING),
    case(BAD, "the enemy gets it", stat("damage", 3, "enemy"), runners=HELPFUL),
    case(GOOD, "stolen data is in reach", stat("data_bypass", 4), runners=WEAK_ON_DATA, picture=CLOSE),
    case(BAD, "no data is out", stat("data_bypass", 4), runners={**WEAK_ON_DATA, "X": {**WEAK_ON_DATA["X"], "data": 0}}, picture=CLOSE),
    case(BAD, "the enemy gets it", stat("data_bypass", 4, "enemy"), runners=HELPFUL),
    case(GOOD, "an enemy with security", stat("exposed", 3, "enemy"), runners=WEAK, picture=CLOSE, rules=NO_LEAST),
    case(BAD, "one of ours", stat("exposed", 2), runners=HELPFUL),
    case(GOOD, "our ready runner", stat("speed", 2), runners=WAITING),
    case(BAD, "the enemy gets it", stat("speed", 2, "enemy"), runners=HELPFUL),
    case(GOOD, "our ready runner", stat("borders", 2), runners=WAITING),
    case(BAD, "the enemy gets it", stat("borders", 2, "enemy"), runners=HELPFUL),
    case(
        GOOD, "an enemy may not attack", row("forbid", target="enemy", what=["attack", "extract"], duration="round"), runners=STRONG_ENEMY
    ),
    case(GOOD, "the thief may not secure", row("forbid", target="enemy_carrier", what=["secure"], duration="round"), runners=THIEF),
    case(
        BAD, "ours may not", row("forbid", target="own", what=["attack", "extract"], duration="round"), runners={**TIRED, "A": {}, "B": {}}
    ),
]


def uses(form, rows, situation, seat=0, key=0):
    """Whether the bot uses a text of these rows in its next turn. form: of ``FORMS``."""
    runners = {"C": {"speed": 0, "attack": 0, "ready": form != "card"}, **situation["runners"]}
    more = {name: value for name, value in situation.items() if name != "runners"}
    if form == "card":
        more |= {"cards": {"it": {"effects": list(rows)}}, "hand": ["it", *more.get("hand", [])]}
    elif form == "signature":
        runners["C"] = runners["C"] | {"does": list(rows)}
    else:
        more["rules"] = {**more.get("rules", {}), "common_actions": [{"name": "It", "effects": list(rows)}]}
    played = Situation(runners=runners, **more).play(BOT, seat, key)
    return FORMS[form] in played.said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("good", "rows", "situation"), CASES)
def test_uses_what_is_good_and_nothing_bad(form, good, rows, situation):
    for seat in (0, 1):
        for key in KEYS:
            assert uses(form, rows, situation, seat, key) == good, f"seat {seat}, key {key}"


def test_every_operation_and_number_is_tried_both_ways():
    tried = {(rows[0].get("stat", rows[0]["op"]), good) for good, rows, _ in (case.values for case in CASES)}
    words = (set(v.OPS) - {"stat", *FLIPS_ONLY}) | set(v.STATS)
    assert tried == {(word, good) for word in words for good in (GOOD, BAD)}


@pytest.mark.parametrize("op", FLIPS_ONLY)
def test_what_only_helps_when_flipped_stays_in_the_deck(op):
    """Played, such a card does nothing; an otherwise equal one that draws is played."""
    flipped = row(op, trigger="flipped", amount=2)
    assert not uses("card", [flipped], {"runners": TIRED, "picture": PLAIN})
    assert uses("card", [flipped, row("draw", count=2)], {"runners": TIRED, "picture": PLAIN})


def test_gives_up_the_card_that_is_worth_least_now():
    """A compulsory choice among own cards (discard, chosen) spares the one that can be used."""
    cards = {
        "it": {"effects": [row("draw", count=3), row("discard", count=1, how="chosen")]},
        "wake": {"effects": [row("ready", target="own")]},
        "idle": {"effects": [row("ready", target="enemy")]},
    }
    for seat in (0, 1):
        for hand in (["it", "wake", "idle"], ["it", "idle", "wake"]):
            runners = {**TIRED, "C": {"ready": False}}
            played = Situation(picture=PLAIN, runners=runners, cards=cards, hand=hand, deck=["wake"] * 4).play(BOT, seat)
            assert played.said[:2] == ["card it", "choose idle"]
