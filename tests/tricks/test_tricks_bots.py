"""Bots of tricks: they read only what their player may see, decide legally and quickly what their weights say, and beat chance."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from tricks_kit import bundle, cards

from bhsim.errors import BadInput
from bhsim.games.game import WHOLE
from bhsim.games.tricks import actions as act
from bhsim.games.tricks import files, fuzz
from bhsim.games.tricks.bots import Bot
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.engine import block, play
from bhsim.games.tricks.features import FEATURES
from bhsim.games.tricks.places import names
from bhsim.games.tricks.tables import N_WEIGHTS
from bhsim.games.tricks.tally import empty

HEURISTIC = ("shark", "shedder", "sprinter", "lurker", "trapper")
NOTHING = dict.fromkeys(FEATURES, 0.0)


def bot_with(**weights: float) -> Bot:
    """A bot to which only these things are worth anything."""
    return Bot(name="made up", description="none", weights={**NOTHING, **weights})


class Placed(KernelGame):
    """A first round with hands and pawns laid out, seat 0 leading."""

    def __init__(self, match: Match, hands: tuple[str, ...], pawns: dict[int, str] | None = None) -> None:
        self._hands, self._pawns = hands, pawns or {}
        super().__init__(match, 1, 0)

    def _begin(self) -> None:
        S = self._S
        play.begin(self._T, self.players, S, self._W, np.uint64(1), 0)
        for seat, words in enumerate(self._hands):
            S.hand[seat] = [cards(words)[card] for card in range(act.HAT + 1)]
            S.n_hand[seat] = S.hand[seat].sum()
        S.leader = 0
        ids = list(self.match.bundle.board.spaces)
        for pawn, space in self._pawns.items():
            S.pawn[pawn] = ids.index(space)
        play.resume(self._T, S, self._W)


def chosen(hands: tuple[str, ...], *lines: str, pawns: dict[int, str] | None = None, before: tuple[int, ...] = (), **weights: float) -> int:
    """What a bot decides after these decisions."""
    made = bundle(*lines, rules={"hand_size": 1})
    game = Placed(Match(made, (bot_with(**weights),) * len(hands)), hands, pawns)
    for action in before:
        assert action in game.legal()
        game.apply(action)
    return game.bot_decision()


def a_set(rank: int, naturals: int, jokers: int = 0, hat: int = 0) -> int:
    return act.encode(act.PLAY, rank, act.composition(naturals, jokers, hat))


LONE = "one: start 0 > low high", "two: start 0 > end", "low: -3 > end", "high: 5 > end", "pit: trap 4 > end", "end: critical_assets 0"


def test_shedding_plays_what_costs_most():
    assert chosen(("2 5 9", "1 1 1"), shed=1.0) == a_set(9, 1)
    assert chosen(("2 2 2 9", "1 1 1"), card=1.0) == a_set(2, 3)


def test_jokers_strong_cards_and_sets_are_kept():
    assert chosen(("4 J", "1 1"), card=0.1, joker=1.0) == a_set(4, 1)
    assert chosen(("3 12", "1 1"), strong=1.0) == a_set(3, 1)
    assert chosen(("3 3 12", "1 1"), split=1.0, shed=0.01) == a_set(12, 1)


def test_winning_is_wanted_for_the_lead_and_shunned_when_it_harms():
    hands = ("5 13", "4 4")
    assert chosen(hands, win=1.0, lead=1.0) == a_set(13, 1)
    assert chosen(hands, win=1.0, lead=-1.0) == a_set(5, 1)


def test_the_last_player_knows_whether_a_set_wins():
    """Nobody is to follow, so the cheapest winner is as good as the dearest."""
    before = (a_set(6, 1),)
    assert chosen(("2 6", "7 12 13"), before=before, win=1.0, lead=1.0, strong=0.1) == a_set(7, 1)


def test_the_black_hat_goes_into_a_high_set_that_does_not_win():
    hands = ("2 12 H", "3 3 3", "4 4 4")
    assert chosen(hands, hat=1.0, underbid=1.0) == a_set(12, 1, hat=1)
    assert chosen(hands, hat=1.0, underbid=1.0, wait=9.0) in (a_set(2, 1), a_set(12, 1))


def test_moves_go_to_low_spaces_and_away_from_traps():
    hands = ("13 13", "1 1")
    before = (a_set(13, 2),)
    lines = ("one: start 0 > low pit", "two: start 0 > high pit", *LONE[2:])
    ids = [line.split(":")[0] for line in lines]
    move = lambda pawn, space: act.encode(act.MOVE, pawn, ids.index(space))  # noqa: E731
    assert chosen(hands, *lines, before=before, value=1.0) == move(0, "low")
    assert chosen(hands, *lines, before=before, value=-1.0) == move(1, "high")
    assert chosen(hands, *lines, before=before, trap=-5.0) in (move(0, "pit"), move(1, "pit"))
    assert chosen(hands, *lines, before=before, step=1.0, trap=5.0) in (move(0, "low"), move(1, "high"))


def test_rivals_on_negative_spaces_are_pushed_into_traps():
    lines = ("one: start 0 > low pit", "two: start 0 > high pit", "low: -3 > pit end", *LONE[3:])
    ids = [line.split(":")[0] for line in lines]
    asked = {"pawns": {2: "low"}, "before": (a_set(13, 2),)}
    assert chosen(("13 13", "1 1"), *lines, **asked, snare=1.0) == act.encode(act.MOVE, 2, ids.index("pit"))
    assert chosen(("13 13", "1 1"), *lines, **asked, harm=1.0) == act.encode(act.MOVE, 2, ids.index("pit"))
    assert chosen(("13 13", "1 1"), *lines, **asked, harm=-1.0) >> 24 == act.MOVE


def test_the_game_is_ended_by_who_is_ahead():
    lines = ("one: start 0 > low end", "two: start 0 > low", "low: 0 > end", "end: critical_assets 0")
    end = act.encode(act.MOVE, 0, 3)
    before = (a_set(13, 2), act.encode(act.DISCARD, 0, 12))
    assert chosen(("13 13 1", "1 12 12"), *lines, before=before, finish=1.0) == end
    assert chosen(("13 13 12 12", "1 12 12"), *lines, before=before, finish=1.0) != end


@pytest.mark.parametrize("style", HEURISTIC)
def test_no_bot_sees_hidden_cards(style):
    """Whatever is in the other hands and in the pile, as long as their sizes and the Black Hat's place are the same."""
    bot, rng, hidden = files.read_bot(style), random.Random(style), 0
    for seed in range(25):
        made, players = fuzz.random_case(seed + 300)
        game = KernelGame(Match(made, (bot,) * players), 3, seed)
        while not game.over:
            twin = game.copy()
            hidden += reshuffle(twin, rng)
            action = game.bot_decision()
            assert twin.bot_decision() == action
            game.apply(action)
    assert hidden > 250


