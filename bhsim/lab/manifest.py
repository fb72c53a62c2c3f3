"""``run.json``: what a run was, written before its first game and checked whenever it is read. docs/run-folder.md lists its keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.game import Game, engine_label, find
from bhsim.inputs.document import unreadable
from bhsim.inputs.explain import explained
from bhsim.lab.contest import MAX_GAMES, Contest
from bhsim.lab.precision import StopRule

FORMAT = 1
MANIFEST = "run.json"
COMPLETE, STOPPED = "complete", "stopped"
MAX_SEED = (1 << 63) - 1


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class _Side(_Part):
    crew: str
    deck: str
    bot: str


class _Entry(_Part):
    number: int
    label: str
    setting: dict[str, str]
    sides: Annotated[list[_Side], Field(min_length=2, max_length=6)]
    keys: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    games: Annotated[int, Field(ge=1, le=6 * MAX_GAMES)]
    digest: str
    data: dict[str, str]
    looks: list[int] = []


class _Stop(_Part):
    precision: Annotated[float, Field(gt=0)]
    level: float
    always_valid_prior_keys: float
    rule: str


class _Skipped(_Part):
    path: str
    why: str


class _Factor(_Part):
    path: str
    present: Any
    low: Any
    high: Any


class _Design(_Part):
    """``factors.Plan.record``."""

    masks: Annotated[list[Annotated[int, Field(ge=1, lt=1 << 20)]], Field(min_length=1)]
    pairs: bool
    factors: list[_Factor]
    skipped: list[_Skipped]


class _Sensitivity(_Part):
    design: _Design
    metric: Literal["win_rate", "margin", "distance from one half"]


class _Restriction(_Part):
    bot: str
    item: str
    how: Literal["never", "always"]
    contest: Annotated[int, Field(ge=0)]
    free: Annotated[int, Field(ge=0)]


class _Plan(_Part):
    """``effects.Plan.record``."""

    part: str
    items: Annotated[list[str], Field(min_length=1)]
    counts: Annotated[list[list[int]], Field(min_length=1)]
    restrictions: list[_Restriction]


class _Effects(_Part):
    plan: _Plan


class _Crew(_Part):
    label: str
    origin: Literal["named", "found", "sampled"]


class _Growth(_Part):
    """``grow.Growth``."""

    margin: Annotated[float, Field(gt=0)]
    games: Annotated[int, Field(ge=1)]
    confirm: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1)]


class _Meta(_Part):
    """``metarun.Plan.manifest``."""

    crews: Annotated[list[_Crew], Field(min_length=3)]
    grow: _Growth | None


class _Balance(_Part):
    """Of ``balance_spec.BalanceSpec`` what the variant files say."""

    name: str
    cardset: str | None
    board: str | None
    rules: str | None
    variants: list[str]
    sets: list[str]


class _Optimise(_Part):
    """``optimise.Plan.manifest``."""

    goal: Literal["mean", "worst", "mixture"]
    weights: Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=1)]
    opponents: Annotated[list[str], Field(min_length=1)]
    games: Annotated[int, Field(ge=1)]


# Kinds whose answers are computed from their spec.
SPECS: dict[str, type[_Part]] = {
    "sensitivity": _Sensitivity, "effects": _Effects, "meta": _Meta, "balance": _Balance, "optimise": _Optimise,
}  # fmt: skip


class _Manifest(_Part):
    """What every reader of a run relies on."""

    kind: Literal["play", "sweep", "baseline", "sensitivity", "effects", "optimise", "meta", "balance"]
    name: str
    game: str
    engine: str
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    command: str
    data_digest: str
    house_values: bool
    status: Literal["complete", "stopped"]
    spec: dict[str, Any]
    tally: list[list[Any]]
    counters: dict[str, Any]
    contests: Annotated[list[_Entry], Field(min_length=1, max_length=100_000)]
    data: dict[str, dict[str, Any]]
    joined: list[str] = []
    times: dict[str, Any]
    stop: _Stop | None = None


def manifest_of(name: str, kind: str, contests: Sequence[Contest], seed: int, spec: dict[str, Any], command: str) -> dict[str, Any]:
    """The manifest of a run that has not begun. kind: "play", "sweep" or "baseline". Equal parts of the contests' data are stored once.

    Where contests have looks, the spec's ``precision`` is written down as the rule that ends them.
    """
    game = contests[0].game
    parts: dict[str, Any] = {}
    entries = []
    for contest in contests:
        references = {}
        for part, value in game.resolved(contest.bundle, contest.sides).items():
            key = part_key(value)
            parts[key] = value
            references[part] = key
        entries.append(
            {
                "number": contest.number,
                "label": contest.label,
                "setting": contest.setting,
                "sides": [{"crew": s.crew, "deck": s.deck, "bot": s.bot} for s in contest.sides],
                "keys": contest.keys,
                "games": contest.games,
                "digest": contest.digest(),
                "data": references,
                **({"looks": list(contest.looks)} if contest.looks else {}),
            }
        )
    return {
        "format": FORMAT,
        "kind": kind,
        "name": name,
        "game": game.name,
        "engine": engine_label(game),
        "seed": seed,
        "command": command,
        "data_digest": joint_digest([e["digest"] for e in entries]),
        "house_values": any(game.house_values(c.bundle, c.sides) for c in contests),
        "status": STOPPED,
        "spec": spec,
        **({"stop": StopRule(spec["precision"]).record()} if any(c.looks for c in contests) else {}),
        "tally": tally_fields(game),
        "counters": {name: {"unit": c.unit, "meaning": c.meaning} for name, c in game.counters.items()},
        "contests": entries,
        "data": parts,
        "times": {},
    }


def joint_digest(digests: Sequence[str]) -> str:
    """One digest for all contests of a run; that of each where they agree."""
    return digests[0] if len(set(digests)) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]


def part_key(value: Any) -> str:
    """The name of a part of the data: a hash of it, so that equal parts are one and a damaged one is noticed."""
    return hashlib.sha256(json.dumps(value, sort_keys=False).encode()).hexdigest()[:16]


def tally_fields(game: Game) -> list[list[Any]]:
    """Names and shapes of a game's counters, as the manifest keeps them."""
    return [[field, list(game.tally[field].shape)] for field in game.tally.names]


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run folder; BadInput, naming the file, when there is none or it lacks what a run needs."""
    file = path / MANIFEST
    if reason := unreadable(file):
        raise BadInput(Fault(f"cannot read the manifest: it {reason}", file=str(file)))
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(Fault("no run folder: it has no run.json", file=str(path))) from None
    except RecursionError:
        raise BadInput(Fault("cannot read the manifest: it is nested too deeply", file=str(file))) from None
    except (OSError, ValueError) as error:
        raise BadInput(Fault(f"cannot read the manifest: {error}", file=str(file))) from None
    if not isinstance(manifest, dict) or type(manifest.get("format")) is not int or manifest["format"] != FORMAT:
        raise BadInput(Fault("not a manifest of this format", file=str(file), allowed=f"format {FORMAT}"))
    _check_types(file, _Manifest, manifest)
    _check_entries(file, manifest)
    if manifest["kind"] in SPECS:
        _check_types(file, SPECS[manifest["kind"]], manifest["spec"], "spec")
        _check_counts(file, manifest)
    return manifest


def _check_types(file: Path, model: type[_Part], data: Any, prefix: str = "") -> None:
    try:
        model.model_validate(data)
    except ValidationError as error:
        fault = explained(error, model, data, prefix)[0]
        raise _damaged(file, f"{fault.field}: {fault.message}") from None
    except RecursionError:
        raise _damaged(file, "it is nested too deeply") from None


def _check_counts(file: Path, manifest: dict[str, Any]) -> None:
    """Whether what a run varied fits the contests that it played."""
    contests = len(manifest["contests"])
    if manifest["kind"] == "sensitivity":
        design = manifest["spec"]["design"]
        runs = 1 << max(mask.bit_length() for mask in design["masks"])
        if contests % runs or len(set(design["masks"])) != len(design["factors"]):
            raise _damaged(file, "spec.design: does not fit the contests")
        return
    if manifest["kind"] == "meta":
        crews = len(manifest["spec"]["crews"])
        settings = [list(c["setting"]) for c in manifest["contests"]]
        if contests < crews * (crews - 1) // 2 or any(setting != ["crew", "opponent", "for"] for setting in settings):
            raise _damaged(file, "spec.crews: do not fit the contests")
        return
    if manifest["kind"] == "balance":
        if any(list(c["setting"]) != ["crew", "opponent", "point"] for c in manifest["contests"]):
            raise _damaged(file, "contests: are not those of points")
        return
    if manifest["kind"] == "optimise":
        spec, settings = manifest["spec"], [list(c["setting"]) for c in manifest["contests"]]
        if contests % len(spec["opponents"]) or any(setting != ["build", "opponent"] for setting in settings):
            raise _damaged(file, "spec.opponents: do not fit the contests")
        if len(spec["weights"]) != len(spec["opponents"]) or not sum(spec["weights"]):
            raise _damaged(file, "spec.weights: do not fit the opponents")
        return
    plan = manifest["spec"]["plan"]
    played = [number for r in plan["restrictions"] for number in (r["contest"], r["free"])]
    if any(len(row) != len(plan["items"]) for row in plan["counts"]) or max(len(plan["counts"]), *played, 0) >= contests:
        raise _damaged(file, "spec.plan: does not fit the contests")


def contests_in(path: Path, manifest: dict[str, Any]) -> list[Contest]:
    """The contests of a manifest with their models restored and checked; BadInput, naming the file, where that fails."""
    file = path / MANIFEST
    game = find(manifest["game"])
    if manifest["tally"] != tally_fields(game):
        raise BadInput(Fault(f"written by another version ({manifest['engine']}) whose counters differ", file=str(file)))
    return [_restored(file, game, entry, manifest["data"]) for entry in manifest["contests"]]


def _restored(file: Path, game: Game, entry: dict[str, Any], parts: dict[str, Any]) -> Contest:
    try:
        bundle, sides = game.restored({part: parts[key] for part, key in entry["data"].items()})
        game.check(bundle, sides)
        looks = tuple(entry.get("looks", ()))
        contest = Contest(entry["number"], game, bundle, tuple(sides), entry["keys"], entry["setting"], looks)
        games = contest.games
    except BadInput as error:
        raise _damaged(file, f"contest {entry['number']}: {error.faults[0]}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:  # whatever a game's models make of damaged data
        why = str(error).split("\n")[0]
        raise _damaged(file, f"contest {entry['number']} cannot be restored ({type(error).__name__}: {why})") from None
    if games != entry["games"] or len(sides) != len(entry["sides"]):
        raise _damaged(file, f"contest {entry['number']}: games, keys and sides do not fit together")
    return contest


def _check_entries(file: Path, manifest: dict[str, Any]) -> None:
    """What the types alone cannot say."""
    for key, value in manifest["data"].items():
        if part_key(value) != key:
            raise _damaged(file, f"data.{key}: is not what the run was played with")
    axes = list(manifest["contests"][0]["setting"])
    for place, entry in enumerate(manifest["contests"]):
        if entry["number"] != place:
            raise _damaged(file, f"contests.{place}.number: is {entry['number']}")
        if list(entry["setting"]) != axes:
            raise _damaged(file, f"contests.{place}.setting: has other axes than the first contest")
        looks = entry.get("looks", [])
        if looks and (looks != sorted(set(looks)) or looks[0] < 1 or looks[-1] != entry["keys"] or "stop" not in manifest):
            raise _damaged(file, f"contests.{place}.looks: do not fit its keys and the rule to stop")
        lost = [key for key in entry["data"].values() if key not in manifest["data"]]
        if lost:
            raise _damaged(file, f"contests.{place}.data: {lost[0]!r} is not in the file")


def _damaged(file: Path, what: str) -> BadInput:
    return BadInput(Fault(f"the manifest is damaged: {what}", file=str(file)))
