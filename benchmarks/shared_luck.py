"""How many games common luck saves when two variants of one number are compared.

    python benchmarks/shared_luck.py                       # eight variants: the last runner and rig of each crew, each number raised by one
    python benchmarks/shared_luck.py --all --games 4000    # every number of every runner and rig in play, one up and one down

Both data sets meet the same keys in exchanged seats. Saving: games that independent games, each with luck of its own, would need for one
game here, for an interval of the difference of the same width: (Var A + Var B) of single games / 2 Var(A - B) of keys. The column "of the
keys" leaves out what exchanged seats save by themselves.
"""

from __future__ import annotations

import argparse

import numpy as np

from bhsim.games.game import WHOLE, Options, SideNames, shares
from bhsim.games.skirmish.bundle import paths as all_paths
from bhsim.games.skirmish.game import GAME
from bhsim.lab.contest import build
from bhsim.lab.results import engine_label
from bhsim.lab.runs import play_units, units_of
from bhsim.stats.paired import paired_difference

CREWS = ("purple", "green")


def raised(places: tuple[int, ...], steps: tuple[int, ...]) -> list[str]:
    """``PATH=VALUE`` for the attack of each runner and the numbers of each rig at these places of both crews, changed by each step."""
    bundle = GAME.load(Options())
    crews = [GAME.side(bundle, SideNames(crew), number).crew_model for number, crew in enumerate(CREWS)]
    found = []
    for place in places:
        for member in (crew.members[place] for crew in crews):
            paths = [f"runners.{member.runner}.attack", *(f"rigs.{member.rig}.{name}" for name in ("signal", "security", "speed"))]
            values = dict(all_paths(bundle))
            found += [f"{path}={values[path] + step}" for path in paths for step in steps if values[path] + step >= 0]
    return found


def scores(sets: tuple[str, ...], games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The first side's score in every game and in every key (mean), 0..1."""
    contest = build(GAME, Options(sets=sets), [SideNames(c) for c in CREWS], games)
    parts = [shares(u.outcomes[:, 0], 2)[:, 0] for u in play_units(units_of([contest]), seed)]
    single = np.concatenate(parts) / WHOLE
    return single, single.reshape(-1, 2).mean(axis=1)


def main() -> None:
    """Plays the base and every variant and prints one row each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    variants = raised((0, 1, 2, 3), (-1, 1)) if asked.all else raised((3,), (1,))
    base_games, base = scores((), asked.games, asked.seed)
    print(f"{' against '.join(CREWS)}, {asked.games:,} games each, seed {asked.seed}, engine {engine_label(GAME)}, house values\n")
    print("| variant | change in points | saving | of the keys |\n|---|--:|--:|--:|")
    savings, of_keys = [], []
    for variant in variants:
        games, keys = scores((variant,), asked.games, asked.seed)
        gap = paired_difference(keys, base)
        savings.append((games.var() + base_games.var()) / (2 * gap.se**2 * gap.keys))
        of_keys.append(1 / gap.saving)
        change = f"{100 * gap.mean:+.2f} [{100 * gap.low:+.2f}, {100 * gap.high:+.2f}]"
        print(f"| {variant} | {change} | {savings[-1]:.2f} | {of_keys[-1]:.2f} |", flush=True)
    for name, values in (("saving", savings), ("of the keys", of_keys)):
        print(f"\n{name}: median {np.median(values):.2f}, smallest {min(values):.2f}, largest {max(values):.2f}")


if __name__ == "__main__":
    main()
