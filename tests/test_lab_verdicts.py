"""Verdicts against limits, crews' means over reused keys, and verdicts that depend on the bot."""

import math

import numpy as np
import pytest
from coinflip import GAME
from test_lab_sweep import SPEC, run

from bhsim.games import game as protocol
from bhsim.lab import carry, store
from bhsim.lab.findings import depends_on_bot, findings_of, key_scores
from bhsim.lab.spec import Limits
from bhsim.lab.sweep import contests_of, parse_spec
from bhsim.lab.verdicts import judge, of_difference, of_score
from bhsim.report.sweeps import panel_grids
from bhsim.stats.intervals import from_keys
from bhsim.stats.paired import paired_difference
from bhsim.stats.pooled import pooled_mean

LIMITS = (0.45, 0.55)
ROUND = {
    "name": "round", "game": "coinflip", "games": 4000, "seed": 2, "crews": ["50", "55", "90"], "limits": {"cell": [40, 60]},
}  # fmt: skip


def score(rate, keys):
    won = round(rate * keys)
    return from_keys(np.array([0.0, 0.5, 1.0]), np.array([keys - won, 0, won]))


def test_inside_outside_and_across():
    found = judge([of_score(score(rate, 4000), LIMITS) for rate in (0.5, 0.6, 0.4, 0.55)])
    assert [(j.verdict, j.decision) for j in found] == [
        ("ok", "ok"), ("not ok", "too high"), ("not ok", "too low"), ("undecided", "undecided"),
    ]  # fmt: skip
    assert [j.q <= 0.05 for j in found] == [True, True, True, False]


@pytest.mark.parametrize("rate", np.linspace(0.4, 0.6, 41))
def test_a_single_verdict_is_that_of_its_95_percent_interval(rate):
    one = score(rate, 900)
    (found,) = judge([of_score(one, LIMITS)])
    assert (found.low, found.high) == pytest.approx((one.low, one.high))
    inside, outside = one.low >= 0.45 and one.high <= 0.55, one.high < 0.45 or one.low > 0.55
    assert found.verdict == ("ok" if inside else "not ok" if outside else "undecided")
    assert (found.q <= 0.05) == (inside or outside)


def test_a_family_is_judged_at_the_level_that_its_size_leaves():
    """A rate whose 95 % interval just leaves the limits is decided alone, not among twenty that say nothing."""
    edge = of_score(score(0.585, 900), LIMITS)
    nothing = [of_score(score(0.55, 900), LIMITS)] * 19
    assert judge([edge])[0].verdict == "not ok"
    among = judge([edge, *nothing])
    assert among[0].verdict == "undecided"
    assert among[0].level == pytest.approx(1 - 0.05 / 20)
    clear = judge([edge, *[of_score(score(0.7, 900), LIMITS)] * 19])
    assert clear[0].verdict == "not ok"
    assert clear[0].level == pytest.approx(0.95)


def test_verdict_and_q_never_disagree():
    luck = np.random.default_rng(1)
    for size in (1, 3, 30):
        found = judge([of_score(score(rate, 500), LIMITS) for rate in luck.uniform(0.38, 0.62, size)])
        assert all((j.q <= 0.05) == (j.verdict != "undecided") for j in found)


def test_certain_numbers_do_not_count():
    mirror = from_keys(np.array([0.5]), np.array([100]), mirror=True)
    same = paired_difference(np.ones(50), np.ones(50), identical=True)
    found = judge([of_score(mirror, LIMITS), of_score(score(0.585, 900), LIMITS)])
    assert [j.verdict for j in found] == ["ok", "not ok"]
    assert found[0].low == found[0].high == 0.5
    assert judge([of_difference(same, (-0.02, 0.02))])[0].verdict == "ok"


def test_differences_against_their_margin():
    luck = np.random.default_rng(3)
    a = luck.integers(0, 5, 5000) / 4
    for shift, verdict in ((0.0, "ok"), (0.25, "not ok")):
        gap = paired_difference(np.where(luck.random(5000) < 0.3, np.minimum(a + shift, 1), a), a)
        found = judge([of_difference(gap, (-0.02, 0.02))])[0]
        assert found.verdict == verdict
        assert (found.low, found.high) == pytest.approx((gap.low, gap.high))


def test_a_difference_in_few_keys_is_judged_by_its_wider_interval():
    a = np.full(300, 0.5)
    b = a.copy()
    b[:4] = 0
    gap = paired_difference(a, b)
    assert gap.corrected
    found = judge([of_difference(gap, (-0.02, 0.02))])[0]
    assert (found.low, found.high) == pytest.approx((gap.low, gap.high))


