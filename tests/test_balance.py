"""Balancing a game of levers whose every rate is known: the distance, the spec, the options, the search, and what a run says."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import levers
import numpy as np
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import find
from bhsim.inputs.document import read_toml
from bhsim.lab import balance, metagame, store
from bhsim.lab.arena import Arena, search_root
from bhsim.lab.balance import NOW, carry_out, chosen, least_budget, plan_of
from bhsim.lab.balance_field import most_for_the_least
from bhsim.lab.balance_files import variant_text
from bhsim.lab.balance_found import Record
from bhsim.lab.balance_model import Basis, Model, Seen
from bhsim.lab.balance_problem import check_balance, planned
from bhsim.lab.balance_result import Balanced, Number, PointResult, _recommended, balanced_folder, cell_rows, point_rows, screen_rows
from bhsim.lab.balance_search import Point, Searched, gaining, on_front
from bhsim.lab.balance_spec import parse_balance
from bhsim.lab.balance_target import Targets
from bhsim.lab.balance_usage import Drawn, claimed, uses_of
from bhsim.lab.executors import Threads
from bhsim.lab.memory import Kept
from bhsim.lab.pool import assembled, pairs
from bhsim.lab.record import RECORD, read_record
from bhsim.lab.verdicts import judge
from bhsim.report.balance import headline
from bhsim.report.page import write_report

CREWS = [*levers.CREWS]
SETTINGS = {"path": "levers.*.setting", "low": 0, "high": 6}


def words_of(option):
    return f"{option.path} {option.present} -> {option.value}"


def spec_of(**given):
    usual = {"name": "levers", "game": "levers", "games": 60_000, "crews": CREWS, "target": {"match_ups": [47, 53]}, "changes": [SETTINGS]}
    return parse_balance(usual | given)


def problem_of(**given):
    return planned(spec_of(**given), levers.GAME)


@pytest.fixture(scope="module")
def workers():
    found = Threads(1)
    yield found
    found.close()


def run(workers, folder=None, **given):
    spec = spec_of(**given)
    plan = plan_of(spec, planned(spec, levers.GAME))
    manifest = plan.manifest("bhsim balance levers.toml")
    with folder(manifest, plan.contests) if folder else Kept(manifest, plan.contests) as opened:
        return opened, carry_out(opened, plan, workers)


# The distance


TWO = Targets(("one", "two"), np.eye(2), np.array([0.48, 0.0]), np.array([0.52, 0.55]), np.array([0.5, 0.5]))


def test_distance_is_the_root_mean_square_of_what_lies_outside():
    assert TWO.distance(np.array([0.5, 0.2])) == 0
    assert TWO.distance(np.array([0.55, 0.59])) == pytest.approx(100 * np.sqrt((0.03**2 + 0.04**2) / 2))
    assert TWO.distance(np.array([[0.45, 0.5], [0.5, 0.65]])) == pytest.approx([3 / np.sqrt(2), 10 / np.sqrt(2)])


def test_chance_does_not_make_the_distance_larger():
    rng, error, count = np.random.default_rng(1), 0.02, 40_000
    for truth, exact in ((0.52, 0.0), (0.56, 4.0), (0.44, 4.0), (0.522, 0.2)):
        many = Targets(("x",) * count, np.eye(1), *(np.full(count, end) for end in (0.48, 0.52, 0.5)))
        seen = truth + error * rng.standard_normal(count)
        assert many.distance(seen, error**2) == pytest.approx(exact, abs=0.25)
        assert many.distance(seen) > exact + 0.3


def test_ends_and_limits_drawn_in():
    low, high = TWO.ends(np.array([0.51, 0.50]), np.array([0.55, 0.57]))
    assert (low, high) == pytest.approx((0, 100 * np.sqrt((0.03**2 + 0.02**2) / 2)))
    assert TWO.ends(np.array([0.40, 0.56]), np.array([0.45, 0.6]))[0] == pytest.approx(100 * np.sqrt((0.03**2 + 0.01**2) / 2))
    inner = TWO.drawn_in(0.25)
    assert inner.low == pytest.approx([0.485, 0])
    assert inner.high == pytest.approx([0.515, 0.5375])


# The spec


FAULTY = """name = "house"
crews = ["purple", "purple"]
opponents = ["green"]
[target]
match_ups = [52, 48]
found = 55
[[changes]]
path = "runners.*.attack"
low = 1
[[changes]]
path = "crews.a.members.0.rig"
values = ["Roboware 9999"]
[[changes]]
path = "rigs.roboware_9999.speed"
down = 0
"""
TWICE = """name = "house"
crews = ["purple", "purple"]
opponents = ["green"]
target = { found = 55 }
[[changes]]
path = "runners.gh0st.attack"
low = 1
high = 2
[[changes]]
path = "runners.Gh0st.attack"
up = 1
"""
WRONG = """name = "house"
crews = ["purple", "green"]
target = { match_ups = [48, 52] }
[[changes]]
path = "runners.gh0st.atack"
low = 1
high = 2
[[changes]]
path = "rigs.*.weight"
up = 1
[[changes]]
path = "runners.wee_rin.attack"
values = [1, 99]
[[changes]]
path = "runners.gh0st.attack"
low = -3
high = 40
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FAULTY, [":5: target.match_ups: the lower limit stands first", ":8: changes.0.path: goes with low and high",
                  ":11: changes.1.path: changes the crew, deck or bot of one side", ":15: changes.2.down: no other value"]),
        (TWICE, [":2: crews.1: purple stands twice", ":3: opponents: not with crews", "target.found: goes with meta or found",
                 ":10: changes.1.path: runners.Gh0st.attack is what changes.0.path changes"]),
        (WRONG, [":5: changes.0.path: unknown path; did you mean '", ":9: changes.1.path: matches no value",
                 ":13: changes.2.values.1: is out of range, got 99 (allowed: 0 to 20)",
                 ":16: changes.3.low: is out of range, got -3 (allowed: 0 to 20)", ":17: changes.3.high: is out of range, got 40"]),
        ('name = "t"\ngame = "tricks"\ncrews = ["a", "b"]\ntarget = { match_ups = [48, 52] }\nchanges = [{ path = "rules.x", up = 1 }]\n',
         [":2: game: tricks has no crews that could be balanced"]),
    ],
)  # fmt: skip
def test_faults_of_a_spec_have_lines(tmp_path, text, said):
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(BadInput) as error:
        check_balance(tmp_path / "b.toml")
    shown = [str(fault) for fault in error.value.faults]
    assert len(shown) == len(said)
    for part in said:
        assert any(part in line for line in shown), (part, shown)


