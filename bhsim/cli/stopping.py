"""Being stopped from outside: by Ctrl-C, or by SIGTERM, with which `kill`, schedulers and CI systems ask a program to end.

Both are one kind of exception, so whatever tidies up after the first does so after the second; only the exit codes differ.
"""

from __future__ import annotations

import signal

INTERRUPTED = 128 + signal.SIGINT  # as shells report a program that a signal ended
TERMINATED = 128 + signal.SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM has arrived."""


def heed_sigterm() -> None:
    """From now on SIGTERM raises ``Terminated`` in the main thread, unless whoever started the program had it ignored."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _raise)


def exit_code(stop: BaseException) -> int:
    """130 after Ctrl-C, 143 after SIGTERM."""
    return TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


def _raise(*_: object) -> None:
    raise Terminated
