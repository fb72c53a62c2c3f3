"""A sweep as tables of text: rates and verdicts, first player and endings, crews, bots side by side."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from bhsim.inputs.command import command_line
from bhsim.lab.findings import MOST_CUT_OFF, Findings, depends_on_bot
from bhsim.lab.notable import Notable
from bhsim.lab.results import Result
from bhsim.lab.spec import Limits
from bhsim.lab.verdicts import Judged
from bhsim.report.grid import Grid, ends_text, gap_texts, interval_text, percent
from bhsim.stats.intervals import FEW_DIVERGENT


def sweep_grids(found: Findings) -> list[Grid]:
    """All tables of a sweep, the main one first."""
    grids = [rates_grid(found), endings_grid(found)]
    if found.ended:
        grids.append(precision_grid(found))
    if found.crews:
        grids.append(crews_grid(found))
    if "bot" in found.results[0].contest.setting:
        grids += panel_grids(found)
    return grids


def rates_grid(found: Findings) -> Grid:
    """The first side's rate in every contest, its difference from the base, and verdicts on both."""
    unit, axes = found.results[0].contest.game.score_unit, _axes(found)
    head = ["#", *axes, unit, "95 % interval", "verdict"]
    if found.differences:
        head += ["against base", "95 % interval", "verdict"]
    rows = []
    for r in found.results:
        number, score = r.contest.number, r.sides[0].score
        row = [str(number), *_setting(r), percent(score.mean), interval_text(score), verdict_text(found.cell[number])]
        if found.differences:
            row += [*gap_texts(found.differences.get(number)), verdict_text(found.difference.get(number))]
        rows.append([*row, f"{r.contest.games:,}"])
    return Grid("", [*head, "games"], rows, _right(head, axes), " ".join(filter(None, _rates_notes(found))))


def _rates_notes(found: Findings) -> list[str]:
    unit = found.results[0].contest.game.score_unit
    notes = [f"{unit.capitalize()} of the first side.", _limits_note(list(found.cell.values()))]
    if found.differences:
        reach = 100 * next(iter(found.difference.values())).limits[1]
        notes.append(f"Differences from the base are taken key by key, in percent points, and may be up to {reach:g} either way.")
        if len({r.contest.keys for r in found.results}) > 1:
            notes.append("Where contests have unlike numbers of games, a difference is taken over the keys that both met.")
    return [*notes, cut_off_note(found), saving_note(found)]


def cut_off_note(found: Findings) -> str:
    """Says so where so many games were cut off that rates mean little; empty else."""
    shares = [r.facts.round_limit / r.contest.games for r in found.results]
    many = [share for share in shares if share > MOST_CUT_OFF]
    if not many:
        return ""
    return (
        f"In {len(many)} of {len(shares)} contests the round limit cut off more than {100 * MOST_CUT_OFF:g} % of the games, up to "
        f"{percent(max(many))}: these are shared by all sides alike and draw rates to even, so no such rate is called ok."
    )


def endings_grid(found: Findings) -> Grid:
    """First player, how games end, how long they are, and the games worth a replay."""
    axes = _axes(found)
    head = ["#", *axes, "first player", "95 % interval", "verdict", "draws", "round limit", "rounds", "best", "worst", "median"]
    rows = []
    for r in found.results:
        number, games = r.contest.number, r.contest.games
        notable = found.notable[number]
        row = [str(number), *_setting(r), percent(r.first.mean), interval_text(r.first), verdict_text(found.first[number])]
        row += [percent(r.facts.draws / games), percent(r.facts.round_limit / games), f"{r.facts.rounds.mean():.2f}"]
        rows.append([*row, str(notable.best), str(notable.worst), str(notable.median)])
    note = (
        f"{_limits_note(list(found.first.values()))} Games cut off by the round limit are shared by all sides alike. Best, worst and "
        "median: number of the game by the first side's margin, for replay."
    )
    return Grid("First player, endings, games to look at", head, rows, _right(head[:-1], axes), note)


def precision_grid(found: Findings) -> Grid:
    """Why each contest ended, and the interval that holds whatever made it end."""
    axes = _axes(found)
    head = ["#", *axes, "games", "95 % interval", "always valid", "ended by"]
    rows = []
    for r in found.results:
        number = r.contest.number
        row = [str(number), *_setting(r), f"{r.contest.games:,}", interval_text(r.sides[0].score)]
        rows.append([*row, ends_text(*found.lasting[number]), found.ended[number]])
    note = "Looked at after 1,024, 2,048, 4,096 ... keys. The always-valid interval holds at all looks at once."
    return Grid("Played to a precision", head, rows, _right(head, axes)[:-1], note)


def crews_grid(found: Findings) -> Grid:
    """Each crew's mean over all others."""
    axes = list(found.crews[0].setting)
    unit = found.results[0].contest.game.score_unit
    head = ["crew", *axes, f"mean {unit}", "95 % interval", "verdict", "contests", "games"]
    ordered = sorted(found.crews, key=lambda c: (*c.setting.values(), -c.score.mean))
    rows = []
    for c in ordered:
        numbers = [percent(c.score.mean), interval_text(c.score), verdict_text(c.judged), str(c.contests), f"{c.games:,}"]
        rows.append([c.crew, *c.setting.values(), *numbers])
    note = f"{_limits_note([c.judged for c in found.crews if c.judged])} Each opponent counts the same; a key counts once, whoever met it."
    return Grid("Crews against all others", head, rows, [False] * (1 + len(axes)) + [True, True, False, True, True], note)