def test_the_example_is_a_spec_and_offers_forty_paths():
    document = read_toml(Path(__file__).parents[1] / "examples" / "balance.toml")
    problem = planned(parse_balance(document.data, document), find("skirmish"))
    paths = {option.path for option in problem.options} | {path for path, _ in problem.skipped}
    assert len(paths) == 8 * 2 + 8 * 3
    assert {why for path, why in problem.skipped if path.endswith("bandwidth")} == {"no game depends on it"}
    assert len(problem.meetings) == 6


def test_a_pattern_of_found_crews_leaves_decks_alone(tmp_path):
    root = Path(__file__).parents[1]
    for place, name in (("crews", "cobalt.toml"), ("decks", "starter.toml")):
        (tmp_path / name).write_bytes((root / place / name).read_bytes())
    changes = [{"path": "runners.gh0st.attack", "up": 1}]
    spec = {"name": "found", "crews": ["purple", "green"], "found": [f"{tmp_path}/*.toml"], "target": {"found": 55}, "changes": changes}
    assert [m.labels for m in planned(parse_balance(spec), find("skirmish")).meetings] == [("cobalt", "purple"), ("cobalt", "green")]
    with pytest.raises(BadInput, match=r"found\.0: matches no crew file"):
        planned(parse_balance(spec | {"found": [f"{tmp_path}/s*.toml"]}), find("skirmish"))


# What may change


def test_options_and_what_is_left_out():
    changes = [
        {"path": "levers.ash.setting", "values": [1, 5]}, {"path": "levers.*.setting", "down": 1, "up": 1},
        {"path": "levers.elm.size", "low": 0, "high": 4}, {"path": "levers.pine.setting", "low": 0, "high": 2},
    ]  # fmt: skip
    problem = problem_of(changes=changes, sets=["levers.oak.setting=9"])
    words = {words_of(option): option for option in problem.options}
    assert {w for w in words if "ash" in w} == {"levers.ash.setting 3 -> 1", "levers.ash.setting 3 -> 5"}
    assert words["levers.ash.setting 3 -> 1"].cost == 1 + 2 * 0.25
    assert {w for w in words if "oak" in w} == {"levers.oak.setting 9 -> 8"}
    left_out = dict(problem.skipped)
    assert left_out == {
        "levers.elm.size": "no game depends on it", "levers.pine.setting": "no crew uses it", "levers.oak.setting": "10: is out of range",
    }  # fmt: skip
    met = [set(levers.CREWS[a]) | set(levers.CREWS[b]) for a, b in itertools.combinations(CREWS, 2)]
    for option in problem.options:
        assert option.touches == tuple(n for n, used in enumerate(met) if option.path.split(".")[1] in used)


def test_values_with_which_a_crew_is_illegal_are_left_out(monkeypatch):
    monkeypatch.setattr(levers.LeverGame, "digest", lambda self, bundle, sides: repr((bundle, sides)))  # now sizes count
    problem = problem_of(changes=[{"path": "levers.oak.size", "low": 1, "high": 4}])
    assert [option.value for option in problem.options] == [1]
    assert problem.skipped == (("levers.oak.size", "3: west has size 7"), ("levers.oak.size", "4: west has size 8"))
    together = problem_of(changes=[{"path": "levers.*.size", "low": 1, "high": 3}])
    chosen_two = [n for n, o in enumerate(together.options) if (o.path, o.value) in (("levers.oak.size", 1), ("levers.elm.size", 1))]
    assert together.fault_of(chosen_two) is None
    grown = [n for n, o in enumerate(together.options) if o.value == 3 and o.path in ("levers.ash.size", "levers.birch.size")]
    assert len(grown) == 2
    assert together.fault_of(grown) is None


# The model and the front


def test_combinations_are_predicted_from_their_parts():
    problem = problem_of()
    basis = Basis(problem)
    singles = [(n,) for n in range(len(problem.options))]
    pairs = list(itertools.combinations(CREWS, 2))
    seen = {}
    for combination in [(), *singles]:
        bundle = problem.patched(combination)
        for meeting, pair in enumerate(pairs):
            cell = meeting, problem.touching(combination, meeting)
            seen[cell] = Seen(float(levers.rate(bundle, *pair)), 1e-6, 100_000)
    model = Model(problem, basis, seen)
    option = {words_of(o): n for n, o in enumerate(problem.options)}
    both = tuple(sorted([option["levers.ash.setting 3 -> 6"], option["levers.elm.setting 3 -> 1"]]))
    rates = model.rates([(), both], np.random.default_rng(1), 50)
    truth = [levers.rate(problem.patched(both), *pair) for pair in pairs]
    assert rates[0, 0] == pytest.approx(0.5, abs=0.001)
    assert rates[0, 1] == pytest.approx(truth, abs=0.01)
    assert rates[1:, 1].std(axis=0).max() < 0.04


def test_what_was_played_much_speaks_for_itself():
    problem = problem_of(changes=[{"path": "levers.ash.setting", "low": 3, "high": 6}])
    seen = {(m, ()): Seen(0.5, 1e-6, 9999) for m in range(6)} | {(m, (1,)): Seen(0.6, 1e-6, 9999) for m in (0, 1)}
    seen[2, (1,)] = Seen(0.5, 1e-6, 9999)
    rates = Model(problem, Basis(problem), seen).rates([(1,), (2,)], np.random.default_rng(1), 200)
    assert rates[0, 0, :3] == pytest.approx([0.6, 0.6, 0.5], abs=0.005)
    assert rates[0, 1, 0] == pytest.approx(rates[0, 1, 2], abs=0.005)
    assert rates[:, 0].std(axis=0)[:3].max() < 0.005 < rates[:, 1].std(axis=0)[:3].min()


