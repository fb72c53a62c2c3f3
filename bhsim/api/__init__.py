"""The Python interface: the verbs of the command line as functions that return typed results. docs/api.md describes it."""

from bhsim.api.answers import CheckResult, CompareResult, EffectsResult, PlanResult, SensitivityResult
from bhsim.api.balancing import BalanceResult, balance
from bhsim.api.matters import effects, plan, sensitivity
from bhsim.api.metagames import MetaResult, meta
from bhsim.api.optimising import BestBuild, OptimiseResult, optimise
from bhsim.api.results import BaselineResult, ContestResult, PlayResult, Rate, SideRate, SweepResult
from bhsim.api.verbs import baseline, check, compare, play, sweep
from bhsim.errors import BadInput

__all__ = [
    "BadInput", "BalanceResult", "BaselineResult", "BestBuild", "CheckResult", "CompareResult", "ContestResult", "EffectsResult",
    "MetaResult", "OptimiseResult", "PlanResult", "PlayResult", "Rate", "SensitivityResult", "SideRate", "SweepResult", "balance",
    "baseline", "check", "compare", "effects", "meta", "optimise", "plan", "play", "sensitivity", "sweep",
]  # fmt: skip
