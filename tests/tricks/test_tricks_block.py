"""What a block of games counts: recounted from the plain engine's event logs, whole and in parts, and by rotation."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numba
import numpy as np
import pytest
from tricks_kit import CHANCE

from bhsim.games.game import WHOLE, shares
from bhsim.games.tricks import actions as act
from bhsim.games.tricks import files, fuzz
from bhsim.games.tricks import tally as ty
from bhsim.games.tricks.driver import KernelGame, Match
from bhsim.games.tricks.engine import block
from bhsim.games.tricks.engine import state as st
from bhsim.games.tricks.reference import Game, play_at_random

ROOT = 5


def played(match: Match, keys: int, first: int = 0, rows: bool = False):
    """Tally, outcomes and rows of a block."""
    tally, outcomes = ty.empty(), np.zeros((match.players * keys, 2), np.uint8)
    numbers = np.zeros((match.players * keys if rows else 0, len(ty.ROW_FIELDS)), np.int64)
    block.play_block(match.tables, match.sides, ROOT, first, keys, tally, outcomes, numbers)
    return tally[0], outcomes, numbers


def table_of(*bots: str, sets=(), board="backdoor") -> Match:
    return Match(files.load_bundle(board=board, sets=tuple(sets)), tuple(files.read_bot(name) for name in bots))


class Recount:
    """The tally's counters from event logs of the plain engine."""

    def __init__(self, match: Match) -> None:
        self.board, self.players = match.bundle.board, match.players
        self.ids = list(self.board.spaces)
        self.found: Counter[tuple] = Counter()

    def add(self, game: Game, log: list[dict], rotation: int) -> None:
        found, seat_of = self.found, lambda side: (side + rotation) % self.players
        end = log[-1]
        cut = end["reason"] == "max_rounds"
        winners = list(range(self.players)) if cut else end["winners"]
        found["reasons", ty.REASONS.index(end["reason"])] += 1
        found["rounds_sum"] += end["rounds"]
        found["round_limit"] += cut
        found["draws"] += not cut and len(winners) > 1
        for side in winners:
            found["shares", side] += WHOLE // len(winners)
            found["seat_shares", seat_of(side)] += WHOLE // len(winners)
            found["wins", side] += len(winners) == 1
        first = next(line for line in log if line["event"] == "round")
        for name, side in (("first_shares", first["side"]), ("holder_shares", first["hat"])):
            found[name] += WHOLE // len(winners) if side in winners else 0
        holder = opener = winner = lead = number = -1
        for line in log:
            side = line.get("side")
            match line["event"]:
                case "round":
                    opener, holder, lead, number = side, line["hat"], True, line["number"]
                    found["hat_rounds", holder] += 1
                    found["opened_rounds", opener] += 1
                case "play":
                    found["tricks_led", side] += lead
                    found["hats_played", side] += line["hat"]
                    lead = False
                case "discard":
                    found["discards", side] += 1
                case "trick":
                    winner, lead = side, True
                    found["tricks"] += 1
                    found["tricks_won", side] += 1
                    found["hat_tricks"] += line["hat"]
                    found["hat_tricks_won", side] += line["hat"]
                case "take":
                    found["taken", side] += len(line["cards"])
                case "draw":
                    found["drawn", side] += 1
                case "move":
                    found["moves" if line["owner"] == side else "pushes", side] += 1
                    found["landed", line["owner"], self.ids.index(line["end"])] += 1
                case "back":
                    found["landed", line["owner"], self.ids.index(line["end"])] += 1
                case "count":
                    for i, source in enumerate(ty.POINT_SOURCES):
                        found["points", side, i] += line[source]
                        found["seat_points", seat_of(side), i] += line[source]
                        found["hat_points", side, i] += line[source] if side == holder else 0
                        found["opened_points", side, i] += line[source] if side == opener else 0
                    found["tempo_points", side, number] += line["hand"] + line["spaces"]
        found["tempo_games", end["rounds"]] += 1
        if end["reason"] == "critical_assets":
            found["ended", winner] += 1
            found["ender_shares"] += WHOLE // len(winners) if winner in winners else 0
        for pawn in game.board.pawns:
            found["trapped", (pawn.seat - rotation) % self.players] += pawn.stuck
        for seat in range(self.players):
            found["emptied", (seat - rotation) % self.players] += 0 if game.hands[seat].total() else end["reason"] != "critical_assets"


