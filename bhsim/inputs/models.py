"""What the models of every game's files share: names, ids, flags, and the variant file."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


def identifier(name: str) -> str:
    """Id of a printed name: lower case, every run of other characters one ``_``, none at the ends."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


Flag = Annotated[bool, Field(strict=True)]  # "yes" or 1 is a mistake, not a truth value
Name = Annotated[str, Field(min_length=1, max_length=80)]


class Variant(BaseModel):
    """A named set of changed paths: ``set`` maps a path such as ``rules.max_rounds`` to its new value."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    description: str = ""
    set: Annotated[dict[str, Any], Field(min_length=1)]
