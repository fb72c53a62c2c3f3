"""``BEHAVIOUR_VERSION`` of tricks moves when games come out otherwise, and only then: totals of frozen contests for each version.

When this fails and the change of outcomes is meant: raise the version in ``engine/version.py``, put the new totals here, and say
why in CHANGELOG.md. When it is not meant, something is broken.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from bhsim.games.tricks import files
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.driver import Match
from bhsim.games.tricks.engine.block import play_block
from bhsim.games.tricks.engine.version import BEHAVIOUR_VERSION
from bhsim.games.tricks.features import FEATURES
from bhsim.games.tricks.tally import empty

FROZEN = Path(__file__).parents[1] / "data" / "frozen" / "tricks"
KEYS = 24
# Every weight is given, so that new defaults of features.py move nothing here.
WEIGHTS = {
    "shed": 1.0, "card": 0.3, "hurry": 1.0, "out": 2.0, "strong": 0.5, "joker": 2.0, "split": 0.3, "win": 1.0, "lead": 0.5, "hat": 3.0,
    "wait": 1.0, "take": 1.0, "underbid": 0.5, "value": 1.0, "ahead": 1.0, "foresight": 0.6, "step": 0.3, "trap": 1.0, "harm": 0.5,
    "snare": 1.0, "rival": 0.5, "finish": 8.0, "special": 0.5, "draw": 1.0, "noise": 0.02,
}  # fmt: skip
WEIGHTED = Bot(name="frozen", description="weights of its own", weights=WEIGHTS)
CHANCE = Bot(name="chance", description="none", style="random")
TABLES = ((WEIGHTED,) * 4, (CHANCE, WEIGHTED, CHANCE), (CHANCE,) * 6)

# Shares of side 0 in 60ths, points from hands and from spaces, rounds, decisions, and a digest of every outcome byte.
TOTALS = {
    1: (
        (1440, 8768, 8744, 432, 21844, "efe46b704df0"),
        (360, 5462, 3529, 244, 7795, "1a7c6edb980a"),
        (1440, 17004, 19356, 558, 25200, "31a4c8a87e9f"),
    )
}


def totals(bots: tuple[Bot, ...]) -> tuple[int | str, ...]:
    """What a frozen contest adds up to."""
    bundle = files.load_bundle(*(str(FROZEN / f"{kind}.toml") for kind in ("deck", "board", "rules")))
    match = Match(bundle, bots)
    tally, outcomes = empty(), np.zeros((match.players * KEYS, 2), np.uint8)
    play_block(match.tables, match.sides, 2026, 0, KEYS, tally, outcomes)
    t = tally[0]
    return (
        int(t["shares"][0]),
        *map(int, t["points"].sum(axis=0)),
        int(t["rounds_sum"]),
        int(t["decisions"].sum()),
        hashlib.sha256(outcomes.tobytes()).hexdigest()[:12],
    )


def test_every_weight_is_given():
    assert list(WEIGHTS) == list(FEATURES)


def test_outcomes_move_only_with_the_version():
    assert tuple(map(totals, TABLES)) == TOTALS[BEHAVIOUR_VERSION]
