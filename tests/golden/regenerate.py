"""Writes the golden event logs anew: ``python tests/golden/regenerate.py``, from the top of the repository.

A golden game is a list of decisions (NAME.json) on the frozen card set and the log that the engine writes for them
(NAME.jsonl). The decisions stay as they are unless ``--choose`` draws new ones, so a log changes only when the engine does:
look at every line of the difference before it is committed.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

from frozen_kit import frozen_match  # noqa: E402

from bhsim.games.replay import to_jsonl  # noqa: E402
from bhsim.games.skirmish import eventlog, fuzz  # noqa: E402
from bhsim.games.skirmish.driver import KernelGame  # noqa: E402

SEED = 2098
RANDOM = ("random", "random")
# name -> index of the game, bots that once chose the decisions, changed rules
GAMES = {
    "standard_first": (0, RANDOM, []),
    "standard_second": (1, RANDOM, []),
    "short_with_kept_data": (
        2,
        RANDOM,
        ['rules.data_on_disconnect="kept"', 'rules.flip_timing="each"', "rules.heal_on_refresh=true", "rules.points_to_win=3"],
    ),
    "late_refill_single_group": (
        3,
        RANDOM,
        ['rules.refill="when_needed"', 'rules.connected_hack="single_group"', 'rules.hack_states="each"', "rules.max_rounds=5"],
    ),
    "bots_first": (4, ("racer", "brawler"), []),
    "bots_second": (5, ("fixer", "racer"), []),
}


def chosen(name: str) -> list[int]:
    """Decisions to the end of the game: the bots', or at random."""
    index, bots, sets = GAMES[name]
    game, rng = KernelGame(frozen_match(bots, sets), SEED, index), random.Random(name)
    taken = []
    while not game.over:
        taken.append(fuzz.random_choice(rng, sorted(game.legal())) if bots == RANDOM else game.bot_decision())
        game.apply(taken[-1])
    return taken


def log_of(name: str, decisions: list[int]) -> list[dict]:
    """What the kernel tells about these decisions. Each must be legal."""
    index, bots, sets = GAMES[name]
    game = KernelGame(frozen_match(bots, sets), SEED, index, logged=True)
    for number, action in enumerate(decisions):
        if action not in game.legal():
            raise ValueError(f"{name}: decision {number} is no longer legal")
        game.apply(action)
    return eventlog.events_of(game)


def main() -> None:
    for name in GAMES:
        file = HERE / f"{name}.json"
        if "--choose" in sys.argv or not file.exists():
            file.write_text(json.dumps(chosen(name)) + "\n", encoding="utf-8")
        decisions = json.loads(file.read_text(encoding="utf-8"))
        (HERE / f"{name}.jsonl").write_text(to_jsonl(log_of(name, decisions)), encoding="utf-8")


if __name__ == "__main__":
    main()
