"""Options that several verbs share, and the ways in which verbs print."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(enum.StrEnum):
    """How results are printed."""

    table = "table"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print results.")]
CardsetOption = Annotated[str, typer.Option("--cardset", metavar="NAME", help="Card set: a name or a file.")]
BoardOption = Annotated[str, typer.Option("--board", metavar="NAME", help="Board: a name or a file.")]
RulesOption = Annotated[str, typer.Option("--rules", metavar="NAME", help="Rules: a name or a file.")]
VariantOption = Annotated[list[str] | None, typer.Option("--variant", metavar="FILE", help="Variant file; may be repeated.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change one value; may be repeated.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite what is there already.")]
TargetFile = Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")]


def print_json(data: Any) -> None:
    """JSON on stdout, in a form that people can read too."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def print_table(header: list[str], rows: list[list[Any]]) -> None:
    """A plain table on stdout: columns by their widest cell, numbers to the right, so that it pipes well."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[n]) for line in [header, *texts]) for n in range(len(header))]
    numeric = [all(isinstance(row[n], (int, float)) for row in rows) and bool(rows) for n in range(len(header))]
    for line in [header, ["-" * width for width in widths], *texts]:
        cells = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(line, widths, numeric, strict=True)]
        typer.echo("  ".join(cells).rstrip())
