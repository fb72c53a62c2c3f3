"""Matching of names by id or printed name, and the suggestion for a near miss."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from bhsim.errors import Fault

LISTED = 24  # allowed names in one message


def suggestion(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x' or 'y'?"`` for the nearest known words, empty if nothing is near."""
    by_lower: dict[str, str] = {}
    for name in known:
        by_lower.setdefault(name.lower(), name)
    near = [by_lower[w] for w in difflib.get_close_matches(word.lower(), list(by_lower), n=2, cutoff=0.6)]
    return f"; did you mean {' or '.join(repr(w) for w in near)}?" if near else ""


def listing(known: Iterable[str]) -> str:
    """Allowed words, comma separated and cut after ``LISTED``."""
    names = list(known)
    rest = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return (", ".join(names[:LISTED]) or "none") + rest


def match(name: str, entries: Mapping[str, str], identifier) -> str | None:
    """Id of the entry that ``name`` means (``entries``: printed name by id), or None."""
    if name in entries:
        return name
    for key, printed in entries.items():
        if printed == name:
            return key
    key = identifier(name)
    return key if key in entries else None


def unknown(kind: str, name: str, entries: Mapping[str, str], field: str | None = None) -> Fault:
    """The fault of a name that matches nothing, with the nearest names and the list of ids."""
    near = suggestion(name, [*entries.values(), *entries])
    return Fault(f"unknown {kind} {name!r}{near}", field=field, allowed=listing(entries))