def test_a_value_that_was_hardly_played_leans_on_its_neighbours():
    problem = problem_of(changes=[{"path": "levers.ash.setting", "low": 3, "high": 6}])
    pairs = list(itertools.combinations(CREWS, 2))
    known = [(), (0,), (2,)]  # 4 and 6, and not 5
    seen = {
        (m, problem.touching(c, m)): Seen(float(levers.rate(problem.patched(c), *pair)), 1e-5, 9999)
        for c in known for m, pair in enumerate(pairs)
    }  # fmt: skip
    rates = Model(problem, Basis(problem), seen).rates([(1,)], np.random.default_rng(1), 200)
    assert rates[0, 0] == pytest.approx([levers.rate(problem.patched((1,)), *pair) for pair in pairs], abs=0.01)


def test_the_front_is_what_nobody_cheaper_comes_as_near_as():
    rng = np.random.default_rng(3)
    costs, distances = rng.integers(0, 5, 30).astype(float), rng.random((4, 30))
    found = on_front(costs, distances)
    for draw, row in enumerate(distances):
        for one in range(30):
            beaten = any(
                (costs[o] < costs[one] and row[o] <= row[one]) or (costs[o] == costs[one] and row[o] < row[one]) for o in range(30)
            )
            assert found[draw, one] == (not beaten)
    assert gaining(np.array([5, 4.95, 4.85, 4.84]), 0.1).tolist() == [True, False, True, False]


# Runs


BREAKS = [("ash", 7), ("cedar", 6), ("fir", 6), ("elm", 0)]


@pytest.mark.parametrize(("seed", "broken"), [*enumerate(BREAKS, start=1)])
def test_what_was_broken_is_named_and_mended(workers, seed, broken):
    lever, value = broken
    _, found = run(workers, sets=[f"levers.{lever}.setting={value}"], seed=seed, games=120_000)
    assert found.base.verdict == "not reached"
    assert found.named.single.path == f"levers.{lever}.setting"
    assert found.recommended.changes[0].path == f"levers.{lever}.setting"
    assert (found.recommended.verdict, found.verdict) == ("reached", "reached")
    broken = {f"levers.{lever}.setting": value}
    bundle = levers.GAME.patched(levers.START, broken | {c.path: c.value for c in found.recommended.changes})
    assert all(0.465 < levers.rate(bundle, a, b) < 0.535 for a, b in itertools.combinations(CREWS, 2))
    for point in (found.base, *found.points):
        bundle = levers.GAME.patched(levers.START, broken | {c.path: c.value for c in point.changes})
        for number in point.numbers:
            assert abs(number.score.mean - levers.rate(bundle, *number.label.split(" - "))) < 4.5 * number.score.se
    costs = [p.cost for p in found.points]
    assert costs == sorted(costs)
    assert [p.name for p in found.points] == [str(n + 1) for n in range(len(costs))]


TWO_BREAKS = ["levers.cedar.setting=5", "levers.fir.setting=8"]  # the second is the larger one


def assert_far_points_play_what_they_change(folder, far):
    """And that shortly; elsewhere other contests stand in."""
    base = {(c.setting["crew"], c.setting["opponent"]): c.digest() for c in folder.contests[:6]}
    played = [c for c in folder.contests if c.setting["point"] in far]
    assert all(c.digest() != base[c.setting["crew"], c.setting["opponent"]] for c in played)
    assert max(c.keys for c in played) <= max(c.keys for c in folder.contests if c.setting["point"] not in far)


def test_two_breaks_take_two_changes(workers):
    folder, found = run(workers, sets=TWO_BREAKS, seed=2, games=120_000, target={"match_ups": [46, 54]})
    best = found.recommended
    assert best.verdict == "reached"
    assert len(best.changes) == 2
    alone = {(s.path, s.value): s.distance for s in found.record.singles}
    left = [alone[c.path, c.value] for c in best.changes]
    assert left == sorted(left)
    assert [c.path for c in best.changes] == ["levers.fir.setting", "levers.cedar.setting"]
    single = {p.name for p in found.points if len(p.changes) == 1}
    assert single
    assert_far_points_play_what_they_change(folder, single)
    _, limited = run(workers, sets=TWO_BREAKS, seed=2, max_changes=1)
    assert limited.verdict == "not reached"
    assert all(len(p.changes) == 1 for p in limited.points)


def test_nothing_is_sought_where_all_targets_hold(workers):
    folder, found = run(workers, games=400_000)
    assert (found.record.status, found.verdict, found.points, found.named) == ("not needed", "reached", (), None)
    assert len(folder.contests) == 6
    assert sum(c.games for c in folder.contests) == pytest.approx(0.08 * 400_000, rel=0.01)


def test_nothing_is_ok_where_many_games_were_cut_off(workers, monkeypatch):
    given = {"target": {"match_ups": [30, 70]}, "games": 20_000}
    assert run(workers, **given)[1].verdict == "reached"
    monkeypatch.setattr("bhsim.lab.balance_result.MOST_CUT_OFF", -1.0)
    found = run(workers, **given)[1]
    assert {n.judged.verdict for p in (found.base, *found.points) for n in p.numbers} == {"undecided"}
    assert found.verdict == "undecided"


def test_what_is_only_just_undecided_as_it_is_plays_on(workers):
    folder, found = run(workers, target={"match_ups": [40, 60]}, games=20_000)
    assert found.record.status == "searched"
    assert found.base.verdict == "reached"
    assert found.named is found.recommended is None
    assert found.base.games > 2 * sum(c.games for c in folder.contests[:6])
    assert {folder.contests[n].setting["point"] for n in found.record.now} == {NOW}
    assert len({folder.contests[n].keys for n in found.record.now}) == 1


def test_games_are_what_was_given_and_fresh(workers, monkeypatch):
    roots = []
    monkeypatch.setattr(balance, "Arena", lambda game, root, *rest: roots.append(root) or Arena(game, root, *rest))
    folder, found = run(workers, sets=["levers.ash.setting=7"], games=60_000)
    played = sum(c.games for c in folder.contests)
    assert 0.9 * 60_000 < played + found.record.games <= 60_000
    near = [p for p in found.points if p.found.low < balance.FAR]
    assert near
    for point in near:  # every number of a point that may reach the target is its own or another near one's, not the few games of now
        assert all(folder.contests[n].setting["point"] != NOW for number in point.numbers for n in number.contests)
    assert {c.setting["point"] for c in folder.contests} >= {NOW, near[0].name}
    far = {p.name for p in found.points if p not in near}
    assert far
    assert_far_points_play_what_they_change(folder, far)
    assert roots == [search_root(1, "balance")] != [1]
    assert len({(c.digest(), c.keys) for c in folder.contests}) == len(folder.contests)


