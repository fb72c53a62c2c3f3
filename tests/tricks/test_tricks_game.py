"""Tricks behind the protocol: what the lab, reports and the command line get from it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import WHOLE, Options, SideNames, find
from bhsim.games.tricks.game import DEFAULT_BOTS, GAME
from bhsim.games.tricks.tally import COUNTERS, ROW_FIELDS, TALLY
from bhsim.lab import runs
from bhsim.lab.contest import build
from bhsim.lab.results import evaluate, play_json

TABLE = [SideNames(bot=name) for name in ("shark", "random", "lurker")]


@pytest.fixture(scope="module")
def contest():
    return build(GAME, Options(board="backdoor"), TABLE, 360)


@pytest.fixture(scope="module")
def counts(contest):
    return runs.play(contest, 1, threads=2, block=17)


def facts_of(counts):
    return GAME.facts(counts.tally, counts.contest.bundle, counts.contest.sides)


def column(table, name):
    return [row[[c.name for c in table.columns].index(name)] for row in table.rows]


def test_the_game_is_found_by_its_name():
    assert find("tricks") is GAME
    assert set(GAME.counters) == set(TALLY.names) == set(COUNTERS) and all(c.unit and c.meaning for c in COUNTERS.values())


def test_a_key_is_played_once_per_rotation():
    assert [GAME.seatings(players) for players in range(2, 7)] == [2, 3, 4, 5, 6]
    for players in (1, 7):
        with pytest.raises(BadInput, match="no table of this size"):
            GAME.seatings(players)


def test_sides_are_bots_and_have_defaults():
    bundle = GAME.load(Options())
    sides = [GAME.side(bundle, SideNames(), number) for number in range(6)]
    assert [side.bot for side in sides] == [*DEFAULT_BOTS, *DEFAULT_BOTS[:2]]
    assert sides[0].crew == sides[0].bot and sides[0].deck == bundle.deck.name
    for names in (SideNames(crew="purple"), SideNames(deck="base"), SideNames(crew="purple", deck="base")):
        with pytest.raises(BadInput, match="has only a bot"):
            GAME.side(bundle, names, 0)


def test_the_deck_is_an_option_of_the_table():
    assert GAME.load(Options(deck="lean")).deck.name != GAME.load(Options()).deck.name
    assert GAME.load(Options(deck="lean", sets=("deck.jokers=2",))).deck.jokers == 2
    with pytest.raises(BadInput, match="decks, not card sets"):
        GAME.load(Options(cardset="house"))


def test_too_many_players_for_the_deck_are_refused():
    with pytest.raises(BadInput, match="need 79 cards"):
        build(GAME, Options(sets=("deck.copies=1", "rules.hand_size=20", "rules.hat_counts_in_hand=true")), [SideNames()] * 4, 100)


def test_the_lab_plays_it_and_blocks_do_not_matter(contest, counts):
    again = runs.play(contest, 1, threads=1, block=120)
    assert (again.games == counts.games).all() and (again.keys == counts.keys).all()
    assert again.tally.tobytes() == counts.tally.tobytes()
    result = evaluate(counts)
    assert sum(side.score.mean for side in result.sides) == pytest.approx(1)
    assert result.sides[0].score.mean == int(counts.tally["shares"][0, 0]) / (WHOLE * 360)
    assert result.first.mean == int(counts.tally["first_shares"][0]) / (WHOLE * 360)
    found = play_json(result, 1, 1.0)
    assert found["game"] == "tricks" and found["games"] == 360 and found["pairs"] == 120
    assert set(found["sides"][0]["points_from"]) == {"hand", "spaces"}
    json.dumps(found)


def test_facts_add_up(counts):
    facts, tally = facts_of(counts), counts.tally[0]
    assert facts.games == 360 and int(facts.first_keys.sum()) == 120 and len(facts.first_keys) == 3 * WHOLE + 1
    for source, values in facts.points.items():
        assert values == tuple(tally["points"][:3, ("hand", "spaces").index(source)] / 360)
    assert int(facts.rounds.counts.sum()) == int(facts.margins.counts.sum()) == 360
    assert facts.margins.mean() == pytest.approx(_margin_mean(counts))
    series = facts.tempo[0]
    assert (series.sides * series.games).sum() == pytest.approx(tally["points"].sum())
    bots = facts.tables["runners"]
    assert column(bots, "name") == ["shark", "random", "lurker"]
    assert sum(column(bots, "tricks_won")) == sum(column(bots, "tricks_led")) == int(tally["tricks"])
    assert set(GAME.contribution) <= {c.name for c in bots.columns}
    assert sum(column(facts.tables["seats"], "win_share")) == pytest.approx(1)
    assert sum(column(facts.tables["ends"], "games")) == pytest.approx(1)
    assert sum(column(facts.tables["spaces"], "counted")) == 2 * 3 * int(tally["hat_rounds"].sum())
    assert [sum(row[1:]) for row in facts.tables["decisions"].rows] == tally["decisions"][:3].tolist()
    asked = [c.name for c in facts.tables["decisions"].columns]
    assert "exploit" in asked and "stay" not in asked  # moving is compulsory, so nobody could stay


def _margin_mean(counts):
    outcomes = np.zeros((360, 2), np.uint8)
    contest = counts.contest
    tables = GAME.compile(contest.bundle)
    sides = GAME.pack(tables, contest.bundle, contest.sides)
    GAME.play_block(tables, sides, 1, 0, 120, np.zeros(1, TALLY), outcomes, np.zeros((0, len(ROW_FIELDS)), np.int64))
    return outcomes[:, 1].view(np.int8).astype(float).mean()


def test_the_edges_are_those_of_one_player_in_each_game(counts):
    edges, tally = facts_of(counts).tables["edges"], counts.tally[0]
    shares = column(edges, "win_share")
    assert shares[0] == int(tally["holder_shares"]) / (WHOLE * 360) and column(edges, "edge")[0] == pytest.approx(shares[0] - 1 / 3)
    hand = int(tally["hat_points"][:, 0].sum()) / int(tally["hat_rounds"].sum())
    everyone = int(tally["points"][:, 0].sum()) / (3 * int(tally["hat_rounds"].sum()))
    assert column(edges, "hand_edge")[0] == pytest.approx(hand - everyone)


def test_a_game_that_nobody_ends_has_no_edge_of_ending():
    contest = build(GAME, Options(sets=("rules.max_rounds=1",)), [SideNames(bot="random")] * 2, 2)
    assert column(facts_of(runs.play(contest, 3)).tables["edges"], "win_share")[2] is None


def test_a_stored_run_is_read_back(contest):
    data = json.loads(json.dumps(GAME.resolved(contest.bundle, contest.sides)))
    bundle, sides = GAME.restored(data)
    assert GAME.digest(bundle, sides) == contest.digest()
    assert list(bundle.board.spaces) == list(contest.bundle.board.spaces)
    assert [side.label for side in sides] == [side.label for side in contest.sides]
    assert GAME.values(bundle, sides) == GAME.values(contest.bundle, contest.sides)


def test_digest_and_values_tell_what_differs(contest):
    other = GAME.patched(contest.bundle, {"deck.jokers": 3, "board.spaces.root_access.value": -4})
    assert GAME.digest(other, contest.sides) != contest.digest()
    here, there = GAME.values(contest.bundle, contest.sides), GAME.values(other, contest.sides)
    assert {path for path in here if here[path] != there[path]} == {"deck.jokers", "board.spaces.root_access.value"}
    renamed = contest.bundle.board.model_copy(update={"name": "Renamed"})
    assert GAME.digest(type(contest.bundle)(contest.bundle.deck, renamed, contest.bundle.rules), contest.sides) == contest.digest()


def test_bots_are_listed_with_their_weights():
    assert [name for name, _ in GAME.bots()] == ["lurker", "random", "shark", "shedder", "sprinter", "trapper"]
    shown = GAME.bot("lurker")
    assert shown["style"] == "weights" and all(w["meaning"] for w in shown["weights"])
    assert GAME.bot("random")["weights"] == []


def test_house_values_are_told(contest):
    assert GAME.house_values(contest.bundle, contest.sides)
    assert GAME.data_names(contest.bundle).startswith("deck Base, ")


def test_no_part_of_a_side_can_be_drawn_anew(contest):
    side, rng = contest.sides[0], np.random.default_rng(1)
    assert GAME.builds.parts == () and GAME.builds.items(contest.bundle, side, "cards") == {}
    for ask in (
        lambda: GAME.builds.sample(contest.bundle, side, "cards", rng),
        lambda: GAME.builds.restricted(contest.bundle, side, "9", "never"),
    ):
        with pytest.raises(BadInput, match="only its bot"):
            ask()


def test_reports_can_print_every_table(counts):
    """Those without a column for the side, too."""
    from bhsim.report.page import _table_grid

    result = evaluate(counts)
    grids = {name: _table_grid(table, result) for name, table in result.facts.tables.items()}
    assert [row[0] for row in grids["runners"].rows] == ["A", "B", "C"]
    assert [row[0] for row in grids["seats"].rows] == ["0", "1", "2"]
    assert grids["edges"].rows[0][0] == "holder of the Black Hat" and grids["edges"].rows[2][3] == "-"
    assert all(len(grid.head) == len(row) for grid in grids.values() for row in grid.rows)
