"""``search.json``: what the search of a run saw, kept beside the contests that confirm it, so that a report needs nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.inputs.document import unreadable
from bhsim.inputs.explain import explained
from bhsim.lab.store import write_json

RECORD = "search.json"


class Part(BaseModel):
    """A record, or what stands in one."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


R = TypeVar("R", bound=Part)


def write_record(directory: Path, record: Part) -> None:
    """Stores it in a run folder."""
    write_json(directory / RECORD, record.model_dump(mode="json"))


def read_record(directory: Path, model: type[R]) -> R:
    """What was stored; BadInput, naming the file, when there is none or it is damaged."""
    file = directory / RECORD
    if reason := unreadable(file):
        raise BadInput(Fault(f"cannot be read: it {reason}", file=str(file)))
    if not file.is_file():
        raise BadInput(Fault("the search has not ended yet; --resume goes on with the run", file=str(file)))
    data = None
    try:
        text = file.read_text(encoding="utf-8")
        data = json.loads(text)
        return model.model_validate_json(text)
    except ValidationError as error:
        first = explained(error, model, data)[0]
        raise BadInput(replace(first, message=f"is damaged: {first.message}", file=str(file))) from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(Fault(f"is damaged: {str(error).splitlines()[0]}", file=str(file))) from None