COUNTED = (
    "reasons", "rounds_sum", "round_limit", "draws", "shares", "seat_shares", "wins", "first_shares", "holder_shares", "ender_shares",
    "tricks", "hat_tricks", "tricks_led", "tricks_won", "hat_tricks_won", "hats_played", "discards", "taken", "drawn", "moves", "pushes",
    "landed", "points", "seat_points", "hat_points", "opened_points", "hat_rounds", "opened_rounds", "ended", "trapped", "tempo_points",
)  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_counter_is_what_event_logs_tell(players):
    """With random bots, whose draws the plain player makes too; so the kernels' luck is the plain engine's, as well."""
    match = table_of(*["random"] * players, sets=("rules.max_rounds=4", "rules.hand_size=6", "rules.compulsory_move=false"))
    keys, recount = 4, Recount(match)
    tally, outcomes, rows = played(match, keys, rows=True)
    for index in range(keys * players):
        key, rotation = divmod(index, players)
        log: list[dict] = []
        game = play_at_random(Game(match.bundle, players, ROOT, key, rotation, log.append), ROOT, key)
        recount.add(game, log, rotation)
        points = log[-1]["points"]
        assert outcomes[index, 1].astype(np.int8) == min(points[1:]) - points[0]
        reason = 1 + ty.REASONS.index(log[-1]["reason"])
        tricks = sum(line["event"] == "trick" for line in log)
        assert rows[index].tolist()[2:] == [log[-1]["rounds"], tricks, reason, *points, *[0] * (6 - players)]
    for name in COUNTED:
        counts = tally[name]
        for place in np.ndindex(counts.shape):
            assert int(counts[place]) == recount.found[(name, *place) if place else name], (name, place)
    assert int(tally["games"]) == keys * players and int(tally["keys"]) == keys
    assert int(tally["shares"].sum()) == WHOLE * keys * players


def test_rounds_end_with_empty_hands_and_pawns_are_counted_where_they_stand():
    match = table_of("random", "random", "random")
    tally, _, _ = played(match, 20)
    rounds = int(tally["hat_rounds"].sum())
    assert int(tally["counted"].sum()) == 2 * 3 * rounds
    assert rounds - int(tally["reasons"][0]) <= int(tally["emptied"].sum()) <= 3 * rounds
    values = [space.value for space in match.bundle.board.spaces.values()]
    assert len(values) == match.tables[0].n_spaces and not tally["landed"][:, len(values) :].any()
    assert (tally["kinds"].sum(axis=1) == tally["decisions"]).all() and tally["decisions"][:3].all() and not tally["decisions"][3:].any()


def test_blocks_add_up():
    match = table_of("shark", "lurker", "random")
    whole, outcomes, _ = played(match, 12)
    parts = [played(match, 5), played(match, 7, first=5)]
    for name in ty.COUNTERS:
        assert (whole[name] == parts[0][0][name] + parts[1][0][name]).all(), name
    assert (np.concatenate([part[1] for part in parts]) == outcomes).all()


def test_one_game_is_that_of_the_block():
    match = table_of("shark", "lurker", "random", "shedder")
    _, outcomes, rows = played(match, 3, rows=True)
    S, W = st.new_state()[0], st.new_work()[0]
    for index in (0, 5, 11):
        key, rotation = divmod(index, 4)
        block.play_one(match.tables[0], match.sides, S, W, ROOT, key, rotation)
        points = S.points_from.sum(axis=1)
        assert [int(points[(side + rotation) % 4]) for side in range(4)] == rows[index, 5:9].tolist()
        assert int(outcomes[index, 0]) == sum(1 << (seat - rotation) % 4 for seat in range(4) if int(S.winners) >> seat & 1)