def test_the_first_player_is_judged_and_not_sought(workers):
    target = {"match_ups": [40, 60], "first_player": [51, 60]}
    _, found = run(workers, target=target, sets=["levers.ash.setting=8"])
    assert found.recommended.distance == 0
    number = found.recommended.numbers[-1]
    assert number.label == "first player"
    assert number.score.mean == pytest.approx(0.5, abs=0.02)
    assert found.recommended.verdict != "reached"


def test_a_found_crew_is_held_down(workers, tmp_path):
    target = {"found": 55}
    spec = {"target": target, "crews": ["north", "east", "south"], "found": ["west"], "sets": ["levers.oak.setting=9"]}
    _, found = run(workers, **spec, changes=[{"path": "levers.oak.setting", "low": 0, "high": 8}], games=200_000)
    assert [n.label for n in found.base.numbers] == ["west against all"]
    assert found.base.numbers[0].score.mean > 0.6
    assert found.recommended.verdict == "reached"
    oak = found.recommended.changes[0].value
    assert levers.WEIGHTS["oak"] * (oak - 3) < np.log(0.56 / 0.44)
    folder, _ = run(workers, lambda m, c: store.create(tmp_path / "run", m, c, False), sets=["levers.ash.setting=7"])
    with_meta = {**spec, "meta": str(folder.path), "found": None}
    assert [m.labels[0] for m in problem_of(**with_meta).meetings] == ["west"] * 3


@pytest.mark.parametrize("games", [100, 2_000])
def test_too_few_games_are_refused(games):
    spec = spec_of(games=games)
    problem = planned(spec, levers.GAME)
    with pytest.raises(BadInput, match="too few to search") as error:
        plan_of(spec, problem)
    enough = least_budget(problem, 2)
    assert error.value.faults[0].allowed.startswith(f"{enough} or more")
    assert plan_of(spec_of(games=enough), problem).contests
    with pytest.raises(BadInput, match="too few to search"):
        plan_of(spec_of(games=enough - 1), problem)


def test_the_least_games_are_enough(workers):
    least = least_budget(problem_of(sets=["levers.ash.setting=9"]), 2)
    _, found = run(workers, sets=["levers.ash.setting=9"], games=least)
    assert found.record.games <= balance.SEARCH_SHARE * least
    assert found.base.verdict == "not reached"


@pytest.mark.parametrize("setting", [9, 0])
@pytest.mark.parametrize("games", [0, 2_500, 4_000])
def test_few_games_are_used_up_and_an_answer_is_played_again(workers, games, setting):
    changes, sets = [{"path": "levers.ash.setting", "values": [1, 2, 4, 5]}], [f"levers.ash.setting={setting}"]
    games = games or least_budget(problem_of(changes=changes, sets=sets), 2)
    folder, found = run(workers, changes=changes, sets=sets, games=games)
    keys = [s.keys for s in found.record.singles]
    assert min(keys) < 64
    assert max(keys) > 8  # a search goes on after its first looks
    assert found.points
    assert 0.9 * games < sum(c.games for c in folder.contests) + found.record.games <= games


def test_a_change_that_makes_it_worse_is_played_again_and_not_recommended(workers):
    _, found = run(workers, changes=[{"path": "levers.ash.setting", "values": [9]}], sets=["levers.ash.setting=6"], games=8_000)
    assert [c.value for p in found.points for c in p.changes] == [9]
    assert found.base.distance < found.points[0].distance
    assert found.base.games >= found.points[0].games > 1_000
    assert (found.recommended, found.verdict) == (None, found.base.verdict)
    assert headline(found)[0].startswith("No single number stands out")
    assert "No change that was played does better" in headline(found)[-1]


def test_points_that_are_played_again():
    def point(cost, distance, low):
        return Point((0,), cost, distance, low, distance + 1, 64)

    def chosen_of(front, base=20.0, open_=False):
        return chosen(Searched(point(0, base, base - 0.5), (), tuple(front), (), 0, 0), open_)

    far = [point(n, 20 - n, 19 - n) for n in range(9)]
    near = [point(10 + n, 0.5, 0.0) for n in range(5)]
    kept = list(chosen_of([*far, *near]).values())
    assert kept == [*far[-4:], near[0], near[1], near[-1]]
    assert list(chosen_of(far[1:3], base=25.0)) == [1, 2]
    assert list(chosen_of(far[1:3], base=25.0, open_=True)) == [0, 1, 2]  # its own games leave open what the search thought far
    assert list(chosen_of(far[1:2])) == [0, 1]  # none is surely nearer
    assert list(chosen_of(near[:1], base=0.6)) == [0, 1]


@pytest.mark.parametrize(("wanted", "room", "level"), [([], 9, 0), ([3, 5], 9, 5), ([3, 5], 7, 4), ([50, 2, 50], 20, 9), ([6, 6], 5, 2)])
def test_who_wants_little_gets_it_whole(wanted, room, level):
    assert balance.levelled(wanted, room) == level
    assert sum(min(n, level) for n in wanted) <= room


def test_what_is_recommended():
    def point(name, verdict, cost, distance):
        number = Number("x", None, SimpleNamespace(verdict={"reached": "ok", "not reached": "not ok"}.get(verdict, verdict)), (), 0)
        return PointResult(name, SimpleNamespace(cost=cost, changes=[]), distance, 0, 0, (number,), 0)

    near, maybe, cheap = point("1", "not reached", 1, 0.2), point("2", "undecided", 2, 0.3), point("3", "reached", 3, 0.1)
    dear = point("4", "reached", 4, 0.0)
    farther = point("5", "undecided", 1, 0.4)
    off, open_ = point("now", "not reached", 0, 5.0), point("now", "undecided", 0, 0.35)
    assert _recommended(off, [near, maybe, cheap, dear]) is cheap
    assert _recommended(off, [near, farther, maybe]) is maybe
    assert _recommended(off, [near, point("6", "not reached", 0.5, 9.0)]) is near
    assert _recommended(off, [point("6", "not reached", 0.5, 9.0)]) is None
    assert _recommended(open_, [near]) is None
    assert _recommended(open_, [near, farther]) is None
    assert _recommended(open_, [near, maybe]) is maybe
    assert _recommended(open_, [near, cheap]) is cheap
    assert _recommended(point("now", "reached", 0, 0.0), [cheap]) is None


