"""The Python interface: the verbs of the command line as functions that return typed results. docs/api.md describes it."""

from bhsim.api.answers import CheckResult, CompareResult, EffectsResult, PlanResult, SensitivityResult
from bhsim.api.matters import effects, plan, sensitivity
from bhsim.api.results import BaselineResult, ContestResult, PlayResult, Rate, SideRate, SweepResult
from bhsim.api.verbs import baseline, check, compare, play, sweep
from bhsim.errors import BadInput

__all__ = [
    "BadInput", "BaselineResult", "CheckResult", "CompareResult", "ContestResult", "EffectsResult", "PlanResult", "PlayResult", "Rate",
    "SensitivityResult", "SideRate", "SweepResult", "baseline", "check", "compare", "effects", "plan", "play", "sensitivity", "sweep",
]  # fmt: skip
