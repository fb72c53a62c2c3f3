"""The points of a run as variant files that `bhsim play --variant` takes."""

from __future__ import annotations

import json
from typing import Any

from bhsim.games.usual import game_words
from bhsim.inputs.changes import parse_set
from bhsim.inputs.command import command_line
from bhsim.lab.balance_result import Balanced, PointResult
from bhsim.lab.overlaps import within
from bhsim.lab.store import Folder, write_bytes

VARIANTS = "variants"


def variant_path(point: PointResult) -> str:
    """Where a point's file lies in the folder."""
    return f"{VARIANTS}/point-{point.name}.toml"


def write_variants(folder: Folder, found: Balanced) -> None:
    """A file for each point."""
    (folder.path / VARIANTS).mkdir(exist_ok=True)
    for point in found.points:
        write_bytes(folder.path / variant_path(point), variant_text(folder.manifest, point).encode())


def variant_text(manifest: dict[str, Any], point: PointResult) -> str:
    """The file of a point. What the run had from ``--set`` is in it, since ``--set`` would be applied after it; its variants are not."""
    spec = manifest["spec"]
    comments = [
        f"Found by: {manifest['command']}",
        f"Engine {manifest['engine']}, data digest {manifest['data_digest']}, seed {manifest['seed']}"
        + ("; house values: some numbers were made up here" if manifest["house_values"] else ""),
        f"Target {point.verdict}; distance {point.distance:.2f} points ({point.low:.2f} to {point.high:.2f}), cost {point.cost:g}. "
        "On keys that the search had not seen, with 95 % intervals:",
        *(f"  {n.label}: {100 * n.score.mean:.2f} % ({100 * n.score.low:.2f} to {100 * n.score.high:.2f}), {n.judged.verdict}, "
          f"{n.games:,} games" for n in point.numbers),
    ]  # fmt: skip
    if spec["variants"]:
        comments.append(f"Goes with, and after: {command_line([], [('--variant', spec['variants'])]).removeprefix('bhsim ')}")
    changes = {c.path: json.dumps(c.value, ensure_ascii=False) for c in point.changes}
    given: dict[str, str] = {}
    for text in spec["sets"]:
        path, value = parse_set(text)
        if not any(within(path, changed) or within(changed, path) for changed in changes):
            given = {earlier: old for earlier, old in given.items() if not within(earlier, path)}  # of one path the last counts
            given[path] = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else text.partition("=")[2].strip()
    changes |= given
    named = [f"name = {json.dumps(spec['name'] + ', point ' + point.name)}", "", "[set]"]
    return "\n".join([*(f"# {line}" for line in comments), *named, *(f"{json.dumps(path)} = {v}" for path, v in changes.items()), ""])


def play_command(folder: str, manifest: dict[str, Any], point: PointResult) -> str:
    """The command that plays the first number of a point again: the same games."""
    spec, number = manifest["spec"], point.numbers[0].contests[0]
    entry = manifest["contests"][number]
    sides = list(zip("ab", entry["sides"], strict=True))
    files = [(f"--{kind}", spec[kind]) for kind in ("cardset", "board", "rules")]
    own = [(f"--{part}-{letter}", side[part]) for letter, side in sides for part in ("deck", "bot")]
    variants = [*spec["variants"], f"{folder}/{variant_path(point)}"]
    options = [game_words(manifest["game"]), *files, *own, ("--variant", variants)]
    options += [("--games", entry["games"]), ("--seed", manifest["seed"])]
    return command_line(["play", *(side["crew"] for _, side in sides)], options)
