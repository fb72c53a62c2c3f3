"""A run of ``optimise`` from within: what is confirmed, what the intervals hold for, whom it plays against, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bhsim.errors import BadInput
from bhsim.games.game import Options, SideNames
from bhsim.games.skirmish.game import GAME
from bhsim.games.spaces import Freedom
from bhsim.lab import store
from bhsim.lab.arena import search_root
from bhsim.lab.executors import Threads
from bhsim.lab.findings import key_scores
from bhsim.lab.memory import Kept
from bhsim.lab.opponents import opponents_of
from bhsim.lab.optimise import carried_out, games_in, least, planned, start_of
from bhsim.lab.optimise_found import Record
from bhsim.lab.optimum import measure, optimum_of
from bhsim.lab.record import RECORD, read_record
from bhsim.lab.results import evaluate
from bhsim.lab.search import Goal, least_games, search
from bhsim.report.optimise import grids, optimise_sections, texts
from bhsim.stats.intervals import from_keys
from bhsim.stats.paired import paired_difference

BUNDLE = GAME.load(Options())
FIELD = opponents_of(GAME, BUNDLE, ("purple", "green"), "racer")
ALONE = opponents_of(GAME, BUNDLE, ("green",), "racer")
START = start_of(GAME, BUNDLE, SideNames("purple", bot="racer"), FIELD)
CREWS, ONE_CARD = Freedom(("crew",)), Freedom(("deck",), max_changes=1)
RUNNERS, RIGS = list(BUNDLE.cardset.runners), list(BUNDLE.cardset.rigs)
HAS = {name for member in START.crew_model.members for name in (member.runner, member.rig)}
SWAPS = Freedom(("crew",), ban=tuple(n for n in (*RUNNERS, *RIGS) if n not in HAS), members=range(4, 5), max_changes=2)  # seven builds
LONE = Freedom(("crew",), ban=(*RUNNERS[1:], *RIGS[1:]))  # one, and not the start


@pytest.fixture(scope="module")
def threads():
    executor = Threads(2)
    yield executor
    executor.close()


def plan_of(goal="mean", games=3_200, keep=3, freedom=CREWS, seed=5, start=START, field=FIELD):
    return planned(GAME, BUNDLE, start, field, field.goal(goal), freedom, games, keep, seed)


@pytest.fixture(scope="module")
def run(threads):
    """A run in memory, with what it found."""
    plan = plan_of()
    folder = Kept(plan.manifest("bhsim optimise ..."), plan.contests)
    return plan, folder, carried_out(plan, folder, threads)


def test_the_budget_is_for_search_and_confirmation(run):
    plan, folder, found = run
    confirmed = sum(c.games for c in folder.contests)
    assert plan.games - confirmed == plan.search_games >= found.record.games > 0.9 * plan.search_games
    assert found.games == found.record.games + confirmed <= plan.games
    assert 0.2 * plan.games < confirmed <= plan.games / 4
    assert {c.keys for c in folder.contests} == {plan.keys}


def test_values_are_those_of_fresh_keys_and_ranked_by_them(run):
    _, folder, found = run
    assert [b.value.mean for b in found.best] == sorted((b.value.mean for b in found.best), reverse=True)
    assert len({b.name for b in found.best}) == len(found.best) == 3
    for build in [*found.best, found.start]:
        contests = [folder.contests[n] for n in build.contests]
        assert all(c.sides[0].crew == build.side.crew for c in contests)
        assert build.rates == tuple(evaluate(folder.counts(c)).sides[0].score for c in contests)
        assert build.value.mean == pytest.approx(np.mean([rate.mean for rate in build.rates]))
        keys = np.mean([key_scores(folder, c) for c in contests], axis=0)
        alone = from_keys(*np.unique(keys, return_counts=True), found.level)
        assert (build.value.low, build.value.high) == pytest.approx((alone.low, alone.high))
        if build is not found.start:
            theirs = np.mean([key_scores(folder, folder.contests[n]) for n in found.start.contests], axis=0)
            assert build.gain.low == pytest.approx(paired_difference(keys, theirs, found.level).low)
            assert build.optimism == build.seen.value - build.value.mean
    assert found.level == pytest.approx(1 - 0.05 / 3)


def test_the_worst_match_up_has_an_interval_for_whichever_it_is(run):
    plan, folder, _ = run
    folder.manifest["spec"] |= {"goal": "worst"}
    found = measure(folder, read(run))
    folder.manifest["spec"] |= {"goal": plan.goal.kind}
    for build in found.best:
        assert build.value.mean == min(rate.mean for rate in build.rates)
        wide = [evaluate(folder.counts(folder.contests[n]), 1 - 0.05 / 6).sides[0].score for n in build.contests]
        assert build.value.low == min(rate.low for rate in wide)
        assert build.value.high == min(rate.high for rate in wide)


def read(run):
    return run[2].record


def test_mixtures_weigh_the_opponents(run):
    plan, folder, _ = run
    folder.manifest["spec"] |= {"goal": "mixture", "weights": [0.25, 0.75]}
    found = measure(folder, read(run))
    folder.manifest["spec"] |= {"goal": plan.goal.kind, "weights": [0.5, 0.5]}
    assert found.best[0].value.mean == pytest.approx(0.25 * found.best[0].rates[0].mean + 0.75 * found.best[0].rates[1].mean)


def test_the_search_plays_on_keys_of_another_root(threads, monkeypatch):
    """Else a finalist would be confirmed on the very luck that it was chosen for."""
    plan, roots = plan_of(freedom=LONE, keep=1, games=800, field=ALONE), []

    def watched(arena, *given):
        roots.append(arena.root)
        return search(arena, *given)

    monkeypatch.setattr("bhsim.lab.optimise.search", watched)
    carried_out(plan, Kept(plan.manifest("bhsim optimise ..."), plan.contests), threads)
    assert roots == [search_root(plan.seed, "optimise")]
    assert plan.seed not in roots


def test_a_start_that_the_search_keeps_is_not_played_twice(threads):
    """All builds there are become finalists."""
    plan = plan_of(freedom=SWAPS, keep=7, games=least(GAME, 1, 7), field=ALONE)
    folder = Kept(plan.manifest("bhsim optimise ..."), plan.contests)
    found = carried_out(plan, folder, threads)
    assert found.record.exhaustive
    assert found.start in found.best
    assert len(folder.contests) == len(found.best) <= 7
    assert found.start.gain is None
    assert found.start.optimism is not None
    shown = texts(replace(found, best=(found.start,)))
    assert "against the start: nothing changes" in shown
    assert shown[1].startswith("crew: Gh0st with Khonsu Blinkbeacon, Wee Rin with")
    assert "7 Hack the Network, " in shown[2]


def test_fewer_finalists_share_all_the_games(tmp_path, threads, monkeypatch):
    """A stop before or after the search knows how many there are changes nothing."""
    monkeypatch.setattr("bhsim.lab.optimise.FEWEST_KEYS", 5)
    plan = plan_of(freedom=SWAPS, keep=10, games=least(GAME, 1, 10), field=ALONE)
    whole = into(plan, tmp_path / "whole", threads)
    builds = len({*whole.best, whole.start})
    assert builds < 11
    played = sum(b.games for b in {*whole.best, whole.start})
    assert plan.games - plan.search_games - 2 * builds < played <= plan.games - plan.search_games
    for stop in (1, len(list((tmp_path / "whole" / "plays").iterdir())) + 2):
        count = 0

        def written(self, *_, real=store.write_bytes, stop=stop):
            nonlocal count
            count += 1
            if count > stop and "units" in self.parts:
                raise KeyboardInterrupt
            real(self, *_)

        with monkeypatch.context() as patch:
            patch.setattr("bhsim.lab.store.write_bytes", written)
            with pytest.raises(KeyboardInterrupt):
                into(plan, tmp_path / f"stopped{stop}", threads)
        into(plan, tmp_path / f"stopped{stop}", threads, resume=True)
        assert content(tmp_path / f"stopped{stop}") == content(tmp_path / "whole")


def test_one_build_is_confirmed_and_hardly_searched(threads):
    """And no gain is shown that cannot be: a start that plays itself has one half exactly."""
    purple = opponents_of(GAME, BUNDLE, ("purple",), "racer")
    plan = plan_of(freedom=LONE, keep=1, games=1_600, field=purple)
    folder = Kept(plan.manifest("bhsim optimise ..."), plan.contests)
    found = carried_out(plan, folder, threads)
    assert found.record.games == plan.search_games == least_games(1, 2, 1) < 600
    assert plan.games - 4 < found.games <= plan.games
    (lone,) = found.best
    alone, start = (key_scores(folder, folder.contests[number]) for number in (1, 0))
    raw = paired_difference(alone, start, found.level)
    assert found.start.value.exact
    assert raw.low < -0.5 == lone.gain.low <= lone.gain.mean < lone.gain.high == raw.high


@pytest.mark.parametrize(
    ("freedom", "field"),
    [
        (Freedom(("crew", "deck"), max_changes=0), "max-changes"),
        (Freedom(("crew",), ban=(*RUNNERS[1:], *RIGS[1:])), "ban"),
    ],
)
def test_nothing_to_search_is_refused(freedom, field):
    """The start alone is left: it is the first runner with the first rig where a ban leaves no others."""
    only = GAME.builds.space(BUNDLE, START, Freedom(("crew",), ban=(*RUNNERS[1:], *RIGS[1:]))).every(1)[0]
    with pytest.raises(BadInput, match="nothing to search") as caught:
        plan_of(freedom=freedom, start=only)
    assert caught.value.faults[0].field == field


def test_a_start_that_is_banned_is_compared_with_all_the_same(threads):
    plan = plan_of(freedom=Freedom(("crew",), ban=("gh0st",)), keep=1, games=800, field=ALONE)
    folder = Kept(plan.manifest("bhsim optimise ..."), plan.contests)
    found = carried_out(plan, folder, threads)
    assert found.start not in found.best
    assert "gh0st" in str(found.start.seen.parts)
    assert "gh0st" not in str([build.seen.parts for build in found.best])
    assert found.best[0].seen.changes[0].startswith("- Gh0st")


def content(folder):
    """All files but the manifest's times."""
    manifest = {k: v for k, v in store.read_manifest(folder).items() if k != "times"}
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != "run.json"}, manifest


