"""A gate's answer for machines and for pull requests: JSON, JUnit XML and Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from bhsim.inputs.command import command_line
from bhsim.lab.again import play_words
from bhsim.lab.gate import CUT_OFF, CellResult, Gate, SideChange, Witness, overall
from bhsim.report.grid import Grid
from bhsim.report.matters import Bar, tornado
from bhsim.report.plots import Image
from bhsim.stats.gate import DOWN, UP, Verdict

SCHEMA = 1
OUTPUTS = ("check.json", "check.xml", "check.md")
SHOWN_PATHS = 12  # in Markdown; JSON lists all
Paths = tuple[tuple[str, Any, Any], ...]  # path, value then, value now


def points(value: float, signed: bool = False) -> str:
    """A score 0..1 in points of 100."""
    return f"{100 * value:{'+' if signed else ''}.2f}"


def change_text(change: SideChange) -> str:
    """A change with its interval, in points."""
    return f"{points(change.change, True)} [{points(change.low, True)}, {points(change.high, True)}]"


def replay_commands(gate: Gate, result: CellResult, witness: Witness) -> tuple[str, str]:
    """The commands that tell this game as it was and as it is."""
    contest = result.cell.now
    single = len(gate.cells) == 1
    then = [("--contest", None if single else contest.number), ("--index", witness.index)]
    words, options = play_words(gate.spec, contest)
    now = [*options, ("--seed", gate.question.seed), ("--index", witness.index)]
    return command_line(["replay", str(gate.folder.path)], then), command_line(["replay", *words], now)


def gate_json(gate: Gate, results: Sequence[CellResult]) -> dict[str, Any]:
    """Everything, ready for JSON: docs/gate.md lists the keys."""
    terms, manifest = gate.question.terms, gate.folder.manifest
    return {
        "schema": SCHEMA,
        "verdict": overall(results).value,
        "game": manifest["game"],
        "baseline": str(gate.folder.path),
        "engine": {"then": gate.engine_then, "now": gate.engine_now},
        "seed": {"then": manifest["seed"], "now": gate.question.seed},
        "house_values": _house_values(gate),
        "test": {
            "kind": "fixed" if gate.question.fixed else "sequential",
            "margin": 100 * terms.margin, "resolution": None if gate.question.fixed else 100 * terms.resolution,
            "alpha": terms.alpha, "beta": terms.beta,
            "directions": terms.directions, "max_keys": gate.question.max_keys,
        },
        "cells": [_cell_json(gate, r) for r in results],
    }  # fmt: skip


def junit_xml(gate: Gate, results: Sequence[CellResult], undecided_fails: bool) -> bytes:
    """One test case a cell: a moved one fails; an undecided one fails or is skipped."""
    suite = ElementTree.Element("testsuite", name="bhsim check", tests=str(len(results)))
    failures = skipped = 0
    for result in results:
        case = ElementTree.SubElement(suite, "testcase", classname=f"bhsim.{gate.folder.manifest['name']}", name=result.cell.now.label)
        if result.verdict is Verdict.moved or (result.verdict is Verdict.undecided and undecided_fails):
            failures += 1
            failure = ElementTree.SubElement(case, "failure", message=_sentence(result), type=result.verdict.value)
            failure.text = "\n".join(
                [*path_lines(result.paths), *(line for w in result.witnesses for line in replay_commands(gate, result, w))]
            )
        elif result.verdict is Verdict.undecided:
            skipped += 1
            ElementTree.SubElement(case, "skipped", message=_sentence(result))
        else:
            ElementTree.SubElement(case, "system-out").text = _sentence(result)
    suite.attrib |= {"failures": str(failures), "skipped": str(skipped), "errors": "0"}
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n"


def summary_md(gate: Gate, results: Sequence[CellResult]) -> str:
    """A summary that fits a comment: the table, the paths that differ, and for what moved games to look at."""
    terms = gate.question.terms
    lines = [f"### Balance: {overall(results).value}", ""]
    lines += [f"| {' | '.join(table_head(gate))} |", "|---|--:|--:|--:|--:|--:|---|"]
    lines += [f"| {' | '.join(row)} |" for row in map(table_row, results)]
    for paths, labels in differing(results):
        lines += ["", f"What differs ({', '.join(labels)}):", "", *(f"- `{line}`" for line in path_lines(paths, SHOWN_PATHS))]
    for result in results:
        if result.verdict not in (Verdict.moved, Verdict.undecided):
            continue
        lines += ["", f"**{result.cell.now.label}**: {_sentence(result)}"]
        if result.witnesses:
            lines += ["", "Games that ended otherwise, as they were and as they are:", "", "```"]
            lines += [line for w in result.witnesses for line in replay_commands(gate, result, w)]
            lines += ["```"]
    width = "" if gate.question.fixed else f" ± {100 * terms.resolution:g}"
    test = f"margin {100 * terms.margin:g}{width} points, alpha {terms.alpha:g}, beta {terms.beta:g}"
    engine = gate.engine_now if gate.engine_now == gate.engine_then else f"{gate.engine_then}, now {gate.engine_now}"
    digest = gate.folder.manifest["data_digest"]
    house = " · house values" if _house_values(gate) else ""
    lines += ["", f"<sub>{test} · engine {engine} · baseline data {digest} · seed {gate.question.seed}{house}</sub>", ""]
    return "\n".join(lines)


def gate_files(gate: Gate, results: Sequence[CellResult], undecided_fails: bool) -> dict[str, str]:
    """The three files by name: all of it as JSON, JUnit XML, and the summary."""
    document = json.dumps(gate_json(gate, results), indent=2, ensure_ascii=False) + "\n"
    junit = junit_xml(gate, results, undecided_fails).decode()
    return dict(zip(OUTPUTS, (document, junit, summary_md(gate, results)), strict=True))


def gate_plot(gate: Gate, results: Sequence[CellResult]) -> Image:
    """The change in each match-up, as bars; none where the data is identical."""
    bars = []
    for result in results:
        change = result.largest
        ends = (change.change, change.low, change.high) if change else (0.0, 0.0, 0.0)
        hollow = 0.0 if result.verdict is Verdict.moved else 1.0
        bars.append(Bar(table_row(result)[0], *(100 * x for x in ends), hollow, result.verdict.value))
    label = f"change in percent points, with {'95 %' if gate.question.fixed else 'always-valid 95 %'} interval"
    return tornado(bars, "Against the baseline", label, "house values" if _house_values(gate) else "", "not moved")


def gate_grid(gate: Gate, results: Sequence[CellResult]) -> Grid:
    """One line a match-up, and what differs between the data sets."""
    note = "; ".join(dict.fromkeys(line for paths, _ in differing(results) for line in path_lines(paths, SHOWN_PATHS)))
    note = f"What differs: {note}." if note else ""
    return Grid("", table_head(gate), [table_row(r) for r in results], [False, *[True] * 5, False], note)


def differing(results: Sequence[CellResult]) -> list[tuple[Paths, list[str]]]:
    """Each set of paths that differ, with the labels of the match-ups that it concerns."""
    found: dict[Paths, list[str]] = {}
    for result in results:
        if result.paths:
            found.setdefault(result.paths, []).append(result.cell.now.label)
    return list(found.items())


def table_head(gate: Gate) -> list[str]:
    """Names of what ``table_row`` gives."""
    kind = "95 %" if gate.question.fixed else "always-valid 95 %"
    return ["match-up", "then", "now", f"change in points, {kind}", "cut off", "games", "verdict"]


def table_row(result: CellResult) -> list[str]:
    """Label, rate then, rate now, change, share of games cut off then and now, games compared, verdict."""
    change, contest, cut_off = result.largest, result.cell.now, result.cut_off
    if change is None or cut_off is None:
        return [contest.label, "", "", "", "", "0", result.verdict.value]
    whose = "" if len(contest.sides) == 2 and change.side != CUT_OFF else f" ({result.name_of(change)})"
    games = f"{result.keys * contest.seatings:,}"
    ends = f"{points(cut_off.then)} -> {points(cut_off.now)} %"
    return [contest.label + whose, points(change.then), points(change.now), change_text(change), ends, games, result.verdict.value]


def _cell_json(gate: Gate, result: CellResult) -> dict[str, Any]:
    contest = result.cell.now
    entry = gate.folder.manifest["contests"][contest.number]
    return {
        "contest": contest.number,
        "label": contest.label,
        "verdict": result.verdict.value,
        "data_digest": {"then": entry["digest"], "now": contest.digest()},
        "games": result.keys * contest.seatings,
        "stored_games": result.stored_keys * contest.seatings,
        "pairs": result.keys,
        "sides": [
            {
                "side": change.side, "crew": contest.sides[change.side].crew, **_change_json(change),
                "up": {"statistic": change.ratios[UP], "accepted": change.accepted[UP]},
                "down": {"statistic": change.ratios[DOWN], "accepted": change.accepted[DOWN]},
            }
            for change in result.sides
        ],
        "cut_off": result.cut_off and {
            **_change_json(result.cut_off), "up": {"statistic": result.cut_off.ratios[UP], "accepted": result.cut_off.accepted[UP]},
        },
        "paths": [{"path": path, "then": old, "now": new} for path, old, new in result.paths],
        "replay": [
            {"index": w.index, "score_then": w.then, "score_now": w.now, "then": commands[0], "now": commands[1]}
            for w, commands in ((w, replay_commands(gate, result, w)) for w in result.witnesses)
        ],
    }  # fmt: skip


def _change_json(change: SideChange) -> dict[str, float]:
    return {"then": change.then, "now": change.now, "change": change.change, "low": change.low, "high": change.high}


def _sentence(result: CellResult) -> str:
    change = result.largest
    if change is None:
        return "identical data and engine: nothing to play"
    games = result.keys * result.cell.now.seatings
    what = "the round limit ended" if change.side == CUT_OFF else f"{result.name_of(change)} won"
    rates = f"{what} {points(change.then)} %, now {points(change.now)} %"
    return f"{result.verdict.value}: {rates}, {change_text(change)} points in {games:,} games"


def path_lines(paths: Paths, most: int | None = None) -> list[str]:
    """What differs between the data sets, a line a path."""
    lines = [f"{path}: {old} -> {new}" for path, old, new in paths]
    if most is not None and len(lines) > most:
        lines = [*lines[:most], f"and {len(lines) - most} more"]
    return lines


def _house_values(gate: Gate) -> bool:
    return any(c.now.game.house_values(c.now.bundle, c.now.sides) for c in gate.cells) or gate.folder.manifest["house_values"]
