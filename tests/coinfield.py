"""Coins as a field of crews: a crew is a bias in percent, and what can be drawn, searched and counted is that bias.

Its two digits are the items of the parts "tens" and "ones", so that use can be counted.
"""

from __future__ import annotations

import sys

from coinflip import CoinFlip, Coins

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Side, register

CREWS = ("40", "45", "50")


def crew(bias):
    text = f"{bias:02d}"
    return Side(text, "one coin", "thumb", text)


class CoinSpace:
    """Biases from 20 up to ``top``."""

    limit = 99

    def __init__(self, top, start=None):
        self.top, self.start = top, start or crew(40)

    def key(self, side):
        return f"bias {side.crew}"

    def parts_of(self, side):
        return {"coin": {"bias": int(side.crew)}}

    def every(self, most):
        return None

    def sample(self, rng):
        return crew(int(rng.integers(20, self.top + 1)))

    def neighbour(self, side, rng):
        return crew(min(self.top, max(20, int(side.crew) + int(rng.choice([-3, -2, -1, 1, 2, 3])))))

    def cross(self, one, other, rng):
        return crew((int(one.crew) + int(other.crew)) // 2)

    def repair(self, side, rng):
        return side

    def named(self, side, name):
        return side

    def files(self, side, how):
        return {f"sampled_{int(side.crew)}.toml": "".join(f"# {line}\n" for line in how.split("\n")) + f'bias = "{side.crew}"\n'}


class CoinBuilds:
    parts = ("tens", "ones")
    played = "tens"
    changeable = ("crew",)

    def items(self, bundle, side, part):
        return {digit: int(side.crew[-2:][part == "ones"] == digit) for digit in "0123456789"}

    def space(self, bundle, start, freedom):
        if freedom.fix:
            raise BadInput(Fault("coins have nothing to fix", field="fix", value=freedom.fix[0]))
        return CoinSpace(60, start)


class CoinField(CoinFlip):
    name = "coinfield"
    builds = CoinBuilds()

    def names(self, kind):
        return list(CREWS) if kind == "crew" else []

    def has(self, kind, name):
        return kind == "crew" and name.endswith(".toml")


GAME, BUNDLE = CoinField(), Coins()
register(GAME)

if __name__ == "__main__":  # the command line with this game known
    from bhsim.__main__ import main

    sys.argv[0] = "bhsim"
    main()
