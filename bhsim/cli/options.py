"""Options that several verbs share."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


class Format(enum.StrEnum):
    """How results are printed."""

    table = "table"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print results.")]
CardsetOption = Annotated[str, typer.Option("--cardset", metavar="NAME", help="Card set: a name or a file.")]
VariantOption = Annotated[list[str] | None, typer.Option("--variant", metavar="FILE", help="Variant file; may be repeated.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change one value; may be repeated.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite what is there already.")]
TargetFile = Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")]
