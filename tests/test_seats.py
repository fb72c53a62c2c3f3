"""Who sits at the table, from what users name; and which game the names are of."""

import coinflip
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames, find
from bhsim.games.seats import Seating, game_of_names

TRICKS, SKIRMISH = find("tricks"), find("skirmish")


def bots(seating, game=TRICKS):
    return [side.bot for side in seating.sides(game)]


def test_the_usual_table_is_repeated_or_cut():
    usual = ["shark", "shedder", "lurker", "trapper"]
    assert bots(Seating()) == usual
    assert bots(Seating(players=3)) == usual[:3]
    assert bots(Seating(players=6)) == [*usual, *usual[:2]]


def test_bots_say_how_many_sit_down_but_one_alone_sits_everywhere():
    assert bots(Seating(bots=("random", "shark", "lurker"))) == ["random", "shark", "lurker"]
    assert bots(Seating(bots=("random",))) == ["random"] * 4
    assert bots(Seating(players=5, bots=("random", "shark"))) == ["random", "shark", "random", "shark", "random"]
    assert bots(Seating(players=2, bots=("random", "shark", "lurker"))) == ["random", "shark"]
    assert bots(Seating(own_bots=(None, "random"))) == ["shark", "random", "lurker", "trapper"]


def test_what_is_said_of_one_side_comes_before_what_is_said_of_all():
    seating = Seating(("purple", "green"), deck="starter", bots=("racer",), decks=(None, "aggro"), own_bots=("warden", None))
    assert seating.sides(SKIRMISH) == [SideNames("purple", "starter", "warden"), SideNames("green", "aggro", "racer")]
    assert seating.table_deck(SKIRMISH) is None


def test_a_deck_that_the_table_shares_is_no_side_s():
    assert Seating(deck="lean").table_deck(TRICKS) == "lean"
    assert {side.deck for side in Seating(deck="lean").sides(TRICKS)} == {None}
    with pytest.raises(BadInput, match="share one deck"):
        Seating(decks=("lean", None)).sides(TRICKS)


@pytest.mark.parametrize(
    ("seating", "game", "said"),
    [
        (Seating(players=7), TRICKS, r"players: tricks has no table of this size, got 7 \(allowed: 2 to 6\)"),
        (Seating(players=0), TRICKS, "players: .*got 0"),
        (Seating(players=3), SKIRMISH, r"players: .*got 3 \(allowed: 2\)"),
        (Seating(("purple",)), SKIRMISH, r"crews: .*got 1 \(allowed: 2\)"),
        (Seating(("a", "b", "c")), coinflip.GAME, "crews: .*got 3"),
        (Seating(("a", "b"), players=3), TRICKS, "not equally many, got 2"),
    ],
)
def test_tables_that_a_game_has_not(seating, game, said):
    with pytest.raises(BadInput, match=said):
        seating.sides(game)


def test_words_are_the_options_that_were_given():
    seating = Seating(players=3, deck="lean", bots=("shark", "random"), own_bots=(None, "lurker"))
    given = [word for word in seating.words if word[1] is not None]
    assert given == [("--players", 3), ("--deck", "lean"), ("--bots", "shark,random"), ("--bot-b", "lurker")]


def test_the_game_follows_from_names_and_files(tmp_path, monkeypatch):
    named = {
        "skirmish": [
            (Seating(), {}), (Seating(("purple", "green")), {}), (Seating(bots=("random",)), {}), (Seating(players=2), {}),
            (Seating(bots=("nobody",)), {}), (Seating(("purple", "green"), deck="starter"), {}), (Seating(), {"board": "house"}),
        ],
        "tricks": [
            (Seating(bots=("shark",)), {}), (Seating(deck="base"), {}), (Seating(players=4), {}), (Seating(), {"board": "backdoor"}),
            (Seating(deck=str(tmp_path / "mine.toml")), {}),
        ],
    }  # fmt: skip
    (tmp_path / "mine.toml").write_text("penalties = [1]\n")
    for game, cases in named.items():
        for seating, files in cases:
            assert game_of_names(seating, Options(**files)) == game, (seating, files)
