"""Nothing that a user asks for is lost without a word: overlapping axes, undone changes, twins, and what no spec may say."""

import logging
import shutil

import coinflip  # noqa: F401 (registers its game)
import numpy as np
import pytest
from typer.testing import CliRunner

import bhsim
from bhsim.cli.app import app
from bhsim.errors import BadInput
from bhsim.games.game import Options, find
from bhsim.games.skirmish.places import resolve
from bhsim.lab.design import points_of
from bhsim.lab.factors import parse_sensitivity, planned
from bhsim.lab.overlaps import overlapping, undone_sets, within
from bhsim.lab.spec import parse_spec
from bhsim.lab.sweep import contests_of

COINS = {"name": "x", "game": "coinflip", "games": 20, "crew": "60", "opponents": ["40"]}
EDGE = {"path": "edge", "values": [0, 10]}
SKIRMISH = 'name = "s"\ngames = 4\ncrew = "purple"\nopponents = ["green"]\n[[axes]]\npath = "runners.gh0st.attack"\nvalues = [1, 2]\n'


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def call(*words):
    done = CliRunner().invoke(app, [str(w) for w in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def refused(data, message):
    with pytest.raises(BadInput, match=message):
        parse_spec(COINS | data)


def test_paths_within_each_other():
    assert within("cards.x.effects.0.amount", "cards.x.effects")
    assert within("runners.Gh0st.attack", "runners.gh0st.attack")
    assert within("cards.Big Hack.damage", "cards.big_hack.damage")
    assert not within("cards.x.effects", "cards.x.effects.0.amount")
    assert not within("cards.x.effects.10", "cards.x.effects.1")
    assert len(overlapping([("a", "x.y"), ("b", "x"), ("c", "x.z"), ("d", "w")])) == 2


@pytest.mark.parametrize(
    "axes",
    [
        [EDGE, EDGE | {"name": "again"}],
        [EDGE, {"path": "Edge", "values": [1]}],
        [{"path": "cards.x.effects", "values": [[]]}, {"path": "cards.x.effects.0.amount", "values": [1]}],
        [{"path": "cards.x.effects.0.amount", "values": [1]}, {"path": "cards.x.effects", "values": [[]]}],
        [{"rule": "edge", "values": [1]}, {"path": "rules.edge", "values": [1], "name": "other"}],
        [{"deck": ["a"], "side": "both"}, {"deck": ["b"], "side": "b"}],
        [{"crew": ["60"]}, {"crew": ["50"], "side": "a", "name": "again"}],
        [{"board": ["a"]}, {"board": ["b"], "name": "again"}],
    ],
)
def test_two_axes_of_the_same_value_are_refused(axes):
    refused({"axes": axes}, r"axes\.1\.\w+: .*only one of them would count")


def test_axes_beside_each_other_are_fine():
    axes = [
        {"path": "cards.x.effects.0.amount", "values": [1]}, {"path": "cards.x.effects.1.amount", "values": [1]},
        {"deck": ["a"], "side": "a"}, {"deck": ["b"], "side": "b"}, {"variant": ["v"]}, {"variant": ["w"], "name": "more"},
    ]  # fmt: skip
    assert len(parse_spec(COINS | {"axes": axes}).axes) == 6


def test_a_set_that_an_axis_undoes_is_refused():
    refused({"axes": [EDGE], "sets": ["draw=1", "edge = 3"]}, r"^sets\.1: edge is set anew by an axis")
    refused({"axes": [{"rule": "edge", "values": [1]}], "sets": ["rules.edge=3"]}, r"^sets\.0: rules\.edge is set anew")
    refused({"axes": [{"board": ["a"]}], "board": "b"}, r"^board: axes\.0\.board chooses it in every contest")
    assert undone_sets(["cards.x.effects=[]"], ["cards.x.effects.0.amount"]) == []  # the axis changes what the set has made


def test_options_are_named_as_such(tmp_path):
    (tmp_path / "s.toml").write_text(SKIRMISH)
    done = call("sweep", "s.toml", "--set", "rules.points_to_win=5", "--set", "runners.Gh0st.attack=5")
    assert (done.exit_code, done.stderr.split(" is ")[0]) == (2, "error: --set: runners.Gh0st.attack")
    (tmp_path / "b.toml").write_text(SKIRMISH.replace('path = "runners.gh0st.attack"\nvalues', "board").replace("[1, 2]", '["house"]'))
    assert call("sweep", "b.toml", "--board", "house").stderr.startswith("error: --board: axes.0.board chooses it")
    assert call("sweep", "s.toml", "--variant", "none").stderr.startswith("error: --variant: 'none' stands for no file")
    with pytest.raises(BadInput, match=r"^set: edge is set anew"):
        bhsim.sweep(COINS | {"axes": [EDGE]}, set={"edge": 3})


def test_a_check_refuses_a_set_that_an_axis_of_its_baseline_undoes(tmp_path):
    bhsim.sweep(COINS | {"games": 400, "axes": [EDGE]}, out="base")
    done = call("check", "base", "--set", "edge=5")
    assert (done.exit_code, done.stderr.split(" is ")[0]) == (2, "error: --set: edge")
    with pytest.raises(BadInput, match=r"^set: edge is set anew"):
        bhsim.check("base", set={"edge": 5})
    assert call("check", "base", "--set", "draw=0").exit_code == 0


def test_factors_undo_nothing_either():
    spec = COINS | {"factors": [{"path": "edge", "low": 0, "high": 9}, {"path": "draw", "low": 0, "high": 9}]}
    with pytest.raises(BadInput, match=r"^sets\.0: edge is set anew"):
        parse_sensitivity(spec | {"sets": ["edge=1"]})
    with pytest.raises(BadInput, match=r"^factors\.2\.path: Edge is what factors\.0\.path changes"):
        parse_sensitivity(spec | {"factors": [*spec["factors"], {"path": "Edge", "low": 1, "high": 2}]})


def test_a_factor_of_a_whole_list_keeps_patterns_out_of_it():
    spec = {
        "name": "x", "games": 4, "crew": "purple", "opponents": ["green"],
        "factors": [{"path": "runners.gh0st.effects", "low": [], "high": []}, {"paths": "runners.gh0st.*", "step": 1}],
    }  # fmt: skip
    skirmish = find("skirmish")
    spec["factors"][0]["high"] = [row.model_dump(exclude_unset=True) for row in skirmish.load(Options()).cardset.runners["gh0st"].effects]
    plan = planned(parse_sensitivity(spec), skirmish)
    assert [f.path for f in plan.factors] == ["runners.gh0st.effects", "runners.gh0st.bandwidth", "runners.gh0st.attack"]
    assert ("runners.gh0st.effects.0.amount", "the factor runners.gh0st.effects changes it") in plan.skipped


def test_a_variant_that_an_axis_undoes_is_noted(tmp_path, caplog):
    (tmp_path / "v.toml").write_text('name = "v"\nset."runners.gh0st.attack" = 4\nset."rules.points_to_win" = 5\n')
    spec = {"name": "x", "games": 4, "crew": "purple", "opponents": ["green"], "variants": ["v.toml"]}
    axis = {"path": "runners.Gh0st.attack", "values": [1, 2]}
    with caplog.at_level(logging.WARNING, "bhsim.lab"):
        contests_of(parse_spec(spec | {"axes": [axis | {"path": "runners.wee_rin.attack"}]}), find("skirmish"))
        assert not caplog.messages
        contests_of(parse_spec(spec | {"axes": [axis]}), find("skirmish"))
        assert [m.split(" is ")[0] for m in caplog.messages] == ["note: runners.gh0st.attack of a variant"]
        planned(parse_sensitivity(spec | {"factors": [{"path": "runners.gh0st.attack", "low": 1, "high": 2}]}), find("skirmish"))
        assert len(caplog.messages) == 2


def test_twins_are_noticed_by_what_they_are(tmp_path):
    shutil.copy(resolve("crew", "purple")[0], tmp_path / "p.toml")
    shutil.copy(resolve("bot", "fixer")[0], tmp_path / "f.toml")
    base = {"name": "x", "games": 4}
    for data, message in (
        ({"crews": ["purple", "./p.toml", "green"]}, r"crews: purple and \./p\.toml are the same"),
        ({"crew": "green", "opponents": ["purple", "./p.toml"]}, r"opponents: purple and \./p\.toml are the same"),
        ({"crews": ["purple", "green"], "panel": ["fixer", "f.toml"]}, r"panel: fixer and f\.toml are the same"),
    ):
        with pytest.raises(BadInput, match=f"^{message}$"):
            contests_of(parse_spec(base | data), find("skirmish"))
    assert len(contests_of(parse_spec(base | {"crews": ["purple", "green"], "panel": ["fixer", "racer"]}), find("skirmish"))) == 2
    assert len(contests_of(parse_spec(base | {"crew": "purple", "opponents": ["p.toml", "green"]}), find("skirmish"))) == 2  # a mirror


AXIS = {"path": "edge"}
WRONG = [
    ({"axes": [AXIS | {"range": [0, (1 << 63) - 1]}]}, r"axes\.0\.range: 0 to 9223372036854775807 is none"),
    ({"axes": [AXIS | {"range": [-1e308, 1e308]}], "design": "sobol", "points": 3}, r"axes\.0\.range: .* is none"),
    ({"axes": [AXIS | {"range": [0, 10**400]}]}, r"axes\.0\.range: .* is none"),
    ({"axes": [AXIS | {"range": [False, True]}]}, r"axes\.0\.range\.0: must be a number, got False"),
    ({"axes": [AXIS | {"range": ["1", 2]}]}, r"axes\.0\.range\.0: must be a number, got '1'"),
    ({"axes": [AXIS | {"range": [1, 3], "step": 10}]}, r"axes\.0\.step: 10 does not divide the range"),
    ({"axes": [AXIS | {"range": [1, 3], "step": True}]}, r"axes\.0\.step: must be a number, got True"),
    ({"axes": [AXIS | {"range": [1, 3], "step": 10**400}]}, r"axes\.0\.step: .*does not divide the range"),
    ({"axes": [EDGE | {"name": "a\nb"}]}, r"axes\.0\.name: 'a\\nb' holds a control character"),
    ({"axes": [EDGE | {"name": ""}]}, r"axes\.0\.name: is empty"),
    ({"axes": [AXIS | {"values": ["a", "b\x1b[31m"]}]}, r"axes\.0\.values\.1: .* holds a control character"),
    ({"axes": [{"bot": ["a\x00"]}]}, r"axes\.0\.bot\.0: .* holds a control character"),
    ({"crew": "60\t"}, r"crew: .* holds a control character"),
    ({"opponents": ["4\u20280"]}, r"opponents\.0\.crew: .* holds a control character"),
    ({"opponents": [3]}, r"opponents\.0: must be a crew's name or a table, got 3"),
    ({"variants": ["none"]}, r"variants: 'none' stands for no file"),
    ({"axes": [{"variant": [["none", "none"], "none"]}]}, r"axes\.0\.variant: none stands twice"),
    ({"axes": [{"variant": [["v", "none"], "v"]}]}, r"axes\.0\.variant: v stands twice"),
    ({"limits": {"crew": [40, 60]}}, r"limits\.crew: only with crews"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), WRONG, ids=range(len(WRONG)))
def test_what_a_spec_may_not_say(data, message):
    refused(data, f"^{message}")


def test_whole_numbers_far_apart_are_drawn_whole():
    far = [{"path": "edge", "range": [0, 1 << 53]}, {"path": "draw", "range": [-(2.0**53), 2.0**53]}]
    spec = parse_spec(COINS | {"design": "sobol", "points": 8, "axes": far})
    assert all(isinstance(edge, int) and 0 <= edge <= 1 << 53 and abs(draw) <= 2.0**53 for edge, draw in points_of(spec))


def test_messages_about_many_paths_are_short():
    many = {"name": "x", "games": 4, "crew": "purple", "opponents": ["green"], "factors": [{"paths": "runners.*.attack", "step": 1000}]}
    with pytest.raises(BadInput, match=r"varied \(runners\.\w+\.attack: is out of range.* and \d+ more\)$") as caught:
        planned(parse_sensitivity(many), find("skirmish"))
    assert str(caught.value).count("is out of range") == 4


def test_a_spec_may_hold_what_python_holds():
    want = bhsim.sweep(COINS | {"axes": [{"path": "edge", "values": [0, 1, 2]}], "limits": {"cell": [10, 90]}}, seed=3)
    axes = ({"path": "edge", "values": range(3)}, {"path": "edge", "values": np.arange(3)}, {"path": "edge", "values": (0, np.int64(1), 2)})
    for axis in axes:
        spec = COINS | {"opponents": ("40",), "games": np.int64(20), "axes": (axis,), "limits": {"cell": (10, np.float64(90))}}
        got = bhsim.sweep(spec, seed=np.uint32(3), threads=np.int8(1))
        assert got.frame.equals(want.frame)
        assert got.run.manifest == want.run.manifest | {"command": got.run.manifest["command"], "times": got.run.manifest["times"]}
        assert "np." not in got.run.manifest["command"]


@pytest.mark.parametrize(
    ("verb", "given", "words"),
    [
        ("play", {"threads": "2"}, "threads: must be a whole number, got '2'"),
        (
            "play",
            {"games": 2.5, "seed": True, "force": "yes"},
            "games: must be a whole number, got 2.5\nseed: must be a whole number, got True\n",
        ),
        ("play", {"games": None}, "games: must be a whole number"),
        ("play", {"force": True}, "force: replaces what is there already"),
        ("plan", {"pilot": "x"}, "pilot: must be a whole number, got 'x'"),
        ("plan", {"alpha": "0.1", "detect": [1]}, "detect: must be a number, got [1]\nalpha: must be a number"),
        (
            "plan",
            {"alpha": 1e-300, "power": 0.9999999999999999},
            "alpha: out of range, got 1e-300 (allowed: 1e-09 to 0.5)\npower: out of range",
        ),
        ("effects", {"builds": "many"}, "builds: must be a whole number"),
        ("effects", {"force": True, "builds": 200}, "force: replaces"),
    ],
)
def test_arguments_of_another_kind_are_bad_input(verb, given, words):
    match_up = ("purple", "green") if verb == "effects" else ("60", "40")
    with pytest.raises(BadInput) as caught:
        getattr(bhsim, verb)(*match_up, **given, **({} if verb == "effects" else {"game": "coinflip"}))
    assert str(caught.value).startswith(words)


def test_arguments_of_a_check_and_a_comparison(tmp_path):
    bhsim.sweep(COINS | {"games": 400, "axes": [EDGE]}, out="base")
    for given, words in (
        ({"margin": "2"}, "margin: must be a number"),
        ({"max_games": 1.5}, "max_games: must be"),
        ({"force": True}, "force: repl"),
    ):
        with pytest.raises(BadInput, match=f"^{words}"):
            bhsim.check("base", **given)
    for rows in (5, ["0", 1], "01"):
        with pytest.raises(BadInput, match=r"^rows: "):
            bhsim.compare("base", rows=rows)
    assert bhsim.compare("base", rows=np.array([0, 1])).changes


def test_options_that_would_do_nothing_and_numbers_that_are_none():
    play, effects = ("play", "60", "40", "--game", "coinflip"), ("effects", "purple", "green")
    bhsim.sweep(COINS | {"games": 400, "axes": [EDGE]}, out="base")
    for words, message in (
        ((*play, "--force"), "--force: replaces what is there already, but nothing is written (allowed: with --out or --rows)"),
        ((*effects, "--force"), "--force: replaces what is there already, but nothing is written (allowed: with --out)"),
        (("check", "base", "--force"), "--force: replaces"),
        ((*effects, "--games", 1), "--games: too few to tell how keys vary, got 2 (allowed: 4 or more)"),
        (("compare", "base", "--rows", "²,1"), "--rows: are no numbers of contests"),
        (("plan", "60", "40", "--game", "coinflip", "--alpha", "1e-300"), "--alpha: out of range"),
        (("plan", "60", "40", "--game", "coinflip", "--power", "0.9999999999999999"), "--power: out of range"),
    ):
        done = call(*words)
        assert done.exit_code == 2, words
        assert done.stderr.startswith(f"error: {message}"), done.stderr
    assert call(*play, "--games", 20, "--rows", "r.parquet").exit_code == 0
    assert call(*play, "--games", 20, "--rows", "r.parquet", "--force").exit_code == 0
    assert call("plan", "60", "40", "--game", "coinflip", "--alpha", 1e-9, "--power", 0.999999999, "--detect", 0.001).exit_code == 0
