"""Conditions on games: and, or and parentheses; where they mean nothing, that is said."""

import itertools

import pytest

from bhsim.errors import BadInput
from bhsim.games.conditions import DEEPEST, conditions

WORDS = {"winner": ("a", "b")}


class Game(dict):
    """Numbers by their names, and who won."""

    winner = "b"


def read(text):
    return conditions(text, WORDS, lambda name: lambda game: game[name])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1 and y = 1 and z = 1", lambda x, y, z: x and y and z),
        ("x = 1 or y = 1 or z = 1", lambda x, y, z: x or y or z),
        ("x = 1 or y = 1 and z = 1", lambda x, y, z: x or (y and z)),
        ("x = 1 and y = 1 or z = 1", lambda x, y, z: (x and y) or z),
        ("(x = 1 or y = 1) and z = 1", lambda x, y, z: (x or y) and z),
        ("x=1 and(y>0 or((z=1)and x!=0))", lambda x, y, z: x and (y or (z and x))),
        ("(x = 0 or y = 0) and (y = 1 or z = 1)", lambda x, y, z: (not x or not y) and (y or z)),
        ("(winner = a or x = 1) and winner = b", lambda x, y, z: x),
        ("(" * DEEPEST + "x = 1" + ")" * DEEPEST, lambda x, y, z: x),
    ],
)
def test_truth(text, expected):
    found = read(text)
    for x, y, z in itertools.product((0, 1), repeat=3):
        assert found.holds(Game(x=x, y=y, z=z)) == bool(expected(x, y, z)), (x, y, z)


def test_all_conditions_in_the_order_written():
    found = read("c > 1 and (b < 2 or (a >= 3)) or winner != a and c = 4")
    assert [(one.field, one.compare, one.value) for one in found] == [
        ("c", ">", 1), ("b", "<", 2), ("a", ">=", 3), ("winner", "!=", "a"), ("c", "=", 4),
    ]  # fmt: skip


def test_names_may_hold_the_words():
    assert [one.field for one in read("band > 1 and cards.or_and.played > 2 or or.x = 3")] == ["band", "cards.or_and.played", "or.x"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is no condition"),
        ("x", "'x' is no condition"),
        ("x = 1 and", "'and' is followed by no condition"),
        ("x = 1 or and y = 1", "'or' is followed by no condition"),
        ("or x = 1", "'or' is no condition"),
        ("(x = 1 and) y = 1", "'and' is followed by no condition"),
        ("x = 1 and ()", "'(' is followed by no condition"),
        ("(x = 1 or (y = 1)", "a ( is not closed"),
        ("x = 1) and y = 1", "a ) closes nothing"),
        ("(x = 1) y = 1", "'and' or 'or' is missing before 'y = 1'"),
        ("x = 1 (y = 1)", "'and' or 'or' is missing before '('"),
        ("(x = 1 (y = 1))", "'and' or 'or' is missing before '('"),
        ("x = 1 AND y = 1", "'x = 1 AND y = 1' is no condition"),
        ("x = 1 or winner = c", "winner is a word, got 'winner = c' (allowed: = or != a, b)"),
        ("x = 1 or (y = many)", "y is compared with a number, got 'many'"),
        ("(" * (DEEPEST + 1) + "x = 1" + ")" * (DEEPEST + 1), f"too many parentheses inside each other (allowed: at most {DEEPEST})"),
        ("(" * 50_000, "too many parentheses"),
    ],
)
def test_what_means_nothing(text, said):
    with pytest.raises(BadInput) as caught:
        read(text)
    (fault,) = caught.value.faults
    assert str(fault).startswith(f"--where: {said}")
