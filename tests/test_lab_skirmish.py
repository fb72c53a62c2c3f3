"""What the skirmish tally tells the lab."""

import numpy as np
import pytest

from bhsim.games.game import Side
from bhsim.games.skirmish import files
from bhsim.games.skirmish.facts import read_facts
from bhsim.games.skirmish.tally import CARD_FIELDS, RUNNER_FIELDS, empty


@pytest.fixture(scope="module")
def bundle():
    return files.load_bundle()


@pytest.fixture(scope="module")
def sides(bundle):
    deck = files.read_deck("starter", bundle)
    return tuple(Side(n, "starter", "fixer", files.read_crew(n, bundle), deck) for n in ("purple", "green"))


@pytest.fixture
def tally():
    t = empty()
    t["games"], t["keys"], t["draws"], t["round_limit"] = 100, 50, 1, 3
    t["first_pair_scores"][0] = [10, 0, 30, 0, 10]
    t["points"][0] = [[100, 250, 30], [200, 50, 0]]  # disconnect, secure, effect
    t["rounds"][0, 3], t["rounds"][0, 4], t["rounds"][0, 63] = 60, 39, 1
    t["margins"][0, 100 + 5], t["margins"][0, 100 - 2], t["margins"][0, 100] = 50, 46, 4
    t["tempo_games"][0, 1:4] = [100, 100, 100]
    t["tempo_points"][0, :, 2] = [50, 25]
    t["tempo_data"][0, 1, 3] = 40
    t["runner"][0, 1, 0, RUNNER_FIELDS.index("damage_dealt")] = 77
    t["acts"][0, 0, 1] = 9
    return t


def test_points_and_distributions(tally, bundle, sides):
    facts = read_facts(tally, bundle.cardset, sides)
    assert facts.points == {"secure": (2.5, 0.5), "disconnect": (1.0, 2.0), "effect": (0.3, 0.0)}
    assert (facts.draws, facts.round_limit, facts.games) == (1, 3, 100)
    assert [facts.rounds.quantile(q) for q in (0.05, 0.5, 0.95, 1)] == [3, 3, 4, 63]
    assert facts.rounds.mean() == pytest.approx(3.99)
    assert facts.margins.mean() == pytest.approx((50 * 5 - 46 * 2) / 100)
    assert np.flatnonzero(facts.first_keys).tolist() == [0, 60, 120]
    assert facts.first_keys.sum() == 50


def test_tempo_is_per_game_that_got_so_far(tally, bundle, sides):
    points, data = read_facts(tally, bundle.cardset, sides).tempo
    assert points.x.tolist() == [1, 2, 3]
    assert points.sides.tolist() == [[0, 0.5, 0], [0, 0.25, 0]]
    assert data.sides.tolist() == [[0, 0, 0], [0, 0, 0.4]]


def test_tables_name_runners_and_cards(tally, bundle, sides):
    titles = list(bundle.cardset.cards)
    tally["card"][0, 0, titles.index("big_hack")] = [
        {"games_drawn": 80, "wins_drawn": 120, "drawn": 90}.get(field, 0) for field in CARD_FIELDS
    ]
    tables = read_facts(tally, bundle.cardset, sides).tables
    members = [m.runner for s in sides for m in s.crew_model.members]
    assert [row[1] for row in tables["runners"].rows] == members
    names = [c.name for c in tables["runners"].columns]
    green_first = next(row for row in tables["runners"].rows if row[0] == 1)
    assert green_first[names.index("damage_dealt")] == 77
    card_names = [c.name for c in tables["cards"].columns]
    row = next(r for r in tables["cards"].rows if r[:2] == (0, "big_hack"))
    assert row[card_names.index("win_rate_drawn")] == 0.75
    assert row[card_names.index("win_rate_played")] is None
    assert row[card_names.index("copies")] == 1
    assert all(len(r) == len(t.columns) for t in tables.values() for r in t.rows)
    assert (0, "attack", 9) in tables["actions"].rows