def test_a_mirror_is_exactly_even():
    match = table_of(*["shark"] * 5)
    tally, outcomes, _ = played(match, 10)
    assert len(set(tally["shares"][:5].tolist())) == 1 and len({tuple(p) for p in tally["points"][:5].tolist()}) == 1
    per_key = shares(outcomes[:, 0], 5).reshape(10, 5, 5).sum(axis=1)
    assert (per_key == WHOLE).all()
    assert int(tally["first_keys"].sum()) == 10


def test_the_first_leader_s_keys_are_those_of_its_shares():
    tally, _, _ = played(table_of("shark", "random", "lurker"), 30)
    assert int(np.arange(ty.KEY_BINS) @ tally["first_keys"]) == int(tally["first_shares"])


def test_the_round_limit_cuts_games_off():
    match = table_of("random", "shark", sets=("rules.max_rounds=1",), board="base")
    tally, outcomes, _ = played(match, 25)
    cut = outcomes[:, 0] == 0
    assert int(tally["round_limit"]) == int(tally["reasons"][2]) == int(cut.sum()) > 40
    assert (shares(outcomes[cut, 0], 2) == WHOLE // 2).all() and int(tally["shares"].sum()) == WHOLE * 50


def test_other_seeds_and_keys_are_other_games():
    match = table_of("random", "random", "random")
    assert (played(match, 6)[1] != played(match, 6, first=6)[1]).any()


def test_random_bots_of_fuzzed_games_end_as_the_plain_engine_does():
    S, W = st.new_state()[0], st.new_work()[0]
    for seed in range(60):
        bundle, players = fuzz.random_case(seed)
        match = Match(bundle, (CHANCE,) * players)
        block.play_one(match.tables[0], match.sides, S, W, ROOT, seed, 0)
        game = play_at_random(Game(bundle, players, ROOT, seed), ROOT, seed)
        assert S.points_from[:players].sum(axis=1).tolist() == game.points
        assert [seat for seat in range(players) if int(S.winners) >> seat & 1] == game.winners


def test_kernel_values_stay_within_bounds():
    """TR-7.2, where a hundred exploits would be needed to get there."""
    game = KernelGame(table_of("random", "random"), 1, 0)
    key = 0
    while not any(action >> 24 == act.EXPLOIT for action in game.legal()):
        if game.over:
            key += 1
            game = KernelGame(table_of("random", "random"), 1, 2 * key)
        game.apply(game.bot_decision())
    game._S.value[:2] = act.MAX_VALUE, -act.MAX_VALUE
    listed = set(game.legal())
    assert act.encode(act.EXPLOIT, act.UP, 0) not in listed and act.encode(act.EXPLOIT, act.DOWN, 0) in listed
    assert act.encode(act.EXPLOIT, act.UP, 1) in listed and act.encode(act.EXPLOIT, act.DOWN, 1) not in listed


AHEAD = """
from bhsim.games.tricks import files
from bhsim.games.tricks.driver import Match
from bhsim.games.tricks.engine import block, play, warm
from bhsim.games.tricks.replays import TricksReplay

kernels = [play.start, play.legal, play.apply, block.bot_decision, block.play_keys]
warm.CACHE.is_warm = lambda: False
warm.compile_all()
ahead = [list(kernel.signatures) for kernel in kernels]
TricksReplay(Match(files.load_bundle(), (files.read_bot("shark"),) * 2), 1, 0)
assert [len(signatures) for signatures in ahead] == [1] * len(kernels), ahead
assert [list(kernel.signatures) for kernel in kernels] == ahead
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_replay_needs_no_kernel_that_was_not_compiled_ahead():
    """In a process of its own, where no other test has compiled anything."""
    done = subprocess.run([sys.executable, "-c", AHEAD], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