@pytest.mark.parametrize(("now", "words"), [("undecided", "may be reached, but the games do not tell"), ("not reached", "is not reached")])
def test_words_and_verdict_agree_where_nothing_is_better_than_the_set_as_it_is(now, words):
    def point(name, verdict, distance):
        judged = SimpleNamespace(verdict="not ok" if verdict == "not reached" else verdict)
        return PointResult(name, None, distance, 0, 9, (Number("x", None, judged, (), 0),), 0)

    base, worse = point(NOW, now, 3.1), point("1", "not reached", 4.7)
    found = Balanced(SimpleNamespace(distance=10.9, status="searched"), base, (worse,), None, _recommended(base, [worse]))
    assert found.verdict == now
    assert headline(found) == [
        f"The target {words}, by the set as it is (now, distance 3.10 points, its intervals allow 0.00 to 9.00). "
        "No change that was played does better on fresh keys: none is recommended."
    ]


# Use


SOME_USE = {"match_ups": [40, 60], "usage": {"woods": 20}}  # all crews but north have soft wood
EAST_LEADS = "levers.cedar.setting=4"  # at 57 % against everybody


def uses(point):
    return {n.label: n.judged.verdict for n in point.numbers if n.use}


def test_a_point_that_leaves_an_item_unused_has_not_reached_the_target(workers):
    given = {"target": SOME_USE, "usage_games": 1000, "games": 100_000, "sets": [EAST_LEADS, "levers.ash.setting=9"]}
    changes = [{"path": "levers.ash.setting", "values": [3, 5, 7]}]
    _, found = run(workers, **given, changes=changes)
    assert uses(found.base) == {"use of woods: hard": "ok", "use of woods: soft": "not ok"}  # north alone is held
    by_value = {p.changes[0].value: p for p in found.points}
    good, far = by_value[3], by_value[7]
    assert uses(good) == {"use of woods: hard": "ok", "use of woods: soft": "ok"}
    assert (found.recommended, found.verdict, good.use) == (good, "reached", "ok")
    assert (uses(far), far.use, far.unplayed, far.verdict) == ({}, None, True, "not reached")
    assert [n.label for n in good.numbers[-2:]] == ["use of woods: hard", "use of woods: soft"]
    assert all(n.games == found.recommended.games for n in good.numbers[-2:])
    wide = [{"path": "levers.ash.setting", "values": [5]}]  # north still leads: all match-ups fit, and nobody wants soft wood
    _, found = run(workers, **given | {"target": {"match_ups": [35, 70], "usage": {"woods": 20}}}, changes=wide)
    point = found.points[0]
    assert (point.verdict_but_use, point.use, point.verdict) == ("reached", "not ok", "not reached")
    assert found.verdict == "not reached"
    assert headline(found)[-1] == "Used too little there: of the woods soft 0.0 % (0.00 to 0.00)."


def test_where_use_was_not_played_for_no_point_has_reached_the_target():
    def verdict(answer, unplayed):
        number = Number("x", None, SimpleNamespace(verdict=answer), (), 0)
        return PointResult("1", None, 0, 0, 0, (number,), 0, unplayed).verdict

    answers = [verdict(answer, unplayed) for answer in ("ok", "undecided", "not ok") for unplayed in (False, True)]
    assert answers == ["reached", "undecided", "undecided", "undecided", "not reached", "not reached"]


def test_use_alone_is_not_searched_for(workers):
    folder, found = run(workers, target=SOME_USE, games=100_000, sets=["levers.ash.setting=4"])
    assert (found.base.verdict_but_use, found.verdict, found.record.status) == ("reached", "not reached", "not needed")
    assert (found.points, found.recommended, found.named, len(folder.contests)) == ((), None, None, 6)
    lines = headline(found)
    assert lines[0].startswith("All targets but use hold: distance 0.00 points")
    assert lines[0].endswith("Nothing was searched: use is judged, not searched for.")
    assert lines[1] == "The target is not reached, by the set as it is (now, distance 0.00 points, its intervals allow 0.00 to 0.00)."
    assert lines[2:] == ["Used too little there: of the woods soft 0.0 % (0.00 to 0.00)."]


def test_where_use_alone_is_undecided_the_set_as_it_is_plays_on(workers):
    folder, found = run(workers, target=SOME_USE, games=100_000)
    assert (found.base.verdict_but_use, found.base.use, found.verdict) == ("reached", "undecided", "undecided")
    assert (found.record.status, found.points) == ("not needed", ())
    assert 0.99 * 100_000 < sum(c.games for c in folder.contests) <= 100_000
    assert found.base.games == sum(c.games for c in folder.contests[6:])
    assert found.record.usage.now == [6, 7, 9, 8, 10, 11]  # the pairs by their second crew, as they meet anyway
    assert headline(found)[-1].startswith("Whether it is used enough there, the games do not tell: of the woods soft")