def panel_grids(found: Findings) -> list[Grid]:
    """What each bot of the panel says, side by side: contests, differences where there are any, crews of all against all."""
    contests = {r.contest.number: r.contest for r in found.results}
    grids = [_by_bot("By bot", [(contests[n].setting, judged) for n, judged in found.cell.items()], signed=False)]
    if found.difference:
        members = [(contests[n].setting, judged) for n, judged in found.difference.items()]
        grids.append(_by_bot("Differences from the base by bot, in percent points", members, signed=True))
    if found.crews:
        members = [({"crew": c.crew, **c.setting}, c.judged) for c in found.crews if c.judged]
        grids.append(_by_bot("Crews by bot", members, signed=False))
    return grids


def _by_bot(caption: str, members: Sequence[tuple[dict[str, str], Judged]], signed: bool) -> Grid:
    """members: a setting with its bot, and the verdict. signed: values are differences."""
    labels = [label for label in members[0][0] if label != "bot"]
    bots = list(dict.fromkeys(setting["bot"] for setting, _ in members))
    groups: dict[tuple[str, ...], dict[str, Judged]] = {}
    for setting, judged in members:
        groups.setdefault(tuple(setting[label] for label in labels), {})[setting["bot"]] = judged
    rows = []
    for key, by_bot in groups.items():
        texts = {bot: f"{100 * j.value:+.2f}" if signed else percent(j.value) for bot, j in by_bot.items()}
        cells = [f"{texts[bot]} {by_bot[bot].decision}" if bot in by_bot else "-" for bot in bots]
        differ = depends_on_bot([j.decision for j in by_bot.values()])
        rows.append([*(key or ("all",)), *cells, "depends on the bot" if differ else ""])
    head = [*(labels or ["contest"]), *bots, "verdict"]
    note = "Each bot on all sides. A bot that leaves it undecided says nothing for or against the others."
    return Grid(caption, head, rows, [False] * len(labels or [0]) + [True] * len(bots) + [False], note)


def verdict_text(judged: Judged | None) -> str:
    """A verdict, with the side on which a number is not ok."""
    if judged is None:
        return ""
    return judged.verdict if judged.decision == judged.verdict else f"{judged.verdict}: {judged.decision}"


def saving_note(found: Findings) -> str:
    """What common luck was worth; empty where too few keys were played to tell."""
    if min(r.contest.keys for r in found.results) < FEW_DIVERGENT:
        return ""
    seats = statistics.median(r.saving for r in found.results)
    text = f"Exchanged seats leave {100 * seats:.0f} % of the variance of as many unrelated games"
    if not found.differences:
        return f"{text}{' (median)' if len(found.results) > 1 else ''}."
    shared = statistics.median(gap.saving for gap in found.differences.values())
    return f"{text}, and the same keys in both leave {100 * shared:.0f} % of the variance of a difference (medians)."


def replay_lines(notable: Notable, words: Sequence[str], options: Sequence[tuple[str, Any]] = ()) -> list[str]:
    """The commands that tell the best, the worst and the median game. words, options: what ``replay`` needs before ``--index``."""
    margins = dict(zip(notable.games, notable.margins, strict=True))
    return [
        f"{f'{name} game':<14}{command_line(['replay', *words], [*options, ('--index', index)])}  (margin {margins[name]:+d})"
        for name, index in notable.games.items()
    ]


def limits_of(spec_limits: Limits, players: int, crews: bool) -> str:
    """All limits in one line, for the head of a report. crews: whether crews' means are judged, which takes all against all."""
    texts = []
    for family, name in (("cell", "contest"), *([("crew", "crew")] if crews else []), ("first", "first player")):
        low, high = spec_limits.shares(family, players)
        texts.append(f"{name} {100 * low:.4g} to {100 * high:.4g} %")
    return ", ".join([*texts, f"difference {spec_limits.difference:g} points"])


def _limits_note(judged: Sequence[Judged]) -> str:
    ranges = list(dict.fromkeys(f"{100 * j.limits[0]:.4g} to {100 * j.limits[1]:.4g} %" for j in judged))
    by = ", by the number of players" if len(ranges) > 1 else ""
    decided = sum(j.verdict != "undecided" for j in judged)
    level = f"{100 * judged[0].level:.2f} %"
    return f"Ok is {' or '.join(ranges)}{by}; {decided} of {len(judged)} are decided, by intervals of level {level}."


def _axes(found: Findings) -> list[str]:
    return list(found.results[0].contest.setting) or ["contest"]


def _setting(result: Result) -> list[str]:
    return list(result.contest.setting.values()) or [result.contest.label]


def _right(head: Sequence[str], axes: Sequence[str]) -> list[bool]:
    left = {"verdict", "ended by"}
    return [True, *[False] * len(axes), *(name not in left for name in head[1 + len(axes) :]), True]
