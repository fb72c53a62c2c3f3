"""The bots: they beat chance, see nothing hidden, always decide something legal, and value made-up cards."""

from __future__ import annotations

import numpy as np
import pytest

from bhsim.games.skirmish import files, fuzz
from bhsim.games.skirmish.bots import Bot
from bhsim.games.skirmish.engine import block, play
from bhsim.games.skirmish.engine import state as st
from bhsim.games.skirmish.engine.events import LOG_WIDTH
from bhsim.games.skirmish.features import FEATURES
from bhsim.games.skirmish.tables import SIDE, compile_side, compile_tables
from bhsim.games.skirmish.tally import empty

HEURISTIC = ("racer", "brawler", "weaver", "warden", "fixer")
NO_LOG = np.zeros((0, LOG_WIDTH), np.int64)
ROOT = np.uint64(1)


class Match:
    """Two sides ready to play, and one game of it that a test walks through."""

    def __init__(self, cardset, board, rules, crews, decks, bots) -> None:
        self.tables = compile_tables(cardset, board, rules)
        self.sides = np.zeros(2, SIDE).view(np.recarray)
        for i, name in enumerate(bots):
            bot = files.read_bot(name)
            self.sides[i] = compile_side(cardset, crews[i], decks[i], int(bot.style == "weights"), bot.vector())[0]
        self.state, self.work = st.new_state(), st.new_work()

    @classmethod
    def of_starters(cls, *bots: str) -> Match:
        bundle = files.load_bundle()
        crews = [files.read_crew(name, bundle) for name in ("purple", "green")]
        return cls(bundle.cardset, bundle.board, bundle.rules, crews, [files.read_deck("starter", bundle)] * 2, bots)

    def start(self, key: int, game: int) -> None:
        block.wake_bots(self.work[0])
        play.start(self.tables[0], self.sides, self.state[0], self.work[0], NO_LOG, ROOT, key, game)

    def decision(self, game: int, state=None, work=None) -> int:
        state, work = self.state if state is None else state, self.work if work is None else work
        seat = int(state[0].who)
        return int(block.bot_decision(self.tables[0], self.sides[seat ^ game], state[0], work[0], seat))

    def play_keys(self, keys: int) -> np.ndarray:
        tally = empty()
        block.play_block(self.tables, self.sides, 1, 0, keys, tally, np.zeros((2 * keys, 2), np.uint8), NO_LOG)
        return tally[0]


@pytest.mark.parametrize("name", HEURISTIC)
def test_beats_random(name):
    tally = Match.of_starters(name, "random").play_keys(150)
    assert tally["wins"][0] >= 0.97 * tally["games"]


def permuted(state: np.recarray, seat: int, rng: np.random.Generator) -> np.recarray:
    """The same game with everything reordered that ``seat`` cannot see: its own deck, the enemy's hand and deck."""
    other = state.copy().view(np.recarray)
    S, enemy = other[0], 1 - seat
    S.deck[seat, : S.n_deck[seat]] = rng.permutation(S.deck[seat, : S.n_deck[seat]])
    hidden = np.concatenate([S.hand[enemy, : S.n_hand[enemy]], S.deck[enemy, : S.n_deck[enemy]]])
    hidden = rng.permutation(hidden)
    S.hand[enemy, : S.n_hand[enemy]] = hidden[: S.n_hand[enemy]]
    S.deck[enemy, : S.n_deck[enemy]] = hidden[S.n_hand[enemy] :]
    return other


@pytest.mark.parametrize("name", HEURISTIC)
def test_sees_nothing_hidden(name):
    match, rng, asked = Match.of_starters(name, name), np.random.default_rng(5), 0
    for key in range(6):
        match.start(key, key % 2)
        while not match.state[0].over:
            seat = int(match.state[0].who)
            works = [match.work.copy().view(np.recarray) for _ in range(3)]
            expected = match.decision(key % 2)
            for work in works:
                assert match.decision(key % 2, permuted(match.state, seat, rng), work) == expected
            asked += 1
            play.apply(match.tables[0], match.state[0], match.work[0], NO_LOG, expected)
    assert asked > 300


def test_deciding_changes_no_state():
    match = Match.of_starters("weaver", "fixer")
    match.start(3, 0)
    while not match.state[0].over:
        before = match.state.copy()
        action = match.decision(0)
        after = match.state.copy()
        for name in st.STATE.names:
            if name != "stack":  # above its top the stack is scratch
                assert np.array_equal(before[name], after[name]), name
        play.apply(match.tables[0], match.state[0], match.work[0], NO_LOG, action)


@pytest.mark.parametrize("seed", range(40))
def test_is_legal_on_any_card_set(seed):
    names = HEURISTIC[seed % 5], HEURISTIC[(seed + 2) % 5]
    match = Match(*fuzz.random_case(seed + 900), names)
    match.start(seed, seed % 2)
    while not match.state[0].over:
        action = match.decision(seed % 2)
        assert play.is_legal(match.tables[0], match.state[0], match.work[0], action), (action >> 24, action & 0xFFFFFF)
        play.apply(match.tables[0], match.state[0], match.work[0], NO_LOG, action)
    assert match.state[0].status == st.OK


def test_same_key_same_game_whatever_was_played_before():
    match = Match.of_starters("fixer", "warden")

    def outcome(first: int, keys: int) -> np.ndarray:
        outcomes = np.zeros((2 * keys, 2), np.uint8)
        block.play_block(match.tables, match.sides, 9, first, keys, empty(), outcomes, NO_LOG)
        return outcomes

    together = outcome(0, 60)
    apart = np.concatenate([outcome(k, 1) for k in range(60)])
    assert np.array_equal(together, apart)


def test_mirror_ties_exactly():
    bundle = files.load_bundle()
    crew, deck = files.read_crew("purple", bundle), files.read_deck("starter", bundle)
    match = Match(bundle.cardset, bundle.board, bundle.rules, [crew] * 2, [deck] * 2, ("fixer", "fixer"))
    tally = match.play_keys(200)
    assert tally["pair_scores"][2] == tally["keys"] == 200


def test_every_weight_matters():
    """A weight that changes no decision over many games would be an option that does nothing."""
    match = Match.of_starters("fixer", "fixer")
    rare = {"ban", "turn", "ready"}  # no house card does this: see test_values_made_up_cards
    base = match.sides.weights.copy()

    def games(weights: np.ndarray) -> bytes:
        match.sides.weights[:] = weights
        outcomes = np.zeros((800, 2), np.uint8)
        block.play_block(match.tables, match.sides, 4, 0, 400, empty(), outcomes, NO_LOG)
        return outcomes.tobytes()

    expected = games(base)
    for i, name in enumerate(FEATURES):
        changed = base.copy()
        changed[:, i] = base[:, i] * 3 + 0.5
        assert name in rare or games(changed) != expected, name


def test_weights_are_checked():
    with pytest.raises(ValueError, match="unknown feature 'speed'"):
        Bot.model_validate({"name": "x", "description": "y", "weights": {"speed": 1.0}})