def test_found_crews_are_in_the_field_without_a_target_of_their_own(workers):
    given = {
        "crews": CREWS[:3], "found": ["west"], "target": SOME_USE, "usage_games": 400, "games": 60_000,
        "sets": [EAST_LEADS, "levers.ash.setting=9"], "changes": [{"path": "levers.ash.setting", "values": [3, 8]}],
    }  # fmt: skip
    problem = problem_of(**given)
    assert [m.labels for m in problem.meetings] == [*itertools.combinations(CREWS[:3], 2)]
    assert [m.labels for m in problem.extras] == [(crew, "west") for crew in CREWS[:3]]
    folder, found = run(workers, **given)
    best = found.recommended
    assert (found.record.usage.crews, best.verdict) == (CREWS, "reached")
    settings = [folder.contests[n].setting for n in best.found.field]
    assert [(s["crew"], s["opponent"]) for s in settings] == [(CREWS[i], CREWS[j]) for i, j in pairs(4)]
    points = {s["crew"]: s["point"] for s in settings if s["opponent"] == "west"}
    assert points == {"north": best.name, "east": NOW, "south": NOW}  # ash is in no other match-up of west's
    assert [folder.contests[n].games for n, s in zip(best.found.field, settings, strict=True) if s["opponent"] == "west"] == [400] * 3
    assert min(folder.contests[n].games for n in best.found.contests) > 4000
    assert 0.9 * 60_000 < sum(c.games for c in folder.contests) + found.record.games <= 60_000


def test_use_is_that_of_a_metagame(workers):
    target = {"found": 90, "usage": {"woods": 20}}  # west is on the first side here, and on the second in the field
    given = {"crews": CREWS[:3], "found": ["west"], "target": target, "usage_games": 400, "sets": ["levers.fir.setting=4"]}
    assert [m.labels for m in problem_of(**given).extras] == [*itertools.combinations(CREWS[:3], 2)]
    folder, found = run(workers, **given, games=60_000)
    contests = {place: folder.contests[n] for place, n in zip(pairs(4), found.record.usage.now, strict=True)}
    pool = assembled(folder, found.record.usage.crews, contests, {})
    assert pool.rates[3, 0] == folder.counts(folder.contests[found.record.now[0]]).keys[0] @ np.arange(121) / 120 / folder.contests[0].keys
    assert len({c.keys for c in contests.values()}) == 2  # of different length, and drawn together all the same
    use = {u.item: u for u in metagame.measure(pool, 1).usage if u.part == "woods"}
    seen = {n.label: n for n in found.base.numbers if n.use}
    for item in ("hard", "soft"):
        assert seen[f"use of woods: {item}"].score.mean == pytest.approx(use[item].share, abs=1e-9)


class Field:
    """Crews with numbers for names, of given rates and draws of them."""

    bundle = None

    def __init__(self, rates, draws, builds):
        self.rates, self.drawn, self.game, self.sides = rates, draws, SimpleNamespace(builds=builds), range(len(rates))

    def __len__(self):
        return len(self.rates)

    def draws(self, count, seed):
        return self.drawn


def noise(rng, *shape):
    found = np.triu(0.01 * rng.standard_normal(shape), 1)
    return found - found.swapaxes(-1, -2)


@pytest.mark.parametrize(("leader", "verdict"), [(0, "not ok"), (1, "ok"), (None, "undecided")])
def test_verdicts_on_use(leader, verdict):
    """Four crews, the second of which alone has the item; one leads them all, or nobody does."""
    rates, rng = np.full((4, 4), 0.5), np.random.default_rng(1)
    if leader is not None:
        rates[leader], rates[:, leader] = 0.58, 0.42
        rates[leader, leader] = 0.5
    draws = rates + noise(rng, 300, 4, 4)
    builds = SimpleNamespace(items=lambda bundle, side, part: {"all": 1, "one": int(side == 1)})
    every, one = uses_of(Field(rates, draws, builds), {"part": 0.3}, 1)
    judged = judge([every.claim, one.claim])
    assert [j.verdict for j in judged] == ["ok", verdict]
    assert every.score == Drawn(1.0, 1.0, 1.0)
    assert (judged[1].q <= 0.05) == (verdict != "undecided")


def test_of_equal_crews_few_are_sure_to_be_used():
    """Were one of them a little better, it would be held alone: draws of the rates alone are too sure that it is not."""
    builds, rng = SimpleNamespace(items=lambda bundle, side, part: {"others": int(side > 0)}), np.random.default_rng(2)
    alone, verdicts = [], []
    for _ in range(25):
        rates = 0.5 + noise(rng, 5, 5)
        field = Field(rates, rates + noise(rng, 100, 5, 5), builds)
        verdicts.append(judge([uses_of(field, {"part": 0.2}, 1)[0].claim])[0].verdict)
        drawn = metagame.shares_with(metagame.mixtures_of(field.drawn), np.array([0, 1, 1, 1, 1]))
        alone.append(np.quantile(drawn, 0.025) >= 0.2)
    assert sum(alone) >= 5
    assert verdicts.count("undecided") >= 23


def test_draws_alone_do_not_make_a_verdict():
    draws, far, near = np.full(300, 0.5), np.full(20, 0.5), np.append(np.full(9, 0.5), np.zeros(11))
    for tilts, verdict in (((far, far), "ok"), ((near, far), "undecided")):  # at 2.5 errors the item is not used at all
        claim = claimed(0.5, draws, tilts, 0.2, 3)
        assert judge([claim])[0].verdict == verdict
    assert claimed(0.5, draws, (near, far), 0.2, 3).interval(0.5) == (0.5, 0.5)
    assert claimed(0.5, draws, (far, far), 0.2, 3).interval(0.999) == (0, 1)  # more than 300 draws can tell
    some = np.append(np.full(8, 0.1), np.full(292, 0.5))
    assert judge([claimed(0.5, some, (far, far), 0.2, 3)])[0].verdict == "undecided"
    assert judge([claimed(0.5, some[2:], (far, far), 0.2, 3)])[0].verdict == "ok"  # 6 of 298 draws, and one more, are less than 2.5 %


