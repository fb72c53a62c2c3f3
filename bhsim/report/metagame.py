"""What a metagame says, as sections of a report and as the tables that ``bhsim meta`` prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from bhsim.lab.grow import CLOSED, FULL, NOTHING, UNDECIDED, Growth, Step, read_steps
from bhsim.lab.metagame import RANKING_GAMES, CrewFigures, Metagame, counters, measure, unused, varied
from bhsim.lab.pool import pool_of
from bhsim.lab.store import Folder
from bhsim.report import metaplots as drawn
from bhsim.report.grid import Grid, Plot, Section, ends_text, percent, signed_ends
from bhsim.stats.evolution import EPSILON
from bhsim.stats.ratings import ELO

COUNTERS = 3
LIKELY = 0.9  # share of the draws from which a crew is called dominated
SURE = 0.05  # p-value below which ratings are not enough


def meta_sections(folder: Folder, footer: str) -> list[Section]:
    """The report of a run, as far as it was played."""
    found = measure(pool_of(folder), folder.manifest["seed"])
    asked = folder.manifest["spec"]["grow"]
    growth = Growth(**asked) if asked else None
    return sections(found, read_steps(folder.path), growth, footer)


def sections(found: Metagame, steps: Sequence[Step], growth: Growth | None, footer: str) -> list[Section]:
    """All that is to be shown."""

    def plot(name: str, alt: str, draw: str) -> Plot:
        return Plot(name, alt, partial(getattr(drawn, draw), found, footer))

    beats = Section("What beats what", [], grids=[overview(found), ratings_grid(found)])
    beats.plots += [
        plot("meta-heat-map", "Win rates of all crews against all others", "heat_map"),
        plot("meta-ratings", "Elo ratings with intervals", "ratings"),
    ]
    best = Section("The field of the best", [mixture_text(found)], grids=[clusters_grid(found)])
    best.plots += [
        plot("meta-mixture", "Shares of the equilibrium mixture", "mixture"),
        plot("meta-alpha", "Shares of the crews by strength of selection", "alpha"),
    ]
    circles = Section("Counters and circles", [], grids=[counters_grid(found), *circles_grids(found)])
    shown = [beats, best, circles]
    if varied(found):
        used = Section("What is used", unused_texts(found), grids=[usage_grid(found)])
        used.plots.append(plot("meta-usage", "Use of runners, rigs and cards in the mixture and in the field", "usage"))
        shown.append(used)
    if steps and growth:
        grown = Section("Growing", [ending(steps, growth)], grids=[steps_grid(steps)])
        grown.plots.append(Plot("meta-growth", "Gain of each answer", partial(drawn.growing, steps, growth, footer)))
        shown.append(grown)
    return [*shown, Section("How to read this", _method())]


def overview(found: Metagame) -> Grid:
    """The field in a few figures."""
    pool, fit = found.pool, found.fit
    longer = pool.longer
    more = f"{len(longer):,} of them {max(cell.games for cell in longer):,}, which confirmed an answer" if longer else ""
    rows = [["match-ups", f"{len(pool.cells):,} of {len(pool)} crews, {pool.games:,} games each", more]]
    rows.append(["first player wins", percent(found.first_mean), f"{ends_text(*found.first)}, as if all match-ups shared their luck"])
    rows.append(
        ["one rating for each crew", _fit_text(found), f"deviance {fit.deviance:.0f}, {fit.expected:.0f} by chance, p = {fit.p:.2g}"]
    )
    rows.append(["share of circles", _cyclic_text(found), f"not corrected for chance: {percent(found.cyclic.raw)}"])
    seat = found.davidson
    if seat:
        ties = "no draws" if math.isinf(seat.log_ties) else f"draws weigh {math.exp(seat.log_ties):.3f}"
        rows.append(["going first is worth", f"{ELO * seat.log_first:+.1f} Elo", f"{ties} (Davidson's model)"])
    rows.append(["mixture", f"{len(found.equilibrium.support)} of {len(pool)} crews", _support_text(found)])
    return Grid("The field", ["what", "figure", "more"], rows, [False] * 3)


def _fit_text(found: Metagame) -> str:
    return "is not enough" if found.fit.p < SURE else "fits"


def _cyclic_text(found: Metagame) -> str:
    share = found.cyclic
    if math.isnan(share.value):
        return "cannot be told: too few games for how little the crews differ"
    value, low, high = (min(1.0, max(0.0, x)) for x in (share.value, share.low, share.high))
    return f"{percent(value)} ({ends_text(low, high)})"


def _support_text(found: Metagame) -> str:
    again = found.stability.share(found.equilibrium.support)
    return f"the very same crews in {percent(again, 0)} of {found.draws:,} draws; diversity {found.diversity:.4f}"


def ratings_grid(found: Metagame, most: int | None = None) -> Grid:
    """One row a crew, the strongest first."""
    head = [
        "#",
        "crew",
        "Elo",
        "95 % interval",
        "mean rate",
        "95 % interval",
        "mixture",
        "deviation",
        "held",
        "against it",
        "95 % interval",
    ]
    ranked = found.ranked
    rows = [[str(rank), *_crew_cells(found, crew)] for rank, crew in enumerate(ranked[:most], start=1)]
    rest = f" (the first {most} of {len(ranked)})" if most and most < len(ranked) else ""
    notes = [f"mixture: share in the equilibrium, its deviation and how often it holds the crew at all over {found.draws:,} draws"]
    if not found.rankable:
        notes.append(f"with fewer than {RANKING_GAMES:,} games a match-up the shares are no ranking")
    if found.prior:
        notes.append(f"some crews never beat the others, so {found.prior:g} game was added to each match-up for the ratings")
    gone = [c for c in found.crews if c.dominated >= LIKELY]
    if gone:
        texts = [f"{found.label(c.place)} by {found.label(c.dominated_by)} ({percent(c.dominated, 0)} of draws)" for c in gone]
        notes.append(f"dominated: {'; '.join(texts)}")
    return Grid(f"Ratings{rest}", head, rows, [True, False] + [True] * 9, ". ".join(n[0].upper() + n[1:] for n in notes) + ".")


def _crew_cells(found: Metagame, crew: CrewFigures) -> list[str]:
    ends, mean, against = crew.elo_ends, crew.mean, crew.against
    cells = [found.label(crew.place), f"{crew.elo:+.1f}", f"{ends.low:+.1f} to {ends.high:+.1f}"]
    cells += [percent(mean.mean), ends_text(mean.low, mean.high), percent(crew.nash, 1), percent(crew.nash_sd, 1), percent(crew.held, 0)]
    return [*cells, percent(0.5 + against.mean), ends_text(*crew.against_ends)]


def mixture_text(found: Metagame) -> str:
    """The mixture in words."""
    held = sorted((c for c in found.crews if c.nash), key=lambda c: (-c.nash, c.place))
    shares = ", ".join(f"{found.label(c.place)} {percent(c.nash, 1)}" for c in held)
    warning = "" if found.rankable else f" With fewer than {RANKING_GAMES:,} games a match-up do not rank crews by it."
    if len(held) == 1:
        return f"{found.label(held[0].place)} loses to no other crew of the field, so the best field holds it alone.{warning}"
    return f"The equilibrium mixture, against which no crew of the field gains: {shares}.{warning}"


def clusters_grid(found: Metagame) -> Grid:
    """Nash clusters, best first."""
    rows = [[str(n), str(len(c)), ", ".join(found.label(i) for i in c)] for n, c in enumerate(found.clusters, start=1)]
    note = (
        "The mixture's crews, then those of the mixture without them, and so on: large clusters are where crews beat each other in circles."
    )
    return Grid("Clusters", ["", "crews", ""], rows, [True, True, False], note)


def counters_grid(found: Metagame, most: int | None = None) -> Grid:
    """Who beats each crew, hardest first, and whom it beats best."""
    rows = []
    for crew in found.ranked[:most]:
        beaten_by = [_met(found, crew.place, other) for other in counters(found, crew.place, COUNTERS)]
        rows.append([found.label(crew.place), *(beaten_by + ["-"] * COUNTERS)[:COUNTERS], _met(found, crew.place, crew.best)])
    head = ["crew", "beaten most by", "then by", "then by", "best against"]
    rest = f" (the first {most} of {len(found.crews)})" if most and most < len(found.crews) else ""
    return Grid(f"Counters{rest}", head, rows, [False] * 5, "The crew's own win rate with its 95 % interval.")


def _met(found: Metagame, place: int, other: int) -> str:
    score = found.pool.score(place, other)
    return f"{found.label(other)} {100 * score.mean:.1f} ({100 * score.low:.1f} to {100 * score.high:.1f})"


def circles_grids(found: Metagame) -> list[Grid]:
    """The strongest circles of three, if there are any."""
    if not found.circles:
        return [Grid("Strongest circles", ["what"], [["no circle of three is seen in most of the draws"]], [False])]
    rows = []
    for circle in found.circles:
        names = [found.label(i) for i in circle.cycle.crews]
        rates = " / ".join(f"{100 * rate:.1f}" for rate in circle.rates)
        rows.append([" > ".join([*names, names[0]]), rates, f"{circle.cycle.curl:.3f}", percent(circle.sure, 0)])
    note = f"Each beats the next. curl: sum of the log-odds. sure: share of {found.draws:,} draws in which all three do."
    return [Grid("Strongest circles", ["", "rates", "curl", "sure"], rows, [False, True, True, True], note)]


def usage_grid(found: Metagame) -> Grid:
    """How much the mixture uses each item of the parts in which the crews differ."""
    shown = [use for part in varied(found) for use in sorted((u for u in found.usage if u.part == part), key=lambda u: -u.share)]
    rows = [
        [u.part, u.item, percent(u.share, 1), percent(u.sd, 1), percent(u.sure, 0), f"{u.copies:.2f}", percent(u.field, 1)] for u in shown
    ]
    head = ["part", "item", "in the mixture", "deviation", "in some crew of it", "mean copies", "in the field"]
    note = f"Share of crews that have it; deviation and how often any crew of the mixture has it over {found.draws:,} draws."
    return Grid("Use", head, rows, [False, False] + [True] * 5, note)


def unused_texts(found: Metagame) -> list[str]:
    """What no crew of the mixture has, by part."""
    texts = []
    for part in varied(found):
        items = unused(found, part)
        sure = {use.item: use.sure for use in found.usage if use.part == part}
        listed = ", ".join(f"{item} ({percent(1 - sure[item], 0)})" for item in items)
        texts.append(f"{part.capitalize()} that the mixture never uses (and in how many draws): {listed or 'none'}.")
    return texts


def steps_grid(steps: Sequence[Step]) -> Grid:
    """Growing, step by step."""
    rows = []
    for s in steps:
        gain = [f"{100 * s.gain:+.2f}", signed_ends(s.low, s.high), f"{100 * s.searched:+.2f}", f"{s.keys:,}"] if s.answer else ["-"] * 4
        verdict = "joins" if s.added else s.end
        rows.append([str(s.step), str(s.crews), str(s.support), s.answer or "-", *gain, f"{s.games:,}", f"{s.arms:,}", verdict])
    head = ["step", "crews", "mixture", "answer", "gain", "95 % interval", "search said", "keys", "games of search", "builds", ""]
    note = "gain: score of the best answer found against the mixture less one half, in percent points, on keys that the search never saw."
    return Grid("Growing", head, rows, [True] * 3 + [False] + [True] * 6 + [False], note)


def ending(steps: Sequence[Step], growth: Growth) -> str:
    """Why growing ended, and how far it got."""
    last = steps[-1]
    joined = sum(step.added for step in steps)
    start = f"{joined} crew{'s' if joined != 1 else ''} joined. "
    limits = f"Answers that a search of {last.games:,} games cannot find are not ruled out."
    if last.end == NOTHING:
        return f"{start}Closed: the search found no answer that is not in the field already. {limits}"
    how_far = (
        f"the best answer found gains {100 * last.gain:+.2f} points ({signed_ends(last.low, last.high)}) against the mixture "
        f"of {last.support} crew{'s' if last.support > 1 else ''}"
    )
    if last.end == CLOSED and last.outside:
        outside = "The mixture's crew is" if last.support == 1 else f"{last.outside} of the mixture's crews are"
        return (
            f"{start}Closed within {growth.margin:g} points to what grown crews may be: {how_far}. {outside} nothing that they may be "
            f"(for the deck or bot, or by --fix, --ban, --members), so no answer like that was looked for: --what both or another --start "
            f"looks further. {limits}"
        )
    return (
        start
        + {
            CLOSED: f"Closed within {growth.margin:g} points: {how_far}. {limits}",
            FULL: f"Not closed: the field is full (--max-crews {growth.most}), and {how_far}.",
            UNDECIDED: f"Undecided: {how_far}; more --confirm-games would tell if that is above 0 or within {growth.margin:g}. {limits}",
            "": f"Not finished: {how_far}; --resume goes on.",
        }[last.end]
    )


def _method() -> list[str]:
    return [
        "All match-ups met the same keys, in both seatings; those that confirmed an answer met more of them. "
        "Errors of ratings, mixture, circles and use come from draws of whole keys, so "
        "the luck that match-ups share is counted once. Crews against themselves are one half by construction and not played.",
        "Ratings (Bradley and Terry) are one strength for each crew. Where one is not enough, who wins depends on whom one meets: the "
        "share of circles is how much of the differences no ratings can explain, with what chance adds taken off.",
        "The equilibrium mixture is the field of players who know all match-ups and choose best (Nash; of several mixtures the most even). "
        "It jumps with small changes of the match-ups: look at the deviation and at how often a crew is held, not at the share alone.",
        "alpha-rank says how long a population that copies success stays with each crew; the order depends on the strength of selection. "
        f"Infinite strength is not where the curves lead: there any newcomer that is ahead, however little, takes over with chance "
        f"{1 - EPSILON:g}, one that is behind with {EPSILON:g} (epsilon), one that is equal with 1/2.",
        "The intervals measure chance only. How well the bots play, and numbers that were made up, are errors of another kind.",
    ]
