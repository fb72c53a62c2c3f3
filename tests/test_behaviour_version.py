"""``BEHAVIOUR_VERSION`` moves when games come out otherwise, and only then: totals of a frozen contest for each version.

When this fails and the change of outcomes is meant: raise the version in ``engine/version.py``, put the new totals here, and say
why in CHANGELOG.md. When it is not meant, something is broken.
"""

from __future__ import annotations

import hashlib

import numpy as np
from frozen_kit import frozen_match

from bhsim.games.skirmish.bots import Bot
from bhsim.games.skirmish.driver import Match
from bhsim.games.skirmish.engine.block import play_block
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.engine.version import BEHAVIOUR_VERSION
from bhsim.games.skirmish.features import FEATURES
from bhsim.games.skirmish.tally import empty

KEYS = 100
# Every weight is given, so that new defaults of features.py move nothing here.
WEIGHTS = {
    "point": 1.2, "win": 4.0, "kill": 1.5, "damage": 1.0, "extract": 0.6, "carry": 0.8, "hunt": 1.5, "danger": 0.5, "advance": 0.08,
    "home": 0.2, "chase": 0.15, "guard": 0.02, "brawl": 0.05, "escort": 0.02, "transfer": 0.9, "draw": 0.4, "hold": 0.15, "discard": 0.3,
    "open": 0.8, "link": 0.5, "deny": 0.9, "shield": 1.2, "exhaust": 0.6, "ready": 0.7, "heal": 0.12, "boost": 0.5, "ban": 0.3,
    "turn": 0.4, "act": 0.02, "noise": 0.02,
}  # fmt: skip
WEIGHTED = Bot(name="frozen", description="weights of its own", weights=WEIGHTS)
CHANCE = Bot(name="chance", description="none", style="random")

# Wins of both sides, points of both sides, decisions, and a digest of every outcome byte.
TOTALS = {
    1: (
        (49, 151, 646, 958, 29326, "25909f68f5ed"),
        (0, 200, 13, 1084, 20450, "55f39325edaa"),
        (47, 103, 646, 807, 191420, "09e6776a6649"),
    )
}


def totals(*bots: Bot) -> tuple[int | str, ...]:
    """What a frozen contest adds up to."""
    starters = frozen_match()
    match = Match(starters.bundle, starters.crews, starters.decks, bots)
    tally, outcomes = empty(), np.zeros((2 * KEYS, 2), np.uint8)
    play_block(match.tables, match.sides, 2026, 0, KEYS, tally, outcomes, np.zeros((0, LOG_WIDTH), np.int64))
    t = tally[0]
    return (
        *map(int, t["wins"]),
        *map(int, t["points"].sum(axis=1)),
        int(t["decisions"].sum()),
        hashlib.sha256(outcomes.tobytes()).hexdigest()[:12],
    )


def test_every_weight_is_given():
    assert list(WEIGHTS) == list(FEATURES)


def test_outcomes_move_only_with_the_version():
    assert (totals(WEIGHTED, WEIGHTED), totals(CHANCE, WEIGHTED), totals(CHANCE, CHANCE)) == TOTALS[BEHAVIOUR_VERSION]