def test_what_no_mixture_has_is_refused():
    assert most_for_the_least(np.array([[1, 0, 0], [0, 1, 0]]) > 0) == pytest.approx(0.5)
    assert most_for_the_least(np.array([[1, 1, 0], [0, 1, 0]]) > 0) == pytest.approx(1)
    given = {"crews": CREWS[:3], "sets": ["levers.ash.setting=9"]}
    for usage, said in (
        ({"levers": 5}, "target.usage.levers: no crew of the field has oak, pine"),
        ({"wood": 5}, "target.usage.wood: unknown part 'wood'; did you mean 'woods'? (allowed: levers, woods)"),
    ):
        with pytest.raises(BadInput) as error:
            problem_of(**given, target={"match_ups": [47, 53], "usage": usage})
        assert str(error.value.faults[0]).startswith(said)
    with pytest.raises(BadInput, match=r"target.usage: use is counted .*got 2 \(allowed: 3 crews or more"):
        problem_of(crews=CREWS[:2], target=SOME_USE)
    with pytest.raises(BadInput, match=r"usage_games: too few .*got 18 \(allowed: 20 or more"):
        problem_of(target=SOME_USE, usage_games=18)
    for changed, said in (
        ({"usage_games": 100}, "usage_games: goes with target.usage"),
        ({"found": ["west"]}, "found: names crews for target.found or target.usage"),
        ({"target": {"usage": {"woods": 5}}}, "match_ups: is missing"),
        ({"target": {"match_ups": [47, 53], "usage": {"woods": 0}}}, "target.usage.woods"),
        ({"target": {"match_ups": [47, 53], "usage": {"woods": 101}}}, "target.usage.woods"),
        ({"target": {"match_ups": [47, 53], "usage": {}}}, "target.usage"),
    ):
        with pytest.raises(BadInput) as error:
            spec_of(**changed)
        assert any(said in str(fault) for fault in error.value.faults), error.value.faults


def test_a_share_that_the_crews_cannot_have_together_is_refused(monkeypatch):
    own = {"north": "ash", "east": "elm", "south": "fir", "west": "oak"}
    items = lambda self, bundle, side, part: {lever: int(own[side.crew] == lever) for lever in own.values()}  # noqa: E731
    monkeypatch.setattr(levers.LeverBuilds, "items", items)
    assert problem_of(target={"match_ups": [47, 53], "usage": {"levers": 25}}).field
    with pytest.raises(BadInput, match=r"no mixture of these crews .*got 26 \(allowed: at most 25\)"):
        problem_of(target={"match_ups": [47, 53], "usage": {"levers": 26}})


def test_a_rival_that_only_use_looks_at_stays_legal(monkeypatch):
    monkeypatch.setattr(levers.LeverGame, "digest", lambda self, bundle, sides: repr((bundle, sides)))
    given = {"crews": CREWS[:3], "found": ["west"], "target": SOME_USE, "changes": [{"path": "levers.elm.size", "low": 1, "high": 3}]}
    assert problem_of(**given).skipped == (("levers.elm.size", "3: west has size 7"),)


@pytest.mark.parametrize("extra", [{}, {"crews": CREWS[:3], "found": ["west"]}])
def test_games_that_use_needs_are_within_the_budget(workers, extra):
    given = {"target": {"match_ups": [47, 53], "usage": {"woods": 20}}, "usage_games": 1500, "sets": ["levers.ash.setting=7"]} | extra
    given["changes"] = [{"path": "levers.ash.setting", "low": 0, "high": 6}]
    least = least_budget(problem_of(**given), 2)
    with pytest.raises(BadInput, match=f"its use too.*{least} or more .* 6 match-ups of 1500 games, or smaller usage_games"):
        run(workers, **given, games=least - 1)
    for games in (least, 4 * least):
        folder, found = run(workers, **given, games=games)
        assert sum(c.games for c in folder.contests) + found.record.games <= games
        fields = [found.record.usage.now, *(p.field for p in found.record.points if p.field)]
        assert len(fields) > 1 or games == least
        assert min(folder.contests[n].games for field in fields for n in field) >= 1500


# Folders


USED = {"crews": CREWS[:3], "found": ["west"], "target": {"match_ups": [47, 53], "usage": {"woods": 20}}, "usage_games": 400}


@pytest.mark.parametrize("more", [{}, USED])
def test_a_stopped_run_goes_on_to_the_same_bytes(workers, tmp_path, monkeypatch, more):
    given = {"sets": ["levers.ash.setting=7"], "games": 30_000, **more}
    whole, found = run(workers, lambda m, c: store.create(tmp_path / "whole", m, c, False), **given)
    count = 0

    def stopping(self, batch):
        nonlocal count
        count += 1
        if count > 3:
            raise KeyboardInterrupt
        kept(self, batch)

    kept = balance.Ledger.add
    monkeypatch.setattr(balance.Ledger, "add", stopping)
    with pytest.raises(KeyboardInterrupt):
        run(workers, lambda m, c: store.create(tmp_path / "cut", m, c, False), **given)
    monkeypatch.setattr(balance.Ledger, "add", kept)
    assert not (tmp_path / "cut" / RECORD).exists()
    with pytest.raises(BadInput, match="has not ended yet"):
        balanced_folder(store.open_folder(tmp_path / "cut"))
    run(workers, lambda m, c: store.resume(tmp_path / "cut", m, c), **given)
    assert files_of(tmp_path / "cut") == files_of(tmp_path / "whole")
    again = balanced_folder(store.open_folder(tmp_path / "whole"))
    assert [rows(again) for rows in (point_rows, cell_rows, screen_rows)] == [rows(found) for rows in (point_rows, cell_rows, screen_rows)]
    _, in_memory = run(workers, **given)
    assert point_rows(in_memory) == point_rows(found)
    written = write_report(store.open_folder(whole.path))
    assert {path.name for path in written} >= {"report.html", "front.png", "numbers.png", "screen.png"}
    assert "Most out of line: levers.ash.setting = 7" in (whole.path / "report.md").read_text()
    store.create(whole.path, whole.manifest, whole.contests, force=True).lock.release()  # nothing in it is foreign
    assert not (whole.path / RECORD).exists()


