"""Designs of a sweep: which points are played, and what a spec may not ask for."""

import numpy as np
import pytest
from coinflip import GAME

from bhsim.errors import BadInput
from bhsim.lab.design import points_of
from bhsim.lab.sweep import check_spec, contests_of, parse_spec

BASE = {"name": "coins", "game": "coinflip", "games": 20, "crew": "60", "opponents": ["40", "50"]}
EDGE = {"path": "edge", "range": [0, 9]}
DRAW = {"path": "draw", "range": [0, 3]}
REAL = {"path": "edge", "range": [0.0, 1.0]}


def points(**change):
    return points_of(parse_spec({**BASE, **change}))


def test_zip_runs_its_axes_together():
    axes = [{"path": "edge", "values": [0, 10, 20]}, {"path": "draw", "range": [0, 4], "step": 2}]
    assert points(design="zip", axes=axes) == [(0, 0), (10, 2), (20, 4)]
    contests = contests_of(parse_spec({**BASE, "design": "zip", "axes": axes}), GAME)
    assert [c.setting for c in contests[3:5]] == [
        {"opponent": "50", "edge": "0", "draw": "0"}, {"opponent": "50", "edge": "10", "draw": "2"},
    ]  # fmt: skip


def test_grid_of_ranges_in_steps():
    assert points(axes=[{"path": "edge", "range": [1, 6], "step": 2}]) == [(1,), (3,), (5,)]
    assert points(axes=[{"path": "edge", "range": [0.1, 0.4], "step": 0.1}]) == [(0.1,), (0.2,), (0.3,), (0.4,)]


@pytest.mark.parametrize("design", ["random", "latin", "sobol"])
def test_drawn_points_lie_in_their_ranges_and_repeat_themselves(design):
    found = points(design=design, points=32, axes=[EDGE, REAL | {"name": "real"}, {"crew": ["60", "70"]}])
    assert all(type(edge) is int and 0 <= edge <= 9 and 0 <= real <= 1 and crew in ("60", "70") for edge, real, crew in found)
    assert len({edge for edge, _, _ in found}) >= 7
    again = points(design=design, points=32, axes=[EDGE, REAL | {"name": "real"}, {"crew": ["60", "70"]}])
    assert found == again
    other = points(design=design, points=32, design_seed=2, axes=[EDGE, REAL | {"name": "real"}, {"crew": ["60", "70"]}])
    assert found != other
    assert points(design=design, points=32, seed=2, axes=[EDGE, REAL | {"name": "real"}, {"crew": ["60", "70"]}]) == other


def test_latin_hypercube_meets_every_layer_once_and_sobol_every_quarter():
    latin = np.array(points(design="latin", points=10, axes=[EDGE, REAL | {"name": "real"}]))
    assert sorted(latin[:, 0]) == list(range(10))
    assert sorted((latin[:, 1] * 10).astype(int)) == list(range(10))
    sobol = np.array(points(design="sobol", points=16, axes=[REAL, REAL | {"name": "real"}]))
    assert set(np.bincount((sobol[:, 0] * 4).astype(int) * 4 + (sobol[:, 1] * 4).astype(int), minlength=16)) == {1}


def test_equal_points_are_played_once():
    found = points(design="random", points=40, axes=[EDGE, DRAW])
    assert len(set(found)) == len(found) < 40
    assert len(contests_of(parse_spec({**BASE, "design": "random", "points": 40, "axes": [EDGE, DRAW]}), GAME)) == 2 * len(found)


def test_all_against_all_meets_each_pair_once_with_every_bot():
    spec = {"name": "c", "game": "coinflip", "games": 20, "crews": ["60", {"crew": "50", "deck": "two"}, "40"], "panel": ["thumb", "toe"]}
    contests = contests_of(parse_spec(spec), GAME)
    assert [tuple(c.setting.values()) for c in contests] == [
        (a, b, bot) for a, b in (("60", "50 / two"), ("60", "40"), ("50 / two", "40")) for bot in ("thumb", "toe")
    ]
    assert [s.bot for s in contests[1].sides] == ["toe", "toe"]
    assert contests[0].sides[1].deck == "two"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('design = "zip"\n[[axes]]\npath="edge"\nvalues=[1,2]\n[[axes]]\npath="draw"\nvalues=[1]', r":6: axes: .*same number.*got 2, 1"),
        ('design = "random"\n[[axes]]\npath="edge"\nrange=[1,2]', "points: is missing; a design of random needs it"),
        ('design = "random"\npoints = 3\n[[axes]]\npath="edge"\nrange=[1,2]', r":6: points: 3 are more than there are .*at most 2"),
        ("points = 3", r":5: points: only with a design of random, latin, sobol"),
        ('design = "latin"\npoints = 3', "axes: is missing"),
        ('design = "spiral"', r":5: design: unknown word.*allowed: grid, zip, random, latin, sobol"),
        ('[[axes]]\npath="edge"\nrange=[1,2]', r"axes\.0\.step: a range needs it in a design of grid"),
        ('[[axes]]\npath="edge"\nrange=[2,1]\nstep=1', r":7: axes\.0\.range: 2 to 1 is none"),
        ('[[axes]]\npath="edge"\nrange=[1,2]\nstep=0', r":8: axes\.0\.step: 0 does not divide"),
        ('[[axes]]\npath="edge"\nvalues=[1,2]\nstep=1', r":8: axes\.0\.step: only with range"),
        ('[[axes]]\nbot=["x"]\nrange=[1,2]', "values: either this or range"),
        ('[[axes]]\npath="edge"\nvalues=[1]\nrange=[1,2]\nstep=1', "values: either this or range"),
        ('[[axes]]\nname="opponent"\npath="edge"\nvalues=[1]', r":6: axes\.0\.name: 'opponent' is what the match-up"),
        ('base = { egde = "1" }\n[[axes]]\npath="edge"\nvalues=[1]', r":5: base: no axis is called 'egde'; did you mean 'edge'"),
        ('base = { edge = 3 }\n[[axes]]\npath="edge"\nvalues=[1,2]', r":5: base: 'edge' has no such value, got 3 \(allowed: 1, 2\)"),
        ('crews = ["1", "2"]', r":4: opponents: not with crews"),
        ('bot = "x"\npanel = ["y"]', r":6: panel: chooses the bots"),
        ('panel = ["y", "Y"]', r":5: panel: Y stands twice"),
        ("precision = 1.0", r":5: precision: says how many games"),
        ("max_games = 1", r":5: max_games: only with precision"),
        ("[limits]\ncell = [60, 50]", r":6: limits\.cell: the lower limit stands first"),
        ("[limits]\ncell = [60]", r":6: limits\.cell: has 1 entries"),
        ("[limits]\ndifference = -1", r":6: limits\.difference: is out of range"),
    ],
)
def test_faults_name_line_and_field(tmp_path, lines, message):
    path = tmp_path / "s.toml"
    path.write_text(f'name = "x"\ngame = "coinflip"\ngames = 20\nopponents = ["40"]\n{lines}\n')
    with pytest.raises(BadInput, match=message) as caught:
        check_spec(path)
    assert len(caught.value.faults) == 1


def test_no_match_up_at_all():
    with pytest.raises(BadInput, match="opponents: is missing; either this or crews"):
        parse_spec({"name": "x", "crew": "60"})