def test_limits_follow_the_number_of_sides():
    assert Limits().shares("cell", 2) == (0.45, 0.55)
    assert Limits().shares("first", 4) == (0.22, 0.28)
    assert Limits(cell=[40, 50]).shares("cell", 4) == (0.4, 0.5)
    assert Limits().shares("difference", 2) == (-0.02, 0.02)


def test_pooled_mean_counts_a_key_once():
    luck = np.random.default_rng(5)
    a = luck.integers(0, 5, 4000) / 4
    b = luck.integers(0, 5, 4000) / 4
    twice, once, apart = pooled_mean([a, a]), pooled_mean([a]), pooled_mean([a, b])
    assert twice.se == pytest.approx(once.se) == pytest.approx(a.std() / math.sqrt(4000))
    assert apart.se == pytest.approx(((a + b) / 2).std() / math.sqrt(4000))
    against = pooled_mean([a, 1 - a])
    assert against.se == pytest.approx(0)
    assert against.low < against.mean == 0.5 < against.high
    longer = pooled_mean([a, b[:1000]])
    assert longer.mean == pytest.approx((a.mean() + b[:1000].mean()) / 2)
    independent = math.sqrt(a.var() / 4000 + b[:1000].var() / 1000) / 2
    assert longer.se == pytest.approx(independent, rel=0.05)
    with pytest.raises(ValueError, match="no contest"):
        pooled_mean([])


def test_crews_of_all_against_all(tmp_path):
    folder = run(tmp_path / "r", ROUND)
    found = findings_of(store.open_folder(folder.path))
    assert [c.crew for c in found.crews] == ["50", "55", "90"]
    weak, _, strong = found.crews
    assert weak.judged.decision == "too low"
    assert strong.judged.decision == "too high"
    contests = contests_of(parse_spec(ROUND), GAME)
    middle = (1 - key_scores(folder, contests[0])) / 2 + key_scores(folder, contests[2]) / 2  # as second against 50, as first against 90
    assert found.crews[1].score.mean == pytest.approx(middle.mean())
    assert found.crews[1].score.se == pytest.approx(middle.std() / math.sqrt(2000))
    assert sum(c.score.mean for c in found.crews) == pytest.approx(1.5)
    assert [found.cell[n].decision for n in range(3)] == ["ok", "too low", "too low"]


def test_base_of_the_differences(tmp_path):
    spec = {**SPEC, "base": {"edge": 10, "crew a": "70"}}
    folder = run(tmp_path / "r", spec)
    found = findings_of(folder)
    assert set(range(12)) - set(found.differences) == {3, 9}
    expected = paired_difference(key_scores(folder, folder.contests[0]), key_scores(folder, folder.contests[3]))
    assert found.differences[0] == expected
    assert findings_of(run(tmp_path / "p", {**SPEC, "base": {"crew a": "70"}})).differences.keys() == set(range(12)) - {1, 7}


def test_only_bots_that_decide_can_disagree():
    assert depends_on_bot(["ok", "too low"])
    assert depends_on_bot(["too high", "too low", "undecided"])
    assert not depends_on_bot(["ok", "undecided", "ok"])
    assert not depends_on_bot(["undecided", "undecided"])


class Clumsy(type(GAME)):
    """Coins whose result depends on the bot: with "toe" the second side always has 90."""

    name = "clumsy"

    def pack(self, tables, bundle, sides):
        packed = super().pack(tables, bundle, sides)
        return np.array([packed[0], 90 if sides[0].bot == "toe" else packed[1]])


def test_a_verdict_that_depends_on_the_bot_is_marked(tmp_path, monkeypatch):
    monkeypatch.setitem(protocol._registered, "clumsy", Clumsy())
    spec = parse_spec({"name": "p", "game": "clumsy", "games": 4000, "crew": "50", "opponents": ["51", "95"], "panel": ["thumb", "toe"]})
    contests = contests_of(spec, Clumsy())
    manifest = store.manifest_of("p", "sweep", contests, 1, spec.model_dump(mode="json"), "bhsim sweep p.toml")
    folder = store.create(tmp_path / "r", manifest, contests, False)
    carry.run(folder, 1)
    found = findings_of(folder)
    (grid,) = panel_grids(found)
    assert grid.head == ["opponent", "thumb", "toe", "verdict"]
    marks = {row[0]: row[-1] for row in grid.rows}
    assert marks == {"51": "depends on the bot", "95": ""}
