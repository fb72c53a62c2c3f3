"""Changes of values by their paths: ``PATH=VALUE`` texts and the ``set`` table of variant files."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from bhsim.errors import BadInput, Fault
from bhsim.inputs.document import DEEPEST, TOO_DEEP, TOO_LARGE, Document, too_much
from bhsim.inputs.models import Variant
from bhsim.inputs.scan import split_path

Keys = tuple[str, ...]  # keys as a file nests them; a quoted path is one of them


def parse_set(text: str) -> tuple[str, Any]:
    """``PATH=VALUE`` as a path and a value: a TOML value if it is one, else the text itself."""
    path, equals, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not equals or not path or not value:
        raise BadInput(Fault(f"--set {text!r} is not a change", allowed="PATH=VALUE, for example rules.max_rounds=30"))
    try:
        parsed = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        return path, value
    except RecursionError:
        raise BadInput(Fault(f"--set: {TOO_DEEP}", field=path, allowed=f"{DEEPEST} levels")) from None
    except ValueError:  # a whole number of thousands of digits
        raise BadInput(Fault(f"--set: {TOO_LARGE}", field=path, allowed="64 bits")) from None
    if list(parsed) != ["value"]:
        return path, value
    if faults := too_much(parsed["value"]):
        raise BadInput(*(dataclasses.replace(f, message=f"--set: {f.message}", field=path) for f in faults))
    return path, parsed["value"]


def changes_of(document: Document, variant: Variant, canonical: Callable[[str], tuple[str, ...]]) -> dict[Keys, Any]:
    """The changes of a variant by their keys; a path that is written twice, in whatever way, is a fault.

    canonical: the parts of a path, the same for every way to write it.
    """
    changes = _flat(variant.set)
    seen: set[tuple[str, ...]] = set()
    faults = []
    for keys in changes:
        path = ".".join(keys)
        if canonical(path) in seen:
            line = _line_of_change(document, keys)
            faults.append(Fault("the path stands twice in the variant", str(document.path), line, path, allowed="each path once"))
        seen.add(canonical(path))
    if faults:
        raise BadInput(*faults)
    return changes


def in_variant(fault: Fault, document: Document, changes: Mapping[Keys, Any]) -> Fault:
    """A fault of a changed path, placed at the line of the variant file that makes the change."""
    for keys in changes:
        path = ".".join(keys)
        if fault.field and (fault.field == path or fault.field.startswith(path + ".") or path.startswith(fault.field + ".")):
            # keys written as one quoted path are one key of the file; bare dotted keys are many
            return dataclasses.replace(fault, file=str(document.path), line=_line_of_change(document, keys))
    return dataclasses.replace(fault, file=str(document.path), line=document.lines.line(("set",)))


def _line_of_change(document: Document, keys: Keys) -> int | None:
    numbered = tuple(part for key in keys for part in split_path(key))
    for path in (("set", *keys), ("set", *numbered)):
        if document.lines.has(path):
            return document.lines.line(path)
    return document.lines.line(("set", *keys))


def _flat(table: Mapping[str, Any], above: Keys = ()) -> dict[Keys, Any]:
    """Nested tables as a dict from key tuples; ``"a.b" = 1`` stays one key, ``a.b = 1`` becomes two."""
    flat: dict[Keys, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, (*above, key))
        else:
            flat[(*above, key)] = value
    return flat