def files_of(folder):
    found = {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    manifest = json.loads(next(data for path, data in found.items() if path.name == "run.json"))
    del manifest["times"]
    return {path: data for path, data in found.items() if path.name != "run.json"} | {"run.json": manifest}


def test_a_run_that_plays_on_is_stopped_and_cut_into_other_blocks_to_the_same_bytes(workers, tmp_path):
    spec = spec_of(target=SOME_USE, games=100_000)
    plan = plan_of(spec, planned(spec, levers.GAME))
    manifest = plan.manifest("bhsim balance levers.toml")
    carry_out(store.create(tmp_path / "whole", manifest, plan.contests, False), plan, workers)
    games = 0

    def stopping(count):
        nonlocal games
        games += count
        if games > 40_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(store.create(tmp_path / "cut", plan.manifest(manifest["command"]), plan.contests, False), plan, workers, 99, stopping)
    two = Threads(2)
    assert len(store.open_folder(tmp_path / "cut").contests) == 12
    with store.resume(tmp_path / "cut", plan.manifest(manifest["command"]), plan.contests) as resumed:
        found = carry_out(resumed, plan, two, 1000)
    two.close()
    assert files_of(tmp_path / "cut") == files_of(tmp_path / "whole")
    assert cell_rows(balanced_folder(store.open_folder(tmp_path / "whole"))) == cell_rows(found)


def test_a_record_of_use_that_does_not_fit_is_told(workers, tmp_path):
    given = {**USED, "sets": ["levers.ash.setting=7"], "games": 30_000}
    folder, _ = run(workers, lambda m, c: store.create(tmp_path / "run", m, c, False), **given)
    text = (folder.path / RECORD).read_text()
    assert json.loads(text)["points"][-1]["field"]
    for damage in (
        lambda r: r["points"][-1]["field"].reverse(),
        lambda r: r["usage"]["now"].pop(),
        lambda r: r["usage"]["crews"].reverse(),
        lambda r: r["usage"]["least"].update(runners=0.05),
        lambda r: r["usage"]["now"].__setitem__(0, 999),
        lambda r: r.update(usage=None),
    ):
        record = json.loads(text)
        damage(record)
        (folder.path / RECORD).write_text(json.dumps(record))
        with pytest.raises(BadInput, match="does not fit the contests"):
            balanced_folder(store.open_folder(folder.path))


def test_a_damaged_record_is_told(workers, tmp_path):
    folder, _ = run(workers, lambda m, c: store.create(tmp_path / "run", m, c, False), sets=["levers.ash.setting=7"], games=30_000)
    text = (folder.path / RECORD).read_text()
    for damaged, said in ((text[:100], "damaged"), (text.replace('"keys"', '"kees"'), "damaged")):
        (folder.path / RECORD).write_text(damaged)
        with pytest.raises(BadInput, match=said):
            read_record(folder.path, Record)
    found = json.loads(text)
    found["points"][0]["contests"][0] = 999
    (folder.path / RECORD).write_text(json.dumps(found))
    with pytest.raises(BadInput, match="does not fit the contests"):
        balanced_folder(store.open_folder(folder.path))


def test_a_record_that_says_something_else_is_refused(workers, tmp_path):
    folder, _ = run(workers, lambda m, c: store.create(tmp_path / "run", m, c, False), sets=["levers.ash.setting=7"], games=13_000)
    text = (folder.path / RECORD).read_text()
    for damage in (
        lambda found: found.update(targets=[]),
        lambda found: found["targets"][0].update(meetings=[]),
        lambda found: found["targets"][0].update(low=0.9),
        lambda found: found.update(first_player=[0.6, 0.4]),
        lambda found: found["points"][0].update(cost=float("inf")),
        lambda found: found["points"][0].update(name="../../x"),
        lambda found: found["points"][0].update(contests=found["points"][0]["contests"][::-1]),
        lambda found: found.update(now=[0] * len(found["now"])),
        lambda found: found.update(points=[]),
        lambda found: found.update(status="not needed"),
        lambda found: found.update(games=-5),
    ):
        damage(found := json.loads(text))
        (folder.path / RECORD).write_text(json.dumps(found))
        with pytest.raises(BadInput, match=r"is damaged|does not fit the contests") as caught:
            balanced_folder(store.open_folder(folder.path))
        assert caught.value.faults[0].file == str(folder.path / RECORD)


def test_of_several_sets_of_a_path_a_variant_holds_the_last(workers):
    sets = ["levers.oak.setting=1", "levers.oak.setting=4", "levers.ash.setting=6", "levers.ash.setting=7"]
    folder, found = run(workers, sets=sets, games=30_000)
    point = next(p for p in found.points if [c.path for c in p.changes] == ["levers.ash.setting"])
    text = variant_text(folder.manifest, point)
    assert text.endswith(f'[set]\n"levers.ash.setting" = {point.changes[0].value}\n"levers.oak.setting" = 4\n')


def test_the_first_player_is_that_of_the_crews_alone(workers):
    spec = {"target": {"found": 100, "first_player": [40, 60]}, "crews": ["north", "east"], "found": ["west"], "games": 20_000}
    folder, found = run(workers, **spec)
    contests = {number for n in found.base.numbers if n.label == "first player" for number in n.contests}
    assert [folder.contests[n].setting["opponent"] for n in contests] == ["east"]


def test_crews_that_play_the_same_games_and_runs_of_other_games_are_refused(workers, tmp_path):
    folder, _ = run(workers, lambda m, c: store.create(tmp_path / "run", m, c, False), sets=["levers.ash.setting=7"], games=13_000)
    twin = tmp_path / "twin.toml"
    twin.write_text(Path("crews/purple.toml").read_text().replace('name = "Purple"', 'name = "Twin"'))
    usual = {"name": "b", "target": {"found": 55}, "changes": [{"path": "runners.gh0st.attack", "up": 1}]}
    for given, field, said in (
        ({"crews": ["purple", str(twin), "green"], "found": ["amber"]}, "crews.1", "plays with the same numbers as purple"),
        ({"crews": ["purple", "green"], "found": [str(twin)]}, "found", "no crew is found that is not listed"),
        ({"crews": ["purple", "green"], "meta": str(folder.path)}, "meta", "is a run of levers"),
    ):
        with pytest.raises(BadInput, match=said) as caught:
            planned(parse_balance({**usual, **given}), find("skirmish"))
        assert [f.field for f in caught.value.faults] == [field]


def test_a_variant_holds_what_set_had_changed(workers):
    folder, found = run(workers, sets=["levers.ash.setting=7", "levers.oak.setting=4"], games=30_000)
    point = next(p for p in found.points if [c.path for c in p.changes] == ["levers.ash.setting"])
    text = variant_text(folder.manifest, point)
    changed = point.changes[0].value
    assert text.endswith(f'[set]\n"levers.ash.setting" = {changed}\n"levers.oak.setting" = 4\n')
    assert f"cost {point.cost:g}" in text
    assert "house values" in text