def reshuffle(game: KernelGame, rng: random.Random) -> bool:
    """Deals what the seat to decide cannot see anew; whether that changed a hand."""
    S, me = game._S, game.seat
    others = [seat for seat in range(game.players) if seat != me]
    before = S.hand.copy()
    unseen = [card for seat in others for card in range(act.HAT) for _ in range(int(S.hand[seat, card]))]
    unseen += S.pile[: int(S.n_pile)].tolist()
    rng.shuffle(unseen)
    for seat in others:
        count = int(S.hand[seat, : act.HAT].sum())
        S.hand[seat, : act.HAT] = np.bincount([unseen.pop() for _ in range(count)] or [], minlength=act.HAT)
    S.pile[: int(S.n_pile)] = unseen
    return bool((before != S.hand).any())


def test_what_a_bot_counts_as_unseen_is_what_it_cannot_see():
    """Card by card: the other hands and the pile, whatever was taken up or is out of the round."""
    bot, checked = files.read_bot("shark"), 0
    for seed in range(20):
        made, players = fuzz.random_case(seed + 700)
        game = KernelGame(Match(made, (bot,) * players), 3, seed)
        while not game.over:
            action, S, me = game.bot_decision(), game._S, game.seat
            if action >> 24 in (act.PLAY, act.DISCARD):
                hidden = (
                    np.bincount(S.pile[: int(S.n_pile)], minlength=act.HAT)
                    + S.hand[:players, : act.HAT].sum(axis=0)
                    - S.hand[me, : act.HAT]
                )
                assert game._W.unseen[: act.HAT].tolist() == hidden.tolist() and int(game._W.n_unseen) == hidden.sum()
                checked += 1
            game.apply(action)
    assert checked > 200


def test_the_bots_that_ship_are_those_of_the_design():
    assert set(names("bot")) == {"random", *HEURISTIC}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEURISTIC)
def test_every_bot_beats_three_random_ones(name):
    """Fair would be a quarter; 0.40 is asked for."""
    assert share(name, "random", "random", "random") > 0.40


@pytest.mark.slow
@pytest.mark.parametrize(
    "others", [("shedder", "sprinter", "lurker"), ("trapper", "lurker", "sprinter"), ("lurker",) * 3, ("sprinter",) * 3]
)
def test_shark_has_its_fair_share(others):
    assert share("shark", *others) >= 0.25


def share(*bots: str, keys: int = 300) -> float:
    match = Match(files.load_bundle(), tuple(files.read_bot(name) for name in bots))
    tally = empty()
    block.play_block(match.tables, match.sides, 99, 0, keys, tally, np.zeros((keys * len(bots), 2), np.uint8))
    return int(tally["shares"][0, 0]) / (WHOLE * int(tally["games"][0]))


def test_weights_have_defaults_and_unknown_ones_are_refused():
    bot = Bot(name="x", description="y", weights={"shed": 2.5})
    assert bot.named() == {**{name: feature.default for name, feature in FEATURES.items()}, "shed": 2.5}
    assert bot.vector().shape == (N_WEIGHTS,) and bot.vector()[list(FEATURES).index("shed")] == 2.5
    with pytest.raises(ValueError, match="unknown weight"):
        Bot(name="x", description="y", weights={"speed": 1.0})
    with pytest.raises(ValueError, match="random bot"):
        Bot(name="x", description="y", style="random", weights={"shed": 1.0})


def test_a_bot_file_with_an_unknown_weight_is_bad_input(tmp_path):
    file = tmp_path / "odd.toml"
    file.write_text('name = "odd"\ndescription = "none"\n[weights]\nspeed = 1.0\nshet = 2.0\n')
    with pytest.raises(BadInput, match=r"toml:4: weights\.speed: unknown weight") as caught:
        files.read_bot(file)
    assert "toml:5: weights.shet: unknown weight; did you mean 'shed'" in str(caught.value)


def test_the_page_lists_every_weight_and_every_bot():
    page = (Path(__file__).parents[2] / "docs" / "tricks-bots.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| ([-\d.]+) \| (.*) \|$", page, re.M)
    assert listed == [(name, f"{feature.default:g}", feature.meaning) for name, feature in FEATURES.items()]
    for name in ("random", *HEURISTIC):
        assert f"| `{name}` | {files.read_bot(name).description.removesuffix('; the default')}" in page or name == "shark"


def test_the_defaults_are_those_of_the_shark():
    assert files.read_bot("shark").weights == {name: feature.default for name, feature in FEATURES.items()}