def into(plan, path, executor, block=None, resume=False):
    opened = (store.resume if resume else lambda *a: store.create(*a, False))(path, plan.manifest("bhsim optimise ..."), plan.contests)
    with opened as folder:
        return carried_out(plan, folder, executor, block)


def test_threads_blocks_and_stops_change_no_byte(tmp_path, threads, monkeypatch):
    plan = plan_of(freedom=ONE_CARD, keep=1, games=800, field=ALONE)
    into(plan, tmp_path / "whole", threads)
    one = Threads(1)
    into(plan, tmp_path / "other", one, block=7)
    one.close()
    assert content(tmp_path / "other") == content(tmp_path / "whole")
    monkeypatch.setattr("bhsim.lab.arena.BATCH_GAMES", 40)
    into(plan, tmp_path / "batches", threads)
    batches = len(list((tmp_path / "batches" / "plays").iterdir()))
    assert batches > 10
    for stop in (1, batches // 2, batches + 3):  # in the search, and in the confirmation
        count = 0

        def written(self, *_, real=store.write_bytes, stop=stop):
            nonlocal count
            count += 1
            if count > stop:
                raise KeyboardInterrupt
            real(self, *_)

        path = tmp_path / f"stopped{stop}"
        with monkeypatch.context() as patch:
            patch.setattr("bhsim.lab.ledger.write_bytes", written)
            patch.setattr("bhsim.lab.store.write_bytes", written)
            with pytest.raises(KeyboardInterrupt):
                into(plan, path, threads)
        assert store.read_manifest(path)["status"] == "stopped"
        into(plan, path, threads, resume=True)
        assert content(path) == content(tmp_path / "batches")


def test_a_stored_run_says_the_same_and_damage_is_named(tmp_path, threads):
    plan = plan_of(keep=2, games=1_200, field=ALONE)
    found = into(plan, tmp_path / "run", threads)
    folder = store.open_folder(tmp_path / "run")
    again = optimum_of(folder)
    assert [(b.name, b.value, b.rates, b.gain, b.seen) for b in again.best] == [
        (b.name, b.value, b.rates, b.gain, b.seen) for b in found.best
    ]
    assert grids(again) == grids(found)
    sections = optimise_sections(folder, "house values")
    assert [plot.name for s in sections for plot in s.plots] == ["optimise-finalists", "optimise-opponents", "optimise-search"]
    file = tmp_path / "run" / RECORD
    whole = file.read_text()
    for damage in ("", "{", whole.replace('"found 2"', '"found 9"'), whole.replace('"games"', '"gemas"')):
        file.write_text(damage)
        with pytest.raises(BadInput) as caught:
            optimum_of(folder)
        assert caught.value.faults[0].file == str(file)
    file.write_text('{"a": 1}')
    with pytest.raises(BadInput, match=r"search\.json: games: is damaged: is missing") as caught:
        optimum_of(folder)
    assert len(caught.value.faults) == 1
    file.unlink()
    with pytest.raises(BadInput, match="the search has not ended yet"):
        read_record(tmp_path / "run", Record)


def test_opponents_by_name_all_and_twice():
    assert FIELD.labels == ("purple", "green")
    assert {side.bot for side in FIELD.sides} == {"racer"}
    every = opponents_of(GAME, BUNDLE, ("all",), None)
    assert set(every.labels) >= {"purple", "green", "amber", "cobalt"}
    with pytest.raises(BadInput, match="named twice"):
        opponents_of(GAME, BUNDLE, ("all", "purple"), None)
    with pytest.raises(BadInput, match="unknown crew 'nobody'"):
        opponents_of(GAME, BUNDLE, ("purple", "nobody"), None)


def test_goals_need_what_they_need():
    weighted = replace(FIELD, weights=(0.2, 0.8))
    assert FIELD.goal(None) == Goal("mean", (0.5, 0.5))
    assert weighted.goal(None) == Goal("mixture", (0.2, 0.8))
    assert weighted.goal("worst") == Goal("worst", (0.5, 0.5))
    with pytest.raises(BadInput, match="needs opponents with weights"):
        FIELD.goal("mixture")


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"games": least(GAME, 2, 3) - 1}, "games", "too few for a search"),
        ({"games": 2_000_000_000}, "games", "out of range"),
        ({"keep": 0}, "keep", "out of range"),
        ({"keep": 21}, "keep", "out of range"),
        ({"freedom": Freedom(("crew",), fix=("nobody",))}, "fix", "unknown"),
    ],
)
def test_what_cannot_be_is_refused_while_planning(given, field, said):
    with pytest.raises(BadInput) as caught:
        plan_of(**given)
    assert caught.value.faults[0].field == field
    assert said in caught.value.faults[0].message


def test_the_least_number_of_games_is_enough(threads):
    plan = plan_of(games=least(GAME, 1, 1), keep=1, field=ALONE)
    found = carried_out(plan, Kept(plan.manifest("bhsim optimise ..."), plan.contests), threads)
    assert len(found.best) == 1


def test_minutes_become_games(threads, monkeypatch):
    monkeypatch.setattr("bhsim.lab.optimise.PILOT_SECONDS", 0.02)
    games = games_in(2.0, GAME, BUNDLE, START, FIELD, 4, threads)
    assert games == float(f"{games:.3g}") > 1_000
    for minutes, said in ((0.0, "out of range"), (1e-9, "too short for a search"), (1e12, "out of range")):
        with pytest.raises(BadInput, match=f"minutes: {said}"):
            games_in(minutes, GAME, BUNDLE, START, FIELD, 4, threads)
