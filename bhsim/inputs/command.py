"""A command as a user would type it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any


def command_line(words: Sequence[str], options: Sequence[tuple[str, Any]]) -> str:
    """``bhsim`` with these words and options, quoted: options that are None, False or empty are left out, lists repeat theirs."""
    parts = ["bhsim", *words]
    for name, value in options:
        if value is True:
            parts.append(name)
        elif value is not None and value is not False:
            for one in value if isinstance(value, list | tuple) else [value]:
                parts += [name, str(one)]
    return shlex.join(parts)
